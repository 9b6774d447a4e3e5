"""Bots used from Python: they answer questions, analyse games, solve positions and do puzzles.

Tournaments between bots are in `flows`.
"""
