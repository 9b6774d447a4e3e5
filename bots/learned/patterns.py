"""Estimates from patterns: the contents of each row of cells have a weight learned by self-play.

`learned(game)` returns the estimate of a game that has weights in `weights/`; the command
`python -m lath.bots.compiled.learning` makes them. Rows that symmetries of the board map to each
other share their weights.

    search = AlphaBeta(evaluate=learned(game), parts=PARTS)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import chain
from typing import Final

from lath.games.board import Board
from lath.games.capabilities import version_of
from lath.games.core import Game
from lath.games.fast import FastBoard, Tables, fast_board

UNIT: Final = 1024
"""The weight that multiplies the odds of the side to move by e."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """The rows of `length` cells of a game, each with the start of its weights.

    The weight of a row is that of its start plus its number, whose digits to the base `states` are
    the contents of its cells.
    """

    length: int
    states: int
    rows: Sequence[tuple[int, ...]]
    starts: Sequence[int]
    mirrored: frozenset[int]
    """The starts of the rows that a symmetry maps to themselves backwards."""

    @property
    def weights(self) -> int:
        """The number of weights of all rows."""
        size: int = self.states**self.length
        return max(self.starts) + size

    def places(self, held: Sequence[int]) -> list[int]:
        """Return the place of the weight of each row.

        `held` has the content of each cell, as `held_on`.
        """
        found = []
        for row, start in zip(self.rows, self.starts, strict=True):
            number = 0
            for cell in row:
                number = number * self.states + held[cell]
            found.append(start + number)
        return found

    def twins(self) -> list[int]:
        """Return for each weight the place of the weight of the same row seen backwards.

        That is the weight itself, unless a symmetry maps the row to itself.
        """
        size = self.states**self.length
        backwards = [0]
        for power in range(self.length):
            backwards = [
                digit * self.states**power + number
                for number in backwards
                for digit in range(self.states)
            ]
        numbers = [backwards if start in self.mirrored else range(size) for start in self._kinds]
        return [
            start + number
            for start, some in zip(self._kinds, numbers, strict=True)
            for number in some
        ]

    @property
    def _kinds(self) -> range:
        return range(0, self.weights, self.states**self.length)


def held_on(board: FastBoard) -> list[int]:
    """Return the content of each cell: 1 or 2 for a piece of a player, and 3 more for another.

    Raises ValueError if the game has no compiled form.

    >>> from lath import games
    >>> board = fast_board(games.get("yavalath").start())
    >>> board.play(board.code("a2"))
    >>> held_on(board)[:4]
    [0, 1, 0, 0]
    """
    tables = tables_of(board)
    held = [0] * tables.cells
    for worth, cells in zip((1, 2, 3), (*tables.stones, tables.others), strict=True):
        for cell in cells:
            held[cell] += worth
    return held


def tables_of(board: FastBoard) -> Tables:
    """Return the tables of a board. Raises ValueError if the game has no compiled form."""
    tables = board.tables()
    if tables is None:
        raise ValueError(f"{board.game.id} has no compiled form")
    return tables


def rows_on(board: Board, length: int) -> list[list[tuple[int, ...]]]:
    """Return every row of `length` cells, each cell as its place in `Board.names`.

    A list has one row and its images under all symmetries of the board.

    >>> from lath.games.board import squares
    >>> [len(rows) for rows in rows_on(squares(3), 3)]
    [8, 8, 8]
    """
    place = {name: cell for cell, name in enumerate(board.names)}
    turns = [[place[turn.cells[name]] for name in board.names] for turn in board.isometries]
    found: set[frozenset[int]] = set()
    kinds: list[list[tuple[int, ...]]] = []
    for line in board.lines(length):
        row = board.places_in(line)
        if frozenset(row) not in found:
            kinds.append([tuple(turn[cell] for cell in row) for turn in turns])
            found.update(map(frozenset, kinds[-1]))
    return kinds


def patterns_of(board: FastBoard, length: int) -> Patterns:
    """Return the patterns of all rows of a length on a board."""
    rows: dict[frozenset[int], tuple[tuple[int, ...], int]] = {}
    mirrored: set[int] = set()
    states = 6 if board.game.has_setups or tables_of(board).other_keys else 3
    size, start = states**length, 0
    for images in rows_on(board.game.board, length):
        for row in images:
            rows.setdefault(frozenset(row), (row, start))
            if row == images[0][::-1]:
                mirrored.add(start)
        start += size
    cells, starts = zip(*rows.values(), strict=True)
    return Patterns(length, states, cells, starts, frozenset(mirrored))


def swapped(states: int, length: int) -> list[int]:
    """Return for each number of a row the number with both players' pieces exchanged.

    >>> swapped(3, 1), swapped(6, 1)
    ([0, 2, 1], [0, 2, 1, 3, 5, 4])
    """
    numbers = [0]
    other = [0, 2, 1, 3, 5, 4][:states]
    for _ in range(length):
        numbers = [number * states + digit for number in numbers for digit in other]
    return numbers


class Learned:
    """An estimate for `AlphaBeta`, from patterns and their weights."""

    def __init__(self, patterns: Patterns, weights: Sequence[int]) -> None:
        """Take the weights for the first player to move, in 1/`UNIT`.

        Raises ValueError for a wrong number of weights.
        """
        if len(weights) != patterns.weights:
            raise ValueError(f"{len(weights)} weights, expected {patterns.weights}")
        self.patterns = patterns
        other = swapped(patterns.states, patterns.length)
        starts = range(0, len(weights), len(other))
        exchanged = chain.from_iterable((start + number for number in other) for start in starts)
        self.weights: Final = tuple(weights), tuple(weights[place] for place in exchanged)
        """The weights for each side to move."""

    def __call__(self, board: FastBoard) -> float:
        """Return the estimate for the side to move, from -1 to 1."""
        weights = self.weights[board.to_move]
        total = sum(map(weights.__getitem__, self.patterns.places(held_on(board))))
        return total / (2 * UNIT + abs(total))


def learned(game: Game) -> Learned | None:
    """Return the estimate with the weights of a game, or None if it has none for these rules."""
    file = resources.files("lath.bots.learned") / "weights" / f"{game.id}.json"
    if not file.is_file():
        return None
    told = json.loads(file.read_text("utf-8"))
    if told["rules"] != version_of(game):
        return None
    patterns = patterns_of(fast_board(game.start()), told["length"])
    weights = [0] * patterns.weights
    for start, some in told["weights"]:
        weights[start : start + len(some)] = some
    return Learned(patterns, weights)
