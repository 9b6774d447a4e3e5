"""A check of pictures of boards: the colours in the middle of cells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lath.games.core import Position
from lath.games.drawing.board import places, svg
from lath.games.drawing.shapes import CELL, channels

if TYPE_CHECKING:
    from PIL.Image import Image


def differing_cells(image: Image, position: Position) -> list[str]:
    """Return the cells that do not show their content, for games with plain discs.

    Cells with names in them are examined next to the names.
    """
    game = position.game
    found = re.search(r'viewBox="([^"]+)"', svg(position))
    assert found is not None
    left, top, width, _ = map(float, found[1].split())
    scale, shown = image.width / width, image.convert("RGB")
    colours = {piece.code: piece.colour for piece in game.pieces}
    wrong = []
    for name, (x, y), content in zip(
        game.board.names, places(game), position.contents(), strict=True
    ):
        seen = shown.getpixel((round((x - left) * scale), round((y - 15 - top) * scale)))
        expected = channels(colours[content[-1]] if content else CELL)
        assert isinstance(seen, tuple)
        if max(abs(one - other) for one, other in zip(seen, expected, strict=True)) > 6:
            wrong.append(name)
    return wrong
