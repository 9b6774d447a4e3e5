"""The sections of a report page, in groups and in their order, with their conditions and links.

The numbers of a section are a value of `ReportDocument`; its words and markup are a template.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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

GROUPS: Final = {
    "Result": (
        Section("summary", "Summary", lambda _: True),
        Section("season", "Season", _has("season"), _OF_SEASON),
        Section(
            *("match-days", "Match days"),
            lambda one: one["season"] and one["season"]["days"],
            _OF_SEASON,
        ),
        Section("all-time", "All-time list", _has("season"), _OF_SEASON),
        Section("result", "Outcome", _has("outcome")),
        Section("standings", "Standings", _has_games),
        Section("facts", "Facts", _has_games),
        Section("crosstable", "Crosstable", _has("bots")),
        Section("rulings", "Rulings", _has("rulings")),
    ),
    "Games": (
        Section("replay", "Replay", _has_games),
        Section("games", "All games", _has_games),
        Section("first-move", "First move", _has("first_move")),
        Section("lengths", "Lengths", _has("lengths")),
        Section("endings", "Endings", _has("endings")),
        Section("openings", "Openings", lambda one: one["openings"] or one["setups"]),
    ),
    "Bots": (
        Section("forfeits", "Failures", _has("forfeits")),
        Section("versions", "Versions", tells_versions),
        Section("history", "Over time", lambda one: len(one["history"]["games"]) > 1),
        Section("times", "Time", _has("times")),
        Section("accuracy", "Accuracy", _has("accuracy")),
        Section("bots", "Bot by bot", _has("bots")),
    ),
    "How it was made": (
        Section("changes", "Changes", _has("changes")),
        Section("downloads", "Downloads", _has_games),
        Section("method", "Method", _has_games),
        Section("provenance", "Provenance", _has("provenance")),
    ),
}
"""The sections of each group, in the order of the page."""


class Group(NamedTuple):
    """A group of sections with content."""

    title: str
    sections: Sequence[Section]

    @property
    def id(self) -> str:
        """Return the anchor of its heading."""
        return f"group-{self.title.split()[0].lower()}"

    @property
    def paths(self) -> list[str]:
        """Return the paths of its templates, each once."""
        return list(dict.fromkeys(section.path for section in self.sections))


def groups_of(document: Mapping[str, Any], only: Collection[str] = ()) -> Iterator[Group]:
    """Yield the groups of a page with this document that have sections, `only` these if given."""
    for title, sections in GROUPS.items():
        shown = [
            section._replace(link="Ratings")
            if section.id == "standings" and document["outcome"]
            else section
            for section in sections
            if section.when(document) and (not only or section.id in only)
        ]
        if shown:
            yield Group(title, shown)
