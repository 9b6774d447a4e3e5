"""Questions that tell a position that a game can reach from one that none can.

Must not know any particular game. The exact searches here have a budget: a position that would
take longer to refute is taken for reachable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

BUDGET: Final = 20_000
"""Search steps before a position gets the benefit of the doubt."""


def share_a_cell(shapes: Sequence[int]) -> bool:
    """Return whether one cell is part of all `shapes`: one piece can have completed them all.

    >>> share_a_cell([0b0111, 0b1110]), share_a_cell([0b0011, 0b1100]), share_a_cell([])
    (True, False, True)
    """
    shared = -1
    for shape in shapes:
        shared &= shape
    return shared != 0


def shapes_fit(shapes_at: Mapping[int, Sequence[int]], cells: int, count: int) -> bool:
    """Return whether `count` shapes fit into `cells` without touching a cell twice.

    `shapes_at` gives the shapes through each cell by its bit; all have the same size.
    """
    steps = 0
    failed: set[tuple[int, int]] = set()

    def fits(left: int, wanted: int) -> bool:
        nonlocal steps
        steps += 1
        if wanted == 0 or steps > BUDGET:
            return True
        if not left or (left, wanted) in failed:
            return False
        low = left & -left
        if any(fits(left ^ s, wanted - 1) for s in shapes_at[low] if s & ~left == 0):
            return True
        if left.bit_count() > shapes_at[low][0].bit_count() * wanted and fits(left ^ low, wanted):
            return True
        failed.add((left, wanted))
        return False

    return fits(cells, count)


def path_exists(steps_from: Mapping[int, int], cells: tuple[int, int], end: int) -> bool:
    """Return whether a path visits all cells once, two sets in turn, and ends at `end`.

    `cells` are the two sets; `end` is of the first, and `steps_from` gives each cell's possible
    neighbours on the path.
    """
    steps = 0
    failed: set[tuple[int, int]] = set()

    def walks(at: int, here: int, there: int) -> bool:
        """Walk back from `at`; `here` are its own set's unvisited cells, `there` the other's."""
        nonlocal steps
        steps += 1
        if not here | there or steps > BUDGET:
            return True
        if (at, here | there) in failed:
            return False
        ways = sorted(
            (step for step in _bits(steps_from[at] & there)),
            key=lambda step: (steps_from[step] & here).bit_count(),
        )
        if any(walks(step, there ^ step, here) for step in ways):
            return True
        failed.add((at, here | there))
        return False

    return walks(end, cells[0] & ~end, cells[1])


def _bits(mask: int) -> list[int]:
    bits = []
    while mask:
        bits.append(mask & -mask)
        mask &= mask - 1
    return bits
