"""What a tournament came to by the rules of its format, in the terminal.

Must not know any format: an outcome brings its own tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from rich.console import Console

from lath.arena.terminal.layout import Column, Letters, Line, Part, table
from lath.arena.terminal.sheets import (
    letters_of,
    print_table,
    print_title,
    print_words,
    roomy,
    stderr_console,
)
from lath.reports.outcome import Outcome, Sheet

STAY: Final = 3
"""Columns from the left that are never left out."""


def print_outcome(outcome: Outcome | None, *, to_stdout: bool = False) -> None:
    """Print it under a heading, where there is anything to say."""
    if outcome is None or not outcome.says_something:
        return
    console = roomy(Console(highlight=False) if to_stdout else stderr_console())
    letters = letters_of(console)
    print_title(console, outcome.heading, is_first=to_stdout)
    if outcome.verdict:
        print_words(console, outcome.verdict)
    for number, (_, alike) in enumerate(groupby(outcome.sheets, key=lambda sheet: sheet.columns)):
        if number or outcome.verdict:
            console.line()
        print_table(console, _together(list(alike), console.width, letters))


def _together(sheets: Sequence[Sheet], width: int, letters: Letters) -> list[Line]:
    """Return tables of the same columns as one, so that their columns stand below each other."""
    lines = iter(table(list(_columns(sheets, letters)), width, letters))
    heading = next(lines)
    told: list[Line] = []
    for sheet in sheets:
        if sheet.title:
            told.append([Part(letters.plain(sheet.title), "cyan")])
        told += [next(lines) for _ in sheet.rows]
    told.insert(0 if len(sheets) > 1 or not sheets[0].title else 1, heading)
    return told


def _columns(sheets: Sequence[Sheet], letters: Letters) -> Iterator[Column]:
    """Yield the columns, without those that are empty in all sheets."""
    rows = [row for sheet in sheets for row in sheet.rows]
    for at, column in enumerate(sheets[0].columns):
        cells = [letters.plain(row[at]) for row in rows]
        if any(cells):
            is_name = column.kind == "name"
            yield Column(
                letters.plain(column.heading),
                cells,
                rank=0 if at < STAY else at,
                to_right=column.kind == "number",
                is_elastic=is_name,
            )
