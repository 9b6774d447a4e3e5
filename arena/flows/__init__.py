"""The work of the commands that play, for the command line and Python: run, match, place, tune.

Options and printed words are in `cli`.
"""
