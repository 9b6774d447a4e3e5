"""Hex, by Piet Hein, 1942, and John Nash, 1948.

Red and blue place stones in turn on empty cells. Red wins by connecting the left side with the
right side, and blue by connecting the top with the bottom. A draw is impossible.
"""

from __future__ import annotations

from lath.games.board import rhombus
from lath.games.core import Outcome
from lath.games.parameters import Parameter
from lath.games.simple import SimpleGame, State


class Hex(SimpleGame):
    """The rules."""

    id, title, credit = "hex", "Hex", "Piet Hein, 1942"
    colours = ("red", "blue")
    symmetric = "half"
    side_owners = (1, 0, 1, 0)
    parameters = (Parameter("size", 9, range(3, 15), "cells on a side of the board"),)

    def __init__(self, size: int = 9) -> None:
        self.board = rhombus(size)

    def legal(self, state: State) -> list[str]:
        """Return the empty cells."""
        return state.names(state.empty)

    def every_move(self) -> tuple[str, ...]:
        """Return all cells."""
        return self.board.names

    def after(self, state: State, move: str) -> State:
        """Return the position with one more stone."""
        return state.put(move)

    def ending(self, state: State) -> Outcome | None:
        """Return that the last player has connected two sides, or None."""
        top, right, bottom, left = self.board.sides
        ends = (left, right) if state.mover else (top, bottom)
        return state.won("sides connected") if self.board.connects(state.theirs, *ends) else None


GAME = Hex()
