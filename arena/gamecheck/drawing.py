"""The steps about drawings: pieces that can be told apart, on the board and in text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Final
from xml.etree import ElementTree as ET

from lath.arena.gamecheck.lab import GameLab, Visit
from lath.arena.gamecheck.points import GameFinding, GameStep, fault, note, ok, warning
from lath.games.capabilities import mends_of
from lath.games.core import SIDES, Piece, owned_by
from lath.games.drawing.board import svg
from lath.games.drawing.changes import changed_cells
from lath.games.drawing.shapes import CELL, contrast, draw, linear

_LEAST_CONTRAST: Final = 1.12
"""The least contrast of a piece and the board; an outline around each piece adds to it."""

_LEAST_APART: Final = 18.0
"""The least distance of two colours in CIELAB (CIE76) for pieces of the same form."""

_PATH: Final = re.compile(r"\s*[Mm][MmLlHhVvCcSsQqTtAaZz0-9\s,.eE+-]*")


def _lab(colour: str) -> tuple[float, float, float]:
    """Return a colour in CIELAB with the white point D65."""
    red, green, blue = linear(colour)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def apart(one: str, other: str) -> float:
    """Return the distance of two colours in CIELAB; about 2 is just visible.

    >>> round(apart("#ffffff", "#000000")), apart("#c0392b", "#c0392b")
    (100, 0.0)
    """
    pairs = zip(_lab(one), _lab(other), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)


def _form(piece: Piece) -> str:
    """Return what shows a piece apart from its colour: its drawing in grey."""
    return draw(replace(piece, colour="#808080"), "square")


def _are_distinct(lab: GameLab) -> Iterator[GameFinding]:
    """Yield pairs of pieces that look alike, and codes that do."""
    pieces: tuple[Piece, ...] = lab.game.pieces
    alike = [
        (one, other)
        for one, other in combinations(pieces, 2)
        if _form(one) == _form(other) and apart(one.colour, other.colour) < _LEAST_APART
    ]
    for one, other in alike:
        yield fault(
            f"{one.code} ({one.name}) and {other.code} ({other.name}) look alike: both are a "
            f"{one.shape} in {one.colour} and {other.colour}",
            "give one of them another colour, shape or glyph",
        )
    by_letter = {code.lower() for code in (piece.code for piece in pieces)}
    if len(by_letter) < len(pieces):
        yield note(
            "some codes differ only by a capital letter, which is hard to see in text",
            "choose other letters, if no notation of the game requires these",
        )
    elif not alike:
        yield ok(f"{len(pieces)} kinds of pieces" if len(pieces) > 1 else "one kind of piece")


def _are_visible(lab: GameLab) -> Iterator[GameFinding]:
    """Yield pieces that are hard to see on the board."""
    found = False
    for piece in lab.game.pieces:
        if (seen := contrast(piece.colour, CELL)) < _LEAST_CONTRAST and (
            apart(piece.colour, CELL) < _LEAST_APART
        ):
            found = True
            yield warning(
                f"{piece.code} ({piece.name}) in {piece.colour} has a contrast of {seen:.2f} with "
                f"the board ({CELL})",
                "choose a lighter, darker or stronger colour",
            )
        if piece.glyph and not _PATH.fullmatch(piece.glyph):
            found = True
            yield fault(
                f"{piece.code} ({piece.name}) has the glyph {piece.glyph[:40]!r}, expected SVG "
                "path data",
                "begin with M, and write only commands and numbers, such as M0-40L40 0z",
            )
    if not found:
        least = min(lab.game.pieces, key=lambda piece: contrast(piece.colour, CELL))
        yield ok(f"the contrast with the board is at least {contrast(least.colour, CELL):.1f}")


def _have_owners(lab: GameLab) -> Iterator[GameFinding]:
    """Yield players after whom no piece is named."""
    game = lab.game
    words = [game.colours[side] for side in SIDES if not owned_by(game, side)]
    if not words:
        yield ok(" and ".join(game.colours))
    else:
        yield note(
            f"no piece is named after {' or '.join(words)}, so that pages show these players "
            "in grey",
            "if players have pieces of their own, name them after the colours of the game, such "
            f"as `{words[0]} stone`",
        )


def shown_visit(lab: GameLab) -> tuple[Visit, tuple[str, ...]]:
    """Return a position from the middle of a random game, and the cells of the move before it."""
    starts = [at for at, visit in enumerate(lab.sample) if visit.ply == 0]
    ends = [*starts[1:], len(lab.sample)]
    first, end = max(zip(starts, ends, strict=True), key=lambda game: game[1] - game[0])
    at = first + (end - first) * 2 // 3
    visit = lab.sample[at]
    last = changed_cells(lab.sample[at - 1].position, visit.position) if visit.ply else ()
    return visit, tuple(last)


def picture(lab: GameLab) -> str:
    """Return a position from the middle of a random game as SVG, with the last move."""
    visit, last = shown_visit(lab)
    return svg(visit.position, last=last, title=lab.game.title)


def _is_drawn(lab: GameLab) -> Iterator[GameFinding]:
    """Yield whether positions can be drawn."""
    drawn = picture(lab)
    try:
        ET.fromstring(drawn)  # noqa: S314 - written by this process
    except ET.ParseError as error:
        yield fault(f"the drawing is not valid SVG: {error}", "correct the titles and the glyphs")
        return
    visit, _ = shown_visit(lab)
    lying = sum(map(bool, visit.position.contents()))
    if not any(map(any, (each.position.contents() for each in lab.sample))):
        yield warning(
            "no position has a piece on any cell",
            mends_of(lab.game).get(
                "drawn", "let contents() return the codes of the pieces on each cell"
            ),
        )
        return
    kilobytes = len(drawn) / 1000
    cells = len(lab.game.board.names)
    yield ok(f"{cells} cells, {lying} with pieces at ply {visit.ply}; {kilobytes:.0f} kB of SVG")


DISTINCT: Final = GameStep(
    "distinct", "draws its pieces so that they differ", _are_distinct, needs="nothing"
)
VISIBLE: Final = GameStep(
    "visible", "has pieces that stand out from the board", _are_visible, needs="nothing"
)
OWNERS: Final = GameStep(
    "owners", "names pieces after the players who own them", _have_owners, needs="nothing"
)
DRAWN: Final = GameStep("drawn", "draws a position as a picture", _is_drawn)
