"""Three in line on boards of every kind: a game file whose parameter is the board.

On your turn, place a stone on any empty cell. Three of your stones in line win. A full board is a
draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from lath.games.board import Board, hexagon_of, rhombus, squares, triangle
from lath.games.core import Move, Outcome, Piece, require_legal
from lath.games.errors import PositionError
from lath.games.overlays import Groups
from lath.games.parameters import Parameter
from lath.games.points import points
from lath.games.reach import read_fields, refuse_two_endings
from lath.games.stones import DRAWN, OPEN, WON, Alternating, Turning


def morris() -> Board:
    """Return the board of Nine Men's Morris: 24 points on 16 lines of three."""
    across = "a1 d1 g1/b2 d2 f2/c3 d3 e3/a4 b4 c4/e4 f4 g4/c5 d5 e5/b6 d6 f6/a7 d7 g7"
    up = "a1 a4 a7/b2 b4 b6/c3 c4 c5/d1 d2 d3/d5 d6 d7/e3 e4 e5/f2 f4 f6/g1 g4 g7"
    lines = [*across.split("/"), *up.split("/")]
    return points(across.replace("/", " "), lines)


def star() -> Board:
    """Return seven points, with names that say nothing of their places."""
    around = {"a2": (2, 0), "a3": (1, 3.5), "b1": (-1, 3.5), "b2": (-2, 0), "c1": (-1.2, -3.5)}
    lines = ["b2 a1 a2", "a3 a1 c1", "b1 a1 c2"]
    edges = ["a2 a3", "a3 b1", "b1 b2", "b2 c1", "c1 c2", "c2 a2"]
    return points({"a1": (0, 0), "c2": (1, -3.5), **around}, lines, edges)


BOARDS: Final[dict[str, Callable[[], Board]]] = {
    "morris": morris,
    "star": star,
    "rhombus": lambda: rhombus(5),
    "triangle": lambda: triangle(5),
    "hexagon": lambda: hexagon_of(3),
    "rectangle": lambda: squares(7, 6),
    "hex": lambda: rhombus(11),
    "y": lambda: triangle(9),
}


class Three(Turning):
    """The rules."""

    id = "three"
    title = "Three"
    credit = "the arena's tests"
    colours = ("white", "black")
    pieces = (
        Piece("w", "white stone", "disc", "#f4f1e8"),
        Piece("b", "black stone", "disc", "#22262b"),
    )
    parameters = (Parameter("board", "morris", tuple(BOARDS), "kind of board"),)
    overlays = (Groups("wb"),)

    def __init__(self, board: str | Board = "morris") -> None:
        self.board: Final[Board] = BOARDS[board]() if isinstance(board, str) else board
        self.lines: Final = self.board.lines(3)
        self.moves = {name: Move(name) for name in self.board.names}
        self.expected = f"expected a cell from a1 to {self.board.names[-1]}"

    def start(self, setup: str | None = None) -> ThreePosition:
        """Return the empty board. Raises SetupError for any setup."""
        if setup is not None:
            self.canonical_setup(setup)
        return ThreePosition(self, (0, 0), 0, OPEN)

    def position(self, text: str) -> ThreePosition:
        """Return the position of a text. Raises PositionError if no game reaches it."""
        (rows,), mover = read_fields(text, ["board"], "wb")
        white, black = self.board.read_rows(rows, "wb").values()
        if white.bit_count() - black.bit_count() != mover:
            raise PositionError("white has as many stones as black, or one more when black moves")
        refuse_two_endings(self.lines, (white, black), mover, self.colours, "stone")
        return ThreePosition(self, (white, black), mover, self.verdict((white, black), 1 - mover))

    def verdict(self, stones: tuple[int, int], last: int) -> int:
        """Return the verdict after the turn of player `last`."""
        if self.board.has_line(stones[last], 3):
            return WON
        return DRAWN if sum(stones) == self.board.full else OPEN


class _State(NamedTuple):
    game: Three
    stones: tuple[int, int]
    mover: int
    verdict: int


class ThreePosition(_State, Alternating):
    """A position."""

    __slots__ = ()

    def outcome(self) -> Outcome | None:
        """Return the winner and the reason; None if the game is not over."""
        if self.verdict == OPEN:
            return None
        if self.verdict == DRAWN:
            return Outcome(None, "board full")
        lines = self.game.board.finished(self.game.lines, self.stones[1 - self.mover])
        return Outcome(self.to_move.other, "three in line", self.game.board.names_of(lines))

    def legal_moves(self) -> tuple[Move, ...]:
        """Return every empty cell; none once the game is over."""
        free = self.game.board.full & ~sum(self.stones) if self.verdict == OPEN else 0
        return tuple(map(Move, self.game.board.names_in(free)))

    def why_illegal(self, move: Move) -> str | None:
        """Return why a move may not be played; None if it may."""
        if self.verdict != OPEN:
            return "the game is over"
        return None if move in self.legal_moves() else f"{move} already has a stone"

    def play(self, move: Move) -> ThreePosition:
        """Return the position after a move. Raises IllegalMoveError."""
        require_legal(self, move)
        added = [
            bit if at == self.mover else 0 for at in (0, 1) if (bit := self.game.board.bit[move])
        ]
        stones = (self.stones[0] | added[0], self.stones[1] | added[1])
        return ThreePosition(
            self.game, stones, 1 - self.mover, self.game.verdict(stones, self.mover)
        )

    def turned(self, mask: Callable[[int], int]) -> ThreePosition:
        """Return the position with `mask` applied to each set of cells."""
        return self._replace(stones=(mask(self.stones[0]), mask(self.stones[1])))

    def text(self) -> str:
        """Return the board and the side to move."""
        rows = self.game.board.format_rows(dict(self.layers()))
        return f"{rows} {'wb'[self.mover]}"

    def layers(self) -> Iterable[tuple[str, int]]:
        """Return the cells of the stones of each player."""
        return zip("wb", self.stones, strict=True)


GAME: Final = Three()
