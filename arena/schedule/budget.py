"""How much one run may play, and where games tell most when there are only so many.

**The rule.** The next pair of games is that of all pairings which makes the widest interval
narrowest. The interval is that of a bot's strength against the mean of the field. It counts in
points of the score that is expected against the bot's closest opponent: by how much a hopeless bot
is worse than all others matters no more than who is best. How much narrower a pair makes it follows
from what results tell (Fisher's information of the model at today's strengths: most where bots are
close, nothing where it is known who wins, less where games of two bots repeated each other) and
from how well the opponent is known (the rank-one update of the covariance). Equals are told apart
by their order. Before that come two floors: bots that no chain of games connects, such as those
without games; and in each fourth pair the bot with the fewest games, so that nobody starves.

**Batches.** What is planned follows from results alone, never from who was faster: a batch is
planned when the last but one is wholly reported, from the results up to that one. What is played of
the last counts as games whose results are not known. A batch ends with the fourth pair of a bot, or
later where a bot has so many pairs that it would have a quarter more: of a new bot nobody knows yet
who is close.

**A bot among known ones.** Where all bots but one have a given strength, only that one plays. Every
second pair is against the opponent that tells most, every other one against the one that it has met
least among those that tell nearly as much. Batches begin with one pair, since each result moves it.
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
    """When a run ends though there is more to play; pairs that have begun are played to their end.

    Of both limits the one that is reached first counts.
    """

    games: int | None = None
    """Games of this run; a pair that begins within them is played whole."""

    seconds: float | None = None
    """From when the first pair may begin."""


UNLIMITED: Final = Budget()

STARVING: Final = 4
"""Each how many-th pair is for the bot with the fewest games."""

LEAST, MOST = 4, 64
"""Pairs: of one bot that a batch may have at least, and of a batch at most."""

GROWTH: Final = 4
"""A batch may have a pair of a bot for each so many that it had before."""


NEARLY: Final = 0.4
"""The part of the most that a pair tells against a bot some 350 Elo points away."""


class Estimates(Protocol):
    """What games so far say of some bots; their order is that in which they were asked for."""

    @property
    def strengths(self) -> Sequence[float]:
        """Return a number a bot, of which differences count."""

    @property
    def covariance(self) -> Sequence[Sequence[float]]:
        """Return how sure they are, and how much together."""

    def information(self, apart: float) -> float:
        """Return what a pair of games between bots so far apart tells of their difference."""


Seen = tuple[str, str, str, Result]
"""Game, first, second and result."""

Estimator = Callable[[Sequence[str], Mapping[Seen, int]], Estimates]
"""Estimates the strengths of bots from what was seen how often."""


Places = tuple[int, int]
"""Of two bots among all, the smaller first."""


class Design:
    """How sure strengths will be after pairs whose results nobody knows yet."""

    def __init__(
        self, estimates: Estimates, may_meet: Collection[Places], news: Mapping[Places, float]
    ) -> None:
        """Of bots that may not meet no information comes; they can only have met before.

        `news` is the share of games that repeated no other, where some did.
        """
        strengths = estimates.strengths
        self.size: Final = len(strengths)
        self._covariance: Final = [list(row) for row in estimates.covariance]
        self._information: Final = [[0.0] * self.size for _ in strengths]
        """Of a pair between two, by the smaller place and the greater."""
        closest = [0.0] * self.size
        for i, j in may_meet:
            each = estimates.information(strengths[i] - strengths[j])
            closest[i], closest[j] = max(closest[i], each), max(closest[j], each)
            self._information[i][j] = each * news.get((i, j), 1.0)
        # Of Davidson's model the slope of the expected score is the variance of a result.
        self._weights: Final = [each**2 for each in closest]
        self._fields: Final = groups(self.size, may_meet)
        """Only of bots that may meet can games tell how they stand to their mean."""

    def widths(self) -> list[float]:
        """Return the variance of each bot against the mean of its field, as it counts."""
        widths = [0.0] * self.size
        for field in self._fields:
            rows = [[self._covariance[i][j] for j in field] for i in field]
            means = [sum(row) / len(field) for row in rows]
            mean = sum(means) / len(field)
            for place, i in enumerate(field):
                widths[i] = self._weights[i] * (rows[place][place] - 2 * means[place] + mean)
        return widths

    def best(self, bot: int, among: Iterable[Places]) -> Places:
        """Return the pairing of which a pair makes the interval of a bot narrowest."""
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
        """Return the pairings that tell most, the best first, and those that tell nearly as much.

        Of a bot among others whose strengths are known.
        """
        told = {(i, j): self._information[i][j] for i, j in among}
        most = max(told.values())
        near = [pairing for pairing, each in told.items() if each >= NEARLY * most]
        return sorted(near, key=told.__getitem__, reverse=True)

    def add(self, pairing: Places) -> None:
        """Count a pair between two as played."""
        i, j = pairing
        information, rows = self._information[i][j], self._covariance
        apart = [row[i] - row[j] for row in rows]
        share = information / (1 + information * (apart[i] - apart[j]))
        for row, each in zip(rows, apart, strict=True):
            by = share * each
            row[:] = [value - by * other for value, other in zip(row, apart, strict=True)]


def groups(size: int, links: Iterable[Places]) -> list[list[int]]:
    """Return places that links connect, each group and all groups in order.

    >>> groups(4, [(2, 3)])
    [[0], [1], [2, 3]]
    """
    of = [[i] for i in range(size)]
    for i, j in links:
        if of[i] is not of[j]:
            less, more = sorted((of[i], of[j]), key=len)
            more += less
            for each in less:
                of[each] = more
    return sorted({id(group): sorted(group) for group in of}.values())


class WhereGamesTell:
    """The rule: says who plays next, of those who may."""

    def __init__(
        self, names: Sequence[str], estimator: Estimator, known: Collection[str] = ()
    ) -> None:
        """`names` are the bots that may play, in their order; strengths of the `known` are given.

        Known are none, or all but one.
        """
        self._known_places: Final = {n for n, name in enumerate(names) if name in known}
        self._places: Final = {name: place for place, name in enumerate(names)}
        self._names: Final = names
        self._estimator: Final = estimator
        self._seen: Final[Counter[Seen]] = Counter()
        """What plans may follow from; a game that repeats another is no evidence."""
        self._known: Final[set[int]] = set()
        """Of the games that another may repeat."""
        self._games: Final[Counter[Places]] = Counter()
        """All games of those that may play, by pairing."""
        self._repeats: Final[Counter[Places]] = Counter()
        self._before: dict[int, list[PlayedGame]] = {}
        """The batch before this one: by the number of its pairs, what is reported of them."""
        self._now: dict[int, list[PlayedGame]] = {}
        self._pairing_of: Final[dict[int, Places]] = {}
        """Of these pairs."""
        self._left: deque[Places] = deque()
        """What of this batch is not handed out."""
        self._planned = 0

    def report(self, played: PlayedGame) -> None:
        """Be told of each game that is stored, and then of each that ends."""
        number = pair_of(played.number)
        for batch in (self._before, self._now):
            if number in batch:
                batch[number].append(played)
                return
        if not self._planned:  # else a pair that was half played: the next run counts it
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
        """Return which of some pairings plays the pair of this number; None until later."""
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
            # No more comes of the batch before: pairings that were stopped are over.
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
        if self._known_places:  # who is known does not end a batch
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
