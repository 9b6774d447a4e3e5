"""A game record as plain data: tags, plies, comments and variations.

`text` reads records from text, and `rules` plays their moves.
"""
