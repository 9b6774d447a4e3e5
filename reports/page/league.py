"""The pages of a league: its first page, one page per bot, and the head-to-head results.

Each page is a single file that fetches nothing, with relative links to the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from lath.games.drawing.shapes import line
from lath.reports.event.league import Absent, League, LeagueEntrant, Showing
from lath.reports.event.seasons import SeasonRow
from lath.reports.page.about import to_html
from lath.reports.page.index import IndexDocument
from lath.reports.page.number_words import count
from lath.reports.page.page import Card, Page, rendered
from lath.reports.page.views import Axis, axis, connection
from lath.reports.ratings.numerics import shared_ranks

DEFAULT_TITLE: Final = "Bot league"
"""The title if the caller gives none."""

INDEX: Final = "index.html"
MEETINGS: Final = "head-to-head.html"

PARTS: Final = {
    "css": ("base", "sections", "tables", "plots", "index", "league", "narrow", "print"),
    "js": ("theme", "contents", "tables"),
}
"""The style and script files, in their order in a page."""

SHOWN: Final = 4
"""The number of newest events with a column in the table of bots."""


class Spark(NamedTuple):
    """A small drawing of a rating over events."""

    line: str
    """The path for SVG; empty for a single event."""

    dots: tuple[tuple[str, str], ...]
    """The coordinates of each event, the oldest first."""


def spark(showings: Sequence[Showing], across: Axis, up: Axis) -> Spark:
    """Return the drawing of a bot's Elo over its events; `across` has the positions of events."""
    ordered = showings[::-1]
    at = [(across.of(one.place), up.of(one.row["elo"]["value"])) for one in ordered]
    dots = [(across.at(one.place), up.at(one.row["elo"]["value"])) for one in ordered]
    return Spark(line(*at) if len(at) > 1 else "", tuple(dots))


def _axes(league: League) -> dict[str, Axis]:
    """Return the axes for a drawing of 96 by 28: events across, ratings up."""
    elos = [one.row["elo"]["value"] for bot in league.entrants for one in bot.showings]
    places = [0, max(1, len(league.events) - 1)]
    return {"across": axis(places, 6, 90, close=True), "up_axis": axis(elos, 23, 5, close=True)}


def pages(
    league: League,
    document: IndexDocument,
    *,
    templates: Path | None = None,
    base_url: str = "",
    about: str = "",
) -> Iterator[tuple[str, Page]]:
    """Yield each page with its relative address; the first page comes last.

    `document` is the index of the events, with links to their reports. Files in the folder
    `templates` replace bundled ones of the same name. The address of the folder on the web is
    `base_url`; empty if unknown. The text `about` is the organiser's text in Markdown.
    """
    shown = {"league": league, "index": document, **_axes(league), "spark": spark}
    shown["about"] = to_html(about) if about.strip() else ""

    def page(name: str, template: str, up: str, **more: Any) -> tuple[str, Page]:
        card = Card(f"{base_url.rstrip('/')}/{name}") if base_url else None
        found = {word: up + place for word, place in league.pages.items()}
        made = {"standings": document["standings"], "facts": document["facts"], "pages": found}
        values = {**shown, **more, "document": made, "up": up, "card": card}
        return name, rendered(template, PARTS, templates, here=name, **values)

    for entrant in league.entrants:
        yield page(entrant.page, "league/bot.html.j2", "../", entrant=entrant, of=_of(entrant))
    for absent in league.absent:
        yield page(absent.page, "league/absent.html.j2", "../", absent=absent)
    yield page(MEETINGS, "league/head-to-head.html.j2", "")
    shown_first: dict[str, Any] = {"season": None, "season_link": ""}
    if of_season := next((one for one in league.events if one.season and one.is_last), None):
        shown_first = {"season": of_season.season, "season_link": of_season.link}
    newest, points = league.events[:SHOWN], _all_time(league)
    yield page(INDEX, "league/index.html.j2", "", newest=newest, all_time=points, **shown_first)


def _all_time(league: League) -> list[tuple[str, list[SeasonRow]]]:
    """Return the table by points over all games: the rows of each group, with its heading.

    Entries without a game follow the only group; after several groups they have no rank.
    """
    if len(league.groups) < 2:
        return [("", _ranked(league, [*league.entrants, *league.absent]))]
    found = [
        (f"Group {number}: {count(len(group), 'bot')} {connection(group)}", _ranked(league, group))
        for number, group in enumerate(league.groups, 1)
    ]
    absent = [cast("SeasonRow", {**row, "rank": 0}) for row in _ranked(league, league.absent)]
    return [*found, *([("Without a game", absent)] if absent else [])]


def _ranked(league: League, entries: Iterable[LeagueEntrant | Absent]) -> list[SeasonRow]:
    """Return the rows of entries by points."""
    rows = [
        {**_of(one), "name": one.name, "mark": league.marks.get(one.name, "")} for one in entries
    ]
    rows.sort(key=lambda row: (-row["points"], row["name"]))
    ranks = shared_ranks([-row["points"] for row in rows])
    return [cast("SeasonRow", {"rank": rank, **row}) for rank, row in zip(ranks, rows, strict=True)]


def _of(entrant: LeagueEntrant | Absent) -> dict[str, Any]:
    """Return the total results of a bot over all its versions."""
    meetings = entrant.meetings if isinstance(entrant, LeagueEntrant) else ()
    sums = {
        word: sum(getattr(one, word) for one in meetings) for word in ("wins", "draws", "losses")
    }
    return {**sums, "games": sum(sums.values()), "points": sums["wins"] + sums["draws"] / 2}
