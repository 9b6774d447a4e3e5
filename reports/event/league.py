"""A league: its events, who played in them, how each stands in each of them, and whom each has met.

Made of the numbers of the events' own reports and of those of all games together.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, NamedTuple

from lath.reports.counting.estimates import wilson
from lath.reports.event.seasons import SeasonView
from lath.reports.ratings.numerics import by_key, shared_ranks
from lath.reports.ratings.results import Scored

# Addresses


_PLAIN: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")

_DEVICES: Final = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9]")
"""Names that some systems keep for devices, whatever their suffix."""


def address(name: str, *, digits: int = 12) -> str:
    """Return a name as a part of an address, and of a file on any system: a to z, 0 to 9 and `-`.

    One that is not so by itself has the first digits of its SHA-256, so that no two become one.

    >>> address("alpha-beta2"), address("../X y")
    ('alpha-beta2', 'x-y-131f4db44ca7')
    """
    if _PLAIN.fullmatch(name) and not _DEVICES.fullmatch(name):
        return name
    like = "-".join(re.findall("[a-z0-9]+", name.lower()))[:40].strip("-")
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
    return f"{like}-{digest}" if like else digest


def addresses(names: Iterable[str]) -> dict[str, str]:
    """Return an address of its own for each name; that of one hangs on no other, but for tricks."""
    found: dict[str, str] = {}
    for name in sorted({*names}, key=lambda name: (address(name) != name, name)):
        short = address(name)
        found[name] = address(name, digits=64) if short in found.values() else short
    return found


# What a league is made of


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The parts of an event's report that the league's pages also show, as JSON values."""

    title: str
    link: str
    """The address of its report, from that of the league."""

    date: str
    """The date of the last game; empty if unknown."""

    table: Mapping[str, Any]
    """Its standings over all games, by `export.to_json`."""

    versions: Sequence[Mapping[str, Any]] = ()
    """How the versions of a pool's bots stand."""

    regressions: Sequence[str] = ()
    """Which of them are worse than the one before, in sentences."""

    again: Mapping[str, int] = field(default_factory=dict)
    """How many games of a bot an event before has, too, where there are any: they count once."""

    season: SeasonView | None = None
    """The season of the event; None: no season, or the games before the first season."""

    is_last: bool = True
    """Whether this is the current season."""

    benched: Sequence[str] = ()
    """Which bots are benched and why, in sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """How a bot stands at an event, by its last version that played there."""

    event: Event
    place: int
    """The position of the event from 0, oldest first."""

    row: Mapping[str, Any]
    """Its row in the event's table."""

    bots: int
    """How many there were in its group."""

    in_table: int
    """Which row of the table it is, from 1."""

    again: int = 0
    """How many of its games another event has, too, and counts."""

    @property
    def games(self) -> int:
        """Return how many games count here: the rows of a bot add up to all its games."""
        return int(self.row["games"]) - self.again


class GamesLink(NamedTuple):
    """A way to the games of two bots."""

    title: str
    page: str
    one: str
    other: str
    """The names in the event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueMeeting(Scored):
    """All games of a bot against another one, of all versions of both."""

    name: str
    wins: int
    draws: int
    losses: int
    links: tuple[GamesLink, ...]
    """The events in which they met, the newest first."""

    @property
    def interval(self) -> tuple[float, float]:
        """Return Wilson's 95% interval of the score rate, as if each game were independent."""
        return wilson(self.points / self.games, self.games)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueEntrant:
    """A bot, whatever events and versions it played in."""

    name: str
    page: str
    """The address of its page, from that of the league."""

    row: Mapping[str, Any]
    """That of its last version in the table of all games."""

    rank: int
    """In its group, among bots by their last versions; equals share one."""

    names: tuple[str, ...]
    """The names in records, one for each version."""

    showings: tuple[Showing, ...]
    """By event, the newest first."""

    meetings: tuple[LeagueMeeting, ...]
    """By opponent, the strongest first."""

    pools: tuple[Event, ...] = ()
    """The events in which it has versions, with these alone."""

    def at(self, event: Event) -> Showing | None:
        """Return how it stands at an event; None where it did not play."""
        return next((one for one in self.showings if one.event is event), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """An entry of a season without a game that counts."""

    name: str
    page: str
    """The address of its page, from that of the league."""

    mark: str
    """Such as `benched`; empty where it plays."""

    why: tuple[str, ...] = ()
    """Regressions in sentences with the reason."""

    coming: tuple[tuple[Event, int, str, str], ...] = ()
    """Its next match days: the season, the number, the date if it is planned, and whom it meets."""

    put_off: tuple[tuple[Event, int, str], ...] = ()
    """Postponed match days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class League:
    """Events and bots, and the table of all games."""

    events: tuple[Event, ...]
    """The newest first."""

    groups: tuple[tuple[LeagueEntrant, ...], ...]
    """By all games, the strongest of each first. No games connect one with another, and nobody in
    it is ranked against anybody of another."""

    pages: Mapping[str, str] = field(default_factory=dict)
    """The address of a bot's page, by its name and by those of its versions."""

    absent: tuple[Absent, ...] = ()
    """Entries without a game that counts, by name; they are in no group."""

    marks: Mapping[str, str] = field(default_factory=dict)
    """Entries that do not play in the season that is played now, and what they are."""

    @property
    def entrants(self) -> tuple[LeagueEntrant, ...]:
        """Return all bots, group by group."""
        return tuple(entrant for group in self.groups for entrant in group)

    def group_of(self, entrant: LeagueEntrant) -> tuple[LeagueEntrant, ...]:
        """Return the entries that are ranked together with a bot, including the bot."""
        return next(group for group in self.groups if entrant in group)


def league_of(events: Sequence[Event], table: Mapping[str, Any]) -> League:
    """Return the league of events, the newest first; `table` is of all their games together."""
    bot_of = {row["name"]: row["bot"] for event in events for row in event.versions}
    order = _versions(events)
    rows = {row["name"]: row for row in table["rows"]}
    names = by_key(
        (bot_of.get(name, name), name)
        for name in sorted(rows, key=lambda name: (order.get(name, (False, 0)), name))
    )
    entered = {row["name"] for one in events if one.season for row in one.season["table"]}
    pages = {bot: f"bots/{place}.html" for bot, place in addresses({*names, *entered}).items()}
    marks = {
        row["name"]: row["mark"]
        for one in events
        if one.season and one.is_last
        for row in (*one.season["table"], *one.season["all_time"])
        if row["mark"]
    }
    last = {bot: rows[versions[-1]] for bot, versions in names.items()}
    ranked = sorted(names, key=lambda bot: (last[bot]["group"], last[bot]["rank"], bot))
    met = _meetings(events, table, bot_of)
    groups = []
    for _, group in groupby(ranked, lambda bot: last[bot]["group"]):
        bots = list(group)
        ranks = shared_ranks(last[bot]["rank"] for bot in bots)
        groups.append(
            tuple(
                LeagueEntrant(
                    name=bot,
                    page=pages[bot],
                    row=last[bot],
                    rank=rank,
                    names=tuple(names[bot]),
                    showings=tuple(_showings(events, names[bot])),
                    meetings=tuple(met[bot, other] for other in ranked if (bot, other) in met),
                    pools=tuple(_pools(events, bot)),
                )
                for bot, rank in zip(bots, ranks, strict=True)
            )
        )
    return League(
        events=tuple(events),
        groups=tuple(groups),
        pages=pages | {name: pages[bot] for bot in names for name in (*names[bot], bot)},
        absent=tuple(
            _absent(name, pages[name], marks.get(name, ""), events)
            for name in sorted(entered.difference(names))
        ),
        marks=marks,
    )


def _absent(name: str, page: str, mark: str, events: Iterable[Event]) -> Absent:
    """Return the facts of an entry without a counted game."""
    coming, put_off, why = [], [], list[str]()
    for event in events:
        if event.season is None:
            continue
        if event.is_last:
            why += [words for words in event.benched if words.startswith(f"{name} ")]
        for day in event.season["days"]:
            put_off += [(event, day["number"], one) for one in _others(name, day["put_off"])]
        for next_ in event.season["coming"]:
            found = _others(name, next_["pairings"])
            coming += [(event, next_["number"], next_["date"], one) for one in found]
    return Absent(
        name=name,
        page=page,
        mark=mark,
        why=tuple(why),
        coming=tuple(coming),
        put_off=tuple(put_off),
    )


def _others(name: str, pairings: Iterable[Sequence[str]]) -> list[str]:
    """Return the opponents of an entry."""
    return [one for both in pairings if name in both for one in both if one != name]


def _versions(events: Iterable[Event]) -> dict[str, tuple[bool, int]]:
    """Return in what order the versions of a bot come: the one that plays is the last."""
    return {
        row["name"]: (not row["retired"], row["number"])
        for event in reversed([*events])
        for row in event.versions
    }


def _showings(events: Sequence[Event], names: Sequence[str]) -> Iterable[Showing]:
    for at, event in enumerate(events):
        found = {row["name"]: row for row in event.table["rows"] if row["name"] in names}
        if found:
            row = found[max(found, key=names.index)]
            rows = event.table["rows"]
            yield Showing(
                event=event,
                place=len(events) - 1 - at,
                row=row,
                bots=sum(one["group"] == row["group"] for one in rows),
                in_table=rows.index(row) + 1,
                again=event.again.get(row["name"], 0),
            )


def _pools(events: Iterable[Event], bot: str) -> Iterable[Event]:
    for event in events:
        rows = [row for row in event.versions if row["bot"] == bot]
        names = tuple(f"{row['name']} " for row in rows)
        if len(rows) > 1:
            yield Event(
                title=event.title,
                link=event.link,
                date=event.date,
                table={},
                versions=rows,
                regressions=[words for words in event.regressions if words.startswith(names)],
            )


def _meetings(
    events: Sequence[Event], table: Mapping[str, Any], bot_of: Mapping[str, str]
) -> dict[tuple[str, str], LeagueMeeting]:
    """Return the games of each bot against each other one."""
    scores = defaultdict[tuple[str, str], list[int]](lambda: [0, 0, 0])
    for one, other, cell in _cells(table):
        pair = bot_of.get(one, one), bot_of.get(other, other)
        for at, word in enumerate(("wins", "draws", "losses")):
            scores[pair][at] += cell[word]
    links = defaultdict[tuple[str, str], list[GamesLink]](list)
    for event in events:
        best: dict[tuple[str, str], tuple[int, str, str]] = {}
        for one, other, cell in _cells(event.table):
            pair = bot_of.get(one, one), bot_of.get(other, other)
            best[pair] = max(best.get(pair, (0, "", "")), (cell["games"], one, other))
        for pair, (_, one, other) in best.items():
            links[pair].append(GamesLink(event.title, event.link, one, other))
    return {
        (bot, other): LeagueMeeting(
            name=other,
            wins=score[0],
            draws=score[1],
            losses=score[2],
            links=tuple(links[bot, other]),
        )
        for (bot, other), score in scores.items()
        if bot != other
    }


def _cells(table: Mapping[str, Any]) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
    """Yield the cells of a crosstable in which games are, with both names."""
    names = [row["name"] for row in table["rows"]]
    for one, cells in zip(names, table["crosstable"], strict=True):
        for other, cell in zip(names, cells, strict=True):
            if cell["games"] and one != other:
                yield one, other, cell
