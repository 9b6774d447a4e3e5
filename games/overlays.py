"""What a game wants drawn over a position, for people: sizes of groups, lines of sight.

An overlay says what to look for among the pieces; the board says where. Games name theirs in the
attribute `overlays`, which no game must have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from lath.games.board import Board
from lath.games.capabilities import overlays_of
from lath.games.contract import Game

Cells = tuple[int, ...]
"""Cells by their place in `Board.names`."""


@dataclass(frozen=True, slots=True)
class Groups:
    """The size of each connected group of cells whose top pieces are of one code."""

    codes: str
    """The codes of the pieces that make groups, each code by itself."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a piece sees along row and column, or along the three axes of hexagons, to the edge."""

    marker: str
    """The code of the piece that looks, wherever it lies in a stack."""

    blockers: str
    """The codes of the pieces that end its view and are not seen themselves; others do not."""


Overlay = Groups | Sight


def of(game: Game) -> tuple[Overlay, ...]:
    """Return the game's overlays; none where it names none, for games need not."""
    return overlays_of(game)


def groups(overlay: Groups, board: Board, contents: Sequence[str]) -> list[Cells]:
    """Return the groups in the order of their first cells, cells of a group in the board's order.

    >>> from lath.games.board import hexagon
    >>> groups(Groups("op"), hexagon((2, 3, 2)), ("o", "p", "oo", "", "p", "", "g"))
    [(0, 2), (1, 4)]
    """
    cells = tuple(zip(board.name, contents, strict=True))
    found = [
        tuple(board.places_in(group))
        for code in overlay.codes
        for group in board.groups(sum(bit for bit, content in cells if content.endswith(code)))
    ]
    return sorted(found)


def sight(overlay: Sight, board: Board, contents: Sequence[str]) -> dict[int, list[Cells]]:
    """Return for each cell with the marker what it sees, a tuple a direction, the nearest first.

    Directions in which it sees nothing are left out.
    """

    def is_clear(cell: int) -> bool:
        return not any(code in overlay.blockers for code in contents[cell])

    return {
        cell: [seen for ray in board.rays(cell) if (seen := tuple(takewhile(is_clear, ray)))]
        for cell, content in enumerate(contents)
        if overlay.marker in content
    }
