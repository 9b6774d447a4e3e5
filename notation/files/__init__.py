"""Files as bytes: compressed, in blocks, written completely or not at all.

The packages above know the meaning of the bytes.
"""
