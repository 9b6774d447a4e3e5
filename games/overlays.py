"""The overlays that games draw on positions for people: sizes of groups and lines of sight.

An overlay names the pieces; the functions here compute its cells on a board. Games list theirs in
the optional attribute `overlays`.
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
    """The size of each connected group of cells whose top pieces have the same code."""

    codes: str
    """The codes of the pieces that form groups; each code forms its own groups."""


@dataclass(frozen=True, slots=True)
class Sight:
    """The cells that a piece sees along rows and columns, or along the three axes of hexagons."""

    marker: str
    """The code of the piece that sees; it can be anywhere in a stack."""

    blockers: str
    """The codes of the pieces that block its view and are not seen themselves."""


Overlay = Groups | Sight


def of(game: Game) -> tuple[Overlay, ...]:
    """Return the game's overlays; empty if it has none."""
    return overlays_of(game)


def groups(overlay: Groups, board: Board, contents: Sequence[str]) -> list[Cells]:
    """Return the groups in the order of their first cells, each with its cells in board order.

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
    """Return the cells that each marker sees: one tuple per direction, nearest first.

    Directions without visible cells are left out.
    """

    def is_clear(cell: int) -> bool:
        return not any(code in overlay.blockers for code in contents[cell])

    return {
        cell: [
            seen
            for ray in board.rays(cell, diagonals=False)
            if (seen := tuple(takewhile(is_clear, ray)))
        ]
        for cell, content in enumerate(contents)
        if overlay.marker in content
    }
