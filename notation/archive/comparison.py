"""Two archives side by side: which records are in both, in both but different, or in one alone.

One side is read twice, unless all of it was found in the other; the other side once. Must not
know how the outcome is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from lath.notation import parse
from lath.notation.archive.content import Difference, content, difference, key_of
from lath.notation.archive.identity import identity
from lath.notation.archive.keys import Key
from lath.notation.archive.pairing import A, B, Leftover, Pairing
from lath.notation.reader import Entry
from lath.notation.record import Record

Sound = Iterable[tuple[Entry, Record]]
"""Entries with nothing wrong with them, and their records."""


@dataclass(frozen=True, slots=True)
class Stands:
    """One record and where it stands."""

    number: int
    """In its file, from 1."""

    line: int
    """On which it begins."""

    record: Record


@dataclass(frozen=True, slots=True)
class Finding:
    """Records that belong together and differ, or one that stands alone."""

    a: Stands | None
    """None for a record that is only in B."""

    b: Stands | None
    """None for a record that is only in A."""

    difference: Difference | None
    """None for a record that stands alone."""

    @property
    def is_equal(self) -> bool:
        """Return whether there is nothing to be told of."""
        return self.difference is not None and not self.difference


class Comparison:
    """What two archives have in common; `findings` reads them, and then `equal` is right."""

    def __init__(self, *, key: Sequence[Key] = (), moves_only: bool = False) -> None:
        """`key`: what says which records belong together.

        Without it those with the same IDENTIFYING tags and start do, and, of the rest, those with
        the same moves.
        """
        self._key: Final = key
        self._moves_only: Final = moves_only
        self.equal = 0
        """Pairs of records between which there is no difference."""

    def findings(
        self, a: Callable[[], Sound], b: Callable[[], Sound], *, twice: int = A
    ) -> Iterator[Finding]:
        """Yield what is not equal, in the order of A, and what is only in B in that of B.

        Both return a side from its beginning; the side `twice` is asked again where not all of
        it has an equal.
        """
        indexed, streamed = (a, b) if twice == A else (b, a)
        with Pairing() as pairing:
            for entry, record in indexed():
                pairing.index(self._whole(entry, record), entry.number)
            for entry, record in streamed():
                if pairing.take(self._whole(entry, record)):
                    self.equal += 1
                else:
                    self._leave(pairing, B if twice == A else A, entry, record)
            with closing(pairing.unpaired()) as unpaired:
                self._leave_unpaired(pairing, twice, unpaired, indexed)
            with closing(pairing.pairs()) as pairs:
                for one, other in pairs:
                    finding = self._finding(one, other)
                    if finding.is_equal:
                        self.equal += 1
                    else:
                        yield finding

    def _leave_unpaired(
        self, pairing: Pairing, side: int, wanted: Iterator[int], read: Callable[[], Sound]
    ) -> None:
        number = next(wanted, None)
        if number is None:
            return
        for entry, record in read():
            if entry.number == number:
                self._leave(pairing, side, entry, record)
                number = next(wanted, None)
                if number is None:
                    return
        raise OSError("changed while it was read")

    def _whole(self, entry: Entry, record: Record) -> bytes:
        """Return what only records have in common that belong together and are equal."""
        if self._moves_only:
            return (key_of(record, self._key) or b"") + identity(record)
        return content(record, entry.text)

    def _leave(self, pairing: Pairing, side: int, entry: Entry, record: Record) -> None:
        leftover = Leftover(side, entry.number, entry.line, entry.text)
        pairing.leave(leftover, self._keys(record))

    def _keys(self, record: Record) -> tuple[bytes | None, ...]:
        """Return what a leftover is paired by: key and moves, key, and moves without a key."""
        key, moves = key_of(record, self._key), identity(record)
        both = None if key is None else key + moves
        return (both, key) if self._key else (both, key, moves)

    def _finding(self, a: Leftover | None, b: Leftover | None) -> Finding:
        one, other = _stands(a), _stands(b)
        differs = None
        if one and other:
            differs = difference(one.record, other.record, moves_only=self._moves_only)
        return Finding(one, other, differs)


def _stands(leftover: Leftover | None) -> Stands | None:
    if leftover is None:
        return None
    return Stands(leftover.number, leftover.line, parse(leftover.text))
