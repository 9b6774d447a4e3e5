"""The index page of several tournaments: a table of them, and ratings over all their games."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from typing_extensions import TypedDict

from lath.notation.archive.given import GivenGames
from lath.notation.record.record import Record
from lath.reports.counting.facts import UNKNOWN, FactCounter, TagFacts, record_of_members
from lath.reports.counting.ranking import Rule, member_of, members_of
from lath.reports.counting.scale import PLAIN_SCALE, Scale
from lath.reports.counting.standings import Refused, Tally, leaders_of, standings_of, why_left_out
from lath.reports.counting.table import Standings
from lath.reports.event import export
from lath.reports.notes.notes import Version
from lath.reports.notes.outcome import UNNAMED, EventOutcome
from lath.reports.page.page import Card, Page, rendered
from lath.reports.schema import About, Amount, Count, Schema, schema_of

DEFAULT_TITLE: Final = "Bot tournaments"
"""The title if the caller gives none."""


class Tournament(TypedDict):
    """A row of the table."""

    name: str
    """Its folder, relative to the folder of all tournaments."""
    title: str
    """Its event, or its folder."""
    link: str
    """The address of its report; empty without one."""
    facts: TagFacts
    """Facts about its records."""
    format: str
    """Its format, such as `swiss`; empty if unknown."""
    games: Count
    """Games that count."""
    again: Count
    """Games that an earlier event in the sources has too; the totals count them once."""
    again_by_bot: dict[str, Count]
    """The same number, by bot."""
    bots: Count
    """Number of bots with a game that counts; the versions of a bot count as one."""
    done: Count
    """Games played, including void ones."""
    total: Count | None
    """Games planned; null if unknown."""
    verdict: str
    """The result by the rules of its format; empty while it is open."""
    rule: Rule
    """The rule of its ranks, as in its standings."""
    leaders: list[str]
    """The bots of the first rank, by name; in a gauntlet the first challenger."""
    points: Amount
    """Points of each leader; the fewest if they differ."""
    of: Count
    """Games of each leader; the fewest if they differ."""
    is_playing: bool
    """True if it is being played now."""


class Unreadable(TypedDict):
    """A tournament that is left out because its files cannot be read."""

    name: str
    """Its folder, relative to the folder of all tournaments."""
    reason: str
    """The problem with its files, in one line."""


class IndexDocument(TypedDict):
    """The data behind an index page."""

    version: Literal[1]
    """The version of this format."""
    title: str
    """The title of the page."""
    facts: TagFacts
    """Facts about the records of all tournaments together."""
    standings: Annotated[dict[str, Any], About("of all their games together", shape=Standings)]
    """The standings over all tournaments, as in `standings.json`."""
    tournaments: list[Tournament]
    """The newest first; those without a date come last."""
    unreadable: list[Unreadable]
    """Tournaments that are left out because their files cannot be read, by folder."""


def schema() -> Schema:
    """Return the JSON Schema of `Collector.document`."""
    return schema_of(IndexDocument, "The data behind a Lath Arena index of tournaments")


class Collector:
    """Counts the records of one tournament after another, without keeping them."""

    def __init__(
        self,
        given: GivenGames | None = None,
        *,
        newest: str = "",
        until: int = 0,
        scale: Scale = PLAIN_SCALE,
    ) -> None:
        """Begin without tournaments; `given` knows earlier games, so that duplicates count once.

        Ratings are compared with those before the event `newest`, if it is the newest one. For a
        pool, games up to the number `until` count as earlier too, because its last run began after
        them.
        """
        self._until: Final = until
        self._given: Final = given or GivenGames()
        self._tally, self._facts = Tally(), FactCounter()
        self._before, self._newest, self._scale = Tally(), newest, scale
        self._tournaments: list[Tournament] = []
        self._members: dict[str, tuple[str, ...]] = {}
        self._places: Final = dict[str, tuple[float, int]]()

    def add(
        self,
        name: str,
        records: Iterable[Record | Refused] = (),
        outcome: EventOutcome | None = None,
        *,
        is_playing: bool = False,
        link: str = "",
        versions: Iterable[Version] = (),
        part: str = "",
        place: int = 0,
        began: str = "",
    ) -> None:
        """Count a tournament's records; `outcome` is its result by the rules of its format.

        `versions` are those of a pool's bots; the versions of a bot are one bot in all tables.
        `part` is the name of a part, such as a season. If two tournaments end on the same day, the
        one with the later `began` is newer; between two parts, the one with the higher `place`.
        """
        self._places[name] = _second(began), place
        counter, own, again = FactCounter(), Tally(), Counter[str]()
        again_games = 0
        members = members_of(versions)
        whose = member_of(members)
        for member, names in members.items():
            known = self._members.get(member, ())
            self._members[member] = (*(name for name in known if name not in names), *names)
        for record in self._tally.sound(records):
            told = record_of_members(record, whose)
            counter.add(told)
            if not self._given.is_left_out(record):
                self._facts.add(told)
                self._tally.add(record)
                if name != self._newest or record.number <= self._until:
                    self._before.add(record)
            elif not why_left_out(record):
                again_games += 1
                again.update({told.first, told.second})
            own.add(record)
        scores = sum((counted.scores for counted in own.games.values()), Counter())
        rule, first = leaders_of(
            own, Scale(outcome=outcome, members=members, rule="season" if part else None)
        )
        facts = counter.facts()
        events = (outcome.event if outcome else "", *facts["events"])
        event = next((one for one in events if one not in ("", UNNAMED)), name)
        self._tournaments.append(
            {
                "name": name,
                "title": f"{event}: {part}" if part else event,
                "link": link,
                "facts": facts,
                "format": outcome.format if outcome else "",
                "games": scores.total(),
                "again": again_games,
                "again_by_bot": dict(sorted(again.items())),
                "bots": len({whose.get(name, name) for game in scores for name in game[:2]}),
                "done": outcome.done if outcome else facts["records"],
                "total": outcome.total if outcome else None,
                "verdict": outcome.verdict if outcome else "",
                "rule": rule,
                "leaders": [
                    name for name, own in first.items() if own.points and name not in UNKNOWN
                ],
                "points": min((own.points for own in first.values()), default=0),
                "of": min((own.games for own in first.values()), default=0),
                "is_playing": is_playing,
            }
        )

    @property
    def newest(self) -> str:
        """Return the name of the newest event with games; empty if no event has a date."""
        rows = [one for one in self._sorted() if one["facts"]["records"]]
        return rows[0]["name"] if rows and rows[0]["facts"]["dates"]["last"] else ""

    def _sorted(self) -> list[Tournament]:
        return sorted(
            sorted(self._tournaments, key=itemgetter("name")),
            key=lambda one: (
                one["facts"]["dates"]["last"],
                self._places[one["name"]],
                one["facts"]["dates"]["first"],
            ),
            reverse=True,
        )

    def document(self, title: str | None = None) -> IndexDocument:
        """Return the data of the index page as JSON values."""
        rows = self._sorted()
        if self._newest == self.newest:
            self._tally.before = self._before
        scale = replace(self._scale, members=self._members)
        return {
            "version": 1,
            "title": title or DEFAULT_TITLE,
            "facts": self._facts.facts(),
            "standings": export.to_json(standings_of(self._tally, scale)),
            "tournaments": rows,
            "unreadable": [],
        }


def _second(date: str) -> float:
    """Return a date such as `2026-11-22T17:40:05+01:00` in seconds; 0 if it is invalid."""
    try:
        return dt.datetime.fromisoformat(date).timestamp()
    except (OverflowError, ValueError):
        return 0.0


PARTS: Final = {
    "css": ("base", "sections", "tables", "plots", "index", "refresh", "narrow", "print"),
    "js": ("theme", "contents", "tables", "refresh"),
}
"""The style and script files, in their order in the page."""


def render(
    document: IndexDocument,
    *,
    templates: Path | None = None,
    refresh_s: float | None = None,
    card: Card | None = None,
) -> Page:
    """Return the index page, which links to the reports and needs no other file.

    Files in the folder `templates` replace bundled ones of the same name. With `refresh_s`, the
    page reloads itself at this interval.
    """
    return rendered(
        "index.html.j2", PARTS, templates, document=document, refresh_s=refresh_s, card=card
    )
