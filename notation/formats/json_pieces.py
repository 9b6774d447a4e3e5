"""Which JSON objects stand in a stream: one, an array of them, or one after the other.

Memory stays flat: one object and one block of the stream. An object that is no JSON is told of,
and reading goes on at the next one. Must not know what the objects mean, but for how one begins.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, BinaryIO, Final, NoReturn

from lath.notation.errors import Fault
from lath.notation.formats.piece import Piece, RefusedError, encoding_fault, without_escapes

_BLOCK: Final = 1 << 18

MAX_OBJECT: Final = 16 << 20
"""Characters of one object; a longer one is a file of another kind."""

MAX_NESTING: Final = 100
"""Arrays and objects in one another; a record has seven."""

_SHOWN: Final = 200
"""Characters that are kept of an object that is too long."""

_OVERLAP: Final = 100
"""Characters at the end of a block that may be the first half of how an object begins."""

_LETTERS: Final = r'(?:[^"\\\n]|\\.)*+'

_STRING: Final = rf'"{_LETTERS}"?'

_STRING_END: Final = rf'{_LETTERS}(?:"|(?P<cut>(?=\\?\Z)))?'
"""The string behind its first quote; `cut` where the rest of it is not read yet."""

_REST: Final = re.compile(_STRING_END)

_BETWEEN: Final = re.compile(r"[\s,\[\]]*")
"""What may stand between objects; a missing comma is no reason to stop."""

_TOKEN: Final = re.compile(rf'"{_STRING_END}|[{{}}\[\]]')

_BRACKET: Final = re.compile(r"[\[\]]")

_STEP: Final = {"{": 1, "[": 1, "}": -1, "]": -1}

_JUNK: Final = re.compile(rf"(?:{_STRING}|[^\n{{\[\]\"])+|\]+")
"""What stands between objects and does not belong there: up to the next bracket or line."""

_DOUBT: Final = 1 << 13
"""Characters after which an object that seems to hold the next one counts as never closed."""


def objects(
    stream: BinaryIO, name: str, begins: re.Pattern[str]
) -> Iterator[tuple[Piece, Any | Fault]]:
    """Yield each object of a stream, or the fault of what stands in its place.

    `begins` matches the beginning of an object: there reading goes on after an unclosed one.
    """
    feed = _Feed(stream, name, begins)
    while feed.skip_between():
        if feed.buffer[feed.at] == "{":
            yield feed.object()
        else:
            yield feed.junk()
    if feed.open_arrays > 0:
        yield feed.piece(feed.at), Fault("syntax", "the array is never closed", "]", at=0)


@dataclass(slots=True)
class _Open:
    """An object whose end was not read yet: how much of it was, and what is open there."""

    size: int = 0
    depth: int = 0
    in_string: bool = False

    def read(self, text: str, begin: int, limit: int) -> int | None:
        """Read on in an object that begins at `begin`; return where it ends, if before `limit`."""
        at = begin + self.size
        last = None
        if self.in_string and (last := _REST.match(text, at, limit)):
            at = last.end()
        for last in _TOKEN.finditer(text, at, limit):
            self.depth += _STEP.get(last[0], 0)
            if not self.depth:
                return last.end()
        self.in_string = last is not None and last["cut"] is not None
        self.size = (last.end() if last and self.in_string else limit) - begin
        return None


class _Feed:
    """The text of a stream, a block at a time, and where in it reading stands."""

    def __init__(self, stream: BinaryIO, name: str, begins: re.Pattern[str]) -> None:
        self.buffer = ""
        self.at = 0
        self.open_arrays = 0
        self._stream = stream
        self._name = name
        self._begins = begins
        self._begin: tuple[int, int] | None = None
        self._searched = 0
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
        self._ended = False
        self._number = 0
        self._line = 1
        self._column = 1

    def more(self) -> bool:
        """Read a block and forget what lies before `at`; return False at the stream's end."""
        if self._ended:
            return False
        block = self._stream.read(_BLOCK)
        self._ended = not block
        self.buffer = self.buffer[self.at :] + self._decoder.decode(block, final=self._ended)
        if self._begin:
            self._begin = self._begin[0] - self.at, self._begin[1] - self.at
        self._searched -= self.at
        self.at = 0
        return True

    def skip_between(self) -> bool:
        """Go to the next object or junk; return False where nothing follows."""
        while True:
            match = _BETWEEN.match(self.buffer, self.at)
            assert match is not None
            self._go(self._count_arrays(match.end()))
            if self.at < len(self.buffer):
                return True
            if not self.more():
                return False

    def _count_arrays(self, end: int) -> int:
        """Count the arrays up to `end`; return where one closes that was never opened, or `end`."""
        for match in _BRACKET.finditer(self.buffer, self.at, end):
            if match[0] == "]" and not self.open_arrays:
                return match.start()
            self.open_arrays += _STEP[match[0]]
        return end

    def object(self) -> tuple[Piece, Any | Fault]:
        """Return the object that begins at `at`, and go to its end."""
        end = self._end_of_object()
        if end is None:
            return self._unclosed()
        found = _decoded(self.buffer[self.at : end])
        if isinstance(found, Fault) and (inner := self._next_begin(self.at + 1)):
            end = min(end, inner[0])
        return self._take(end), found

    def _next_begin(self, after: int) -> tuple[int, int] | None:
        """Return where the next object surely begins, at `after` or behind, and ends to do so."""
        if self._begin is None or self._begin[0] < after:
            match = self._begins.search(self.buffer, max(after, self._searched))
            self._begin = match.span() if match else None
            if match is None:
                self._searched = len(self.buffer) - _OVERLAP
        return self._begin

    def _end_of_object(self) -> int | None:
        """Return where the object at `at` ends; None where it is never closed, or too long."""
        unread = _Open()
        while True:
            inner = self._next_begin(self.at + 1)
            limit = len(self.buffer)
            if inner:
                limit = min(limit, inner[1] + _DOUBT)
            if end := unread.read(self.buffer, self.at, limit):
                return end
            if limit < len(self.buffer) or len(self.buffer) - self.at > MAX_OBJECT:
                return None
            if not self.more():
                return None

    def _unclosed(self) -> tuple[Piece, Fault]:
        """Return the beginning of an object without an end, and go to the next object."""
        fault = Fault("syntax", "the record is never closed", "}", at=0)
        following = self._next_begin(self.at + 1)
        end = following[0] if following else len(self.buffer)
        if end - self.at > MAX_OBJECT:
            fault = Fault("size", f"a record of more than {MAX_OBJECT} characters", at=0)
            end = self.at + _SHOWN
        piece = self.piece(end)
        while following is None:
            self._go(max(self.at + 1, len(self.buffer) - _OVERLAP))
            if not self.more():
                self._go(len(self.buffer))
                return piece, fault
            following = self._next_begin(self.at)
        self._go(following[0])
        return piece, fault

    def junk(self) -> tuple[Piece, Fault]:
        """Return what stands where an object should, and go behind it."""
        match = _JUNK.match(self.buffer, self.at)
        piece = self._take(match.end() if match else self.at + 1)
        found = piece.text[:40]
        return piece, Fault("syntax", f"{found!r} does not belong here", "a JSON object", at=0)

    def piece(self, end: int) -> Piece:
        """Return the next piece, which ends at `end`."""
        self._number += 1
        text = without_escapes(self.buffer[self.at : end]).rstrip(" \t\r\n,")
        return Piece(self._name, self._number, self._line, self._column, text)

    def _take(self, end: int) -> Piece:
        piece = self.piece(end)
        self._go(end)
        return piece

    def _go(self, end: int) -> None:
        lines = self.buffer.count("\n", self.at, end)
        self._line += lines
        if lines:
            self._column = end - self.buffer.rfind("\n", self.at, end)
        else:
            self._column += end - self.at
        self.at = end


def _decoded(text: str) -> Any | Fault:
    if fault := encoding_fault(text):
        return fault
    try:
        return read_json(text)
    except RefusedError as error:
        return error.fault


def read_json(text: str) -> Any:
    """Return the value that `text` is; raises RefusedError.

    Stricter than Python's reader: infinities and NaN are no JSON.
    """
    if text.count("[") + text.count("{") > MAX_NESTING and _nesting(text) > MAX_NESTING:
        message = f"arrays and objects are nested more than {MAX_NESTING} deep"
        raise RefusedError(Fault("syntax", message, at=0))
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise RefusedError(Fault("syntax", message, at=error.pos)) from error
    except RefusedError:
        raise
    except ValueError as error:
        raise RefusedError(Fault("syntax", f"not JSON: {error}", at=0)) from error


def _nesting(text: str) -> int:
    steps = (_STEP.get(match[0], 0) for match in _TOKEN.finditer(text))
    return max(accumulate(steps), default=0)


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number")


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) < len(pairs):
        (key, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        message = f"the key {key[:40]!r} stands in an object twice"
        raise RefusedError(Fault("syntax", message, "each key once", at=0))
    return told


def _finite(digits: str) -> float:
    number = float(digits)
    if number in {float("inf"), float("-inf")}:
        raise ValueError(f"the number {digits[:40]} is too large")
    return number


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_each_key_once, parse_constant=_no_constant, parse_float=_finite
)
