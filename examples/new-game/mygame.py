"""My Game, by you, this year.

On a hexagon of cells, two players place stones of their own colour in turn on any empty cell. A
player with enough stones in a line wins, or loses if lines must be avoided. A full board is a draw.

A move is a cell, such as `b2`. A position is the rows from the top of the board and the side to
move, such as `4/5/6/3w3/6/5/4 b`.
"""

# The text above is the rule card: `arena games`, `arena play` and the site show it. Change the
# rules below, and it.

from __future__ import annotations

from collections.abc import Iterable

from lath.games.board import hexagon_of
from lath.games.core import Outcome, Piece
from lath.games.errors import PositionError
from lath.games.parameters import Parameter
from lath.games.simple import SimpleGame, State


class MyGame(SimpleGame):
    """The rules: the board, the legal moves, what a move changes, and how the game ends."""

    id = "mygame"  # in records and on the command line
    title = "My Game"
    credit = "you, this year"
    colours = ("white", "black")
    # Each piece: a letter for texts, a name, a shape and a colour.
    pieces = (
        Piece("w", "white stone", "disc", "#f4f1e8"),
        Piece("b", "black stone", "disc", "#22262b"),
    )
    symmetric = "all"  # the rules are the same however the board is turned
    # What may differ: a variant is `./mygame.py:size=5,goal=avoid`. Play on the site lists some.
    parameters = (
        Parameter("size", 4, range(3, 7), "cells on a side of the board"),
        Parameter("line", 4, range(3, 6), "stones in line that end the game"),
        Parameter("goal", "make", ("make", "avoid"), "whether a line wins or loses"),
    )

    def __init__(self, size: int = 4, line: int = 4, goal: str = "make") -> None:
        if line > 2 * size - 1:  # values that do not go together
            raise ValueError(f"line is {line}, expected at most {2 * size - 1}, the longest row")
        self.goal = goal
        # Geometry: `squares(8)` makes a square board; `lines`, `neighbours` and groups are ready.
        self.board = hexagon_of(size)
        self.lines = self.board.lines(line)

    def legal(self, state: State) -> Iterable[str]:
        """Return the legal moves; the game is not over."""
        return state.names(state.empty)

    def after(self, state: State, move: str) -> State:
        """Return the position after a legal move."""
        return state.put(move)

    def ending(self, state: State) -> Outcome | None:
        """Return how the last move ended the game; None if it did not."""
        if not (lines := self.board.finished(self.lines, state.theirs)):
            return None
        return state.lost("a line", lines) if self.goal == "avoid" else state.won("a line", lines)

    def refuse(self, state: State) -> None:
        """Raise PositionError for a position that no game reaches."""
        white, black = (state.of(code).bit_count() for code in "wb")
        if white - black != state.mover:
            raise PositionError("white has as many stones as black, or one more when black moves")


GAME = MyGame()
