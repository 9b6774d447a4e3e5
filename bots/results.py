"""The budget, the result and the proofs of a search, which all searches of bots share."""

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
