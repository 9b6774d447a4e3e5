"""Records as table rows, as JSON values and as planes of numbers.

`formats` writes the bytes of such files.
"""
