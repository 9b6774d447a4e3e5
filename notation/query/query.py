"""The language of `--where`: a text into one question to a record. query-language.md describes it.

>>> from lath.notation import parse
>>> from lath.notation.query.query import compile_query
>>> matches = compile_query("game = yavalath and (winner = ann or plies > 20)")
>>> matches(parse('[Game "yavalath"] [First "ann"] e5 1-0'))
True

`query.lark` is the grammar. The text is read once; what is asked of a record are `questions` inside
each other, the cheap ones first. Lark is loaded with the first query: it takes a while.
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
"""Parentheses and `not` inside each other; far beyond what people write."""


def compile_query(text: str) -> Callable[[Record], bool]:
    """Return whether a record matches, as a function; raises QueryError.

    The function raises GameError where the query asks for a position and the record cannot be
    played. It keeps what it learns of games, so that it is best kept for all records.
    """
    return question(plan_of(text)).matches


def plan_of(text: str) -> Plan:
    """Return what a query asks, as a tree of values; raises QueryError.

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
    """Return a text as a query has it for a value: a word as it stands, all else in quotes.

    >>> quoted("greedy-2"), quoted("Deep Blue"), quoted("and")
    ('greedy-2', '"Deep Blue"', '"and"')
    """
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", value) and value not in KEYWORDS:
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def doubts(text: str) -> list[str]:
    """Return what in a query may be a slip, a sentence each; raises QueryError.

    A game that is not installed, and a move that no game reads which the query names, else no
    installed one. Neither is wrong: a record may have either. For who finds nothing.

    >>> doubts("game = yavalat")
    ["no game 'yavalat' is installed; did you mean 'yavalath'?"]
    """
    return slips_in(plan_of(text))


def grammar() -> str:
    """Return the text of `query.lark`."""
    return (resources.files("lath.notation") / "query.lark").read_text(encoding="utf-8")


@cache
def _lark() -> Lark:
    from lark import Lark  # start-up time

    builders: Any = SimpleNamespace(**READERS)  # all that Lark asks of a Transformer
    return Lark(
        grammar(),
        start="query",
        parser="lalr",
        lexer="contextual",
        maybe_placeholders=False,
        transformer=builders,
    )
