"""A game file with state beside the cells: hands, captured stones, passes, and the last turn.

Each player has six stones in hand and drops one, or passes. A drop takes enemy stones that stand
between it and another own stone in its row or column. Two passes end the game; more captured
stones win.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from lath.games.board import squares
from lath.games.core import Move, Outcome, Piece, Side, require_legal
from lath.games.errors import PositionError, SetupError
from lath.games.stones import DRAWN, LOST, OPEN, WON, Alternating, Turning

HAND: Final = 6
PASS: Final = Move("pass")
LAST: Final = ("start of the game", "drop", "capture", "pass")

BETTER: Final = """[Game "hands"]
[First "ann"]
[Second "bob"]
[Termination "resignation"]
[Result "1-0"]
[Analysis "solver nodes 5000"]

1. b2 2. b3 ({[%by solver nodes 5000]} 2. pass 3. c3 4. pass) 3. b4 1-0
"""
"""A game with the output of `arena analyze`, and a better line at ply 2."""

_TEXT: Final = re.compile(r"(\S+) ([0-6])/([0-6]) (0|[1-6])/(0|[1-6]) ([0-2]) ([0-3]) ([wb])")


class Hands(Turning):
    """The rules."""

    id = "hands"
    title = "Hands"
    credit = "nobody, 2026"
    colours = ("white", "black")
    pieces = (
        Piece("w", "white stone", "disc", "#ffffff"),
        Piece("b", "black stone", "disc", "#222222"),
    )

    def __init__(self) -> None:
        self.board: Final = squares(4)
        self.moves = {text: Move(text) for text in (*self.board.names, PASS)}
        self.expected = "expected a cell from a1 to d4, or pass"

    def start(self, setup: str | None = None) -> State:
        if setup is not None:
            raise SetupError(f"{setup!r}: the game does not have setups")
        return State(self, (0, 0), (HAND, HAND), (0, 0), 0, 0, 0)

    def position(self, text: str) -> State:
        if (found := _TEXT.fullmatch(text)) is None:
            raise PositionError(f"invalid position {text!r}")
        rows, *numbers, mover = found.groups()
        white, black = self.board.read_rows(rows, "wb").values()
        first, second, taken, lost, passes, last = map(int, numbers)
        return State(
            self, (white, black), (first, second), (taken, lost), passes, last, "wb".index(mover)
        )


class _Fields(NamedTuple):
    game: Hands
    stones: tuple[int, int]
    hands: tuple[int, int]
    captured: tuple[int, int]
    passes: int
    last: int
    mover: int


class State(_Fields, Alternating):
    """A position."""

    __slots__ = ()

    @property
    def extras(self) -> dict[str, int | str]:
        first, second = self.game.colours
        return {
            f"{first} hand": self.hands[0],
            f"{second} hand": self.hands[1],
            f"{first} captured": self.captured[0],
            f"{second} captured": self.captured[1],
            "passes": self.passes,
            "last turn": LAST[self.last],
        }

    @property
    def verdict(self) -> int:
        mine, theirs = self.captured[self.mover], self.captured[1 - self.mover]
        if self.passes < 2:
            return OPEN
        return DRAWN if mine == theirs else LOST if mine > theirs else WON

    def outcome(self) -> Outcome | None:
        if not self.is_over:
            return None
        white, black = self.captured
        winner = None if white == black else Side(black > white)
        return Outcome(winner, "equal captures" if winner is None else "more captures")

    def legal_moves(self) -> tuple[Move, ...]:
        if self.is_over:
            return ()
        empty = self.game.board.full & ~sum(self.stones) if self.hands[self.mover] else 0
        return (*map(Move, self.game.board.names_in(empty)), PASS)

    def why_illegal(self, move: Move) -> str | None:
        if self.is_over:
            return "the game is over"
        return None if move in self.legal_moves() else "no stone can be dropped there"

    def play(self, move: Move) -> State:
        require_legal(self, move)
        if move == PASS:
            return self._replace(mover=1 - self.mover, passes=self.passes + 1, last=3)
        board, mover = self.game.board, self.mover
        bits = tuple(board.name)
        stones, hands, captured = list(self.stones), list(self.hands), list(self.captured)
        stones[mover] |= board.bit[move]
        hands[mover] -= 1
        taken = sum(
            bits[near]
            for near, beyond, *_ in (
                ray for ray in board.rays(board.names.index(move), diagonals=False) if len(ray) > 1
            )
            if bits[near] & stones[1 - mover] and bits[beyond] & stones[mover]
        )
        stones[1 - mover] ^= taken
        captured[mover] += taken.bit_count()
        return State(
            self.game, (stones[0], stones[1]), (hands[0], hands[1]), (captured[0], captured[1]),
            0, 2 if taken else 1, 1 - mover,
        )  # fmt: skip

    def turned(self, mask: Callable[[int], int]) -> State:
        return self._replace(stones=(mask(self.stones[0]), mask(self.stones[1])))

    def layers(self) -> tuple[tuple[str, int], ...]:
        return ("w", self.stones[0]), ("b", self.stones[1])

    def text(self) -> str:
        rows = self.game.board.format_rows(dict(self.layers()))
        hands, captured = ("/".join(map(str, pair)) for pair in (self.hands, self.captured))
        return f"{rows} {hands} {captured} {self.passes} {self.last} {'wb'[self.mover]}"


GAME: Final = Hands()
