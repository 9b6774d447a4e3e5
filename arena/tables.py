"""Standings as tables in the terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from notation.errors import printable
from reports.standings import Row, Standings


def print_standings(standings: Standings, *, to_stdout: bool = False) -> None:
    """Print standings, crosstable and endings; to standard error unless they are the data."""
    console = Console(stderr=not to_stdout, highlight=False)
    if not standings.games:
        console.print("no finished games")
        return
    console.print(_table(standings))
    if len(standings.rows) > 1:
        console.print(_crosstable(standings))
    words = ", ".join(f"{ending} {count}" for ending, count in standings.endings)
    first = standings.first_score or 0.0
    told = f"{standings.games} games; endings: {words}; first scored {first:.1%}"
    console.print(Text(printable(told)))
    if standings.left_out:
        left = ", ".join(f"{why} {count}" for why, count in standings.left_out)
        console.print(Text(printable(f"left out: {left}")))


def framed(title: str) -> Table:
    """Return an empty table in the one style of the terminal."""
    heading = Text(printable(title), style="bold")
    return Table(
        title=heading, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1)
    )


def _table(standings: Standings) -> Table:
    table = framed(", ".join(standings.events) or "Standings")
    table.add_column("#", justify="right")
    table.add_column("bot", overflow="fold")
    for heading in ("rating", "mu", "±2σ", "games", "W", "D", "L", "points", "%"):
        table.add_column(heading, justify="right", no_wrap=True)
    forfeits = any(map(_forfeits, standings.rows))
    if forfeits:
        table.add_column("forfeits", justify="right")
    for row in standings.rows:
        cells = [
            f"{row.rating.exposed:.2f}",
            f"{row.rating.mu:.2f}",
            f"{2 * row.rating.sigma:.2f}",
            str(row.games),
            str(row.wins),
            str(row.draws),
            str(row.losses),
            f"{row.points:g}",
            f"{row.score_rate:.1%}",
        ]
        if forfeits:
            cells.append(str(_forfeits(row)))
        table.add_row(str(row.rank), Text(printable(row.name)), *cells)
    return table


def _forfeits(row: Row) -> int:
    return row.crashes + row.time_losses + row.illegal_moves + row.floods


def _crosstable(standings: Standings) -> Table:
    table = framed("Points against each other")
    table.add_column("#", justify="right")
    table.add_column("bot", overflow="fold")
    for row in standings.rows:
        table.add_column(str(row.rank), justify="right", no_wrap=True)
    for row, meetings in zip(standings.rows, standings.crosstable, strict=True):
        cells = [f"{m.points:g}/{m.games}" if m.games else "-" for m in meetings]
        table.add_row(str(row.rank), Text(printable(row.name)), *cells)
    return table
