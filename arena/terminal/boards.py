"""A position drawn in the terminal: tiles in colour, and plain text where there is no colour.

A cell is three columns wide and one and a half lines high, which is as square as characters are;
the half line below it is the gap to the next row.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.style import Style
from rich.text import Text

from lath.arena.terminal.streams import unfiltered
from lath.games.drawing.shapes import CELL, FAINT, LABEL, LOSING, ink
from lath.notation.text.writer import diagram

if TYPE_CHECKING:
    from lath.games.board import Board
    from lath.games.core import Piece, Position

PLATE: Final = "#005f5f"
"""One of the 256 colours, too; no piece is like it, not even where those stand for the pieces'."""

MARK: Final = "#ffd60a"
"""Brackets round the last move, and bars below the cells that won; where they lost, LOSING."""

_UNIT: Final = 4
"""Columns from one cell to its neighbour: three of the cell, one of the gap."""

_MARGIN: Final = 4
"""Columns left and right of the cells, for the labels."""


def drawing(position: Position, *, last: Collection[str] = ()) -> str:
    """Return the board as lines for standard output.

    In colour where that is a terminal that shows it and is wide enough, with brackets round the
    cells in `last` and bars below those that decided; elsewhere as `lath.notation.text.writer`
    does.
    """
    console = Console(file=unfiltered(sys.stdout), highlight=False)
    speaks_unicode = (console.encoding or "").lower().startswith("utf")
    # Of 16 colours nobody knows how they look, and several pieces would have the same.
    has_colours = console.color_system in ("256", "truecolor") and not console.no_color
    shows_colour = console.is_terminal and has_colours and speaks_unicode
    if not shows_colour or console.width < _width(position.game.board):
        return diagram(position)
    with console.capture() as capture:
        console.print(coloured(position, last=last), end="", crop=False)
    return capture.get()


def coloured(position: Position, *, last: Collection[str] = ()) -> Text:
    """Return the board in colour: letters stay, so that nothing is said by colour alone."""
    board, outcome = position.game.board, position.outcome()
    decided = outcome.cells if outcome else ()
    bar = LOSING if outcome and outcome.is_loss else MARK
    has_names_below = board.shape == "square"
    canvas = _Canvas(_width(board), 2 * len(board.rows) + 1 + has_names_below)
    pieces = {piece.code: piece for piece in position.game.pieces}
    for name, content, (column, line) in zip(
        board.names, position.contents(), _places(board), strict=True
    ):
        stack = [pieces[code] for code in content]
        _draw_cell(canvas, column, line, stack, below=bar if name in decided else PLATE)
        if not content and board.shape == "hexagon":
            canvas.put(column + 1, line, name[1:], FAINT, CELL)
        if name in last:
            canvas.bracket(column, line)
    _draw_labels(canvas, board)
    return canvas.text()


def _width(board: Board) -> int:
    return 2 * _MARGIN + _UNIT * (round(max(x for x, _ in board.centres)) + 1) - 1


def _places(board: Board) -> list[tuple[int, int]]:
    """Return the column and line of each cell, in the order of the board's names."""
    heights = sorted({round(y, 3) for _, y in board.centres})
    return [
        (_MARGIN + round(x * _UNIT), 1 + 2 * heights.index(round(y, 3))) for x, y in board.centres
    ]


class _Canvas:
    """Characters with their colours, on the plate."""

    def __init__(self, width: int, height: int) -> None:
        self._rows = [[(" ", LABEL, PLATE)] * width for _ in range(height)]

    def put(self, column: int, line: int, text: str, colour: str, ground: str) -> None:
        for at, letter in enumerate(text, column):
            self._rows[line][at] = (letter, colour, ground)

    def bracket(self, column: int, line: int) -> None:
        """Put brackets into the gaps beside a cell; a bar where two share one."""
        row = self._rows[line]
        self.put(column - 1, line, "|" if row[column - 1][0] == "]" else "[", MARK, PLATE)
        self.put(column + 3, line, "|" if row[column + 3][0] == "[" else "]", MARK, PLATE)

    def text(self) -> Text:
        text = Text(no_wrap=True)
        for number, row in enumerate(self._rows):
            text.append("\n" if number else "")
            for (colour, ground), run in groupby(row, key=itemgetter(1, 2)):
                style = Style(color=colour, bgcolor=ground)
                text.append("".join(letter for letter, *_ in run), style)
        return text


def _draw_cell(
    canvas: _Canvas, column: int, line: int, stack: Sequence[Piece], *, below: str
) -> None:
    """Draw a cell: its ground, the colour `below` it, then what lies on it from the bottom up."""
    ground = CELL
    if stack and (len(stack) > 1 or stack[0].shape in ("tile", "block")):
        ground = stack[0].colour
    canvas.put(column, line, "   ", LABEL, ground)
    canvas.put(column, line + 1, "▀▀▀", ground, below)
    if len(stack) != 1:  # the lowest pieces at the left, the one on top over the rest
        for at, piece in enumerate(stack[:3]):
            canvas.put(column + at, line, piece.code.ljust(3 - at), ink(piece.colour), piece.colour)
        return
    [piece] = stack
    canvas.put(column + 1, line, piece.code, ink(piece.colour), piece.colour)
    if piece.shape in ("disc", "marker"):
        canvas.put(column, line, "▟", piece.colour, ground)
        canvas.put(column + 2, line, "▙", piece.colour, ground)
        canvas.put(column + 1, line + 1, "▀", piece.colour, below)


def _draw_labels(canvas: _Canvas, board: Board) -> None:
    """Name rows at their left; columns below, where cells of a letter are one."""
    starts: dict[int, tuple[int, str]] = {}
    for name, (column, line) in zip(board.names, _places(board), strict=True):
        starts[line] = min(starts.get(line, (column, name)), (column, name))
        if board.shape == "square" and name[1:] == "1":
            canvas.put(column + 1, line + 2, name[0], LABEL, PLATE)
    for line, (column, name) in starts.items():
        label = name[0] if board.shape == "hexagon" else name[1:]
        canvas.put(column - 1 - len(label) - 1, line, label, LABEL, PLATE)
