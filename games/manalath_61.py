"""Manalath on 61 cells, by Dieter Stein and Nestor Romeral Andres, 2012: the online variant.

The rules are those of `manalath.py` on a hexagon with five cells per side. The number of pieces of
each colour is not limited.

Source: rulebook of Manalath by nestorgames. Rulings are in docs/explanation/rules.md.
"""

from __future__ import annotations

from typing import Final

from lath.games.board import Board, hexagon_of
from lath.games.manalath import WIN, Manalath


class Manalath61(Manalath):
    """The rules on the regular hexagon."""

    id = "manalath-61"
    title = "Manalath (61 cells)"
    parameters = (WIN,)

    def board_of(self, size: int) -> Board:
        """Return the regular hexagon with `size` cells per side."""
        return hexagon_of(size)

    def supply_on(self, board: Board) -> int:
        """Return the number of cells, so that pieces never run out."""
        return len(board.names)


GAME: Final = Manalath61()
