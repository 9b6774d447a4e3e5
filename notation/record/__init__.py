"""A record as plain data: its tags, plies, comments and variations.

What a text or the rules make of it stands above.
"""
