"""Boards for searches: one state that is played on and taken back, with moves as small ints.

`fast_board(position)` returns the game's own, which stands in the game's file, or where a game has
none, one over its positions, which is slower. All that holds of a position holds of its board; the
contract tests compare them.

    board = fast_board(position)
    for code in board.legal():
        board.play(code)
        ...
        board.undo()

A *code* is the place of a move in `moves`. Games of cells keep sets of cells as ints, one bit a
cell: `Board.bit` of `lath.games.board` says which, rising by names with a gap after each letter, so
that a shift by one of `Board.directions` is a step on the board and never turns a corner.
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
"""`FastBoard.winner` of a drawn game; seats are 0 and 1."""


# Nobody compares or prints it, and bots start sooner without what that takes.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Tables:
    """The compiled form of a game and of how a board stands, in cells by their place.

    Each family of games has a kind of its own, which stands beside the rules: that is what the
    family's kernels in `lath.bots.compiled` read.
    """

    cells: int
    stones: tuple[Sequence[int], Sequence[int]]
    """Where stones of first and second, or of each colour, stand."""

    others: Sequence[int] = ()
    """Where else something stands that is nobody's."""

    stone_keys: tuple[Sequence[int], Sequence[int]]
    other_keys: Sequence[int] = ()


class FastBoard(ABC):
    """A state of a game that is played on in place. Not for two threads at once."""

    game: Game

    check: Callable[[], object] = staticmethod(lambda: None)  # it works for as long as it takes
    """What a board calls in its own loops, before each ply at least; it raises to end them.

    The board then stands where it stood before the loop. A search sets it while it runs.
    """

    moves: Sequence[Move]
    """The text of each move by its code. Of a game's own board every move that there ever is, in
    the order of rules.md; else it grows as moves are met."""

    to_move: int
    """Who decides next, 0 or 1; turns need not alternate."""

    winner: int | None
    """None while the game goes on, else 0, 1 or `DRAW`."""

    key: int
    """64 bits, of which every part of the state has some (Zobrist 1970): equal states have the
    same, others nearly never; the same in every process."""

    @abstractmethod
    def legal(self) -> list[int]:
        """Return the codes of all legal moves, in rules.md's order; none once it is over."""

    @abstractmethod
    def play(self, code: int) -> None:
        """Play a legal move; what is not legal is not noticed."""

    @abstractmethod
    def undo(self) -> None:
        """Take the last move back; raises IndexError where there is none."""

    @abstractmethod
    def position(self) -> Position:
        """Return the state as a position."""

    def code(self, move: str) -> int:
        """Return the code of a move in canonical text; raises ValueError."""
        return self.moves.index(Move(move))

    def threats(self) -> tuple[list[int], list[int]]:
        """Return the legal moves with which who is to move wins at once, and loses at once."""
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

    def candidates(self) -> list[int]:
        """Return the legal moves that are worth a thought, at least one while the game goes on.

        Where a move wins at once, such alone; else none that loses at once, or that lets the
        opponent win with the next move as far as that is cheap to see. Where all lose, some of
        those that lose the latest. Nothing that is left out ends better than the best of what is
        returned: it wins no sooner, and where all lose it loses no later.
        """
        wins, losses = self.threats()
        if wins:
            return wins
        legal = self.legal()
        if losses:
            return [code for code in legal if code not in losses] or legal
        return legal

    def playout(self, chance: Random) -> tuple[int, int]:
        """Play legal moves at random to the end; return the winner and how many plies that took.

        Each legal move is equally likely. The board is as before.
        """
        return self._played_by(chance, self.legal)

    def careful_playout(self, chance: Random) -> tuple[int, int]:
        """Do the same with `candidates`, each of them equally likely: nobody blunders at once."""
        return self._played_by(chance, self.candidates)

    def _played_by(self, chance: Random, choices: Callable[[], list[int]]) -> tuple[int, int]:
        """Play a random game of such moves, and take it back, even where a check ends it."""
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
        """Return the winner of a random game of the kind that tells most for its time."""
        return self.careful_playout(chance)[0]

    def lean(self) -> float:
        """Return who seems to win, from -1 to 1 for who is to move, of a game that goes on.

        A guess from what stands on the board, which takes about as long as a few moves; 0 where a
        game has none.
        """
        return 0.0

    def tables(self) -> Tables | None:
        """Return the compiled form of how the board stands; None: the game has none."""
        return None

    def images(self) -> list[list[int]]:
        """Return the symmetries of this state's rules: the code that each code becomes.

        The first leaves each as it is, unless the game tells of none. See `lath.games.core`.
        """
        met = tuple(self.moves)
        return [
            [self.code(symmetry.move(move)) for move in met]
            for symmetry in symmetries(self.position())
        ]


def bounded(guess: float) -> float:
    """Return a guess of `FastBoard.lean` that is no more than one."""
    return max(-0.99, min(guess, 0.99))


def fast_board(position: Position) -> FastBoard:
    """Return a board that stands as `position` does.

    >>> from lath import games
    >>> board = fast_board(games.get("yavalath").start())
    >>> board.play(board.code("e5"))
    >>> len(board.legal()), board.position().text()
    (61, '5/6/7/8/4w4/8/7/6/5 b')
    """
    able = boarded(position.game)
    return PlainBoard(position) if able is None else cast("FastBoard", able.fast(position))


def has_compiled_form(game: Game) -> bool:
    """Return whether `lath.bots.compiled` has what plays a game.

    >>> from lath import games
    >>> has_compiled_form(games.get("yavalath"))
    True
    """
    return fast_board(game.start()).tables() is not None


@cache
def keys(name: str, size: int) -> tuple[int, ...]:
    """Return so many random numbers of 64 bits, the same ones for the same name anywhere."""
    chance = Random(name)
    return tuple(chance.getrandbits(64) for _ in range(size))


def mixed(known: Mapping[int, int] | Sequence[int], places: Iterable[int]) -> int:
    """Return the key of all of these places: the keys of each, one bit by one.

    >>> mixed((0b0011, 0b0101, 0b1000), (0, 1))
    6
    """
    return reduce(xor, map(known.__getitem__, places), 0)


class PlainBoard(FastBoard):
    """A board over positions, for games without one of their own.

    To take a move back asks the rules nothing, whatever their calls cost.
    """

    def __init__(self, position: Position) -> None:
        self.game = position.game
        self._codes: dict[Move, int] = {}
        self.moves = cast("list[Move]", [])
        self._line: list[tuple[Position, int, int | None]] = []
        """Positions, with who decides next and who has won there."""
        self._keys: list[int | None] = []
        self._played: list[int] = []
        self._push(position)

    def _push(self, position: Position) -> None:
        outcome = position.outcome()
        self.to_move = int(position.to_move)
        winner = DRAW if outcome is None or outcome.winner is None else int(outcome.winner)
        self.winner = None if outcome is None else winner
        self._line.append((position, self.to_move, self.winner))
        self._keys.append(None)

    @property
    def key(self) -> int:  # type: ignore[override]  # random games do without it
        """Return 64 bits of the text of the position."""
        if (key := self._keys[-1]) is None:
            from hashlib import blake2b  # games of their own board do without

            digest = blake2b(self.position().text().encode(), digest_size=8).digest()
            key = self._keys[-1] = int.from_bytes(digest, "little")
        return key

    def code(self, move: str) -> int:
        """Return the code of a move, which is legal somewhere; a new one for one not met."""
        code = self._codes.get(Move(move))
        if code is None:
            code = self._codes[Move(move)] = len(self.moves)
            cast("list[Move]", self.moves).append(Move(move))
        return code

    def legal(self) -> list[int]:
        """Return the codes of all legal moves; raises RulesError where there are none."""
        try:
            codes = [self.code(move) for move in self.position().legal_moves()]
        except Exception as error:
            raise self._failed(error) from error
        if not codes and self.winner is None:
            from lath.games.faults import stuck  # start-up time

            raise stuck(self.game.id, *self._way())
        return codes

    def play(self, code: int) -> None:
        """Play a legal move; raises RulesError where the rules fail at it."""
        self._played.append(code)
        try:
            self._push(self.position().play(self.moves[code]))
        except Exception as error:
            failure = self._failed(error)
            self._played.pop()
            raise failure from error

    def _way(self) -> tuple[list[str], str]:
        """Return the moves that were played here, and the position before them as a text.

        That is empty where a game begins there.
        """
        moves, start = [self.moves[code] for code in self._played], self._line[0][0]
        is_own = not self.game.has_setups and start == self.game.start()
        return [*moves], "" if is_own else start.text()

    def _failed(self, error: Exception) -> Exception:
        """Return what to raise: the rules are at fault, with the moves, or it is a slip of ours."""
        try:
            from lath.games.faults import raised  # packed bots do without

            return raised(error, self.game.id, *self._way())
        except Exception:  # noqa: BLE001 - of no file, or its text fails as well
            return error

    def undo(self) -> None:
        """Take the last move back; raises IndexError."""
        if len(self._line) == 1:
            raise IndexError("no move to take back")
        self._line.pop()
        self._keys.pop()
        self._played.pop()
        _, self.to_move, self.winner = self._line[-1]

    def position(self) -> Position:
        """Return the position."""
        return self._line[-1][0]
