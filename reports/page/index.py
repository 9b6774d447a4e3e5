"""The index page of several tournaments: a table of them, and the ratings of all their games.

Must not know where tournaments are kept: who has them says their names and links.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from lath.notation.record import Record
from lath.reports.export import to_json
from lath.reports.outcome import Outcome
from lath.reports.page.page import Page, encodable, environment_of, parts, policy
from lath.reports.standings import Standings, Tally, standings_of
from lath.reports.statistics import UNKNOWN, Entry, Facts, entry

VERSION: Final = 1
"""Of the shape of the data."""

DEFAULT_TITLE: Final = "Bot tournaments"
"""Where the caller has no title."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """A line of the table."""

    name: str
    """Its folder, as a path from that of all."""

    link: str
    """The address of its report; empty where there is none."""

    facts: dict[str, Any]
    """As `Facts.to_json` has them."""

    outcome: Outcome | None
    leaders: tuple[str, ...]
    """Who has the most points; empty before any game counts."""

    points: float
    """Of each of them."""

    of: int
    """Games of each of them; of the one with the fewest where they differ."""

    is_playing: bool
    """Whether it is being played now."""

    @property
    def title(self) -> str:
        """Return what it is called: its event, or its folder."""
        events = self.facts["events"]
        return (self.outcome.event if self.outcome else "") or (events[0] if events else self.name)

    @property
    def newest_first(self) -> tuple[Any, ...]:
        """Return what it is sorted by: its last date, then its first, the undated at the end."""
        dates = self.facts["dates"]
        return tuple(-int(date.replace("-", "") or 0) for date in (dates["last"], dates["first"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A tournament that is left out, since its files cannot be read."""

    name: str
    """Its folder, as a path from that of all."""

    reason: str
    """What is wrong with them, in a line."""


@dataclass(frozen=True, slots=True)
class Collection:
    """Tournaments, and what all of their games come to."""

    tournaments: tuple[Tournament, ...]
    """The newest first, then by name."""

    facts: dict[str, Any]
    standings: Standings
    unreadable: tuple[Unreadable, ...] = ()
    """Those that nothing here is made of."""


class Collector:
    """Counts the records of one tournament after the other; none is kept."""

    def __init__(self) -> None:
        self._tally, self._facts = Tally(), Facts()
        self._tournaments: list[Tournament] = []

    def begin(self, name: str) -> Telling:
        """Return what takes the records of the next tournament."""
        return Telling(name, self._tally, self._facts, self._tournaments)

    def collection(self) -> Collection:
        """Return what has been told."""
        rows = sorted(self._tournaments, key=lambda one: (one.newest_first, one.name))
        return Collection(tuple(rows), self._facts.to_json(), standings_of(self._tally))


@dataclass(slots=True)
class Telling:
    """One tournament, while it is told of."""

    name: str
    all_games: Tally
    all_facts: Facts
    told: list[Tournament]
    outcome: Outcome | None = None
    facts: Facts = field(default_factory=Facts)
    points: Counter[str] = field(default_factory=Counter)
    """By bot, twice as many: whole numbers are exact."""

    games: Counter[str] = field(default_factory=Counter)

    def add(self, records: Iterable[Record], outcome: Outcome | None) -> None:
        """Count its records, and note what it came to by the rules of its format."""
        self.outcome = outcome
        for record in records:
            self._count(entry(0, record))
            self.all_games.add(record)

    def _count(self, seen: Entry) -> None:
        self.facts.add(seen)
        self.all_facts.add(seen)
        if seen.points is not None:
            for name, score in (
                (seen.record.first, seen.points),
                (seen.record.second, 1 - seen.points),
            ):
                self.points[name] += int(2 * score)
                self.games[name] += 1

    def end(self, *, is_playing: bool, link: str) -> None:
        """Add it to those that were told of."""
        best = max(self.points.values(), default=0)
        leaders = sorted(name for name, points in self.points.items() if points == best and best)
        self.told.append(
            Tournament(
                name=self.name,
                link=link,
                facts=self.facts.to_json(),
                outcome=self.outcome,
                leaders=tuple(name for name in leaders if name not in UNKNOWN),
                points=best / 2,
                of=min((self.games[name] for name in leaders), default=0),
                is_playing=is_playing,
            )
        )


def document(collection: Collection, *, title: str | None = None) -> dict[str, Any]:
    """Return all that the index page shows, as plain JSON values: `INDEX_SCHEMA` describes them."""
    return {
        "version": VERSION,
        "title": title or DEFAULT_TITLE,
        "facts": collection.facts,
        "standings": to_json(collection.standings),
        "tournaments": [_to_json(one) for one in collection.tournaments],
        "unreadable": [{"name": one.name, "reason": one.reason} for one in collection.unreadable],
    }


def _to_json(one: Tournament) -> dict[str, Any]:
    outcome = one.outcome
    return {
        "name": one.name,
        "title": one.title,
        "link": one.link,
        "facts": one.facts,
        "format": outcome.format if outcome else "",
        "done": outcome.done if outcome else one.facts["records"],
        "total": outcome.total if outcome else None,
        "verdict": outcome.verdict if outcome else "",
        "leaders": list(one.leaders),
        "points": one.points,
        "of": one.of,
        "is_playing": one.is_playing,
    }


PARTS: Final = {
    "css": ("base", "sections", "plots", "index", "refresh", "narrow", "print"),
    "js": ("refresh",),
}
"""The files of a kind, in the order in which they stand in the page."""


def render(
    collection: Collection,
    *,
    title: str | None = None,
    templates: Path | None = None,
    refresh_s: float | None = None,
) -> Page:
    """Return the index page; it needs no file but the reports that it links to.

    Files of the folder `templates` come before ours of the same name. With `refresh_s` the page
    loads itself anew that often.
    """
    environment = environment_of(templates)
    css, script = (parts(environment, kind, PARTS[kind]) for kind in ("css", "js"))
    html = environment.get_template("index.html.j2").render(
        document=document(collection, title=title),
        policy=policy(css, script, has_shards=False),
        css=Markup(css),  # noqa: S704 - a file of this package or of the user
        script=Markup(script),  # noqa: S704 - likewise
        refresh_s=refresh_s,
    )
    return Page(encodable(html))
