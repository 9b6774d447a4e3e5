"""The language of `--where`: a text into one question to a record. docs/queries.md describes it.

>>> from lath.notation import parse
>>> from lath.notation.query import compile_query
>>> matches = compile_query("game = yavalath and plies > 1")
>>> matches(parse('[Game "yavalath"] 1. e5 2. swap *'))
True
"""

from lath.notation.query.language import QueryError, compile_query

__all__ = ["QueryError", "compile_query"]
