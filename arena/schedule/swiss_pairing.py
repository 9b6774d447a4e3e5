"""One round of a swiss tournament: the plain Dutch rules, without colours.

The rules are those of FIDE C.04.3 with what speaks of colours left out, for an encounter is played
with both seats; docs/tournaments.md has them in words. People are numbers in the order of seeding,
points are whole numbers. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby, islice
from typing import Final

from lath.arena.schedule.matching import Graph, first_choice, is_perfect, largest

MAX_TRIES: Final = 300
"""Choices of who leaves a score group that are tried, before any legal pairing will do."""


@dataclass(frozen=True, slots=True)
class Past:
    """What has happened before the round."""

    points: Sequence[int]
    """Of each person; the seeding is the order."""

    met: Counter[tuple[int, int]] = field(default_factory=Counter)
    """How often two have met, the smaller number first."""

    byes: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Round:
    """Who plays whom."""

    pairs: tuple[tuple[int, int], ...]
    """From the top of the table to its end; the better placed comes first."""

    bye: int | None = None


def pair_round(past: Past) -> Round:
    """Return the next round; everybody has an opponent, but one where the number is odd.

    >>> pair_round(Past([0, 0, 0, 0, 0]))
    Round(pairs=((0, 2), (1, 3)), bye=4)
    """
    table = sorted(range(len(past.points)), key=lambda who: (-past.points[who], who))
    bye = _bye(table, past) if len(table) % 2 else None
    people = [who for who in table if who != bye]
    graph = _graph(people, past)
    place = {who: number for number, who in enumerate(table)}
    pairs = [tuple(sorted(pair, key=place.__getitem__)) for pair in _paired(people, graph, past)]
    pairs.sort(key=lambda pair: place[pair[0]])
    return Round(tuple((one, other) for one, other in pairs), bye)


def _bye(table: list[int], past: Past) -> int:
    """Return the last of those with the fewest byes without whom nobody must meet twice.

    Where there is no such one, the last of them.
    """
    fewest = min(past.byes[who] for who in table)
    candidates = [who for who in reversed(table) if past.byes[who] == fewest]
    fresh = _fresh(table, past)
    return next(
        (
            who
            for who in candidates
            if is_perfect([other for other in table if other != who], fresh)
        ),
        candidates[0],
    )


def _fresh(people: list[int], past: Past) -> dict[int, list[int]]:
    """Return who has not yet met whom."""
    return {
        one: [other for other in people if other != one and not _met(past, one, other)]
        for one in people
    }


def _met(past: Past, one: int, other: int) -> int:
    return past.met[min(one, other), max(one, other)]


def _graph(people: list[int], past: Past) -> Graph:
    """Return who may meet: who has not met, and as few others as will do, the lowest placed.

    Of those whom no matching of fresh pairs covers, who has met once may meet again; and so on.
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
            if _met(past, one, other) == times:
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
    """Return who plays in the next score group: as few as can be, the lowest placed first."""
    for tried in islice(_choices(bracket), MAX_TRIES):
        gone = set(tried)
        if is_perfect([who for who in bracket if who not in gone], graph) and is_perfect(
            [*tried, *below], graph
        ):
            return tried
    mates = largest([*bracket, *below], graph)
    return tuple(who for who in bracket if mates[who] not in bracket)


def _choices(bracket: list[int]) -> Iterator[tuple[int, ...]]:
    for size in range(len(bracket) % 2, len(bracket) + 1, 2):
        yield from combinations(reversed(bracket), size)


def _bracket(down: list[int], group: list[int], graph: Graph) -> Iterator[tuple[int, int]]:
    """Yield the pairs of a score group and those who came down to it; all can be paired.

    Who came down meets the highest placed that it can; of the rest the upper half meets the lower.
    """
    everybody = [*down, *group]
    wishes = [(who, [*group, *reversed(down)]) for who in down]
    wishes += [(who, [other for other in reversed(everybody) if other != who]) for who in group]
    pairs = first_choice(everybody, graph, wishes)
    assert pairs is not None
    first = [pair for pair in pairs if pair[0] in down]
    yield from first
    rest = [who for who in everybody if not any(who in pair for pair in first)]
    yield from _halves(rest, graph)


def _halves(people: list[int], graph: Graph) -> list[tuple[int, int]]:
    """Pair the upper half with the lower, in order as far as can be; else also within a half."""
    half = len(people) // 2
    upper, lower = people[:half], people[half:]
    across = {who: set(graph[who]) & set(lower) for who in upper}
    across |= {who: set(graph[who]) & set(upper) for who in lower}
    wishes = [(who, lower) for who in upper]
    pairs = first_choice(people, across, wishes)
    if pairs is None:
        wishes = [(who, [*lower, *reversed(upper)]) for who in upper]
        wishes += [(who, lower) for who in lower]
        pairs = first_choice(people, graph, wishes)
    assert pairs is not None
    return pairs
