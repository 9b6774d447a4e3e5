"""A line for each game in the terminal: what the first seat is worth, draws, why games ended.

Must not know any game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from lath.arena.terminal.layout import Column, Letters
from lath.arena.terminal.sheets import names
from lath.reports.ratings.values import Z95, Conditions
from lath.reports.standings.values import Standings, Table

MOST_ENDINGS: Final = 8
"""Columns of endings; a record may call its ending what it likes. The sentence below has all."""

LONGEST_ENDING: Final = 20
"""Letters of an ending that has a column."""


def game_lines(standings: Standings, letters: Letters) -> list[Column]:
    """Return the columns of a table with a line a game.

    What a seat is worth is told as on the page: among bots as strong as all games say.
    """
    tables = standings.per_game
    lines = _conditions(standings)
    return [
        names("game", [table.game for table in tables], letters),
        Column("games", [str(table.games) for table in tables]),
        Column("first scored", [f"{table.first_score or 0:.1%}" for table in tables], rank=3),
        Column(f"first move {letters.plus_minus} 95%", _advantages(lines, letters), rank=1),
        Column("draws", [f"{table.draws / table.games:.1%}" for table in tables], rank=4),
        Column("equals draw", _draw_rates(lines), rank=2),
        *_repeats(tables),
        *_endings(tables, letters),
    ]


def _advantages(lines: Sequence[Conditions | None], letters: Letters) -> list[str]:
    """Return what the first seat is worth in Elo points, with its interval."""
    values = [f"{round(line.advantage.value):+d}" if line else "-" for line in lines]
    halves = [f"{Z95 * line.advantage.error:.0f}" if line else "-" for line in lines]
    cells = zip(lines, letters.within(values, halves), strict=True)
    return [f"{cell} Elo" if line else "-" for line, cell in cells]


def _draw_rates(lines: Sequence[Conditions | None]) -> list[str]:
    """Return how often equals draw, by the Elo model."""
    return [f"{line.draw_rate:.1%}" if line else "-" for line in lines]


def _conditions(standings: Standings) -> list[Conditions | None]:
    """Return those of each game; None where no game is rated."""
    found = {line.game: line for line in standings.overall.ratings.conditions}
    return [found.get(table.game) for table in standings.per_game]


def _repeats(tables: Sequence[Table]) -> list[Column]:
    if not any(table.repeated for table in tables):
        return []
    return [Column("repeated", [str(table.repeated) for table in tables], rank=5)]


def _endings(tables: Sequence[Table], letters: Letters) -> list[Column]:
    """Return a column for each ending, the most frequent first; the others go first."""
    together = Counter[str]()
    for table in tables:
        together.update(dict(table.endings))
    words = [word for word, _ in together.most_common(MOST_ENDINGS) if len(word) <= LONGEST_ENDING]
    return [
        Column(
            letters.plain(word),
            [str(dict(table.endings).get(word, 0)) for table in tables],
            rank=6 + number,
        )
        for number, word in enumerate(words)
    ]
