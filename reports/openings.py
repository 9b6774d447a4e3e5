"""The most common first moves of a game, counted in bounded memory while records go by.

Must not know rules: moves are texts, canonical where they come from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

MOST_LINES: Final = 30_000
"""Lines kept of a game, in about 15 MB: more than any built-in game has of two plies."""

Line = tuple[str, ...]
"""The first moves of a game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """One way to begin, and what came of it."""

    moves: Line
    games: int
    """At least that many; exact where nothing was missed."""

    first_score: float | None
    """Points of first for a decided game, in 0..1; None where no game was decided."""


@dataclass(slots=True)
class _Count:
    """What came of one line."""

    games: int = 0
    decided: int = 0
    points: float = 0.0


class Openings:
    """Lines of a fixed length, and how often they came."""

    def __init__(self, plies: int, most: int = MOST_LINES) -> None:
        self.plies: Final = plies
        """Of a line; a shorter game has none."""
        self.games = 0
        """Games that were long enough."""
        self.missed = 0
        """Games a line may have had besides: of too many lines, the rare ones are forgotten."""
        self._most: Final = most
        self._lines: dict[Line, _Count] = {}

    def add(self, moves: Line, points: float | None) -> None:
        """Count a game by its moves and the points of first; None where it was not decided."""
        if len(moves) < self.plies:
            return
        self.games += 1
        line = moves[: self.plies]
        count = self._lines.get(line)
        if count is None:
            if len(self._lines) == self._most:
                self._forget()
            count = self._lines[line] = _Count()
        count.games += 1
        if points is not None:
            count.decided += 1
            count.points += points

    def _forget(self) -> None:
        """Drop the rarer half of the lines."""
        ranked = self._ranked()
        kept = (len(ranked) + 1) // 2
        # A line that comes again, or first comes now, has lost at most what was dropped.
        self.missed += ranked[kept][1].games
        self._lines = dict(ranked[:kept])

    def _ranked(self) -> list[tuple[Line, _Count]]:
        return sorted(self._lines.items(), key=lambda pair: (-pair[1].games, pair[0]))

    def most_common(self, number: int) -> tuple[Opening, ...]:
        """Return the most frequent lines first, then by moves."""
        return tuple(_openings(self._ranked()[:number]))


def _openings(ranked: Iterable[tuple[Line, _Count]]) -> Iterable[Opening]:
    for moves, count in ranked:
        score = count.points / count.decided if count.decided else None
        yield Opening(moves=moves, games=count.games, first_score=score)
