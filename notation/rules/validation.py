"""What is wrong with a record; whole files checked, exact counts, on one core or several.

Of a sound record only its plies are counted, by `quick_check`; of others `reading` makes an entry.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, Final

from lath.notation.files.files import open_bytes
from lath.notation.files.parallel import in_order
from lath.notation.record.errors import Fault, Problem
from lath.notation.record.record import Record, require_record, tag_faults, text_faults
from lath.notation.rules.quick_check import plies_of
from lath.notation.rules.reading import entries_of, entry_of
from lath.notation.rules.replay import faults_of
from lath.notation.text.splitting import Chunk, chunks, texts_of
from lath.notation.text.writer import format_record


def check(record: Record) -> list[Fault]:
    """Return what is wrong with a record; an empty list where it is sound.

    That is: its text is read back as an equal record, also from a file, its tags are right, its
    moves legal, and the results of tags, moves and rules agree. Of what has no text the rules are
    not asked.

    >>> from lath import notation
    >>> [fault.message for fault in check(notation.parse('[Game "yavalath"] 1. e5 2. e5 *'))]
    ['illegal move e5: e5 already has a stone']
    """
    require_record(record)
    return (
        list(text_faults(record))
        or list(chain(tag_faults(record), _unread(record)))
        or faults_of(record)
    )


def _unread(record: Record) -> Iterator[Fault]:
    """Yield why the text of a record is not read back as the same."""
    found = list(entries_of(BytesIO(format_record(record).encode()), "", rules=False))
    problems = [problem for entry in found for problem in entry.problems]
    yield from (Fault(one.code, one.message, one.expected, ply=one.ply) for one in problems)
    if not problems and [entry.record for entry in found] != [record]:
        yield Fault("field", "its text is read as another record", "plain text in its values")


@dataclass(frozen=True, slots=True)
class Findings:
    """What a part of a file holds."""

    records: int = 0
    bad: int = 0
    """Records with a problem."""
    plies: int = 0
    """Of the main lines of all records that could be read."""
    problems: tuple[Problem, ...] = ()
    """In order."""


def validate(path: str | Path, *, jobs: int = 1) -> Iterator[Findings]:
    """Yield what stands in a file part by part, in order, checked by `jobs` processes.

    `-` is standard input. Memory stays flat: a few parts of about a megabyte. Raises OSError.
    """
    with open_bytes(path) as stream:
        yield from validate_stream(stream, str(path), jobs=jobs)


def validate_stream(stream: BinaryIO, name: str, *, jobs: int = 1) -> Iterator[Findings]:
    """Yield what stands in a stream, as `validate` does; `name` is what problems call it."""
    number = 0
    for found in in_order(partial(validate_chunk, name=name), chunks(stream), jobs, may_fork=True):
        yield replace(
            found, problems=tuple([replace(p, record=p.record + number) for p in found.problems])
        )
        number += found.records


def validate_chunk(chunk: Chunk, name: str) -> Findings:
    """Return what a chunk holds, its records being numbered as if no chunk came before."""
    records = bad = plies = 0
    problems: list[Problem] = []
    texts = texts_of(chunk)
    while some := list(islice(texts, _TOGETHER)):
        counts = plies_of([text.text for text in some])
        for text, count in zip(some, counts, strict=True):
            records += 1
            if count is not None and not text.fault:
                plies += count
                continue
            entry = entry_of(text, name, records)
            bad += bool(entry.problems)
            problems += entry.problems
            plies += len(entry.record.plies) if entry.record else 0
    return Findings(records, bad, plies, tuple(problems))


_TOGETHER: Final = 128
"""How many records are played together: more do not stay in the processor's caches."""
