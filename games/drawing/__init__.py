"""Positions as SVG, drawn from the board and pieces that every game declares.

Nothing here depends on a particular game.
"""
