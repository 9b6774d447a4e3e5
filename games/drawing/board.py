"""A position as a stand-alone SVG, and a board as data for the report page's script.

Groups and lines of sight come from `lath.games.overlays`; on the page, from `js/overlays.js`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from html import escape
from itertools import chain
from typing import Any, Final

from lath.games.board import Board, Shape
from lath.games.capabilities import can_be_drawn, extras_told, side_owners_of
from lath.games.core import SIDES, Game, Piece, Position, Side, owned_by
from lath.games.drawing import shapes
from lath.games.drawing.changes import effects
from lath.games.drawing.rim import rim
from lath.games.drawing.shapes import CELL, FAINT, LABEL, PLATE, UNIT, Point, mark, number
from lath.games.overlays import Cells, Groups, Sight, groups, of, sight


def overlays_json(game: Game) -> dict[str, Any]:
    """Return the game's overlays as JSON values, with the geometry that they need.

    Key `shown` lists each overlay by its `kind` (`groups` or `sight`) and its fields. If groups are
    shown, `neighbours` has the neighbours of each cell. For lines of sight, `rays` has the cells
    straight ahead of each cell, nearest first. Cells are places in `Board.names`.
    """
    overlays = of(game)
    cells = range(len(game.board.names))
    value: dict[str, Any] = {
        "shown": [
            {"kind": type(overlay).__name__.lower(), **asdict(overlay)} for overlay in overlays
        ]
    }
    if any(isinstance(overlay, Groups) for overlay in overlays):
        value["neighbours"] = [list(game.board.neighbours(cell)) for cell in cells]
    if any(isinstance(overlay, Sight) for overlay in overlays):
        rays = (game.board.rays(cell) for cell in cells)
        value["rays"] = [[list(ray) for ray in of_cell if ray] for of_cell in rays]
    return value


Shown = Iterator[tuple[str, str]]
"""Pairs of a place and a text. SVG goes `below` or `above` the pieces, or on top (`legal`). `words`
are sentences without full stops."""


def _groups_shown(overlay: Groups, game: Game, contents: Sequence[str]) -> Shown:
    """Yield the links of groups, their sizes, and a sentence for each group of several pieces."""
    centres, pieces, names = places(game), pieces_of(game), game.board.names
    bars: defaultdict[str, str] = defaultdict(str)
    for group in groups(overlay, game.board, contents):
        code = contents[group[0]][-1]
        bars[code] += "".join(
            shapes.line(centres[cell], centres[other])
            for cell in group
            for other in game.board.neighbours(cell)
            if cell < other and other in group
        )
        size = shapes.size(str(len(group)), pieces[code].colour)
        yield "above", _at(centres[middle(group, centres)], size)
        if len(group) > 1:
            cells = " ".join(names[cell] for cell in group)
            yield "words", f"Group of {len(group)}, {pieces[code].name}: {cells}"
    for code, path in bars.items():
        if path:
            yield "below", shapes.links(path, pieces[code].colour)


def _sight_shown(overlay: Sight, game: Game, contents: Sequence[str]) -> Shown:
    """Yield the cells in sight of each marker, the lines to them, and a sentence."""
    centres, names = places(game), game.board.names
    marker_name = pieces_of(game)[overlay.marker].name
    for marker, rays in sight(overlay, game.board, contents).items():
        seen = sorted(cell for ray in rays for cell in ray)
        yield "below", mark("seen", shapes.cells(game.board.shape, (centres[at] for at in seen)))
        for ray in rays:
            yield "below", mark("sight", *shapes.view(centres[marker], centres[ray[-1]]))
        words = " ".join(names[at] for at in seen) or "nothing"
        yield "words", f"The {marker_name} sees {words}"


def middle(group: Cells, centres: Sequence[Point]) -> int:
    """Return the cell of a group that is nearest to its centre, the first of several."""
    x, y = (sum(centres[cell][axis] for cell in group) / len(group) for axis in (0, 1))
    # Distances are rounded so that equal ones are equal in Python and in JavaScript.
    return min(
        group, key=lambda cell: round((centres[cell][0] - x) ** 2 + (centres[cell][1] - y) ** 2)
    )


def places(game: Game) -> list[Point]:
    """Return the centres of the cells in a drawing, in the order of `Board.names`."""
    return [(x * UNIT, y * UNIT) for x, y in game.board.centres]


_MARGIN: Final = 46
"""The distance from the outer cells' edges to the edge of the plate, which has the labels."""

_NAME_STYLE: Final = (24, FAINT, 400)
"""The size, colour and weight of cell names."""

_BESIDE: Final = (40.0, 38.0)
"""The place of a point's name, beside a piece on that point."""


def svg(
    position: Position,
    *,
    title: str = "",
    highlight: Collection[str] = (),
    is_loss: bool = False,
    last: Collection[str] = (),
    legal: bool = False,
    aids: bool = False,
    strip: Sequence[str] = (),
) -> str:
    """Return `position` as one complete SVG element.

    - `title` is the accessible name (default: the game's title). A description lists the pieces.
    - `highlight` names the deciding cells: they get an outline, and the other cells are dimmed, but
      not their pieces. With `is_loss`, the outline is red and dashed, because these cells lost the
      game.
    - `last` names the cells of the last move, which get brackets.
    - `legal` shows the legal moves. Dots are placements. Crosses are on pieces that can be removed
      alone or with all of their kind. Lines join pieces removed together. Arrows are on replaced
      pieces.
    - `aids` shows the game's overlays.
    - `strip` has lines of text below the board: the names of both players, and other lines.

    The state beside the cells is on a line between the board and the strip.

    Names that are not on the board are ignored.
    """
    game = position.game
    contents = position.contents()
    shown: defaultdict[str, list[str]] = defaultdict(list)
    marks = [
        _groups_shown(overlay, game, contents)
        if isinstance(overlay, Groups)
        else _sight_shown(overlay, game, contents)
        for overlay in (of(game) if aids else ())
    ]
    for where, text in chain(*marks, _legal_shown(position) if legal else ()):
        shown[where].append(text)
    sentences = _sentences(position, shown["words"], legal=legal)
    extras = extras_told(position)
    shape, centres = game.board.shape, dict(zip(game.board.names, places(game), strict=True))
    veil, line = _decided(shape, centres, highlight, "losing" if is_loss else "deciding")
    parts = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {_attributes(game, extras, len(strip))}>',
        f"<title>{escape(title or game.title)}</title>",
        f"<desc>{escape('. '.join(sentences))}.</desc>",
        _plate(game),
        _cells(shape, list(centres.values())),
        "" if rim(game.board).is_complete else _names(game.board, centres),
        *shown["below"],
        veil,
        *_stacks(game, contents),
        line,
        *(_at(centre, shapes.moved(shape)) for name, centre in centres.items() if name in last),
        *shown["above"],
        *shown["legal"],
        _extras(game, extras),
        *_strip(game, strip, extras),
        "</svg>",
    )
    return "".join(parts)


def html(
    position: Position, *, last: Collection[str] = (), caption: str = "", title: str = ""
) -> str:
    """Return a position as notebooks show it: the board above a caption.

    Default for `caption`: the side to move, or the result. The position's text is always included;
    it stands alone if the game cannot be drawn. See `svg` for `last` and `title`. The HTML is
    complete and readable on light and dark pages.
    """
    game, outcome = position.game, position.outcome()
    drawn = ""
    if can_be_drawn(game):
        decided, is_loss = (outcome.cells, outcome.is_loss) if outcome else ((), False)
        drawn = svg(position, title=title, highlight=decided, is_loss=is_loss, last=last)
    words = caption or f"{game.title}: {_state(position)}"
    return (
        f'<div class="{UNTOUCHED}" style="max-width:24em">{drawn}'
        f'<div>{escape(words)}</div><code style="overflow-wrap:anywhere;opacity:.75">'
        f"{escape(position.text())}</code></div>"
    )


UNTOUCHED: Final = "tex2jax_ignore mathjax_ignore"
"""Classes that keep notebooks from reading names with dollar signs as formulas."""


def _decided(
    shape: Shape, centres: Mapping[str, Point], names: Collection[str], line: str
) -> tuple[str, str]:
    """Return the veil over the cells that did not decide the game, and the line around the rest."""
    inside = [centre for name, centre in centres.items() if name in names]
    if not inside:
        return "", ""
    others = (centre for name, centre in centres.items() if name not in names)
    veil = _veil(shape, shapes.cells(shape, others))
    return veil, mark(line, shapes.contour(shape, tuple(inside)))


def _veil(shape: Shape, path: str) -> str:
    """Return the mark that dims cells; empty for points, which have no area to dim."""
    return "" if shape == "point" else mark("veil", path)


def _stacks(game: Game, contents: Sequence[str]) -> Iterator[str]:
    pieces = pieces_of(game)
    for name, centre, content in zip(game.board.names, places(game), contents, strict=True):
        if content:
            title = f"{name}: {piece_words(content, pieces)}"
            drawn = shapes.stack(content, pieces, game.board.shape)
            yield _at(centre, f"<title>{escape(title)}</title>{drawn}")


def _legal_shown(position: Position) -> Shown:
    """Yield the marks of legal moves: lines below the pieces, and `legal` marks on top.

    A dot has the colours of the pieces that can be placed. It is off-centre on an occupied cell.
    """
    pieces, centres = pieces_of(position.game), places(position.game)
    contents, found = position.contents(), effects(position)
    singles = [cells for cells in found.lines if len(cells) == 1]
    if lines := [cells for cells in found.lines if len(cells) > 1]:
        through = (shapes.through([centres[cell] for cell in cells]) for cells in lines)
        yield "below", mark("net", "".join(through))

    def beside(cell: int, turn: Point, drawn: str) -> str:
        x, y = centres[cell]
        return _at((x + UNIT * 0.33 * turn[0], y + UNIT * 0.33 * turn[1]), drawn)

    for cells in (*found.kinds.values(), *singles):
        yield from (("legal", beside(cell, (-1, 1), shapes.CROSS)) for cell in cells)
    for cell, codes in found.dots.items():
        parts = zip(codes, shapes.sectors(len(codes)), strict=True)
        drawn = "".join(shapes.dot(path, pieces[code].colour) for code, path in parts)
        if contents[cell]:
            yield "legal", beside(cell, (1, 1), drawn)
        else:
            yield "legal", _at(centres[cell], f"{shapes.HALO}{drawn}")
    yield from (("legal", beside(cell, (1, -1), shapes.TURN)) for cell in found.turned)


def _at(centre: Point, drawn: str) -> str:
    return f'<g transform="translate({number(centre[0])} {number(centre[1])})">{drawn}</g>'


def pieces_of(game: Game) -> dict[str, Piece]:
    """Return the game's pieces by their codes."""
    return {piece.code: piece for piece in game.pieces}


def piece_words(content: str, pieces: dict[str, Piece]) -> str:
    """Return the pieces on a cell in words, the top one first; `empty` for an empty cell.

    >>> piece_words("", {})
    'empty'
    """
    words = [pieces[code].name if code in pieces else code for code in reversed(content)]
    return " on ".join(words) or "empty"


def _sentences(position: Position, shown: Iterable[str], *, legal: bool) -> list[str]:
    """Return sentences about the pieces, the state of the game, and the other drawn marks."""
    game = position.game
    pieces = pieces_of(game)
    lying = [
        f"{name} {piece_words(content, pieces)}"
        for name, content in zip(game.board.names, position.contents(), strict=True)
        if content
    ]
    said = [", ".join(lying) or "Empty board", extras_told(position), _state(position)]
    sentences = [*filter(None, said), *shown]
    if legal:
        sentences.append(f"Legal moves: {' '.join(position.legal_moves()) or 'none'}")
    return sentences


def _state(position: Position) -> str:
    """Return the side to move, or the result, as a sentence."""
    colours, outcome = position.game.colours, position.outcome()
    if outcome is None:
        return f"{colours[position.to_move].capitalize()} to move"
    if outcome.winner is None:
        return f"Draw: {outcome.ending}"
    return f"{colours[outcome.winner].capitalize()} won: {outcome.ending}"


def _extras(game: Game, words: str) -> str:
    """Return the line of words below a board that has a state beside its cells."""
    if not words:
        return ""
    left, top, width, height = _extent(game)
    size, end = width / _IN_A_LINE, top + height
    x, y, middle, high, radius, baseline = map(
        number,
        (left, end + 0.2 * size, left + width / 2, 1.7 * size, 0.85 * size, end + 1.38 * size),
    )
    fits = size * min(1, _EXTRAS_IN_A_LINE / len(words))
    return (
        f'<rect x="{x}" y="{y}" width="{number(width)}" height="{high}" rx="{radius}" '
        f'fill="{PLATE}"/><text class="extras" data-room="{number(_room(game, words))}" '
        f'data-size="{number(size)}" x="{middle}" y="{baseline}" font-size="{number(fits)}" '
        f'font-weight="400" fill="{LABEL}">{escape(words)}</text>'
    )


def _room(game: Game, extras: str) -> float:
    """Return the height of the line of `_extras`."""
    return _tall(1) * _extent(game)[2] / _IN_A_LINE if extras else 0


def _strip(game: Game, lines: Sequence[str], extras: str) -> Iterator[str]:
    """Yield the lines of text below a board, the players' with their colours."""
    left, top, width, height = _extent(game)
    size, end = width / _IN_A_LINE, top + height + _room(game, extras)
    if lines:
        ends = f"M{number(left)} {number(end)}h{number(width)}v{number(_tall(len(lines)) * size)}"
        yield f'<path d="{ends}h{number(-width)}z" fill="#fff"/>'
    for row, line in enumerate(lines):
        y = end + (_ROW * row + 1.3) * size
        if is_player := row < len(SIDES):
            codes = owned_by(game, SIDES[row])
            colour = next((each.colour for each in game.pieces if each.code in codes), "none")
            x, middle, radius = map(number, (left + size, y - 0.35 * size, 0.4 * size))
            yield f'<circle cx="{x}" cy="{middle}" r="{radius}" fill="{colour}" stroke="#222"/>'
        words = line if len(line) <= _LONGEST_NAME or not is_player else f"{line[:25].rstrip()}…"
        fits = min(size, 1.6 * width / max(1, len(words)))
        x = number(left + (2 if is_player else 0.6) * size)
        weight = "" if is_player else ' font-weight="400"'
        yield (
            f'<text x="{x}" y="{number(y)}" text-anchor="start" font-size="{number(fits)}" '
            f'fill="#222"{weight}>{escape(words)}</text>'
        )


_IN_A_LINE: Final = 28
"""The width of a board in sizes of the letters below it."""

_EXTRAS_IN_A_LINE: Final = 46
"""The characters that fit below a board at the usual size; `js/board.js` has the same number."""

_ROW: Final = 1.4
"""The distance of the lines below a board, in sizes of the letters."""

_LONGEST_NAME: Final = 26


def _tall(lines: int) -> float:
    return _ROW * lines + 0.5 if lines else 0


def _attributes(game: Game, extras: str, lines: int = 0) -> str:
    """Return the attributes of the SVG element that apply to all its parts: extent, role, fonts.

    Below the board is room for the state beside its cells and for some lines of text.
    """
    left, top, width, height = _extent(game)
    box = (left, top, width, height + _room(game, extras) + _tall(lines) * width / _IN_A_LINE)
    return f'viewBox="{" ".join(map(number, box))}" role="img" {shapes.INHERITED}'


def extent(game: Game) -> str:
    """Return the left, top, width and height of a board's drawing, as in its `viewBox`."""
    left, top, width, height = _extent(game)
    room = _room(game, extras_told(game.start()))
    return " ".join(map(number, (left, top, width, height + room)))


def _extent(game: Game) -> tuple[float, float, float, float]:
    width, height = (end + _MARGIN for end in _half_extent(game.board))
    xs, ys = zip(*places(game), strict=True)
    left, top = min(xs) - width, min(ys) - height
    return left, top, max(xs) + width - left, max(ys) + height - top


def _half_extent(board: Board) -> Point:
    """Return half the width and half the height of a cell."""
    width, height = (max(axis) for axis in zip(*shapes.corners(board.shape), strict=True))
    return width, height


def _cells(shape: Shape, centres: Sequence[Point]) -> str:
    """Return the empty cells or points."""
    if shape == "point":
        return mark("spot", shapes.spots(centres))
    return mark("cell", shapes.cells(shape, centres))


def _names(board: Board, centres: Mapping[str, Point]) -> str:
    """Return the names inside cells, or beside points."""
    x, y = _BESIDE if board.shape == "point" else (0.0, 0.0)
    return shapes.texts(
        ((name, (cx + x, cy + y)) for name, (cx, cy) in centres.items()), *_NAME_STYLE
    )


def _plate(game: Game) -> str:
    """Return the plate around the cells, with its labels."""
    centres = places(game)
    if game.board.shape == "point":
        plate = _surface(game, centres)
    else:
        edge = shapes.contour(game.board.shape, tuple(centres))
        plate = f'<path d="{edge}" stroke="{PLATE}" stroke-width="{2 * _MARGIN}"/>'
        plate += _sides(game, centres)
    size = 37 if rim(game.board).is_above else 30  # a rhombus is wide, so its labels come out small
    return f"{plate}{shapes.texts(_labels(game.board, centres), size, LABEL)}"


def _sides(game: Game, centres: Sequence[Point]) -> str:
    """Return the sides of the board in the colours of their players; empty for most games."""
    if not (owners := side_owners_of(game)):
        return ""
    sides = [game.board.places_in(side) for side in game.board.sides]
    paths = shapes.rims(game.board.shape, centres, sides, game.board.facing)
    colours = [_colour_of(game, SIDES[owner]) for owner in owners]
    inner = (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="18"/>'
        for path, colour in zip(paths, colours, strict=True)
    )
    return f"{mark('side', ''.join(paths))}{''.join(inner)}"


def _surface(game: Game, centres: Sequence[Point]) -> str:
    """Return the plate of free points: a frame, and the lines that join neighbours."""
    left, top, width, height = _extent(game)
    tracks = "".join(
        shapes.line(centres[cell], centres[other])
        for cell in range(len(centres))
        for other in game.board.neighbours(cell)
        if cell < other
    )
    # Without labels, the frame is narrow, and the surface has room for names beside points.
    inset = _MARGIN if rim(game.board).is_complete else _MARGIN / 2

    def rectangle(inset: float, round_by: int, fill: str) -> str:
        at = (left + inset, top + inset, width - 2 * inset, height - 2 * inset)
        x, y, w, h = map(number, at)
        return f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="{round_by}" fill="{fill}"/>'

    return f"{rectangle(0, 46, PLATE)}{rectangle(inset, 12, CELL)}{mark('track', tracks)}"


def _labels(board: Board, centres: Sequence[Point]) -> Iterator[tuple[str, Point]]:
    """Yield the labels at the rim: left of rows, below columns or above leaning ones."""
    width, height = (end + _MARGIN / 2 for end in _half_extent(board))
    lean = UNIT / 2 + _MARGIN / 2  # to the next row of hexagons, which is a third of a turn away
    left, bottom = min(x for x, _ in centres), max(y for _, y in centres)
    is_framed = board.shape == "point"
    for word, cell in rim(board).columns:
        x, y = centres[cell]
        if rim(board).is_above:
            yield word, (x - lean / 2, y - lean * 3**0.5 / 2)
        else:
            yield word, (x, (bottom if is_framed else y) + height)
    for word, cell in reversed(rim(board).rows):
        x, y = centres[cell]
        yield word, ((left if is_framed else x) - width, y)


def template(game: Game) -> str:
    """Return the empty plate as an SVG for `lath.makeBoard`, to be put into a `<template>`.

    `js/board.js` copies the plate and takes pieces and marks from the group of class `sprites`, so
    that only Python defines their look.
    """
    sprites = "".join(
        f'<g data-sprite="{escape(name)}">{drawn}</g>' for name, drawn in _sprites(game)
    )
    extras = extras_told(game.start())
    return (
        f'<svg class="board" {_attributes(game, extras)}><title></title><desc></desc>{_plate(game)}'
        f'{_extras(game, extras)}<g class="sprites">{sprites}</g></svg>'
    )


def _sprites(game: Game) -> Iterator[tuple[str, str]]:
    """Yield the sprites by name: pieces as `piece-` and their code, rings as `ring-`, and marks.

    `size-` and a code is the size of a group, and `links-` its connecting bars. The script adds the
    number, the paths and the colour of dots.
    """
    shape, overlays = game.board.shape, of(game)
    has_tiles = any(piece.shape == "tile" for piece in game.pieces)
    counted = "".join(overlay.codes for overlay in overlays if isinstance(overlay, Groups))
    for piece in game.pieces:
        code = piece.code
        yield f"piece-{code}", shapes.draw(piece, shape)
        if piece.shape == "disc" and has_tiles:
            yield f"ring-{code}", shapes.draw(piece, shape, on_tile=True)
        if code in counted:
            yield f"links-{code}", shapes.links("", piece.colour)
            yield f"size-{code}", shapes.size("", piece.colour)
    area = f'<path d="{shapes.outline(shape)}" opacity="0"/>' if shape == "point" else ""
    yield "cell", f"{area}{_cells(shape, [(0.0, 0.0)])}"
    if not rim(game.board).is_complete:
        yield "name", _names(game.board, {"": (0.0, 0.0)})
    marks = {
        "strange": shapes.strange("?"),
        "halo": shapes.HALO,
        "dot": shapes.dot("", ""),
        "cross": shapes.CROSS,
        "turn": shapes.TURN,
        "share": shapes.SHARE,
        "win": shapes.WIN,
        "loss": shapes.LOSS,
        "moved": shapes.moved(shape),
    }
    yield from marks.items()
    has_sight = any(isinstance(overlay, Sight) for overlay in overlays)
    for name in (
        "deciding",
        "losing",
        "net",
        "line",
        *(("seen", "sight") if has_sight else ()),
    ):
        yield name, mark(name, "")
    yield "veil", _veil(shape, "")


def _colour_of(game: Game, side: Side) -> str:
    own = owned_by(game, side)
    return next((piece.colour for piece in game.pieces if piece.code in own), "#808080")


def to_json(game: Game) -> dict[str, Any]:
    """Return the data of a game for `lath.makeBoard`.

    - `title`, `cells` (names);
    - `centres`: x and y of each cell in one list, with cells 100 wide;
    - `corners`: x and y of each corner of a cell in one list, from the cell's centre;
    - `near`: the neighbours of each cell, for free points only;
    - `pieces`: code, name, shape and colour of each;
    - `seats`: word and colour of each side, or grey for a side without own pieces;
    - `overlays`: see `overlays_json`.
    """
    board = game.board
    cells = range(len(board.names) if board.shape == "point" else 0)
    return {
        "title": game.title,
        "cells": list(board.names),
        "centres": [round(at, 1) for centre in places(game) for at in centre],
        "corners": [round(at, 1) for corner in shapes.corners(board.shape) for at in corner],
        "near": [list(board.neighbours(cell)) for cell in cells],
        "pieces": [[piece.code, piece.name, piece.shape, piece.colour] for piece in game.pieces],
        "seats": [[game.colours[side], _colour_of(game, side)] for side in SIDES],
        "overlays": overlays_json(game),
    }
