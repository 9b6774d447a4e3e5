"""JSON in files: its values with their places in the text, and objects in a stream.

Memory use does not grow: one object and one block of the stream. An invalid object is reported, and
reading continues with the next one.
"""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO, Final

from lath.notation.files.bounds import STEPS, STRING, TOKEN, BoundsError, value_at
from lath.notation.record.errors import Fault, RecordSyntaxError, refused
from lath.notation.tables.data import Steps, Twice
from lath.notation.text.splitting import RecordText, encoding_fault, without_escapes

MAX_VALUES: Final = 500_000
"""The most values in one record: five for each part that it may have."""


def load(text: str) -> Any:
    """Return the value of a text, with numbers as floats. Raises RecordSyntaxError.

    A duplicate key in an object is refused when its value is used.
    """
    _refuse_many(text, 0)
    try:
        # a number of 5,000 digits is an infinite float, but an error as an int
        return json.loads(text, object_pairs_hook=_marking_twice, parse_int=float)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise refused(error.pos, message, "a JSON object") from error
    except RecursionError as error:
        raise refused(0, "arrays and objects nested too deep", "a record") from error


def _marking_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        found |= {key: Twice() for key, count in counts.items() if count > 1}
    return found


def load_strictly(text: str) -> Any:
    """Return the value of a text. Raises RecordSyntaxError.

    This is stricter than `load`: duplicate keys, NaN and infinities are refused.
    """
    return _value_at(text, 0, whole=True)[0]


def _value_at(text: str, at: int, *, whole: bool = False) -> tuple[Any, int]:
    """Return the value that begins at `at`, and its end. Raises RecordSyntaxError."""
    _refuse_many(text, at)
    try:
        # other programs cut names inside a character; they are written back unchanged
        value, end = value_at(text, at, is_kept=True)
    except BoundsError as error:
        raise refused(max(error.at - at, 0), error.message, error.expected) from error
    if whole and end < len(text):
        raise refused(end, "not JSON: extra data", "its end")
    return value, end


def _refuse_many(text: str, at: int) -> None:
    """Raise RecordSyntaxError for more values than a record may have, before using memory."""
    if len(text) - at <= 2 * MAX_VALUES:
        return
    values = depth = 0
    for match in TOKEN.finditer(text, at):
        depth += STEPS.get(match[0], 0)
        values += match[0] in "{[,"
        if values > MAX_VALUES:
            raise refused(0, f"the record has more than {MAX_VALUES} values", code="size")
        if not depth:
            break


_BLANKS: Final = re.compile(r"[ \t\r\n]*")


def placed(fault: Fault, text: str, steps: Steps) -> RecordSyntaxError:
    """Return the error of a value at these steps of a JSON text."""
    return RecordSyntaxError(replace(fault, at=offset(text, steps)))


def offset(text: str, steps: Steps) -> int:
    """Return the place of a value in a JSON text; for a missing value, that of its parent."""
    at = _skipped(text, 0)
    with suppress(RecursionError):
        for step in steps:
            inner = next((place for key, place in _members(text, at) if key == step), None)
            if inner is None:
                break
            at = inner
    return at


def _members(text: str, at: int) -> Iterator[tuple[str | int, int]]:
    """Yield the key and the place of each value in the object or array at `at`."""
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


_BLOCK: Final = 1 << 18

MAX_OBJECT: Final = 16 << 20
"""The most characters of one object; a longer one is a file of another kind."""

_SHOWN: Final = 200
"""The number of characters that are kept of an object that is too long."""

_OVERLAP: Final = 100
"""The number of characters at the end of a block that may be the first half of a start."""

_DOUBT: Final = 1 << 13
"""The number of characters after which an object that seems to contain the next one is unclosed."""

_BETWEEN: Final = re.compile(r"[\s,\[\]]*")
"""The characters allowed between objects; a missing comma is not an error."""

_BRACKET: Final = re.compile(r"[\[\]]")

_JUNK: Final = re.compile(rf"(?:{STRING}|[^\n{{\[\]\"])+|\]+")
"""Text between objects that does not belong there: up to the next bracket or line."""


def objects(stream: BinaryIO, begins: re.Pattern[str]) -> Iterator[RecordText]:
    """Yield the text of each object of a stream with its value, or with its fault.

    `begins` matches the start of an object; after an unclosed object, reading continues at the next
    match.
    """
    feed = _Feed(stream, begins)
    while feed.skip_between():
        yield feed.object() if feed.buffer[feed.at] == "{" else feed.junk()
    if feed.open_arrays > 0:
        yield feed.text(feed.at, Fault("syntax", "the array is never closed", "]", at=0))


class _Feed:
    """The text of a stream, one block at a time, and the current place in it."""

    def __init__(self, stream: BinaryIO, begins: re.Pattern[str]) -> None:
        self.buffer = ""
        self.at = 0
        self.open_arrays = 0
        self._stream = stream
        self._begins = begins
        self._begin: tuple[int, int] | None = None
        self._searched = 0
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
        self._ended = False
        self._line = 1
        self._column = 1

    def more(self) -> bool:
        """Read more text and forget the text before `at`; return False at the end of the stream.

        Each call doubles the text, so that repeated scanning takes linear time.
        """
        if self._ended:
            return False
        block = self._stream.read(max(_BLOCK, len(self.buffer) - self.at))
        self._ended = not block
        self.buffer = self.buffer[self.at :] + self._decoder.decode(block, final=self._ended)
        if self._begin:
            self._begin = self._begin[0] - self.at, self._begin[1] - self.at
        self._searched -= self.at
        self.at = 0
        return True

    def skip_between(self) -> bool:
        """Go to the next object or junk; return False at the end."""
        while True:
            match = _BETWEEN.match(self.buffer, self.at)
            assert match is not None
            end = match.end()
            for bracket in _BRACKET.finditer(self.buffer, self.at, end):
                if (
                    bracket[0] == "]" and not self.open_arrays
                ):  # it closes an array that was never opened
                    end = bracket.start()
                    break
                self.open_arrays += STEPS[bracket[0]]
            self._go(end)
            if self.at < len(self.buffer):
                return True
            if not self.more():
                return False

    def object(self) -> RecordText:
        """Return the object that begins at `at`, and go to its end."""
        while True:
            following = self._next_begin(self.at + 1)
            limit = min(len(self.buffer), following[1] + _DOUBT if following else sys.maxsize)
            is_cut = limit < len(self.buffer)
            text, at = (self.buffer[self.at : limit], 0) if is_cut else (self.buffer, self.at)
            fault: Fault | None = None
            end: int | None
            try:
                value, end = _value_at(text, at)
            except RecordSyntaxError as error:
                value, fault, end = None, error.fault, _closed(text, at)
            if end is not None:
                end += self.at - at
                fault = encoding_fault(self.buffer[self.at : end]) or fault
                if fault and following:
                    end = min(end, following[0])
                return self._take(end, fault)._replace(value=value)
            if is_cut or len(self.buffer) - self.at > MAX_OBJECT or not self.more():
                return self._unclosed()

    def _next_begin(self, after: int) -> tuple[int, int] | None:
        """Return the start and end of the next certain start of an object, at `after` or later."""
        if self._begin is None or self._begin[0] < after:
            match = self._begins.search(self.buffer, max(after, self._searched))
            self._begin = match.span() if match else None
            if match is None:
                self._searched = len(self.buffer) - _OVERLAP
        return self._begin

    def _unclosed(self) -> RecordText:
        """Return the start of an unclosed object, and go to the next object."""
        fault = Fault("syntax", "the record is never closed", "}", at=0)
        following = self._next_begin(self.at + 1)
        end = following[0] if following else len(self.buffer)
        if end - self.at > MAX_OBJECT:
            fault = Fault("size", f"the record has more than {MAX_OBJECT} characters", at=0)
            end = self.at + _SHOWN
        text = self.text(end, fault)
        while following is None:
            self._go(max(self.at + 1, len(self.buffer) - _OVERLAP))
            if not self.more():
                self._go(len(self.buffer))
                return text
            following = self._next_begin(self.at)
        self._go(following[0])
        return text

    def junk(self) -> RecordText:
        """Return the text in the place of an object, and go to its end."""
        match = _JUNK.match(self.buffer, self.at)
        end = match.end() if match else self.at + 1
        found = self.text(end, None).text[:40]
        return self._take(
            end, Fault("syntax", f"{found!r} does not belong here", "a JSON object", at=0)
        )

    def text(self, end: int, fault: Fault | None) -> RecordText:
        """Return the text from `at` to `end`."""
        text = without_escapes(self.buffer[self.at : end]).rstrip(" \t\r\n,")
        return RecordText(self._line, text, fault, self._column)

    def _take(self, end: int, fault: Fault | None) -> RecordText:
        text = self.text(end, fault)
        self._go(end)
        return text

    def _go(self, end: int) -> None:
        lines = self.buffer.count("\n", self.at, end)
        self._line += lines
        if lines:
            self._column = end - self.buffer.rfind("\n", self.at, end)
        else:
            self._column += end - self.at
        self.at = end


def _closed(text: str, at: int) -> int | None:
    """Return the end of the object at `at`, found only by its brackets."""
    depth = 0
    for match in TOKEN.finditer(text, at):
        depth += STEPS.get(match[0], 0)
        if not depth:
            return match.end()
    return None
