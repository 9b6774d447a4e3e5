"""Databases of games in DuckDB: built, read, and asked the same questions as record files.

The language of the questions is in `query`.
"""
