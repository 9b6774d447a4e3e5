"""A stream of records cut into the texts of single records, at empty lines before a tag.

Memory stays flat: a chunk of about a megabyte at a time, or one record that is longer. Must not
know what is in a record, except that it begins with a tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

from lath.notation.errors import Fault
from lath.notation.files import read_block

_BLOCK: Final = 1 << 20

MAX_RECORD: Final = 16 << 20
"""Bytes of one record; a longer one is a file of another kind."""

_TAG_LINE: Final = re.compile(rb"\n(?=(?:\xef\xbb\xbf)?[ \t]*\[[A-Za-z])")
"""Where a record can begin: on the next line, if the line before is empty."""

_BOUNDARY: Final = re.compile(rb"\n[ \t\r]*+\n(?=(?:\xef\xbb\xbf)?[ \t]*\[[A-Za-z])")
"""The end of a record, the empty lines after it, and the beginning of the next.

A byte order mark may stand there too, where files were joined."""

_NEXT_RECORD: Final = re.compile(r"^[ \t]*\[Game[ \t]", re.MULTILINE)
"""Where reading goes on after an error inside a record."""

_BLANKS: Final = b" \t\r\n"
"""What the grammar skips."""

_BOM: Final = b"\xef\xbb\xbf"

_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")

_NEAR_END: Final = 1 << 16
"""Bytes in which the last record of a chunk usually begins."""


class Chunk(NamedTuple):
    """A part of a stream that holds whole records."""

    line: int
    """The line of the stream on which it begins, from 1."""
    data: bytes
    offset: int = 0
    """Bytes of the stream before it, as they are when decompressed."""


class Piece(NamedTuple):
    """The text of one record, or of what stands in its place."""

    line: int
    """The line of the stream on which it begins, from 1."""
    text: str
    """Without the empty lines round it."""
    fault: Fault | None
    """What is wrong before it is even read; None where nothing is known to be."""


def chunks(stream: BinaryIO) -> Iterator[Chunk]:
    """Yield the stream in chunks, in order. Of a record that is too long only the beginning.

    Raises what reading the stream raises, after the whole records before that place.
    """
    buffer, error = read_block(stream, _BLOCK)
    offset = len(_BOM) if buffer.startswith(_BOM) else 0
    buffer = buffer[offset:]
    line, scanned = 1, 0
    ended = too_long = False
    while not ended and error is None:
        block, error = read_block(stream, _BLOCK)
        ended = not block and error is None
        buffer += block
        if ended and not too_long:
            break
        cut = _first_record(buffer, scanned) if too_long else _last_record(buffer, scanned)
        if cut:
            if not too_long:
                yield Chunk(line, buffer[:cut], offset)
            line += buffer.count(b"\n", 0, cut)
            buffer, offset = buffer[cut:], offset + cut
        elif len(buffer) > MAX_RECORD and not too_long:
            yield Chunk(line, buffer, offset)
        too_long = not cut and (too_long or len(buffer) > MAX_RECORD)
        if too_long:
            end = offset + len(buffer)
            line, buffer = _last_line(line, buffer)
            offset = end - len(buffer)
        scanned = max(0, buffer.rfind(b"\n"))
    if error is not None:
        buffer = buffer[: 0 if too_long else _last_record(buffer, 0)]
    if not too_long and (buffer or error is None):
        yield Chunk(line, buffer, offset)
    if error is not None:
        raise error


def _first_record(buffer: bytes, start: int) -> int:
    """Return where the first record after `start` begins; 0 where none does."""
    for match in _TAG_LINE.finditer(buffer, start):
        if _follows_blank_line(buffer, match.start()):
            return match.end()
    return 0


def _last_record(buffer: bytes, start: int) -> int:
    """Return where the last record after `start` begins; 0 where none does."""
    near = max(start, len(buffer) - _NEAR_END)
    for begin in (near, start):
        found = 0
        for match in _TAG_LINE.finditer(buffer, begin):
            if _follows_blank_line(buffer, match.start()):
                found = match.end()
        if found or near == start:
            return found
    return 0


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


def pieces(chunk: Chunk) -> Iterator[Piece]:
    """Yield the records of a chunk.

    Where an empty line is missing between two records, the first is at fault, and the next is read
    all the same.
    """
    for first_line, start, data in _cut(chunk):
        line, content = first_line, data.removeprefix(_BOM).strip(_BLANKS)
        if not content:
            continue
        if len(data) > MAX_RECORD:
            fault = Fault("size", f"a record of more than {MAX_RECORD} bytes", at=0)
            yield Piece(line, data[:200].decode("utf-8", "replace"), fault)
            continue
        if data[0] != content[0]:  # blanks before it
            blank = data[: data.index(content)]
            indent = blank.rpartition(b"\n")[2].removeprefix(_BOM)
            line, content = line + blank.count(b"\n"), indent + content
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            offset = chunk.offset + start + data.index(content) + error.start
            yield _not_utf8(line, content, error.start, offset)
            continue
        if text.find("[Game", 1) < 0:
            yield Piece(line, text, None)
        else:
            yield from _records_in(line, text)


def _cut(chunk: Chunk) -> Iterator[tuple[int, int, bytes]]:
    """Yield line, place in the chunk, and bytes of each record with the empty lines after it."""
    line, data, _ = chunk
    start = 0
    for match in _BOUNDARY.finditer(data):
        end = match.end()
        yield line, start, data[start:end]
        line += data.count(b"\n", start, end)
        start = end
    yield line, start, data[start:]


def _not_utf8(line: int, content: bytes, at: int, offset: int) -> Piece:
    """Return a piece with a byte at `at` that is no UTF-8, and `offset` in the whole stream."""
    text = content[:at].decode() + "\N{REPLACEMENT CHARACTER}"
    mark = " but the mark of UTF-16" if content[at : at + 2] in _UTF16 and not offset else ""
    message = f"byte 0x{content[at]:02x} at offset {offset} is not UTF-8{mark}"
    return Piece(line, text, Fault("encoding", message, "UTF-8 text", at=len(text) - 1))


def _records_in(line: int, text: str) -> Iterator[Piece]:
    """Yield the records of a text in which a tag Game may begin a second one."""
    start = 0
    for following in list(_NEXT_RECORD.finditer(text))[1:]:
        part = text[start : following.start()]
        message = "the next record follows without an empty line"
        fault = Fault("syntax", message, "an empty line between records", at=len(part.rstrip()))
        yield Piece(line, part, fault)
        line += part.count("\n")
        start = following.start()
    yield Piece(line, text[start:], None)
