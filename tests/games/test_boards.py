"""Boards by themselves: turns and reflections, the text of rows, groups, views and overlays."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from places import OURS
from walks import walk

from lath import games
from lath.games.board import Board, hexagon, squares
from lath.games.core import Game, Move, Position, symmetries
from lath.games.drawing import board as drawing
from lath.games.errors import PositionError
from lath.games.overlays import Groups, Sight, groups, of, sight

INSTALLED = games.installed()

SIDES_OF_RECTANGLES = (7, 6), (3, 5), (12, 2), (5, 1), (1, 4)
"""Columns and rows."""


def test_a_board_has_as_many_turns_and_reflections_as_its_shape() -> None:
    for board, count in (
        (squares(5), 8),
        (squares(6), 8),
        (squares(7, 6), 4),
        (hexagon((5, 6, 7, 8, 9, 8, 7, 6, 5)), 12),
        (hexagon((6, 7, 8, 9, 10, 9, 8, 7, 6)), 4),
        (hexagon((2, 3)), 2),
        (hexagon((1, 2)), 6),
    ):
        images = [tuple(isometry.cells.values()) for isometry in board.isometries]
        assert images[0] == board.names
        assert len(set(images)) == len(images) == count
        for isometry in board.isometries:
            assert set(map(isometry.mask, board.lines(3))) == set(board.lines(3))
            assert isometry.mask(board.full) == board.full
    counts = {game.id: len(symmetries(game.start())) for game in map(games.get, OURS)}
    assert counts == {
        "mammalath": 8,
        "mammalath-plus": 8,
        "manalath": 4,
        "manalath-61": 12,
        "surikata": 8,
        "yavalath": 12,
    }


def test_cells_without_an_edge_turn_as_regular_boards_do() -> None:
    regular = (squares(5), 8), (hexagon((3, 4, 5, 4, 3)), 12), (hexagon((2, 3)), 12)
    for board, count in (*regular, *((squares(*sides), 8) for sides in SIDES_OF_RECTANGLES)):
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


@pytest.mark.parametrize("sides", SIDES_OF_RECTANGLES)
def test_a_rectangle_has_so_many_columns_and_rows_and_no_line_round_an_edge(
    sides: tuple[int, int],
) -> None:
    board, (columns, rows) = squares(*sides), sides
    last = "abcdefghijkl"[columns - 1]
    assert (board.names[0], board.names[-1], len(board.names)) == (
        "a1",
        f"{last}{rows}",
        columns * rows,
    )
    assert board.format_rows({}) == "/".join([str(columns)] * rows)
    assert [board.name[row[0]] for row in board.rows] == [f"a{n}" for n in range(rows, 0, -1)]
    lines = board.lines(3)
    fit = max(columns - 2, 0), max(rows - 2, 0)
    assert len(lines) == fit[0] * rows + fit[1] * columns + 2 * fit[0] * fit[1]
    chance = random.Random(1)
    for _ in range(300):
        cells = sum(bit for bit in board.name if chance.random() < 0.3)
        assert board.has_line(cells, 3) == bool(board.finished(lines, cells))
        assert board.read_rows(board.format_rows({"x": cells}), "x") == {"x": cells}


@pytest.mark.parametrize(
    "board", [squares(4), squares(18), squares(3, 5), hexagon((2, 3)), hexagon((3, 4, 5, 4))]
)
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


def test_neighbours_are_mutual_and_one_step_away_and_rays_go_straight_on_to_the_edge() -> None:
    rectangles = {squares(*sides) for sides in SIDES_OF_RECTANGLES}
    for board in {game.board for game in INSTALLED} | rectangles:
        reach = 1.5 if board.shape == "square" else 1.01
        for cell, (x, y) in enumerate(board.centres):
            near = board.neighbours(cell)
            assert all(cell in board.neighbours(other) for other in near)
            assert list(near) == [
                other
                for other, (ox, oy) in enumerate(board.centres)
                if other != cell and ((x - ox) ** 2 + (y - oy) ** 2) ** 0.5 < reach
            ]
            rays, straight = board.rays(cell), board.rays(cell, diagonals=False)
            assert len(rays) == 2 * len(board.directions)
            assert len(straight) == (4 if board.shape == "square" else 6)
            assert {*straight} <= {*rays}
            for ray in filter(None, straight):
                line = [board.centres[one] for one in (cell, *ray)]
                steps = {
                    (round(x1 - x0, 6), round(y1 - y0, 6)) for (x0, y0), (x1, y1) in pairwise(line)
                }
                ((dx, dy),) = steps
                assert dx * dx + dy * dy == pytest.approx(1)


# What games want drawn over a position is what their rules mean.


def positions(game: Game, seeds: range) -> Iterator[Position]:
    for seed in seeds:
        for position, _ in walk(game, seed):
            yield position


def test_overlays_go_into_json_with_the_geometry_that_they_need() -> None:
    for game in INSTALLED:
        told = drawing.to_json(game)
        assert json.loads(json.dumps(told)) == told
        kinds = [type(overlay).__name__.lower() for overlay in of(game)]
        assert kinds == [shown["kind"] for shown in told["overlays"]["shown"]]
        told = drawing.overlays_json(game)
        assert ("neighbours" in told) == ("groups" in kinds)
        assert ("rays" in told) == ("sight" in kinds)

    class Plain:
        """As a plugin that was written before there were overlays."""

    assert of(Plain()) == ()  # type: ignore[arg-type]


def test_groups_part_the_pieces_touch_none_of_their_code_and_have_their_number_on_a_cell() -> None:
    with_groups = [(game, one) for game in INSTALLED for one in of(game) if isinstance(one, Groups)]
    assert {"manalath", "manalath-61"} <= {game.id for game, _ in with_groups}
    for game, overlay in with_groups:
        centres = drawing.places(game)
        for position in positions(game, range(4)):
            contents = position.contents()
            found = groups(overlay, game.board, contents)
            cells = [cell for group in found for cell in group]
            tops = [content[-1:] or "nothing" for content in contents]
            assert sorted(cells) == [cell for cell, top in enumerate(tops) if top in overlay.codes]
            for group in found:
                assert len({contents[cell][-1] for cell in group}) == 1
                around = {near for cell in group for near in game.board.neighbours(cell)}
                around -= set(group)
                assert all(contents[near][-1:] != contents[group[0]][-1] for near in around)
                assert drawing.middle(group, centres) in group


def test_the_group_that_decided_a_game_of_manalath_is_a_group_of_the_overlay() -> None:
    for game in map(games.get, ("manalath", "manalath-61")):
        (overlay,) = of(game)
        assert isinstance(overlay, Groups)
        assert groups(overlay, game.board, game.start("e5 a1 a2").contents()) == [], "blockers"
        names, decided = game.board.names, 0
        for seed in range(12):
            *_, (end, _) = walk(game, seed)
            outcome = end.outcome()
            assert outcome is not None
            size = 4 if "four" in outcome.ending else 5
            found = [
                {names[cell] for cell in group}
                for group in groups(overlay, game.board, end.contents())
                if len(group) == size and names[group[0]] in outcome.cells
            ]
            assert set().union(*found) == set(outcome.cells)
            decided += bool(outcome.cells)
        assert decided


def test_what_the_meerkat_sees_is_what_the_rules_refuse() -> None:
    game = games.get("surikata")
    (overlay,) = of(game)
    assert isinstance(overlay, Sight)
    refused = 0
    for position in positions(game, range(20)):
        if position.is_over:
            continue
        contents = position.contents()
        views = sight(overlay, game.board, contents).values()
        seen = {cell for rays in views for ray in rays for cell in ray}
        for cell, name in enumerate(game.board.names):
            reason = position.why_illegal(Move(name)) or ""
            if not contents[cell] and not reason.startswith("a mound comes first"):
                assert (cell in seen) == (" sees " in reason), (position.text(), name)
                refused += cell in seen
    assert refused > 300


def test_mounds_end_the_view_and_pieces_do_not() -> None:
    board = squares(4)
    on = {"b2": "wk", "b3": "o", "d2": "m", "a2": "w"}
    (rays,) = sight(Sight("k", "m"), board, [on.get(name, "") for name in board.names]).values()
    seen = {tuple(board.names[cell] for cell in ray) for ray in rays}
    assert seen == {("b3", "b4"), ("b1",), ("c2",), ("a2",)}
    assert sight(Sight("k", "m"), squares(3), ["m"] * 9) == {}
    board = hexagon((2, 3, 2))
    middle = ["k" if name == "b2" else "" for name in board.names]
    (rays,) = sight(Sight("k", "m"), board, middle).values()
    assert sorted(cell for ray in rays for cell in ray) == [0, 1, 2, 4, 5, 6]
