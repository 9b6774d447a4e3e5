"""Pieces as SVG around the origin, a cell being 100 units wide.

Must not know any game, nor how cells lie on a board.

Colours are fixed, for a board looks the same on light and dark pages: it brings its own ground.
Nothing is told by colour alone: tiles have their letter and their outline, light discs a line
round them and dark ones studs, and a disc on a tile is a ring, in which the tile's letter stands.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from html import escape
from typing import Final

from lath.games.board import Shape
from lath.games.core import Piece
from lath.reports.boards.colours import ink, shaded

UNIT: Final = 100
"""The distance of two neighbours."""

Point = tuple[float, float]

FONT: Final = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"

INHERITED: Final = (
    f'font-family="{FONT}" font-weight="700" text-anchor="middle" fill-rule="evenodd" '
    'stroke-linejoin="round" stroke-linecap="round"'
)
"""Attributes of the SVG element that everything drawn here stands in."""

_TILE_SCALE: Final = 0.74
_BLOCK_SCALE: Final = 0.76
_LETTER: Final = 34
"""The height of a tile's letter; it fits into a ring."""

_DISC_RADIUS: Final = 36
_RING_RADIUS: Final = 29
"""The middle of a ring, which lies on a tile so that letter and outline stay in view."""

_RING_WIDTH: Final = 10


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


def text(words: str, size: int, fill: str, centre: Point = (0.0, 0.0)) -> str:
    """Return bold words centred on a point, escaped."""
    return texts([(words, centre)], size, fill)


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


def draw(piece: Piece, shape: Shape, *, on_tile: bool = False) -> str:
    """Return one piece; a disc on a tile is a ring."""
    if piece.shape == "tile":
        return _tile(piece, shape)
    if piece.shape == "block":
        return _block(piece, shape)
    if piece.shape == "disc":
        return _ring(piece.colour) if on_tile else _disc(piece.colour)
    return _marker(piece)


def _tile(piece: Piece, shape: Shape) -> str:
    """Return the tile's own outline, or a slab, with its letter."""
    body = _glyph(piece) if piece.glyph else _slab(shape, _TILE_SCALE, piece.colour)
    return body + text(piece.code, _LETTER, ink(piece.colour))


def _glyph(piece: Piece) -> str:
    return (
        f'<path d="{escape(piece.glyph)}" fill="{escape(piece.colour)}" '
        f'stroke="{shaded(piece.colour, 0.42)}" stroke-width="4"/>'
    )


def _slab(shape: Shape, scale: float, colour: str) -> str:
    """Return a cell-shaped piece with round corners and a darker edge."""
    path = outline(shape, scale)
    return "".join(
        f'<path d="{path}" fill="{stroke}" stroke="{stroke}" stroke-width="{width}"/>'
        for stroke, width in ((shaded(colour, 0.42), 19), (escape(colour), 12))
    )


def _block(piece: Piece, shape: Shape) -> str:
    """Return a piece that fills its cell, with its own outline on a darker slab if it has one."""
    if piece.glyph:
        return _slab(shape, _BLOCK_SCALE, shaded(piece.colour, 0.62)) + _glyph(piece)
    hollow = outline(shape, _BLOCK_SCALE * 0.58)
    return (
        f'{_slab(shape, _BLOCK_SCALE, piece.colour)}<path d="{hollow}" '
        f'fill="{shaded(piece.colour, 0.8)}" stroke="{shaded(piece.colour, 0.55)}" '
        'stroke-width="4"/>'
    )


def _disc(colour: str) -> str:
    return (
        f'<circle cx="2" cy="4" r="{_DISC_RADIUS}" opacity=".25"/>'
        f'<circle r="{_DISC_RADIUS}" fill="{escape(colour)}" stroke="{shaded(colour, 0.42)}" '
        f'stroke-width="3"/>{_engraved(_DISC_RADIUS - 7, colour)}'
    )


def _ring(colour: str) -> str:
    """Return a ring, cased in its ink so that it shows on every tile."""
    return (
        f'<circle r="{_RING_RADIUS}" fill="none" stroke="{ink(colour)}" '
        f'stroke-width="{_RING_WIDTH + 4}"/><circle r="{_RING_RADIUS}" fill="none" '
        f'stroke="{escape(colour)}" stroke-width="{_RING_WIDTH}"/>'
        f"{_engraved(_RING_RADIUS, colour)}"
    )


def _engraved(radius: int, colour: str) -> str:
    """Return a thin line round a light piece, twelve studs round a dark one."""
    if ink(colour) == "#000000":
        dashes = 'stroke-width="1.5" opacity=".4"'
    else:
        apart = number(2 * math.pi * radius / 12)
        dashes = f'stroke-width="3.5" stroke-dasharray="0 {apart}"'
    return f'<circle r="{radius}" fill="none" stroke="{ink(colour)}" {dashes}/>'


_PAWN: Final = (
    "M0-30a12.5 12.5 0 0 1 7.5 22.5c8 3 12.5 14 13.5 27.5q.4 6-5 6h-32q-5.4 0-5-6"
    "c1-13.5 5.5-24.5 13.5-27.5a12.5 12.5 0 0 1 7.5-22.5z"
)
"""A standing figure: head, shoulders, base."""


def _marker(piece: Piece) -> str:
    """Return the marker's own outline, or a pawn, cased in its ink."""
    return (
        f'<path d="{escape(piece.glyph or _PAWN)}" fill="{escape(piece.colour)}" '
        f'stroke="{ink(piece.colour)}" stroke-width="5" paint-order="stroke"/>'
    )
