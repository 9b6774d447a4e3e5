"""A game record as plain data: tags, plies, comments and variations.

Text is read in `text`, moves are played in `rules`.
"""
