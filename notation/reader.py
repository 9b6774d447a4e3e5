"""Files of records, read one record at a time: entries with their problems, or plain records.

Memory stays flat: one record and one block of the file. A bad record is told of and reading goes
on at the next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from notation.errors import Fault, Problem, RecordError
from notation.files import open_bytes
from notation.parser import RecordSyntaxError, parse, tag_faults
from notation.record import Record
from notation.replay import check

_BLOCK: Final = 1 << 20

MAX_RECORD: Final = 16 << 20
"""Bytes of one record; a longer one is a file of another kind."""

_TAG_LINE: Final = re.compile(rb"\n(?=[ \t]*\[[A-Za-z])")
"""Where a record can begin: on the next line, if the line before is empty."""

_NEXT_RECORD: Final = re.compile(r"^[ \t]*\[Game[ \t]", re.MULTILINE)
"""Where reading goes on after an error inside a record."""

_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Entry:
    """One record of a file, or what stands there instead."""

    number: int
    """From 1."""
    line: int
    """The line of the file on which it begins, from 1."""
    record: Record | None
    """None where the text is not a record."""
    problems: tuple[Problem, ...]
    """What is wrong with it; empty where it is sound."""
    text: str = ""
    """The record as it stands in the file, without the empty lines round it."""


def read(path: str | Path) -> Iterator[Record]:
    """Yield the records of a file, lazily; `-` is standard input.

    The moves are not played: `notation.check` does that. Raises OSError and RecordError, which
    says what is wrong, where.
    """
    for entry in entries(path, rules=False):
        if entry.record is None or entry.problems:
            raise RecordError(entry.problems[0])
        yield entry.record


def entries(path: str | Path, *, rules: bool = True) -> Iterator[Entry]:
    """Yield what stands in a file record by record, with its problems; raises OSError.

    With `rules` the moves are played and results, tags and annotations checked; without, only the
    syntax is.
    """
    with open_bytes(path) as stream:
        yield from entries_of(stream, str(path), rules=rules)


def entries_of(stream: BinaryIO, name: str, *, rules: bool = True) -> Iterator[Entry]:
    """Yield what stands in a stream, as `entries` does; `name` is what problems call it."""
    number = 0
    for line, piece in _pieces(stream):
        for inner_line, text, fault in _records_in(piece):
            number += 1
            yield _entry(_Place(name, number, line + inner_line, text), fault, rules)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a record stands."""

    file: str
    number: int
    line: int
    text: str

    def problem(self, fault: Fault) -> Problem:
        at = self._offset(fault)
        start = self.text.rfind("\n", 0, at) + 1
        end = self.text.find("\n", at)
        source = self.text[start : len(self.text) if end < 0 else end].rstrip("\r")
        return Problem(
            file=self.file,
            line=self.line + self.text.count("\n", 0, at),
            column=at - start + 1,
            code=fault.code,
            message=fault.message,
            expected=fault.expected,
            record=self.number,
            ply=fault.ply,
            source=source,
        )

    def _offset(self, fault: Fault) -> int:
        if fault.at is not None:
            return fault.at
        tags = list(re.finditer(rf"\[[ \t]*{re.escape(fault.tag)}[ \t]", self.text))
        if tags:
            # the same tag twice: the second one is the fault
            return tags[-1].start() if fault.code == "tag" else tags[0].start()
        return len(self.text.rstrip()) - len(self.text.split()[-1])  # no such tag: at the result


def _entry(place: _Place, fault: Fault | None, rules: bool) -> Entry:
    record = None
    faults: list[Fault] = []
    if fault is None:
        try:
            record = parse(place.text)
        except RecordSyntaxError as error:
            fault = error.fault
    if record is None:
        assert fault is not None
        faults = [fault]
    else:
        faults += tag_faults(record)
        if rules and not faults:
            faults += check(record)
    problems = tuple(place.problem(fault) for fault in faults)
    return Entry(place.number, place.line, record, problems, place.text)


def _records_in(piece: bytes) -> Iterator[tuple[int, str, Fault | None]]:
    """Yield line, text and, where it cannot even be parsed, the fault of each record of a piece.

    A piece is one record unless an empty line is missing; then the first is at fault, and the
    next is read all the same.
    """
    if len(piece) > MAX_RECORD:
        fault = Fault("size", f"a record of more than {MAX_RECORD} bytes", at=0)
        yield 0, piece[:200].decode("utf-8", "replace"), fault
        return
    try:
        text = piece.decode("utf-8")
    except UnicodeDecodeError as error:
        text = piece[: error.start].decode("utf-8") + "\N{REPLACEMENT CHARACTER}"
        byte = f"byte 0x{piece[error.start]:02x}"
        fault = Fault("encoding", f"{byte} is not UTF-8", "UTF-8 text", at=len(text) - 1)
        yield 0, text, fault
        return
    start = 0
    for following in list(_NEXT_RECORD.finditer(text))[1:]:
        part = text[start : following.start()]
        yield text.count("\n", 0, start), part, _missing_blank(part)
        start = following.start()
    yield text.count("\n", 0, start), text[start:], None


def _missing_blank(part: str) -> Fault | None:
    """Return the fault of a record that the next follows without an empty line between."""
    try:
        parse(part)
    except RecordSyntaxError as error:
        return error.fault
    message = "the next record follows without an empty line"
    return Fault("syntax", message, "an empty line between records", at=len(part.rstrip()))


def _pieces(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the parts of a stream between empty lines before tags, and the lines they begin on.

    Of a part that is too long only the beginning is yielded, so that memory stays flat.
    """
    buffer = stream.read(_BLOCK).removeprefix(_BOM)
    line = 1
    scanned = 0
    ended = too_long = False
    while not ended:
        block = stream.read(_BLOCK)
        ended = not block
        buffer += block
        start = 0
        for match in _TAG_LINE.finditer(buffer, scanned):
            if not _follows_blank_line(buffer, match.start()):
                continue
            if not too_long:
                yield from _stripped(line, buffer[start : match.end()])
            too_long = False
            line += buffer.count(b"\n", start, match.end())
            start = match.end()
        buffer = buffer[start:]
        if len(buffer) > MAX_RECORD and not too_long:
            yield from _stripped(line, buffer)
            too_long = True
        if too_long:
            line, buffer = _last_line(line, buffer)
        scanned = max(0, buffer.rfind(b"\n"))
    if not too_long:
        yield from _stripped(line, buffer)


def _stripped(line: int, piece: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield a piece without the empty lines round it; nothing where there is nothing else.

    One that is too long stays as it is.
    """
    content = piece.lstrip()
    if len(piece) > MAX_RECORD:
        yield line, piece
    elif content:
        blank = piece[: len(piece) - len(content)]
        indent = len(blank) - blank.rfind(b"\n") - 1
        yield line + blank.count(b"\n"), piece[len(blank) - indent :].rstrip()


def _last_line(line: int, buffer: bytes) -> tuple[int, bytes]:
    """Return what is needed of a part that is too long to find its end, and the line it is on."""
    end = buffer.rfind(b"\n")
    if end < 0 or len(buffer) - end > _BLOCK:
        return line + buffer.count(b"\n"), b"."
    before = b"" if _follows_blank_line(buffer, end) else b"."
    return line + buffer.count(b"\n", 0, end), before + buffer[end:]


def _follows_blank_line(buffer: bytes, line_end: int) -> bool:
    """Return whether the line that ends at `line_end` is empty, or the buffer begins there."""
    before = line_end
    while before and buffer[before - 1] in b" \t\r":
        before -= 1
    return before == 0 or buffer[before - 1] == ord("\n")
