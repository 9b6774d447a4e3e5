"""Files as bytes: compressed, in blocks, written whole or not at all.

The packages above know what the bytes mean.
"""
