"""The command line, with one module per group of commands.

The commands call the packages below and print the results.
"""
