"""The command line: thin over the library, one module per group of commands.

What a command does is in the packages below.
"""
