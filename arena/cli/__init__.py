"""The command line: thin over the library, one module per group of commands.

The packages below do what the commands ask for.
"""
