"""A position as rows of text that people read, from what the game says lies on its cells."""

from __future__ import annotations

from itertools import groupby

from lath.games.core import Position

EMPTY = "."


def diagram(position: Position) -> str:
    """Return the board, the top row first, with the names of rows and columns.

    Squares have numbers at the left and letters below; hexagons a letter at the left of each row,
    whose cells are numbered from 1.
    """
    board = position.game.board
    contents = [content or EMPTY for content in position.contents()]
    unit = max(map(len, contents)) + 1
    unit += unit % 2 if board.shape == "hexagon" else 0
    cells = sorted(zip(board.centres, board.names, contents, strict=True), key=_down_then_right)
    lines = []
    for _, row in groupby(cells, key=lambda cell: round(cell[0][1], 3)):
        line = ""
        label = ""
        for (x, _), name, content in row:
            line = line.ljust(round(x * unit)) + content
            label = name[0] if board.shape == "hexagon" else name[1:]
        lines.append(f"{label}  {line}")
    if board.shape == "square":
        letters = sorted({name[0] for name in board.names})
        lines.append("   " + "".join(letter.ljust(unit) for letter in letters).rstrip())
    return "\n".join(lines)


def _down_then_right(cell: tuple[tuple[float, float], str, str]) -> tuple[float, float]:
    (x, y), _, _ = cell
    return round(y, 3), x
