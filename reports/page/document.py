"""All that the page shows of some records, as plain JSON values: the data behind the page.

Must not know how standings come about. A crosstable has everything twice, from both sides, and
those of many bots are most of a page's standings; `js/standings.js` puts them together again.

Must not know how any of it looks. One pass over the records; none is kept, and the same records
give the same values. `lath.reports.page.schema.DOCUMENT_SCHEMA` describes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lath.notation.record import Record
from lath.reports import outcome as outcomes
from lath.reports.export import csv_of, to_json
from lath.reports.outcome import Outcome
from lath.reports.page.pack import Packer
from lath.reports.page.views import listed
from lath.reports.ratings.rating import history
from lath.reports.standings import Standings, Tally, standings_of
from lath.reports.statistics import (
    Beginnings,
    Duels,
    Endings,
    Facts,
    Lengths,
    Times,
    entry,
    game_title,
)

Cell = Mapping[str, Any]


def halved(standings: Mapping[str, Any]) -> dict[str, Any]:
    """Return standings whose crosstables are `meetings`, and their `csv` as `standings.csv` has it.

    These are four lists (`wins`, `draws`, `losses`, `superiority`) of each row's bot against
    itself and the bots below it, row after row. Points and games follow from them.
    """
    return {
        **standings,
        "csv": csv_of(standings),
        "overall": _halved(standings["overall"]),
        "per_game": [_halved(table) for table in standings["per_game"]],
    }


def _halved(table: Mapping[str, Any]) -> dict[str, Any]:
    rows: Sequence[Sequence[Cell]] = table["crosstable"]
    cells = [cell for at, row in enumerate(rows) for cell in row[at:]]
    words = ("wins", "draws", "losses", "superiority")
    meetings = {word: [cell[word] for cell in cells] for word in words}
    others = {key: value for key, value in table.items() if key != "crosstable"}
    return {**others, "meetings": meetings}


VERSION: Final = 1
"""Of the data's shape."""

DEFAULT_TITLE: Final = "Bot tournament"
"""Where neither the caller nor an `Event` tag has a title."""

POINTS_OF_A_LINE: Final = 100
"""Snapshots of the ratings over time; fewer where many bots share the page."""

_POINTS_OF_ALL_LINES: Final = 400

_DIGITS: Final = 3
"""Decimals of ratings over time: a drawing has no more."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What one pass over the records leaves."""

    document: dict[str, Any]
    packer: Packer
    """The replays, which only the page needs."""


def document(
    records: Iterable[Record], *, title: str | None = None, outcome: Outcome | None = None
) -> dict[str, Any]:
    """Return the data behind the page on `records`, whose order is that of the games.

    `outcome` is what their tournament came to by the rules of its format. Without `title` it is
    the records' events, or else DEFAULT_TITLE. Without records lists are empty.
    """
    return gather(records, title=title, outcome=outcome).document


def gather(
    records: Iterable[Record], *, title: str | None = None, outcome: Outcome | None = None
) -> Gathered:
    """Return the document and the packed replays, after one pass over the records."""
    counts = _Counts()
    for number, record in enumerate(records, 1):
        counts.add(number, record)
    return Gathered(counts.document(title, outcome), counts.packer)


class _Counts:
    """Everything that is counted while the records go by."""

    def __init__(self) -> None:
        self.packer = Packer()
        self._tally = Tally()
        self._facts, self._duels, self._beginnings = Facts(), Duels(), Beginnings()
        self._lengths, self._endings, self._times = Lengths(), Endings(), Times()

    def add(self, number: int, record: Record) -> None:
        told = self.packer.add(record)
        movers = told.replay.movers if told.replay else ()
        seen = entry(number, record, told.ending, movers)
        self._tally.add(record, seen.ending)
        for counts in (
            *(self._facts, self._duels, self._beginnings),
            *(self._lengths, self._endings, self._times),
        ):
            counts.add(seen)

    def document(self, title: str | None, outcome: Outcome | None) -> dict[str, Any]:
        standings = standings_of(self._tally)
        names = [row.name for row in standings.overall.rows]
        linked = self.packer.numbering.linked
        says_something = outcome is not None and outcome.says_something
        return {
            "version": VERSION,
            "title": title or listed(self._facts.events) or DEFAULT_TITLE,
            "facts": self._facts.to_json(),
            "outcome": _plain(outcomes.to_json(outcome)) if outcome and says_something else None,
            "heading": outcome.heading if outcome and says_something else "",
            "standings": to_json(standings),
            "history": self._history(names),
            "first_move": _first_move(standings),
            "lengths": self._lengths.to_json(),
            "endings": self._endings.to_json(),
            "times": linked(self._times.to_json(names)),
            "bots": linked([self._bot(rank, name, names) for rank, name in enumerate(names, 1)]),
            "setups": linked(self._beginnings.setups()),
            "openings": linked(self._beginnings.openings()),
        }

    def _bot(self, rank: int, name: str, ranked: Sequence[str]) -> dict[str, Any]:
        told = self._duels.to_json(name, ranked)
        return {
            "rank": rank,
            "name": name,
            **told,
            "openings": self._beginnings.of_bot(name),
        }

    def _history(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the rating of every bot after so many games, None before its first."""
        points = min(POINTS_OF_A_LINE, max(30, _POINTS_OF_ALL_LINES // max(1, len(names))))
        snapshots = history(self._tally.results(), points)
        bots = []
        for rank, name in enumerate(names, 1):
            ratings = [snapshot.ratings.get(name) for snapshot in snapshots]
            mu = [None if one is None else round(one.mu, _DIGITS) for one in ratings]
            sigma = [None if one is None else round(one.sigma, _DIGITS) for one in ratings]
            bots.append({"rank": rank, "name": name, "mu": mu, "sigma": sigma})
        return {"games": [snapshot.games for snapshot in snapshots], "bots": bots}


def _plain(value: Any) -> Any:
    """Return a JSON value with lists for tuples."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def _first_move(standings: Standings) -> list[dict[str, Any]]:
    """Return for each game id what the seats scored and what the Elo model makes of it."""
    conditions = {line.game: line for line in standings.overall.ratings.conditions}
    told = []
    for table in standings.per_game:
        line = conditions.get(table.game)
        told.append(
            {
                "game": table.game,
                "title": game_title(table.game),
                "first_wins": table.first_wins,
                "draws": table.draws,
                "second_wins": table.second_wins,
                "advantage": None
                if line is None
                else {
                    "value": round(line.advantage.value, 2),
                    "low": round(line.advantage.low, 2),
                    "high": round(line.advantage.high, 2),
                },
                "draw_rate": None if line is None else round(line.draw_rate, 6),
            }
        )
    return told
