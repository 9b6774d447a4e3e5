"""Which games are finished: numbers in as little memory as they are many runs of neighbours.

Must not know where the numbers come from.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final


class Finished(AbstractSet[int]):
    """Numbers of games, kept as ranges: a million that follow each other cost no more than one.

    Stragglers cost 16 bytes each, where a set of int takes 60 and more.

    >>> finished = Finished([1, 2, 3, 7])
    >>> 3 in finished, 4 in finished, len(finished)
    (True, False, 4)
    >>> finished == {1, 2, 3, 7}
    True
    """

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        """Take numbers that rise; others raise ValueError."""
        self._starts: Final = array("q")
        self._ends: Final = array("q")
        """The first number after each range."""

        self._size = 0
        for number in numbers:
            self._append(number)

    def _append(self, number: int) -> None:
        if self._ends and number < self._ends[-1]:
            raise ValueError(f"{number} after {self._ends[-1] - 1}, expected rising numbers")
        if self._ends and number == self._ends[-1]:
            self._ends[-1] += 1
        else:
            self._starts.append(number)
            self._ends.append(number + 1)
        self._size += 1

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int):
            return False
        place = bisect_right(self._starts, number) - 1
        return place >= 0 and number < self._ends[place]

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[int]:
        for start, end in zip(self._starts, self._ends, strict=True):
            yield from range(start, end)

    def __repr__(self) -> str:
        spans = zip(self._starts, self._ends, strict=True)
        return f"Finished({', '.join(f'{start}-{end - 1}' for start, end in spans)})"

    @classmethod
    def _from_iterable(cls, numbers: Iterable[int]) -> set[int]:  # type: ignore[override]
        """Return what `|` and `-` make of it: a plain set."""
        return set(numbers)
