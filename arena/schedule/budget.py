"""The limits of one run, and the rule that plays the most informative pairs first.

**The rule.** The rule looks for the bot whose strength is least certain, and picks the pair of
games that narrows the interval of that bot most. The interval is the one of the bot's strength
against the mean of the field. Its unit is the expected score against the bot's closest opponent, so
that the exact strength of a hopeless bot matters no more than the order at the top.

Two things decide how much a pair narrows the interval. The first is the Fisher information of its
results at today's strengths, which is highest for bots of equal strength and lower if the two bots
repeat their games. The second is how well the opponent is known (the rank-one update of the
covariance). Ties are broken by the order of the bots.

Two cases come before this rule:

- Bots that no chain of games connects, such as those without games, are connected first.
- Every fourth pair is for the bot with the fewest games, so that every bot plays.

**Batches.** A plan follows from results alone, never from the speed of the bots. The rule plans
batch n when all pairs of batch n - 2 are reported, and uses the results up to that batch. The pairs
of batch n - 1 count as games with unknown results. A batch ends when a bot has four pairs in it, or
a quarter of the pairs that the bot had before, if that is more. So a new bot, whose strength is
unknown, gets small batches.

**A bot among known ones.** If all bots but one have a given strength, only that one plays. Every
second pair is against the most informative opponent. The other pairs are against the opponent that
it has met least among those that are nearly as informative. A batch begins with one pair, since
each result moves the strength.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from lath.arena.schedule.core import PlayedGame, pair_of
from lath.arena.schedule.pool import Pairing
from lath.games.core import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The limits of a run; the first limit reached ends it.

    Pairs that have begun are played to their end.
    """

    games: int | None = None
    """Number of games in this run. A pair that begins within the limit is played whole."""

    seconds: float | None = None
    """Seconds from the moment when the first pair may begin."""


UNLIMITED: Final = Budget()

STARVING: Final = 4
"""Every `STARVING`-th pair is for the bot with the fewest games."""

LEAST, MOST = 4, 64
"""Fewest pairs of one bot that end a batch, and most pairs of a batch."""

GROWTH: Final = 4
"""A batch may have one pair of a bot for each `GROWTH` pairs that the bot had before."""


NEARLY: Final = 0.4
"""Share of the highest information that counts as nearly as informative: that of a pair against a
bot about 350 Elo away."""


class Estimates(Protocol):
    """Estimated strengths of bots, in the order in which the caller named the bots."""

    @property
    def strengths(self) -> Sequence[float]:
        """Return one number per bot; only differences count."""

    @property
    def covariance(self) -> Sequence[Sequence[float]]:
        """Return the covariance matrix of the strengths."""

    def information(self, apart: float) -> float:
        """Return the Fisher information of a pair of games at a difference in strength."""


Seen = tuple[str, str, str, Result]
"""Game type, first bot, second bot and result."""

Estimator = Callable[[Sequence[str], Mapping[Seen, int]], Estimates]
"""Estimates the strengths of bots from the results and how often each came."""


Places = tuple[int, int]
"""Places of two bots in the list of all bots, the smaller first."""


class Design:
    """Predicts how certain strengths will be after pairs whose results are not known yet."""

    def __init__(
        self, estimates: Estimates, may_meet: Collection[Places], news: Mapping[Places, float]
    ) -> None:
        """Only the pairings in `may_meet` can add information; others count only as past games.

        `news` has the share of new games for each pairing in which games repeated others.
        """
        strengths = estimates.strengths
        self.size: Final = len(strengths)
        self._covariance: Final = [list(row) for row in estimates.covariance]
        self._information: Final = [[0.0] * self.size for _ in strengths]
        """The information of a pair between two bots, by the smaller place and the greater."""
        closest = [0.0] * self.size
        for i, j in may_meet:
            each = estimates.information(strengths[i] - strengths[j])
            closest[i], closest[j] = max(closest[i], each), max(closest[j], each)
            self._information[i][j] = each * news.get((i, j), 1.0)
        # The variance of a result is the slope of the expected score in Davidson's model.
        self._weights: Final = [each**2 for each in closest]
        self._fields: Final = groups(self.size, may_meet)
        """Bots that can be compared: games tell nothing about bots that no allowed pairing
        connects."""

    def widths(self) -> list[float]:
        """Return the weighted variance of each bot against the mean of its field."""
        widths = [0.0] * self.size
        for field in self._fields:
            rows = [[self._covariance[i][j] for j in field] for i in field]
            means = [sum(row) / len(field) for row in rows]
            mean = sum(means) / len(field)
            for place, i in enumerate(field):
                widths[i] = self._weights[i] * (rows[place][place] - 2 * means[place] + mean)
        return widths

    def best(self, bot: int, among: Iterable[Places]) -> Places:
        """Return the pairing whose next pair narrows the interval of `bot` most."""
        field = next(field for field in self._fields if bot in field)
        rows = self._covariance
        variances = [row[i] for i, row in enumerate(rows)]
        means = [sum(row[j] for j in field) / len(field) for row in rows]
        with_bot = [row[bot] - mean for row, mean in zip(rows, means, strict=True)]
        best, most = (-1, -1), -1.0
        for i, j in among:
            information = self._information[i][j]
            apart = with_bot[i] - with_bot[j]
            unknown = variances[i] + variances[j] - 2 * rows[i][j]
            gain = information * apart * apart / (1 + information * unknown)
            if gain > most:
                best, most = (i, j), gain
        return best

    def nearly_best(self, among: Iterable[Places]) -> list[Places]:
        """Return the most informative pairings, best first, with those that are nearly as good.

        For a field in which all strengths but one are known.
        """
        told = {(i, j): self._information[i][j] for i, j in among}
        most = max(told.values())
        near = [pairing for pairing, each in told.items() if each >= NEARLY * most]
        return sorted(near, key=told.__getitem__, reverse=True)

    def add(self, pairing: Places) -> None:
        """Count a pair between two bots as played."""
        i, j = pairing
        information, rows = self._information[i][j], self._covariance
        apart = [row[i] - row[j] for row in rows]
        share = information / (1 + information * (apart[i] - apart[j]))
        for row, each in zip(rows, apart, strict=True):
            by = share * each
            row[:] = [value - by * other for value, other in zip(row, apart, strict=True)]


def groups(size: int, links: Iterable[Places]) -> list[list[int]]:
    """Return groups of places that links connect; each group and the list are sorted."""
    of = [[i] for i in range(size)]
    for i, j in links:
        if of[i] is not of[j]:
            less, more = sorted((of[i], of[j]), key=len)
            more += less
            for each in less:
                of[each] = more
    return sorted({id(group): sorted(group) for group in of}.values())


class WhereGamesTell:
    """The rule that picks the most informative of the allowed pairings."""

    def __init__(
        self, names: Sequence[str], estimator: Estimator, known: Collection[str] = ()
    ) -> None:
        """`names` are the bots that may play, in their order; the strengths of `known` are given.

        `known` has no bot, or all but one.
        """
        self._known_places: Final = {n for n, name in enumerate(names) if name in known}
        self._places: Final = {name: place for place, name in enumerate(names)}
        self._names: Final = names
        self._estimator: Final = estimator
        self._seen: Final[Counter[Seen]] = Counter()
        """Results from which plans may follow; games that repeat others are left out."""
        self._known: Final[set[int]] = set()
        """Hashes of the games that another game may repeat."""
        self._games: Final[Counter[Places]] = Counter()
        """Games between bots that may play, by pairing."""
        self._repeats: Final[Counter[Places]] = Counter()
        self._before: dict[int, list[PlayedGame]] = {}
        """The games reported of the batch before this one, by pair number."""
        self._now: dict[int, list[PlayedGame]] = {}
        self._pairing_of: Final[dict[int, Places]] = {}
        """The pairing of each pair in both batches."""
        self._left: deque[Places] = deque()
        """Pairings of this batch that are still to be handed out."""
        self._planned = 0

    def report(self, played: PlayedGame) -> None:
        """Take a stored game, or one that has just ended."""
        number = pair_of(played.number)
        for batch in (self._before, self._now):
            if number in batch:
                batch[number].append(played)
                return
        if not self._planned:  # a pair that was half played before this run counts in the next run
            self._see(played)

    def _see(self, played: PlayedGame) -> None:
        is_new = True
        if played.moves:
            key = hash((played.game, played.first, played.second, played.moves))
            is_new = key not in self._known
            self._known.add(key)
        if is_new:
            self._seen[played.game, played.first, played.second, played.result] += 1
        if {played.first, played.second} <= self._places.keys() and played.first != played.second:
            place = self._place((played.first, played.second))
            self._games[place] += 1
            self._repeats[place] += not is_new

    def next(self, pairings: Sequence[Pairing], pair: int) -> Pairing | None:
        """Return the pairing that plays this pair, or None if it depends on results to come."""
        may_meet = {self._place(names): names for names in pairings}
        may_meet = {
            place: names for place, names in may_meet.items() if {*place} - self._known_places
        }
        while True:
            while self._left:
                if (place := self._left.popleft()) in may_meet:
                    self._now[pair] = []
                    self._pairing_of[pair] = place
                    return may_meet[place]
            # Pairings that were stopped will report no more games.
            is_reported = all(
                len(games) == 2 or self._pairing_of[number] not in may_meet
                for number, games in self._before.items()
            )
            if not may_meet or not is_reported:
                return None
            for number, games in self._before.items():
                del self._pairing_of[number]
                for played in games:
                    self._see(played)
            self._before, self._now = self._now, {}
            self._left.extend(self._batch(list(may_meet)))

    def _place(self, names: Pairing) -> Places:
        one, other = sorted(map(self._places.__getitem__, names))
        return one, other

    def _batch(self, may_meet: list[Places]) -> list[Places]:
        estimates = self._estimator(self._names, self._seen)
        news = {place: 1 - n / self._games[place] for place, n in self._repeats.items() if n}
        design = Design(estimates, may_meet, news)
        met = self._games.copy()
        for number in self._before:
            met[self._pairing_of[number]] += 2
            if self._pairing_of[number] in may_meet:
                design.add(self._pairing_of[number])
        games_of: Counter[int] = Counter()
        for pairing, games in met.items():
            for bot in pairing:
                games_of[bot] += games
        least = 1 if self._known_places else LEAST
        most = {bot: max(least, games_of[bot] // 2 // GROWTH) for bot in range(design.size)}
        if self._known_places:  # a bot of known strength does not end a batch
            most |= dict.fromkeys(self._known_places, MOST + 1)
        batch: list[Places] = []
        while len(batch) < MOST and min(most.values()) > 0:
            pairing = self._next_of(design, may_meet, met, games_of)
            batch.append(pairing)
            self._planned += 1
            design.add(pairing)
            met[pairing] += 2
            for bot in pairing:
                games_of[bot] += 2
                most[bot] -= 1
        return batch

    def _next_of(
        self,
        design: Design,
        may_meet: list[Places],
        met: Mapping[Places, int],
        games_of: Mapping[int, int],
    ) -> Places:
        if self._known_places:
            near = design.nearly_best(may_meet)
            if self._planned % 2:
                return min(near, key=lambda pairing: met.get(pairing, 0))
            return near[0]
        bots = sorted({bot for pairing in may_meet for bot in pairing})
        place = {bot: n for n, group in enumerate(groups(design.size, met)) for bot in group}
        apart = [(i, j) for i, j in may_meet if place[i] != place[j]]
        if not apart and self._planned % STARVING == STARVING - 1:
            fewest = min(bots, key=games_of.__getitem__)
            return design.best(fewest, [pairing for pairing in may_meet if fewest in pairing])
        return design.best(max(bots, key=design.widths().__getitem__), apart or may_meet)
