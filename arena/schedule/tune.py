"""Tuning as a schedule: pairs by which options move, then a match of what came of it.

The first pairs are iterations of SPSA between two trials of one bot. The rest are a match, with a
test, of the values in the end against those of the start: the first bot of the configuration is
the tuned one. Results are taken in the order of the pairs' numbers, and a pair follows from those
that are `ahead` of it or more: so neither the order of arrival nor how many are played at a time
changes anything, and a run that was killed goes on to the same pairs.

A pair whose games are not both decided, by whatever mishap, moves nothing by those that are not.
Rulings take no move back: later pairs were played because of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lath.arena.schedule.core import Dealer, Opening, Pair, Ruled, Schedule, Settings, Tags, pair_of
from lath.arena.schedule.fixed import DuplicatesOnly, Match, Path, SprtStanding
from lath.arena.schedule.tuning.spsa import Spsa, TunedOption, Tuning, Values
from lath.games.core import Result
from lath.notation.record.tags import TUNING


@dataclass(frozen=True, slots=True, kw_only=True)
class TunedValue:
    """An option and its value so far."""

    parameter: TunedOption
    at: float
    """Value so far; after the last pair, the best value by all results."""

    value: float
    """The same value, rounded as the bot gets it."""

    path: tuple[tuple[int, float], ...]
    """Where it was after so many pairs, some of them, the last as it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneStanding:
    """How a tuning stands."""

    names: tuple[str, ...]
    """The bots; the first is the tuned one."""

    pairs: int
    """Pairs of trials in all."""

    done: int
    """Pairs of trials that are finished."""

    options: tuple[TunedValue, ...]
    test: SprtStanding | None
    """None before all pairs of tuning are played, and where nothing is tested."""

    is_same: bool
    """Whether the tuned values equal the start values, so that there is nothing to test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _After(Dealer):
    """Deals the pairs of the match, which come after those of tuning."""

    dealer: Dealer
    before: int
    """Pairs of tuning."""

    options: tuple[Values, Values]

    def opening(self, index: int) -> tuple[str, Opening]:
        """Return how the pairs of an `index` of the match begin, as of `deal`."""
        return self.dealer.opening(self.before + index)

    def deal(
        self,
        number: int,
        names: tuple[str, str],
        *,
        round_number: int,
        index: int,
        options: tuple[Values, Values] = ((), ()),  # noqa: ARG002 - they are the same for all
        more: Tags = (),
    ) -> Pair:
        """Return a pair, numbered as all are."""
        return self.dealer.deal(
            self.before + number,
            names,
            round_number=round_number,
            index=self.before + index,
            options=self.options,
            more=more,
        )


class Tune(Schedule):
    """Pairs of tuning, and a match of the values in the end against those of the start."""

    keeps_walkovers = False

    def __init__(self, names: Sequence[str], dealer: Dealer) -> None:
        super().__init__(names, dealer)
        self._tuning: Final = self._settings.tuning or Tuning(parameters=(), pairs=0)
        self._spsa: Final = Spsa(self._tuning, self._settings.seed)
        self._paths: Final = [Path(first=each.start) for each in self._tuning.parameters]
        self._waiting: Final[dict[int, list[int]]] = {}
        """Of pairs that are not taken in yet what the first bot has won more than lost."""
        self._is_off = not self._settings.ruled.bots.isdisjoint(names)
        """Whether nothing more is played: a bot is disqualified, or the pairing was stopped."""
        self._is_stopped = False
        self._next = 1
        self._match: Match | None = None
        self._begin_match()

    def _begin_match(self) -> None:
        """Make the match, once all pairs of tuning are known, where there is something to test."""
        before = self._tuning.pairs
        if self._spsa.done < before or (before and self._spsa.values == self._tuning.start):
            return
        ruled = self._settings.ruled
        later = frozenset(game - 2 * before for game in ruled.games if game > 2 * before)
        settings = Settings(
            games=self._settings.games,
            rounds=self._settings.rounds,
            sprt=self._settings.sprt,
            seed=self._settings.seed,
            ruled=Ruled(later, ruled.bots),
        )
        options = self._spsa.values, self._tuning.start
        self._match = Match(
            self._names, _After(settings, dealer=self._dealer, before=before, options=options)
        )

    @property
    def _is_same(self) -> bool:
        return self._spsa.done == self._tuning.pairs and self._match is None

    @property
    def total(self) -> int:
        """Return how many games there are at most; the test may end before."""
        if self._match is not None:
            return 2 * self._tuning.pairs + self._match.total
        if self._is_off:
            return self._reported
        test = 0 if self._is_same else self._settings.rounds * len(self._settings.games)
        return 2 * (self._tuning.pairs + test)

    @property
    def done(self) -> int:
        """Return how many of them are reported."""
        return self._reported + (self._match.done if self._match else 0)

    def next(self) -> Pair | None:
        """Return the next pair; None while it waits for results, and in the end."""
        if self._is_off or self._is_stopped:
            return None
        if self._match is not None:
            return self._match.next()
        while (number := max(self._next, self._spsa.done + 1)) <= self._spsa.open.stop:
            self._next = number + 1
            if not self._is_finished(number):
                return self._dealer.deal(
                    number,
                    (self._names[0], self._names[1]),
                    round_number=(number - 1) // len(self._settings.games) + 1,
                    index=number - 1,
                    options=self._spsa.trial(number - 1),
                    more=((TUNING, f"pair {number} of {self._tuning.pairs}"),),
                )
        return None

    @property
    def why_nothing_new(self) -> str:
        """Return why more games would tell nothing, and what to do; empty while they may."""
        return self._match.why_nothing_new if self._match else ""

    def report(self, number: int, first: str, second: str, result: Result, moves: int = 0) -> None:
        """Note that a game is finished."""
        before = 2 * self._tuning.pairs
        if number > before:
            if self._match is not None and number - before <= 2 * self._match.pairs:
                self.finished.add(number)
                self._match.report(number - before, first, second, result, moves)
                self.repeats.games += self._match.repeats.games - self._repeated
                self._repeated = self._match.repeats.games
            return
        self.finished.add(number)
        self._reported += 1
        ours, theirs = (result if first == self._names[0] else result.reversed).points
        self._waiting.setdefault(pair_of(number), []).append(int(ours - theirs))
        while len(self._waiting.get(self._spsa.done + 1, ())) == 2:
            self._spsa.report(sum(self._waiting.pop(self._spsa.done + 1)))
            for path, at in zip(self._paths, self._spsa.at, strict=True):
                path.add(self._spsa.done, at)
            self._begin_match()

    _repeated = 0
    """Games of the match that repeat another; those of trials are all new bots'."""

    def walkover(self, pair: int, loser: str | None) -> None:
        """Play no more until the next run."""
        self._is_stopped = True
        if self._match is not None:
            self._match.walkover(max(1, pair - self._tuning.pairs), loser)

    def standing(self) -> TuneStanding:
        """Return how the options stand, and the test."""
        test = self._match.standing() if self._match else None
        values = [value for _, value in self._spsa.values]
        rows = zip(self._tuning.parameters, self._spsa.at, values, self._paths, strict=True)
        return TuneStanding(
            names=tuple(self._names),
            pairs=self._tuning.pairs,
            done=self._spsa.done,
            options=tuple(
                TunedValue(parameter=each, at=at, value=value, path=path.points)
                for each, at, value, path in rows
            ),
            test=None if isinstance(test, DuplicatesOnly) else test,
            is_same=self._is_same,
        )
