"""The language of `--where`: its words, its questions, patterns of cells.

`database` answers the same questions from a database.
"""
