"""The laws that every game must obey, and their tests on games, positions and fast boards.

`lath.games.trial` plays the random games in which they are tested.
"""
