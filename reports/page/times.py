"""How long each bot thought: its moves timed, the quantiles, the worst, and games lost on time.

Must not know how it is shown. Times come from the records (`emt`), in whole milliseconds.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from lath.notation.record import Termination
from lath.reports.page.entries import Entry


@dataclass(slots=True)
class _Spent:
    """What one bot used."""

    moves: Counter[int] = field(default_factory=Counter)
    """How many moves took so many milliseconds, to four digits."""

    total_ms: float = 0.0
    worst_ms: float = -1.0
    worst_game: int = 0
    worst_ply: int = 0
    games: int = 0
    lost: int = 0

    def add(self, used_ms: float, number: int, ply: int) -> None:
        self.moves[four_digits(used_ms)] += 1
        self.total_ms += used_ms
        if used_ms > self.worst_ms:
            self.worst_ms, self.worst_game, self.worst_ply = used_ms, number, ply


def four_digits(value: float) -> int:
    """Return a whole number of at most four digits that are not 0: so few that all can be kept.

    >>> four_digits(0.4), four_digits(1234.4), four_digits(123456.0)
    (0, 1234, 123500)
    """
    if value < 10_000:
        return round(value)
    return int(round(value, 3 - math.floor(math.log10(value))))


class Times:
    """Counts while the records go by."""

    def __init__(self) -> None:
        self._bots: dict[str, _Spent] = {}

    def add(self, entry: Entry) -> None:
        """Count one game that counts; where it cannot be replayed, nobody knows who moved."""
        if entry.points is None:
            return
        players = entry.record.first, entry.record.second
        spent = [self._bots.setdefault(name, _Spent()) for name in players]
        for one in spent:
            one.games += 1
        if entry.record.termination == Termination.TIME and entry.points != 0.5:
            spent[entry.points == 1].lost += 1
        for ply, (mover, made) in enumerate(zip(entry.movers, entry.record.plies, strict=False), 1):
            used_s = made.used_s
            if used_s is not None and 0 <= used_s < math.inf:
                spent[mover].add(used_s * 1000, entry.number, ply)

    def to_json(self, names: list[str]) -> list[dict[str, Any]]:
        """Return a line for each bot of `names` whose moves were timed, in their order."""
        return [
            _line(name, self._bots[name])
            for name in names
            if name in self._bots and self._bots[name].moves
        ]


def _line(name: str, spent: _Spent) -> dict[str, Any]:
    moves = spent.moves.total()
    return {
        "name": name,
        "moves": moves,
        "mean_s": round(spent.total_ms / moves / 1000, 6),
        "median_s": quantile(spent.moves, 0.5) / 1000,
        "p95_s": quantile(spent.moves, 0.95) / 1000,
        "worst_s": round(spent.worst_ms / 1000, 6),
        "worst": {"number": spent.worst_game, "ply": spent.worst_ply},
        "games": spent.games,
        "lost_on_time": spent.lost,
    }


def quantile(values: Counter[int], share: float) -> int:
    """Return the least value that at least this share of them does not exceed.

    >>> quantile(Counter({1: 1, 2: 1, 9: 2}), 0.5), quantile(Counter({1: 99, 7: 1}), 0.95)
    (2, 1)
    """
    left = math.ceil(share * values.total())
    for value in sorted(values):
        left -= values[value]
        if left <= 0:
            return value
    raise ValueError("no values")
