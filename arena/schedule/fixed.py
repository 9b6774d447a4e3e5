"""Formats whose games are known from the start: round robin, gauntlet, match with or without SPRT.

The n-th pair follows from n alone, so that a million games take no more memory than ten.

A match judges pairs in the order of their numbers, so that the verdict does not depend on how many
were played at the same time; those that ran beyond the deciding one are kept, not counted. All
points count; where games or openings come again, pairs are worth less (`evidence`). Where pairs
have long been nothing new, a match ends.
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
    """Each round, all pairings play every game from one opening."""

    keeps_walkovers = False

    def __init__(self, names: Sequence[str], dealer: Dealer) -> None:
        super().__init__(names, dealer)
        self._pairings: Final = self._all_pairings()
        rounds = self._settings.rounds * len(self._settings.games)
        self.pairs: Final = rounds * len(self._pairings)
        """How many pairs there are."""
        gone = self._settings.ruled.bots
        self._open: Final = {names for names in self._pairings if gone.isdisjoint(names)}
        """Pairings that were not stopped in this run, of bots that are not disqualified."""
        self._unplayed = 2 * rounds * (len(self._pairings) - len(self._open))
        """Games that are not played, since a bot is disqualified."""
        self._next = 1

    def _all_pairings(self) -> list[tuple[str, str]]:
        """Return every pairing once, in the order of the configuration."""
        return list(combinations(self._names, 2))

    @property
    def total(self) -> int:
        """Return how many games there are, without those of bots that are disqualified."""
        return 2 * self.pairs - self._unplayed

    def plays_without(self, gone: Collection[str]) -> bool:
        """Return whether two bots are left that are to meet."""
        out = {*gone, *self._settings.ruled.bots}
        return any(out.isdisjoint(names) for names in self._pairings)

    def next(self) -> Pair | None:
        """Return the next pair of which a game is not finished."""
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

    def _count(self, number: int, halves: int, moves: int) -> None:  # noqa: ARG002 - others' affair
        """Count a finished game; `halves` are the half points of the first bot of all."""
        self.repeats.add(moves)

    def walkover(self, pair: int, loser: str | None) -> None:  # noqa: ARG002 - tried again anyway
        """Leave the pairing out until the next run."""
        self._open.discard(self._pairing(pair))


@dataclass(frozen=True, slots=True)
class Challenge:
    """The bots of a gauntlet by their role."""

    challengers: tuple[str, ...]
    """Bots that meet all the opponents."""

    opponents: tuple[str, ...]
    """Bots that meet the challengers only."""


class Gauntlet(Fixed):
    """In every round the challengers, the first bots, meet all that are not among them."""

    def _all_pairings(self) -> list[tuple[str, str]]:
        first = self._settings.challengers
        return list(product(self._names[:first], self._names[first:]))

    def standing(self) -> Challenge:
        """Return who challenges whom: how that stands is a matter of ratings."""
        first = self._settings.challengers
        return Challenge(tuple(self._names[:first]), tuple(self._names[first:]))


MOST_POINTS: Final = 100
"""Of the path of a test's LLR."""


class Path:
    """A curve of at most so many points, evenly spaced, and its end: all memory that it takes.

    >>> path = Path(4)
    >>> for pairs in range(1, 12):
    ...     path.add(pairs, pairs / 2)
    >>> path.points
    ((0, 0.0), (4, 2.0), (8, 4.0), (11, 5.5))
    """

    def __init__(self, most: int = MOST_POINTS, *, first: float = 0.0) -> None:
        """Begin at `first`."""
        self._most: Final = most
        self._every = 1
        self._last = (0, first)
        self._kept: Final = [self._last]

    def add(self, pairs: int, value: float) -> None:
        """Go on by one."""
        self._last = pairs, value
        if pairs % self._every == 0:
            self._kept.append(self._last)
        if len(self._kept) == self._most:
            self._every *= 2
            self._kept[:] = [point for point in self._kept if point[0] % self._every == 0]

    @property
    def points(self) -> tuple[tuple[int, float], ...]:
        """Return what is kept of it."""
        return tuple(dict.fromkeys((*self._kept, self._last)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SprtStanding:
    """How a match with an SPRT stands."""

    names: tuple[str, ...]
    """The bots; the first is the one that may be better."""

    sprt: Sprt
    state: SprtState
    path: tuple[tuple[int, float], ...] = ((0, 0.0),)
    """The LLR after so many pairs that count, some of them, the last as it stands."""

    has_stopped: bool
    """Whether the test has ended: no later pair counts."""

    repeating: int = 0
    """Pairs with a game that repeats an earlier one."""

    why_nothing_new: str = ""
    """Reason why the match stopped without a verdict; empty otherwise."""


IDLE_PAIRS: Final = (10, 3)
"""A match ends after so many pairs in a row that tell nothing new, and so many more for each pair
that did: bots that repeat themselves from each of many openings have then been seen to do so, and
of setups that are drawn it is rare that one has not come yet."""


@dataclass(frozen=True, slots=True)
class DuplicatesOnly:
    """How a match without a test stands that was stopped since bots repeat themselves."""

    names: tuple[str, ...]
    why_nothing_new: str


class Match(Fixed):
    """All games between the first and the second bot of the configuration, or until a verdict.

    Or until they only repeat themselves.
    """

    def __init__(self, names: Sequence[str], dealer: Dealer) -> None:
        super().__init__(names, dealer)
        self._test = state(sprt, [0] * 5) if (sprt := self._settings.sprt) else None
        self._path: Final = Path()
        self._worth: Final = Worth(self.repeats)
        self._judged = 0
        """Pairs, from the first on without a gap."""
        self._new = 0
        """Those of them whose games are new."""
        self._void = 0
        """Those of them that are none by a ruling."""
        self._idle = 0
        """The last ones in a row in which a game repeats another."""
        self._waiting: Final[dict[int, list[tuple[int, int, int]]]] = {}
        """The games of pairs that are not judged yet: numbers, half points of the first bot, moves
        as in Played."""

    @property
    def _is_decided(self) -> bool:
        return bool(self._test and self._test.verdict)

    @property
    def _has_stopped(self) -> bool:
        """Return whether no pair will be judged any more."""
        few, more = IDLE_PAIRS
        return self._is_decided or self._idle >= few + more * self._new

    @property
    def why_nothing_new(self) -> str:
        """Return why more games would tell nothing, and what to do; empty while they may."""
        if self._is_decided or not self._has_stopped:
            return ""
        return (
            f"each of the last {self._idle} pairs repeats a game, so more pairs add nothing. Use "
            "other openings, bots that use their seed, or another time or number of nodes"
        )

    @property
    def total(self) -> int:
        """Return how many games there are at most; once it is decided, how many decided it."""
        return 2 * self._judged if self._is_decided else super().total

    @property
    def done(self) -> int:
        """Return how many of them are reported."""
        return min(self._reported, self.total)

    def next(self) -> Pair | None:
        """Return the next pair; none once the test is decided, or the bots repeat themselves."""
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
        """Return how the test stands; without one why it was stopped, None where it was not."""
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
