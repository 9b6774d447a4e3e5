"""A season of a pool: its match days, and who meets whom on each of them.

On a match day each entry meets at most one opponent. The circle method draws up the days; what is
missing after an entry has come or gone is drawn up anew. Pure.
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
    """Two entries that meet on a match day, and which rounds they play."""

    one: str
    other: str
    first: int
    """The first round, from 1."""

    last: int
    """The last round."""

    def units(self, games: Iterable[str]) -> Iterator[Unit]:
        """Yield the pairs of games that it is made of, round after round."""
        both = min(self.one, self.other), max(self.one, self.other)
        yield from (
            (*both, game, turn) for turn in range(self.first, self.last + 1) for game in games
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledDay:
    """A day of a season."""

    number: int
    """From 1."""

    fixtures: tuple[Fixture, ...]
    is_over: bool = False
    """Whether a run has played all of it that could be played."""

    def units(self, games: Sequence[str]) -> set[Unit]:
        """Return the pairs of games of the day."""
        return {unit for fixture in self.fixtures for unit in fixture.units(games)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonSchedule:
    """A season as a schedule plays it: games before its first pair do not count in it."""

    name: str
    from_pair: int
    """The number of its first pair."""

    offset: int = 0
    """How many openings earlier seasons have used: it begins at the next one."""

    entries: Mapping[str, str] = field(default_factory=dict)
    """The entry of each bot, by the names in records: versions of a bot are one entry."""

    days: tuple[ScheduledDay, ...] = ()
    """All match days: those that were played, then those to come."""

    is_one_day: bool = False
    """Whether only the next match day is played now, of which anything can be played."""

    def entry(self, name: str) -> str:
        """Return the entry that a bot plays for."""
        return self.entries.get(name, name)


def circle(entries: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Return rounds in which each entry meets each other one once, by the circle method.

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
    """Return the match days of a season: those that have `begun`, then those to come.

    Any two entries meet on `legs` days, in `rounds` rounds altogether. What is `played` is not
    wanted again; what a day that has begun still has to play stays on that day. Pairings that were
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
    # As announced, unless the pairings of an entry that came later would take more days by that.
    days = min([*_with_rest(whole, rest)], [*_with_rest([], mixed)], key=len)
    number = max((day.number for day in begun), default=0)
    new = (ScheduledDay(number=number + at, fixtures=tuple(day)) for at, day in enumerate(days, 1))
    return (*begun, *new)


def closed(
    days: Iterable[ScheduledDay], games: Sequence[str], played: AbstractSet[Unit]
) -> Iterator[ScheduledDay]:
    """Yield match days after a run that has played what could be played.

    Those up to the last one with a game are over: what bots that are benched could not play on them
    is put off to a later day.
    """
    days = list(days)
    open_ = (day for day in days if not day.is_over)
    last = max((day.number for day in open_ if not played.isdisjoint(day.units(games))), default=0)
    yield from (replace(day, is_over=day.is_over or day.number <= last) for day in days)


def _with_rest(whole: Sequence[list[Fixture]], rest: list[Fixture]) -> Iterator[list[Fixture]]:
    """Yield days with other fixtures among them: first those of entries that have most to play."""
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
    """Return what is wanted of a fixture; None if nothing is."""
    turns = [unit[-1] for unit in fixture.units(games) if unit not in taken]
    return fixture._replace(first=min(turns), last=max(turns)) if turns else None
