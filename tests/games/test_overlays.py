"""Overlays: what games want drawn over a position, and that it is what their rules mean."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from random import Random

import pytest
from walks import walk

from lath import games
from lath.games.board import hexagon, squares
from lath.games.core import Game, Move, Piece, Position
from lath.games.drawing import board as overlays
from lath.games.overlays import Groups, Overlay, Sight, groups, of, sight

every_game = pytest.mark.parametrize("game", games.installed(), ids=lambda game: game.id)

games_with_groups = pytest.mark.parametrize(
    ("game", "overlay"),
    [
        (game, overlay)
        for game in games.installed()
        for overlay in of(game)
        if isinstance(overlay, Groups)
    ],
    ids=lambda value: getattr(value, "id", ""),
)


def positions(game: Game, seeds: range) -> Iterator[Position]:
    for seed in seeds:
        for position, _ in walk(game, seed):
            yield position


@every_game
def test_the_same_goes_into_json_and_comes_out_of_it(game: Game) -> None:
    told = overlays.to_json(game)
    assert json.loads(json.dumps(told)) == told
    assert [kind_of(overlay) for overlay in of(game)] == [
        shown["kind"] for shown in told["overlays"]["shown"]
    ]


def kind_of(overlay: Overlay) -> str:
    return type(overlay).__name__.lower()


@every_game
def test_the_json_has_only_the_geometry_that_the_overlays_need(game: Game) -> None:
    kinds = {kind_of(overlay) for overlay in of(game)}
    told = overlays.overlays_json(game)
    assert ("neighbours" in told) == ("groups" in kinds)
    assert ("rays" in told) == ("sight" in kinds)


def test_a_game_that_names_no_overlays_has_none() -> None:
    class Plain:
        """As a plugin that was written before there were overlays."""

    assert of(Plain()) == ()  # type: ignore[arg-type]


@games_with_groups
def test_groups_part_the_pieces_and_touch_no_piece_of_their_code(
    game: Game, overlay: Groups
) -> None:
    for position in positions(game, range(4)):
        contents = position.contents()
        found = groups(overlay, game.board, contents)
        cells = [cell for group in found for cell in group]
        tops = [content[-1:] or "nothing" for content in contents]
        assert sorted(cells) == [cell for cell, top in enumerate(tops) if top in overlay.codes]
        for group in found:
            assert len({contents[cell][-1] for cell in group}) == 1
            around = {near for cell in group for near in game.board.neighbours(cell)} - set(group)
            assert all(contents[near][-1:] != contents[group[0]][-1] for near in around)


@pytest.mark.parametrize("game_id", ["manalath", "manalath-61"])
def test_the_group_that_decided_a_game_of_manalath_is_a_group_of_the_overlay(game_id: str) -> None:
    game = games.get(game_id)
    decided = 0
    for seed in range(12):
        *_, (end, _) = walk(game, seed)
        outcome = end.outcome()
        assert outcome is not None
        if not outcome.cells:
            continue
        decided += 1
        (overlay,) = of(game)
        assert isinstance(overlay, Groups)
        size = 4 if "four" in outcome.ending else 5
        names = game.board.names
        found = [
            {names[cell] for cell in group}
            for group in groups(overlay, game.board, end.contents())
            if len(group) == size and names[group[0]] in outcome.cells
        ]
        assert set().union(*found) == set(outcome.cells)
    assert decided


def test_blockers_belong_to_no_group() -> None:
    game = games.get("manalath")
    (overlay,) = of(game)
    assert isinstance(overlay, Groups)
    start = game.start("e5 e6 e7")
    assert groups(overlay, game.board, start.contents()) == []


def test_what_the_meerkat_sees_is_what_the_rules_refuse() -> None:
    game = games.get("surikata")
    (overlay,) = of(game)
    assert isinstance(overlay, Sight)
    refused = 0
    for position in positions(game, range(60)):
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
    assert refused > 1000


def test_pieces_do_not_end_the_view_and_mounds_do() -> None:
    board = squares(4)
    place = {name: i for i, name in enumerate(board.names)}
    contents = [""] * 16
    for name, content in {"b2": "wk", "b3": "o", "d2": "m", "a2": "w"}.items():
        contents[place[name]] = content
    (rays,) = sight(Sight("k", "m"), board, contents).values()
    seen = {tuple(board.names[cell] for cell in ray) for ray in rays}
    assert seen == {("b3", "b4"), ("b1",), ("c2",), ("a2",)}


def test_without_the_marker_nothing_is_seen() -> None:
    assert sight(Sight("k", "m"), squares(3), ["m"] * 9) == {}


def test_on_hexagons_the_view_goes_along_three_axes() -> None:
    board = hexagon((2, 3, 2))
    middle = board.names.index("b2")
    contents = ["k" if cell == middle else "" for cell in range(7)]
    (rays,) = sight(Sight("k", "m"), board, contents).values()
    assert sorted(cell for ray in rays for cell in ray) == [0, 1, 2, 4, 5, 6]


@every_game
def test_neighbours_are_mutual_and_one_step_away(game: Game) -> None:
    board = game.board
    reach = 1.5 if board.shape == "square" else 1.01
    for cell, (x, y) in enumerate(board.centres):
        near = board.neighbours(cell)
        assert all(cell in board.neighbours(other) for other in near)
        assert list(near) == [
            other
            for other, (ox, oy) in enumerate(board.centres)
            if other != cell and ((x - ox) ** 2 + (y - oy) ** 2) ** 0.5 < reach
        ]


@every_game
def test_rays_go_straight_on_to_the_edge(game: Game) -> None:
    board = game.board
    for cell in Random(game.id).sample(range(len(board.names)), 10):
        rays = board.rays(cell)
        assert len(rays) == (4 if board.shape == "square" else 6)
        for ray in filter(None, rays):
            line = [board.centres[one] for one in (cell, *ray)]
            steps = {
                (round(x1 - x0, 6), round(y1 - y0, 6)) for (x0, y0), (x1, y1) in pairwise(line)
            }
            assert len(steps) == 1
            ((x, y),) = steps
            assert x * x + y * y == pytest.approx(1)


@games_with_groups
def test_a_group_has_its_number_on_one_of_its_cells(game: Game, overlay: Groups) -> None:
    centres = overlays.places(game)
    for position in positions(game, range(3)):
        for group in groups(overlay, game.board, position.contents()):
            assert overlays.middle(group, centres) in group


@every_game
def test_glyphs_stay_in_their_cell(game: Game) -> None:
    """Path data in whole numbers and tenths: control points bound what is drawn."""
    for piece in game.pieces:
        if piece.glyph:
            assert max(map(abs, extremes(piece))) <= 50


def extremes(piece: Piece) -> Iterator[float]:
    """Yield all coordinates of absolute commands; arcs are small holes."""
    for command, rest in re.findall(r"([A-Za-z])([^A-Za-z]*)", piece.glyph):
        numbers = [float(number) for number in re.findall(r"-?[0-9.]+", rest)]
        if command in "MLQCHV":
            yield from numbers
        else:
            assert command in "az"
