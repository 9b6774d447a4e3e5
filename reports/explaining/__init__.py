"""Tests of a bot's games that show where it loses points, and which results to believe.

Tables of findings are in `page` and the terminal.
"""
