"""The work of the commands that play games, for the command line and Python.

The commands are run, match, place and tune; `cli` has their options and their printed text.
"""
