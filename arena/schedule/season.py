"""The match days of a pool's season, and the pairings of each day.

On a match day each entry meets at most one opponent. The circle method makes the plan. If entries
come or go, the missing pairings are planned again. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import NamedTuple

Unit = tuple[str, str, str, int]
"""Two entries in the order of their names, a game type, and the round of the pair they play."""


class Fixture(NamedTuple):
    """Two entries that meet on a match day, and the rounds that they play."""

    one: str
    other: str
    first: int
    """The first round, from 1."""

    last: int
    """The last round."""

    def units(self, games: Iterable[str]) -> Iterator[Unit]:
        """Yield the pairs of the fixture, round by round."""
        both = min(self.one, self.other), max(self.one, self.other)
        yield from (
            (*both, game, turn) for turn in range(self.first, self.last + 1) for game in games
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledDay:
    """A match day of a season."""

    number: int
    """Number of the day, from 1."""

    fixtures: tuple[Fixture, ...]
    is_over: bool = False
    """True if a run has played everything on this day that could be played."""

    def units(self, games: Sequence[str]) -> set[Unit]:
        """Return all pairs of the day."""
        return {unit for fixture in self.fixtures for unit in fixture.units(games)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonSchedule:
    """A season as a schedule uses it; games before its first pair do not count."""

    name: str
    from_pair: int
    """The number of its first pair."""

    offset: int = 0
    """Number of openings that earlier seasons have used; the season begins at the next one."""

    entries: Mapping[str, str] = field(default_factory=dict)
    """Entry of each bot by its name in the records; all versions of a bot share an entry."""

    days: tuple[ScheduledDay, ...] = ()
    """All match days: those already played, then future ones."""

    is_one_day: bool = False
    """True if the run plays only the next match day on which a pair can be played."""

    def entry(self, name: str) -> str:
        """Return the entry for which a bot plays."""
        return self.entries.get(name, name)


def circle(entries: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Return rounds in which each entry meets each other entry once, by the circle method.

    With an odd number of entries one rests in each round.

    >>> circle(["a", "b", "c", "d"])
    [[('a', 'd'), ('b', 'c')], [('a', 'c'), ('d', 'b')], [('a', 'b'), ('c', 'd')]]
    >>> circle(["a", "b", "c"])
    [[('b', 'c')], [('a', 'c')], [('a', 'b')]]
    """
    ring: list[str | None] = [*entries, *([None] if len(entries) % 2 else [])]
    rounds = []
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        both = zip(ring[:half], reversed(ring[half:]), strict=True)
        rounds.append(
            [(one, other) for one, other in both if one is not None and other is not None]
        )
        ring.insert(1, ring.pop())
    return rounds


def drawn_up(
    entries: Sequence[str],
    *,
    games: Sequence[str],
    rounds: int,
    legs: int,
    played: AbstractSet[Unit],
    begun: Sequence[ScheduledDay] = (),
) -> tuple[ScheduledDay, ...]:
    """Return the match days of a season: the days in `begun`, then new days.

    Any two entries meet on `legs` days, in `rounds` rounds altogether. Pairs in `played` are not
    planned again. The missing pairs of a day that has begun stay on that day. Pairings that were
    missed, such as those of an entry that came later, are made up for.
    """
    taken = set(played).union(*(day.units(games) for day in begun if not day.is_over))
    whole: list[list[Fixture]] = []
    rest: list[Fixture] = []
    for leg in range(legs):
        first, last = leg * rounds // legs + 1, (leg + 1) * rounds // legs
        for pairings in circle(entries):
            wanted = [Fixture(one, other, first, last) for one, other in pairings]
            left = [found for each in wanted if (found := _left(each, games, taken))]
            if left == wanted:
                whole.append(left)
            else:
                rest += left
    mixed = [each for day in whole for each in day] + rest
    # Keep the announced days, unless the missed pairings would then take more days.
    days = min([*_with_rest(whole, rest)], [*_with_rest([], mixed)], key=len)
    number = max((day.number for day in begun), default=0)
    new = (ScheduledDay(number=number + at, fixtures=tuple(day)) for at, day in enumerate(days, 1))
    return (*begun, *new)


def closed(
    days: Iterable[ScheduledDay], games: Sequence[str], played: AbstractSet[Unit]
) -> Iterator[ScheduledDay]:
    """Yield the match days as they stand after a complete run.

    Every day up to the last one with a played game is over. The pairs that benched bots missed on
    these days are put off to a later day.
    """
    days = list(days)
    open_ = (day for day in days if not day.is_over)
    last = max((day.number for day in open_ if not played.isdisjoint(day.units(games))), default=0)
    yield from (replace(day, is_over=day.is_over or day.number <= last) for day in days)


def _with_rest(whole: Sequence[list[Fixture]], rest: list[Fixture]) -> Iterator[list[Fixture]]:
    """Yield days with the missed fixtures added; entries with most games to play come first."""
    rest, at = [*rest], 0
    while rest or at < len(whole):
        day = [*whole[at]] if at < len(whole) else []
        at += 1
        busy = {name for fixture in day for name in fixture[:2]}
        left = Counter(name for fixture in rest for name in fixture[:2])
        for fixture in sorted(rest, key=lambda one: sorted((-left[one[0]], -left[one[1]]))):
            if busy.isdisjoint(fixture[:2]):
                busy.update(fixture[:2])
                day.append(fixture)
                rest.remove(fixture)
        yield day


def _left(fixture: Fixture, games: Sequence[str], taken: AbstractSet[Unit]) -> Fixture | None:
    """Return the part of a fixture that is not in `taken`, or None if all of it is."""
    turns = [unit[-1] for unit in fixture.units(games) if unit not in taken]
    return fixture._replace(first=min(turns), last=max(turns)) if turns else None
