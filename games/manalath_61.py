"""Manalath on 61 cells, by Dieter Stein and Nestor Romeral Andres, 2012: as online servers play it.

As `manalath.py`, on a hexagon with five cells a side and with no limit to the pieces of a colour.

Source: rulebook of Manalath by nestorgames; rulings in docs/explanation/rules.md.
"""

from __future__ import annotations

from typing import Final

from lath.games.board import Board, hexagon_of
from lath.games.manalath import WIN, Manalath


class Manalath61(Manalath):
    """The rules on a board that is as its name says."""

    id = "manalath-61"
    title = "Manalath (61 cells)"
    parameters = (WIN,)

    def board_of(self, size: int) -> Board:
        """Return the board of this size, all sides being equal."""
        return hexagon_of(size)

    def supply_on(self, board: Board) -> int:
        """Return as many as there are cells."""
        return len(board.names)


GAME: Final = Manalath61()
