"""The errors of invalid queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lath.games.errors import LathError
from lath.notation.record.errors import NotationError, printable

if TYPE_CHECKING:
    from lark.lexer import Token

KEYWORDS: Final = ("and", "or", "not")
"""Words that are values only in quotes. If a value is missing before one, the message says so."""


class QueryError(NotationError):
    """The text is not a query; the message shows the place with a caret and what was expected."""

    def __init__(self, text: str, at: int, message: str, expected: str = "") -> None:
        self.at = at
        """The place in characters from the start."""
        whole = f"{message}; expected {expected}" if expected else message
        start = text.rfind("\n", 0, at) + 1
        shown = printable(text[start:].partition("\n")[0]).replace("\t", " ")
        self.said = whole
        """The message without the place, for a page that shows the query."""
        super().__init__(f"{whole}\n  {shown}\n  {' ' * (at - start)}^")


class WrongValueError(LathError):
    """A meaningless value or name that the grammar accepts; its arguments are QueryError's."""

    def __init__(self, token: Token, message: str, expected: str, further: int = 0) -> None:
        super().__init__((token.start_pos or 0) + further, message, expected)


def no_value(keyword: Token) -> WrongValueError:
    """Return the error of a keyword in the place of a value."""
    return WrongValueError(
        keyword, f"{str(keyword)!r} is not a value", "a value before it, or quotes around it"
    )
