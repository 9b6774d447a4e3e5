"""Yavalath, by Cameron Browne's program Ludi, 2007 (nestorgames).

Players place a stone in turn on any empty cell of a hexagonal board of 61 cells. Four or more own
stones in line win; three in line without four lose; both at once win. Second's first turn may be a
swap instead: the one stone becomes second's, where it lies. A full board without a result is a
draw.

Source: rulings in docs/rules.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from lath.games.board import Board, hexagon
from lath.games.core import Move, Outcome, Piece, Seat, one_by_one, require_legal
from lath.games.errors import MoveSyntaxError, PositionError
from lath.games.stones import DRAWN, LOST, OPEN, WON, Judged, Rules, read_fields, share_a_cell

SWAP: Final = Move("swap")

_LOSING, _WINNING = 3, 4


class Yavalath(Rules):
    """The rules."""

    id: Final = "yavalath"
    title: Final = "Yavalath"
    credit: Final = "Cameron Browne's Ludi, 2007"
    colours: Final = ("white", "black")
    pieces: Final = (
        Piece("w", "white stone", "disc", "#ffffff"),
        Piece("b", "black stone", "disc", "#222222"),
    )

    def __init__(self) -> None:
        self.board: Final[Board] = hexagon((5, 6, 7, 8, 9, 8, 7, 6, 5))
        self.threes_at: Final = self.board.lines_through(_LOSING)
        self.fours_at: Final = self.board.lines_through(_WINNING)

    def canonical(self, text: str) -> Move:
        """Return the move; raises MoveSyntaxError."""
        if text not in self.board.bit and text != SWAP:
            raise MoveSyntaxError(
                text, f"expected a cell from a1 to {self.board.names[-1]}, or swap"
            )
        return Move(text)

    def start(self, setup: str | None = None) -> YavalathPosition:
        """Return the empty board; raises SetupError for any setup."""
        if setup is not None:
            self.canonical_setup(setup)
        return YavalathPosition(self, (0, 0), 0, OPEN)

    def position(self, text: str) -> YavalathPosition:
        """Return the position that `text` describes; raises PositionError."""
        (rows,), mover = read_fields(text, ["board"], "wb")
        white, black = self.board.read_rows(rows, "wb").values()
        self._refuse_counts(white.bit_count(), black.bit_count(), mover)
        stones = (white, black)
        threes = [line for line in self.board.lines(_LOSING) if stones[mover] & line == line]
        if threes:
            raise PositionError(
                f"{self.colours[mover]} is to move, but has a finished line already"
            )
        theirs = stones[1 - mover]
        threes = [line for line in self.board.lines(_LOSING) if theirs & line == line]
        if not share_a_cell(threes):
            raise PositionError(
                f"{self.colours[1 - mover]} has finished lines that no single stone completed"
            )
        return YavalathPosition(self, stones, mover, self._verdict(stones, mover))

    def _refuse_counts(self, white: int, black: int, mover: int) -> None:
        """Refuse counts that neither a plain game nor one with a swap can have."""
        plain = white - black == mover
        swapped = black - white == 1 - mover and black > 0
        if not plain and not swapped:
            raise PositionError(
                f"{self.colours[mover]} cannot be to move with {white} white and {black} black "
                "stones, with or without a swap"
            )

    def _verdict(self, stones: tuple[int, int], mover: int) -> int:
        theirs = stones[1 - mover]
        if any(theirs & line == line for line in self.board.lines(_WINNING)):
            return WON
        if any(theirs & line == line for line in self.board.lines(_LOSING)):
            return LOST
        return DRAWN if stones[0] | stones[1] == self.board.full else OPEN


class _State(NamedTuple):
    """Stones of both seats, who moves, what the last move did."""

    game: Yavalath
    stones: tuple[int, int]
    mover: int
    verdict: int


class YavalathPosition(_State, Judged):
    """A position; hashable and immutable."""

    __slots__ = ()

    @property
    def can_swap(self) -> bool:
        """Return whether this is second's first turn."""
        white, black = self.stones
        return self.mover == 1 and not black and white & (white - 1) == 0

    def outcome(self) -> Outcome | None:
        """Return how the last placement ended the game; None while it goes on."""
        if self.verdict == OPEN:
            return None
        if self.verdict == DRAWN:
            return Outcome(None, "board full")
        last = Seat(1 - self.mover)
        if self.verdict == WON:
            return Outcome(last, "four in line", self._lines(_WINNING))
        return Outcome(last.other, "three in line", self._lines(_LOSING))

    def _lines(self, length: int) -> tuple[str, ...]:
        board, stones = self.game.board, self.stones[1 - self.mover]
        return tuple(board.names_in(board.in_lines(stones, length)))

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the placements by cell, then swap."""
        if self.verdict != OPEN:
            return ()
        board = self.game.board
        moves = [Move(name) for name in board.names_in(board.full & ~sum(self.stones))]
        if self.can_swap:
            moves.append(SWAP)
        return tuple(moves)

    def why_illegal(self, move: Move) -> str | None:
        """Return in the game's words why `move` may not be played here; None when it may."""
        if self.verdict != OPEN:
            return "the game is over"
        if move == SWAP:
            return None if self.can_swap else "swap is only for second's first turn"
        bit = self.game.board.bit.get(move)
        if bit is None:
            return f"{self.game.id} has no such move"
        if bit & sum(self.stones):
            return f"{move} already has a stone"
        return None

    def play(self, move: Move) -> YavalathPosition:
        """Return the position after `move`; raises IllegalMoveError."""
        game, (white, black), mover, verdict = self
        bit = game.board.bit.get(move)
        if bit is None or verdict != OPEN or bit & (white | black):
            return self._swapped(move)
        mine = (black if mover else white) | bit
        stones = (white, mine) if mover else (mine, black)
        return YavalathPosition(game, stones, 1 - mover, self._made(bit, mine, stones))

    def _swapped(self, move: Move) -> YavalathPosition:
        """Return the position after a swap; raises IllegalMoveError, also for any other move."""
        require_legal(self, move)
        return YavalathPosition(self.game, (0, self.stones[0]), 0, OPEN)

    def after(self, moves: Sequence[str]) -> YavalathPosition | None:
        """Return the position after all of `moves`; None where one of them cannot be played.

        Stones stay, and so do lines: if none stands before the last move, none ended the game.
        """
        start = self._after_swap(moves[:2])
        if start is None:
            return None
        if start is not self:
            moves = moves[moves.index(SWAP) + 1 :]
        if not moves or start.verdict != OPEN:
            return None if moves else start
        try:
            bits = list(map(start.game.board.bit.__getitem__, moves))
        except KeyError:
            return None
        return start.with_stones(bits)

    def _after_swap(self, moves: Sequence[str]) -> YavalathPosition | None:
        """Return the position after a swap in the next two moves, else this one; None: illegal."""
        if SWAP not in moves:
            return self
        return one_by_one(self, moves[: moves.index(SWAP) + 1])

    def with_stones(self, bits: Sequence[int]) -> YavalathPosition | None:
        """Return the position after stones on these cells in turn; None as `after` does."""
        game, last = self.game, bits[-1]
        mover = self.mover ^ len(bits) & 1
        mine = self.stones[1 - mover] + sum(bits[-1::-2])  # who played the last move
        theirs = self.stones[mover] + sum(bits[-2::-2])
        if (mine + theirs).bit_count() != len(bits) + sum(self.stones).bit_count():
            return None  # a cell twice
        if game.board.has_line(mine ^ last | theirs << game.board.apart, _LOSING):
            return None
        stones = (mine, theirs) if mover else (theirs, mine)
        return YavalathPosition(game, stones, mover, self._made(last, mine, stones))

    def _made(self, bit: int, mine: int, stones: tuple[int, int]) -> int:
        for line in self.game.threes_at[bit]:
            if mine & line == line:
                won = any(mine & four == four for four in self.game.fours_at[bit])
                return WON if won else LOST
        return DRAWN if stones[0] | stones[1] == self.game.board.full else OPEN

    def text(self) -> str:
        """Return board and mover."""
        rows = self.game.board.format_rows({"w": self.stones[0], "b": self.stones[1]})
        return f"{rows} {'wb'[self.mover]}"

    def contents(self) -> tuple[str, ...]:
        """Return the stone of each cell."""
        white, black = self.stones
        return tuple(
            "w" if white & bit else "b" if black & bit else "" for bit in self.game.board.name
        )


GAME: Final = Yavalath()
