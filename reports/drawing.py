"""Pieces, cells and rings as SVG around the origin, a cell being 100 units wide.

Must not know any game, nor how cells lie on a board.

Colours are fixed, for a board looks the same on light and dark pages: it brings its own ground.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final

from games.board import Shape
from games.core import Piece

UNIT: Final = 100
"""The distance of two neighbours."""

Point = tuple[float, float]

_INKS: Final = ("#ffffff", "#000000")

_TILE_SCALE: Final = 0.74
_BLOCK_SCALE: Final = 0.76
_RING_SCALE: Final = 0.86
_DISC_RADIUS: Final = 35
_DISC_ON_TILE_RADIUS: Final = 27
"""Small enough that the tile shows all round."""

_PAWN: Final = (
    "M0-30a12.5 12.5 0 0 1 7.5 22.5c8 3 12.5 14 13.5 27.5q.4 6-5 6h-32q-5.4 0-5-6"
    "c1-13.5 5.5-24.5 13.5-27.5a12.5 12.5 0 0 1 7.5-22.5z"
)
"""A standing figure: head, shoulders, base."""


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
    points = (f"{number(centre[0] + x)} {number(centre[1] + y)}" for x, y in corners(shape, scale))
    return f"M{'L'.join(points)}z"


def text(words: str, size: int, fill: str, centre: Point = (0.0, 0.0)) -> str:
    """Return bold words centred on a point, escaped."""
    return texts([(words, centre)], size, fill, weight=700)


def texts(items: Iterable[tuple[str, Point]], size: int, fill: str, weight: int) -> str:
    """Return words, each centred on its point, escaped."""
    # 0.36 em: half the height of capitals, so that no renderer's baseline support is needed.
    drawn = "".join(
        f'<text x="{number(x)}" y="{number(y + 0.36 * size)}">{escape(words)}</text>'
        for words, (x, y) in items
    )
    return (
        f'<g font-size="{size}" font-weight="{weight}" fill="{escape(fill)}" '
        f'text-anchor="middle">{drawn}</g>'
    )


def ring(shape: Shape, colour: str, width: int = 7) -> str:
    """Return a ring just inside a cell's edge, cased in dark so that it shows on every colour."""
    path = outline(shape, _RING_SCALE)
    return "".join(
        f'<path d="{path}" fill="none" stroke="{escape(stroke)}" stroke-width="{stroke_width}" '
        'stroke-linejoin="round"/>'
        for stroke, stroke_width in (("#1b1b1b", width + 5), (colour, width))
    )


def stack(content: str, pieces: Mapping[str, Piece], shape: Shape) -> str:
    """Return what lies on one cell, from the bottom up; empty for an empty cell.

    A tile's letter is written on whatever disc covers the tile. Codes that are not in `pieces` are
    written as text.
    """
    known = [pieces[code] for code in content if code in pieces]
    tiles = [piece for piece in known if piece.shape == "tile"]
    discs = [piece for piece in known if piece.shape == "disc"]
    drawn = [_draw(piece, shape, on_tile=bool(tiles)) for piece in known]
    if tiles:
        ground = (discs or tiles)[-1]
        letters = text(tiles[-1].code, 32 if discs else 46, ink(ground.colour))
        drawn.insert(known.index(ground) + 1, letters)
    strange = "".join(code for code in content if code not in pieces)
    return "".join(drawn) + (text(strange, 40, "#1b1b1b") if strange else "")


def _draw(piece: Piece, shape: Shape, *, on_tile: bool) -> str:
    if piece.shape == "tile":
        return _slab(shape, _TILE_SCALE, piece.colour)
    if piece.shape == "block":
        return _block(shape, piece.colour)
    if piece.shape == "disc":
        return _disc(piece.colour, _DISC_ON_TILE_RADIUS if on_tile else _DISC_RADIUS)
    return (
        f'<path d="{_PAWN}" fill="{escape(piece.colour)}" stroke="{ink(piece.colour)}" '
        'stroke-width="5" stroke-linejoin="round" paint-order="stroke"/>'
    )


def _slab(shape: Shape, scale: float, colour: str) -> str:
    """Return a cell-shaped piece with round corners and a darker edge."""
    path = outline(shape, scale)
    return "".join(
        f'<path d="{path}" fill="{stroke}" stroke="{stroke}" stroke-width="{width}" '
        'stroke-linejoin="round"/>'
        for stroke, width in ((shaded(colour, 0.62), 17), (escape(colour), 12))
    )


def _block(shape: Shape, colour: str) -> str:
    hollow = outline(shape, _BLOCK_SCALE * 0.58)
    return (
        f'{_slab(shape, _BLOCK_SCALE, colour)}<path d="{hollow}" fill="{shaded(colour, 0.8)}" '
        f'stroke="{shaded(colour, 0.62)}" stroke-width="4" stroke-linejoin="round"/>'
    )


def _disc(colour: str, radius: int) -> str:
    return (
        f'<circle cx="2" cy="4" r="{radius}" opacity=".25"/>'
        f'<circle r="{radius}" fill="{escape(colour)}" stroke="{shaded(colour, 0.45)}" '
        'stroke-width="3"/>'
        f'<circle r="{radius - 5}" fill="none" stroke="{ink(colour)}" stroke-width="1.5" '
        'opacity=".3"/>'
    )


def ink(ground: str) -> str:
    """Return white or black, whichever is easier to read on `ground`: 4.58:1 or more."""
    return max(_INKS, key=lambda colour: contrast(colour, ground))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours in 1..21, as WCAG 2.2 defines it."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def shaded(colour: str, factor: float) -> str:
    """Return `colour` darkened: 1 leaves it, 0 makes it black."""
    return "#" + "".join(f"{round(channel * factor):02x}" for channel in _channels(colour))


def _luminance(colour: str) -> float:
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in _channels(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _channels(colour: str) -> Sequence[int]:
    """Return red, green and blue in 0..255; a text that is no `#rrggbb` counts as grey."""
    try:
        value = int(colour.removeprefix("#"), 16) if len(colour) == 7 else 0x808080
    except ValueError:
        value = 0x808080
    return (value >> 16 & 255, value >> 8 & 255, value & 255)
