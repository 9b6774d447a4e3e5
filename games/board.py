"""Boards of squares and hexagons, with sets of cells as the bits of an int.

Bits rise in the order of the cells' names (by letter, then number). A gap after each letter keeps a
shift from moving a cell around an edge.
"""

from __future__ import annotations

import re
from cmath import rect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, reduce
from itertools import accumulate, groupby, product, repeat, takewhile
from math import cos, radians, sin, tau
from operator import itemgetter, or_
from typing import Final, Literal, TypeVar

from lath.games.errors import GameError, PositionError, count_of

Shape = Literal["square", "hexagon", "point"]

T = TypeVar("T")

_CHUNK: Final = 8
"""The number of bits that one table look-up converts."""

_BYTE: Final = (1 << _CHUNK) - 1

_NOWHERE: Final = 255
"""The place of a gap between cells, which lies beyond the end of the text of a small board."""

_ROW_WORD: Final = re.compile(r"[0-9]+|.", re.DOTALL)

_MOST: Final = 26
"""The most columns or rows of a board, because each has a letter from a to z."""

Step = tuple[int, int]
"""A number of letters and of places, as in `Board.grid`."""


class Isometry:
    """A rotation or reflection of a board onto itself."""

    def __init__(self, board: Board, cells: Mapping[str, str]) -> None:
        self.cells: Final = cells
        """The image of each cell, by name."""
        self._bit: Final = board.bit
        self._bytes: Final = -(-board.full.bit_length() // _CHUNK)

    def mask(self, mask: int) -> int:
        """Return the image of a set of cells."""
        return sum(map(list.__getitem__, self._moved, mask.to_bytes(self._bytes, "little")))

    @cached_property
    def _moved(self) -> list[list[int]]:
        """The images of the cells of each byte of a mask, by the byte's place and its value."""
        moved = {bit: self._bit[self.cells[name]] for name, bit in self._bit.items()}
        tables = []
        for place in range(0, self._bytes * _CHUNK, _CHUNK):
            table = [0]
            for index in range(place, place + _CHUNK):
                cell = moved.get(1 << index, 0)  # bits without a cell have no image
                table += [others | cell for others in table]
            tables.append(table)
        return tables


class _Known(dict[int, tuple[T, ...]]):
    """A value for each cell of a mask, cached for every group of eight bits."""

    def __init__(self, of_cells: Mapping[int, T]) -> None:
        self._of_cells = of_cells

    def __missing__(self, part: int) -> tuple[T, ...]:
        self[part] = found = tuple(map(self._of_cells.__getitem__, Board.bits(part)))
        return found

    def of(self, mask: int) -> list[T]:
        """Return the values of the cells of `mask`, in canonical order."""
        found: list[T] = []
        byte = _BYTE
        while mask:
            if part := mask & byte:
                found += self[part]
                mask ^= part
            byte <<= _CHUNK
        return found


class Board:
    """The cells of one board. A function makes it: `squares`, `hexagon_of`, `rhombus` and so on."""

    def __init__(
        self,
        shape: Shape,
        places: Mapping[str, tuple[int, tuple[float, float]]],
        directions: tuple[int, ...],
        *,
        stride: int,
        facing: Sequence[int],
        steps: tuple[Step, Step] = ((1, 0), (0, -1)),
    ) -> None:
        self.shape: Final[Shape] = shape
        self.names: Final = tuple(places)
        """Cell names in canonical order."""
        self.bit: Final = {name: 1 << index for name, (index, _) in places.items()}
        """The bit of each cell by its name."""
        self.name: Final = {bit: name for name, bit in self.bit.items()}
        """The name of each cell by its bit."""
        self.full: Final = sum(self.bit.values())
        """All cells."""
        self.centres: Final = tuple(centre for _, centre in places.values())
        """The centre of each cell in the order of `names`: x to the right, y downwards. The unit is
        the distance between neighbours."""
        self.stride: Final = stride
        """The shift from a cell to its neighbour at the next letter; to the next number it is 1."""
        self.apart: Final = self.full.bit_length() + 3 * max(directions, default=0)
        """A shift that places a second set of cells beside a first one, too far for any line."""
        self.directions: Final = directions
        """The shifts to neighbours with a higher bit: four or two on squares, three on hexagons,
        none on free points, where shifts do not lead to neighbours."""
        self.steps: Final = steps
        """The steps in `grid` to the cell at the right, and to the cell below. On hexagons, the
        cell below is half a cell further to the right."""
        self.facing: Final = facing
        """The way that each of `sides` faces, in degrees clockwise from the top."""
        from_the_top = sorted((y, x, 1 << index) for index, (x, y) in places.values())
        self.rows: Final = tuple(
            tuple(bit for _, _, bit in row) for _, row in groupby(from_the_top, itemgetter(0))
        )
        """The cells as position texts list them: rows from the top, each from the left."""
        longest = max(map(len, self.rows))
        self._blanks: Final = [(" " * count, str(count)) for count in range(longest, 0, -1)]
        cells_and_ends = [bit for row in self.rows for bit in (*row, 0)][:-1]
        self._empty_rows: Final = [" " if bit else "/" for bit in cells_and_ends]
        self._place_in_rows: Final = {bit: i for i, bit in enumerate(cells_and_ends) if bit}
        places_in_rows = [
            self._place_in_rows.get(1 << index, _NOWHERE)
            for index in reversed(range(self.full.bit_length()))
        ]
        is_small = len(cells_and_ends) <= _NOWHERE
        self._places_from_the_top_bit: Final = bytes(places_in_rows if is_small else ())
        self._places_of_ends: Final = bytes(
            [i for i, bit in enumerate(cells_and_ends) if is_small and not bit]
        )
        self.names_in: Final = _Known(self.name).of
        """The function that returns the names of the cells of a mask, in canonical order."""
        self.places_in: Final = _Known({bit: place for place, bit in enumerate(self.name)}).of
        """The function that returns the places in `names` of the cells of a mask, in order."""

    @cached_property
    def sides(self) -> tuple[int, ...]:
        """The cells of each straight side, clockwise from the top; corners belong to two sides.

        Squares and a rhombus have 4 sides: top, right, bottom, left. A hexagon has 6. A triangle
        has 3: right, bottom, left. Free points have none.
        """
        found = []
        for angle in map(radians, self.facing):
            heights = [round(x * sin(angle) - y * cos(angle), 3) for x, y in self.centres]
            cells = zip(self.name, heights, strict=True)
            found.append(sum(bit for bit, height in cells if height == max(heights)))
        return tuple(found)

    @cached_property
    def grid(self) -> tuple[tuple[int, int], ...]:
        """The two coordinates of each cell in an array, from 0, in the order of `names`.

        The first number is the cell's letter, the second its place along that letter. Neighbouring
        squares differ by 1 in one number. Neighbouring hexagons differ by 1 in one number, or by
        the same 1 in both; on a rhombus, both differ by 1 in opposite directions. The numbers of
        free points only follow from their names.

        >>> dict(zip(hexagon((2, 3, 2)).names, hexagon((2, 3, 2)).grid))["c1"]
        (2, 1)
        """
        return tuple(divmod(bit.bit_length() - 1, self.stride) for bit in self.bit.values())

    @cached_property
    def turns(self) -> tuple[tuple[int, int, int, int], ...]:
        """Every rotation and reflection of an unbounded grid: 8 for squares, 12 for hexagons.

        Each is `a, b, c, d`: a step of `x` letters and `y` places of `grid` becomes a step of `a *
        x + b * y` letters and `c * x + d * y` places. The first is the identity.
        """
        ahead = [divmod(step + 1, self.stride) for step in self.directions]
        steps = {(sign * x, sign * (y - 1)) for x, y in ahead for sign in (1, -1)}
        found = [
            (a, b, c, d)
            for a, b, c, d in product((1, 0, -1), repeat=4)
            if {(a * x + b * y, c * x + d * y) for x, y in steps} == steps
        ]
        return tuple(sorted(found, key=(1, 0, 0, 1).__ne__))

    @staticmethod
    def bits(mask: int) -> Iterator[int]:
        """Yield the cells of `mask` one by one, in canonical order."""
        while mask:
            bit = mask & -mask
            yield bit
            mask ^= bit

    @cached_property
    def isometries(self) -> tuple[Isometry, ...]:
        """Every rotation and reflection that maps the board onto itself; the first is the identity.

        A square board has 8, another rectangle 4, a regular hexagon 12, a rhombus 4 and a triangle
        6. On free points, they also keep neighbours and lines.
        """
        middle = sum(map(complex, *zip(*self.centres, strict=True))) / len(self.centres)

        def place(point: complex) -> tuple[float, float]:
            return round(point.real, 3), round(point.imag, 3)

        points = [complex(*centre) - middle for centre in self.centres]
        # Rounding can separate two equal numbers, so the places next to a point count too.
        beside = (complex(x, y) / 5000 for x, y in product((-1, 1), repeat=2))
        names = {
            place(point + by): name
            for by in beside
            for point, name in zip(points, self.names, strict=True)
        }
        found: dict[tuple[str, ...], Isometry] = {}  # some are equal if all cells are in one line
        for turn, is_mirrored in self._turns_of(points):
            turned = [turn * (point.conjugate() if is_mirrored else point) for point in points]
            cells = tuple(names.get(place(point), "") for point in turned)
            if all(cells) and cells not in found:
                found[cells] = Isometry(self, dict(zip(self.names, cells, strict=True)))
        return tuple(filter(self._is_kept_by, found.values()))

    def _turns_of(self, points: Sequence[complex]) -> Iterable[tuple[complex, bool]]:  # noqa: ARG002 - the same for all cells
        """Return the rotations to try, each without and with a reflection before it."""
        steps = 4 if self.shape == "square" else 6
        turns = [rect(1, tau * step / steps) for step in range(steps)]
        return ((turn, is_mirrored) for is_mirrored in (False, True) for turn in turns)

    def _is_kept_by(self, isometry: Isometry) -> bool:  # noqa: ARG002 - for cells, the centres tell all
        """Return whether an isometry keeps neighbours and lines."""
        return True

    @cache  # noqa: B019 - a board lives as long as the program
    def lines(self, length: int) -> tuple[int, ...]:
        """Return every line of exactly `length` consecutive cells as a mask."""
        runs = (
            [bit << step * i for i in range(length)]
            for step in self.directions
            for bit in self.name
        )
        return tuple(sum(cells) for cells in runs if all(cell in self.name for cell in cells))

    def through(self, shapes: Sequence[int]) -> dict[int, list[int]]:
        """Return the shapes that contain each cell, by the cell's bit."""
        return {bit: [shape for shape in shapes if shape & bit] for bit in self.name}

    @staticmethod
    def finished(shapes: Iterable[int], mask: int) -> list[int]:
        """Return those of `shapes` that lie completely in `mask`."""
        return [shape for shape in shapes if mask & shape == shape]

    def names_of(self, shapes: Iterable[int]) -> tuple[str, ...]:
        """Return the names of the cells of any of `shapes`, in canonical order."""
        return tuple(self.names_in(reduce(or_, shapes, 0)))

    def has_line(self, mask: int, length: int) -> bool:
        """Return whether `mask` has a line of `length` or more cells; `length` must be at least 2.

        `mask` can combine two sets of cells, the second one shifted by `apart`.
        """
        for step in self.directions:
            runs = mask & mask >> step
            known = 2
            while length > 2 * known:
                runs &= runs >> step
                known += 1
            if runs & runs >> step * (length - known):
                return True
        return False

    def completing(self, mask: int, length: int) -> int:
        """Return the cells outside `mask` that would each complete a line in `mask`.

        The line has `length` or more cells; `length` must be at least 2.

        >>> (board := squares(5)).names_in(board.completing(board.bit["a1"] | board.bit["c3"], 3))
        ['b2']
        """
        return self.completing_each(mask, (length,))[0]

    def completing_each(self, mask: int, lengths: tuple[int, ...]) -> list[int]:
        """Return the result of `completing` for each length, faster than one call after the other.

        The lengths must differ.
        """
        found = [0] * len(lengths)
        for steps in self._windows(lengths):
            # the first cells of lines in `mask`, and of lines with at most one cell outside
            whole, near = mask, -1
            for step, place, ways in steps:
                ahead = mask >> step
                near = near & ahead | whole
                if ways and near:
                    cells = near
                    for way in ways:
                        cells |= cells << way
                    found[place] |= cells
                whole &= ahead
        free = self.full & ~mask
        return [cells & free for cells in found]

    @cache  # noqa: B019 - a board lives as long as the program
    def _windows(self, lengths: tuple[int, ...]) -> list[list[tuple[int, int, list[int]]]]:
        """Return the shift to each next cell of a line, for each direction.

        If the line has one of `lengths` with that cell, its place in `lengths` is given. Then come
        shifts that lead from the first cell of the line to all others: each is applied to all cells
        reached before.
        """
        return [
            [
                (
                    step * (count - 1),
                    lengths.index(count) if count in lengths else -1,
                    [step * way for way in _doubling(count)] if count in lengths else [],
                )
                for count in range(2, max(lengths) + 1)
            ]
            for step in self.directions
        ]

    def around(self, mask: int) -> int:
        """Return the cells next to any cell of `mask`, including cells of `mask` that touch."""
        near = 0
        for step in self.directions:
            near |= mask << step | mask >> step
        return near & self.full

    @cache  # noqa: B019 - a board lives as long as the program
    def rays(self, cell: int, *, diagonals: bool = True) -> tuple[tuple[int, ...], ...]:
        """Return the cells from a cell's neighbour to the edge, nearest first, for each direction.

        A tuple is empty at the edge. Squares have eight, or without `diagonals` four: up, down,
        right, left. Hexagons have six, and free points one for each way along a line or edge. Cells
        are given by their place in `names`.
        """
        place = {bit: i for i, bit in enumerate(self.name)}
        ways = self._ways(tuple(self.name)[cell])
        if not diagonals and len(self.directions) == 4:  # the second and fourth are diagonals
            ways = (*ways[:2], *ways[4:6])
        return tuple(tuple(map(place.__getitem__, way)) for way in ways)

    @cache  # noqa: B019 - a board lives as long as the program
    def _ways(self, cell: int) -> tuple[tuple[int, ...], ...]:
        """Return the cells from a cell to the edge in each of `directions` and back, as bits."""
        ways = (
            accumulate(repeat(step), shift, initial=cell)
            for step in self.directions
            for shift in (int.__lshift__, int.__rshift__)
        )
        return tuple(tuple(takewhile(self.name.__contains__, way))[1:] for way in ways)

    def slides(self, cell: int, blocked: int) -> int:
        """Return the cells in line with a cell, up to a blocked cell each; all are masks.

        >>> at = (board := squares(4)).bit
        >>> board.names_in(board.slides(at["a1"], at["c1"] | at["a2"]))
        ['b1', 'b2', 'c3', 'd4']
        """
        found = 0
        for way in self._ways(cell):
            for bit in way:
                if blocked & bit:
                    break
                found |= bit
        return found

    def neighbours(self, cell: int) -> tuple[int, ...]:
        """Return the neighbours of a cell in order; all cells are places in `names`."""
        near = self.around(tuple(self.name)[cell])
        return tuple(i for i, bit in enumerate(self.name) if near & bit)

    def group(self, mask: int, seed: int) -> int:
        """Return the cells of `mask` connected with `seed`, which must be part of `mask`."""
        grown = seed
        frontier = seed
        while frontier:
            frontier = self.around(frontier) & mask & ~grown
            grown |= frontier
        return grown

    def connects(self, mask: int, *ends: int) -> bool:
        """Return whether one group of `mask` has cells of each set of `ends`.

        >>> board = rhombus(3)
        >>> top, right, bottom, left = board.sides
        >>> board.connects(sum(board.bit[name] for name in ("b1", "b2", "a3")), top, bottom)
        True
        """
        first, *others = ends
        left = mask & first
        if len(others) == 1:
            return self.group(mask, left) & others[0] != 0
        while left:
            group = self.group(mask, left & -left)
            if all(group & end for end in others):
                return True
            left &= ~group
        return False

    def groups(self, mask: int) -> Iterator[int]:
        """Yield the connected groups of `mask`."""
        while mask:
            group = self.group(mask, mask & -mask)
            yield group
            mask ^= group

    def format_rows(self, layers: Mapping[str, int]) -> str:
        """Return rows of letters and counts of empty cells, from the top, joined by `/`."""
        letters = self._empty_rows.copy()
        place = self._place_in_rows
        for letter, mask in layers.items():
            left = mask
            while left:  # `bits` would take 50% longer
                bit = left & -left
                letters[place[bit]] = letter
                left ^= bit
        rows = "".join(letters)
        if " " in rows:
            for blanks, count in self._blanks:
                rows = rows.replace(blanks, count)
        return rows

    def contents(self, layers: Iterable[tuple[str, int]]) -> tuple[str, ...]:
        """Return the piece letters on each cell, those of the lowest layer first."""
        cells = [""] * len(self.names)
        for letter, mask in layers:
            for place in self.places_in(mask):
                cells[place] += letter
        return tuple(cells)

    def read_rows(self, text: str, letters: Iterable[str]) -> dict[str, int]:
        """Return the cells that hold each of `letters`. Raises PositionError for invalid text."""
        letters = tuple(letters)
        full = self._read_full_rows(text, letters)
        if full is not None:
            return full
        layers = dict.fromkeys(letters, 0)
        rows = text.split("/")
        if len(rows) != len(self.rows):
            raise PositionError(f"{text!r} has {count_of(len(rows), 'row')}", str(len(self.rows)))
        for number, (row, cells) in enumerate(zip(rows, self.rows, strict=True), 1):
            where = f"row {number} from the top, {row!r},"
            column = 0
            for word in _ROW_WORD.findall(row):
                if word[0] in "123456789":
                    column += int(word[:4])  # longer numbers are too large in any case
                    continue
                if word not in layers:
                    known = f"one of {' '.join(layers)} or a number"
                    raise PositionError(f"{where} has {word!r}", known)
                if column < len(cells):
                    layers[word] |= cells[column]
                column += 1
            if column != len(cells):
                raise PositionError(f"{where} has {count_of(column, 'cell')}", str(len(cells)))
        return layers

    def _read_full_rows(self, text: str, letters: Iterable[str]) -> dict[str, int] | None:
        """Return the result of `read_rows` for a text without numbers; None for any other text."""
        places = self._places_from_the_top_bit
        if len(text) != len(self._empty_rows) or not places or not text.isascii():
            return None
        at = text.encode().ljust(256)
        cells = places.translate(at)  # the byte at each place
        layers = {letter: int(cells.translate(_ones(letter)), 2) for letter in letters}
        if sum(map(int.bit_count, layers.values())) != len(self.names):
            return None
        is_in_rows = self._places_of_ends.translate(at).count(b"/") == len(self.rows) - 1
        return layers if is_in_rows else None


def _doubling(count: int) -> Iterator[int]:
    """Yield steps which together reach `count` cells in a row from the first.

    >>> list(_doubling(7))
    [1, 2, 3]
    """
    reached = 1
    while reached < count:
        yield min(reached, count - reached)
        reached *= 2


@cache
def _ones(letter: str) -> bytes:
    """Return the table with which `bytes.translate` turns this letter into 1 and others into 0."""
    return bytes(b"01"[chr(byte) == letter] for byte in range(256))


def squares(columns: int, rows: int | None = None, *, diagonals: bool = True) -> Board:
    """Return a board of squares; `a1` is bottom left. Default for `rows`: as many as columns.

    Letters are columns: `squares(7, 6)` has the cells `a1` to `g6` in six rows of seven. Without
    `diagonals`, a square has four neighbours, and no line is diagonal.

    >>> board = squares(3, diagonals=False)
    >>> board.names_in(board.around(board.bit["b2"])), len(board.lines(3))
    (['a2', 'b1', 'b3', 'c2'], 6)
    """
    height = _checked(columns, columns if rows is None else rows)
    # With one row, a step up must differ from a step to the next column.
    stride = max(height, 2) + 1
    places = {
        f"{chr(ord('a') + column)}{row + 1}": (
            column * stride + row,
            (float(column), float(height - 1 - row)),
        )
        for column in range(columns)
        for row in range(height)
    }
    directions = (1, stride - 1, stride, stride + 1) if diagonals else (1, stride)
    return Board("square", places, directions, stride=stride, facing=range(0, 360, 90))


def hexagon_of(side: int, other: int | None = None) -> Board:
    """Return a board of hexagons with `side` cells on each side, or `other` on two opposite pairs.

    `hexagon_of(5)` has 61 cells in rows of 5 to 9; `hexagon_of(6, 5)` has 70 in rows of 6 to 10.
    """
    up = range(side, side + (other or side))
    return hexagon((*up, *up[-2::-1]))


def hexagon(row_lengths: Sequence[int]) -> Board:
    """Return a board of hexagons with rows of these lengths; row `a` is the lowest.

    The lengths are from the bottom. Neighbouring rows must differ by one cell: the rows grow up to
    the longest one, then shrink.
    """
    return _hexagons(row_lengths, range(0, 360, 60))


def triangle(side: int) -> Board:
    """Return a triangle of hexagons, as for Y, with `side` cells on each side and a corner on top.

    Letters are rows: `triangle(9)` has the cells `a1` to `a9` in the lowest row, and `i1` on top.
    """
    _checked(side, side, ("rows", "cells in a row"))
    return _hexagons(range(side, 0, -1), (60, 180, 300))


def _hexagons(row_lengths: Sequence[int], facing: Sequence[int]) -> Board:
    widest = _checked(len(row_lengths), max(row_lengths, default=0), ("rows", "cells in a row"))
    middle, stride = row_lengths.index(widest), widest + 1
    if any(widest - length != abs(row - middle) for row, length in enumerate(row_lengths)):
        lengths = ", ".join(map(str, row_lengths))
        raise GameError(f"rows of {lengths} hexagons", "lengths that rise by 1, then fall by 1")
    places = {
        f"{chr(ord('a') + row)}{k + 1}": (
            row * stride + k + max(0, row - middle),
            (k + (widest - length) / 2, (len(row_lengths) - 1 - row) * 3**0.5 / 2),
        )
        for row, length in enumerate(row_lengths)
        for k in range(length)
    }
    steps, directions = ((0, 1), (-1, 0)), (1, stride, stride + 1)
    return Board("hexagon", places, directions, stride=stride, facing=facing, steps=steps)


def rhombus(columns: int, rows: int | None = None) -> Board:
    """Return a rhombus of hexagons, as for Hex. Default for `rows`: as many as columns.

    Letters are columns, and `a1` is top left, as on boards of Hex. Each row begins half a cell
    further to the right than the row above it.
    """
    height = _checked(columns, columns if rows is None else rows)
    stride = max(height, 2) + 1
    places = {
        f"{chr(ord('a') + column)}{row + 1}": (
            column * stride + row,
            (column + row / 2, row * 3**0.5 / 2),
        )
        for column in range(columns)
        for row in range(height)
    }
    steps, directions, facing = ((1, 0), (0, 1)), (1, stride - 1, stride), (0, 60, 180, 240)
    return Board("hexagon", places, directions, stride=stride, facing=facing, steps=steps)


def _checked(letters: int, numbers: int, words: Sequence[str] = ("columns", "rows")) -> int:
    """Return the second count. Raises GameError if a board cannot have so many cells."""
    for count, word in zip((letters, numbers), words, strict=True):
        if not 1 <= count <= _MOST:
            raise GameError(f"a board with {count} {word}", f"1 to {_MOST}")
    return numbers
