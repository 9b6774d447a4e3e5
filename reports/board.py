"""A position as a stand-alone SVG, drawn from what every game says of its board and pieces.

Must not know any game, nor records or pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from html import escape
from itertools import groupby
from typing import Final

from games.board import Board
from games.core import Game, Piece, Position
from reports import drawing
from reports.drawing import UNIT, Point

PLATE: Final = "#4a3b2c"
CELL: Final = "#e9dcc1"
EDGE: Final = "#b59f76"
LABEL: Final = "#f6ecd8"
FAINT: Final = "#6a5a3d"
"""Names inside cells; 4.9:1 on CELL."""

DECIDING: Final = "#ffd60a"
"""Rings of highlighted cells."""

_MARGIN: Final = 46
"""From the outer cells' edges to the end of the plate; holds the labels."""

_FONT: Final = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"

_NAME: Final = re.compile(r"([a-z]+)([0-9]+)")


def svg(position: Position, *, title: str = "", highlight: Collection[str] = ()) -> str:
    """Return `position` as one SVG element that needs nothing else.

    `title` is its accessible name, the game's title if empty; a description lists the pieces. The
    cells named in `highlight` have a ring; names that are not on the board are passed over.
    """
    game = position.game
    contents = position.contents()
    attributes = f'viewBox="{view_box(game.board)}" role="img" font-family="{_FONT}"'
    parts = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {attributes}>',
        f"<title>{escape(title or game.title)}</title>",
        f"<desc>{escape(description(position))}</desc>",
        ground(game.board),
        *_stacks(game, contents),
        *_rings(game.board, highlight),
        "</svg>",
    )
    return "".join(parts)


def _stacks(game: Game, contents: Sequence[str]) -> Iterable[str]:
    pieces = pieces_of(game)
    for name, centre, content in zip(game.board.names, game.board.centres, contents, strict=True):
        if content:
            told = f"{name}: {piece_words(content, pieces)}"
            drawn = drawing.stack(content, pieces, game.board.shape)
            yield f"<g {_move(centre)}><title>{escape(told)}</title>{drawn}</g>"


def _rings(board: Board, cells: Collection[str]) -> Iterable[str]:
    for name, centre in zip(board.names, board.centres, strict=True):
        if name in cells:
            yield f"<g {_move(centre)}>{drawing.ring(board.shape, DECIDING)}</g>"


def _move(centre: Point) -> str:
    x, y = placed(centre)
    return f'transform="translate({drawing.number(x)} {drawing.number(y)})"'


def placed(centre: Point) -> Point:
    """Return where a centre of `Board.centres` lies in the drawing."""
    return (centre[0] * UNIT, centre[1] * UNIT)


def pieces_of(game: Game) -> dict[str, Piece]:
    """Return the game's pieces by their codes."""
    return {piece.code: piece for piece in game.pieces}


def piece_words(content: str, pieces: dict[str, Piece]) -> str:
    """Return what lies on a cell, the top first; `empty` for an empty cell.

    >>> piece_words("", {})
    'empty'
    """
    words = [pieces[code].name if code in pieces else code for code in reversed(content)]
    return " on ".join(words) or "empty"


def description(position: Position) -> str:
    """Return in words what lies where and who moves or has won."""
    game = position.game
    pieces = pieces_of(game)
    told = [
        f"{name} {piece_words(content, pieces)}"
        for name, content in zip(game.board.names, position.contents(), strict=True)
        if content
    ]
    return f"{', '.join(told) or 'Empty board'}. {_state(position)}."


def _state(position: Position) -> str:
    outcome = position.outcome()
    if outcome is None:
        return f"{position.game.colours[position.to_move].capitalize()} to move"
    if outcome.winner is None:
        return f"Draw: {outcome.ending}"
    return f"{position.game.colours[outcome.winner].capitalize()} won: {outcome.ending}"


def view_box(board: Board) -> str:
    """Return the drawing's extent as the value of `viewBox`."""
    width = max(x for x, _ in drawing.corners(board.shape)) + _MARGIN
    height = max(y for _, y in drawing.corners(board.shape)) + _MARGIN
    xs, ys = zip(*map(placed, board.centres), strict=True)
    left, top = min(xs) - width, min(ys) - height
    extent = (left, top, max(xs) + width - left, max(ys) + height - top)
    return " ".join(map(drawing.number, extent))


def ground(board: Board) -> str:
    """Return the empty board: plate, cells and labels."""
    cells = "".join(drawing.outline(board.shape, centre=placed(centre)) for centre in board.centres)
    return (
        f'<path d="{cells}" fill="{PLATE}" stroke="{PLATE}" stroke-width="{2 * _MARGIN}" '
        'stroke-linejoin="round"/>'
        f'<path d="{cells}" fill="{CELL}" stroke="{EDGE}" stroke-width="3"/>'
        f"{''.join(_labels(board))}"
    )


def _labels(board: Board) -> Iterable[str]:
    """Yield the labels round the board.

    Each half of the cells' names, letters and digits, labels the lines of cells that share it: at
    their left if they are rows, below if they are columns. Where a half names neither, as the
    digits on hexagons, each cell has its name inside, too.
    """
    halves = [_NAME.fullmatch(name) for name in board.names]
    rims: list[tuple[str, Point]] = []
    complete = True
    for half in (1, 2):
        keyed = [
            (match[half] if match else "", placed(centre))
            for match, centre in zip(halves, board.centres, strict=True)
        ]
        lines = _lines(keyed)
        place = _label_place(lines.values(), board)
        complete = complete and place is not None
        if place is not None:
            rims += [(word, place(cells)) for word, cells in lines.items()]
    yield drawing.texts(rims, 30, LABEL, weight=600)
    if not complete:
        inside = zip(board.names, map(placed, board.centres), strict=True)
        yield drawing.texts(inside, 24, FAINT, weight=400)


def _lines(keyed: Iterable[tuple[str, Point]]) -> dict[str, list[Point]]:
    """Return the cells by the half of their names."""
    ordered = sorted(keyed, key=lambda pair: pair[0])
    return {
        word: [centre for _, centre in pairs]
        for word, pairs in groupby(ordered, key=lambda pair: pair[0])
    }


def _label_place(
    lines: Collection[list[Point]], board: Board
) -> Callable[[list[Point]], Point] | None:
    """Return where a line's label stands; None where the lines are neither rows nor columns."""
    width, height = (max(axis) for axis in zip(*drawing.corners(board.shape), strict=True))
    if all(len({round(y, 3) for _, y in cells}) == 1 for cells in lines):
        return lambda cells: (min(x for x, _ in cells) - width - _MARGIN / 2, cells[0][1])
    if all(len({round(x, 3) for x, _ in cells}) == 1 for cells in lines):
        return lambda cells: (cells[0][0], max(y for _, y in cells) + height + _MARGIN / 2)
    return None
