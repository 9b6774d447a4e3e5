"""Counts of games, and the standings that follow from them.

`event` makes a league of them.
"""
