"""The budget, the result, the proofs and the oversights of searches, which all bots share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import Final, Literal

from lath.games.core import Move
from lath.games.errors import LathError
from lath.games.fast import FastBoard

WON: Final = 1_000_000
"""The score of a won game. A win in n plies has n less."""

PROVEN: Final = WON - 10_000
"""Scores of at least this size, of either sign, are not guesses."""

ALL: Final = 2 * WON
"""More than any score."""

OPEN: Final = 8
"""Marks a guessed score, which is not that of a proven end; always with a mark of a guess."""

MIXER: Final = 0x9E3779B97F4A7C15
"""The factor that spreads the bits of a key."""

_BITS: Final = (1 << 64) - 1

TELL_S: Final = 0.1
"""The seconds of searching between two intermediate results."""


class OutOfBudgetError(LathError):
    """A search has used up its budget."""


@dataclass(slots=True)
class SearchBudget:
    """The limits of a search: nodes, seconds, and a function that can stop it."""

    nodes: int | None = None
    """The most nodes, or None."""

    seconds: float | None = None
    """The most seconds from now on, or None."""

    is_late: Callable[[], bool] | None = None
    """The function that returns True to stop the search."""

    clock: Callable[[], float] = monotonic
    """The clock, in seconds."""

    used: int = 0
    whole: SearchBudget | None = None
    """The budget that this is a share of."""

    _ends_s: float = field(init=False, default=0.0)
    _told_s: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self._told_s = self.clock()
        self._ends_s = inf if self.seconds is None else self._told_s + self.seconds

    def spend(self) -> None:
        """Count a node. Raises OutOfBudgetError if no nodes are left."""
        if self.used == self.nodes:
            raise OutOfBudgetError
        self.check()
        self.count(1)

    def count(self, nodes: int) -> None:
        """Count used nodes, here and in the budget that this is a share of."""
        self.used += nodes
        if self.whole is not None:
            self.whole.count(nodes)

    def check(self) -> None:
        """Raise OutOfBudgetError if the time is over."""
        if self.is_over():
            raise OutOfBudgetError

    def is_over(self) -> bool:
        """Return whether the time is over, or `is_late` returns True."""
        late = self.is_late is not None and self.is_late()
        return late or self.clock() > self._ends_s

    def is_due(self) -> bool:
        """Return whether to report an intermediate result now: every `TELL_S` seconds.

        Time decides, because a number of nodes takes any time: the rules of a game can be slow.
        """
        now_s = self.clock()
        if now_s - self._told_s < TELL_S:
            return False
        self._told_s = now_s
        return True

    def share(self, among: int) -> SearchBudget:
        """Return one of `among` equal shares of the remaining budget."""
        return SearchBudget(
            nodes=None if self.nodes is None else (self.nodes - self.used) // among,
            seconds=None if self._ends_s == inf else (self._ends_s - self.clock()) / among,
            is_late=self.is_late,
            clock=self.clock,
            whole=self,
        )

    @contextmanager
    def bounds(self, board: FastBoard) -> Iterator[None]:
        """Make the board's own loops raise OutOfBudgetError too when the time is over."""
        before, board.check = board.check, self.check
        try:
            yield
        finally:
            board.check = before


@dataclass(frozen=True, slots=True)
class SearchProof:
    """The proven end of a game for the side to move, if both play their best."""

    value: Literal[-1, 0, 1]
    """-1 for a loss, 0 for a draw, 1 for a win."""

    plies: int | None = None
    """The plies until the end; the loser delays it as long as possible."""

    at_most: int | None = None
    """An upper bound of the plies, if the exact number is unknown."""

    @property
    def is_settled(self) -> bool:
        """Return whether the proof is complete: a draw, or a win or loss with an exact length."""
        return self.value == 0 or self.plies is not None

    def joined(self, other: SearchProof | None, seen: int) -> SearchProof:
        """Return the combination of two proofs; no other end exists within `seen` plies.

        So an upper bound of `seen` + 1 is exact.
        """
        both = [one for one in (self, other) if one is not None]
        exact = [one for one in both if one.is_settled]
        if exact:
            return exact[0]
        bounds = [one.at_most for one in both if one.at_most is not None]
        if not bounds:
            return self
        shortest = min(bounds)
        if shortest <= seen + 1:
            return SearchProof(self.value, shortest)
        return SearchProof(self.value, at_most=shortest)


@dataclass(slots=True)
class SearchResult:
    """The result of a search at a position."""

    move: Move
    value: float = 0.0
    """The expected score of the side to move, from -1 to 1."""

    proof: SearchProof | None = None
    """The end of the game, if it is proven."""

    depth: int = 0
    nodes: int = 0
    line: list[Move] = field(default_factory=list)
    """The expected moves of both sides, beginning with `move`."""

    is_judged: bool = True
    """False if `value` says nothing without a proof, because the search makes no guesses."""


Tell = Callable[[SearchResult], object]


@dataclass(frozen=True, slots=True)
class Oversight:
    """The oversights of a weaker player, and the noise in its estimates."""

    unseen: frozenset[int]
    """The codes of moves that may end the game without being noticed."""

    noise: float
    """The part of an estimate that is random, from 0 to 1."""

    salt: int
    """64 bits that decide about the random parts."""

    def misjudged(self, guess: float, key: int) -> float:
        """Return an estimate with its random part, which the key of the state decides."""
        mixed = (key ^ self.salt) * MIXER & _BITS
        mixed = (mixed ^ mixed >> 32) * MIXER & _BITS
        return guess * (1 - self.noise) + self.noise * ((mixed >> 33) / (1 << 30) - 1)


@dataclass(slots=True)
class ExaminedMoves:
    """The first moves examined so far at an unfinished depth."""

    left: list[int]
    """The moves that were not examined yet."""

    code: int = -1
    """The best of the examined moves."""

    score: int = -ALL
    """The score of that move at this depth, a lower bound for the position."""


def _value(score: int) -> float:
    return max(-1.0, min(score / PROVEN, 1.0))


def take_whole(  # noqa: PLR0917 - called once per depth
    board: FastBoard, found: SearchResult, looked: ExaminedMoves, depth: int, marks: int, seen: int
) -> None:
    """Store the result of a completed depth, in which all first moves were searched.

    The best score is exact for ends within `seen` plies, or completely if no guess was used. An
    earlier proof still holds, and may have become exact if nothing better was found.
    """
    found.depth = max(found.depth, depth)
    proof: SearchProof | None = None
    if looked.code >= 0:
        found.move, found.value = board.moves[looked.code], _value(looked.score)
        if abs(looked.score) >= PROVEN:
            proof = SearchProof(1 if looked.score > 0 else -1, at_most=WON - abs(looked.score))
        elif not marks & OPEN and found.proof is None:
            proof = SearchProof(0)
    found.line = [found.move]
    if (either := proof or found.proof) is not None:
        found.proof = either.joined(found.proof, seen if marks else ALL)
        found.value = float(either.value)


def take_part(
    board: FastBoard, found: SearchResult, looked: ExaminedMoves, last: dict[int, int], seen: int
) -> None:
    """Store the result of an incomplete depth, which can only be a better move.

    A winning move is a proof, because the other moves do not matter.
    """
    if looked.code < 0:
        return
    if looked.score >= PROVEN:
        found.proof = SearchProof(1, at_most=WON - looked.score).joined(found.proof, seen)
        found.move, found.value = board.moves[looked.code], 1.0
        found.line = [found.move]
    elif found.proof is None:
        hopeful = (code for code in looked.left if last.get(code, 0) > -PROVEN)
        spared = next(hopeful, None) if looked.score <= -PROVEN else None
        if spared is None:
            found.move, found.value = board.moves[looked.code], _value(looked.score)
        else:
            found.move = board.moves[spared]
        found.line = [found.move]
