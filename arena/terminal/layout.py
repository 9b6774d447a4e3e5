"""Titled tables in a terminal of any width: columns are left out and names cut until they fit.

Rich's own tables wrap what is too wide, or cut numbers. A file or pipe has as much room as a table
wants, unless COLUMNS says otherwise.
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
"""Blanks between columns."""

LEAST_NAME: Final = 12
"""Columns that a name keeps while others can be left out."""

LEAST: Final = 8
"""Columns that a name keeps in any case."""

Line = list[Segment]
"""Stretches of text with their styles: five times as fast as Rich's texts."""


def part(text: str, style: str = "") -> Segment:
    """Return a stretch of a line."""
    return Segment(text, Style.parse(style))


_IN_ASCII: Final = str.maketrans({"…": "~", "–": "-", "±": "+/-", "½": ".5"})
"""What stands for the letters of our own tables in a terminal of ASCII."""


@dataclass(frozen=True, slots=True)
class Letters:
    """What the terminal can show: any letter, or ASCII alone."""

    is_ascii: bool = False

    def plain(self, text: str) -> str:
        r"""Return a text as it can be shown, whatever is in it.

        >>> Letters().plain("±5\t\x1b"), Letters(is_ascii=True).plain("±1½ é")
        ('±5 ·', '+/-1.5 \\xe9')
        """
        shown = text[:1000]  # a warning may be as long as a bot likes
        if not shown.isprintable():
            shown = printable(shown).replace("\t", " ")
        if not self.is_ascii:
            return shown
        return shown.translate(_IN_ASCII).encode("ascii", "backslashreplace").decode()

    def fit(self, text: str, width: int, *, to_right: bool = False) -> str:
        """Return the text in exactly so many columns, cut where it is longer.

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
    """Those of the highest rank go first where room is short; 0 stays."""

    kind: Kind = "number"
    """Numbers stand to the right; names may be cut."""

    style: str = ""

    @property
    def width(self) -> int:
        """Return how wide it wants to be."""
        return max(map(cell_len, (self.heading, *self.cells)))


def width_of(columns: Iterable[LayoutColumn], *, least: int) -> int:
    """Return how wide a table is of which names are cut to their least."""
    widths = [min(c.width, least) if c.kind == "name" else c.width for c in columns]
    return sum(widths) + GAP * (len(widths) - 1)


def laid_out(columns: Iterable[LayoutColumn], width: int, letters: Letters) -> list[Line]:
    """Return heading and rows; columns are left out, and names cut, until they fit."""
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
    """Return columns as the terminal can show them."""
    return [
        replace(
            column, heading=letters.plain(column.heading), cells=[*map(letters.plain, column.cells)]
        )
        for column in columns
    ]


class Output:
    """Tables and sentences for people, one below the other, on an output."""

    def __init__(self, *, to_stdout: bool = False, of_run: bool = False) -> None:
        """Be as wide as the terminal; what is none has plenty of room.

        Standard error may go away while games are played, and so may standard output `of_run`.
        """
        stream = unfiltered(sys.stdout if to_stdout else sys.stderr)
        self._steadfast: Final = Steadfast(stream) if of_run or not to_stdout else None
        self.console: Final = Console(
            file=cast("TextIO", self._steadfast or stream),
            # Without colours nothing is bold either.
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
        """Return why not everything was written; None while all is well, or the reader has left."""
        return self._steadfast.failure if self._steadfast else None

    def table(self, title: str, columns: Sequence[LayoutColumn]) -> None:
        """Print a table under its title."""
        self.title(title)
        self.lines(laid_out(columns, self.width, self.letters))

    def title(self, title: str) -> None:
        """Print a title, as long as it may be; a blank line before it unless it begins the data."""
        if not self._is_fresh:
            self.console.line()
        self._is_fresh = False
        self.console.print(self.text(title, "bold"))

    def lines(self, lines: Iterable[Line]) -> None:
        """Print lines that fit, without blanks at their ends."""
        trimmed = ([*before, last._replace(text=last.text.rstrip())] for *before, last in lines)
        self.console.print(SegmentLines(trimmed, new_lines=True))

    def words(self, *sentences: str) -> None:
        """Print sentences from outside, broken where the terminal ends, without blanks there."""
        for words in sentences:
            self._is_fresh = False
            lines = self.text(words).wrap(self.console, self.width)
            for line in lines:
                line.rstrip()
            self.console.print(Text("\n").join(lines))

    def command(self, words: str) -> None:
        """Print what may be typed, unbroken: a terminal that breaks it copies it whole."""
        self.console.print(self.letters.plain(words), soft_wrap=True)

    def text(self, words: str, style: str = "") -> Text:
        """Return for Rich what may have anything in it."""
        return Text(self.letters.plain(words), style=style)

    def needed(self, columns: Iterable[LayoutColumn], *, least: int) -> int:
        """Return how wide a table is of which names are cut to their least."""
        return width_of(shown(columns, self.letters), least=least)


def figure(number: float | None, form: str) -> str:
    """Return a number in a form of `format`; `-` for None.

    >>> figure(0.25, ".1%"), figure(None, ".1%")
    ('25.0%', '-')
    """
    return "-" if number is None else format(number, form)


def interval(ends: tuple[float, float] | None) -> str:
    """Return an interval of shares in per cent; `-` where there is none."""
    return "-" if ends is None else f"{ends[0]:.0%} to {ends[1]:.0%}"


def p_value(chance: float | None) -> str:
    """Return how likely chance alone would have it, which is never 0; `-` for None."""
    return "<0.001" if chance is not None and chance < 0.001 else figure(chance, ".3f")


def number_of(number: int, what: str) -> str:
    """Return a number of things.

    >>> number_of(1, "game"), number_of(1200, "game")
    ('1 game', '1,200 games')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def often(text: str, times: int) -> str:
    """Return a warning or note and how many times it came."""
    return f"{text} ({times} times)" if times > 1 else text


def forfeits(lost_by: Sequence[Mapping[str, int]], *, apart: bool) -> dict[str, list[int]]:
    """Return by heading how many games each bot lost by its own fault, in the ways of the first.

    Unless they stand `apart` there is one heading for all.
    """
    kinds = {way.removesuffix(" move"): [lost[way] for lost in lost_by] for way in lost_by[0]}
    if not apart:
        kinds = {"forfeits": [sum(lost) for lost in zip(*kinds.values(), strict=True)]}
    return kinds


def span(seconds: float) -> str:
    """Return a span of time for people.

    >>> span(0.4), span(75), span(7265), span(200_000)
    ('0:00', '1:15', '2 h 01 min', '2 d 07 h')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 24:
        return f"{hours // 24} d {hours % 24:02} h"
    return f"{hours} h {minutes:02} min" if hours else f"{minutes}:{rest:02}"
