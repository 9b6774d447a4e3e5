"""Boards for searches: a mutable state that plays and takes back moves, which are small ints.

`fast_board(position)` returns the game's own fast board, or a slower one over the game's positions.
A board must behave exactly as its positions do; the contract tests compare them.

    board = fast_board(position)
    for code in board.legal():
        board.play(code)
        ...
        board.undo()

A *code* is the index of a move in `moves`. Games of cells store sets of cells as ints with one bit
per cell; see `lath.games.board`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from operator import xor
from random import Random
from typing import Final, cast

from lath.games.capabilities import boarded, symmetries
from lath.games.contract import Game, Move, Position

DRAW: Final = 2
"""`FastBoard.winner` of a drawn game. Sides are 0 and 1."""


# comparing or printing tables is not needed, and bots start faster without those methods
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Tables:
    """The state of a board for compiled searches, with cells given by their place in `Board.names`.

    Each family of games has its own subclass beside its rules. The kernels in `lath.bots.compiled`
    read it.
    """

    cells: int
    stones: tuple[Sequence[int], Sequence[int]]
    """The cells with stones of the first and second player, or of each colour."""

    others: Sequence[int] = ()
    """Other occupied cells, which belong to neither player."""

    stone_keys: tuple[Sequence[int], Sequence[int]]
    other_keys: Sequence[int] = ()


class FastBoard(ABC):
    """A mutable state of a game. A board must not be used by two threads at once."""

    game: Game

    check: Callable[[], object] = staticmethod(lambda: None)  # no limit by default
    """The function that a board calls in its own loops, at least once per ply; it can raise to
    stop.

    The board is then in the state before the loop. A search sets this while it runs.
    """

    moves: Sequence[Move]
    """The text of each move by its code. A game's own board has every possible move, in the order
    of the rules page. Other boards add moves when they meet them."""

    to_move: int
    """The side to move, 0 or 1; turns need not alternate."""

    winner: int | None
    """None while the game is not over; then 0, 1 or `DRAW`."""

    key: int
    """A hash of the complete state in 64 bits (Zobrist 1970). Equal states have equal keys,
    different states almost never; keys are the same in every process."""

    @abstractmethod
    def legal(self) -> list[int]:
        """Return the codes of all legal moves, in the order of the rules page; none when over."""

    @abstractmethod
    def play(self, code: int) -> None:
        """Play a legal move; the board does not check that the move is legal."""

    @abstractmethod
    def undo(self) -> None:
        """Take back the last move. Raises IndexError if no move was played."""

    @abstractmethod
    def position(self) -> Position:
        """Return the state as a position."""

    def code(self, move: str) -> int:
        """Return the code of a canonical move. Raises ValueError for an unknown move."""
        return self.moves.index(Move(move))

    def threats(self) -> tuple[list[int], list[int]]:
        """Return the legal moves that win at once, and those that lose at once."""
        wins, losses = [], []
        me = self.to_move
        for code in self.legal():
            self.check()
            self.play(code)
            if self.winner == me:
                wins.append(code)
            elif self.winner == 1 - me:
                losses.append(code)
            self.undo()
        return wins, losses

    def pressing(self) -> list[int] | None:
        """Return moves that threaten to win with the next move, as far as the board finds them.

        The result is None if the player to move, or the opponent if it were to move, can win at
        once. The game must not be over.
        """
        return []

    def plies_left(self) -> int | None:
        """Return the most plies until the end, or None if that is unknown. Default: None."""
        return None

    def candidates(self) -> list[int]:
        """Return the legal moves that are worth searching: at least one while the game is not over.

        If a move wins at once, a game's own board returns only such moves. Otherwise the result
        leaves out moves that lose at once, and moves after which the opponent can win at once if
        that is cheap to detect. If all moves lose, the result has some of those that lose last. An
        omitted move is never better than the best move returned.
        """
        wins, losses = self.threats()
        if wins:
            return wins
        legal = self.legal()
        if losses:
            return [code for code in legal if code not in losses] or legal
        return legal

    def playout(self, chance: Random) -> tuple[int, int]:
        """Return the winner of a game of random legal moves, and its number of plies.

        Each legal move is equally likely. The board is unchanged afterwards.
        """
        return self._played_by(chance, self.legal)

    def careful_playout(self, chance: Random) -> tuple[int, int]:
        """Return the winner and plies of a random game of equally likely `candidates`."""
        return self._played_by(chance, self.candidates)

    def _played_by(self, chance: Random, choices: Callable[[], list[int]]) -> tuple[int, int]:
        """Return the winner and plies of a random game; the board is restored even on an error."""
        plies = 0
        try:
            while (winner := self.winner) is None:
                self.check()
                codes = choices()
                self.play(codes[int(chance.random() * len(codes))])
                plies += 1
        finally:
            for _ in range(plies):
                self.undo()
        return winner, plies

    def rollout(self, chance: Random) -> int:
        """Return the winner of a random game of the kind that is most useful per second."""
        return self.careful_playout(chance)[0]

    def lean(self) -> float:
        """Return an estimate of who is winning, from -1 to 1 for the side to move.

        The game must not be over. The estimate takes about as long as a few moves. Default: 0.
        """
        return 0.0

    def tables(self) -> Tables | None:
        """Return the state for compiled searches; None if the game has no compiled form."""
        return None

    def images(self) -> list[list[int]]:
        """Return the symmetries of this state: for each, the code that each code maps to.

        The first is the identity. See `lath.games.core`.
        """
        met = tuple(self.moves)
        return [
            [self.code(symmetry.move(move)) for move in met]
            for symmetry in symmetries(self.position())
        ]


def bounded(guess: float) -> float:
    """Return an estimate for `FastBoard.lean`, limited to -0.99..0.99."""
    return max(-0.99, min(guess, 0.99))


_PLAIN: Final[list[Callable[[Position], FastBoard]]] = []


def plain_with(make: Callable[[Position], FastBoard]) -> None:
    """Set the maker of boards for games without their own; `lath.games.plain_board` calls this.

    Packed bots have only games with their own boards.
    """
    _PLAIN[:] = [make]


def fast_board(position: Position) -> FastBoard:
    """Return a board at `position`.

    >>> from lath import games
    >>> board = fast_board(games.get("yavalath").start())
    >>> board.play(board.code("e5"))
    >>> len(board.legal()), board.position().text()
    (61, '5/6/7/8/4w4/8/7/6/5 b')
    """
    able = boarded(position.game)
    return _PLAIN[0](position) if able is None else cast("FastBoard", able.fast(position))


def has_compiled_form(game: Game) -> bool:
    """Return whether `lath.bots.compiled` can play a game.

    >>> from lath import games
    >>> has_compiled_form(games.get("yavalath"))
    True
    """
    return fast_board(game.start()).tables() is not None


@cache
def keys(name: str, size: int) -> tuple[int, ...]:
    """Return `size` random numbers of 64 bits; the same name gives the same numbers everywhere."""
    chance = Random(name)
    return tuple(chance.getrandbits(64) for _ in range(size))


def mixed(known: Mapping[int, int] | Sequence[int], places: Iterable[int]) -> int:
    """Return the exclusive or of the keys of these places.

    >>> mixed((0b0011, 0b0101, 0b1000), (0, 1))
    6
    """
    return reduce(xor, map(known.__getitem__, places), 0)
