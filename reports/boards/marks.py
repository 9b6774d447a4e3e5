"""Marks on boards as SVG: what moved, what decided, what is seen, sizes, where one may move.

Must not know any game. The page's `board.js` puts the same marks on the same places: what they look
like is said here alone, for it copies them out of the board's template.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise
from typing import Final

from lath.games.board import Shape
from lath.reports.boards.colours import ink, shaded
from lath.reports.boards.drawing import UNIT, Point, corners, number, outline, text

DECIDING: Final = "#ffd60a"
"""The line round the cells that decided."""

MOVED: Final = "#36c5f0"
"""The brackets in the cells that the last move changed."""

CASING: Final = "#1b1b1b"
"""Round both, so that they show on every colour."""

_SEEN: Final = "#f0a500"
_SIGHT: Final = "#7a4a00"

_MOVED_SCALE: Final = 0.9
_MOVED_PART: Final = 0.4
"""Of each side, what the brackets take: they differ from the line by shape, too."""

_DOT_RADIUS: Final = 13
_ARROW_TIP: Final = 45
"""How far from the centre of the last cell in sight the view ends, beyond any piece."""

_ARROW: Final = 11


def moved(shape: Shape) -> str:
    """Return brackets in a cell's corners: a dash round each, of a line round the cell."""
    path = outline(shape, _MOVED_SCALE)
    (x0, y0), (x1, y1), *_ = corners(shape, _MOVED_SCALE)
    side = math.hypot(x1 - x0, y1 - y0)
    dash = side * _MOVED_PART
    dashes = f"{number(dash)} {number(side - dash)}"
    return _cased(path, MOVED, 6, f' stroke-dasharray="{dashes}" stroke-dashoffset="{dash / 2:g}"')


def _cased(path: str, colour: str, width: int, more: str = "") -> str:
    return "".join(
        f'<path d="{path}" fill="none" stroke="{stroke}" stroke-width="{stroke_width}"{more}/>'
        for stroke, stroke_width in ((CASING, width + 5), (colour, width))
    )


def deciding(path: str) -> str:
    """Return a strong line along `path`, which is what `contour` returns."""
    return _cased(path, DECIDING, 8)


def veil(path: str, colour: str) -> str:
    """Return what dims the cells of `path`, of the board's colour between cells."""
    return f'<path d="{path}" fill="{colour}" opacity=".38"/>'


def seen(path: str) -> str:
    """Return the tint of cells in sight."""
    return f'<path d="{path}" fill="{_SEEN}" opacity=".3"/>'


def sight(line: str, tip: str) -> str:
    """Return a line of sight: dashes along `line`, an arrow's head at `tip`."""
    drawn = f'fill="none" stroke="{_SIGHT}" stroke-width="5"'
    return f'<path d="{line}" {drawn} stroke-dasharray="1 13"/><path d="{tip}" {drawn}/>'


def links(path: str, colour: str) -> str:
    """Return bars along `path` that join the pieces of a group, which lie on them."""
    return "".join(
        f'<path d="{path}" fill="none" stroke="{stroke}" stroke-width="{width}"/>'
        for stroke, width in ((shaded(colour, 0.42), 28), (escape(colour), 22))
    )


def size(words: str, colour: str) -> str:
    """Return the size of a group, to be written on a piece of `colour`."""
    return text(words, 38, ink(colour))


def halo(colour: str) -> str:
    """Return what a dot lies on: it covers the name of an empty cell."""
    return f'<circle r="{_DOT_RADIUS + 8}" fill="{colour}"/>'


def dot(path: str, colour: str) -> str:
    """Return one part of a dot, which is what `sectors` returns, in a piece's colour."""
    return f'<path d="{path}" fill="{escape(colour)}" stroke="{CASING}" stroke-width="3"/>'


def cells(shape: Shape, centres: Iterable[Point]) -> str:
    """Return the edges of cells as one path."""
    return "".join(outline(shape, centre=centre) for centre in centres)


def contour(shape: Shape, centres: Sequence[Point]) -> str:
    """Return the line round cells as path data: their edges without those that two share."""
    ends = corners(shape)
    sides = tuple(zip(ends, (*ends[1:], ends[0]), strict=True))
    return "".join(
        line((x + x0, y + y0), (x + x1, y + y1))
        for x, y in centres
        for (x0, y0), (x1, y1) in sides
        if not _any_at((x + x0 + x1, y + y0 + y1), centres)
    )


def _any_at(point: Point, centres: Iterable[Point]) -> bool:
    """Return whether a cell's centre is at a point, but for what was lost in rounding."""
    return any(abs(x - point[0]) < 5 and abs(y - point[1]) < 5 for x, y in centres)


def view(start: Point, end: Point) -> tuple[str, str]:
    """Return line and arrow's head of the view from one cell's centre to the last seen one's."""
    length = math.hypot(end[0] - start[0], end[1] - start[1])
    x, y = ((end[i] - start[i]) / length for i in (0, 1))
    tip = (end[0] + x * _ARROW_TIP, end[1] + y * _ARROW_TIP)
    back = (tip[0] - x * _ARROW, tip[1] - y * _ARROW)
    sides = [(back[0] - y * side, back[1] + x * side) for side in (_ARROW, -_ARROW)]
    return line(start, back), line(sides[0], tip, sides[1])


def line(*points: Point) -> str:
    """Return straight lines from point to point as path data."""
    return f"M{'L'.join(f'{number(x)} {number(y)}' for x, y in points)}"


def sectors(count: int) -> list[str]:
    """Return a dot in `count` equal parts, the first one on the left; a whole one for one."""
    radius = _DOT_RADIUS
    if count == 1:
        half = f"a{radius} {radius} 0 1 1"
        return [f"M{-radius} 0{half} {2 * radius} 0{half} {-2 * radius} 0z"]
    turns = [math.pi / 2 + 2 * math.pi * i / count for i in range(count + 1)]
    ends = [(radius * math.cos(turn), radius * math.sin(turn)) for turn in turns]
    return [
        f"M0 0L{number(x0)} {number(y0)}A{radius} {radius} 0 0 1 {number(x1)} {number(y1)}z"
        for (x0, y0), (x1, y1) in pairwise(ends)
    ]


def dot_place(*, occupied: bool) -> Point:
    """Return where in a cell a dot stands: off the middle where something lies there."""
    return (UNIT * 0.33, UNIT * 0.33) if occupied else (0.0, 0.0)
