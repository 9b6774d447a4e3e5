"""Formats whose games are known from the start: round robin, gauntlet, match with or without SPRT.

The n-th pair follows from n alone, so that a million games take no more memory than ten.

The test judges pairs in the order of their numbers, so that the verdict does not depend on how
many were played at the same time; those that ran beyond the deciding one are kept, not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

from lath.arena.schedule.core import HALVES, Dealer, Pair, Schedule, pair_of
from lath.arena.schedule.sprt import Sprt, SprtState, state


class Fixed(Schedule):
    """Each round, all pairings play every game from one opening."""

    keeps_walkovers = False

    def __init__(self, names: Sequence[str], dealer: Dealer) -> None:
        super().__init__(names, dealer)
        self._pairings: Final = self._all_pairings()
        rounds = self._settings.rounds * len(self._settings.games)
        self.pairs: Final = rounds * len(self._pairings)
        """How many pairs there are."""
        self._open: Final = set(self._pairings)
        """Pairings that were not stopped in this run."""
        self._next = 1

    def _all_pairings(self) -> list[tuple[str, str]]:
        """Return every pairing once, in the order of the configuration."""
        return list(combinations(self._names, 2))

    @property
    def total(self) -> int:
        """Return how many games there are."""
        return 2 * self.pairs

    def next(self) -> Pair | None:
        """Return the next pair of which a game is not finished."""
        while self._open and self._next <= self.pairs:
            number = self._next
            self._next += 1
            if not self._is_finished(number) and self._pairing(number) in self._open:
                index = (number - 1) // len(self._pairings)
                round_number = index // len(self._settings.games) + 1
                return self._dealer.deal(
                    number, self._pairing(number), round_number=round_number, index=index
                )
        return None

    def _pairing(self, number: int) -> tuple[str, str]:
        return self._pairings[(number - 1) % len(self._pairings)]

    def report(self, number: int, first: str, second: str, result: str) -> None:  # noqa: ARG002
        """Note that a game is finished."""
        if number <= 2 * self.pairs:
            self.finished.add(number)
            self._reported += 1

    def walkover(self, pair: int, loser: str | None) -> None:  # noqa: ARG002 - tried again anyway
        """Leave the pairing out until the next run."""
        self._open.discard(self._pairing(pair))


class Gauntlet(Fixed):
    """In every round the challengers, the first bots, meet all that are not among them."""

    def _all_pairings(self) -> list[tuple[str, str]]:
        first = self._settings.challengers
        return list(product(self._names[:first], self._names[first:]))


@dataclass(frozen=True, slots=True)
class SprtStanding:
    """How a match with an SPRT stands."""

    names: tuple[str, ...]
    """The bots; the first is the one that may be better."""

    sprt: Sprt
    state: SprtState


class Match(Fixed):
    """All games between the first and the second bot of the configuration, or until a verdict."""

    def __init__(self, names: Sequence[str], dealer: Dealer) -> None:
        super().__init__(names, dealer)
        self._test = state(sprt, [0] * 5) if (sprt := self._settings.sprt) else None
        self._waiting: Final[dict[int, list[int]]] = {}
        """Half points of the first bot in the games of pairs that are not judged yet."""

    @property
    def _deciding_pairs(self) -> int | None:
        """Return how many pairs it took to decide the test; None while it is open."""
        return self._test.pairs if self._test and self._test.verdict else None

    @property
    def total(self) -> int:
        """Return how many games there are at most; once it is decided, how many decided it."""
        return 2 * (self._deciding_pairs or self.pairs)

    @property
    def done(self) -> int:
        """Return how many of them are reported."""
        return min(self._reported, self.total)

    def next(self) -> Pair | None:
        """Return the next pair; none once the test is decided."""
        return None if self._deciding_pairs else super().next()

    def report(self, number: int, first: str, second: str, result: str) -> None:
        """Count a game."""
        super().report(number, first, second, result)
        sprt, test = self._settings.sprt, self._test
        if sprt is None or test is None or number > 2 * self.pairs:
            return
        halves = HALVES.get(result, (0, 0))[first != self._names[0]]
        self._waiting.setdefault(pair_of(number), []).append(halves)
        while test.verdict is None and len(self._waiting.get(test.pairs + 1, [])) == 2:
            counts = list(test.counts)
            counts[sum(self._waiting.pop(test.pairs + 1))] += 1
            test = self._test = state(sprt, counts)

    def standing(self) -> SprtStanding | None:
        """Return how the test stands; None without one."""
        sprt, test = self._settings.sprt, self._test
        return SprtStanding(tuple(self._names), sprt, test) if sprt and test else None
