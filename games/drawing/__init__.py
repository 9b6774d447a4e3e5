"""Positions as SVG, drawn from what every game says of its board and pieces.

Must not know any game.
"""
