"""The query language of `--where`: a text becomes one question about a record.

>>> from lath.notation import parse
>>> from lath.notation.query.query import compile_query
>>> matches = compile_query("game = yavalath and (winner = ann or plies > 20)")
>>> matches(parse('[Game "yavalath"] [First "ann"] e5 1-0'))
True

`query.lark` is the grammar. A text is parsed once, into nested `questions` in which cheap ones come
first. Lark is imported with the first query, because that takes long.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import resources
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from lath.notation.query.errors import KEYWORDS, QueryError, WrongValueError
from lath.notation.query.mistakes import slips_in, syntax_error
from lath.notation.query.operators import READERS, Plan, parts_of, question
from lath.notation.record.record import Record

if TYPE_CHECKING:
    from lark import Lark

__all__ = ["QueryError", "compile_query", "doubts", "grammar", "plan_of"]

MAX_NESTING: Final = 100
"""The deepest nesting of parentheses and `not`; far more than people write."""


def compile_query(text: str) -> Callable[[Record], bool]:
    """Return a function that tests whether a record matches. Raises QueryError for an invalid text.

    The function raises GameError if the query asks for a position and the record is illegal. It
    caches data about games, so it should be reused for all records.
    """
    return question(plan_of(text)).matches


def plan_of(text: str) -> Plan:
    """Return a query as a tree of values. Raises QueryError if it is invalid.

    >>> plan_of("plies in 20..30 and not contains move swap").parts
    (OfPlies(ranges=((20, 30),)), Not(part=OfMove(moves=('swap',), ply=None)))
    """
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken  # start-up time

    try:
        plan: Plan = _lark().parse(text)  # type: ignore[assignment]  # by the transformer
    except WrongValueError as error:
        raise QueryError(text, *error.args) from error
    except (UnexpectedToken, UnexpectedCharacters) as error:
        raise syntax_error(text, error) from error
    inside: list[Plan] = [plan]
    for _ in range(MAX_NESTING):
        inside = [part for each in inside for part in parts_of(each)]
    if inside:
        raise QueryError(text, 0, f"the query is nested more than {MAX_NESTING} deep")
    return plan


def quoted(value: str) -> str:
    """Return a text as a value of a query: a plain word, or another text in quotes.

    >>> quoted("greedy-2"), quoted("Deep Blue"), quoted("and")
    ('greedy-2', '"Deep Blue"', '"and"')
    """
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", value) and value not in KEYWORDS:
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def doubts(text: str) -> list[str]:
    """Return the probable slips in a valid query, each as a sentence. Raises QueryError.

    These are games that are not installed, and moves that no game has. They are not errors, because
    a record can contain both. Use this when a query finds nothing.

    >>> doubts("game = yavalat")
    ["game 'yavalat' is not installed; did you mean 'yavalath'?"]
    """
    return slips_in(plan_of(text))


def grammar() -> str:
    """Return the text of `query.lark`."""
    return (resources.files("lath.notation") / "query.lark").read_text(encoding="utf-8")


@cache
def _lark() -> Lark:
    from lark import Lark  # start-up time

    builders: Any = SimpleNamespace(**READERS)  # Lark needs only these methods of a Transformer
    return Lark(
        grammar(),
        start="query",
        parser="lalr",
        lexer="contextual",
        maybe_placeholders=False,
        transformer=builders,
    )
