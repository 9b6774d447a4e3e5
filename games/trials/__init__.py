"""The laws of games, and their tests.

`lath.games.trial` plays the random games in which they are tested.
"""
