"""Connect Four, by Howard Wexler and Ned Strongin, 1974.

Two players drop discs of their own colour in turn into the columns of an upright board of seven
columns and six rows. A disc falls to the lowest free cell of its column and stays there. A
player with four or more discs in a line wins at once; lines are vertical, horizontal or diagonal. A
full board without such a line is a draw. Yellow begins.

A move is the letter of a column: `d`. A position is written as rows from the top of the board:
`7/7/7/7/3r3/3y3`. Yellow is to move if both have the same number of discs, otherwise red.

Source: the rules in the box (Milton Bradley, 1974).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lath.games.board import squares
from lath.games.core import IDENTITY, Move, Outcome, Piece, Symmetry, require_legal
from lath.games.errors import PositionError
from lath.games.parameters import Parameter
from lath.games.reach import BUDGET
from lath.games.stones import DRAWN, OPEN, WON, Alternating, Rules

IN_LINE = 4


class ConnectFour(Rules):
    """The rules."""

    id = "connect-four"
    title = "Connect Four"
    credit = "Howard Wexler and Ned Strongin, 1974"
    colours = ("yellow", "red")
    pieces = (
        Piece("y", "yellow disc", "disc", "#f2c230"),
        Piece("r", "red disc", "disc", "#c0392b"),
    )
    parameters = (
        Parameter("width", 7, range(4, 10), "columns of the board"),
        Parameter("height", 6, range(4, 10), "rows of the board"),
    )

    def __init__(self, width: int = 7, height: int = 6) -> None:
        self.board = board = squares(width, height)
        self.lines = board.lines(IN_LINE)
        columns = [chr(ord("a") + column) for column in range(width)]
        self.moves = {column: Move(column) for column in columns}
        self.expected = f"expected a column from a to {columns[-1]}, such as d"
        self.feet = {column: board.bit[f"{column}1"] for column in columns}
        """The lowest cell of each column."""
        self.columns = {column: (bit << height) - bit for column, bit in self.feet.items()}
        """The cells of each column."""
        self.floor = sum(self.feet.values())
        across = dict(zip(columns, map(Move, reversed(columns)), strict=True))
        mirror = next(
            each
            for each in board.isometries
            if all(end == across[cell[0]] + cell[1:] for cell, end in each.cells.items())
        )
        self._symmetries = (
            IDENTITY,
            Symmetry(
                across.__getitem__,
                lambda place: place._replace(discs=tuple(map(mirror.mask, place.discs))),
            ),
        )

    def symmetries(self, _: Place) -> tuple[Symmetry, ...]:
        """Return that left and right are alike, wherever that is asked."""
        return self._symmetries

    def start(self, setup: str | None = None) -> Place:
        """Return the empty board; raises SetupError for any setup."""
        if setup is not None:
            self.canonical_setup(setup)
        return Place(self, (0, 0), 0, OPEN)

    def position(self, text: str) -> Place:
        """Return the position of a text; raises PositionError for one that no game reaches."""
        cells = self.board.read_rows(text, "yr")
        discs = cells["y"], cells["r"]
        taken = sum(discs)
        if taken & (taken + self.floor):
            raise PositionError("a disc has an empty cell below it")
        mover = discs[0].bit_count() - discs[1].bit_count()
        if mover not in (0, 1):
            raise PositionError("yellow discs are as many as red ones, or one more")
        if self.board.has_line(discs[mover], IN_LINE):
            raise PositionError(f"{self.colours[mover]} is to move, but has four in line already")
        if not self._can_be_played(discs, mover):
            raise PositionError("no order of moves leads to these discs")
        return Place(self, discs, mover, self.verdict(discs, mover))

    def _can_be_played(self, discs: tuple[int, int], mover: int) -> bool:
        """Return whether the discs can be taken back in turn, with no line once the last is off.

        Should that take too long to refute, the players have the benefit of the doubt.
        """
        left = [(discs, mover)]
        seen: set[tuple[int, int]] = set()
        while left and len(seen) < BUDGET:
            discs, mover = left.pop()
            taken = sum(discs)
            if not taken:
                return True
            theirs = discs[1 - mover]
            for disc in self.board.bits((taken + self.floor) >> 1 & theirs):  # topmost ones
                before = theirs ^ disc
                others = (before, discs[1]) if mover else (discs[0], before)
                if others not in seen and not self.board.has_line(before, IN_LINE):
                    seen.add(others)
                    left.append((others, 1 - mover))
        return bool(left)

    def verdict(self, discs: tuple[int, int], mover: int) -> int:
        """Return what the last turn did for who took it, `mover` being next."""
        if self.board.has_line(discs[1 - mover], IN_LINE):
            return WON
        return DRAWN if sum(discs) == self.board.full else OPEN


class _State(NamedTuple):
    game: ConnectFour
    discs: tuple[int, int]  # the cells of yellow and of red
    mover: int
    verdict: int


class Place(_State, Alternating):
    """A position; playing returns a new one."""

    __slots__ = ()

    def outcome(self) -> Outcome | None:
        """Return how the last disc ended the game; None if it is not over."""
        if self.verdict == OPEN:
            return None
        if self.verdict == DRAWN:
            return Outcome(None, "board full")
        last = self.to_move.other
        lines = self.game.board.finished(self.game.lines, self.discs[last])
        return Outcome(last, "four in line", self.game.board.names_of(lines))

    def _free(self, column: str) -> int:
        """Return the cell to which a disc falls, 0 where the column is full."""
        cells = self.game.columns[column]
        return (sum(self.discs) & cells) + self.game.feet[column] & cells

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the columns that are not full, from the left."""
        if self.verdict != OPEN:
            return ()
        return tuple(move for column, move in self.game.moves.items() if self._free(column))

    def why_illegal(self, move: Move) -> str | None:
        """Return in the game's words why `move` may not be played here; None when it may."""
        if self.verdict != OPEN:
            return "the game is over"
        if move not in self.game.feet:
            return f"{self.game.id} does not have this move"
        return None if self._free(move) else f"column {move} is full"

    def play(self, move: Move) -> Place:
        """Return the position after `move`; raises IllegalMoveError."""
        require_legal(self, move)
        yellow, red = self.discs
        disc = self._free(move)
        discs = (yellow, red | disc) if self.mover else (yellow | disc, red)
        mover = 1 - self.mover
        return Place(self.game, discs, mover, self.game.verdict(discs, mover))

    def text(self) -> str:
        """Return the board, which says who is to move."""
        return self.game.board.format_rows(dict(self.layers()))

    def layers(self) -> Sequence[tuple[str, int]]:
        """Return the cells of each player's discs."""
        return tuple(zip("yr", self.discs, strict=True))

    def contents(self) -> tuple[str, ...]:
        """Return the disc of each cell."""
        return self.game.board.contents(self.layers())


GAME = ConnectFour()
