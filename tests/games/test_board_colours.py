"""Pieces stay apart for every kind of eye: simulated colour vision, lightness, letters, outlines.

The matrices are those of Machado, Oliveira and Fernandes, "A physiologically-based model for
simulation of color vision deficiency" (IEEE TVCG 15(6), 2009), severity 1.0, for linear RGB.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

import pytest

from lath import games
from lath.games.core import Game, Piece
from lath.games.drawing.shapes import CELL, contrast, ink, linear, shaded

Triple = tuple[float, float, float]

EYES: Final[dict[str, tuple[Triple, Triple, Triple]]] = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red (protanopia)": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green (deuteranopia)": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no blue (tritanopia)": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}

APART: Final = 20
"""Distance in CIELAB; 2.3 is what can just be told apart side by side."""

every_eye = pytest.mark.parametrize("eye", EYES)
every_game = pytest.mark.parametrize("game", games.installed(), ids=lambda game: game.id)


def seen(colour: str, eye: str) -> Triple:
    """Return a colour in CIELAB (D65) as this eye sees it."""
    light = linear(colour)
    red, green, blue = (
        min(1.0, max(0.0, sum(m * c for m, c in zip(row, light, strict=True)))) for row in EYES[eye]
    )
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = map(_cube_root, (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def _cube_root(value: float) -> float:
    return value ** (1 / 3) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116


def distance(one: str, other: str, eye: str) -> float:
    pairs = zip(seen(one, eye), seen(other, eye), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)


def test_the_distance_of_black_and_white_is_a_hundred() -> None:
    assert distance("#000000", "#ffffff", "all colours") == pytest.approx(100, abs=0.01)


@every_eye
@every_game
def test_pieces_of_one_shape_differ_in_colour_for_every_eye(game: Game, eye: str) -> None:
    for one, other in combinations(game.pieces, 2):
        if one.shape == other.shape:
            apart = distance(one.colour, other.colour, eye)
            assert apart >= APART, f"{one.name}, {other.name}: {apart:.1f}"


@every_game
def test_discs_of_a_game_differ_in_lightness_alone(game: Game) -> None:
    discs = [piece for piece in game.pieces if piece.shape == "disc"]
    for one, other in combinations(discs, 2):
        lightness = [seen(piece.colour, "all colours")[0] for piece in (one, other)]
        assert abs(lightness[0] - lightness[1]) >= APART, f"{one.name}, {other.name}"


@pytest.mark.parametrize(
    "piece",
    [piece for game in games.installed() for piece in game.pieces],
    ids=lambda piece: piece.name,
)
def test_every_piece_shows_on_its_cell_by_its_edge(piece: Piece) -> None:
    # WCAG 2.2, success criterion 1.4.11.
    edge = ink(piece.colour) if piece.shape == "marker" else shaded(piece.colour, 0.42)
    assert max(contrast(edge, CELL), contrast(piece.colour, CELL)) >= 3
