"""The words at the rim of a board: letters and numbers that rows and columns of cells share."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from lath.games.board import Board

Label = tuple[str, int]
"""A word, and the cell next to it as a place in `Board.names`."""

_NAME: Final = re.compile(r"([a-z]+)([0-9]+)")

_TALL: Final = 3**0.5
"""Columns of a rhombus go half a cell to the right for half of this downwards."""


class Rim(NamedTuple):
    """The labels of a board."""

    rows: Sequence[Label]
    """The words of rows, from the top, with the cell at the left end of each; empty if the cells of
    a row do not share a word."""

    columns: Sequence[Label]
    """The words of columns, from the left, with the cell at the labelled end of each."""

    is_above: bool
    """True if columns lean, as on a rhombus. Then their words are above them, not below."""

    @property
    def is_complete(self) -> bool:
        """Return whether the labels name all cells, so that cells need no names inside."""
        return bool(self.rows and self.columns)


@lru_cache(maxsize=32)
def rim(board: Board) -> Rim:
    """Return the labels of a board.

    >>> from lath.games.board import hexagon_of, rhombus
    >>> rim(rhombus(2)).columns, rim(hexagon_of(2)).columns
    ([('a', 0), ('b', 2)], [])
    """
    rows: list[Label] = []
    columns: list[Label] = []
    is_above = False
    for half in (1, 2):
        words: defaultdict[str, list[int]] = defaultdict(list)
        for cell, name in enumerate(board.names):
            match = _NAME.fullmatch(name)
            words[match[half] if match else ""].append(cell)
        groups = list(words.items())
        at = board.centres
        if _are_apart([{round(at[cell][1], 3) for cell in cells} for _, cells in groups]):
            ends = [(word, min(cells, key=lambda cell: at[cell][0])) for word, cells in groups]
            rows = sorted(ends, key=lambda end: at[end[1]][1])
            continue
        is_upright = _are_apart([{round(at[cell][0], 3) for cell in cells} for _, cells in groups])
        leaning = [
            {round(at[cell][0] - at[cell][1] / _TALL, 3) for cell in cells} for _, cells in groups
        ]
        is_leaning = board.shape == "hexagon" and len({len(cells) for _, cells in groups}) == 1
        if is_upright or (is_leaning and _are_apart(leaning)):
            is_above = not is_upright
            end = min if is_above else max
            ends = [(word, end(cells, key=lambda cell: at[cell][1])) for word, cells in groups]
            columns = sorted(ends, key=lambda end: at[end[1]][0])
    return Rim(rows, columns, is_above)


def _are_apart(places: Sequence[set[float]]) -> bool:
    """Return whether each group of cells has one place of its own."""
    return all(len(of_group) == 1 for of_group in places) and len(set().union(*places)) == len(
        places
    )
