"""The headers of a file: tags and results of its records, without reading the moves.

What is written as the arena writes it is only looked at: a line a tag, an empty line, the result as
the last word. Any other text is read as a whole, and the same comes of it.
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
    """What stands before the moves of a record, and what after them."""

    number: int
    """Of the record in its file, from 1; bad ones count too."""

    line: int
    """The line of the file on which it begins, from 1."""

    offset: int
    """Bytes of the file before that line, as they are when decompressed."""

    tags: tuple[tuple[str, str], ...]
    """Names and values in order, as `Record` has them; empty where the text is no record."""

    result: Result
    """`*` where the text is no record."""

    problems: tuple[Problem, ...] = ()
    """What is wrong with the text; of its moves nothing is known."""

    def tag(self, name: str, default: str = "") -> str:
        """Return a tag's value; `default` where it is missing."""
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
        """Return the name of who makes the first decision; `?` where it is missing or empty."""
        return self.tag("First") or "?"

    @property
    def second(self) -> str:
        """Return the opponent's name; `?` where it is missing or empty."""
        return self.tag("Second") or "?"

    @property
    def termination(self) -> str:
        """Return why the game ended, a value of Termination; empty where it is not said."""
        return self.tag("Termination")


def headers(path: str | Path) -> Iterator[Header]:
    """Yield the headers of a file, lazily, several times as fast as its records are read.

    A bad one has its problems and no tags, and reading goes on. `-` is standard input. Raises
    OSError.
    """
    with open_bytes(path) as stream:
        yield from headers_of(stream, str(path))


def headers_of(stream: BinaryIO, name: str) -> Iterator[Header]:
    """Yield the headers of a stream, as `headers` does; `name` is what problems call it."""
    return (header for header, _ in unread(stream, name))


def unread(stream: BinaryIO, name: str) -> Iterator[tuple[Header, bytes | Entry]]:
    """Yield each header with its record: the bytes, if no more has been read, or the entry."""
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
    """Yield the records of a chunk, each after the offset of the line on which it begins."""
    line, at = chunk.line, 0
    for text in texts_of(chunk):
        while line < text.line:
            at, line = chunk.data.index(b"\n", at) + 1, line + 1
        yield chunk.offset + at, text
