"""The text of records, read and written by `grammar.lark`.

Nothing here plays a move.
"""
