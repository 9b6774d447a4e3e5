"""One record's text as it stands in a file, whatever its format, and problems at a place in it."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from lath.notation.errors import Fault, NotationError, Problem
from lath.notation.formats.json_fields import Steps
from lath.notation.reader import Entry
from lath.notation.record import Record

_PAD: Final = 1 << 16
"""Characters of a line before its record for which blanks stand in a problem's excerpt; a file of
one line may have a hundred million."""


class RefusedError(NotationError):
    """A piece is no record of its format; `fault` says why."""

    def __init__(self, fault: Fault, steps: Steps = ()) -> None:
        super().__init__(fault.message)
        self.fault = fault
        self.steps = steps
        """Where it is at fault, for a format of JSON; others say it in the fault."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Where a record stands."""

    file: str
    """What problems call the file."""
    number: int
    """The record's number, from 1."""
    line: int
    """The line of the file on which it begins, from 1."""
    column: int
    """In characters, from 1."""
    text: str

    def holding(self, record: Record) -> Entry:
        """Return the entry of a piece that is a record."""
        return Entry(self.number, self.line, record, (), self.text)

    def refused(self, fault: Fault) -> Entry:
        """Return the entry of a piece that is none."""
        return Entry(self.number, self.line, None, self.problems([fault]), self.text)

    def problems(self, faults: Iterable[Fault]) -> tuple[Problem, ...]:
        """Return the faults of a piece as problems at their places in the file."""
        lines = self.text.split("\n")
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        return tuple(self._problem(fault, lines, starts) for fault in faults)

    def _problem(self, fault: Fault, lines: Sequence[str], starts: Sequence[int]) -> Problem:
        at = min(fault.at or 0, len(self.text))
        index = bisect(starts, at) - 1
        source = lines[index].rstrip("\r")
        before = 0 if index else self.column - 1
        return Problem(
            file=self.file,
            line=self.line + index,
            column=before + at - starts[index] + 1,
            code=fault.code,
            message=fault.message,
            expected=fault.expected,
            record=self.number,
            ply=fault.ply,
            source=" " * before + source if before < _PAD else source,
        )


def encoding_fault(text: str) -> Fault | None:
    """Return the fault of a text decoded with `surrogateescape`; None where all bytes are UTF-8."""
    if text.isascii():
        return None
    for at, letter in enumerate(text):
        if "\udc80" <= letter <= "\udcff":
            byte = f"byte 0x{ord(letter) - 0xDC00:02x}"
            return Fault("encoding", f"{byte} is not UTF-8", "UTF-8 text", at=at)
    return None


def without_escapes(text: str) -> str:
    """Return such a text with a replacement character for every byte that is not UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
