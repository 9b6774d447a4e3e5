"""The database of a tournament: each game once, notes beside them, rulings.

`outcome` counts the games.
"""
