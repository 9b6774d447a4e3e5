"""Which positions a game can reach: texts and counts that are refused, and exact searches.

The searches have a budget: a position that would take longer to refute is taken for reachable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import and_
from typing import Final

from lath.games.board import Board
from lath.games.errors import PositionError
from lath.games.stones import NUMBERS

BUDGET: Final = 20_000
"""Search steps before a position gets the benefit of the doubt."""


def read_fields(text: str, fields: Sequence[str], movers: str) -> tuple[list[str], int]:
    """Return the fields of a position's text before the mover, and the mover: 0 or 1.

    `fields` says in English what they are, `movers` has the letters of first and second. Raises
    PositionError.

    >>> read_fields("5/6/7/8/9/8/7/6/5 b", ["board"], "wb")
    (['5/6/7/8/9/8/7/6/5'], 1)
    """
    *found, mover = text.split(" ")
    if len(found) != len(fields) or mover not in tuple(movers):
        raise PositionError(
            f"position {text!r} must be {NUMBERS[len(fields) + 1]} fields: {', '.join(fields)}, "
            f"and {' or '.join(movers)} to move"
        )
    return found, movers.index(mover)


def refuse_more(count: int, most: int, what: str) -> None:
    """Raise PositionError where there are more than `most` of something."""
    if count > most:
        raise PositionError(f"{count} {what}", f"at most {most}")


def refuse_two_endings(
    shapes: Sequence[int], stones: tuple[int, int], mover: int, colours: Sequence[str], piece: str
) -> None:
    """Raise PositionError where finished shapes must have ended the game before the last turn.

    `stones` are of first and second, `piece` is what they are called.
    """
    if Board.finished(shapes, stones[mover]):
        raise PositionError(f"{colours[mover]} is to move, but has a finished line already")
    if not share_a_cell(Board.finished(shapes, stones[1 - mover])):
        raise PositionError(
            f"{colours[1 - mover]} has finished lines that no single {piece} completed"
        )


def share_a_cell(shapes: Iterable[int]) -> bool:
    """Return whether one cell is part of all `shapes`: one piece can have completed them all.

    >>> share_a_cell([0b0111, 0b1110]), share_a_cell([0b0011, 0b1100]), share_a_cell([])
    (True, False, True)
    """
    return reduce(and_, shapes, -1) != 0


def shapes_fit(shapes_at: Mapping[int, Sequence[int]], cells: int, count: int) -> bool:
    """Return whether `count` shapes fit into `cells` without touching a cell twice.

    `shapes_at` gives the shapes through each cell by its bit; all have the same size.
    """
    left = [(cells, count)]
    """States still to be looked at, the next one last: free cells, and shapes to be placed there.

    A stack of our own, for a board may be larger than calls may be nested.
    """
    seen: set[tuple[int, int]] = set()
    while left:
        state = left.pop()
        if state in seen:
            continue
        seen.add(state)
        free, wanted = state
        if wanted == 0 or len(seen) > BUDGET:
            return True
        if not free:
            continue
        low = free & -free
        if free.bit_count() > shapes_at[low][0].bit_count() * wanted:
            left.append((free ^ low, wanted))
        left += [(free ^ s, wanted - 1) for s in reversed(shapes_at[low]) if s & ~free == 0]
    return False


def path_exists(steps_from: Mapping[int, int], cells: tuple[int, int], end: int) -> bool:
    """Return whether a path visits all cells once, two sets in turn, and ends at `end`.

    `cells` are the two sets; `end` is of the first, and `steps_from` gives each cell's possible
    neighbours on the path.
    """
    left = [(end, cells[0] & ~end, cells[1])]
    """States still to be looked at, the next one last: where a walk back from `end` has come to,
    the unvisited cells of its own set, and those of the other."""
    seen: set[tuple[int, int, int]] = set()
    while left:
        state = left.pop()
        if state in seen:
            continue
        seen.add(state)
        at, here, there = state
        if not here | there or len(seen) > BUDGET:
            return True
        ways = sorted(
            Board.bits(steps_from[at] & there),
            key=lambda step: (steps_from[step] & here).bit_count(),
        )
        left += [(step, there ^ step, here) for step in reversed(ways)]
    return False
