"""Draw a curve between its bounds in characters, as wide as the terminal allows.

It uses braille, with eight dots per character, or ASCII.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from rich.cells import cell_len

from lath.arena.terminal.layout import Letters, Line, part
from lath.reports.notes.outcome import Plot

ROWS: Final = 9

WIDEST: Final = 72
"""The largest width in columns; a wider curve would look flat."""

NARROWEST: Final = 16
"""The smallest width in columns; a narrower curve is not drawn."""

_DOTS: Final = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""The bits of a braille character, for its left and its right column from the top."""


def drawn(plot: Plot, width: int, letters: Letters) -> list[Line]:
    """Return the curve under its title; empty if the space is too narrow."""
    heights = [height for _, height in (*plot.points, *plot.bounds)]
    low, high = min(heights), max(heights)
    rows = {_row(height, low, high, ROWS): (name, height) for name, height in plot.bounds}
    labels = {row: letters.plain(f"{name} {height:.2f}") for row, (name, height) in rows.items()}
    aside = max(map(cell_len, labels.values()), default=0)
    wide = min(WIDEST, width - aside - 1)
    if wide < NARROWEST or not high > low:
        return []
    lines: list[Line] = [[part(letters.plain(plot.title)[:width], "cyan")]]
    for row, cells in enumerate(_cells(plot, wide, (low, high), letters)):
        ground = (("-" if letters.is_ascii else "┄") if row in labels else " ", "dim")
        lines.append([part(f"{labels.get(row, ''):>{aside}} ", "dim")])
        lines[-1] += [part(*((cell, "green") if cell.strip() else ground)) for cell in cells]
    end = f"{plot.across}: {plot.points[-1][0]:,g}"[-wide:]
    lines.append([part(f"{'':{aside}} 0{end:>{wide - 1}}", "dim")])
    return lines


def _row(height: float, low: float, high: float, rows: int) -> int:
    """Return the row of a height, counted from the top."""
    return min(rows - 1, int((high - height) / (high - low or 1.0) * rows))


def _cells(
    plot: Plot, wide: int, ends: tuple[float, float], letters: Letters
) -> Iterator[list[str]]:
    """Yield the characters of each row, spaces outside the curve."""
    across, up = (1, 1) if letters.is_ascii else (2, 4)
    columns = [_row(h, *ends, ROWS * up) for h in _heights(plot.points, wide * across)]
    bits = [[0] * wide for _ in range(ROWS)]
    for at, (before, here) in enumerate(pairwise((columns[0], *columns))):
        # From the previous dot, so that a steep curve has no gaps.
        first, last = sorted((here, before + (here > before) - (here < before)))
        for dot in range(first, last + 1):
            bits[dot // up][at // across] |= _DOTS[at % across][dot % up]
    for row in bits:
        if letters.is_ascii:
            yield ["*" if cell else " " for cell in row]
        else:
            yield [chr(0x2800 + cell) if cell else " " for cell in row]


def _heights(points: Sequence[tuple[float, float]], count: int) -> list[float]:
    """Return `count` heights of the curve at equal distances."""
    found, lines = [], list(pairwise(points))
    first, last = points[0][0], points[-1][0]
    for place in range(count):
        at = first + (last - first) * place / (count - 1)
        while len(lines) > 1 and lines[0][1][0] < at:
            del lines[0]
        (x0, y0), (x1, y1) = lines[0]
        found.append(y0 + (y1 - y0) * (at - x0) / (x1 - x0))
    return found
