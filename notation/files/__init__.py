"""Files as bytes: compressed, in blocks, written whole or not at all.

What stands in them is not known here.
"""
