"""What pieces and marks on boards look like, as SVG, in colours that can be told apart.

The page's `js/board.js` copies pieces and marks out of the board's template, so that what they look
like is said here alone.

Colours are fixed, for a board looks the same on light and dark pages: it brings its own ground.
Nothing is told by colour alone: tiles have their letter and their outline, light discs a line
round them and dark ones studs, and a disc on a tile is a ring, in which the tile's letter stands.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from html import escape
from itertools import pairwise
from typing import Final, NamedTuple

from lath.games.board import Shape
from lath.games.core import Piece


def ink(ground: str) -> str:
    """Return white or black, whichever is easier to read on `ground`: 4.58:1 or more."""
    return max(("#ffffff", "#000000"), key=lambda colour: contrast(colour, ground))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours in 1..21, as WCAG 2.2 defines it."""
    lights = (linear(one), linear(other))
    darker, lighter = sorted(
        0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in lights
    )
    return (lighter + 0.05) / (darker + 0.05)


def shaded(colour: str, factor: float) -> str:
    """Return `colour` darkened: 1 leaves it, 0 makes it black."""
    return "#" + "".join(f"{round(channel * factor):02x}" for channel in channels(colour))


def linear(colour: str) -> tuple[float, float, float]:
    """Return red, green and blue in 0..1 of light, as sRGB defines it."""
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in channels(colour))
    )
    return red, green, blue


def channels(colour: str) -> Sequence[int]:
    """Return red, green and blue in 0..255; a text that is no `#rrggbb` counts as grey."""
    try:
        value = int(colour.removeprefix("#"), 16) if len(colour) == 7 else 0x808080
    except ValueError:
        value = 0x808080
    return (value >> 16 & 255, value >> 8 & 255, value & 255)


UNIT: Final = 100
"""The distance of two neighbours."""

Point = tuple[float, float]

INHERITED: Final = (
    "font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\" "
    'font-weight="700" text-anchor="middle" fill-rule="evenodd" '
    'stroke-linejoin="round" stroke-linecap="round"'
)
"""Attributes of the SVG element that everything drawn here stands in."""

_BLOCK_SCALE: Final = 0.76
_DISC_RADIUS: Final = 36
_RING_RADIUS: Final = 29
"""The middle of a ring, which lies on a tile so that letter and outline stay in view."""


def corners(shape: Shape, scale: float = 1.0) -> tuple[Point, ...]:
    """Return the corners of a cell, clockwise; hexagons stand on a point."""
    if shape == "square":
        half = UNIT / 2 * scale
        return ((-half, -half), (half, -half), (half, half), (-half, half))
    radius = UNIT / math.sqrt(3) * scale
    angles = (math.radians(60 * i - 90) for i in range(6))
    return tuple((radius * math.cos(angle), radius * math.sin(angle)) for angle in angles)


def number(value: float) -> str:
    """Return a coordinate with at most one decimal.

    >>> number(86.60254), number(-0.01), number(50.0)
    ('86.6', '0', '50')
    """
    return f"{round(value, 1) + 0.0:g}"


def outline(shape: Shape, scale: float = 1.0, centre: Point = (0.0, 0.0)) -> str:
    """Return a cell's edge as path data."""
    (x, y), *others = corners(shape, scale)
    steps = "l"
    last = (x, y)
    for point in others:
        steps += f"{number(point[0] - last[0])} {number(point[1] - last[1])} "
        last = point
    start = f"M{number(centre[0] + x)} {number(centre[1] + y)}"
    return f"{start}{steps.rstrip()}z".replace(" -", "-")


def texts(
    items: Iterable[tuple[str, Point]], size: int, fill: str, weight: int | None = None
) -> str:
    """Return words, each centred on its point, escaped; bold unless `weight` says otherwise."""
    # 0.36 em: half the height of capitals, so that no renderer's baseline support is needed.
    drawn = "".join(
        f"<text{_at('x', x)}{_at('y', y + 0.36 * size)}>{escape(words)}</text>"
        for words, (x, y) in items
    )
    more = f' font-weight="{weight}"' if weight else ""
    return f'<g font-size="{size}" fill="{escape(fill)}"{more}>{drawn}</g>'


def _at(axis: str, value: float) -> str:
    return f' {axis}="{number(value)}"' if value else ""


def text(words: str, size: int, fill: str) -> str:
    """Return bold words in the middle of a cell, escaped."""
    return texts([(words, (0.0, 0.0))], size, fill)


class Pen(NamedTuple):
    """How a path or a circle is drawn."""

    fill: str = "none"
    stroke: str = ""
    width: float = 0
    more: str = ""
    """Further attributes, with a blank before."""

    def path(self, data: str) -> str:
        """Return path data drawn with it."""
        return self._draw(f'path d="{escape(data)}"')

    def circle(self, radius: int) -> str:
        """Return a circle round the middle of a cell."""
        return self._draw(f'circle r="{radius}"')

    def _draw(self, element: str) -> str:
        line = f' stroke="{escape(self.stroke)}" stroke-width="{self.width}"' if self.stroke else ""
        return f'<{element} fill="{escape(self.fill)}"{line}{self.more}/>'


def stack(content: str, pieces: Mapping[str, Piece], shape: Shape) -> str:
    """Return what lies on one cell, from the bottom up; empty for an empty cell.

    Codes that are not in `pieces` are written as text.
    """
    drawn = ""
    has_tile = False
    for known in (pieces[code] for code in content if code in pieces):
        drawn += draw(known, shape, on_tile=has_tile)
        has_tile = has_tile or known.shape == "tile"
    return drawn + strange("".join(code for code in content if code not in pieces))


def strange(codes: str) -> str:
    """Return the codes of pieces that a game does not name, as text; empty without any."""
    return text(codes, 40, "#1b1b1b") if codes else ""


_PAWN: Final = (
    "M0-30a12.5 12.5 0 0 1 7.5 22.5c8 3 12.5 14 13.5 27.5q.4 6-5 6h-32q-5.4 0-5-6"
    "c1-13.5 5.5-24.5 13.5-27.5a12.5 12.5 0 0 1 7.5-22.5z"
)
"""A standing figure: head, shoulders, base."""


def draw(piece: Piece, shape: Shape, *, on_tile: bool = False) -> str:
    """Return one piece, with its own outline if it has one; a disc on a tile is a ring.

    Without one a tile is a slab, and a marker a pawn. A tile has its letter, a block fills its
    cell, and its outline lies on a darker slab. A marker is cased in its ink.
    """
    colour = piece.colour
    glyph = Pen(colour, shaded(colour, 0.42), 4).path(piece.glyph) if piece.glyph else ""
    if piece.shape == "tile":
        body = glyph or _slab(shape, 0.74, colour)
        return body + text(piece.code, 34, ink(colour))  # it fits into a ring
    if piece.shape == "block" and glyph:
        return _slab(shape, _BLOCK_SCALE, shaded(colour, 0.62)) + glyph
    if piece.shape == "block":
        hollow = Pen(shaded(colour, 0.8), shaded(colour, 0.55), 4)
        inner = hollow.path(outline(shape, _BLOCK_SCALE * 0.58))
        return _slab(shape, _BLOCK_SCALE, colour) + inner
    if piece.shape == "disc":
        return _disc(colour, is_ring=on_tile)
    return Pen(colour, ink(colour), 5, ' paint-order="stroke"').path(piece.glyph or _PAWN)


def _slab(shape: Shape, scale: float, colour: str) -> str:
    """Return a cell-shaped piece with round corners and a darker edge."""
    inks = ((shaded(colour, 0.42), 19), (colour, 12))
    path = outline(shape, scale)
    return "".join(Pen(ink, ink, width).path(path) for ink, width in inks)


def _disc(colour: str, *, is_ring: bool) -> str:
    """Return a disc, or a ring, cased in its ink so that it shows on every tile.

    A light one has a thin line round it, a dark one twelve studs.
    """
    if is_ring:
        radius = _RING_RADIUS
        inks = ((ink(colour), 14), (colour, 10))
        drawn = "".join(Pen("none", ink, width).circle(radius) for ink, width in inks)
    else:
        radius = _DISC_RADIUS - 7
        shadow = f'<circle cx="2" cy="4" r="{_DISC_RADIUS}" opacity=".25"/>'
        drawn = shadow + Pen(colour, shaded(colour, 0.42), 3).circle(_DISC_RADIUS)
    if ink(colour) == "#000000":
        return drawn + Pen("none", ink(colour), 1.5, ' opacity=".4"').circle(radius)
    dashes = f' stroke-dasharray="0 {number(2 * math.pi * radius / 12)}"'
    return drawn + Pen("none", ink(colour), 3.5, dashes).circle(radius)


PLATE: Final = "#4a3b2c"
CELL: Final = "#e9dcc1"
LABEL: Final = "#f6ecd8"
FAINT: Final = "#6a5a3d"
"""Names inside cells; 4.9:1 on CELL."""

DECIDING: Final = "#ffd60a"
"""The line round the cells that won."""

LOSING: Final = "#ff453a"
"""The line round the cells that lost, which is dashed as well."""

MOVED: Final = "#36c5f0"
"""The brackets in the cells that the last move changed."""

CASING: Final = "#1b1b1b"
"""Round both, so that they show on every colour."""

_SIGHT: Final = "#7a4a00"
_TAKEN: Final = "#ff5fa8"
"""What may be taken."""

MARKS: Final[Mapping[str, Sequence[Pen]]] = {
    "cell": [Pen(CELL, "#b59f76", 3)],
    "veil": [Pen(PLATE, more=' opacity=".38"')],
    "deciding": [Pen("none", CASING, 13), Pen("none", DECIDING, 8)],
    "losing": [Pen("none", CASING, 13), Pen("none", LOSING, 8, ' stroke-dasharray="22 9"')],
    "net": [Pen("none", CASING, 9), Pen("none", _TAKEN, 4)],
    "line": [Pen("none", CASING, 11), Pen("none", _TAKEN, 6)],
    "seen": [Pen("#f0a500", more=' opacity=".3"')],
    "sight": [Pen("none", _SIGHT, 5, ' stroke-dasharray="1 13"'), Pen("none", _SIGHT, 5)],
}
"""Cells, what dims those that did not decide, the line round those that won and round those that
lost, what joins pieces that may be taken together, one such line alone, the tint of cells in sight,
and a line of sight: dashes, and an arrow's head."""

_MOVED_SCALE: Final = 0.9
_DOT_RADIUS: Final = 13
_ARROW: Final = 11


def mark(name: str, *paths: str) -> str:
    """Return a mark of MARKS along path data, one after the other, the last for all pens left."""
    pens = enumerate(MARKS[name])
    return "".join(pen.path(paths[min(i, len(paths) - 1)]) for i, pen in pens)


def moved(shape: Shape) -> str:
    """Return brackets in a cell's corners: a dash round each, of a line round the cell."""
    (x0, y0), (x1, y1), *_ = corners(shape, _MOVED_SCALE)
    side = math.hypot(x1 - x0, y1 - y0)
    dash = side * 0.4  # of each side: brackets differ from the line by shape, too
    dashes = f"{number(dash)} {number(side - dash)}"
    more = f' stroke-dasharray="{dashes}" stroke-dashoffset="{dash / 2:g}"'
    pens = (Pen("none", CASING, 11, more), Pen("none", MOVED, 6, more))
    path = outline(shape, _MOVED_SCALE)
    return "".join(pen.path(path) for pen in pens)


def links(path: str, colour: str) -> str:
    """Return bars along `path` that join the pieces of a group, which lie on them."""
    inks = ((shaded(colour, 0.42), 28), (colour, 22))
    return "".join(Pen("none", ink, width).path(path) for ink, width in inks)


def size(words: str, colour: str) -> str:
    """Return the size of a group, to be written on a piece of `colour`."""
    return text(words, 38, ink(colour))


HALO: Final = Pen(CELL).circle(_DOT_RADIUS + 8)
"""What a dot lies on: it covers the name of an empty cell."""


CROSS: Final = Pen(CELL, CASING, 2.5).circle(10) + Pen("none", CASING, 4).path("M-4-4L4 4M4-4L-4 4")
"""On a piece that may be taken with all of its kind."""

TURN: Final = Pen(CELL, CASING, 2.5).circle(20) + Pen("none", CASING, 4).path(
    "M-11-5H10L4-11M11 5H-10L-4 11"
)
"""On a piece that may be changed for another: arrows there and back."""


SHARE: Final = Pen(CELL, CASING, 2).circle(36) + text("", 30, CASING)
"""How often a move was played there: the script sets size, colour and number."""

WIN: Final = Pen(DECIDING, CASING, 4).path(
    "M0-30L8.2-11.3L28.5-9.3L13.3 4.3L17.6 24.3L0 14L-17.6 24.3L-13.3 4.3L-28.5-9.3L-8.2-11.3z"
)
"""Under the dot of a move that wins at once: a star."""

LOSS: Final = Pen(LOSING, CASING, 4).path("M0-26L25 18H-25z")
"""Under that of one that loses."""


def dot(path: str, colour: str) -> str:
    """Return one part of a dot, which is what `sectors` returns, in a piece's colour."""
    return Pen(colour, CASING, 3).path(path)


def cells(shape: Shape, centres: Iterable[Point]) -> str:
    """Return the edges of cells as one path."""
    return "".join(outline(shape, centre=centre) for centre in centres)


@lru_cache(maxsize=32)
def contour(shape: Shape, centres: tuple[Point, ...]) -> str:
    """Return the line round cells as path data: their edges without those that two share."""
    ends = corners(shape)
    sides = tuple(zip(ends, (*ends[1:], ends[0]), strict=True))
    return "".join(
        line((x + x0, y + y0), (x + x1, y + y1))
        for x, y in centres
        for (x0, y0), (x1, y1) in sides
        # The other cell of the side; 5: centres have been rounded.
        if not any(math.dist((x + x0 + x1, y + y0 + y1), centre) < 5 for centre in centres)
    )


def view(start: Point, end: Point) -> tuple[str, str]:
    """Return line and arrow's head of the view from one cell's centre to the last seen one's."""
    length = math.hypot(end[0] - start[0], end[1] - start[1])
    x, y = ((end[i] - start[i]) / length for i in (0, 1))
    tip = (end[0] + x * 45, end[1] + y * 45)  # beyond any piece
    back = (tip[0] - x * _ARROW, tip[1] - y * _ARROW)
    sides = [(back[0] - y * side, back[1] + x * side) for side in (_ARROW, -_ARROW)]
    return line(start, back), line(sides[0], tip, sides[1])


def line(*points: Point) -> str:
    """Return straight lines from point to point as path data."""
    return f"M{'L'.join(f'{number(x)} {number(y)}' for x, y in points)}"


def through(points: Sequence[Point]) -> str:
    """Return the line through points that lie on one, else a small shape in the middle of them."""
    (x0, y0), (x1, y1) = points[0], points[-1]
    if all(abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) < UNIT for x, y in points):
        return line(points[0], points[-1])
    x, y = (sum(point[axis] for point in points) / len(points) for axis in (0, 1))
    around = sorted(points, key=lambda point: math.atan2(point[1] - y, point[0] - x))
    inner = [(x + 0.4 * (px - x), y + 0.4 * (py - y)) for px, py in around]
    return f"{line(*inner)}z"


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
