"""Why games ended, game by game: in the rules' own words, or by crash, time, an illegal move.

Must not know what any of the words mean.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from lath.reports.page.entries import Entry, game_title
from lath.reports.standings.tally import counts


class Endings:
    """Counts while the records go by."""

    def __init__(self) -> None:
        self._games: dict[str, Counter[tuple[str, bool]]] = {}

    def add(self, entry: Entry) -> None:
        """Count one game that counts."""
        if entry.points is not None:
            endings = self._games.setdefault(entry.record.game, Counter())
            endings[entry.ending, entry.is_forfeit] += 1

    def to_json(self) -> list[dict[str, Any]]:
        """Return a line a game id, sorted, as `schema.ENDINGS` describes them."""
        return [_line(game_id, self._games[game_id]) for game_id in sorted(self._games)]


def _line(game_id: str, endings: Counter[tuple[str, bool]]) -> dict[str, Any]:
    words = Counter[str]()
    for (word, _), games in endings.items():
        words[word] += games
    return {
        "game": game_id,
        "title": game_title(game_id),
        "games": endings.total(),
        "endings": [
            {"ending": word, "games": games, "forfeit": (word, True) in endings}
            for word, games in counts(words)
        ],
    }
