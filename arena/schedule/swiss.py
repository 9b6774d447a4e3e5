"""The swiss format: in each round, bots with similar scores that have not met play each other.

The rules are those of FIDE C.04.3 without its rules about colours, since an encounter is played
with both sides; docs/reference/tournament-formats.md explains them. A round begins when all games
of the last round are reported. Its pairings follow from the total scores of the earlier rounds. The
number of a pair follows from its round, setup, game type and table.

People are numbers in the order of seeding. Points are half points or products of these, so that
nothing is rounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from itertools import combinations, groupby, islice, pairwise
from statistics import fmean
from typing import Final, NamedTuple

from lath.arena.schedule.core import Dealer, Encounter, InEncounters, Pair
from lath.arena.schedule.matching import Graph, first_choice, is_perfect, largest
from lath.reports.ratings.numerics import shared_ranks

MAX_TRIES: Final = 300
"""Choices of floaters to try for a score group before any legal pairing is accepted."""


@dataclass(frozen=True, slots=True)
class Past:
    """The results before a round."""

    points: Sequence[int]
    """Half points of each person, in the order of seeding."""

    met: Counter[tuple[int, int]] = field(default_factory=Counter)
    """How often two people have met, in either order."""

    byes: Counter[int] = field(default_factory=Counter)

    def times(self, one: int, other: int) -> int:
        """Return how often two people have met."""
        return self.met[one, other] + self.met[other, one]


@dataclass(frozen=True, slots=True)
class Round:
    """The pairings of a round."""

    pairs: tuple[tuple[int, int], ...]
    """Pairs from the top of the table to its end; the better placed person comes first."""

    bye: int | None = None
    absent: tuple[int, ...] = ()
    """People who are not there; they get no points for the round."""


def pair_round(past: Past, absent: Collection[int] = ()) -> Round:
    """Return the next round, in which at most one person has a bye.

    People in `absent` are not paired.

    >>> pair_round(Past([0, 0, 0, 0, 0]))
    Round(pairs=((0, 2), (1, 3)), bye=4, absent=())
    """
    present = (who for who in range(len(past.points)) if who not in absent)
    table = sorted(present, key=lambda who: (-past.points[who], who))
    bye = None
    if len(table) % 2:
        # The lowest of those with the fewest byes, if possible one whose bye lets everyone else
        # avoid a second meeting.
        fewest = min(past.byes[who] for who in table)
        candidates = [who for who in reversed(table) if past.byes[who] == fewest]
        fresh = _fresh(table, past)
        rests = ((who, [other for other in table if other != who]) for who in candidates)
        bye = next((who for who, rest in rests if is_perfect(rest, fresh)), candidates[0])
    people = [who for who in table if who != bye]
    graph = _graph(people, past)
    place = {who: number for number, who in enumerate(table)}
    pairs = [tuple(sorted(pair, key=place.__getitem__)) for pair in _paired(people, graph, past)]
    pairs.sort(key=lambda pair: place[pair[0]])
    return Round(tuple((one, other) for one, other in pairs), bye, tuple(sorted(absent)))


def _fresh(people: list[int], past: Past) -> dict[int, list[int]]:
    """Return the people whom each person has not met yet."""
    return {
        one: [other for other in people if other != one and not past.times(one, other)]
        for one in people
    }


def _graph(people: list[int], past: Past) -> Graph:
    """Return who may meet: all who have not met, and as few others as possible from below.

    If no matching of new pairs covers some people, those who have met once may meet again, and so
    on.
    """
    graph = _fresh(people, past)
    times = 0
    while True:
        covered = largest(people, graph)
        left = [who for who in people if who not in covered]
        if not left:
            return graph
        times += 1
        for one, other in combinations(left, 2):
            if past.times(one, other) == times:
                graph[one].append(other)
                graph[other].append(one)


def _paired(people: list[int], graph: Graph, past: Past) -> Iterator[tuple[int, int]]:
    """Yield the pairs, score group by score group from the top."""
    down: list[int] = []
    below = list(people)
    for _, members in groupby(people, key=past.points.__getitem__):
        group = list(members)
        below = below[len(group) :]
        floaters = _floaters([*down, *group], below, graph)
        yield from _bracket(
            [who for who in down if who not in floaters],
            [who for who in group if who not in floaters],
            graph,
        )
        down = sorted(floaters, key=[*down, *group].index)


def _floaters(bracket: list[int], below: list[int], graph: Graph) -> tuple[int, ...]:
    """Return who moves to the next score group: as few as possible, the lowest placed first."""
    sizes = range(len(bracket) % 2, len(bracket) + 1, 2)
    choices = (gone for size in sizes for gone in combinations(reversed(bracket), size))
    for tried in islice(choices, MAX_TRIES):
        gone = set(tried)
        if is_perfect([who for who in bracket if who not in gone], graph) and is_perfect(
            [*tried, *below], graph
        ):
            return tried
    mates = largest([*bracket, *below], graph)
    return tuple(who for who in bracket if mates[who] not in bracket)


def _bracket(down: list[int], group: list[int], graph: Graph) -> Iterator[tuple[int, int]]:
    """Yield the pairs of a score group and those who moved down to it; all can be paired.

    Those who moved down meet the highest placed person possible. In the rest, the upper half meets
    the lower half.
    """
    everybody = [*down, *group]
    first = first_choice(everybody, graph, [(who, [*group, *reversed(down)]) for who in down])
    assert first is not None
    yield from first
    yield from _halves([who for who in everybody if not any(who in pair for pair in first)], graph)


def _halves(people: list[int], graph: Graph) -> list[tuple[int, int]]:
    """Pair the upper half with the lower half in order; pair within a half only if necessary."""
    half = len(people) // 2
    upper, lower = people[:half], people[half:]
    across = {
        who: set(graph[who]) & set(others)
        for half, others in ((upper, lower), (lower, upper))
        for who in half
    }
    if (pairs := first_choice(people, across, [(who, lower) for who in upper])) is None:
        wishes = [(who, [*lower, *reversed(upper)]) for who in upper]
        pairs = first_choice(people, graph, wishes + [(who, lower) for who in lower])
    assert pairs is not None
    return pairs


@dataclass(frozen=True, slots=True)
class SwissMeeting:
    """The result of an encounter or a bye."""

    one: int
    other: int | None
    """None if `one` had a bye or was absent."""

    halves: tuple[int, int]
    is_played: bool = True
    """True if a game counts or may still be played; False for a forfeit or an absence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwissRow:
    """One row of the table."""

    rank: int
    """Rank by points and tie-breaks; tied bots share a rank."""

    name: str
    """Name of the bot."""

    points: float
    """Points, with byes and walkovers."""

    buchholz: float
    """Points of the opponents, and of a dummy for each round that the bot did not play."""

    sonneborn_berger: float
    """Points of the opponents, each times the share scored against that opponent."""

    byes: int
    """Rounds without an opponent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """An encounter of two bots in a round, or a bye."""

    bots: tuple[str, str | None]
    """The two bots, the better placed first; the second is None in a bye."""

    points: tuple[float, float]
    """Points of each bot."""

    is_over: bool = True
    """True if all games of the encounter are finished."""

    walkovers: int = 0
    """Games that were lost without being played."""

    firsts: tuple[float, float] | None = None
    """Points of each bot in the played games that it began; None in a bye."""


@dataclass(frozen=True, slots=True)
class SwissTable:
    """The standing of a swiss."""

    rows: tuple[SwissRow, ...]
    rounds: tuple[tuple[Paired, ...], ...]
    """The rounds paired so far, in order."""


def table(
    names: Sequence[str], meetings: Iterable[SwissMeeting], full: int, rounds: int | None = None
) -> list[SwissRow]:
    """Return the table; `full` is the sum of half points in an encounter.

    `rounds` is the number of rounds in the tournament. Default: the rounds in `meetings`. Bots that
    are tied after all tie-breaks share a rank, and are listed in the order of the configuration.
    """
    people = range(len(names))
    taken = rounds_of(len(names), meetings)
    if rounds is None:
        rounds = max(map(len, taken))
    scored = [sum(each.halves for each in taken[who]) for who in people]
    buchholz, shares = [0] * len(names), [0] * len(names)
    for who in people:
        for each in taken[who]:
            worth = _worth(each, scored, who, rounds * full // 2)
            buchholz[who] += worth
            shares[who] += each.halves * worth
    keys = [(scored[who], buchholz[who], shares[who]) for who in people]
    by_key = sorted(people, key=lambda who: ([-each for each in keys[who]], who))
    tied = (list(group) for _, group in groupby(by_key, keys.__getitem__))
    rows, rank = [], 1
    for level in (each for group in tied for each in by_direct_encounter(group, taken, full)):
        rows += [
            SwissRow(
                rank=rank,
                name=names[who],
                points=scored[who] / 2,
                buchholz=buchholz[who] / 2,
                sonneborn_berger=shares[who] / full / 2,
                byes=sum(each.other is None and each.is_played for each in taken[who]),
            )
            for who in level
        ]
        rank += len(level)
    return rows


class TakenInRound(NamedTuple):
    """One bot's result in a round."""

    other: int | None
    halves: int
    is_played: bool


def rounds_of(people: int, meetings: Iterable[SwissMeeting]) -> list[list[TakenInRound]]:
    """Return the rounds of each bot."""
    taken: list[list[TakenInRound]] = [[] for _ in range(people)]
    for meeting in meetings:
        one, other, (ours, theirs), is_played = astuple(meeting)
        taken[one].append(TakenInRound(other, ours, is_played))
        if other is not None:
            taken[other].append(TakenInRound(one, theirs, is_played))
    return taken


def _worth(each: TakenInRound, scored: Sequence[int], who: int, draws: int) -> int:
    """Return the half points of an opponent for the tie-breaks: FIDE C.07, article 16.

    A round that was not played counts as one against a dummy with the bot's own score. That score
    is limited to the score of the scheduled opponent (16.4.1). In a bye it is limited to `draws`,
    the score of draws in all rounds (16.4.2). For its opponents, the bot counts with its own points
    (16.3.1), since no bot asks for a bye.
    """
    if each.other is None:
        return min(scored[who], draws)
    theirs = scored[each.other]
    return theirs if each.is_played else min(scored[who], theirs)


def by_direct_encounter(
    tied: list[int], taken: Sequence[Sequence[TakenInRound]], full: int
) -> list[list[int]]:
    """Return groups of bots that are otherwise tied, ranked by their encounters with each other.

    FIDE C.07, article 6. Forfeits do not count, and several encounters count by their average. If
    some encounters are missing, a bot comes first only if it does so whatever their results would
    be, and so on. Bots that are still tied stay in one group.
    """
    against = {
        who: {
            other: fmean(each.halves for each in taken[who] if each.other == other)
            for other in {each.other for each in taken[who] if each.is_played}.intersection(tied)
        }
        for who in tied
    }
    least = {who: sum(against[who].values()) for who in tied}
    most = {who: least[who] + full * (len(tied) - 1 - len(against[who])) for who in tied}
    order = sorted(tied, key=lambda who: (-least[who], -most[who], who))
    cuts = [
        at
        for at in range(1, len(order))
        if min(least[who] for who in order[:at]) > max(most[who] for who in order[at:])
    ]
    if not cuts:
        return [sorted(tied)]
    parts = (order[start:end] for start, end in pairwise([0, *cuts, len(order)]))
    return [level for part in parts for level in by_direct_encounter(part, taken, full)]


class Swiss(InEncounters):
    """Rounds of encounters, each with `pairs` openings per game type, played with both sides."""

    def __init__(self, names: Sequence[str], dealer: Dealer) -> None:
        super().__init__(names, dealer)
        self._tables: Final = len(names) // 2
        self._each: Final = self._settings.pairs * len(self._settings.games)
        """Pairs of games in an encounter."""
        self._pairs: Final = self._settings.rounds * self._tables * self._each
        """Pairs in all rounds."""
        self._rounds: Final[list[Round]] = []
        self._meetings: Final[list[SwissMeeting]] = []
        """Encounters and byes of the rounds that are over."""
        self._next = 1

    @property
    def total(self) -> int:
        """Return the number of games, without those lost by walkover."""
        self._pair_on()
        empty = sum(self._tables - len(each.pairs) for each in self._rounds)
        return 2 * (self._pairs - empty * self._each) - self._lost_games

    def stage(self) -> int:
        """Return the next round to pair, from 0; also a paired round that has not begun."""
        self._pair_on()
        last = len(self._rounds) - 1
        first = last * self._tables * self._each + 1
        tables = range(len(self._rounds[last].pairs)) if self._rounds else ()
        is_begun = any(self._at(last, table).left < 2 * self._each for table in tables)
        if self._rounds and self._next <= first and not is_begun:
            before = sum(1 for _ in self._results(last - 1))
            del self._rounds[last], self._meetings[len(self._meetings) - before :]
        return len(self._rounds)

    def _pair_on(self) -> None:
        """Pair all rounds for which the results are known, also from an earlier run."""
        while len(self._rounds) < self._settings.rounds and self._has_begun(len(self._rounds)):
            pass

    def next(self) -> Pair | None:
        """Return the next open pair of this round, or the first one of the next round."""
        while self._next <= self._pairs and self._has_begun(self._place(self._next)[0]):
            number = self._next
            self._next += 1
            round_number, table = self._place(number)
            if table < len(self._rounds[round_number].pairs) and self._is_open(number):
                one, other = self._rounds[round_number].pairs[table]
                names = self._names[one], self._names[other]
                index = round_number * self._each + (number - 1) // self._tables % self._each
                if not self._is_off(number, names):
                    return self._dealer.deal(
                        number, names, round_number=round_number + 1, index=index
                    )
        return None

    def _place(self, pair: int) -> tuple[int, int]:
        """Return the round of a pair and its table in it, both from 0."""
        return (pair - 1) // (self._tables * self._each), (pair - 1) % self._tables

    def _has_begun(self, round_number: int) -> bool:
        """Return whether a round is paired; pair it if the round before is over."""
        last = round_number - 1
        is_next = len(self._rounds) == round_number
        tables = range(len(self._rounds[last].pairs) if is_next and round_number else 0)
        if is_next and all(self._at(last, t).left <= 0 for t in tables):
            self._meetings.extend(self._results(last, as_played=True))
            taken = rounds_of(len(self._names), self._meetings)
            past = Past([sum(each.halves for each in rounds) for rounds in taken])
            for each in self._meetings:
                if each.other is None:
                    past.byes[each.one] += each.is_played
                else:
                    past.met[each.one, each.other] += 1
            gone = {each.name for each in self._absent if each.covers(round_number)}
            self._rounds.append(
                pair_round(past, [who for who, name in enumerate(self._names) if name in gone])
            )
        return len(self._rounds) > round_number

    def _at(self, round_number: int, table: int) -> Encounter:
        return self._encounter((round_number, table), 2 * self._each)

    def _results(self, round_number: int, *, as_played: bool = False) -> Iterator[SwissMeeting]:
        """Yield the results of a round's encounters so far; nothing for a round below 0.

        `as_played` ignores rulings, since they never change a pairing that was already made.
        """
        if round_number < 0:
            return
        now, names = self._rounds[round_number], self._names
        for table, (one, other) in enumerate(now.pairs):
            encounter = self._at(round_number, table)
            halves = encounter.halves(names[one], names[other], as_played=as_played)
            yield SwissMeeting(one, other, halves, is_played=encounter.is_played)
        if now.bye is not None:
            yield SwissMeeting(now.bye, None, (4 * self._each, 0))
        yield from (SwissMeeting(who, None, (0, 0), is_played=False) for who in now.absent)

    def _encounter_of(self, pair: int) -> Encounter | None:
        return self._at(*self._place(pair)) if pair <= self._pairs else None

    def standing(self) -> SwissTable:
        """Return the table, including the results of the running round."""
        self._pair_on()
        numbers = range(len(self._rounds))
        meetings = [one for number in numbers for one in self._results(number)]
        rows = table(self._names, meetings, 4 * self._each, self._settings.rounds)
        counted = [row for row in rows if row.name not in self._settings.ruled.bots]
        ranks = shared_ranks(row.rank for row in counted)
        return SwissTable(
            tuple(replace(row, rank=rank) for row, rank in zip(counted, ranks, strict=True)),
            tuple(tuple(self._paired(number)) for number in numbers),
        )

    def _paired(self, round_number: int) -> Iterator[Paired]:
        """Yield the encounters of a round, from 0, and its bye."""
        for table_number, meeting in enumerate(self._results(round_number)):
            one, points = self._names[meeting.one], (meeting.halves[0] / 2, meeting.halves[1] / 2)
            if meeting.other is None:
                if meeting.is_played:
                    yield Paired(bots=(one, None), points=points)
            else:
                encounter = self._at(round_number, table_number)
                other = self._names[meeting.other]
                of_one, of_other = encounter.firsts(one, other)
                yield Paired(
                    bots=(one, other),
                    points=points,
                    firsts=(of_one / 2, of_other / 2),
                    is_over=encounter.left <= 0,
                    walkovers=encounter.lost,
                )
