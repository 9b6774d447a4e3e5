"""What can be wrong with a query, told in English with a caret under the place.

Must not know what a query means (`language.py`), only which words it may have.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Final

from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from lath.notation.errors import NotationError

if TYPE_CHECKING:
    from lark.lexer import Token

NAMES: Final = (
    *("game", "event", "first", "second", "player", "winner", "loser"),
    *("result", "termination", "setup"),
)
"""What is compared as text: by `=`, `!=`, `~` and `in`."""

ORDERED: Final = ("round", "date")
"""What has an order besides; as every tag by its own name has."""

WORDS: Final = (*NAMES, *ORDERED, "plies", "position", "move", "comments", "variations")
"""What a test can begin with, besides a tag and `contains`."""

_ENGLISH: Final = {
    "NAME": "a test such as plies > 20",
    "EQUALITY": "'=', '!='",
    "ORDER": "'<', '<=', '>', '>='",
    "LIKE": "'~'",
    "_IN": "'in'",
    "_MOVE": "'move' and a move",
    "NUMBER": "a whole number of at most 9 digits",
    "WORD": "a word or a text in quotes",
    "LPAR": "a list such as (a, b)",
    "COMMA": "','",
    "RPAR": "')'",
    "_AND": "'and'",
    "_OR": "'or'",
    "$END": "the end",
}
"""What a terminal is in English, in the order in which messages list them; the others are possible
only beside one of these."""

KEYWORDS: Final = ("and", "or", "not")
"""Words that are values in quotes only: who leaves a value out shall be told of that."""


class QueryError(NotationError):
    """The text is no query; the message shows where and says what was expected."""

    def __init__(self, text: str, at: int, message: str, expected: str = "") -> None:
        self.message = message
        """What is wrong, on one line."""
        self.expected = expected
        """What would have been right; empty where the message says it all."""
        self.at = at
        """Where, in characters from the start."""
        told = f"{message}; expected {expected}" if expected else message
        super().__init__(f"{told}\n{_excerpt(text, at)}")


def _excerpt(text: str, at: int) -> str:
    """Return the line of the place, and a caret under it."""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:].partition("\n")[0]
    shown = "".join(letter if letter.isprintable() else " " for letter in line)
    return f"  {shown}\n  {' ' * (at - start)}^"


class WrongValueError(Exception):
    """A value or a name that the grammar takes, but that means nothing."""

    def __init__(self, at: int, message: str, expected: str = "") -> None:
        super().__init__(message)
        self.at = at
        self.message = message
        self.expected = expected


def place(token: Token) -> int:
    """Return where a token of the query stands."""
    assert token.start_pos is not None
    return token.start_pos


def no_value(word: str) -> tuple[str, str]:
    """Return the message and what was expected in the place of a keyword."""
    return f"{str(word)!r} is no value", "a value before it, or it in quotes"


def syntax_error(text: str, error: UnexpectedToken | UnexpectedCharacters) -> QueryError:
    """Return what Lark found wrong with the text of a query."""
    last = error.token_history[-1] if error.token_history else None
    if last is not None and last.type == "WORD" and last in KEYWORDS:
        return QueryError(text, place(last), *no_value(last))
    at = error.pos_in_stream
    wanted: set[str] = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]
    expected = _english(wanted)
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        message = "the query ends too early" if text.strip() else "the query is empty"
        return QueryError(text, len(text.rstrip()), message, expected)
    assert at is not None
    if text[at] in "\"'" and "WORD" in wanted:
        return _quote_error(text, at)
    word = _WORD.match(text, at)
    found = word[0] if word else text[at]
    if "NAME" in wanted and found.isidentifier() and found not in KEYWORDS:
        return QueryError(text, at, *_unknown_name(found))
    return QueryError(text, at, f"{found!r} does not belong here", expected)


_WORD: Final = re.compile(r"[\w.+/:@#%*?-]{1,40}|[<>=!]+")


def _quote_error(text: str, at: int) -> QueryError:
    read = re.compile(r"""(["'])(?:(?!\1)[^\\]|\\["'\\])*""").match(text, at)
    assert read is not None
    if text[read.end() : read.end() + 1] == "\\":
        escape = text[read.end() : read.end() + 2]
        return QueryError(text, read.end(), f"unknown escape {escape!r}", r"\" or \' or \\")
    return QueryError(text, at, "the text is never closed", f"{text[at]} at its end")


def _unknown_name(word: str) -> tuple[str, str]:
    """Return the message and what was expected in the place of a name that means nothing."""
    alike = difflib.get_close_matches(word.lower(), [*WORDS, "contains", "not"], n=1)
    if alike:
        return f"nothing is called {word!r}: did you mean {alike[0]!r}?", ""
    names = f"one of {', '.join(WORDS)}, contains, or a tag such as Annotator"
    return f"nothing is called {word!r}", names


def _english(terminals: set[str]) -> str:
    if "NAME" in terminals:
        terminals = {"NAME"}
    words = [words for name, words in _ENGLISH.items() if name in terminals]
    if {"NOT", "_IN"} <= terminals:
        words.append("'not in'")
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last
