"""The query language of `--where`: its words, its questions, and patterns of cells.

`database` answers the same questions from a database.
"""
