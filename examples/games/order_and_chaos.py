"""Order and Chaos, by Stephen Sniderman, 1981.

On 6x6 squares, the players Order and Chaos place crosses and noughts in turn. Both players may
place both kinds. Order begins, and wins as soon as five or more of a kind are in line, also if
Chaos placed the last of them. Chaos wins if the board is full without such a line.

A move is the piece and the cell, such as `xa1` or `oc3`. A position is the rows from the top of
the board, such as `6/6/2x3/6/6/o5`. The number of pieces shows whose turn it is.

Source: Games magazine, 1981, as commonly retold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from lath.games.board import Board, squares
from lath.games.core import Move, Outcome, Piece, Side, require_legal
from lath.games.errors import PositionError
from lath.games.reach import share_a_cell
from lath.games.stones import LOST, OPEN, WON, Judged, Turning

KINDS: Final = "xo"


class OrderAndChaos(Turning):
    """The rules."""

    id: Final = "order-and-chaos"
    title: Final = "Order and Chaos"
    credit: Final = "Stephen Sniderman, 1981"
    colours: Final = ("order", "chaos")
    pieces: Final = (
        Piece("x", "cross", "tile", "#ffffff"),
        Piece("o", "nought", "tile", "#f3c969"),
    )

    def __init__(self) -> None:
        self.board: Final[Board] = squares(6)
        self.moves = {
            text: Move(text) for name in self.board.names for text in (f"x{name}", f"o{name}")
        }
        self.expected = "expected x or o and a cell from a1 to f6, such as xa1"
        self.fives: Final = self.board.lines(5)
        self.fives_at: Final = self.board.through(self.fives)

    def start(self, setup: str | None = None) -> State:
        """Return the empty board; raises SetupError for any setup."""
        if setup is not None:
            self.canonical_setup(setup)
        return State(self, (0, 0), 0, OPEN)

    def position(self, text: str) -> State:
        """Return the position that `text` describes; raises PositionError."""
        kinds = tuple(self.board.read_rows(text, KINDS).values())
        lines = [line for kind in kinds for line in self.board.finished(self.fives, kind)]
        if not share_a_cell(lines):
            raise PositionError("there are lines of five that no single piece completed")
        mover = sum(kinds).bit_count() & 1
        verdict = OPEN
        if lines:
            verdict = LOST if mover == Side.FIRST else WON
        elif sum(kinds) == self.board.full:
            verdict = WON
        return State(self, (kinds[0], kinds[1]), mover, verdict)


class _Fields(NamedTuple):
    game: OrderAndChaos
    kinds: tuple[int, int]
    """The cells of crosses and those of noughts."""
    mover: int
    verdict: int


class State(_Fields, Judged):
    """A position; hashable and immutable."""

    __slots__ = ()

    def outcome(self) -> Outcome | None:
        """Return how the last piece ended the game; None if it is not over."""
        if self.verdict == OPEN:
            return None
        board = self.game.board
        lines = [line for kind in self.kinds for line in board.finished(self.game.fives, kind)]
        if lines:
            return Outcome(Side.FIRST, "five in line", board.names_of(lines))
        return Outcome(Side.SECOND, "board full")

    def legal_moves(self) -> tuple[Move, ...]:
        """Return what may be placed, cell by cell."""
        if self.verdict != OPEN:
            return ()
        empty = self.game.board.full & ~sum(self.kinds)
        names = self.game.board.names_in(empty)
        return tuple(Move(f"{kind}{name}") for name in names for kind in KINDS)

    def why_illegal(self, move: Move) -> str | None:
        """Return in the game's words why `move` may not be played here; None when it may."""
        if self.verdict != OPEN:
            return "the game is over"
        if move not in self.game.moves:
            return f"{self.game.id} does not have this move"
        taken = self.game.board.bit[move[1:]] & sum(self.kinds)
        return f"{move[1:]} already has a piece" if taken else None

    def play(self, move: Move) -> State:
        """Return the position after `move`; raises IllegalMoveError."""
        require_legal(self, move)
        bit, kind = self.game.board.bit[move[1:]], KINDS.index(move[0])
        kinds = list(self.kinds)
        kinds[kind] |= bit
        verdict = OPEN
        if any(kinds[kind] & line == line for line in self.game.fives_at[bit]):
            verdict = WON if self.mover == Side.FIRST else LOST
        elif sum(kinds) == self.game.board.full:
            verdict = WON
        return State(self.game, (kinds[0], kinds[1]), 1 - self.mover, verdict)

    def turned(self, mask: Callable[[int], int]) -> State:
        """Return the same with each set of cells where `mask` says."""
        return self._replace(kinds=(mask(self.kinds[0]), mask(self.kinds[1])))

    def text(self) -> str:
        """Return the board."""
        return self.game.board.format_rows(dict(zip(KINDS, self.kinds, strict=True)))

    def contents(self) -> tuple[str, ...]:
        """Return the piece of each cell."""
        return self.game.board.contents(zip(KINDS, self.kinds, strict=True))


GAME: Final = OrderAndChaos()
