"""Records against the rules of their games: replayed, checked, built ply by ply.

Splitting a file into records is in `text`.
"""
