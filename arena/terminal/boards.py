"""Draw a position in the terminal: with coloured cells, or as plain text without colour.

A cell is three columns wide and one and a half lines high, which looks almost square. The half line
below it separates it from the next row.
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
from lath.games.drawing.rim import rim
from lath.games.drawing.shapes import CELL, FAINT, LABEL, LOSING, ink
from lath.notation.text.writer import diagram, joined

if TYPE_CHECKING:
    from lath.games.board import Board
    from lath.games.core import Piece, Position

PLATE: Final = "#005f5f"
"""The background; also among the 256 colours, and there unlike each colour of a piece."""

MARK: Final = "#ffd60a"
"""The colour of brackets at the last move, and of bars below winning cells."""

_LINES: Final = {"-": "─", "|": "│", "/": "╱", "\\": "╲"}
"""The lines between neighbouring points, by their sign in plain text."""

_UNIT: Final = 4
"""Columns from one cell to the next: three for the cell and one for the gap."""

_MARGIN: Final = 4
"""Columns for labels at the left and at the right."""


def drawing(position: Position, *, last: Collection[str] = ()) -> str:
    """Return the board as lines for standard output.

    A wide enough terminal with 256 colours gets colours, brackets around the cells in `last` and
    bars below the deciding cells. Other outputs get the text of `lath.notation.text.writer`.
    """
    console = Console(file=unfiltered(sys.stdout), highlight=False)
    speaks_unicode = (console.encoding or "").lower().startswith("utf")
    # The look of 16 colours depends on the terminal, and several pieces would share one.
    has_colours = console.color_system in ("256", "truecolor") and not console.no_color
    shows_colour = console.is_terminal and has_colours and speaks_unicode
    if not shows_colour or console.width < _width(position.game.board):
        return diagram(position)
    with console.capture() as capture:
        console.print(coloured(position, last=last), end="", crop=False)
    return capture.get()


def coloured(position: Position, *, last: Collection[str] = ()) -> Text:
    """Return the board in colour; letters stay, so that colour is never the only information."""
    board, outcome = position.game.board, position.outcome()
    decided = outcome.cells if outcome else ()
    bar = LOSING if outcome and outcome.is_loss else MARK
    has_names_below = bool(rim(board).columns) and not rim(board).is_above
    canvas = _Canvas(_width(board), 2 * len(board.rows) + 1 + has_names_below)
    places, pieces = _places(board), {piece.code: piece for piece in position.game.pieces}
    if board.shape == "point":
        middles = [(line, column + 1) for column, line in places]
        for (line, column), sign in joined(board, middles).items():
            canvas.put(column, line, _LINES[sign], LABEL, PLATE)
    for name, content, (column, line) in zip(board.names, position.contents(), places, strict=True):
        stack = [pieces[code] for code in content]
        below = bar if name in decided else PLATE
        if board.shape == "point":
            _draw_point(canvas, column, line, stack, below=below)
        else:
            _draw_cell(canvas, column, line, stack, below=below)
        if not content and not rim(board).is_complete:
            is_cell = board.shape != "point"
            word, look = (name[1:], (FAINT, CELL)) if is_cell else (name, (LABEL, PLATE))
            canvas.put(column + 1, line, word, *look)
        if name in last:
            canvas.bracket(column, line)
    _draw_labels(canvas, board)
    return canvas.text()


def _width(board: Board) -> int:
    return 2 * _MARGIN + _UNIT * (round(max(x for x, _ in board.centres)) + 1) - 1


def _places(board: Board) -> list[tuple[int, int]]:
    """Return the column and the line of each cell, in the order of the board's names."""
    heights = sorted({round(y, 3) for _, y in board.centres})
    return [
        (_MARGIN + round(x * _UNIT), 1 + 2 * heights.index(round(y, 3))) for x, y in board.centres
    ]


class _Canvas:
    """A grid of coloured characters on the background."""

    def __init__(self, width: int, height: int) -> None:
        self._rows = [[(" ", LABEL, PLATE)] * width for _ in range(height)]

    def put(self, column: int, line: int, text: str, colour: str, ground: str) -> None:
        for at, letter in enumerate(text, column):
            self._rows[line][at] = (letter, colour, ground)

    def bracket(self, column: int, line: int) -> None:
        """Draw brackets beside a cell, or a bar between two marked cells."""
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
    """Draw a cell, the colour `below` it, and its pieces from the bottom up."""
    ground = CELL
    if stack and (len(stack) > 1 or stack[0].shape in ("tile", "block")):
        ground = stack[0].colour
    canvas.put(column, line, "   ", LABEL, ground)
    canvas.put(column, line + 1, "▀▀▀", ground, below)
    if len(stack) != 1:  # lower pieces at the left, the top piece over the rest
        for at, piece in enumerate(stack[:3]):
            canvas.put(column + at, line, piece.code.ljust(3 - at), ink(piece.colour), piece.colour)
        return
    [piece] = stack
    canvas.put(column + 1, line, piece.code, ink(piece.colour), piece.colour)
    if piece.shape in ("disc", "marker"):
        canvas.put(column, line, "▟", piece.colour, ground)
        canvas.put(column + 2, line, "▙", piece.colour, ground)
        canvas.put(column + 1, line + 1, "▀", piece.colour, below)


def _draw_point(
    canvas: _Canvas, column: int, line: int, stack: Sequence[Piece], *, below: str
) -> None:
    """Draw a free point between its lines: a dot, or its pieces with the lines beside them."""
    if not stack:
        canvas.put(column + 1, line, "•", LABEL, PLATE)
    for at, piece in enumerate(stack[:3] if len(stack) > 1 else ()):
        canvas.put(column + at, line, piece.code.ljust(3 - at), ink(piece.colour), piece.colour)
    if len(stack) == 1:
        [piece] = stack
        canvas.put(column, line, f" {piece.code} ", ink(piece.colour), piece.colour)
    if below != PLATE:
        canvas.put(column, line + 1, "▀▀▀", below, PLATE)


def _draw_labels(canvas: _Canvas, board: Board) -> None:
    """Label the rows at the left, and the columns below or above."""
    places, labels = _places(board), rim(board)
    for word, cell in labels.columns:
        column, line = places[cell]
        lowest = max(line for _, line in places) if board.shape == "point" else line
        canvas.put(column + 1, 0 if labels.is_above else lowest + 2, word, LABEL, PLATE)
    for word, cell in labels.rows:
        column, line = places[cell]
        left = _MARGIN if board.shape == "point" else column
        canvas.put(left - 1 - len(word) - 1, line, word, LABEL, PLATE)
