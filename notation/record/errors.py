"""The errors of records: a fault has a place in its record, a problem has a place in its file."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Final

from lath.games.errors import LathError


class NotationError(LathError, ValueError):
    """A record is invalid or cannot be read."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One error of a record, with its place in the record's own text."""

    code: str
    """A short name for programs, such as `illegal-move`; docs/reference/notation.md lists them."""

    message: str
    """The description for people, on one line."""

    expected: str = ""
    """The expected text; empty if the message already says it."""

    at: int | None = None
    """The number of characters from the start of the record; None means the place of `tag`."""

    tag: str = ""
    """The tag with the fault; empty if the fault is not about a tag."""

    ply: int | None = None
    """The ply with the fault, from 1."""

    meant: str = ""
    """The correction as text; empty if it is not certain."""


@dataclass(frozen=True, slots=True)
class PlyPlace:
    """The place of a ply in the text of its record, and the number written before it."""

    at: int
    """The number of characters from the start of the record to the move."""

    number: int | None
    """None if no number is written before the ply."""

    variations: tuple[tuple[PlyPlace, ...], ...] = ()
    """The places of its variations' plies."""

    number_at: int | None = None
    """The number of characters from the start of the record to the ply's number."""

    notes: tuple[int, ...] = ()
    """The places of the annotations in its comments, in order."""

    notes_before: tuple[int, ...] = ()
    """The places of the annotations before the first ply of a variation; only that ply has them."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault with its place in a file."""

    file: str
    line: int
    """The line, from 1."""
    column: int
    """The column in characters, from 1."""
    code: str
    message: str
    expected: str
    record: int
    """The number of the record in its file, from 1."""
    ply: int | None
    source: str
    """The line of the file, without its end."""
    meant: str = ""
    """The correction as text; empty if it is not certain."""

    def __str__(self) -> str:
        """Return `file:line:column: error[code]: message`, with the line and a caret below it."""
        message = self.message + instead(self.meant, self.expected)
        if len(message) > 500:  # a value may be as long as a record
            message = f"{message[:250]}…{message[-250:]}"
        where = f"record {self.record}" + (f", ply {self.ply}" if self.ply else "")
        shown, caret = _excerpt(self.source, self.column)
        place = f"{printable(self.file)}:{self.line}:{self.column}"
        return f"{place}: error[{self.code}]: {printable(message)} ({where})\n  {shown}\n  {caret}^"

    def as_json(self) -> dict[str, str | int | None]:
        """Return the same fields as JSON values."""
        return asdict(self)


def instead(meant: str, expected: str) -> str:
    """Return the correction or the expected text as words for a message."""
    if meant:
        quoted = meant if meant[0] == '"' else f"'{meant}'"
        return f"; did you mean {quoted}?"
    return f"; expected {expected}" if expected else ""


_WIDTH: Final = 100  # characters of a line that are shown; a record can be a line of a megabyte


def shortened(text: str) -> str:
    """Return a word in quotes, cut after 40 characters.

    >>> shortened("e5"), len(shortened("e5" * 50))
    ("'e5'", 43)
    """
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


def listed(words: Iterable[str], before_last: str) -> str:
    """Return words joined to a list; there must be at least one.

    >>> listed(["1-0", "0-1", "*"], "or")
    '1-0, 0-1 or *'
    """
    *most, last = words
    return f"{', '.join(most)} {before_last} {last}" if most else last


def _excerpt(source: str, column: int) -> tuple[str, str]:
    """Return the part of `source` around `column`, and the spaces before the caret."""
    column = min(
        column, len(source) + 1
    )  # formats that return text may have fewer characters in the line
    start = max(0, column - 1 - _WIDTH // 2) if len(source) > _WIDTH else 0
    shown = source[start : start + _WIDTH]
    blanks = "".join(map(_blank, shown[: column - 1 - start]))
    text = printable(shown)
    if start:
        text, blanks = "…" + text[1:], " " + blanks.removeprefix(_blank(shown[0]))
    if start + _WIDTH < len(source):
        text = text[:-1] + "…"
    return text, blanks


def _blank(letter: str) -> str:
    """Return spaces as wide as a character in a terminal."""
    if letter == "\t":
        return "\t"
    if unicodedata.combining(letter):
        return ""
    return "  " if unicodedata.east_asian_width(letter) in "WF" else " "


def printable(text: str) -> str:
    """Return the text with a dot for each character that could control the terminal.

    Every text from a file, a folder or a bot must pass through this function before it is printed.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter == "\t" else "·" for letter in text)


def escaped(text: str) -> str:
    r"""Return the text with the same characters escaped, so that none is lost.

    >>> escaped("\x1b[2J"), escaped("\u202e")
    ('\\x1b[2J', '\\u202e')
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class RecordError(NotationError):
    """A record is invalid, and the caller has not asked for problems as values."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class RecordSyntaxError(NotationError):
    """The text is not a record; `fault` has the place and the reason."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class OtherGameError(RecordSyntaxError):
    """The text is a record of an unknown game; `game` is the name of that game."""

    def __init__(self, fault: Fault, game: str) -> None:
        super().__init__(fault)
        self.game = game


class RecordValueError(NotationError):
    """A value of a record has no text, or contradicts the record; `fault` has the reason."""

    def __init__(self, fault: Fault) -> None:
        where = f"ply {fault.ply}: " if fault.ply else ""
        super().__init__(where + fault.message + instead(fault.meant, fault.expected))
        self.fault = fault


def refused(
    at: int, message: str, expected: str = "", code: str = "syntax", ply: int | None = None
) -> RecordSyntaxError:
    """Return the error for a text with a fault at one place."""
    return RecordSyntaxError(Fault(code, message, expected, at, ply=ply))
