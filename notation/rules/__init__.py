"""Records and the rules of their games: replay, validation, and building ply by ply.

`text` splits a file into records.
"""
