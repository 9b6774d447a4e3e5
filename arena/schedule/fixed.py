"""Formats whose games are known from the start: round robin, gauntlet, match with or without SPRT.

The n-th pair follows from n alone, so that a million games take no more memory than ten.

A match judges pairs in the order of their numbers, so that the verdict does not depend on how many
were played at the same time. Pairs after the deciding one are kept but do not count. All points
count. If games or openings repeat, pairs weigh less (`evidence`). A match ends early if its last
pairs only repeat games.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

from lath.arena.schedule.core import Dealer, Pair, Schedule, pair_of
from lath.arena.schedule.evidence import Worth
from lath.arena.schedule.sprt import Sprt, SprtState, state
from lath.games.core import Result


class Fixed(Schedule):
    """In each round, every pairing plays every game type from one opening."""

    keeps_walkovers = False

    def __init__(self, names: Sequence[str], dealer: Dealer) -> None:
        super().__init__(names, dealer)
        self._pairings: Final = self._all_pairings()
        rounds = self._settings.rounds * len(self._settings.games)
        self.pairs: Final = rounds * len(self._pairings)
        """Number of pairs in all."""
        gone = self._settings.ruled.bots
        self._open: Final = {names for names in self._pairings if gone.isdisjoint(names)}
        """Pairings that this run has not stopped, without disqualified bots."""
        self._unplayed = 2 * rounds * (len(self._pairings) - len(self._open))
        """Games that are not played because a bot is disqualified."""
        self._next = 1

    def _all_pairings(self) -> list[tuple[str, str]]:
        """Return every pairing once, in the order of the configuration."""
        return list(combinations(self._names, 2))

    @property
    def total(self) -> int:
        """Return the number of games, without those of disqualified bots."""
        return 2 * self.pairs - self._unplayed

    def plays_without(self, gone: Collection[str]) -> bool:
        """Return whether two remaining bots have to meet."""
        out = {*gone, *self._settings.ruled.bots}
        return any(out.isdisjoint(names) for names in self._pairings)

    def next(self) -> Pair | None:
        """Return the next pair with an unfinished game."""
        if not any(self.benched.isdisjoint(names) for names in self._open):
            return None
        while self._next <= self.pairs:
            number = self._next
            self._next += 1
            names = self._pairing(number)
            if self._is_finished(number) or names not in self._open:
                continue
            if self.benched.isdisjoint(names):
                index = (number - 1) // len(self._pairings)
                return self._dealer.deal(
                    number, names, round_number=index // len(self._settings.games) + 1, index=index
                )
        return None

    def _pairing(self, number: int) -> tuple[str, str]:
        return self._pairings[(number - 1) % len(self._pairings)]

    def report(self, number: int, first: str, second: str, result: Result, moves: int = 0) -> None:
        """Note that a game is finished."""
        if number <= 2 * self.pairs:
            self.finished.add(number)
            self._reported += 1
            self._unplayed -= not self._settings.ruled.bots.isdisjoint((first, second))
            self._count(number, int(2 * result.points[first != self._names[0]]), moves)

    def _count(self, number: int, halves: int, moves: int) -> None:  # noqa: ARG002 - subclasses use them
        """Count a finished game; `halves` are the half points of the first bot listed."""
        self.repeats.add(moves)

    def walkover(self, pair: int, loser: str | None) -> None:  # noqa: ARG002 - tried again anyway
        """Skip the pairing until the next run."""
        self._open.discard(self._pairing(pair))


@dataclass(frozen=True, slots=True)
class Challenge:
    """The bots of a gauntlet by role."""

    challengers: tuple[str, ...]
    """Bots that meet all the opponents."""

    opponents: tuple[str, ...]
    """Bots that meet the challengers only."""


class Gauntlet(Fixed):
    """A schedule in which the challengers, the first bots, meet all other bots in every round."""

    def _all_pairings(self) -> list[tuple[str, str]]:
        first = self._settings.challengers
        return list(product(self._names[:first], self._names[first:]))

    def standing(self) -> Challenge:
        """Return the roles of the bots; ratings show the rest of the standing."""
        first = self._settings.challengers
        return Challenge(tuple(self._names[:first]), tuple(self._names[first:]))


MOST_POINTS: Final = 100
"""Maximum number of points in the path of a test's LLR."""


class Path:
    """A curve of at most `most` points, evenly spaced, with its last point.

    It takes no more memory for a longer curve.

    >>> path = Path(4)
    >>> for pairs in range(1, 12):
    ...     path.add(pairs, pairs / 2)
    >>> path.points
    ((0, 0.0), (4, 2.0), (8, 4.0), (11, 5.5))
    """

    def __init__(self, most: int = MOST_POINTS, *, first: float = 0.0) -> None:
        """Begin with the value `first` at 0 pairs."""
        self._most: Final = most
        self._every = 1
        self._last = (0, first)
        self._kept: Final = [self._last]

    def add(self, pairs: int, value: float) -> None:
        """Add the next point."""
        self._last = pairs, value
        if pairs % self._every == 0:
            self._kept.append(self._last)
        if len(self._kept) == self._most:
            self._every *= 2
            self._kept[:] = [point for point in self._kept if point[0] % self._every == 0]

    @property
    def points(self) -> tuple[tuple[int, float], ...]:
        """Return the points that are kept, and the last one."""
        return tuple(dict.fromkeys((*self._kept, self._last)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SprtStanding:
    """The standing of a match with an SPRT."""

    names: tuple[str, ...]
    """The bots; the first is the one that may be better."""

    sprt: Sprt
    state: SprtState
    path: tuple[tuple[int, float], ...] = ((0, 0.0),)
    """LLR by the number of pairs that count, thinned out; the last point is the current one."""

    has_stopped: bool
    """True if the test has ended, so that no later pair counts."""

    repeating: int = 0
    """Pairs with a game that repeats an earlier one."""

    why_nothing_new: str = ""
    """Reason why the match stopped without a verdict; empty otherwise."""


IDLE_PAIRS: Final = (10, 3)
"""A match ends after 10 pairs in a row without a new game, and 3 more for each pair that had only
new games. Deterministic bots need that many to show that they repeat themselves from each of many
openings. If setups are drawn at random, it is rare that one has not come up by then."""


@dataclass(frozen=True, slots=True)
class DuplicatesOnly:
    """The standing of a match without a test that was stopped because the bots repeat games."""

    names: tuple[str, ...]
    why_nothing_new: str


class Match(Fixed):
    """All games between the first two bots until a verdict, or until the bots only repeat games."""

    def __init__(self, names: Sequence[str], dealer: Dealer) -> None:
        super().__init__(names, dealer)
        self._test = state(sprt, [0] * 5) if (sprt := self._settings.sprt) else None
        self._path: Final = Path()
        self._worth: Final = Worth(self.repeats)
        self._judged = 0
        """Number of judged pairs, from the first one without a gap."""
        self._new = 0
        """Judged pairs whose games are all new."""
        self._void = 0
        """Judged pairs that a ruling voids."""
        self._idle = 0
        """Last judged pairs in a row with a game that repeats another one."""
        self._waiting: Final[dict[int, list[tuple[int, int, int]]]] = {}
        """Games of pairs that are not judged yet: number, half points of the first bot, and moves
        as in `PlayedGame`."""

    @property
    def _is_decided(self) -> bool:
        return bool(self._test and self._test.verdict)

    @property
    def _has_stopped(self) -> bool:
        """Return whether no further pair will be judged."""
        few, more = IDLE_PAIRS
        return self._is_decided or self._idle >= few + more * self._new

    @property
    def why_nothing_new(self) -> str:
        """Return why more games would add nothing and what to do, or an empty text."""
        if self._is_decided or not self._has_stopped:
            return ""
        return (
            f"each of the last {self._idle} pairs repeats a game, so more pairs add nothing. Use "
            "other openings, bots that use their seed, or another time or number of nodes"
        )

    @property
    def total(self) -> int:
        """Return the most games possible; after the verdict, the games that decided it."""
        return 2 * self._judged if self._is_decided else super().total

    @property
    def done(self) -> int:
        """Return how many of them are reported."""
        return min(self._reported, self.total)

    def next(self) -> Pair | None:
        """Return the next pair; None once the test is decided or the bots only repeat games."""
        return None if self._has_stopped else super().next()

    def _count(self, number: int, halves: int, moves: int) -> None:
        self._waiting.setdefault(pair_of(number), []).append((number, halves, moves))
        while not self._has_stopped and len(self._waiting.get(self._judged + 1, ())) == 2:
            self._judged += 1
            self._judge(sorted(self._waiting.pop(self._judged)))

    def _judge(self, pair: list[tuple[int, int, int]]) -> None:
        """Count a pair, unless one of its games is void."""
        if any(self._settings.ruled.covers(number, *self._names) for number, _, _ in pair):
            self._void += 1
            return
        halves, moves = sum(halves for _, halves, _ in pair), tuple(moves for *_, moves in pair)
        is_new = self._worth.add(self._dealer.opening(self._judged - 1), halves, moves)
        self._new += is_new
        self._idle = 0 if is_new else self._idle + 1
        if (sprt := self._settings.sprt) and self._test:
            self._test = state(sprt, self._worth.counts, self._worth.each)
            self._path.add(self._test.pairs, self._test.llr)

    def standing(self) -> SprtStanding | DuplicatesOnly | None:
        """Return the standing of the test, or why a match without one was stopped, or None."""
        names, why = tuple(self._names), self.why_nothing_new
        if (sprt := self._settings.sprt) is None or self._test is None:
            return DuplicatesOnly(names, why) if why else None
        return SprtStanding(
            names=names,
            sprt=sprt,
            state=self._test,
            path=self._path.points,
            has_stopped=self._has_stopped or self._judged == self.pairs,
            repeating=self._worth.repeating,
            why_nothing_new=why,
        )
