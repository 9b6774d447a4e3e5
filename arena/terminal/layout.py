"""Titled tables in a terminal of any width: columns are left out and names cut until they fit.

Must not know what stands in them. Rich's own tables wrap what is too wide, or cut numbers. A file
or pipe has as much room as a table wants, unless COLUMNS says otherwise.
"""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final, NamedTuple, TextIO, cast

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from lath.notation.errors import printable

LONGEST: Final = 1000
"""Characters of a text that are looked at: a warning may be as long as a bot likes."""

GAP: Final = 2
"""Blanks between columns."""


class Part(NamedTuple):
    """A stretch of a line."""

    text: str
    style: str = ""


Line = list[Part]


@dataclass(frozen=True, slots=True)
class Letters:
    """What the terminal can show: any letter, or ASCII alone."""

    is_ascii: bool = False

    def plain(self, text: str) -> str:
        """Return a text from outside as it can be shown, whatever is in it."""
        shown = printable(text[:LONGEST]).replace("\t", " ")
        return shown.encode("ascii", "backslashreplace").decode() if self.is_ascii else shown

    def wrapped(self, text: str, width: int) -> list[str]:
        """Return a text from outside in lines of about so many columns."""
        return textwrap.wrap(self.plain(text), width) or [""]

    def fit(self, text: str, width: int, *, to_right: bool = False) -> str:
        """Return the text in exactly so many columns, cut where it is longer.

        >>> Letters().fit("greedy", 8), Letters().fit("greedy", 4), Letters(True).fit("greedy", 4)
        ('greedy  ', 'gre…', 'gre~')
        """
        length = cell_len(text)
        if length > width:
            return set_cell_size(text, max(0, width - 1)) + self.dots[:width]
        blanks = " " * (width - length)
        return blanks + text if to_right else text + blanks

    @property
    def dots(self) -> str:
        """Return what stands for what was cut."""
        return "~" if self.is_ascii else "…"

    @property
    def dash(self) -> str:
        """Return what stands between the ends of a range."""
        return "-" if self.is_ascii else "–"

    @property
    def plus_minus(self) -> str:
        """Return what stands before a half width."""
        return "+/-" if self.is_ascii else "±"

    def within(self, values: Sequence[str], halves: Sequence[str]) -> list[str]:
        """Return values with the half widths of their intervals, the signs below each other.

        >>> Letters().within(["+7", "-12"], ["5", "10"])
        ['+7 ± 5', '-12 ±10']
        """
        wide = max(map(cell_len, halves), default=0)
        signs = zip(values, halves, strict=True)
        return [f"{value} {self.plus_minus}{half:>{wide}}" for value, half in signs]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    heading: str
    cells: Sequence[str]
    rank: int = 0
    """Those of the highest rank go first where room is short; 0 stays."""

    style: str = ""
    to_right: bool = True
    is_elastic: bool = False
    """Whether its cells may be cut."""

    @property
    def width(self) -> int:
        """Return how wide it wants to be."""
        return max(map(cell_len, (self.heading, *self.cells)))


def laid_out(columns: Iterable[Column], width: int, letters: Letters) -> list[Line]:
    """Return heading and rows; columns are left out, and elastic ones cut, until they fit."""
    kept = list(columns)
    while width_of(kept, least=LEAST_NAME) > width and any(column.rank for column in kept):
        kept.remove(max(reversed(kept), key=lambda column: column.rank))
    widths = _widths(kept, width)
    lines: list[Line] = []
    for cells in ([column.heading for column in kept], *zip(*(c.cells for c in kept), strict=True)):
        line: Line = []
        for cell, column, wide in zip(cells, kept, widths, strict=True):
            text = letters.fit(cell, wide, to_right=column.to_right)
            style = column.style if lines else "bold"
            line.append(Part(" " * GAP + text if line else text, style))
        lines.append(line)
    return lines


LEAST_NAME: Final = 12
"""Columns that an elastic column keeps while others can be left out."""

LEAST: Final = 8
"""Columns that an elastic column keeps in any case."""


def width_of(columns: Iterable[Column], *, least: int) -> int:
    """Return how wide a table is of which elastic columns are at their least."""
    return _wanted(min(c.width, least) if c.is_elastic else c.width for c in columns)


def _widths(columns: Sequence[Column], width: int) -> list[int]:
    """Return the widths of columns, the widest elastic one cut until they fit, down to LEAST."""
    widths = [column.width for column in columns]
    elastic = [at for at, column in enumerate(columns) if column.is_elastic]
    while _wanted(widths) > width and elastic:
        widest = max(elastic, key=widths.__getitem__)
        if widths[widest] <= LEAST:
            break
        widths[widest] -= 1
    return widths


def _wanted(widths: Iterable[int]) -> int:
    """Return how wide a line of such columns is."""
    return sum(width + GAP for width in widths) - GAP


class Frame:
    """Lines for Rich, cut at the width of the terminal; a fifth of the time of its texts."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._lines: Final = list(lines)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        """Yield the lines, an end after each but the last."""
        for number, line in enumerate(self._lines):
            if number:
                yield Segment.line()
            yield from Segment.adjust_line_length(
                [Segment(part.text, Style.parse(part.style)) for part in line],
                min(options.max_width, sum(cell_len(part.text) for part in line)),
            )


def span(seconds: float) -> str:
    """Return a span of time for people.

    >>> span(0.4), span(75), span(7265), span(200_000)
    ('0:00', '1:15', '2 h 01 min', '2 d 07 h')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours_left = divmod(hours, 24)
    if days:
        return f"{days} d {hours_left:02} h"
    return f"{hours} h {minutes:02} min" if hours else f"{minutes}:{rest:02}"


def share_rows(room: int, wants: Sequence[tuple[int, int]]) -> list[int]:
    """Return how many lines each part gets of `room`.

    `wants` are the fewest that make sense and the most it can use, the most important first. A
    part that cannot have its fewest has none. Of what is left over the first, which could use
    it all, has what the others do not need.

    >>> share_rows(10, [(3, 40), (1, 2), (1, 3)])
    [5, 2, 3]
    >>> share_rows(4, [(3, 40), (1, 2), (1, 3)])
    [3, 1, 0]
    """
    got = []
    for fewest, most in wants:
        got.append(fewest if most and fewest <= room else 0)
        room -= got[-1]
    for number in (*range(1, len(wants)), 0):
        if got[number]:
            more = min(room, wants[number][1] - got[number])
            got[number] += max(0, more)
            room -= max(0, more)
    return got


class Steadfast:
    """A stream that may fail: the games go on, and nobody is told any more."""

    def __init__(self, stream: TextIO) -> None:
        self.failure: OSError | None = None
        """Why nothing is written any more; None while all is well, or when the reader has left."""
        self._stream: Final = stream

    def __getattr__(self, name: str) -> Any:
        """Be for the rest the stream."""
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write, as long as somebody reads."""
        try:
            self._stream.write(text)
        except OSError as error:
            self._let_go(error)
        return len(text)

    def flush(self) -> None:
        """Write what is in the buffer, as long as somebody reads."""
        try:
            self._stream.flush()
        except OSError as error:
            self._let_go(error)

    def _let_go(self, error: OSError) -> None:
        """Send what is still in the stream's buffer, and all that follows, nowhere."""
        if not isinstance(error, BrokenPipeError):
            self.failure = error
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - a device
            os.dup2(nowhere.fileno(), self._stream.fileno())


UNLIMITED: Final = 1000
"""Columns of what is no terminal: nothing needs to be cut there."""


def letters_of(console: Console) -> Letters:
    """Return which letters a terminal or file can show."""
    return Letters(is_ascii=not (console.encoding or "").lower().startswith("utf"))


def console_of(*, to_stdout: bool = False) -> Console:
    """Return the console of an output; standard error may be gone."""
    stream = None if to_stdout else cast("IO[str]", Steadfast(sys.stderr))
    return Console(file=stream, highlight=False, markup=False, emoji=False)


class Output:
    """Tables and sentences for people, one below the other, on an output."""

    def __init__(self, *, to_stdout: bool = False) -> None:
        """Be as wide as the terminal; what is none has plenty of room."""
        self.console: Final = console_of(to_stdout=to_stdout)
        if not self.console.is_terminal and not os.environ.get("COLUMNS"):
            self.console.width = UNLIMITED
        self.width: Final = self.console.width
        self.letters: Final = letters_of(self.console)

    def table(self, title: str, columns: Sequence[Column], *, is_first: bool = False) -> None:
        """Print a table under its title."""
        self.title(title, is_first=is_first)
        self.lines(laid_out(columns, self.width, self.letters))

    def title(self, title: str, *, is_first: bool = False) -> None:
        """Print a title, as long as it may be; a blank line before it unless nothing is there."""
        if not is_first:
            self.console.line()
        self.console.print(Text(self.letters.plain(title), style="bold"))

    def lines(self, lines: Iterable[Line]) -> None:
        """Print lines that fit, without blanks at their ends, and an empty one."""
        parts = ((before, last) for *before, last in lines)
        trimmed = ([*before, Part(last.text.rstrip(), last.style)] for before, last in parts)
        self.console.print(Frame(trimmed))
        self.console.line()

    def words(self, words: str) -> None:
        """Print a sentence from outside, broken where the terminal ends."""
        self.console.print(Text(self.letters.plain(words)))


def often(text: str, times: int) -> str:
    """Return a warning or note and how many times it came."""
    return f"{text} ({times} times)" if times > 1 else text


def names(heading: str, cells: Iterable[str], letters: Letters) -> Column:
    """Return a column of names from outside, which may be cut but not left out."""
    return Column(heading, [letters.plain(cell) for cell in cells], to_right=False, is_elastic=True)


def forfeits(lost_by: Sequence[Mapping[str, int]], width: int, split: int) -> dict[str, list[int]]:
    """Return by heading how many games each bot lost by its own fault, in the ways of the first.

    Under `split` columns of room there is one heading for all.
    """
    kinds = {way.removesuffix(" move"): [lost[way] for lost in lost_by] for way in lost_by[0]}
    if width < split:
        kinds = {"forfeits": [sum(lost) for lost in zip(*kinds.values(), strict=True)]}
    return kinds
