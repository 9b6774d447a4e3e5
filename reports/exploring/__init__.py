"""The games from a position and their results: from records, from a database, as a tree.

`page` shows them.
"""
