"""Yavalath, by Cameron Browne's program Ludi, 2007 (nestorgames).

Players take turns to place a stone on any empty cell of a hexagonal board of 61 cells. Four or more
own stones in line win. Three in line without four lose. A stone that makes both wins. The second
player's first turn can be a swap instead: the stone on the board becomes the second player's. A
full board without a result is a draw.

Source: the rulings in docs/explanation/rules.md.
"""

from __future__ import annotations

from typing import Final

from lath.games.board import Board, hexagon_of
from lath.games.core import Lesson
from lath.games.lines import LineGame
from lath.games.parameters import Parameter
from lath.games.stones import NUMBERS, SWAP, bystanders, shown_moves


class Yavalath(LineGame):
    """The rules of Yavalath."""

    id = "yavalath"
    title = "Yavalath"
    parameters = (
        Parameter("size", 5, range(3, 10), "cells on a side of the board"),
        Parameter("win", 4, range(3, 9), "length of a line that wins, or more"),
        Parameter("lose", 3, range(2, 6), "length of a line that loses, or more"),
    )
    credit = "Cameron Browne's Ludi, 2007"
    has_swap = True

    def __init__(self, size: int = 5, win: int = 4, lose: int = 3) -> None:
        super().__init__(self.board_of(size), win=win, lose=lose)

    def board_of(self, size: int) -> Board:
        """Return the board with `size` cells on a side."""
        return hexagon_of(size)

    @property
    def card(self) -> str:
        """Return the rules in a few lines."""
        return self.line_card

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """Return the lines that win and lose, a forced loss, and the swap."""
        board, win, lose = self.board, self.win, self.lose
        many, few = NUMBERS[win], NUMBERS[lose]
        longest = max(board.rows, key=len)
        row = longest[(len(longest) - win) // 2 :][:win]
        gap = row[win - lose]  # no line of `lose` on either side of it
        others = [bit for bit in row if bit != gap]
        ahead = next(line for line in self.ending_at[gap] if line & sum(row) == gap) ^ gap
        names = board.names_in
        white = [*names(sum(others)), *names(gap)]
        apart = bystanders(board, sum(row), win - 1)
        far = bystanders(board, sum(row) | ahead | board.around(ahead), win - lose - 1)
        block = [*names(ahead), *far, *names(gap)]
        losing = shown_moves(names(sum(row[:lose])), apart)[: 2 * lose - 1]
        swapped = names(longest[len(longest) // 2])
        return (
            Lesson(
                title=f"{many.capitalize()} in line win",
                words=f"White fills the gap: {many} in line, so White wins.",
                moves=shown_moves(white, apart),
                begun=2 * win - 4,
                ending=f"{many} in line",
                is_win=True,
            ),
            Lesson(
                title=f"{few.capitalize()} in line lose",
                words=f"White makes {few} in line, but not {many}, so White loses.",
                moves=losing,
                begun=2 * lose - 4,
                ending=f"{few} in line",
                is_win=False,
            ),
            Lesson(
                title="Force your opponent to lose",
                words=f"Black must block the gap, but the block makes {few} in line: Black loses.",
                moves=shown_moves(white[:-1], block),
                begun=2 * win - 5,
                ending=f"{few} in line",
                is_win=False,
            ),
            Lesson(
                title="Swap",
                words="Black's first turn may be a swap: it takes over the white stone.",
                moves=(*swapped, SWAP),
            ),
        )


GAME: Final = Yavalath()
