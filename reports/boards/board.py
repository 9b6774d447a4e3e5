"""A position as a stand-alone SVG, drawn from what every game says of its board and pieces.

Must not know any game, nor what pieces and marks look like: `lath.reports.boards.drawing` does.
`lath.games.overlays` works out groups and sight; on the page `js/overlays.js` does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any, Final

from lath.games.board import Board
from lath.games.core import Game, Move, Piece, Position
from lath.games.overlays import Cells, Groups, Sight, groups, of, sight
from lath.reports.boards import drawing
from lath.reports.boards.drawing import UNIT, Point, number

Change = tuple[int, str]
"""A cell by its place in `Board.names`, and what happens there: `+w` puts pieces on top, `-1` takes
so many from the top, `=Aw` is what lies there now where neither tells it."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The legal moves of a position as they can be shown."""

    dots: dict[int, str]
    """For each cell where moves put a piece, the codes of the pieces, in order of the moves."""

    others: tuple[Move, ...]
    """All other legal moves."""


def choices(position: Position) -> Choices:
    """Return what can be played; nothing once the game is over."""
    dots: dict[int, str] = {}
    others = []
    before = position.contents()
    for move in position.legal_moves():
        placed = placement(changes(before, position.play(move).contents()))
        if placed is None:
            others.append(move)
        elif placed[1] not in dots.get(placed[0], ""):
            dots[placed[0]] = dots.get(placed[0], "") + placed[1]
    return Choices(dots, tuple(others))


def changes(before: Sequence[str], after: Sequence[str]) -> tuple[Change, ...]:
    """Return what changes from one `Position.contents` to another.

    >>> changes(("A", "Aw", "w", ""), ("Ab", "A", "b", ""))
    ((0, '+b'), (1, '-1'), (2, '=b'))
    """
    pairs = enumerate(zip(before, after, strict=True))
    return tuple((cell, _change(old, new)) for cell, (old, new) in pairs if old != new)


def _change(old: str, new: str) -> str:
    if new.startswith(old):
        return f"+{new.removeprefix(old)}"
    return f"-{len(old) - len(new)}" if old.startswith(new) else f"={new}"


def placement(changed: Sequence[Change]) -> tuple[int, str] | None:
    """Return the cell and the code of the piece that a move puts there.

    None where it puts pieces on no cell or several, or changes one for another. Of several pieces
    on one cell the lowest counts: a marker goes along.

    >>> placement(((3, "+ok"), (7, "-1")))
    (3, 'o')
    """
    gains = [(cell, what[1]) for cell, what in changed if what.startswith("+")]
    has_exchange = any(what.startswith("=") for _, what in changed)
    return gains[0] if len(gains) == 1 and not has_exchange else None


def overlays_json(game: Game) -> dict[str, Any]:
    """Return the game's overlays as JSON values, with the geometry that they need and no more.

    `shown`: each overlay by its `kind`, `groups` or `sight`, and its fields. `neighbours`: for each
    cell the cells next to it, where groups are shown. `rays`: for each cell what lies straight
    ahead, the nearest first, where sight is. Cells by their place in `Board.names`.
    """
    overlays = of(game)
    cells = range(len(game.board.names))
    value: dict[str, Any] = {"shown": [_fields(overlay) for overlay in overlays]}
    if any(isinstance(overlay, Groups) for overlay in overlays):
        value["neighbours"] = [list(game.board.neighbours(cell)) for cell in cells]
    if any(isinstance(overlay, Sight) for overlay in overlays):
        rays = (game.board.rays(cell) for cell in cells)
        value["rays"] = [[list(ray) for ray in of_cell if ray] for of_cell in rays]
    return value


def _fields(overlay: Groups | Sight) -> dict[str, str]:
    if isinstance(overlay, Groups):
        return {"kind": "groups", "codes": overlay.codes}
    return {"kind": "sight", "marker": overlay.marker, "blockers": overlay.blockers}


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is drawn of an overlay, as SVG and in words."""

    below: str
    """Under the pieces: cells and lines of sight, what joins groups."""

    above: str
    """On the pieces: the size of each group, once."""

    words: list[str]
    """A sentence for each group and each view, without its full stop."""


def _shown(overlay: Groups | Sight, game: Game, contents: Sequence[str]) -> _Shown:
    if isinstance(overlay, Groups):
        return _groups_shown(overlay, game, contents)
    return _sight_shown(overlay, game, contents)


def _groups_shown(overlay: Groups, game: Game, contents: Sequence[str]) -> _Shown:
    centres, pieces, names = places(game), pieces_of(game), game.board.names
    bars: dict[str, str] = {}
    above, words = "", []
    for group in groups(overlay, game.board, contents):
        code = contents[group[0]][-1]
        ends = (
            (centres[cell], centres[other])
            for cell in group
            for other in game.board.neighbours(cell)
            if cell < other and other in group
        )
        bars[code] = bars.get(code, "") + "".join(drawing.line(*pair) for pair in ends)
        size = drawing.size(str(len(group)), pieces[code].colour)
        above += f"<g {_move(centres[middle(group, centres)])}>{size}</g>"
        if len(group) > 1:
            cells = " ".join(names[cell] for cell in group)
            words.append(f"Group of {len(group)}, {pieces[code].name}: {cells}")
    joined = (drawing.links(path, pieces[code].colour) for code, path in bars.items() if path)
    return _Shown("".join(joined), above, words)


def _sight_shown(overlay: Sight, game: Game, contents: Sequence[str]) -> _Shown:
    centres, names = places(game), game.board.names
    marker_name = pieces_of(game)[overlay.marker].name
    below, words = "", []
    for marker, rays in sight(overlay, game.board, contents).items():
        seen = sorted(cell for ray in rays for cell in ray)
        below += drawing.seen(drawing.cells(game.board.shape, (centres[cell] for cell in seen)))
        for ray in rays:
            below += drawing.sight(*drawing.view(centres[marker], centres[ray[-1]]))
        words.append(f"The {marker_name} sees {' '.join(names[at] for at in seen) or 'nothing'}")
    return _Shown(below, "", words)


def middle(group: Cells, centres: Sequence[Point]) -> int:
    """Return the cell of a group that is nearest to the middle of it, the first of several."""
    x, y = (sum(centres[cell][axis] for cell in group) / len(group) for axis in (0, 1))
    # Whole units: cells that are equally far must be so in any arithmetic.
    return min(
        group, key=lambda cell: round((centres[cell][0] - x) ** 2 + (centres[cell][1] - y) ** 2)
    )


def places(game: Game) -> list[Point]:
    """Return where the cells lie in a drawing, in the order of `Board.names`."""
    return [placed(centre) for centre in game.board.centres]


PLATE: Final = "#4a3b2c"
CELL: Final = "#e9dcc1"
EDGE: Final = "#b59f76"
LABEL: Final = "#f6ecd8"
FAINT: Final = "#6a5a3d"
"""Names inside cells; 4.9:1 on CELL."""

_MARGIN: Final = 46
"""From the outer cells' edges to the end of the plate; holds the labels."""

_NAME_STYLE: Final = (24, FAINT, 400)
"""Size, colour and weight of names in cells."""

_NAME: Final = re.compile(r"([a-z]+)([0-9]+)")


def svg(
    position: Position,
    *,
    title: str = "",
    highlight: Collection[str] = (),
    last: Collection[str] = (),
    legal: bool = False,
    aids: bool = False,
) -> str:
    """Return `position` as one SVG element that needs nothing else.

    `title` is its accessible name, the game's title if empty; a description lists the pieces. The
    cells named in `highlight` decided: a line goes round them and the others are dimmed. Those in
    `last` have brackets. Names that are not on the board are passed over. `legal` puts dots where
    pieces may be placed, `aids` shows the game's overlays.
    """
    game = position.game
    contents = position.contents()
    attributes = f'viewBox="{view_box(game.board)}" role="img" {drawing.INHERITED}'
    shown = [_shown(overlay, game, contents) for overlay in of(game)] if aids else []
    sentences = _sentences(position, shown, legal=legal)
    parts = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {attributes}>',
        f"<title>{escape(title or game.title)}</title>",
        f"<desc>{escape('. '.join(sentences))}.</desc>",
        ground(game.board),
        *(one.below for one in shown),
        *_stacks(game, contents),
        *_decided(game.board, highlight),
        *_moved(game.board, last),
        *(one.above for one in shown),
        *(_dots(position) if legal else ()),
        "</svg>",
    )
    return "".join(parts)


def _stacks(game: Game, contents: Sequence[str]) -> Iterable[str]:
    pieces = pieces_of(game)
    for name, centre, content in zip(game.board.names, game.board.centres, contents, strict=True):
        if content:
            title = f"{name}: {piece_words(content, pieces)}"
            drawn = drawing.stack(content, pieces, game.board.shape)
            yield f"<g {_move(placed(centre))}><title>{escape(title)}</title>{drawn}</g>"


def _decided(board: Board, names: Collection[str]) -> Iterable[str]:
    inside = _centres(board, names)
    if inside:
        others = _centres(board, set(board.names).difference(names))
        yield drawing.veil(drawing.cells(board.shape, others), PLATE)
        yield drawing.deciding(drawing.contour(board.shape, inside))


def _moved(board: Board, names: Collection[str]) -> Iterable[str]:
    for centre in _centres(board, names):
        yield f"<g {_move(centre)}>{drawing.moved(board.shape)}</g>"


def _centres(board: Board, names: Collection[str]) -> list[Point]:
    cells = zip(board.names, board.centres, strict=True)
    return [placed(centre) for name, centre in cells if name in names]


def _dots(position: Position) -> Iterable[str]:
    """Yield a dot for each cell where a piece may be placed, in the colours that may be."""
    pieces = pieces_of(position.game)
    centres = places(position.game)
    contents = position.contents()
    for cell, codes in choices(position).dots.items():
        x, y = drawing.dot_place(occupied=bool(contents[cell]))
        parts = zip(codes, drawing.sectors(len(codes)), strict=True)
        drawn = "".join(drawing.dot(path, pieces[code].colour) for code, path in parts)
        halo = "" if contents[cell] else drawing.halo(CELL)
        yield f"<g {_move((centres[cell][0] + x, centres[cell][1] + y))}>{halo}{drawn}</g>"


def _move(centre: Point) -> str:
    return f'transform="translate({number(centre[0])} {number(centre[1])})"'


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


def _sentences(position: Position, shown: Iterable[_Shown], *, legal: bool) -> list[str]:
    """Return in words what lies where, who moves or has won, and what else is drawn."""
    game = position.game
    pieces = pieces_of(game)
    contents = position.contents()
    lying = [
        f"{name} {piece_words(content, pieces)}"
        for name, content in zip(game.board.names, contents, strict=True)
        if content
    ]
    sentences = [", ".join(lying) or "Empty board", _state(position)]
    sentences += [words for one in shown for words in one.words]
    if legal:
        sentences.append(f"Legal moves: {' '.join(position.legal_moves()) or 'none'}")
    return sentences


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
    return " ".join(map(number, extent))


def ground(board: Board) -> str:
    """Return the empty board: plate, labels, cells, and names in cells where it has them."""
    centres = list(map(placed, board.centres))
    names = zip(board.names, centres, strict=True)
    return (
        f"{plate(board)}{cell(drawing.cells(board.shape, centres))}"
        f"{drawing.texts(names, *_NAME_STYLE) if has_names_inside(board) else ''}"
    )


def plate(board: Board) -> str:
    """Return what shows round the cells: the plate and the labels on it."""
    rim = drawing.contour(board.shape, list(map(placed, board.centres)))
    labels = [label for half in (1, 2) for label in _rim_labels(board, half) or ()]
    return (
        f'<path d="{rim}" stroke="{PLATE}" stroke-width="{2 * _MARGIN}"/>'
        f"{drawing.texts(labels, 30, LABEL)}"
    )


def cell(path: str) -> str:
    """Return empty cells along `path`."""
    return f'<path d="{path}" fill="{CELL}" stroke="{EDGE}" stroke-width="3"/>'


def name(words: str) -> str:
    """Return the name of a cell, which stands in it."""
    return drawing.texts([(words, (0.0, 0.0))], *_NAME_STYLE)


def has_names_inside(board: Board) -> bool:
    """Return whether labels round the board do not name the cells, as the digits on hexagons."""
    return any(_rim_labels(board, half) is None for half in (1, 2))


def _rim_labels(board: Board, half: int) -> list[tuple[str, Point]] | None:
    """Return the labels for one half of the cells' names, letters or digits.

    Each half labels the lines of cells that share it: at their left if they are rows, below if
    they are columns. None where they are neither.
    """
    matches = [_NAME.fullmatch(name) for name in board.names]
    keyed = [
        (match[half] if match else "", placed(centre))
        for match, centre in zip(matches, board.centres, strict=True)
    ]
    lines = _lines(keyed)
    place = _label_place(lines.values(), board)
    return None if place is None else [(word, place(cells)) for word, cells in lines.items()]


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
