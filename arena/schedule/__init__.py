"""The order of a tournament's games, their openings, and when the result is decided.

It is pure. Texts about its numbers are in `tournament/outcome`.
"""
