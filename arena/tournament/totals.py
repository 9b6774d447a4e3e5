"""What the stored games add up to, bot by bot and pair by pair: counted by the database.

Must not know how results are kept safe, nor how numbers are shown.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Final, NamedTuple

FORFEITS: Final = ("crash", "time", "illegal move", "flood")
"""Endings that are one bot's own fault, and lose the game."""


class PairTally(NamedTuple):
    """Pairs in which one bot scored the same against the other."""

    one: str
    other: str
    points: float
    """Of `one`, in a pair."""

    games: int
    """Stored games of such a pair: 2, or 1 of a pair half played."""

    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BotTotals:
    """What one bot did in all stored games."""

    name: str
    games: int
    crashes: int
    """Games lost by a crash; likewise the next three."""

    time_losses: int
    illegal_moves: int
    floods: int
    moves: int
    """Moves that it made; 0 where the games were stored without their number."""

    used_s: float
    """Time that it used, in all."""

    worst_s: float
    """Time of its longest move."""

    @property
    def average_s(self) -> float | None:
        """Return the time of a move; None before any."""
        return self.used_s / self.moves if self.moves else None


_PAIRS: Final = """
SELECT one, other, points, games, count(*) FROM (
    SELECT
        CASE number % 2 WHEN 1 THEN first ELSE second END AS one,
        CASE number % 2 WHEN 1 THEN second ELSE first END AS other,
        sum(CASE result WHEN '1-0' THEN number % 2 WHEN '0-1' THEN 1 - number % 2 ELSE 0.5 END)
            AS points,
        count(*) AS games
    FROM game GROUP BY (number + 1) / 2
) GROUP BY 1, 2, 3, 4
"""

_SEAT: Final = """
    SELECT
        {seat} AS name, count(*) AS games,
        total({lost} AND termination = 'crash') AS crashes,
        total({lost} AND termination = 'time') AS late,
        total({lost} AND termination = 'illegal move') AS illegal,
        total({lost} AND termination = 'flood') AS floods,
        sum({seat}_moves) AS moves, sum({seat}_used_s) AS used_s, max({seat}_worst_s) AS worst_s
    FROM game GROUP BY 1
"""

_BOTS: Final = f"""
SELECT
    name, sum(games), sum(crashes), sum(late), sum(illegal), sum(floods), sum(moves), sum(used_s),
    max(worst_s)
FROM (
    {_SEAT.format(seat="first", lost="result = '0-1'")}
    UNION ALL
    {_SEAT.format(seat="second", lost="result = '1-0'")}
) GROUP BY name ORDER BY name
"""  # noqa: S608 - nothing of it comes from outside


def pairs(database: sqlite3.Connection) -> list[PairTally]:
    """Return how often bots scored what in a pair; its size does not grow with the games."""
    return [PairTally(*row) for row in database.execute(_PAIRS)]


def bots(database: sqlite3.Connection) -> list[BotTotals]:
    """Return what each bot did, by name."""
    return [_totals(*row) for row in database.execute(_BOTS)]


def _totals(name: str, *numbers: float) -> BotTotals:
    *counts, used_s, worst_s = numbers
    games, crashes, late, illegal, floods, moves = map(int, counts)
    return BotTotals(
        name=name,
        games=games,
        crashes=crashes,
        time_losses=late,
        illegal_moves=illegal,
        floods=floods,
        moves=moves,
        used_s=used_s,
        worst_s=worst_s,
    )
