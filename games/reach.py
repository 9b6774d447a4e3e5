"""Tests of which positions a game can reach: text and count checks, and exact searches.

The searches have a budget. A position is accepted if the budget does not suffice to refute it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import and_
from typing import Final

from lath.games.board import Board
from lath.games.errors import PositionError

BUDGET: Final = 20_000
"""The most search steps; after them a position is accepted."""


def read_fields(text: str, fields: Sequence[str], movers: str) -> tuple[list[str], int]:
    """Return the fields of a position's text before the side to move, and that side: 0 or 1.

    `fields` names the fields for the error message. `movers` has the letters of the first and
    second player. Raises PositionError if the text has another form.

    >>> read_fields("5/6/7/8/9/8/7/6/5 b", ["board"], "wb")
    (['5/6/7/8/9/8/7/6/5'], 1)
    """
    *found, mover = text.split(" ")
    if len(found) != len(fields) or mover not in tuple(movers):
        expected = f"{', '.join(fields)}, {'/'.join(movers)} to move"
        raise PositionError(f"invalid position {text!r}", expected)
    return found, movers.index(mover)


def refuse_more(count: int, most: int, what: str) -> None:
    """Raise PositionError if `count` is more than `most`; `what` names the counted things."""
    if count > most:
        raise PositionError(f"{count} {what}", f"at most {most}")


def refuse_two_endings(
    shapes: Sequence[int], stones: tuple[int, int], mover: int, colours: Sequence[str], piece: str
) -> None:
    """Raise PositionError if finished shapes must have ended the game before the last turn.

    `stones` are those of the first and second player; `piece` is the game's word for one.
    """
    if Board.finished(shapes, stones[mover]):
        raise PositionError(f"{colours[mover]} is to move, but already has a finished line")
    if not share_a_cell(Board.finished(shapes, stones[1 - mover])):
        raise PositionError(
            f"{colours[1 - mover]} has finished lines that no single {piece} completed"
        )


def share_a_cell(shapes: Iterable[int]) -> bool:
    """Return whether all shapes share a cell, so that one piece can have completed all of them.

    >>> share_a_cell([0b0111, 0b1110]), share_a_cell([0b0011, 0b1100]), share_a_cell([])
    (True, False, True)
    """
    return reduce(and_, shapes, -1) != 0


def shapes_fit(shapes_at: Mapping[int, Sequence[int]], cells: int, count: int) -> bool:
    """Return whether `count` disjoint shapes fit into `cells`.

    `shapes_at` has the shapes through each cell by its bit; all shapes have the same size.
    """
    left = [(cells, count)]
    """The states to search, the next one last: free cells, and the number of shapes to place.

    This is an explicit stack, because a board can have more cells than Python allows nested calls.
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
    """Return whether a path visits all cells once, alternates between two sets, and ends at `end`.

    `cells` are the two sets, and `end` is in the first. `steps_from` has the possible neighbours of
    each cell on the path.
    """
    left = [(end, cells[0] & ~end, cells[1])]
    """The states to search, the next one last: the current cell of a walk back from `end`, the
    unvisited cells of its set, and those of the other set."""
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
