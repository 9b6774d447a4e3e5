"""What an event is: its titles, places, dates, games, bots, rounds and time controls, counted.

Must not know who won.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final

from lath.notation.record import RESULTS, Record
from lath.reports.page.entries import Entry, game_credit, game_title
from lath.reports.standings.tally import UNSTATED, counts

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

UNKNOWN: Final = ("", "?")
"""Names that name nobody."""


class Facts:
    """Counts while the records go by."""

    def __init__(self) -> None:
        self._words: dict[str, Counter[str]] = {
            tag: Counter() for tag in ("Event", "Site", "Round", "TimeControl")
        }
        self._results = Counter[str]()
        self._games = Counter[str]()
        self._bots: set[str] = set()
        self._plies = 0
        self._timed = 0
        self._dates: tuple[str, str] | None = None
        self._undated = 0

    def add(self, entry: Entry) -> None:
        """Count one record, whether it counts for the standings or not."""
        record = entry.record
        for tag, words in self._words.items():
            if word := record.tag(tag):
                words[word] += 1
        self._results[record.result] += 1
        self._games[record.game] += 1
        self._bots |= {record.first, record.second}
        self._plies += len(record.plies)
        self._add_date(record)

    def _add_date(self, record: Record) -> None:
        date = record.tag("Date")
        if _DATE.fullmatch(date) is None:
            self._undated += 1
        else:
            first, last = self._dates or (date, date)
            self._dates = min(first, date), max(last, date)

    @property
    def events(self) -> tuple[str, ...]:
        """Return the different titles, in order of appearance."""
        return tuple(self._words["Event"])

    def to_json(self) -> dict[str, Any]:
        """Return the facts as `schema.FACTS` describes them."""
        first, last = self._dates or ("", "")
        return {
            "records": self._results.total(),
            "plies": self._plies,
            "bots": len(self._bots.difference(UNKNOWN)),
            "events": list(self.events),
            "sites": list(self._words["Site"]),
            "rounds": len(self._words["Round"]),
            "dates": {"first": first, "last": last, "undated": self._undated},
            "games": [self._game(game_id) for game_id in sorted(self._games)],
            "time_controls": self._time_controls(),
            "results": {result: self._results[result] for result in RESULTS},
        }

    def _game(self, game_id: str) -> dict[str, Any]:
        return {
            "game": game_id,
            "title": game_title(game_id),
            "credit": game_credit(game_id),
            "records": self._games[game_id],
        }

    def _time_controls(self) -> list[dict[str, Any]]:
        known = self._words["TimeControl"]
        unstated = self._results.total() - known.total()
        listed = [{"control": word, "records": n} for word, n in counts(known)]
        return [*listed, {"control": UNSTATED, "records": unstated}] if unstated else listed
