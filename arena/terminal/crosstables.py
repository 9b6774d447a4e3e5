"""Who beat whom in the terminal: a crosstable, or a list of meetings where that is too wide.

Must not know how a likelihood comes about.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, Final

from lath.arena.terminal.layout import LEAST, Column, Letters, width_of
from lath.arena.terminal.sheets import letters_of, names, print_sheet, print_title, print_words
from lath.reports.standings.values import Meeting, Table

if TYPE_CHECKING:
    from rich.console import Console

CROSSTABLE: Final = "Points against each other"
SUPERIORITY: Final = "Likelihood of being the stronger one (LOS)"
BOTH: Final = f"{CROSSTABLE}, and the likelihood of being the stronger one (LOS)"

LONGEST_LIST: Final = 30
"""Meetings that are listed where the crosstable is too wide; eight bots have 28."""


def print_crosstable(table: Table, console: Console) -> None:
    """Print points and likelihoods, the most in one table that fits, or what room they need."""
    letters = letters_of(console)
    together = _matrix(table, letters, _point_and_likelihood)
    points = _matrix(table, letters, _points)
    likelihoods = _matrix(table, letters, _likelihood)
    if _fits(together, console):
        print_sheet(console, BOTH, together)
    elif _fits(points, console) and _fits(likelihoods, console):
        print_sheet(console, CROSSTABLE, points)
        print_sheet(console, SUPERIORITY, likelihoods)
    elif len(table.rows) * (len(table.rows) - 1) // 2 <= LONGEST_LIST:
        print_sheet(console, CROSSTABLE, _meetings(table, letters))
    else:
        _print_room(CROSSTABLE, points, console)
        _print_room(SUPERIORITY, likelihoods, console)


def _print_room(title: str, columns: list[Column], console: Console) -> None:
    """Print a table, or how much room it needs."""
    if _fits(columns, console):
        print_sheet(console, title, columns)
        return
    needed = width_of(columns, least=LEAST)
    print_title(console, title)
    print_words(console, f"needs {needed} columns: widen the terminal, or see the HTML report")


def _fits(columns: list[Column], console: Console) -> bool:
    return width_of(columns, least=LEAST) <= console.width


def _matrix(table: Table, letters: Letters, cell: Callable[[Meeting], str]) -> list[Column]:
    """Return a column for each bot, headed by its rank, of what each row's bot did against it."""
    columns = [
        Column("#", [str(row.rank) for row in table.rows]),
        names("bot", [row.name for row in table.rows], letters),
    ]
    for at, row in enumerate(table.rows):
        cells = [cell(meetings[at]) for meetings in table.crosstable]
        columns.append(Column(str(row.rank), cells))
    return columns


def _points(meeting: Meeting) -> str:
    return f"{meeting.points:g}/{meeting.games}" if meeting.games else "-"


def _likelihood(meeting: Meeting) -> str:
    """Return it in whole per cent, 0 and 100 of which nothing reaches."""
    if meeting.superiority is None:
        return "-"
    share = round(100 * meeting.superiority)
    return "<1%" if share < 1 else ">99%" if share > 99 else f"{share}%"


def _point_and_likelihood(meeting: Meeting) -> str:
    if meeting.superiority is None and not meeting.games:
        return "-"
    return f"{_points(meeting)} {_likelihood(meeting):>4}"


def _meetings(table: Table, letters: Letters) -> list[Column]:
    """Return a line for each two bots that have met, the better one first."""
    cross, rows = table.crosstable, table.rows
    met = [(a, b) for a, b in combinations(range(len(rows)), 2) if cross[a][b].games]
    return [
        names("bot", [rows[one].name for one, _ in met], letters),
        Column("points", [f"{cross[a][b].points:g}-{cross[b][a].points:g}" for a, b in met]),
        names("opponent", [rows[other].name for _, other in met], letters),
        Column("LOS", [_likelihood(cross[a][b]) for a, b in met], rank=1),
    ]
