"""A game whose rules take as long as a test wants, on the test's clock.

Two players mark cells of a board, each cell `rounds` times; the player of the last mark wins. So
the test also decides the length of a game, and no earlier win is possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from lath.games.board import Board, squares
from lath.games.core import SIDES, Move, Outcome, Piece, Position, Side, require_legal
from lath.games.stones import Rules


@dataclass
class Clock:
    """The time in seconds, which the calls of the rules advance, and their number."""

    now_s: float = 0.0
    calls: int = 0

    def __call__(self) -> float:
        """Return the time."""
        return self.now_s


@dataclass(frozen=True)
class Costs:
    """Seconds that each call of the rules takes, all more than 0."""

    play: float = 0.002
    legal: float = 0.002
    outcome: float = 0.002
    text: float = 0.002


class SlowGame(Rules):
    """A game with one clock."""

    id, title, credit, colours = "slow", "Slow", "nobody", ("white", "black")
    pieces = (Piece("w", "white stone", "disc", "#ffffff"),)
    board: Board
    expected = "expected a cell"

    def __init__(self, clock: Clock, costs: Costs, *, size: int = 3, rounds: int = 1) -> None:
        """Use a clock."""
        self.clock: Final = clock
        self.costs: Final = costs
        self.board = squares(size)
        self.length: Final = rounds * len(self.board.names)
        self.moves = {name: Move(name) for name in self.board.names}

    def take(self, seconds: float) -> None:
        """Advance the clock."""
        self.clock.now_s += seconds
        self.clock.calls += 1

    def start(self, setup: str | None = None) -> Position:  # noqa: ARG002 - it has none
        """Return the empty board."""
        return cast("Position", SlowPosition(self))

    def position(self, text: str) -> Position:
        """Return the position after the number of moves in the text."""
        return cast("Position", SlowPosition(self, int(text)))


@dataclass(frozen=True)
class SlowPosition:
    """A position, known by its number of marks."""

    game: SlowGame = field(compare=False)
    made: int = 0

    @property
    def to_move(self) -> Side:
        """Return the side to move."""
        return SIDES[self.made % 2]

    @property
    def is_over(self) -> bool:
        """Return whether the last mark is made."""
        return self.made == self.game.length

    def outcome(self) -> Outcome | None:
        """Return the winner."""
        self.game.take(self.game.costs.outcome)
        return Outcome(SIDES[1 - self.made % 2], "last mark") if self.is_over else None

    def legal_moves(self) -> tuple[Move, ...]:
        """Return every cell."""
        self.game.take(self.game.costs.legal)
        return () if self.is_over else tuple(self.game.moves.values())

    def why_illegal(self, move: Move) -> str | None:
        """Return None: every cell can be marked again."""
        return None if move in self.game.moves and not self.is_over else f"{move} is no cell"

    def play(self, move: Move) -> SlowPosition:
        """Make a mark."""
        require_legal(cast("Position", self), move)
        self.game.take(self.game.costs.play)
        return SlowPosition(self.game, self.made + 1)

    def text(self) -> str:
        """Return the number of marks."""
        self.game.take(self.game.costs.text)
        return str(self.made)

    def contents(self) -> Sequence[str]:
        """Return an empty board, because marks are not drawn."""
        return [""] * len(self.game.board.names)
