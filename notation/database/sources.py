"""Files of records as bundles, in order, read by one process or by several."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from lath.notation import formats
from lath.notation.database.columns import OTHER_GAME, ColumnBundle, Refusal, columns_of
from lath.notation.files.files import open_bytes
from lath.notation.files.parallel import in_order
from lath.notation.formats import is_of_another_game
from lath.notation.text.scanner import size_fault
from lath.notation.text.splitting import Chunk, Entry, RecordText, chunks, texts_of

_AT_ONCE: Final = 4 << 20
"""The bytes of text in a bundle; with fewer, the arrays would be too short to be fast."""


class Mark(NamedTuple):
    """A place in the sources, up to which all was read."""

    source: int = 0
    """The number of the source, from 0."""
    offset: int = 0
    """The bytes of decompressed text before the place; 0 in formats other than the arena's text."""
    line: int = 1
    records: int = 0
    """The number of records of the source before the place."""


@dataclass(frozen=True, slots=True)
class SourcePart:
    """A part of a source that one process converts to a bundle."""

    file: str
    chunks: Sequence[Chunk]
    """Chunks of the arena's own text."""
    texts: Sequence[RecordText | Refusal]
    """Records of another format, converted to the arena's text."""
    end: Mark
    """The start of the next part, with its records not counted yet."""


def pieces(
    path: Path, format_name: str, begin: Mark, note: Callable[[Entry], bool]
) -> Iterator[SourcePart]:
    """Yield the parts of a source from a place on. Raises OSError and FormatError.

    `note` is called with each entry of another format than the arena's text; it returns True if the
    entry is of another game and must be skipped.
    """
    with open_bytes(path) as stream:
        if format_name in formats.OF_TEXT:
            yield from _of_text(stream, str(path), begin)
        else:
            yield from _of_format(stream, str(path), format_name, begin, note)


def _of_text(stream: BinaryIO, file: str, begin: Mark) -> Iterator[SourcePart]:
    if begin.offset:
        stream.seek(begin.offset)
    some: list[Chunk] = []
    end = begin
    for chunk in chunks(stream):
        line, offset = begin.line + chunk.line - 1, begin.offset + chunk.offset
        some.append(Chunk(line, chunk.data, offset))
        end = begin._replace(line=line + chunk.data.count(b"\n"), offset=offset + len(chunk.data))
        if sum(len(each.data) for each in some) >= _AT_ONCE:
            yield SourcePart(file, some, (), end)
            some = []
    if some:
        yield SourcePart(file, some, (), end)


def _of_format(
    stream: BinaryIO, file: str, name: str, begin: Mark, note: Callable[[Entry], bool]
) -> Iterator[SourcePart]:
    texts: list[RecordText | Refusal] = []
    size = 0
    for entry in islice(formats.entries(stream, name, file, rules=False), begin.records, None):
        record = entry.record
        if record and not record.is_result_only and is_of_another_game(record):
            entry = replace(entry, other_game=record.game)  # noqa: PLW2901
        is_other = note(entry)
        if is_other:
            why = f"a record of another game: {entry.other_game}"
            texts.append(Refusal(file, len(texts) + 1, entry.line, OTHER_GAME, why))
        elif record is None or entry.problems:
            problem = entry.problems[0]
            texts.append(Refusal(file, len(texts) + 1, problem.line, problem.code, problem.message))
        else:
            text = entry.text
            texts.append(RecordText(entry.line, text, size_fault(text)))
            size += len(text)
        if size >= _AT_ONCE or len(texts) >= _AT_ONCE >> 8:
            yield SourcePart(file, (), texts, begin)
            texts, size = [], 0
    if texts:
        yield SourcePart(file, (), texts, begin)


def bundles(
    found: Iterable[SourcePart], begin: Mark, jobs: int
) -> Generator[tuple[ColumnBundle, Mark]]:
    """Yield the bundles of parts, in order, each with the start of the next one.

    `jobs` processes do the work, including this one. Raises any error of the parts.
    """
    source, records = begin.source, begin.records
    for bundle, end in in_order(_bundle, found, jobs):
        if end.source != source:
            source, records = end.source, 0
        bundle.refused = [
            refusal._replace(record=refusal.record + records) for refusal in bundle.refused
        ]
        bundle.before = records
        records += bundle.read
        yield bundle, end._replace(records=records)


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Disable the search for reference cycles in the `with` block, which saves 10% of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _bundle(piece: SourcePart) -> tuple[ColumnBundle, Mark]:
    ours = chain.from_iterable(map(texts_of, piece.chunks))
    with _no_search_for_cycles():
        bundle = columns_of(chain(ours, piece.texts), piece.file, 1)
    if piece.texts:  # the file has another text, so the problem is at the start of the record
        bundle.refused = [
            refusal._replace(line=piece.texts[refusal.record - 1].line)
            for refusal in bundle.refused
        ]
    return bundle, piece.end
