"""The tuning format: pairs of games that move options, then a match to test the result.

Each of the first pairs is an iteration of SPSA between two trials of one bot. The other pairs are a
match, with a test, of the final values against the start values; the first bot of the configuration
has the tuned values. Results are used in the order of the pairs' numbers. A pair depends only on
results of pairs that are at least `ahead` pairs earlier. So neither the order of arrival nor the
number of games played at the same time changes anything, and a run that was killed resumes with the
same pairs.

A game that ends without a result, for any reason, does not move the options. Rulings do not undo a
move of the options, because later pairs were played with it.
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
    """A tuned option and its value so far."""

    parameter: TunedOption
    at: float
    """Value so far; after the last pair, the best value by all results."""

    value: float
    """The same value, rounded as the bot gets it."""

    path: tuple[tuple[int, float], ...]
    """Value by the number of pairs, thinned out; the last point is the current one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneStanding:
    """The standing of a tuning."""

    names: tuple[str, ...]
    """The bots; the first is the tuned one."""

    pairs: int
    """Pairs of trials in all."""

    done: int
    """Pairs of trials that are finished."""

    options: tuple[TunedValue, ...]
    test: SprtStanding | None
    """Standing of the test; None before all pairs of tuning are played, or without a test."""

    is_same: bool
    """True if the tuned values equal the start values, so that there is nothing to test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _After(Dealer):
    """Deals the pairs of the match, whose numbers follow those of tuning."""

    dealer: Dealer
    before: int
    """Number of pairs of tuning."""

    options: tuple[Values, Values]

    def opening(self, index: int) -> tuple[str, Opening]:
        """Return the opening of a pair in the match; `index` is as in `deal`."""
        return self.dealer.opening(self.before + index)

    def deal(
        self,
        number: int,
        names: tuple[str, str],
        *,
        round_number: int,
        index: int,
        options: tuple[Values, Values] = ((), ()),  # noqa: ARG002 - all pairs use the same
        more: Tags = (),
    ) -> Pair:
        """Return a pair of the match, numbered after those of tuning."""
        return self.dealer.deal(
            self.before + number,
            names,
            round_number=round_number,
            index=self.before + index,
            options=self.options,
            more=more,
        )


class Tune(Schedule):
    """Pairs of tuning, then a match of the final values against the start values."""

    keeps_walkovers = False

    def __init__(self, names: Sequence[str], dealer: Dealer) -> None:
        super().__init__(names, dealer)
        self._tuning: Final = self._settings.tuning or Tuning(parameters=(), pairs=0)
        self._spsa: Final = Spsa(self._tuning, self._settings.seed)
        self._paths: Final = [Path(first=each.start) for each in self._tuning.parameters]
        self._waiting: Final[dict[int, list[int]]] = {}
        """Games won minus games lost by the first bot, for pairs that are not used yet."""
        self._is_off = not self._settings.ruled.bots.isdisjoint(names)
        """True if nothing more is played: a bot is disqualified, or the pairing was stopped."""
        self._is_stopped = False
        self._next = 1
        self._match: Match | None = None
        self._begin_match()

    def _begin_match(self) -> None:
        """Make the match once all pairs of tuning are known, if there is something to test."""
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
        """Return the most games that may be played; the test may end earlier."""
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
        """Return the next pair; None while it depends on results to come, and at the end."""
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
        """Return why more games would add nothing and what to do, or an empty text."""
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
    """Games of the match that repeat another one; each trial is a new bot, so its games do not."""

    def walkover(self, pair: int, loser: str | None) -> None:
        """Play nothing more until the next run."""
        self._is_stopped = True
        if self._match is not None:
            self._match.walkover(max(1, pair - self._tuning.pairs), loser)

    def standing(self) -> TuneStanding:
        """Return the values of the options so far, and the standing of the test."""
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
