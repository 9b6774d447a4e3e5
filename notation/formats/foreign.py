"""What the formats of other programs share: texts of records, JSON in a stream, places of problems.

Must not know what the objects mean.

Memory stays flat: one object and one block of the stream. An object that is no JSON is told of,
and reading goes on at the next one. Must not know what the objects mean, but for how one begins.
"""

from __future__ import annotations

import codecs
import json
import re
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, BinaryIO, Final, NoReturn

from lath.notation.errors import Fault, NotationError, Problem
from lath.notation.reader import Entry
from lath.notation.record import Record

Steps = tuple[str | int, ...]
"""The keys and indexes that lead to a value."""


class FieldError(NotationError):
    """A value is missing, of another type or not one of those that may be."""

    def __init__(self, steps: Steps, what: str, expected: str) -> None:
        super().__init__(f"{json_path(steps)} {what}")
        self.steps = steps
        self.expected = expected


def json_path(steps: Steps) -> str:
    """Return the path as people write it.

    >>> json_path(("plies", 2, "move")), json_path(("odd key",))
    ('$.plies[2].move', '$["odd key"]')
    """
    return "$" + "".join(_step(step) for step in steps)


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if step.isidentifier():
        return f".{step}"
    return f"[{json.dumps(_short(step))}]"


def load(text: str) -> Any:
    """Return the value that a text is; raises ValueError (JSONDecodeError) and RecursionError.

    A key that stands twice in an object is refused where its value is looked at.
    """
    # the float of a number of 5000 digits is infinite, the int of it an error of its own
    return json.loads(text, object_pairs_hook=_object, parse_int=float)


class _Twice:
    """Stands in the place of the values of a key that comes twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        told |= {key: _Twice() for key, count in counts.items() if count > 1}
    return told


def as_object(
    value: Any, steps: Steps, required: Mapping[str, str], optional: Collection[str] = ()
) -> dict[str, Any]:
    """Return an object that has the required fields (with what each should be) and no unknown."""
    if type(value) is not dict:
        raise FieldError(steps, f"is {_kind(value)}", "an object")
    for key, expected in required.items():
        if key not in value:
            raise FieldError((*steps, key), "is missing", expected)
    for key, inner in value.items():
        if key not in required and key not in optional:
            known = ", ".join([*required, *optional])
            raise FieldError((*steps, key), "is an unknown field", f"one of {known}")
        if type(inner) is _Twice:
            raise FieldError((*steps, key), "stands there twice", "each field once")
    return value


def as_list(value: Any, steps: Steps) -> list[Any]:
    """Return an array."""
    if type(value) is not list:
        raise FieldError(steps, f"is {_kind(value)}", "an array")
    return value


def as_text(value: Any, steps: Steps, form: re.Pattern[str], expected: str) -> str:
    """Return a text of this form that can be written as UTF-8."""
    if type(value) is not str:
        raise FieldError(steps, f"is {_kind(value)}", expected)
    if not value.isascii() and _has_lone_surrogate(value):
        raise FieldError(steps, "has half a character (a lone surrogate)", "Unicode text")
    if not form.fullmatch(value):
        raise FieldError(steps, f"is {_short(value)!r}", expected)
    return value


def as_one_of(value: Any, steps: Steps, choices: Sequence[str]) -> str:
    """Return one of the texts that may stand there."""
    if type(value) is str and value in choices:
        return value
    found = repr(_short(value)) if type(value) is str else _kind(value)
    raise FieldError(steps, f"is {found}", f"one of {' '.join(choices)}")


def _has_lone_surrogate(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


_KINDS: Final[Mapping[type, str]] = {
    dict: "an object",
    list: "an array",
    str: "text",
    float: "a number",
    bool: "true or false",
    type(None): "null",
    _Twice: "there twice",
}


def _kind(value: Any) -> str:
    return _KINDS[type(value)]


def _short(value: str) -> str:
    return value if len(value) <= 40 else f"{value[:39]}…"


_BLANKS: Final = re.compile(r"[ \t\r\n]*")


def offset(text: str, steps: Steps) -> int:
    """Return where in a JSON text a value begins; of one that is missing, where its parent does."""
    at = _skipped(text, 0)
    with suppress(RecursionError):
        for step in steps:
            inner = next((place for key, place in _members(text, at) if key == step), None)
            if inner is None:
                break
            at = inner
    return at


def _members(text: str, at: int) -> Iterator[tuple[str | int, int]]:
    """Yield key and place of each value in the object or array that begins at `at`."""
    decode = json.JSONDecoder(parse_int=float).raw_decode
    is_object = text[at] == "{"
    at = _skipped(text, at + 1)
    index = 0
    while text[at] not in "]}":
        key: str | int = index
        if is_object:
            key, at = decode(text, at)
            at = _skipped(text, _skipped(text, at) + 1)
        yield key, at
        at = _skipped(text, decode(text, at)[1])
        if text[at] == ",":
            at = _skipped(text, at + 1)
        index += 1


def _skipped(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


_PAD: Final = 1 << 16
"""Characters of a line before its record for which blanks stand in a problem's excerpt; a file of
one line may have a hundred million."""


class RefusedError(NotationError):
    """A piece is no record of its format; `fault` says why."""

    def __init__(self, fault: Fault, steps: Steps = ()) -> None:
        super().__init__(fault.message)
        self.fault = fault
        self.steps = steps
        """Where it is at fault, for a format of JSON; others say it in the fault."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Where a record stands."""

    file: str
    """What problems call the file."""
    number: int
    """The record's number, from 1."""
    line: int
    """The line of the file on which it begins, from 1."""
    column: int
    """In characters, from 1."""
    text: str

    def holding(self, record: Record) -> Entry:
        """Return the entry of a piece that is a record."""
        return Entry(self.number, self.line, record, (), self.text)

    def refused(self, fault: Fault) -> Entry:
        """Return the entry of a piece that is none."""
        return Entry(self.number, self.line, None, self.problems([fault]), self.text)

    def problems(self, faults: Iterable[Fault]) -> tuple[Problem, ...]:
        """Return the faults of a piece as problems at their places in the file."""
        lines = self.text.split("\n")
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        return tuple(self._problem(fault, lines, starts) for fault in faults)

    def _problem(self, fault: Fault, lines: Sequence[str], starts: Sequence[int]) -> Problem:
        at = min(fault.at or 0, len(self.text))
        index = bisect(starts, at) - 1
        source = lines[index].rstrip("\r")
        before = 0 if index else self.column - 1
        return Problem(
            file=self.file,
            line=self.line + index,
            column=before + at - starts[index] + 1,
            code=fault.code,
            message=fault.message,
            expected=fault.expected,
            record=self.number,
            ply=fault.ply,
            source=" " * before + source if before < _PAD else source,
        )


def encoding_fault(text: str) -> Fault | None:
    """Return the fault of a text decoded with `surrogateescape`; None where all bytes are UTF-8."""
    if text.isascii():
        return None
    for at, letter in enumerate(text):
        if "\udc80" <= letter <= "\udcff":
            byte = f"byte 0x{ord(letter) - 0xDC00:02x}"
            return Fault("encoding", f"{byte} is not UTF-8", "UTF-8 text", at=at)
    return None


def without_escapes(text: str) -> str:
    """Return such a text with a replacement character for every byte that is not UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


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
