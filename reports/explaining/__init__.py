"""What costs a bot the most points: tests of its games, and which results to believe.

Tables of findings are in `page` and the terminal.
"""
