"""The database of a tournament: each game once, notes about the tournament, rulings.

`outcome` counts the games.
"""
