"""Ways to begin, with their results and an example each, counted in bounded memory.

Must not know what a way is: a setup or first moves, a text is a text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

MOST: Final = 20_000
"""Ways kept of a kind; of more, the rarer half is forgotten, and `missed` says so."""


@dataclass(slots=True)
class _Line:
    """What came of one way, for first or for a bot."""

    example: int
    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    def add(self, points: float) -> None:
        if points == 1:
            self.wins += 1
        elif points == 0:
            self.losses += 1
        else:
            self.draws += 1


@dataclass(slots=True)
class Lines:
    """Ways to begin, and how often they came."""

    most: int = MOST
    games: int = 0
    missed: int = 0
    """Games a way may have had besides; 0 where the counts are exact."""

    _lines: dict[str, _Line] = field(default_factory=dict)

    def add(self, text: str, points: float, number: int) -> None:
        """Count a game of this number; `points` are those of whom it is about."""
        self.games += 1
        line = self._lines.get(text)
        if line is None:
            if len(self._lines) >= self.most:
                self._forget()
            line = self._lines[text] = _Line(number)
        line.add(points)

    def _forget(self) -> None:
        ranked = self._ranked()
        kept = (len(ranked) + 1) // 2
        self.missed += ranked[kept][1].games
        self._lines = dict(ranked[:kept])

    def _ranked(self) -> list[tuple[str, _Line]]:
        return sorted(self._lines.items(), key=lambda pair: (-pair[1].games, pair[0]))

    def to_json(self, most: int) -> dict[str, Any]:
        """Return the most frequent ways, then by text, as `schema.LINES` describes them."""
        return {
            "games": self.games,
            "different": len(self._lines),
            "missed": self.missed,
            "lines": [_to_json(text, line) for text, line in self._ranked()[:most]],
        }


def _to_json(text: str, line: _Line) -> dict[str, Any]:
    return {
        "text": text,
        "wins": line.wins,
        "draws": line.draws,
        "losses": line.losses,
        "example": line.example,
    }
