"""The order of a tournament's games, their openings, and when the result is decided.

It is pure; the words for its numbers are in `tournament/outcome`.
"""
