"""What is raised for a text that is no query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lath.games.errors import LathError
from lath.notation.record.errors import NotationError, printable

if TYPE_CHECKING:
    from lark.lexer import Token

KEYWORDS: Final = ("and", "or", "not")
"""Words that are values in quotes only: who leaves a value out shall be told of that."""


class QueryError(NotationError):
    """The text is no query; the message says what was expected, under the line with a caret."""

    def __init__(self, text: str, at: int, message: str, expected: str = "") -> None:
        self.at = at
        """Where, in characters from the start."""
        whole = f"{message}; expected {expected}" if expected else message
        start = text.rfind("\n", 0, at) + 1
        shown = printable(text[start:].partition("\n")[0]).replace("\t", " ")
        super().__init__(f"{whole}\n  {shown}\n  {' ' * (at - start)}^")


class WrongValueError(LathError):
    """A value or a name means nothing, though the grammar takes it; has QueryError's arguments."""

    def __init__(self, token: Token, message: str, expected: str, further: int = 0) -> None:
        super().__init__((token.start_pos or 0) + further, message, expected)


def no_value(keyword: Token) -> WrongValueError:
    """Return the error of a keyword where a value should stand."""
    return WrongValueError(
        keyword, f"{str(keyword)!r} is no value", "a value before it, or it in quotes"
    )
