"""The seasons of a league: tables by points, after each match day and over all seasons.

Points decide, and entries with equal points share a rank. All versions of a bot are one entry.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from typing_extensions import TypedDict

from lath.games.core import Result
from lath.notation.record.record import Record
from lath.notation.record.tags import MATCH_DAY, SEASON
from lath.reports.counting.standings import Refused, why_left_out
from lath.reports.ratings.numerics import shared_ranks
from lath.reports.schema import Amount, Count, Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchDay:
    """A scheduled match day."""

    number: Positive
    fixtures: tuple[tuple[str, str, Positive, Positive], ...]
    """The two entries of each fixture, with its first and last round."""

    is_over: bool
    date: str = ""
    """The planned date, such as `2026-12-05`; empty without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    """The stored facts of a season."""

    name: str
    from_pair: Positive
    offset: Count
    date: str
    """The date of its start."""

    days: tuple[MatchDay, ...] = ()
    entries: Mapping[str, str] = field(default_factory=dict)
    """The entry of each bot, by its name in records; other names are entries themselves."""

    marks: Mapping[str, str] = field(default_factory=dict)
    """The status of entries that do not play now, such as `benched`."""

    is_past: bool = False
    """True if a later season has begun, so that no match day remains."""

    def entered(self, until: int | None = None) -> set[str]:
        """Return the scheduled entries, up to a match day."""
        return {
            name
            for day in self.days
            if until is None or day.number <= until
            for fixture in day.fixtures
            for name in fixture[:2]
        }


class SeasonRow(TypedDict):
    """An entry in a table of points."""

    rank: Positive
    """Entries that are equal by the rule share a rank."""
    name: str
    """The entry."""
    games: Count
    """Counted games."""
    wins: Count
    """Games won."""
    draws: Count
    """Games drawn."""
    losses: Count
    """Games lost."""
    points: Amount
    """One per win, half per draw."""
    mark: str
    """`benched`, `retired` or `disqualified`; empty if the entry plays."""


class Pairing(TypedDict):
    """Two entries on a match day, and their points against each other."""

    one: str
    """The first entry."""
    other: str
    """The second entry."""
    points: Amount
    """Points of the first entry."""
    against: Amount
    """Points of the second entry."""


class PlayedDay(TypedDict):
    """A match day that was played."""

    number: Positive
    """Number of the match day, from 1."""
    first: str
    """Date of its first game; empty if unknown."""
    last: str
    """Date of its last game; empty if unknown."""
    results: list[Pairing]
    """Results by pairing."""
    put_off: list[list[str]]
    """Pairings that were not played on that day, for example of benched entries."""
    table: list[SeasonRow]
    """The table after the day."""


class Coming(TypedDict):
    """A match day that has not been played yet."""

    number: Positive
    """Number of the match day."""
    date: str
    """The planned date; empty without one."""
    pairings: list[list[str]]
    """Pairs of entries that meet."""
    rests: list[str]
    """Entries without an opponent."""


class SeasonView(TypedDict):
    """The facts of a season that are shown."""

    name: str
    """Name of the season."""
    table: list[SeasonRow]
    """The table of the season."""
    days: list[PlayedDay]
    """Match days played, in order."""
    coming: list[Coming]
    """Match days that can be played, the next one first."""
    waits_for: list[str]
    """Benched entries, if only their games are left."""
    all_time: list[SeasonRow]
    """The table of all games of all seasons."""


_Game = tuple[str, str, Result]
"""First player, second player and result."""


def table_of(
    games: Mapping[_Game, int],
    entries: Mapping[str, str],
    entered: Iterable[str] = (),
    marks: Mapping[str, str] | None = None,
) -> list[SeasonRow]:
    """Return the table of points of games, given with the number of each result.

    Every entry in `entered` has a row, even without games.
    """
    halves = defaultdict[str, Counter[str]](Counter)
    for name in entered:
        halves[name].update(())
    for (first, second, result), number in games.items():
        for name, scored in zip((first, second), result.points, strict=True):
            halves[entries.get(name, name)][_WORDS[scored]] += number
    ordered = sorted(halves, key=lambda name: (-_points(halves[name]), name))
    ranks = shared_ranks([-_points(halves[name]) for name in ordered])
    return [
        {
            "rank": rank,
            "name": name,
            "games": halves[name].total(),
            "wins": halves[name]["wins"],
            "draws": halves[name]["draws"],
            "losses": halves[name]["losses"],
            "points": _points(halves[name]),
            "mark": (marks or {}).get(name, ""),
        }
        for rank, name in zip(ranks, ordered, strict=True)
    ]


_WORDS: Final = {1.0: "wins", 0.5: "draws", 0.0: "losses"}


def _points(score: Mapping[str, int]) -> float:
    return score["wins"] + score["draws"] / 2


class SeasonCounter:
    """Counts the games of a league by season and match day, and passes on one season's records."""

    def __init__(self, season: Season | None) -> None:
        """Begin with the season that is shown; None to pass on all games."""
        self._season: Final = season
        self._games: Final = defaultdict[tuple[bool, int], Counter[_Game]](Counter)
        """The games by membership of the season and by match day; 0 without a match day."""
        self._dates: Final = defaultdict[int, set[str]](set)

    def shown(self, records: Iterable[Record | Refused]) -> Iterator[Record | Refused]:
        """Yield the records of the season, and count all."""
        for record in records:
            if self._season is None or isinstance(record, Refused):
                yield record
                continue
            is_of_season = record.tag(SEASON) == self._season.name
            day = record.tag(MATCH_DAY)
            number = int(day) if is_of_season and day.isdecimal() and len(day) < 10 else 0
            if not why_left_out(record):
                self._games[is_of_season, number][record.first, record.second, record.result] += 1
                dates = self._dates[number]
                dates.add(record.tag("Date"))
                self._dates[number] = {min(dates), max(dates)}
            if is_of_season:
                yield record

    def told(self) -> SeasonView | None:
        """Return the facts of the season that are shown; None without a season."""
        if self._season is None:
            return None
        season, entries = self._season, self._season.entries
        so_far: Counter[_Game] = Counter(self._games.get((True, 0), {}))
        days: list[PlayedDay] = []
        known = {day.number: day for day in season.days if day.is_over}
        with_games = {day for is_of_season, day in self._games if is_of_season and day}
        for number in sorted(with_games | known.keys()):
            games = self._games.get((True, number), Counter())
            so_far += games
            dates = sorted(self._dates.get(number, {""}))
            results = _results(games, entries)
            met = {frozenset((one["one"], one["other"])) for one in results}
            wanted = known[number].fixtures if number in known else ()
            days.append(
                {
                    "number": number,
                    "first": dates[0],
                    "last": dates[-1],
                    "results": results,
                    "put_off": [[*one[:2]] for one in wanted if frozenset(one[:2]) not in met],
                    "table": table_of(so_far, entries, season.entered(number), season.marks),
                }
            )
        benched = [name for name, mark in season.marks.items() if mark == "benched"]
        coming, waits_for = to_come([] if season.is_past else season.days, benched)
        everything: Counter[_Game] = sum(self._games.values(), Counter())
        return {
            "name": season.name,
            "table": table_of(so_far, entries, season.entered(), season.marks),
            "days": days,
            "coming": coming,
            "waits_for": waits_for,
            "all_time": table_of(everything, entries, season.entered(), season.marks),
        }


def _results(games: Mapping[_Game, int], entries: Mapping[str, str]) -> list[Pairing]:
    """Return the points of each two entries against each other, by name."""
    scores = defaultdict[tuple[str, str], list[float]](lambda: [0.0, 0.0])
    for (first, second, result), number in games.items():
        one, other = entries.get(first, first), entries.get(second, second)
        both = min(one, other), max(one, other)
        of_first, of_second = (result if one == both[0] else result.reversed).points
        scores[both][0] += number * of_first
        scores[both][1] += number * of_second
    return [
        {"one": one, "other": other, "points": points, "against": against}
        for (one, other), (points, against) in sorted(scores.items())
    ]


def to_come(days: Iterable[MatchDay], benched: Collection[str]) -> tuple[list[Coming], list[str]]:
    """Return the future match days that can be played while these entries are benched.

    The second value has the benched entries that the season waits for, if no match day can be
    played.
    """
    open_days = [day for day in days if not day.is_over]
    names = {name for day in open_days for fixture in day.fixtures for name in fixture[:2]}
    left: list[Coming] = [
        {
            "number": day.number,
            "date": day.date,
            "pairings": [list(fixture[:2]) for fixture in day.fixtures],
            "rests": sorted(names.difference(*(fixture[:2] for fixture in day.fixtures))),
        }
        for day in open_days
    ]
    playable = [day for day in left if any(map({*benched}.isdisjoint, day["pairings"]))]
    return playable, [] if playable else sorted(names.intersection(benched))


def waiting_words(names: Sequence[str]) -> str:
    """Return the words for the benched entries that a season waits for.

    >>> waiting_words(["Hal"]), waiting_words(["Finn", "Hal"])
    ('waits for Hal, which is benched', 'waits for Finn and Hal, which are benched')
    """
    return f"waits for {' and '.join(names)}, which {'is' if len(names) == 1 else 'are'} benched"


def pairing_words(coming: Coming) -> str:
    """Return a match day in one line.

    >>> pairing_words({"number": 3, "date": "2026-12-05", "pairings": [["a", "b"]], "rests": ["c"]})
    'match day 3, 2026-12-05: a – b; c rests'
    >>> pairing_words({"number": 3, "date": "", "pairings": [["a", "b"]], "rests": ["c", "d"]})
    'match day 3: a – b; c, d rest'
    """
    date = f", {coming['date']}" if coming["date"] else ""
    pairings = [" – ".join(names) for names in coming["pairings"]]
    verb = "rests" if len(coming["rests"]) == 1 else "rest"
    rests = f"; {', '.join(coming['rests'])} {verb}" if coming["rests"] else ""
    return f"match day {coming['number']}{date}: {', '.join(pairings)}{rests}"
