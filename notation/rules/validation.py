"""The problems of a record, and of whole files with exact counts, on one or several cores.

`quick_check` counts the plies of valid records; `reading` makes an entry of each other record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, Final

from lath.notation.files.files import open_bytes
from lath.notation.files.parallel import in_order
from lath.notation.record.errors import Fault, Problem
from lath.notation.record.record import Record, require_record, tag_faults, text_faults
from lath.notation.rules.origins import OtherRules
from lath.notation.rules.quick_check import plies_of
from lath.notation.rules.reading import entries_of, entry_of
from lath.notation.rules.replay import faults_of
from lath.notation.text.splitting import Chunk, chunks, texts_of
from lath.notation.text.writer import format_record


def check(record: Record) -> list[Fault]:
    """Return the faults of a record; an empty list if it is valid.

    A record is valid if its text reads back as an equal record, its tags are valid, its moves are
    legal, and the results of tags, moves and rules agree. If it cannot be written as text, the
    rules are not checked.

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
    """Yield the faults if the text of a record does not read back as an equal record."""
    found = list(entries_of(BytesIO(format_record(record).encode()), "", rules=False))
    problems = [problem for entry in found for problem in entry.problems]
    yield from (Fault(one.code, one.message, one.expected, ply=one.ply) for one in problems)
    if not problems and [entry.record for entry in found] != [record]:
        yield Fault(
            "field",
            "the text of the record reads back as a different record",
            "plain text in its values",
        )


@dataclass(frozen=True, slots=True)
class Findings:
    """The result of checking a part of a file."""

    records: int = 0
    bad: int = 0
    """The number of records with a problem."""
    plies: int = 0
    """The number of plies in the main lines of all readable records."""
    problems: tuple[Problem, ...] = ()
    """The problems in order."""
    other_rules: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """The counts of `OtherRules`."""


def validate(path: str | Path, *, jobs: int = 1) -> Iterator[Findings]:
    """Yield the findings of a file part by part, in order, checked by `jobs` processes.

    `-` is standard input. Memory use does not grow: a few parts of about a megabyte. Raises
    OSError.
    """
    with open_bytes(path) as stream:
        yield from validate_stream(stream, str(path), jobs=jobs)


def validate_stream(stream: BinaryIO, name: str, *, jobs: int = 1) -> Iterator[Findings]:
    """Yield the findings of a stream, as `validate` does; problems call the stream `name`."""
    number = 0
    for found in in_order(partial(validate_chunk, name=name), chunks(stream), jobs, may_fork=True):
        yield replace(
            found, problems=tuple([replace(p, record=p.record + number) for p in found.problems])
        )
        number += found.records


def validate_chunk(chunk: Chunk, name: str) -> Findings:
    """Return the findings of a chunk; its records are numbered from 1."""
    records = bad = plies = 0
    problems: list[Problem] = []
    others = OtherRules()
    others.see_chunk(chunk)
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
    return Findings(records, bad, plies, tuple(problems), dict(others.counts))


_TOGETHER: Final = 128
"""The number of records that are played together; more would not fit the processor's caches."""
