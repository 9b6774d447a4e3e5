"""My Game, by you, this year.

On a hexagon of cells, two players place stones of their own colour in turn on any empty cell. A
player with enough stones in a line wins, or loses if lines must be avoided. A full board is a draw.

A move is a cell, such as `b2`. A position is the rows from the top of the board and the side to
move, such as `4/5/6/3w3/6/5/4 b`.
"""

# The text above is the rule card: `arena games`, `arena play` and the site show it. Change the
# rules below, and it.

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lath.games.board import hexagon_of
from lath.games.core import Move, Outcome, Piece, require_legal
from lath.games.errors import PositionError
from lath.games.parameters import Parameter
from lath.games.reach import read_fields, refuse_more, share_a_cell
from lath.games.stones import DRAWN, LOST, OPEN, WON, Judged, Turning


class MyGame(Turning):  # `Turning`: the rules are the same however the board is turned
    """The rules: the board, how games begin, and how positions and moves are written."""

    id = "mygame"  # in records and on the command line
    title = "My Game"
    credit = "you, this year"
    colours = ("white", "black")
    # Each piece: a letter for texts, a name, a shape and a colour.
    pieces = (
        Piece("w", "white stone", "disc", "#f4f1e8"),
        Piece("b", "black stone", "disc", "#22262b"),
    )
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
        # Every move that there can be, and what to say of a text that is none.
        self.moves = {name: Move(name) for name in self.board.names}
        self.expected = f"expected a cell from a1 to {self.board.names[-1]}, such as b2"

    def start(self, setup: str | None = None) -> MyPosition:
        """Return the empty board; raises SetupError for any setup."""
        if setup is not None:
            self.canonical_setup(setup)  # which refuses it
        return MyPosition(self, 0, 0)

    def position(self, text: str) -> MyPosition:
        """Return the position of a text; raises PositionError for one that no game reaches."""
        (rows,), mover = read_fields(text, ["board"], "wb")
        cells = self.board.read_rows(rows, "wb")
        found = MyPosition(self, cells["w"], cells["b"])
        refuse_more(found.black.bit_count(), found.white.bit_count(), "black stones")
        if found.mover != mover:
            raise PositionError("white has as many stones as black, or one more when black moves")
        lines = [self.board.finished(self.lines, stones) for stones in (found.white, found.black)]
        if lines[found.mover] or not share_a_cell(lines[1 - found.mover]):
            raise PositionError("a line must have ended the game before")
        return found


class _Fields(NamedTuple):
    game: MyGame
    white: int  # cells as the bits of a number
    black: int


class MyPosition(_Fields, Judged):  # `Judged`: what follows of `mover` and `verdict`
    """A position; playing returns a new one."""

    __slots__ = ()

    @property
    def mover(self) -> int:
        """Return who is to move: 0 or 1."""
        return (self.white | self.black).bit_count() % 2

    def line(self) -> list[int]:
        """Return the lines of who has moved last."""
        last = self.white if self.mover else self.black
        return self.game.board.finished(self.game.lines, last)

    @property
    def verdict(self) -> int:
        """Return the result of the last turn for its player; this is where the game ends."""
        if self.line():
            return WON if self.game.goal == "make" else LOST
        return DRAWN if self.white | self.black == self.game.board.full else OPEN

    def outcome(self) -> Outcome | None:
        """Return the winner and the reason; None if the game is not over."""
        if line := self.line():
            is_loss = self.game.goal == "avoid"
            winner = self.to_move if is_loss else self.to_move.other
            cells = self.game.board.names_of(line)
            return Outcome(winner, "a line", cells, is_loss=is_loss)
        return Outcome(None, "board full") if self.is_over else None

    def legal_moves(self) -> tuple[Move, ...]:
        """Return every legal move; none once the game is over."""
        free = 0 if self.is_over else self.game.board.full & ~(self.white | self.black)
        return tuple(map(Move, self.game.board.names_in(free)))

    def why_illegal(self, move: Move) -> str | None:
        """Return why a move may not be played, in the game's words; None when it may."""
        if move in self.legal_moves():
            return None
        return "the game is over" if self.is_over else f"{move} is not an empty cell"

    def play(self, move: Move) -> MyPosition:
        """Return the position after a move; raises IllegalMoveError."""
        require_legal(self, move)
        bit = self.game.board.bit[move]
        if self.mover == 0:
            return self._replace(white=self.white | bit)
        return self._replace(black=self.black | bit)

    def turned(self, mask: Callable[[int], int]) -> MyPosition:
        """Return the same position with each set of cells where `mask` says: for symmetries."""
        return self._replace(white=mask(self.white), black=mask(self.black))

    def text(self) -> str:
        """Return the whole position as `MyGame.position` reads it."""
        rows = self.game.board.format_rows({"w": self.white, "b": self.black})
        return f"{rows} {'wb'[self.mover]}"

    def contents(self) -> tuple[str, ...]:
        """Return what lies on each cell: boards are drawn from this."""
        return self.game.board.contents([("w", self.white), ("b", self.black)])


GAME = MyGame()
