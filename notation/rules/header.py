"""The headers of a file: tags and results of its records, without reading the moves.

A record in the arena's own form is read quickly: one tag per line, an empty line, and the result as
the last word. Any other text is read completely, with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from lath.games.core import Result
from lath.notation.files.files import open_bytes
from lath.notation.record.errors import Problem
from lath.notation.rules.reading import entry_of
from lath.notation.text.scanner import head_of
from lath.notation.text.splitting import (
    MAX_RECORD,
    Chunk,
    Entry,
    RecordText,
    chunks,
    cuts,
    texts_of,
)


class Header(NamedTuple):
    """The tags of a record before its moves, and the result after them."""

    number: int
    """The number of the record in its file, from 1; invalid records count too."""

    line: int
    """The line of the file on which it begins, from 1."""

    offset: int
    """The offset of that line in bytes of the decompressed file."""

    tags: tuple[tuple[str, str], ...]
    """Names and values in order, as in `Record`; empty if the text is not a record."""

    result: Result
    """`*` if the text is not a record."""

    problems: tuple[Problem, ...] = ()
    """The problems of the text; its moves were not checked."""

    def tag(self, name: str, default: str = "") -> str:
        """Return a tag's value; `default` if the tag is missing."""
        for known, value in self.tags:
            if known == name:
                return value
        return default

    @property
    def game(self) -> str:
        """Return the id of the game."""
        return self.tag("Game")

    @property
    def first(self) -> str:
        """Return the name of the first player; `?` if it is missing or empty."""
        return self.tag("First") or "?"

    @property
    def second(self) -> str:
        """Return the name of the second player; `?` if it is missing or empty."""
        return self.tag("Second") or "?"

    @property
    def termination(self) -> str:
        """Return the reason why the game ended, a value of Termination; empty if it is missing."""
        return self.tag("Termination")


def headers(path: str | Path) -> Iterator[Header]:
    """Yield the headers of a file lazily, several times as fast as its records.

    An invalid header has problems and no tags, and reading continues. `-` is standard input. Raises
    OSError if the file cannot be read.
    """
    with open_bytes(path) as stream:
        yield from headers_of(stream, str(path))


def headers_of(stream: BinaryIO, name: str) -> Iterator[Header]:
    """Yield the headers of a stream, as `headers` does; problems call the stream `name`."""
    return (header for header, _ in unread(stream, name))


def unread(stream: BinaryIO, name: str) -> Iterator[tuple[Header, bytes | Entry]]:
    """Yield each header with its record: its bytes if only they were read, or else its entry."""
    number = 1
    for chunk in chunks(stream):
        for line, start, data in cuts(chunk):
            if len(data) <= MAX_RECORD and (seen := head_of(data)):
                yield Header(number, line, chunk.offset + start, *seen), data
                number += 1
                continue
            for offset, text in texts_at(Chunk(line, data, chunk.offset + start)):
                entry = entry_of(text, name, number, rules=False)
                record = None if entry.problems else entry.record
                tags, result = (record.tags, record.result) if record else ((), Result.UNFINISHED)
                yield Header(number, text.line, offset, tags, result, entry.problems), entry
                number += 1


def texts_at(chunk: Chunk) -> Iterator[tuple[int, RecordText]]:
    """Yield the records of a chunk, each with the offset of the line on which it begins."""
    line, at = chunk.line, 0
    for text in texts_of(chunk):
        while line < text.line:
            at, line = chunk.data.index(b"\n", at) + 1, line + 1
        yield chunk.offset + at, text
