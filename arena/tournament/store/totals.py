"""Sums over stored games: by pair, by bot, by ending."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from typing_extensions import TypedDict

from lath.arena.tournament.store.rows import CHECKSUM, COLUMNS
from lath.games.core import Result
from lath.notation.record.tags import FORFEITS
from lath.reports.schema import About, Amount, Count

NAMES: Final = (*COLUMNS, CHECKSUM)

_LostBy = TypedDict(
    "_LostBy", {"crash": Count, "time": Count, "illegal move": Count, "flood": Count}
)

LostBy = Annotated[Mapping[str, int], About(shape=_LostBy)]
"""Games lost by the bot's own fault, by their ending."""


@dataclass(frozen=True, slots=True)
class PairTally:
    """Pairs in which one bot scored the same against the other."""

    one: str
    """A bot."""
    other: str
    """Its opponent."""
    points: float
    """Points of `one` in such a pair."""

    games: int
    """Stored games of such a pair: 2, or 1 of a pair half played."""

    pairs: int
    """Number of such pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotTotals:
    """Totals of one bot over all stored games."""

    name: str
    """The bot."""
    games: Count
    """Stored games."""
    moves: Count
    """Stored moves; 0 if the games were stored without their number."""

    average_s: Amount | None
    """Mean seconds per move; null before any."""

    worst_s: Amount
    """Seconds of the longest move."""

    lost_by: LostBy
    """Games that the bot lost by failures of its own."""


PAIR_TALLIES: Final = """
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
        {seat} AS name, {seat}_moves AS moves, {seat}_used_s AS used_s, {seat}_worst_s AS worst_s,
        CASE result WHEN '{lost}' THEN termination ELSE '' END AS lost_by
    FROM game
"""

BOT_TOTALS: Final = f"""
SELECT
    name, sum(moves), sum(used_s), max(worst_s), count(*),
    {", ".join(f"sum(lost_by = '{ending}')" for ending in FORFEITS)}
FROM (
    {_SEAT.format(seat="first", lost=Result.SECOND_WON)} UNION ALL
    {_SEAT.format(seat="second", lost=Result.FIRST_WON)}
) GROUP BY name ORDER BY name
"""  # noqa: S608 - no part comes from outside


@dataclass(frozen=True, slots=True)
class EndingTally:
    """Games with the same players, result and termination."""

    first: str
    """The first player."""
    second: str
    """The second player."""
    result: str
    """The result."""
    termination: str
    """The reason, as in the tag Termination."""
    games: int
    """Number of such games."""
