"""The rotations and reflections that a short game declares with a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from lath.games.board import Board, Isometry
from lath.games.core import CELL_NAME, IDENTITY, Move, Symmetry

Symmetric = Literal["none", "all", "mirror", "half"]
"""The rotations and reflections of the board that do not change the rules: none, all, left for
right, or half a turn."""


def images_of(board: Board, named: Symmetric) -> tuple[Symmetry, ...]:
    """Return the symmetries that a word names. Their positions must have `turned(mask)`."""
    kept = _kept(board, named)
    return (IDENTITY, *(Symmetry(_moving(one.cells), _turning(one.mask)) for one in kept))


def _kept(board: Board, named: Symmetric) -> Iterator[Isometry]:
    for isometry in board.isometries[1:]:
        is_half = named == "half" and _is_half(board, isometry.cells)
        is_mirror = named == "mirror" and _is_mirror(board, isometry.cells)
        if named == "all" or is_half or is_mirror:
            yield isometry


def _moving(cells: Mapping[str, str]) -> Callable[[Move], Move]:
    return lambda move: Move(CELL_NAME.sub(lambda cell: cells.get(cell[0], cell[0]), move))


def _turning(mask: Callable[[int], int]) -> Callable[[Any], Any]:
    return lambda position: position.turned(mask)


def _is_mirror(board: Board, cells: Mapping[str, str]) -> bool:
    """Return whether an image keeps each cell in its row."""
    heights = dict(zip(board.names, (y for _, y in board.centres), strict=True))
    return all(abs(heights[cell] - heights[image]) < 1e-6 for cell, image in cells.items())


def _is_half(board: Board, cells: Mapping[str, str]) -> bool:
    """Return whether an image is half a turn: each cell's image is opposite to it."""
    centres = dict(zip(board.names, board.centres, strict=True))
    sums = {
        (round(x + centres[image][0], 3), round(y + centres[image][1], 3))
        for cell, image in cells.items()
        for x, y in [centres[cell]]
    }
    return len(sums) == 1
