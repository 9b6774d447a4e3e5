"""Files of records, read one record at a time: entries with their problems, or plain records.

A bad record is told of and reading goes on at the next one. Memory stays flat.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from lath.notation.errors import Fault, Problem, RecordError, RecordSyntaxError
from lath.notation.files import open_bytes
from lath.notation.pieces import Piece, chunks, pieces
from lath.notation.record import Record
from lath.notation.remarks import tag_faults
from lath.notation.replay import check
from lath.notation.scanner import scan

if TYPE_CHECKING:
    from lath.notation.parser import Parsed


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
    """What is wrong with it, in the order of its text; empty where it is sound."""
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

    With `rules` the moves are played and results, tags and annotations checked; without, only that
    the text is a record, and that its tags begin with Game and come once.
    """
    with open_bytes(path) as stream:
        yield from entries_of(stream, str(path), rules=rules)


def entries_of(stream: BinaryIO, name: str, *, rules: bool = True) -> Iterator[Entry]:
    """Yield what stands in a stream, as `entries` does; `name` is what problems call it."""
    number = 0
    for chunk in chunks(stream):
        for piece in pieces(chunk):
            number += 1
            yield entry_of(piece, name, number, rules=rules)


def entry_of(piece: Piece, name: str, number: int, *, rules: bool = True) -> Entry:
    """Return the entry of one piece, the `number`-th of the file that problems call `name`."""
    record = None if piece.fault else scan(piece.text)
    if record is not None and not any(tag_faults(record)) and not (rules and check(record)):
        return Entry(number, piece.line, record, (), piece.text)
    parsed, faults = _closely(piece, rules)
    place = _Place(name, number, piece.line, piece.text)
    problems = [place.problem(fault) for fault in faults]
    problems.sort(key=lambda problem: (problem.line, problem.column))
    return Entry(number, piece.line, parsed and parsed.record, tuple(problems), piece.text)


def _closely(piece: Piece, rules: bool) -> tuple[Parsed | None, list[Fault]]:
    """Return what Lark reads in a piece and everything that is wrong with it."""
    if piece.fault and piece.fault.code != "syntax":
        return None, [piece.fault]
    from lath.notation.parser import parse_closely  # Lark takes a while to load

    try:
        parsed = parse_closely(piece.text)
    except RecordSyntaxError as error:
        return None, [error.fault]
    if piece.fault:
        return None, [piece.fault]
    faults = list(tag_faults(parsed.record))
    if rules and not faults:
        faults += check(*parsed)
    return parsed, faults


_TAG: Final = re.compile(r'\s*+(\[\s*+([A-Za-z][A-Za-z0-9_]*+)\s*+"(?:[^"\\]|\\.)*+"\s*+\])')


@dataclass(frozen=True)
class _Place:
    """Where a record stands."""

    file: str
    number: int
    line: int
    text: str

    def problem(self, fault: Fault) -> Problem:
        at = self._offset(fault)
        index = bisect(self._line_starts, at) - 1
        return Problem(
            file=self.file,
            line=self.line + index,
            column=at - self._line_starts[index] + 1,
            code=fault.code,
            message=fault.message,
            expected=fault.expected,
            record=self.number,
            ply=fault.ply,
            source=self._lines[index],
            meant=fault.meant,
        )

    @cached_property
    def _lines(self) -> list[str]:
        """The lines; problems of one line share its text, which may be long."""
        return [line.rstrip("\r") for line in self.text.split("\n")]

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    @cached_property
    def _tags(self) -> dict[str, list[int]]:
        """Where each tag stands, for as far as the text is one of tags."""
        found: dict[str, list[int]] = {}
        end = 0
        while match := _TAG.match(self.text, end):
            found.setdefault(match[2], []).append(match.start(1))
            end = match.end()
        return found

    def _offset(self, fault: Fault) -> int:
        if fault.at is not None:
            return fault.at
        if tags := self._tags.get(fault.tag):
            # the same tag twice: the second one is the fault
            return tags[-1] if fault.code == "tag" else tags[0]
        return len(self.text.rstrip()) - len(self.text.split()[-1])  # no such tag: at the result
