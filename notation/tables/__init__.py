"""Records as rows, as JSON and as planes of numbers.

The bytes of such files are written by `formats`.
"""
