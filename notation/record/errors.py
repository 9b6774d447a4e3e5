"""What can be wrong with a record: a fault by its place in the record, a problem in its file."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Final

from lath.games.errors import LathError


class NotationError(LathError, ValueError):
    """A record could not be read or is wrong."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a record, by its place in the record's own text."""

    code: str
    """A short name for programs, such as `illegal-move`; docs/reference/notation.md lists them."""

    message: str
    """What is wrong, for people, on one line."""

    expected: str = ""
    """What would have been right; empty where the message says it all."""

    at: int | None = None
    """Characters from the start of the record; None: at the tag named by `tag`."""

    tag: str = ""
    """The tag that the fault is about; empty where it is about none."""

    ply: int | None = None
    """The ply that the fault is about, from 1."""

    meant: str = ""
    """What should surely stand there instead, as text; empty where that is not certain."""


@dataclass(frozen=True, slots=True)
class PlyPlace:
    """Where a ply stands in the text of its record, and the number that it bears there."""

    at: int
    """Characters from the start of the record to its move."""

    number: int | None
    """None where no number stands before it."""

    variations: tuple[tuple[PlyPlace, ...], ...] = ()
    """The places of its variations' plies."""

    number_at: int | None = None
    """Characters from the start of the record to its number."""

    notes: tuple[int, ...] = ()
    """Where the annotations of its comments begin, in their order."""

    notes_before: tuple[int, ...] = ()
    """The same of the comments before the first ply of a variation, which that ply has."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault, with the place in its file."""

    file: str
    line: int
    """From 1."""
    column: int
    """In characters, from 1."""
    code: str
    message: str
    expected: str
    record: int
    """The number of the record in its file, from 1."""
    ply: int | None
    source: str
    """The line of the file, without its end."""
    meant: str = ""
    """What should surely stand there instead; empty where that is not certain."""

    def __str__(self) -> str:
        """Return the problem as `file:line:column: error[code]: message`, with line and caret."""
        message = self.message + instead(self.meant, self.expected)
        if len(message) > 500:  # a value may be as long as a record
            message = f"{message[:250]}…{message[-250:]}"
        where = f"record {self.record}" + (f", ply {self.ply}" if self.ply else "")
        shown, caret = _excerpt(self.source, self.column)
        place = f"{printable(self.file)}:{self.line}:{self.column}"
        return f"{place}: error[{self.code}]: {printable(message)} ({where})\n  {shown}\n  {caret}^"

    def as_json(self) -> dict[str, str | int | None]:
        """Return the same fields for a program."""
        return asdict(self)


def instead(meant: str, expected: str) -> str:
    """Return in words what should have stood there."""
    if meant:
        quoted = meant if meant[0] == '"' else f"'{meant}'"
        return f"; did you mean {quoted}?"
    return f"; expected {expected}" if expected else ""


_WIDTH: Final = 100  # characters of a line that are shown: a record may be one of a megabyte


def shortened(text: str) -> str:
    """Return a word in quotes; of a long one the beginning.

    >>> shortened("e5"), len(shortened("e5" * 50))
    ("'e5'", 43)
    """
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


def listed(words: Iterable[str], before_last: str) -> str:
    """Return words in a row, of which there is one at least.

    >>> listed(["1-0", "0-1", "*"], "or")
    '1-0, 0-1 or *'
    """
    *most, last = words
    return f"{', '.join(most)} {before_last} {last}" if most else last


def _excerpt(source: str, column: int) -> tuple[str, str]:
    """Return the part of `source` round `column`, and the blanks before the caret."""
    column = min(column, len(source) + 1)  # what was given back as text may have fewer letters
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
    """Return what takes as much room as a letter does in a terminal."""
    if letter == "\t":
        return "\t"
    if unicodedata.combining(letter):
        return ""
    return "  " if unicodedata.east_asian_width(letter) in "WF" else " "


def printable(text: str) -> str:
    """Return the text with a dot for what would move, colour or turn the terminal's text.

    Whatever comes from a file, a folder or a bot goes through here before people see it.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter == "\t" else "·" for letter in text)


def escaped(text: str) -> str:
    r"""Return the text with the same letters written out, where none must be lost.

    >>> escaped("\x1b[2J"), escaped("\u202e")
    ('\\x1b[2J', '\\u202e')
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class RecordError(NotationError):
    """A record is wrong, where nobody asked to be told of problems one by one."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class RecordSyntaxError(NotationError):
    """The text is not a record; `fault` says where and why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class OtherGameError(RecordSyntaxError):
    """The text is a record of a game that is not known here; `game` is what it is called."""

    def __init__(self, fault: Fault, game: str) -> None:
        super().__init__(fault)
        self.game = game


class RecordValueError(NotationError):
    """A value of a record has no text, or would make the record untrue; `fault` says why."""

    def __init__(self, fault: Fault) -> None:
        where = f"ply {fault.ply}: " if fault.ply else ""
        super().__init__(where + fault.message + instead(fault.meant, fault.expected))
        self.fault = fault


def refused(
    at: int, message: str, expected: str = "", code: str = "syntax", ply: int | None = None
) -> RecordSyntaxError:
    """Return the error of a text that is at fault at one place."""
    return RecordSyntaxError(Fault(code, message, expected, at, ply=ply))
