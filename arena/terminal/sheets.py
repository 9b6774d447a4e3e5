"""Titled tables in a terminal of any width: columns are left out and names cut until they fit.

Must not know what stands in them. A file or pipe has as much room as they want, unless COLUMNS says
otherwise.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import IO, Final, cast

from rich.console import Console
from rich.text import Text

from lath.arena.terminal.layout import Column, Frame, Letters, Line, Part, table
from lath.arena.terminal.streams import Steadfast

UNLIMITED: Final = 1000
"""Columns of what is no terminal: nothing needs to be cut there."""


def letters_of(console: Console) -> Letters:
    """Return which letters a terminal or file can show."""
    return Letters(is_ascii=not (console.encoding or "").lower().startswith("utf"))


def stderr_console() -> Console:
    """Return the console of standard error, which may be gone."""
    stream = cast("IO[str]", Steadfast(sys.stderr))
    return Console(file=stream, highlight=False, markup=False, emoji=False)


def roomy(console: Console) -> Console:
    """Return the console with as much room as there is: that of its terminal, else plenty."""
    if not console.is_terminal and not os.environ.get("COLUMNS"):
        console.width = UNLIMITED
    return console


def names(heading: str, cells: Iterable[str], letters: Letters) -> Column:
    """Return a column of names from outside, which may be cut but not left out."""
    return Column(heading, [letters.plain(cell) for cell in cells], to_right=False, is_elastic=True)


def print_sheet(
    console: Console, title: str, columns: Sequence[Column], *, is_first: bool = False
) -> None:
    """Print a table under its title."""
    print_title(console, title, is_first=is_first)
    print_table(console, table(columns, console.width, letters_of(console)))


def print_title(console: Console, title: str, *, is_first: bool = False) -> None:
    """Print a title, as long as it may be; a blank line before it unless nothing is there."""
    if not is_first:
        console.line()
    console.print(Text(letters_of(console).plain(title), style="bold"))


def print_table(console: Console, lines: Iterable[Line]) -> None:
    """Print lines that fit."""
    console.print(Frame(_trimmed(line) for line in lines))
    console.line()


def _trimmed(line: Line) -> Line:
    """Return the line without blanks at its end."""
    *before, last = line
    return [*before, Part(last.text.rstrip(), last.style)]


def print_words(console: Console, words: str) -> None:
    """Print a sentence from outside, broken where the terminal ends."""
    console.print(Text(letters_of(console).plain(words)))
