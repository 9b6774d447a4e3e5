"""Properties that hold on every kind of board: squares, hexagons, rhombus, triangle and points."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product
from random import Random

import pytest
from board_games import Three
from board_kinds import KINDS, MORRIS, boards, some_cells
from exploring import FEW
from hypothesis import given, settings
from hypothesis import strategies as st

from lath.games.board import Board, hexagon, hexagon_of, rhombus, squares, triangle
from lath.games.errors import GameError, PositionError
from lath.games.manalath import over_three
from lath.games.points import Points, points
from lath.games.trial import wrong_with


def every_board(test: Callable[[Board, st.DataObject], None]) -> Callable[[], None]:
    """Run a test on many boards of every kind."""
    return settings(max_examples=5 * FEW)(given(boards(), st.data())(test))


def lines_by_hand(board: Board, length: int) -> set[int]:
    """Return all lines of a board of cells: `length` centres, each the same short step on."""
    at = {
        (round(x, 3), round(y, 3)): bit
        for bit, (x, y) in zip(board.name, board.centres, strict=True)
    }
    steps = {
        (x1 - x0, y1 - y0)
        for (x0, y0), (x1, y1) in product(board.centres, repeat=2)
        if 0 < (x1 - x0) ** 2 + (y1 - y0) ** 2 < (2.1 if board.shape == "square" else 1.1)
    }
    found = set()
    for (x, y), (dx, dy) in product(board.centres, steps):
        cells = [at.get((round(x + dx * i, 3), round(y + dy * i, 3)), 0) for i in range(length)]
        if all(cells):
            found.add(sum(cells))
    return found


@every_board
def test_lines_are_straight_and_consecutive_and_none_is_missing(
    board: Board, data: st.DataObject
) -> None:
    length = data.draw(st.integers(2, 5))
    lines = board.lines(length)
    assert len(set(lines)) == len(lines)
    if not isinstance(board, Points):
        assert set(lines) == lines_by_hand(board, length)
    for line in lines:
        cells = board.places_in(line)
        middle = [cell for cell in cells if len(set(board.neighbours(cell)) & set(cells)) > 1]
        assert len(cells) == length
        assert len(middle) >= length - 2, "each cell between the ends has two neighbours"
        (x0, y0), (x1, y1) = board.centres[cells[0]], board.centres[cells[-1]]
        for x, y in (board.centres[cell] for cell in cells):
            assert (x - x0) * (y1 - y0) == pytest.approx((y - y0) * (x1 - x0), abs=1e-4)
    mask, other = data.draw(some_cells(board)), data.draw(some_cells(board))
    has = any(mask & line == line for line in lines)
    assert board.has_line(mask, length) == has
    either = has or any(other & line == line for line in lines)
    assert board.has_line(mask | other << board.apart, length) == either


@every_board
def test_completing_cells_are_those_that_a_line_lacks(board: Board, data: st.DataObject) -> None:
    mask = data.draw(some_cells(board))
    lengths = data.draw(st.permutations(range(2, 6)).map(tuple))
    by_hand = {
        length: sum(
            bit
            for bit in board.name
            if not bit & mask
            and any((mask | bit) & line == line and bit & line for line in board.lines(length))
        )
        for length in lengths
    }
    assert board.completing_each(mask, lengths) == [by_hand[length] for length in lengths]
    assert board.completing(mask, lengths[0]) == by_hand[lengths[0]]


@every_board
def test_neighbours_are_mutual_and_groups_part_a_set(board: Board, data: st.DataObject) -> None:
    near = [board.neighbours(cell) for cell in range(len(board.names))]
    for cell, others in enumerate(near):
        assert cell not in others
        assert all(cell in near[other] for other in others)
        rays = board.rays(cell)
        assert set(others) == {ray[0] for ray in rays if ray}
        seen = board.slides(board.bit[board.names[cell]], 0)
        assert board.places_in(seen) == sorted({one for ray in rays for one in ray})
        for ray in rays:
            assert all(after in near[before] for before, after in pairwise((cell, *ray)))
    mask = data.draw(some_cells(board))
    around = {other for cell in board.places_in(mask) for other in near[cell]}
    assert board.places_in(board.around(mask)) == sorted(around)
    groups = list(board.groups(mask))
    assert sum(groups) == mask
    assert all(board.around(group) & mask & ~group == 0 for group in groups)
    one, other, more = (data.draw(some_cells(board)) for _ in range(3))
    assert board.connects(mask, one, other) == any(g & one and g & other for g in groups)
    assert board.connects(mask, one, other, more) == any(
        g & one and g & other and g & more for g in groups
    )
    large = over_three(board, mask | other << board.apart)
    for part, cells in ((mask, large & board.full), (other, large >> board.apart)):
        assert cells & ~part == 0
        assert all((g.bit_count() > 3) == bool(g & cells) for g in board.groups(part))


@every_board
def test_isometries_keep_neighbours_lines_and_sides(board: Board, data: st.DataObject) -> None:
    mask, length = data.draw(some_cells(board)), data.draw(st.integers(2, 4))
    images = [tuple(isometry.cells.values()) for isometry in board.isometries]
    assert images[0] == board.names
    assert len(set(images)) == len(images)
    assert {
        tuple(map(one.cells.__getitem__, image)) for one in board.isometries for image in images
    } == set(images), "a group"
    for isometry in board.isometries:
        assert isometry.mask(board.around(mask)) == board.around(isometry.mask(mask))
        assert set(map(isometry.mask, board.lines(length))) == set(board.lines(length))
        assert set(map(isometry.mask, board.sides)) == set(board.sides)
        moved = isometry.mask(board.completing(mask, length))
        assert moved == board.completing(isometry.mask(mask), length)


@every_board
def test_rows_of_a_position_are_read_back(board: Board, data: st.DataObject) -> None:
    mask = data.draw(some_cells(board))
    other = data.draw(some_cells(board)) & ~mask
    layers = {"w": mask, "b": other}
    assert board.read_rows(board.format_rows(layers), "wb") == layers
    full = {"w": mask, "b": board.full ^ mask}
    assert board.read_rows(board.format_rows(full), "wb") == full
    with pytest.raises(PositionError):
        board.read_rows(f"{board.format_rows(layers)}w", "wb")
    for one, contents in zip(board.name, board.contents(layers.items()), strict=True):
        assert contents == ("w" if one & mask else "b" if one & other else "")
    heights = [board.centres[board.names.index(board.name[row[0]])][1] for row in board.rows]
    assert heights == sorted(set(heights)), "rows from the top"
    assert sum(map(sum, board.rows)) == board.full


def test_each_kind_has_its_symmetries_and_sides() -> None:
    counts = {name: (len(board.isometries), len(board.sides)) for name, board in KINDS.items()}
    assert counts == {
        "squares": (8, 4),
        "rectangle": (4, 4),
        "plain squares": (4, 4),
        "row": (2, 4),
        "hexagon": (12, 6),
        "long hexagon": (4, 6),
        "trapezium": (2, 6),
        "rhombus": (4, 4),
        "parallelogram": (2, 4),
        "slanted column": (2, 4),
        "triangle": (6, 3),
        "morris": (8, 0),
        "star": (1, 0),
        "wheel": (8, 0),
        "pair": (2, 0),
        "edges": (1, 0),
    }


@pytest.mark.parametrize("kind", ["morris", "star", "rhombus", "triangle", "rectangle"])
def test_a_game_on_any_board_passes_the_trial_with_all_symmetries_of_its_board(kind: str) -> None:
    game = Three(kind)
    assert wrong_with(game) == ""
    assert len(game.symmetries(game.start())) == len(game.board.isometries)


def named(board: Board) -> list[str]:
    return [" ".join(board.names_in(side)) for side in board.sides]


def test_sides_go_round_clockwise_from_the_top() -> None:
    assert named(squares(3, 2)) == ["a2 b2 c2", "c1 c2", "a1 b1 c1", "a1 a2"]
    assert named(rhombus(3)) == ["a1 b1 c1", "c1 c2 c3", "a3 b3 c3", "a1 a2 a3"]
    assert named(triangle(3)) == ["a3 b2 c1", "a1 a2 a3", "a1 b1 c1"]
    assert named(hexagon_of(2)) == ["c1 c2", "b3 c2", "a2 b3", "a1 a2", "a1 b1", "b1 c1"]


def test_hex_and_y_have_exactly_one_winner_on_a_full_board() -> None:
    chance = Random(1)
    for _ in range(200):
        board = rhombus(chance.randint(2, 6))
        top, right, bottom, left = board.sides
        mine = sum(bit for bit in board.name if chance.random() < 0.5)
        theirs = board.full ^ mine
        assert board.connects(mine, top, bottom) != board.connects(theirs, left, right)
        board = triangle(chance.randint(2, 6))
        mine = sum(bit for bit in board.name if chance.random() < 0.5)
        theirs = board.full ^ mine
        assert board.connects(mine, *board.sides) != board.connects(theirs, *board.sides)


def test_the_points_of_morris_are_those_of_the_printed_board() -> None:
    assert len(MORRIS.names) == 24
    assert len(MORRIS.lines(3)) == 16
    assert not MORRIS.lines(4)
    near = MORRIS.neighbours(MORRIS.names.index("d2"))
    assert [MORRIS.names[cell] for cell in near] == ["b2", "d1", "d3", "f2"]
    assert MORRIS.format_rows({}) == "3/3/3/6/3/3/3"
    assert MORRIS.centres[MORRIS.names.index("a7")] == (0, 0)
    assert MORRIS.centres[MORRIS.names.index("g1")] == (6, 6)


def test_centres_are_scaled_to_the_nearest_two_points() -> None:
    board = points({"a1": (10, 10), "b1": (10, 40), "c1": (70, 10)}, [], ["a1 b1"])
    assert board.centres == ((0, 0), (0, 1), (2, 0))


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: squares(27), "a board with 27 columns, expected 1 to 26"),
        (lambda: squares(5, 0), "a board with 0 rows, expected 1 to 26"),
        (lambda: rhombus(3, 27), "a board with 27 rows, expected 1 to 26"),
        (lambda: triangle(0), "a board with 0 rows, expected 1 to 26"),
        (lambda: hexagon_of(14), "a board with 27 rows, expected 1 to 26"),
        (
            lambda: hexagon((3, 4, 4, 3)),
            "rows of 3, 4, 4, 3 hexagons, expected lengths that rise by 1, then fall by 1",
        ),
        (
            lambda: points("", []),
            "a board without points, expected at least one name with its centre",
        ),
        (
            lambda: points("a1 A2", []),
            "'A2' is not a point, expected a letter and a number from 1 to 99, as in a1",
        ),
        (
            lambda: points("a1 b1", ["a1 c1"]),
            "the line 'a1 c1' has 'c1', expected a point of the board",
        ),
        (
            lambda: points("a1 b1", ["a1 b1 a1"]),
            "the line 'a1 b1 a1' has a point twice, expected different points",
        ),
        (lambda: points("a1 b1", ["a1"]), "the line 'a1' has 1 point, expected two or more"),
        (
            lambda: points("a1 b1 c1", [], ["a1 b1 c1"]),
            "the edge 'a1 b1 c1' has 3 points, expected 2",
        ),
        (
            lambda: points({"a1": (0, 0), "b1": (0, 0)}, []),
            "the points a1 and b1 have the same centre",
        ),
        (
            lambda: MORRIS.turns,
            "a board of free points has no rotations of an unbounded grid",
        ),
    ],
)
def test_a_board_that_cannot_be_says_why(made: object, message: str) -> None:
    assert callable(made)
    with pytest.raises(GameError) as refused:
        made()
    assert str(refused.value) == message
