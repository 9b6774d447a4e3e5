"""The database of a tournament: each game once, notes, rulings.

`outcome` counts the games.
"""
