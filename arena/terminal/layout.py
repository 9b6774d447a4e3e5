"""Tables with titles for any width of terminal: columns are left out and names cut until they fit.

Rich's own tables wrap wide cells or cut numbers. Files and pipes get the full width, unless COLUMNS
is set.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TextIO, cast

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.segment import Segment, SegmentLines
from rich.style import Style
from rich.text import Text

from lath.arena.terminal.streams import Steadfast, unfiltered
from lath.notation.record.errors import printable

if TYPE_CHECKING:
    from lath.reports.notes.outcome import Kind

GAP: Final = 2
"""Spaces between columns."""

LEAST_NAME: Final = 12
"""The width of a name below which other columns are left out."""

LEAST: Final = 8
"""The smallest width of a name."""

Line = list[Segment]
"""Pieces of text with styles; five times as fast as Rich's `Text`."""


def part(text: str, style: str = "") -> Segment:
    """Return a piece of a line."""
    return Segment(text, Style.parse(style))


_IN_ASCII: Final = str.maketrans({"…": "~", "–": "-", "±": "+/-", "½": ".5"})
"""Replacements of the characters in the arena's own tables for ASCII terminals."""


@dataclass(frozen=True, slots=True)
class Letters:
    """The characters that the terminal can show: all, or only ASCII."""

    is_ascii: bool = False

    def plain(self, text: str) -> str:
        r"""Return any text in characters that the terminal can show, cut at 1,000 characters.

        >>> Letters().plain("±5\t\x1b"), Letters(is_ascii=True).plain("±1½ é")
        ('±5 ·', '+/-1.5 \\xe9')
        """
        shown = text[:1000]  # a bot can cause a warning of any length
        if not shown.isprintable():
            shown = printable(shown).replace("\t", " ")
        if not self.is_ascii:
            return shown
        return shown.translate(_IN_ASCII).encode("ascii", "backslashreplace").decode()

    def fit(self, text: str, width: int, *, to_right: bool = False) -> str:
        """Return the text padded or cut to the width in columns.

        >>> Letters().fit("greedy", 8), Letters().fit("greedy", 4), Letters(True).fit("greedy", 4)
        ('greedy  ', 'gre…', 'gre~')
        """
        if (length := cell_len(text)) > width:
            return set_cell_size(text, max(0, width - 1)) + self.plain("…")[:width]
        blanks = " " * (width - length)
        return blanks + text if to_right else text + blanks


@dataclass(frozen=True, slots=True)
class LayoutColumn:
    """A column of a table."""

    heading: str
    cells: Sequence[str]
    rank: int = 0
    """The order in which columns are left out, highest first; 0 always stays."""

    kind: Kind = "number"
    """Numbers are aligned to the right; names can be cut."""

    style: str = ""

    @property
    def width(self) -> int:
        """The width without any cut."""
        return max(map(cell_len, (self.heading, *self.cells)))


def width_of(columns: Iterable[LayoutColumn], *, least: int) -> int:
    """Return the width of a table whose names are cut to `least` columns."""
    widths = [min(c.width, least) if c.kind == "name" else c.width for c in columns]
    return sum(widths) + GAP * (len(widths) - 1)


def laid_out(columns: Iterable[LayoutColumn], width: int, letters: Letters) -> list[Line]:
    """Return the heading and the rows; leaves out columns and cuts names until they fit."""
    kept = shown(columns, letters)
    while width_of(kept, least=LEAST_NAME) > width and any(column.rank for column in kept):
        kept.remove(max(reversed(kept), key=lambda column: column.rank))
    widths = [column.width for column in kept]
    cut = [at for at, column in enumerate(kept) if column.kind == "name"]
    for _ in range(sum(widths) + GAP * (len(widths) - 1) - width):
        widest = max(cut, key=widths.__getitem__, default=None)
        if widest is not None and widths[widest] > LEAST:
            widths[widest] -= 1
    drawn: list[Line] = []
    for column, wide in zip(kept, widths, strict=True):
        gap, to_right = " " * GAP if drawn else "", column.kind == "number"
        cells = (column.heading, *column.cells)
        heading, *below = [gap + letters.fit(cell, wide, to_right=to_right) for cell in cells]
        drawn.append([part(heading, "bold"), *(part(cell, column.style) for cell in below)])
    return list(map(list, zip(*drawn, strict=True)))


def shown(columns: Iterable[LayoutColumn], letters: Letters) -> list[LayoutColumn]:
    """Return the columns in characters that the terminal can show."""
    return [
        replace(
            column, heading=letters.plain(column.heading), cells=[*map(letters.plain, column.cells)]
        )
        for column in columns
    ]


class Output:
    """An output stream for tables and sentences."""

    def __init__(self, *, to_stdout: bool = False, of_run: bool = False) -> None:
        """Use the width of the terminal, or 1,000 columns for a file or pipe.

        Errors of standard error are ignored, and those of standard output, too, if `of_run`.
        """
        stream = unfiltered(sys.stdout if to_stdout else sys.stderr)
        self._steadfast: Final = Steadfast(stream) if of_run or not to_stdout else None
        self.console: Final = Console(
            file=cast("TextIO", self._steadfast or stream),
            # Without colours, text is not bold either.
            color_system=None if os.environ.get("NO_COLOR") else "auto",
            highlight=False,
            markup=False,
            emoji=False,
        )
        if not self.console.is_terminal and not os.environ.get("COLUMNS"):
            self.console.width = 1000
        self.width: Final = self.console.width
        is_unicode = (self.console.encoding or "").lower().startswith("utf")
        self.letters: Final = Letters(is_ascii=not is_unicode)
        self._is_fresh = to_stdout and not (of_run and self.console.is_terminal)

    @property
    def failure(self) -> OSError | None:
        """The error that stopped the output; None without one, or if the reader closed a pipe."""
        return self._steadfast.failure if self._steadfast else None

    def table(self, title: str, columns: Sequence[LayoutColumn]) -> None:
        """Print a table with its title."""
        self.title(title)
        self.lines(laid_out(columns, self.width, self.letters))

    def title(self, title: str) -> None:
        """Print a title of any length, after an empty line unless it comes first."""
        if not self._is_fresh:
            self.console.line()
        self._is_fresh = False
        self.console.print(self.text(title, "bold"))

    def lines(self, lines: Iterable[Line]) -> None:
        """Print lines that fit, without trailing spaces."""
        trimmed = ([*before, last._replace(text=last.text.rstrip())] for *before, last in lines)
        self.console.print(SegmentLines(trimmed, new_lines=True))

    def words(self, *sentences: str) -> None:
        """Print text from outside, wrapped at the width and without trailing spaces."""
        for words in sentences:
            self._is_fresh = False
            lines = self.text(words).wrap(self.console, self.width)
            for line in lines:
                line.rstrip()
            self.console.print(Text("\n").join(lines))

    def command(self, words: str) -> None:
        """Print a command without wrapping, so that it can be copied from the terminal."""
        self.console.print(self.letters.plain(words), soft_wrap=True)

    def text(self, words: str, style: str = "") -> Text:
        """Return any text as Rich's `Text`, without control characters."""
        return Text(self.letters.plain(words), style=style)

    def needed(self, columns: Iterable[LayoutColumn], *, least: int) -> int:
        """Return the width of a table whose names are cut to `least` columns."""
        return width_of(shown(columns, self.letters), least=least)


def figure(number: float | None, form: str) -> str:
    """Return a number in a form of `format`; `-` for None.

    >>> figure(0.25, ".1%"), figure(None, ".1%")
    ('25.0%', '-')
    """
    return "-" if number is None else format(number, form)


def interval(ends: tuple[float, float] | None) -> str:
    """Return an interval of shares in percent; `-` for None."""
    return "-" if ends is None else f"{ends[0]:.0%} to {ends[1]:.0%}"


def p_value(chance: float | None) -> str:
    """Return a p-value, never as 0; `-` for None."""
    return "<0.001" if chance is not None and chance < 0.001 else figure(chance, ".3f")


def often(text: str, times: int) -> str:
    """Return a warning or note with the number of its occurrences."""
    return f"{text} ({times} times)" if times > 1 else text


def forfeits(lost_by: Sequence[Mapping[str, int]], *, apart: bool) -> dict[str, list[int]]:
    """Return the numbers of games that each bot forfeited, by heading.

    Each ending of the first bot has a heading; without `apart` there is one heading for all.
    """
    kinds = {way.removesuffix(" move"): [lost[way] for lost in lost_by] for way in lost_by[0]}
    if not apart:
        kinds = {"forfeits": [sum(lost) for lost in zip(*kinds.values(), strict=True)]}
    return kinds


def span(seconds: float) -> str:
    """Return a duration as text.

    >>> span(0.4), span(75), span(7265), span(200_000)
    ('0:00', '1:15', '2 h 01 min', '2 d 07 h')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 24:
        return f"{hours // 24} d {hours % 24:02} h"
    return f"{hours} h {minutes:02} min" if hours else f"{minutes}:{rest:02}"
