"""Streams split into the texts of single records; `scanner` reads each text.

Memory use does not grow: one chunk of about a megabyte at a time, or one longer record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, BinaryIO, Final, NamedTuple

from lath.notation.files.files import read_block
from lath.notation.record.errors import (
    Fault,
    Problem,
)
from lath.notation.record.record import Record
from lath.notation.text.scanner import least_excess, size_fault
from lath.notation.tokens import BEGINNING, BLANKS, TAG

_BLOCK: Final = 1 << 20  # bytes of a stream that are read at once

MAX_RECORD: Final = 16 << 20
"""The most bytes of one record; a longer one is a file of another kind."""

_SHOWN: Final = 200
"""The number of bytes or characters that are kept of a text that is too long."""

_END: Final = re.compile("\n[ \t\r]*+\n(?=(?:\ufeff)?[ \t]*\\[[ \t]*+[A-Za-z])")
"""The end of a record, the empty lines after it, and the start of the next.

A byte order mark is possible there, if files were joined.
"""

_BOUNDARY: Final = re.compile(_END.pattern.encode())
"""The boundary as an expression for bytes."""

_MARK: Final = "\N{BYTE ORDER MARK}"
_BOM: Final = _MARK.encode()


class Chunk(NamedTuple):
    """A part of a stream that contains whole records."""

    line: int
    """The line of the stream on which it begins, from 1."""
    data: bytes
    offset: int = 0
    """The number of bytes of the decompressed stream before it."""


class RecordText(NamedTuple):
    """The text of one record, or of an invalid one."""

    line: int
    """The line of the stream on which it begins, from 1."""
    text: str
    """The text without the empty lines around it."""
    fault: Fault | None = None
    """The fault found before reading the text, or None."""
    column: int = 1
    """The column in characters, from 1."""
    value: Any = None
    """The data that a format has already read from the text."""

    def entry(
        self, name: str, number: int, record: Record | None, faults: Sequence[Fault]
    ) -> Entry:
        """Return the entry of the `number`-th text of a file that problems call `name`."""
        if not faults:
            return Entry(number, self.line, record, (), self.text)
        problems = []
        index = start = seen = (
            0  # the line, from 0, its start, and the place up to which lines were counted
        )
        source = ""
        for at, fault in self._in_order(faults):
            if (found := self.text.rfind("\n", seen, at)) >= 0:
                index += self.text.count("\n", seen, at)
                start, source = found + 1, ""
            seen = at
            before = 0 if index else self.column - 1
            if not source:  # problems of one line share its text, which may be long
                # spaces for the text before the record; in a file of one line that may be long
                blanks = " " * before if before < 1 << 16 else ""
                end = self.text.find("\n", start)
                source = blanks + self.text[start : None if end < 0 else end].rstrip("\r")
            problems.append(
                Problem(
                    file=name,
                    line=self.line + index,
                    column=before + at - start + 1,
                    code=fault.code,
                    message=fault.message,
                    expected=fault.expected,
                    record=number,
                    ply=fault.ply,
                    source=source,
                    meant=fault.meant,
                )
            )
        return Entry(number, self.line, record, tuple(problems), self.text)

    def _in_order(self, faults: Sequence[Fault]) -> list[tuple[int, Fault]]:
        """Return the faults in the order of their places, each with its place."""
        tags = _tag_places(self.text) if any(fault.at is None for fault in faults) else {}
        placed = []
        for fault in faults:
            at = fault.at
            if (
                at is None
            ):  # of two equal tags the second is at fault; a fault without a tag is at the end
                where = tags.get(fault.tag) or [self.text.rindex(self.text.split()[-1])]
                at = where[-1 if fault.code == "tag" else 0]
            placed.append((at, fault))
        return sorted(placed, key=itemgetter(0))


_BEGINNING: Final = re.compile(rf"^[ \t]*{re.escape(BEGINNING)}[ \t]", re.MULTILINE)
_TAG: Final = re.compile(rf"{TAG}{BLANKS}")


def _tag_places(text: str) -> dict[str, list[int]]:
    """Return the places of each tag, as long as the text consists of tags."""
    found: dict[str, list[int]] = {}
    end = len(text) - len(text.lstrip())
    while match := _TAG.match(text, end):
        found.setdefault(match[1], []).append(match.start())
        end = match.end()
    return found


def texts_by_line(
    stream: BinaryIO, begins: Callable[[bytes], bool], *, fallback: str = ""
) -> Iterator[RecordText]:
    """Yield the texts of a stream; each begins at a line for which `begins` returns True.

    Lines before the first such line form a text too. Texts that are too long are cut. A text that
    is not UTF-8 is decoded with the encoding `fallback`, which becomes its `value`.
    """
    lines: list[bytes] = []
    first, size = 1, 0
    for number, line in enumerate(_lines(stream), 1):
        if begins(line) and lines:  # called for each line, because `begins` may count lines
            yield _decoded(first, b"".join(lines), fallback)
            lines, size = [], 0
        if not lines:
            first = number
        if size <= MAX_RECORD and (lines or not line.isspace()):
            lines.append(line)
            size += len(line)
    if lines:
        yield _decoded(first, b"".join(lines), fallback)


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines with their ends; a line of more than MAX_RECORD bytes is cut."""
    line = stream.readline(MAX_RECORD + 2).removeprefix(_BOM)
    while line:
        yield line
        while not line.endswith(b"\n") and (line := stream.readline(_BLOCK)):
            pass  # skip the rest of a line that is too long
        line = stream.readline(MAX_RECORD + 2)


def _decoded(line: int, data: bytes, fallback: str = "") -> RecordText:
    if len(data.rstrip(b"\r\n")) > MAX_RECORD:
        return _too_long(line, data)
    text = data.rstrip().decode("utf-8", "surrogateescape")
    if fallback and b"\0" not in data and encoding_fault(text):
        return RecordText(line, data.rstrip().decode(fallback, "replace"), value=fallback)
    return RecordText(line, without_escapes(text), encoding_fault(text))


def _too_long(line: int, data: bytes) -> RecordText:
    fault = Fault("size", f"the record has more than {MAX_RECORD} bytes", at=0)
    return RecordText(line, data.removeprefix(_BOM)[:_SHOWN].decode("utf-8", "replace"), fault)


def encoding_fault(text: str) -> Fault | None:
    """Return the fault of a text decoded with `surrogateescape`; None if all bytes are UTF-8."""
    if not text.isascii() and (found := re.search("[\udc80-\udcff]", text)):
        message = f"byte 0x{ord(found[0]) - 0xDC00:02x} is not UTF-8"
        return Fault("encoding", message, "UTF-8 text", at=found.start())
    return None


def without_escapes(text: str) -> str:
    """Return such a text with a replacement character for every byte that is not UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def chunks(stream: BinaryIO) -> Iterator[Chunk]:
    """Yield the stream in chunks, in order; a record that is too long is cut.

    An exception of the stream is raised after the whole records before it.
    """
    buffer, scanned = b"", 0
    line, offset = 1, 0
    ended = too_long = False
    error: Exception | None = None
    while not ended:
        block, error = read_block(stream, _BLOCK)
        ended = len(block) < _BLOCK
        buffer += block
        if too_long:
            boundary = _BOUNDARY.search(buffer, scanned)
            cut = boundary.end() if boundary else max(0, len(buffer) - _BLOCK)
            too_long = boundary is None
        elif ended and error is None:
            break
        else:
            cut = _last_record(buffer, scanned)
            too_long = not cut and len(buffer) > MAX_RECORD
            if cut or too_long:
                yield Chunk(line, buffer[: cut or None], offset)
        line += buffer.count(b"\n", 0, cut)
        buffer, offset = buffer[cut:], offset + cut
        # the line before the last one may be empty, and then a record begins on the last one
        scanned = max(0, buffer.rfind(b"\n", 0, max(0, buffer.rfind(b"\n"))))
    if not too_long:
        yield Chunk(line, buffer[: None if error is None else _last_record(buffer, 0)], offset)
    if error is not None:
        raise error


def _last_record(buffer: bytes, start: int) -> int:
    """Return the place where the last record after `start` begins, or 0."""
    # the usual place is near the end
    for begin in (max(start, len(buffer) - (1 << 16)), start):
        if found := max((match.end() for match in _BOUNDARY.finditer(buffer, begin)), default=0):
            return found
    return 0


def texts_of(chunk: Chunk) -> Iterator[RecordText]:
    """Yield the records of a chunk.

    If an empty line is missing between two records, the first one is at fault, and the next is
    still read.
    """
    text, line, offset = chunk.data.decode("utf-8", "surrogateescape"), chunk.line, chunk.offset
    is_utf8 = encoding_fault(text) is None
    # in a usual chunk every tag Game is the first of its record
    is_usual = is_utf8 and text.count(BEGINNING) == (
        text.count(f"\n\n{BEGINNING}") + text.startswith(BEGINNING)
    )
    short = min(MAX_RECORD // 4, least_excess()) if is_usual else 0
    start = told = 0  # the start of the record, and the place of `offset`
    for end in [*(match.end() for match in _END.finditer(text)), len(text)]:
        part, first = text[start:end], line
        line += part.count("\n")
        content = part.rstrip(_BLANKS)
        if 0 < len(part) < short and part[0] == "[":  # the usual case
            yield RecordText(first, content)
            start = end
            continue
        content = content.removeprefix(_MARK).lstrip(_BLANKS)
        if content and part[0] != content[0]:  # spaces before it
            blank = part[: part.index(content)]
            content = blank.rpartition("\n")[2].removeprefix(_MARK) + content
            first += blank.count("\n")
        if 4 * len(part) > MAX_RECORD and len(data := _encoded(part)) > MAX_RECORD:
            yield _too_long(first, data)
        elif not is_utf8 and (fault := encoding_fault(content)):
            at = start + part.index(content) + (fault.at or 0)
            offset, told = offset + len(_encoded(text[told:at])), at
            yield _not_utf8(first, content, fault.at or 0, offset)
        elif content:
            for one in _records_in(first, content):
                size = size_fault(one.text)
                yield one._replace(text=one.text[:_SHOWN], fault=size) if size else one
        start = end


_BLANKS: Final = " \t\r\n"


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def cuts(chunk: Chunk) -> Iterator[tuple[int, int, bytes]]:
    """Yield the line, the place in the chunk, and the bytes of each record with the lines after it.

    A part can be empty. It can contain several records if an empty line is missing between them.
    """
    line, data, _ = chunk
    start = 0
    for end in (*(match.end() for match in _BOUNDARY.finditer(data)), len(data)):
        yield line, start, data[start:end]
        line += data.count(b"\n", start, end)
        start = end


def _not_utf8(line: int, content: str, at: int, offset: int) -> RecordText:
    """Return a text up to a byte at `at` that is not UTF-8; `offset` is its place in the stream."""
    text = content[:at] + "\N{REPLACEMENT CHARACTER}"
    is_utf_16 = not offset and content[at : at + 2] in ("\udcff\udcfe", "\udcfe\udcff")
    mark = " but a UTF-16 byte order mark" if is_utf_16 else ""
    message = f"byte 0x{_encoded(content[at])[0]:02x} at offset {offset} is not UTF-8{mark}"
    expected = "UTF-8 text: save the file as UTF-8" if is_utf_16 else "UTF-8 text"
    return RecordText(line, text, Fault("encoding", message, expected, at=len(text) - 1))


def _records_in(line: int, text: str) -> Iterator[RecordText]:
    """Yield the records of a text in which a tag Game may begin a second record."""
    start = 0
    for following in list(_BEGINNING.finditer(text))[1:]:
        part = text[start : following.start()]
        message = "the next record follows without an empty line"
        fault = Fault("syntax", message, "an empty line between records", at=len(part.rstrip()))
        yield RecordText(line, part, fault)
        line += part.count("\n")
        start = following.start()
    yield RecordText(line, text[start:])


@dataclass(frozen=True, slots=True)
class Entry:
    """One record of a file, or the problems of an invalid one."""

    number: int
    """The number in the file, from 1."""
    line: int
    """The line of the file on which it begins, from 1."""
    record: Record | None
    """None if the text is not a record."""
    problems: tuple[Problem, ...]
    """The problems in the order of the text; empty if the record is valid."""
    text: str = ""
    """The text of the record in the file, without the empty lines around it."""
    assumed: tuple[str, ...] = ()
    """The assumptions of the reader, in words that are equal for similar records."""
    other_game: str = ""
    """The name of its game if that is not installed and not similar to an installed one."""
    kept: tuple[str, ...] = ()
    """The lines that were not understood and kept as comments, each as `FILE:LINE`."""
