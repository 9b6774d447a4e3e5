"""Boards in plain Python: cells at points of a plane, lines, groups, rows of text.

Must not know the `games` package, whose results it checks, nor any game.
"""

from __future__ import annotations

from collections.abc import Mapping

Cell = str
"""A cell's name."""


class Grid:
    """Cells at points of a plane; a step leads from one cell to a neighbour."""

    def __init__(
        self,
        rows: list[list[Cell]],
        place: dict[Cell, tuple[int, int]],
        steps: list[tuple[int, int]],
    ) -> None:
        self.rows = rows
        """The rows from the top, each from the left."""
        self.cells = sorted(place, key=letter_then_number)
        self.steps = steps
        """A step per direction of lines, without the opposite ones."""
        self.place = place
        self.cell_at = {there: cell for cell, there in place.items()}

    def run(self, cell: Cell, step: tuple[int, int]) -> list[Cell]:
        """Return the cells from `cell` (left out) to the edge."""
        found = []
        x, y = self.place[cell]
        while (x + step[0], y + step[1]) in self.cell_at:
            x, y = x + step[0], y + step[1]
            found.append(self.cell_at[x, y])
        return found

    def lines(self, length: int) -> list[list[Cell]]:
        """Return all lines of exactly `length` cells."""
        found = []
        for cell in self.cells:
            for step in self.steps:
                line = [cell, *self.run(cell, step)[: length - 1]]
                if len(line) == length:
                    found.append(line)
        return found

    def group(self, cell: Cell, members: set[Cell]) -> set[Cell]:
        """Return the cells of `members` that are connected with `cell`."""
        group = {cell}
        to_visit = [cell]
        while to_visit:
            x, y = self.place[to_visit.pop()]
            for dx, dy in self.steps:
                for there in ((x + dx, y + dy), (x - dx, y - dy)):
                    near = self.cell_at.get(there)
                    if near in members and near is not None and near not in group:
                        group.add(near)
                        to_visit.append(near)
        return group

    def text(self, letter_at: Mapping[Cell, str]) -> str:
        """Return the rows as characters, with numbers of empty cells."""
        return "/".join(self._row_text(row, letter_at) for row in self.rows)

    @staticmethod
    def _row_text(row: list[Cell], letter_at: Mapping[Cell, str]) -> str:
        text = ""
        empty = 0
        for cell in row:
            if cell not in letter_at:
                empty += 1
                continue
            text += (str(empty) if empty else "") + letter_at[cell]
            empty = 0
        return text + (str(empty) if empty else "")


def letter_then_number(cell: Cell) -> tuple[str, int]:
    """Return the sort key of a cell."""
    return cell[0], int(cell[1:])


def squares(size: int) -> Grid:
    """Return a board of squares, `a1` bottom left, letters for columns."""
    rows = [[f"{x}{y}" for x in "abcdefgh"[:size]] for y in range(size, 0, -1)]
    place = {cell: (ord(cell[0]), int(cell[1:])) for row in rows for cell in row}
    return Grid(rows, place, [(0, 1), (1, 0), (1, 1), (1, -1)])


def hexagon(lengths: list[int]) -> Grid:
    """Return a board of hexagons; `lengths` from the bottom up, every row centred on the others.

    One cell to the right is two units, so a cell of the next row is one unit to either side.
    """
    rows = [[f"{chr(ord('a') + y)}{k}" for k in range(1, n + 1)] for y, n in enumerate(lengths)]
    place = {
        cell: (2 * k - len(row), y) for y, row in enumerate(rows) for k, cell in enumerate(row)
    }
    return Grid(rows[::-1], place, [(2, 0), (1, 1), (-1, 1)])
