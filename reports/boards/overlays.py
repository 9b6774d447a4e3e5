"""What games want drawn over a position: for the page as JSON, for an SVG drawn, and in words.

Must not know any game. `lath.games.overlays` works out groups and sight; the page's
`overlays.js` does it there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lath.games.core import Game, Piece
from lath.games.overlays import Cells, Groups, Sight, groups, of, sight
from lath.reports.boards import marks
from lath.reports.boards.drawing import UNIT, Point, number


def to_json(game: Game) -> dict[str, Any]:
    """Return the game's overlays as JSON values, with the geometry that they need and no more.

    `shown`: each overlay by its `kind`, `groups` or `sight`, and its fields. `neighbours`: for each
    cell the cells next to it, where groups are shown. `rays`: for each cell what lies straight
    ahead, the nearest first, where sight is. Cells by their place in `Board.names`.
    """
    overlays = of(game)
    cells = range(len(game.board.names))
    told: dict[str, Any] = {"shown": [_fields(overlay) for overlay in overlays]}
    if any(isinstance(overlay, Groups) for overlay in overlays):
        told["neighbours"] = [list(game.board.neighbours(cell)) for cell in cells]
    if any(isinstance(overlay, Sight) for overlay in overlays):
        rays = (game.board.rays(cell) for cell in cells)
        told["rays"] = [[list(ray) for ray in of_cell if ray] for of_cell in rays]
    return told


def _fields(overlay: Groups | Sight) -> dict[str, str]:
    if isinstance(overlay, Groups):
        return {"kind": "groups", "codes": overlay.codes}
    return {"kind": "sight", "marker": overlay.marker, "blockers": overlay.blockers}


def below(game: Game, contents: Sequence[str]) -> str:
    """Return as SVG what lies under the pieces: cells and lines of sight, what joins groups."""
    return "".join(
        _joined(overlay, game, contents)
        if isinstance(overlay, Groups)
        else _viewed(overlay, game, contents)
        for overlay in of(game)
    )


def _joined(overlay: Groups, game: Game, contents: Sequence[str]) -> str:
    centres = places(game)
    colour = {piece.code: piece.colour for piece in game.pieces}
    bars: dict[str, str] = {}
    for group in groups(overlay, game.board, contents):
        code = contents[group[0]][-1]
        pairs = (
            (cell, other) for cell in group for other in game.board.neighbours(cell) if cell < other
        )
        drawn = (
            marks.line(centres[cell], centres[other]) for cell, other in pairs if other in group
        )
        bars[code] = bars.get(code, "") + "".join(drawn)
    return "".join(marks.links(path, colour[code]) for code, path in bars.items() if path)


def _viewed(overlay: Sight, game: Game, contents: Sequence[str]) -> str:
    centres = places(game)
    drawn = ""
    for marker, rays in sight(overlay, game.board, contents).items():
        cells = sorted(cell for ray in rays for cell in ray)
        drawn += marks.seen(marks.cells(game.board.shape, (centres[cell] for cell in cells)))
        for ray in rays:
            drawn += marks.sight(*marks.view(centres[marker], centres[ray[-1]]))
    return drawn


def above(game: Game, contents: Sequence[str]) -> str:
    """Return as SVG what lies on the pieces: the size of each group, once."""
    centres = places(game)
    colour = {piece.code: piece.colour for piece in game.pieces}
    drawn = ""
    for overlay in of(game):
        if not isinstance(overlay, Groups):
            continue
        for group in groups(overlay, game.board, contents):
            x, y = centres[middle(group, centres)]
            words = marks.size(str(len(group)), colour[contents[group[0]][-1]])
            drawn += f'<g transform="translate({number(x)} {number(y)})">{words}</g>'
    return drawn


def middle(group: Cells, centres: Sequence[Point]) -> int:
    """Return the cell of a group that is nearest to the middle of it, the first of several."""
    x, y = (sum(centres[cell][axis] for cell in group) / len(group) for axis in (0, 1))
    # Whole units: cells that are equally far must be so in any arithmetic.
    return min(
        group, key=lambda cell: round((centres[cell][0] - x) ** 2 + (centres[cell][1] - y) ** 2)
    )


def places(game: Game) -> list[Point]:
    """Return where the cells lie in a drawing, in the order of `Board.names`."""
    return [(x * UNIT, y * UNIT) for x, y in game.board.centres]


def words(game: Game, contents: Sequence[str]) -> list[str]:
    """Return in words what `below` and `above` show, a sentence each without its full stop."""
    pieces = {piece.code: piece for piece in game.pieces}
    told: list[str] = []
    for overlay in of(game):
        if isinstance(overlay, Groups):
            told += _told_groups(overlay, game, contents, pieces)
        else:
            told += _told_sight(overlay, game, contents, pieces)
    return told


def _told_groups(
    overlay: Groups, game: Game, contents: Sequence[str], pieces: dict[str, Piece]
) -> Iterator[str]:
    names = game.board.names
    for group in groups(overlay, game.board, contents):
        if len(group) > 1:
            name = pieces[contents[group[0]][-1]].name
            cells = " ".join(names[cell] for cell in group)
            yield f"Group of {len(group)}, {name}: {cells}"


def _told_sight(
    overlay: Sight, game: Game, contents: Sequence[str], pieces: dict[str, Piece]
) -> Iterator[str]:
    names = game.board.names
    for rays in sight(overlay, game.board, contents).values():
        seen = sorted(cell for ray in rays for cell in ray)
        cells = " ".join(names[cell] for cell in seen) or "nothing"
        yield f"The {pieces[overlay.marker].name} sees {cells}"
