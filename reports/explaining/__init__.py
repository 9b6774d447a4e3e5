"""Tests that show where a bot loses points, and which results are significant.

Tables of findings are in `page` and the terminal.
"""
