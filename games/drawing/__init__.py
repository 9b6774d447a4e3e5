"""Positions as SVG, drawn from what every game says of its board and pieces.

Nothing here names a game.
"""
