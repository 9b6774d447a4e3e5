"""Databases of games in DuckDB: built, read, and asked what record files are asked.

The language of the questions is in `query`.
"""
