"""Standings in the terminal: ratings, who beat whom, a line a game, and what one should know.

Where a table does not fit, columns are left out, the least important first; names are cut, numbers
are not.
"""

from __future__ import annotations

from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as Framed
from rich.text import Text

from lath.arena.terminal.crosstables import print_crosstable
from lath.arena.terminal.game_lines import game_lines
from lath.arena.terminal.layout import Column, Letters
from lath.arena.terminal.remarks import endings_words, left_out_words, remarks
from lath.arena.terminal.sheets import (
    letters_of,
    names,
    print_sheet,
    print_words,
    roomy,
    stderr_console,
)
from lath.notation.errors import printable
from lath.reports.ratings.values import Z95
from lath.reports.standings.values import Row, Standings, Table

GAMES: Final = "Games"


def print_standings(
    standings: Standings,
    *,
    to_stdout: bool = False,
    is_first: bool = False,
    by_game: bool = False,
) -> None:
    """Print ratings, crosstable, games and remarks; to standard error unless they are the data.

    `is_first`: nothing stands above them. `by_game`: each game's own tables come after those of
    all; a single game has none, since they would be the same.
    """
    console = roomy(Console(highlight=False) if to_stdout else stderr_console())
    if not standings.overall.games:
        print_words(console, "no finished games")
    else:
        title = ": ".join(filter(None, ("Ratings", ", ".join(standings.events))))
        _print_table(console, standings.overall, title, is_first=is_first)
        print_sheet(console, GAMES, game_lines(standings, letters_of(console)))
        _print_remarks(console, standings.overall)
        if by_game and len(standings.per_game) > 1:
            _print_games(console, standings)
    if standings.left_out:
        print_words(console, left_out_words(standings))


def _print_games(console: Console, standings: Standings) -> None:
    for table in standings.per_game:
        _print_table(console, table, f"Ratings at {table.game}")
        _print_remarks(console, table)


def _print_table(console: Console, table: Table, title: str, *, is_first: bool = False) -> None:
    print_sheet(console, title, ratings_columns(table, letters_of(console)), is_first=is_first)
    if len(table.rows) > 1:
        print_crosstable(table, console)


def _print_remarks(console: Console, table: Table) -> None:
    print_words(console, endings_words(table))
    for words in remarks(table, letters_of(console)):
        print_words(console, words)


def framed(title: str) -> Framed:
    """Return an empty table in the style of an archive's."""
    heading = Text(printable(title), style="bold")
    return Framed(
        title=heading, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1)
    )


def ratings_columns(table: Table, letters: Letters) -> list[Column]:
    """Return the columns of a ratings table, a line for each row."""
    rows = table.rows
    within = f"{letters.plus_minus} 95%"
    columns = [
        Column("#", [str(row.rank) for row in rows]),
        names("bot", [row.name for row in rows], letters),
        Column("rating", [f"{row.strength.trueskill.exposed:.2f}" for row in rows]),
        Column(f"mu {within}", _mus(rows, letters), rank=5),
        Column(f"Elo {within}", _elos(rows, letters), rank=4),
        Column("games", [str(row.games) for row in rows], rank=2),
        Column("W-D-L", [f"{row.wins}-{row.draws}-{row.losses}" for row in rows], rank=7),
        Column("points", [f"{row.points:g}" for row in rows], rank=1),
        Column("%", [f"{row.score_rate:.1%}" for row in rows], rank=6),
    ]
    if len(table.ratings.groups) > 1:
        columns.insert(1, Column("group", [str(row.strength.group + 1) for row in rows], rank=2))
    if any(row.forfeits for row in rows):
        columns.append(Column("forfeits", [str(row.forfeits) for row in rows], rank=3))
        columns.append(Column("without", [_without(row) for row in rows], rank=8))
    return columns


def _mus(rows: tuple[Row, ...], letters: Letters) -> list[str]:
    means = [f"{row.strength.trueskill.mu:.2f}" for row in rows]
    return letters.within(means, [f"{Z95 * row.strength.trueskill.sigma:.2f}" for row in rows])


def _elos(rows: tuple[Row, ...], letters: Letters) -> list[str]:
    values = [f"{round(row.strength.elo.value):+d}" for row in rows]
    return letters.within(values, [f"{Z95 * row.strength.elo.error:.0f}" for row in rows])


def _without(row: Row) -> str:
    """Return the rating that the games give that were lost on the board."""
    fair = row.without_forfeits
    return "-" if fair is None else f"{fair.trueskill.exposed:.2f}"
