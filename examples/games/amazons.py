"""The Game of the Amazons, by Walter Zamkauskas, 1988, on a board of 6x6.

An amazon moves as a chess queen, and then shoots an arrow as a queen, which stays on its cell.
Amazons and arrows block each other. A player without a move loses.

A move is the cell that an amazon leaves, the cell that it reaches, and the arrow's: `a3-c5/c1`.
"""

from __future__ import annotations

from collections.abc import Iterator

from lath.games.board import squares
from lath.games.core import Piece
from lath.games.simple import SimpleGame, State


class Amazons(SimpleGame):
    """The rules."""

    id, title, credit = "amazons", "Amazons", "Walter Zamkauskas, 1988"
    board = squares(6)
    pieces = (
        Piece("w", "white amazon", "disc", "#ffffff"),
        Piece("b", "black amazon", "disc", "#222222"),
        Piece("x", "arrow", "block", "#7a5c3a"),
    )
    rows = "1b2b1/6/b4b/w4w/6/1w2w1"
    stuck = "lost"
    symmetric = "mirror"

    def legal(self, state: State) -> Iterator[str]:
        """Yield the moves of each amazon, with each arrow."""
        bit, slides = self.board.bit, self.board.slides
        for start in state.names(state.own):
            others = state.full & ~bit[start]
            for end in state.names(slides(bit[start], others)):
                for shot in state.names(slides(bit[end], others)):
                    yield f"{start}-{end}/{shot}"

    def after(self, state: State, move: str) -> State:
        """Return the position with the amazon moved and the arrow shot."""
        path, _, shot = move.partition("/")
        return state.step(*path.split("-")).put(shot, "x")

    def ending(self, state: State) -> None:
        """Return None: only a player without a move loses."""


GAME = Amazons()
