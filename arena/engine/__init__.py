"""Bots driven from Python: asked, used to analyse and to solve, given puzzles.

Tournaments between bots are in `flows`.
"""
