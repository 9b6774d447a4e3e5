"""A league: its events and bots, the standing of each bot in each event, and its opponents.

The numbers come from the events' reports and from the table of all games together.
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
from lath.reports.counting.ranking import BY_GAMES
from lath.reports.event.seasons import SeasonView
from lath.reports.ratings.numerics import by_key, shared_ranks
from lath.reports.ratings.results import Scored

# Addresses


_PLAIN: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")

_DEVICES: Final = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9]")
"""Names that some systems reserve for devices, with any suffix."""


def address(name: str, *, digits: int = 12) -> str:
    """Return a name for addresses and files on any system: a to z, 0 to 9 and `-`.

    If the name needs changes, the first digits of its SHA-256 are appended, so that results differ.

    >>> address("alpha-beta2"), address("../X y")
    ('alpha-beta2', 'x-y-131f4db44ca7')
    """
    if _PLAIN.fullmatch(name) and not _DEVICES.fullmatch(name):
        return name
    like = "-".join(re.findall("[a-z0-9]+", name.lower()))[:40].strip("-")
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
    return f"{like}-{digest}" if like else digest


def addresses(names: Iterable[str]) -> dict[str, str]:
    """Return a unique address for each name, which depends on other names only in rare clashes."""
    found: dict[str, str] = {}
    for name in sorted({*names}, key=lambda name: (address(name) != name, name)):
        short = address(name)
        found[name] = address(name, digits=64) if short in found.values() else short
    return found


# Types of a league


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The parts of an event's report that the league's pages also show, as JSON values."""

    title: str
    link: str
    """The address of its report, relative to that of the league."""

    date: str
    """The date of the last game; empty if unknown."""

    table: Mapping[str, Any]
    """Its standings over all games, from `export.to_json`."""

    versions: Sequence[Mapping[str, Any]] = ()
    """The standings of the versions of a pool's bots."""

    regressions: Sequence[str] = ()
    """Sentences about versions that are worse than the version before."""

    again: Mapping[str, int] = field(default_factory=dict)
    """The number of each bot's games that an earlier event has too; they count once."""

    season: SeasonView | None = None
    """The season of the event; None without a season, or for the games before the first season."""

    is_last: bool = True
    """True if this is the current season."""

    benched: Sequence[str] = ()
    """Sentences about benched bots and the reasons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """The standing of a bot at an event, by its last version that played there."""

    event: Event
    place: int
    """The position of the event from 0, oldest first."""

    row: Mapping[str, Any]
    """The row in the event's table."""

    bots: int
    """The number of bots that it is ranked with."""

    in_table: int
    """The row number in the table, from 1."""

    again: int = 0
    """The number of its games that count at another event."""

    @property
    def games(self) -> int:
        """Return the number of games that count here; over all events, they add up."""
        return int(self.row["games"]) - self.again


class GamesLink(NamedTuple):
    """A link to the games of two bots at an event."""

    title: str
    page: str
    one: str
    other: str
    """The names of both bots in the event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueMeeting(Scored):
    """All games of a bot against another, with all versions of both."""

    name: str
    wins: int
    draws: int
    losses: int
    links: tuple[GamesLink, ...]
    """The events with games of both, the newest first."""

    @property
    def interval(self) -> tuple[float, float]:
        """Return Wilson's 95% interval of the score, as if all games were independent."""
        return wilson(self.points / self.games, self.games)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueEntrant:
    """A bot over all events and versions."""

    name: str
    page: str
    """The address of its page, relative to that of the league."""

    row: Mapping[str, Any]
    """The row of its last version in the table of all games."""

    rank: int
    """The rank in its group, among the last versions of bots; equal bots share a rank."""

    names: tuple[str, ...]
    """The names in records, one for each version."""

    showings: tuple[Showing, ...]
    """The standings at events, the newest first."""

    meetings: tuple[LeagueMeeting, ...]
    """The results by opponent, the strongest first."""

    pools: tuple[Event, ...] = ()
    """The events with several versions of the bot, reduced to these versions."""

    def at(self, event: Event) -> Showing | None:
        """Return the standing at an event; None if the bot did not play there."""
        return next((one for one in self.showings if one.event is event), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """An entry of a season without a counted game."""

    name: str
    page: str
    """The address of its page, relative to that of the league."""

    mark: str
    """The status, such as `benched`; empty if it plays."""

    why: tuple[str, ...] = ()
    """The reasons for its bench, in sentences."""

    coming: tuple[tuple[Event, int, str, str], ...] = ()
    """The next match days: season, number, planned date (or empty) and opponent."""

    put_off: tuple[tuple[Event, int, str], ...] = ()
    """Postponed match days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class League:
    """A league: its events, its bots and the table of all games."""

    events: tuple[Event, ...]
    """The events, the newest first."""

    groups: tuple[tuple[LeagueEntrant, ...], ...]
    """Groups of bots that games connect, the strongest first by all games. Bots of different groups
    are not ranked against each other."""

    pages: Mapping[str, str] = field(default_factory=dict)
    """The address of each bot's page, by its name and by the names of its versions."""

    absent: tuple[Absent, ...] = ()
    """Entries without a counted game, by name; they are in no group."""

    marks: Mapping[str, str] = field(default_factory=dict)
    """The status of entries that do not play in the current season."""

    @property
    def entrants(self) -> tuple[LeagueEntrant, ...]:
        """Return all bots, group by group."""
        return tuple(entrant for group in self.groups for entrant in group)

    def group_of(self, entrant: LeagueEntrant) -> tuple[LeagueEntrant, ...]:
        """Return the entries that are ranked together with a bot, including the bot."""
        return next(group for group in self.groups if entrant in group)


def league_of(events: Sequence[Event], table: Mapping[str, Any]) -> League:
    """Return the league of events, the newest first; `table` has all their games together."""
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
    """Return the order of the versions of a bot, with the current version last."""
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
            rows, is_apart = event.table["rows"], event.table["rule"] in BY_GAMES
            yield Showing(
                event=event,
                place=len(events) - 1 - at,
                row=row,
                bots=sum(one["group"] == row["group"] for one in rows if is_apart) or len(rows),
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
    """Return the results of each bot against each opponent."""
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
    """Yield the cells of a crosstable with games, with both names."""
    names = [row["name"] for row in table["rows"]]
    for one, cells in zip(names, table["crosstable"], strict=True):
        for other, cell in zip(names, cells, strict=True):
            if cell["games"] and one != other:
                yield one, other, cell
