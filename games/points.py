"""Boards of free points with given lines and edges, as for Nine Men's Morris or any graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property, reduce
from itertools import chain, combinations, pairwise
from math import dist
from operator import or_
from typing import Final

from lath.games.board import Board, Isometry
from lath.games.errors import GameError, count_of

_NAME: Final = re.compile(r"[a-z][1-9][0-9]?")


class Points(Board):
    """Free points with given lines and edges. Use `points` to make one."""

    def __init__(
        self,
        places: Mapping[str, tuple[int, tuple[float, float]]],
        lines: Sequence[Sequence[str]],
        edges: Sequence[Sequence[str]],
        *,
        stride: int,
    ) -> None:
        super().__init__("point", places, (), stride=stride, facing=())
        self.tracks: Final = [[self.bit[name] for name in line] for line in lines]
        """The points of each given line in order."""
        self._edges: Final = [[self.bit[name] for name in edge] for edge in edges]
        self._near: Final = dict.fromkeys(self.name, 0)
        for one, other in chain(*map(pairwise, self.tracks), self._edges):
            self._near[one] |= other
            self._near[other] |= one

    @cached_property
    def turns(self) -> tuple[tuple[int, int, int, int], ...]:
        """Raises GameError, because free points do not continue as an unbounded grid."""
        raise GameError("a board of free points has no rotations of an unbounded grid")

    def _turns_of(self, points: Sequence[complex]) -> Iterable[tuple[complex, bool]]:
        """Return the turns that bring the outermost point to one that is as far from the middle."""
        far = max(points, key=lambda point: round(abs(point), 3))
        turns = [other / far for other in points if far and abs(abs(other) - abs(far)) < 0.001]
        yield 1, False
        yield from ((turn, False) for turn in turns if abs(turn - 1) > 0.001)
        yield from ((turn * far / far.conjugate(), True) for turn in turns)

    def _is_kept_by(self, isometry: Isometry) -> bool:
        moved = {bit: self.bit[isometry.cells[name]] for name, bit in self.bit.items()}
        are_near = all(
            isometry.mask(near) == self._near[moved[bit]] for bit, near in self._near.items()
        )
        lines = [[moved[bit] for bit in line] for line in self.tracks]
        return are_near and all(line in self.tracks or line[::-1] in self.tracks for line in lines)

    @cache  # noqa: B019 - a board lives as long as the program
    def lines(self, length: int) -> tuple[int, ...]:
        """Return every run of exactly `length` points along a line as a mask."""
        runs = (
            line[at : at + length] for line in self.tracks for at in range(len(line) - length + 1)
        )
        return tuple(dict.fromkeys(map(sum, runs))) if length > 1 else tuple(self.name)

    def has_line(self, mask: int, length: int) -> bool:
        """Return whether `mask` has `length` or more points in a row on a line."""
        other = mask >> self.apart
        return any(mask & line == line or other & line == line for line in self.lines(length))

    def completing_each(self, mask: int, lengths: Sequence[int]) -> list[int]:
        """Return the result of `completing` for each length."""
        found = []
        for length in lengths:
            left = (line & ~mask for line in self.lines(length))
            found.append(reduce(or_, (point for point in left if point & (point - 1) == 0), 0))
        return found

    def around(self, mask: int) -> int:
        """Return the neighbours of any point of `mask`, including points of `mask` that touch."""
        return reduce(or_, map(self._near.__getitem__, self.bits(mask & self.full)), 0)

    @cache  # noqa: B019 - a board lives as long as the program
    def rays(self, cell: int, *, diagonals: bool = True) -> tuple[tuple[int, ...], ...]:  # noqa: ARG002 - all lines count
        """Return the points from a neighbour to the end of the line or edge, each way from a point.

        Points are given by their place in `names`.
        """
        place = {bit: i for i, bit in enumerate(self.name)}
        start = tuple(self.name)[cell]
        ways: list[list[int]] = []
        for line in (*self.tracks, *self._edges):
            if start in line:
                at = line.index(start)
                ways += (way for way in (line[at + 1 :], line[:at][::-1]) if way)
        return tuple(dict.fromkeys(tuple(map(place.__getitem__, way)) for way in ways))

    @cache  # noqa: B019 - a board lives as long as the program
    def _ways(self, cell: int) -> tuple[tuple[int, ...], ...]:
        """Return the points in the order of `rays`, as bits."""
        bits = tuple(self.name)
        return tuple(tuple(map(bits.__getitem__, way)) for way in self.rays(bits.index(cell)))


def points(
    centres: Mapping[str, tuple[float, float]] | str,
    lines: Iterable[Iterable[str] | str],
    edges: Iterable[Iterable[str] | str] = (),
) -> Board:
    """Return a board of free points, as for Nine Men's Morris or any graph.

    - `centres` has the centre of each point by its name, a letter and a number. The first
      coordinate goes to the right and the second downwards. They are scaled so that the nearest two
      points are one unit apart. If `centres` is a text of names with spaces between them, their
      places follow from their letters and numbers, as on `squares`.
    - `lines` are the straight lines, each with all its points in order: a text of names, or a list.
      Consecutive points are neighbours.
    - `edges` are pairs of neighbours that are not part of a line.

    >>> board = points("a1 b1 c1 a2 c2", ["a1 b1 c1"], ["a1 a2", "c1 c2"])
    >>> [board.names[place] for place in board.neighbours(board.names.index("a1"))]
    ['a2', 'b1']

    Raises GameError for names, lines or edges that do not fit together.
    """
    if not isinstance(centres, Mapping | str):
        expected = "a mapping from names to x and y, or a text of names"
        raise GameError(f"points({centres!r:.60})", expected)
    if isinstance(centres, str):
        centres = {name: (ord(name[0]), -int(name[1:])) for name in map(_named, centres.split())}
    ordered = sorted(map(_named, centres), key=lambda name: (name[0], int(name[1:])))
    if not ordered:
        raise GameError("a board without points", "at least one name with its centre")
    kept = [_known(line, centres, "line") for line in lines]
    joined = [_known(edge, centres, "edge") for edge in edges]
    left, top = (min(centre[axis] for centre in centres.values()) for axis in (0, 1))
    pairs = combinations(ordered, 2)
    unit, *near = min(((dist(centres[a], centres[b]), a, b) for a, b in pairs), default=(1, ""))
    if not unit:
        raise GameError(f"the points {near[0]} and {near[1]} have the same centre")
    first, stride = ord(ordered[0][0]), max(int(name[1:]) for name in ordered) + 1
    places = {
        name: (
            (ord(name[0]) - first) * stride + int(name[1:]) - 1,
            (
                round((centres[name][0] - left) / unit, 6),
                round((centres[name][1] - top) / unit, 6),
            ),
        )
        for name in ordered
    }
    return Points(places, kept, joined, stride=stride)


def _named(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise GameError(f"{name!r} is not a point", "a letter and a number from 1 to 99, as in a1")
    return name


def _known(path: Iterable[str] | str, names: Mapping[str, object], what: str) -> list[str]:
    """Return the names of a line or edge. Raises GameError if they do not form one."""
    found = path.split() if isinstance(path, str) else list(path)
    told = f"the {what} {' '.join(found)!r}"
    if unknown := next((name for name in found if name not in names), ""):
        raise GameError(f"{told} has {unknown!r}", "a point of the board")
    if len(set(found)) < len(found):
        raise GameError(f"{told} has a point twice", "different points")
    count = f"{told} has {count_of(len(found), 'point')}"
    if len(found) < 2:
        raise GameError(count, "two or more")
    if what == "edge" and len(found) > 2:
        raise GameError(count, "2")
    return found
