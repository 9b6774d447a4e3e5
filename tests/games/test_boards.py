"""Boards by themselves: what takes their cells onto each other, and the text of their rows."""

from __future__ import annotations

import random
import re

import pytest
from places import OURS

from lath import games
from lath.games.board import Board, hexagon, squares
from lath.games.core import symmetries
from lath.games.errors import PositionError


@pytest.mark.parametrize(
    ("board", "count"),
    [
        (squares(5), 8),
        (squares(6), 8),
        (hexagon((5, 6, 7, 8, 9, 8, 7, 6, 5)), 12),
        (hexagon((6, 7, 8, 9, 10, 9, 8, 7, 6)), 4),
        (hexagon((2, 3)), 2),
        (hexagon((1, 2)), 6),
    ],
    ids=lambda value: str(value) if isinstance(value, int) else f"{len(value.names)} cells",
)
def test_a_board_has_as_many_turns_and_reflections_as_its_shape(board: Board, count: int) -> None:
    images = [tuple(isometry.cells.values()) for isometry in board.isometries]
    assert images[0] == board.names
    assert len(set(images)) == len(images) == count
    for isometry in board.isometries:
        assert set(map(isometry.mask, board.lines(3))) == set(board.lines(3))
        assert isometry.mask(board.full) == board.full


@pytest.mark.parametrize(
    ("board", "count"), [(squares(5), 8), (hexagon((3, 4, 5, 4, 3)), 12), (hexagon((2, 3)), 12)]
)
def test_cells_without_an_edge_turn_as_regular_boards_do(board: Board, count: int) -> None:
    assert len(set(board.turns)) == len(board.turns) == count
    assert board.turns[0] == (1, 0, 0, 1)
    grid = dict(zip(board.names, board.grid, strict=True))
    first, corner = board.names[0], grid[board.names[0]]
    for isometry in board.isometries:
        moved = {
            (x - corner[0], y - corner[1]): (
                grid[isometry.cells[name]][0] - grid[isometry.cells[first]][0],
                grid[isometry.cells[name]][1] - grid[isometry.cells[first]][1],
            )
            for name, (x, y) in grid.items()
        }
        assert any(
            all((a * x + b * y, c * x + d * y) == image for (x, y), image in moved.items())
            for a, b, c, d in board.turns
        )


def test_every_game_of_the_house_has_the_symmetries_of_its_board() -> None:
    counts = {game.id: len(symmetries(game.start())) for game in map(games.get, OURS)}
    assert counts == {
        "mammalath": 8,
        "mammalath-plus": 8,
        "manalath": 4,
        "manalath-61": 12,
        "surikata": 8,
        "yavalath": 12,
    }


@pytest.mark.parametrize("board", [squares(4), squares(18), hexagon((2, 3)), hexagon((3, 4, 5, 4))])
def test_rows_of_letters_alone_are_read_as_those_with_numbers(board: Board) -> None:
    chance = random.Random(1)
    letters = {bit: chance.choice("wbx") for row in board.rows for bit in row}
    full = "/".join("".join(letters[bit] for bit in row) for row in board.rows)
    layers = {letter: sum(b for b in letters if letters[b] == letter) for letter in "wbx"}
    assert board.read_rows(full, iter("wbx")) == layers
    counted = re.sub("x+", lambda run: str(len(run[0])), full)
    assert board.read_rows(counted, "wb") == {letter: layers[letter] for letter in "wb"}
    end = full.index("/")
    for wrong in (
        full.replace("x", "y"),
        full.replace("w", "W", 1),
        full.replace("w", "\u0175", 1),
        f"{full[: end - 1]}/{full[end - 1]}{full[end + 1 :]}",
        full.replace("/", "w", 1),
        f"{full}w",
    ):
        with pytest.raises(PositionError):
            board.read_rows(wrong, "wbx")
