"""The sections of a report page, in their order, with their conditions, links and templates.

The numbers of a section are a value of `ReportDocument`; its words and markup are a template.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from lath.reports.page.views import tells_versions

Holds = Callable[[Mapping[str, Any]], bool]
"""The condition for a section: that the page's document has its content."""


class Section(NamedTuple):
    """A section of the page."""

    id: str
    """The anchor in the page, and the name of its template."""

    link: str
    """The words of its link in the contents."""

    when: Holds
    template: str = ""
    """The name of the template, if it differs."""

    @property
    def path(self) -> str:
        """Return the path of the template."""
        return f"sections/{self.template or self.id}.html.j2"


def _has(name: str) -> Holds:
    return lambda document: bool(document[name])


def _has_games(document: Mapping[str, Any]) -> bool:
    return bool(document["facts"]["records"])


_OF_SEASON: Final = "season-tables"

SECTIONS: Final = (
    Section("summary", "Summary", lambda _: True),
    Section("season", "Season", _has("season"), _OF_SEASON),
    Section(
        "match-days", "Match days", lambda one: one["season"] and one["season"]["days"], _OF_SEASON
    ),
    Section("all-time", "All-time list", _has("season"), _OF_SEASON),
    Section("result", "Result", _has("outcome")),
    Section("standings", "Standings", _has_games),
    Section("facts", "Facts", _has_games),
    Section("versions", "Versions", tells_versions),
    Section("forfeits", "Failures", _has("forfeits")),
    Section("crosstable", "Crosstable", _has("bots")),
    Section("rulings", "Rulings", _has("rulings")),
    Section("changes", "Changes", _has("changes")),
    Section("replay", "Replay", _has_games),
    Section("games", "Games", _has_games),
    Section("history", "Over time", lambda one: len(one["history"]["games"]) > 1),
    Section("first-move", "First move", _has("first_move")),
    Section("lengths", "Lengths", _has("lengths")),
    Section("endings", "Endings", _has("endings")),
    Section("times", "Time", _has("times")),
    Section("accuracy", "Accuracy", _has("accuracy")),
    Section("openings", "Openings", lambda one: one["openings"] or one["setups"]),
    Section("bots", "Bots", _has("bots")),
    Section("downloads", "Downloads", _has_games),
    Section("method", "Method", _has_games),
    Section("provenance", "Provenance", _has("provenance")),
)


def sections_of(document: Mapping[str, Any]) -> Iterator[Section]:
    """Yield the sections of a page with this document."""
    for section in SECTIONS:
        if section.when(document):
            is_rated = section.id == "standings" and document["outcome"]
            yield section._replace(link="Ratings") if is_rated else section
