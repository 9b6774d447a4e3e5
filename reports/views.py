"""Standings as the words, classes and lengths that the page's tables are made of.

Must not know HTML, nor how standings are computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import games
from games.core import UnknownGameError
from notation.record import Record
from reports.standings import Meeting, Row, Standings

HEATS: Final = 9
"""Colours of the crosstable: 0 for a score rate of 0, 8 for 1, 4 for one half."""

INTERVAL_WIDTH: Final = 130
"""Width of the drawing of a rating's interval, in pixels."""

_INTERVAL_PADDING: Final = 5

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

DASH: Final = "\N{EN DASH}"


@dataclass(frozen=True, slots=True)
class Interval:
    """A rating drawn: a thin line of mu ± 3 sigma, a thick one of mu ± sigma, a dot on mu."""

    low: str
    thick_low: str
    middle: str
    thick_high: str
    high: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A crosstable's cell."""

    points: str
    games: int
    heat: int
    told: str
    """What it says, in a sentence."""


@dataclass(frozen=True, slots=True)
class EndingRow:
    """A game's line in the table of endings."""

    title: str
    games: int
    first_wins: int
    draws: int
    second_wins: int
    first_score: str
    endings: tuple[int, ...]
    """A number for each column of the table."""


def points(value: float) -> str:
    """Return points as people write them.

    >>> points(3.5), points(0.5), points(12.0)
    ('3½', '½', '12')
    """
    whole, half = divmod(round(value * 2), 2)
    return f"{whole or '' if half else whole}{'½' if half else ''}"


def percent(rate: float | None) -> str:
    """Return a rate as a percentage with one decimal; a dash where there is none.

    >>> percent(0.875).split(), percent(None)
    (['87.5', '%'], '–')
    """
    return DASH if rate is None else f"{100 * rate:.1f}\N{NO-BREAK SPACE}%"


def count(number: int, word: str) -> str:
    """Return a number and its noun.

    >>> count(1, "game"), count(1200, "game")
    ('1 game', '1,200 games')
    """
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def heat(rate: float) -> int:
    """Return the colour of a score rate, 0..HEATS - 1.

    >>> heat(0.0), heat(0.5), heat(1.0)
    (0, 4, 8)
    """
    return round(rate * (HEATS - 1))


def intervals(rows: Sequence[Row]) -> tuple[Interval, ...]:
    """Return the drawings of the rows' ratings, all on one scale."""
    spans = [(row.rating.exposed, row.rating.mu + 3 * row.rating.sigma) for row in rows]
    lowest = min((low for low, _ in spans), default=0.0)
    highest = max((high for _, high in spans), default=1.0)
    scale = (INTERVAL_WIDTH - 2 * _INTERVAL_PADDING) / (highest - lowest)

    def drawn(row: Row) -> Interval:
        values = (row.rating.mu + factor * row.rating.sigma for factor in (-3, -1, 0, 1, 3))
        return Interval(*(f"{_INTERVAL_PADDING + scale * (x - lowest):.1f}" for x in values))

    return tuple(drawn(row) for row in rows)


def forfeits(row: Row) -> str:
    """Return how a bot lost otherwise than on the board; a dash if it never did."""
    told = (
        (row.crashes, "crash"),
        (row.time_losses, "time"),
        (row.illegal_moves, "illegal move"),
        (row.floods, "flood"),
    )
    return ", ".join(f"{number} {word}" for number, word in told if number) or DASH


def crosstable(standings: Standings) -> tuple[tuple[Cell | None, ...], ...]:
    """Return the cells row by row; None where two bots never met."""
    names = [row.name for row in standings.rows]
    return tuple(
        tuple(_cell(bot, other, meeting) for other, meeting in zip(names, meetings, strict=True))
        for bot, meetings in zip(names, standings.crosstable, strict=True)
    )


def _cell(bot: str, other: str, meeting: Meeting) -> Cell | None:
    if not meeting.games:
        return None
    told = f"{bot} scored {points(meeting.points)} of {meeting.games} against {other}"
    rate = meeting.points / meeting.games
    return Cell(points(meeting.points), meeting.games, heat(rate), told)


def ending_rows(standings: Standings) -> tuple[EndingRow, ...]:
    """Return a line per game; the columns are `standings.endings` in their order."""
    return tuple(
        EndingRow(
            title=game_title(total.game),
            games=total.games,
            first_wins=total.first_wins,
            draws=total.draws,
            second_wins=total.second_wins,
            first_score=percent(total.first_score),
            endings=tuple(dict(total.endings).get(word, 0) for word, _ in standings.endings),
        )
        for total in standings.per_game
    )


def game_title(game_id: str) -> str:
    """Return a game's title, or its id where it is not installed."""
    try:
        return games.get(game_id).title
    except UnknownGameError:
        return game_id or "unknown game"


def left_out(standings: Standings) -> str:
    """Return in a sentence which records do not count; empty if all do."""
    if not standings.left_out:
        return ""
    total = sum(number for _, number in standings.left_out)
    reasons = ", ".join(f"{number} {word}" for word, number in standings.left_out)
    named = f" Only there: {', '.join(standings.unranked)}." if standings.unranked else ""
    return f"Not counted: {count(total, 'record')} ({reasons}).{named}"


def dates(records: Iterable[Record]) -> str:
    """Return the first and the last date of the records; empty if none has one."""
    known = sorted({date for record in records if _DATE.fullmatch(date := record.tag("Date"))})
    return f" {DASH} ".join(dict.fromkeys((known[0], known[-1]))) if known else ""
