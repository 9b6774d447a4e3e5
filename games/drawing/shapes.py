"""The look of pieces and marks on boards, as SVG, in colours that are easy to tell apart.

The page's `js/board.js` copies pieces and marks from the board's template, so that only this module
defines their look.

Boards have their own background, so the colours are the same on light and dark pages. No
information depends on colour alone. Tiles have a letter and an outline, light discs have a thin
ring, and dark discs have studs. A disc on a tile is a ring around the tile's letter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from html import escape
from itertools import pairwise
from typing import Final, NamedTuple

from lath.games.board import Shape
from lath.games.core import Piece


def ink(ground: str) -> str:
    """Return white or black, the more readable one on `ground`: the contrast is at least 4.58."""
    return max(("#ffffff", "#000000"), key=lambda colour: contrast(colour, ground))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours in 1..21, as WCAG 2.2 defines it."""
    lights = (linear(one), linear(other))
    darker, lighter = sorted(
        0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in lights
    )
    return (lighter + 0.05) / (darker + 0.05)


def shaded(colour: str, factor: float) -> str:
    """Return `colour` darkened by `factor`: 1 changes nothing, 0 gives black."""
    return "#" + "".join(f"{round(channel * factor):02x}" for channel in channels(colour))


def linear(colour: str) -> tuple[float, float, float]:
    """Return the linear light of red, green and blue in 0..1, as sRGB defines it."""
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in channels(colour))
    )
    return red, green, blue


def channels(colour: str) -> Sequence[int]:
    """Return red, green and blue in 0..255; grey for a text not of the form `#rrggbb`."""
    try:
        value = int(colour.removeprefix("#"), 16) if len(colour) == 7 else 0x808080
    except ValueError:
        value = 0x808080
    return (value >> 16 & 255, value >> 8 & 255, value & 255)


UNIT: Final = 100
"""The distance between two neighbouring cells."""

Point = tuple[float, float]

INHERITED: Final = (
    "font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\" "
    'font-weight="700" text-anchor="middle" fill-rule="evenodd" '
    'stroke-linejoin="round" stroke-linecap="round"'
)
"""Attributes of the SVG element that contains the drawing."""

_AREA_RADIUS: Final = 48.0
_SPOT_RADIUS: Final = 11
_BLOCK_SCALE: Final = 0.76
_TILE_SCALE: Final = 0.74
_DISC_RADIUS: Final = 36
_SIGN_SCALE: Final = 0.46
"""The size of a glyph on a disc."""

_BADGE_SCALE: Final = 0.42
"""The size of the small disc on a ring, which has the glyph."""

_LEAST_CONTRAST: Final = 2.0
"""The least contrast of a block's glyph in its colour; otherwise the glyph is in ink."""

_LETTER: Final = 9
"""Half the width and height of the middle of a letter on a tile."""

_RING_RADIUS: Final = 29
"""A ring leaves the letter and outline of the tile below it visible."""


def corners(shape: Shape, scale: float = 1.0) -> tuple[Point, ...]:
    """Return the corners of a cell, clockwise; hexagons have a corner at the top.

    The area of a point is an octagon, which does not touch the areas of other points.
    """
    if shape == "square":
        half = UNIT / 2 * scale
        return ((-half, -half), (half, -half), (half, half), (-half, half))
    count, radius = (8, _AREA_RADIUS) if shape == "point" else (6, UNIT / math.sqrt(3))
    first = -112.5 if shape == "point" else -90
    turns = [math.radians(first + 360 / count * i) for i in range(count)]
    return tuple(
        (scale * radius * math.cos(turn), scale * radius * math.sin(turn)) for turn in turns
    )


def number(value: float) -> str:
    """Return a coordinate with at most one decimal.

    >>> number(86.60254), number(-0.01), number(50.0)
    ('86.6', '0', '50')
    """
    return f"{round(value, 1) + 0.0:g}"


def outline(shape: Shape, scale: float = 1.0, centre: Point = (0.0, 0.0)) -> str:
    """Return the edge of a cell as path data."""
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
    """Return texts, escaped, each centred on its point. Default for `weight`: bold."""
    # 0.36 em is half the height of capitals; renderers differ in their support of baselines.
    drawn = "".join(
        f"<text{_at('x', x)}{_at('y', y + 0.36 * size)}>{escape(words)}</text>"
        for words, (x, y) in items
    )
    more = f' font-weight="{weight}"' if weight else ""
    return f'<g font-size="{size}" fill="{escape(fill)}"{more}>{drawn}</g>'


def _at(axis: str, value: float) -> str:
    return f' {axis}="{number(value)}"' if value else ""


def text(words: str, size: int, fill: str) -> str:
    """Return a bold text in the middle of a cell, escaped."""
    return texts([(words, (0.0, 0.0))], size, fill)


class Pen(NamedTuple):
    """The style of a path or circle."""

    fill: str = "none"
    stroke: str = ""
    width: float = 0
    more: str = ""
    """More attributes, beginning with a space."""

    def path(self, data: str) -> str:
        """Return path data drawn in this style."""
        return self._draw(f'path d="{escape(data)}"')

    def circle(self, radius: int) -> str:
        """Return a circle around the middle of a cell."""
        return self._draw(f'circle r="{radius}"')

    def _draw(self, element: str) -> str:
        line = f' stroke="{escape(self.stroke)}" stroke-width="{self.width}"' if self.stroke else ""
        return f'<{element} fill="{escape(self.fill)}"{line}{self.more}/>'


def stack(content: str, pieces: Mapping[str, Piece], shape: Shape) -> str:
    """Return the pieces on one cell, from the bottom up; empty for an empty cell.

    Codes that are not in `pieces` are written as text.
    """
    drawn = ""
    has_tile = False
    for known in (pieces[code] for code in content if code in pieces):
        drawn += draw(known, shape, on_tile=has_tile)
        has_tile = has_tile or known.shape == "tile"
    return drawn + strange("".join(code for code in content if code not in pieces))


def strange(codes: str) -> str:
    """Return unknown piece codes as text, or an empty text."""
    return text(codes, 40, "#1b1b1b") if codes else ""


_PAWN: Final = (
    "M0-30a12.5 12.5 0 0 1 7.5 22.5c8 3 12.5 14 13.5 27.5q.4 6-5 6h-32q-5.4 0-5-6"
    "c1-13.5 5.5-24.5 13.5-27.5a12.5 12.5 0 0 1 7.5-22.5z"
)
"""A standing figure with head, shoulders and base."""


def draw(piece: Piece, shape: Shape, *, on_tile: bool = False) -> str:
    """Return one piece with its label or glyph, if it has one. A disc on a tile is a ring.

    - A label is on top. It replaces the letter of a tile, and every glyph but that of a marker.
    - A tile is a slab with its glyph, or else with its letter. A glyph that is solid in the middle
      replaces the slab, and has the letter on it.
    - A disc has its glyph on it; a ring has it on a small disc beside the tile's letter.
    - A block fills its cell, with its glyph on it; the ground of a solid glyph is darker.
    - A marker is its glyph, or else a pawn, with an outline in its ink.
    """
    if not piece.label:
        return _unlabelled(piece, shape, on_tile=on_tile)
    plain = replace(piece, glyph=piece.glyph if piece.shape == "marker" else "", code="")
    label = text(piece.label, 34 if len(piece.label) < 3 else 24, ink(piece.colour))
    return _unlabelled(plain, shape, on_tile=on_tile) + label


def _unlabelled(piece: Piece, shape: Shape, *, on_tile: bool) -> str:
    colour = piece.colour
    glyph = Pen(colour, shaded(colour, 0.42), 4).path(piece.glyph) if piece.glyph else ""
    sign = _small(_SIGN_SCALE, Pen(ink(colour)).path(piece.glyph)) if piece.glyph else ""
    if piece.shape in ("tile", "block") and glyph and not _is_solid(piece.glyph):
        scale = _BLOCK_SCALE if piece.shape == "block" else _TILE_SCALE
        return _slab(shape, scale, colour) + _small(0.62, Pen(ink(colour)).path(piece.glyph))
    if piece.shape == "tile":
        body = glyph or _slab(shape, _TILE_SCALE, colour)
        return body + (text(piece.code, 34, ink(colour)) if piece.code else "")  # it fits a ring
    if piece.shape == "block" and glyph:
        ground = shaded(colour, 0.62)
        if contrast(colour, ground) < _LEAST_CONTRAST:
            glyph = Pen(ink(ground)).path(piece.glyph)
        return _slab(shape, _BLOCK_SCALE, ground) + glyph
    if piece.shape == "block":
        hollow = Pen(shaded(colour, 0.8), shaded(colour, 0.55), 4)
        inner = hollow.path(outline(shape, _BLOCK_SCALE * 0.58))
        return _slab(shape, _BLOCK_SCALE, colour) + inner
    if piece.shape == "disc" and on_tile and sign:
        return _disc(colour, is_ring=True) + _small(
            _BADGE_SCALE, _disc(colour, is_ring=False) + sign, (24, -24)
        )
    if piece.shape == "disc":
        return _disc(colour, is_ring=on_tile) + sign
    return Pen(colour, ink(colour), 5, ' paint-order="stroke"').path(piece.glyph or _PAWN)


def _small(scale: float, drawn: str, at: Point = (0, 0)) -> str:
    """Return a smaller drawing, with its middle at a point of the cell."""
    move = f"translate({number(at[0])} {number(at[1])}) " if any(at) else ""
    return f'<g transform="{move}scale({scale})">{drawn}</g>'


_COMMAND: Final = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_NUMBER: Final = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
_NUMBERS_OF: Final = {"H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "A": 7, "Z": 0}
"""The numbers of each command of path data; others have the two of a point."""


def _is_solid(glyph: str) -> bool:
    """Return whether a letter fits on a glyph: most of the middle is inside it."""
    edges = list(_edges(glyph))
    ends = (-_LETTER, 0, _LETTER)
    return sum(_is_inside(edges, (x, y)) for x in ends for y in ends) > 5


def _edges(glyph: str) -> Iterator[tuple[Point, Point]]:
    """Yield the edges of path data; curves count as straight lines between their ends."""
    x = y = first_x = first_y = 0.0
    for command, rest in _COMMAND.findall(glyph):
        numbers, kind = list(map(float, _NUMBER.findall(rest))), command.upper()
        step = _NUMBERS_OF.get(kind, 2)
        for at in range(0, len(numbers) - step + 1, step) if step else (0,):
            end, start = numbers[at : at + step], (x, y)
            base_x, base_y = (x, y) if command.islower() else (0.0, 0.0)
            match kind:
                case "Z":
                    x, y = first_x, first_y
                case "H":
                    x = base_x + end[0]
                case "V":
                    y = base_y + end[0]
                case _:
                    x, y = base_x + end[-2], base_y + end[-1]
            if kind == "M" and not at:
                first_x, first_y = x, y
            else:
                yield start, (x, y)


def _is_inside(edges: Iterable[tuple[Point, Point]], point: Point) -> bool:
    """Return whether a point is inside by the even-odd rule."""
    x, y = point
    crossed = (
        (y0 > y) != (y1 > y) and x < x0 + (y - y0) * (x1 - x0) / (y1 - y0)
        for (x0, y0), (x1, y1) in edges
    )
    return sum(crossed) % 2 == 1


def _slab(shape: Shape, scale: float, colour: str) -> str:
    """Return a cell-shaped piece with rounded corners and a darker edge."""
    inks = ((shaded(colour, 0.42), 19), (colour, 12))
    path = outline(shape, scale)
    return "".join(Pen(ink, ink, width).path(path) for ink, width in inks)


def _disc(colour: str, *, is_ring: bool) -> str:
    """Return a disc or ring, outlined in its ink so that it is visible on every tile.

    A light one has a thin ring, a dark one twelve studs.
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
"""The colour of names inside cells; its contrast on CELL is 4.9:1."""

DECIDING: Final = "#ffd60a"
"""The colour of the line around winning cells."""

LOSING: Final = "#ff453a"
"""The colour of the line around losing cells, which is also dashed."""

MOVED: Final = "#36c5f0"
"""The colour of the brackets on the cells of the last move."""

CASING: Final = "#1b1b1b"
"""The colour on both sides of these lines, which makes them visible on every ground."""

_SIGHT: Final = "#7a4a00"
_TAKEN: Final = "#ff5fa8"
"""The colour of marks on pieces that can be removed."""

MARKS: Final[Mapping[str, Sequence[Pen]]] = {
    "cell": [Pen(CELL, "#b59f76", 3)],
    "side": [Pen("none", CELL, 26)],
    "spot": [Pen(FAINT)],
    "track": [Pen("none", FAINT, 6)],
    "veil": [Pen(PLATE, more=' opacity=".38"')],
    "deciding": [Pen("none", CASING, 13), Pen("none", DECIDING, 8)],
    "losing": [Pen("none", CASING, 13), Pen("none", LOSING, 8, ' stroke-dasharray="22 9"')],
    "net": [Pen("none", CASING, 9), Pen("none", _TAKEN, 4)],
    "line": [Pen("none", CASING, 11), Pen("none", _TAKEN, 6)],
    "seen": [Pen("#f0a500", more=' opacity=".3"')],
    "sight": [Pen("none", _SIGHT, 5, ' stroke-dasharray="1 13"'), Pen("none", _SIGHT, 5)],
}
"""The pens of each mark, by name.

- `cell`: a cell;
- `side`: the line around sides that belong to players, below their colours;
- `spot`, `track`: a free point, and the lines that join neighbouring points;
- `veil`: dims the cells that did not decide the game, under their pieces;
- `deciding`, `losing`: the line around the cells that won or lost;
- `net`, `line`: all lines through pieces that can be removed together, or one of them;
- `seen`: the tint of cells in sight;
- `sight`: a line of sight, made of dashes and an arrowhead.
"""

_MOVED_SCALE: Final = 0.9
_DOT_RADIUS: Final = 13
_ARROW: Final = 11


def mark(name: str, *paths: str) -> str:
    """Return a mark of MARKS along the paths, one for each pen; other pens use the last path."""
    pens = enumerate(MARKS[name])
    return "".join(pen.path(paths[min(i, len(paths) - 1)]) for i, pen in pens)


def moved(shape: Shape) -> str:
    """Return brackets in the corners of a cell, or on four sides of the area of a point."""
    (x0, y0), (x1, y1), *_ = corners(shape, _MOVED_SCALE)
    side = math.hypot(x1 - x0, y1 - y0)
    dash = side * 0.4  # per side; brackets also differ in shape from a line around a cell
    gap, offset = side - dash, dash / 2
    if shape == "point":
        dash, gap, offset = 1.3 * side, 0.7 * side, 1.15 * side
    dashes = f"{number(dash)} {number(gap)}"
    more = f' stroke-dasharray="{dashes}" stroke-dashoffset="{offset:g}"'
    pens = (Pen("none", CASING, 11, more), Pen("none", MOVED, 6, more))
    path = outline(shape, _MOVED_SCALE)
    return "".join(pen.path(path) for pen in pens)


def links(path: str, colour: str) -> str:
    """Return bars along `path` that join the pieces of a group; they are drawn under the pieces."""
    inks = ((shaded(colour, 0.42), 28), (colour, 22))
    return "".join(Pen("none", ink, width).path(path) for ink, width in inks)


def size(words: str, colour: str) -> str:
    """Return the size of a group as text for a piece of `colour`."""
    return text(words, 38, ink(colour))


HALO: Final = Pen(CELL).circle(_DOT_RADIUS + 8)
"""The background of a dot, which covers the name of an empty cell."""


CROSS: Final = Pen(CELL, CASING, 2.5).circle(10) + Pen("none", CASING, 4).path("M-4-4L4 4M4-4L-4 4")
"""The mark on a piece that can be removed with all pieces of its kind."""

TURN: Final = Pen(CELL, CASING, 2.5).circle(20) + Pen("none", CASING, 4).path(
    "M-11-5H10L4-11M11 5H-10L-4 11"
)
"""The mark on a piece that can be replaced: arrows in both directions."""


SHARE: Final = Pen(CELL, CASING, 2).circle(36) + text("", 30, CASING)
"""The share of games that played a move; the script sets size, colour and number."""

WIN: Final = Pen(DECIDING, CASING, 4).path(
    "M0-30L8.2-11.3L28.5-9.3L13.3 4.3L17.6 24.3L0 14L-17.6 24.3L-13.3 4.3L-28.5-9.3L-8.2-11.3z"
)
"""The star under the dot of a move that wins at once."""

LOSS: Final = Pen(LOSING, CASING, 4).path("M0-26L25 18H-25z")
"""The triangle under the dot of a move that loses at once."""


def dot(path: str, colour: str) -> str:
    """Return one part of a dot, as path data from `sectors`, in a piece's colour."""
    return Pen(colour, CASING, 3).path(path)


def cells(shape: Shape, centres: Iterable[Point]) -> str:
    """Return the edges of cells as one path."""
    return "".join(outline(shape, centre=centre) for centre in centres)


def spots(centres: Iterable[Point]) -> str:
    """Return free points as path data: small discs."""
    half = f"a{_SPOT_RADIUS} {_SPOT_RADIUS} 0 1 1"
    ways = f"{half} {2 * _SPOT_RADIUS} 0{half}{-2 * _SPOT_RADIUS} 0z"
    return "".join(f"M{number(x - _SPOT_RADIUS)} {number(y)}{ways}" for x, y in centres)


@lru_cache(maxsize=32)
def contour(shape: Shape, centres: tuple[Point, ...]) -> str:
    """Return the outline of a set of cells as path data, without the edges between two of them."""
    ends = corners(shape)
    sides = tuple(zip(ends, (*ends[1:], ends[0]), strict=True))
    return "".join(
        line((x + x0, y + y0), (x + x1, y + y1))
        for x, y in centres
        for (x0, y0), (x1, y1) in sides
        # The cell on the other side of the edge; 5 allows for rounded centres.
        if not any(math.dist((x + x0 + x1, y + y0 + y1), centre) < 5 for centre in centres)
    )


def rims(
    shape: Shape,
    centres: Sequence[Point],
    sides: Sequence[Sequence[int]],
    facing: Sequence[float],
) -> tuple[str, ...]:
    """Return the outer edges of the cells of each side of a board as path data.

    An edge of a corner belongs to the side that faces most nearly as the edge does, in degrees.
    """
    ways = [(math.sin(math.radians(way)), -math.cos(math.radians(way))) for way in facing]
    edges: list[list[str]] = [[] for _ in sides]
    ends = corners(shape)
    for cell, (x, y) in enumerate(centres):
        among = [side for side, cells in enumerate(sides) if cell in cells]
        for (x0, y0), (x1, y1) in zip(ends, (*ends[1:], ends[0]), strict=True):
            out = (x0 + x1, y0 + y1)
            is_inner = any(math.dist((x + out[0], y + out[1]), one) < 5 for one in centres)
            if among and not is_inner:
                at = max(
                    among,
                    key=lambda side: round(ways[side][0] * out[0] + ways[side][1] * out[1], 1),
                )
                edges[at].append(line((x + x0, y + y0), (x + x1, y + y1)))
    return tuple(map("".join, edges))


def view(start: Point, end: Point) -> tuple[str, str]:
    """Return the line and the arrowhead from one cell's centre to that of the last visible cell."""
    length = math.hypot(end[0] - start[0], end[1] - start[1])
    x, y = ((end[i] - start[i]) / length for i in (0, 1))
    tip = (end[0] + x * 45, end[1] + y * 45)  # beyond the edge of any piece
    back = (tip[0] - x * _ARROW, tip[1] - y * _ARROW)
    sides = [(back[0] - y * side, back[1] + x * side) for side in (_ARROW, -_ARROW)]
    return line(start, back), line(sides[0], tip, sides[1])


def line(*points: Point) -> str:
    """Return straight lines between points as path data."""
    return f"M{'L'.join(f'{number(x)} {number(y)}' for x, y in points)}"


def through(points: Sequence[Point]) -> str:
    """Return the line through collinear points, or a small shape in the middle of other points."""
    (x0, y0), (x1, y1) = points[0], points[-1]
    if all(abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) < UNIT for x, y in points):
        return line(points[0], points[-1])
    x, y = (sum(point[axis] for point in points) / len(points) for axis in (0, 1))
    around = sorted(points, key=lambda point: math.atan2(point[1] - y, point[0] - x))
    inner = [(x + 0.4 * (px - x), y + 0.4 * (py - y)) for px, py in around]
    return f"{line(*inner)}z"


def sectors(count: int) -> list[str]:
    """Return a dot divided into `count` equal parts, the first at the left; undivided for 1."""
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
