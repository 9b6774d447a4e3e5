"""The language of `--where`: its words, what a query asks, patterns of cells.

How a database answers a query is in `database`.
"""
