"""Drawings of boards of every kind: as SVG, as plain text and in the terminal."""

from __future__ import annotations

import re
from random import Random
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from board_games import BOARDS, Three, ThreePosition
from board_kinds import KINDS, boards, some_cells
from exploring import FEW
from hypothesis import given, settings
from hypothesis import strategies as st

from lath.arena.terminal.boards import coloured
from lath.games.board import Board
from lath.games.drawing.board import places, svg, template, to_json
from lath.games.drawing.rim import rim
from lath.games.drawing.shapes import DECIDING, MARKS, contour, rims
from lath.games.laws import of_looks
from lath.games.points import Points
from lath.notation.text.suggestions import about_move
from lath.notation.text.writer import diagram

SVG = "{http://www.w3.org/2000/svg}"


@settings(max_examples=FEW)
@given(boards().filter(lambda board: bool(board.sides)))
def test_each_outer_edge_has_the_colour_of_the_player_of_one_side(board: Board) -> None:
    game: Any = Three(board)
    assert 'stroke-width="18"' not in template(game), "no side has a player"
    game.side_owners = tuple(side % 2 for side in range(len(board.sides)))
    assert [fault for fault in of_looks(game) if fault and "side" in fault.text] == []
    sides = [board.places_in(side) for side in board.sides]
    paths = rims(board.shape, places(game), sides, board.facing)
    edges = [re.findall("M[^M]+", path) for path in paths]
    outer = re.findall("M[^M]+", contour(board.shape, tuple(places(game))))
    assert sorted(edge for of in edges for edge in of) == sorted(outer)
    if len(board.names) > 1:
        assert all(edges), "each side has an edge"
    colours = dict(to_json(game)["seats"])
    for drawn in (svg(game.start()), template(game)):
        for owner, path in zip(game.side_owners, paths, strict=True):
            shade = colours[game.colours[owner]]
            assert f'd="{path}" fill="none" stroke="{shade}"' in drawn
    for wrong in ((0,) * (len(board.sides) + 1), (0,) * (len(board.sides) - 1) + (2,)):
        game.side_owners = wrong
        assert [fault for fault in of_looks(game) if fault and "side_owners" in fault.text] != []


@settings(max_examples=4 * FEW)
@given(boards(), st.data())
def test_every_cell_and_piece_is_inside_the_picture_and_apart_from_others(
    board: Board, data: st.DataObject
) -> None:
    game = Three(board)
    white = data.draw(some_cells(board))
    position = ThreePosition(game, (white, board.full & ~white), 0, 0)
    root = ET.fromstring(svg(position, last=board.names, highlight=board.names, legal=True))
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    at = [
        re.fullmatch(r"translate\((\S+) (\S+)\)", group.attrib.get("transform", ""))
        for group in root.iter(f"{SVG}g")
    ]
    drawn = {(float(found[1]), float(found[2])) for found in at if found}
    assert len(drawn) == len(board.names), "pieces and brackets are on the cells"
    corners = to_json(game)["corners"]
    for x, y in drawn:
        for dx, dy in zip(corners[::2], corners[1::2], strict=True):
            assert left < x + dx < left + width
            assert top < y + dy < top + height
    for text in root.iter(f"{SVG}text"):
        x, y = float(text.attrib.get("x", 0)), float(text.attrib.get("y", 0))
        assert left < x < left + width
        assert top < y < top + height
    centres = places(game)
    assert all(abs(complex(*a) - complex(*b)) > 99 for a in centres for b in centres if a is not b)
    assert template(game).count('data-sprite="name"') == (not rim(board).is_complete)


@settings(max_examples=4 * FEW)
@given(boards(), st.data())
def test_a_diagram_has_all_contents_in_the_order_of_rows(board: Board, data: st.DataObject) -> None:
    white = data.draw(some_cells(board))
    empty = 0 if isinstance(board, Points) else data.draw(some_cells(board)) & ~white
    contents = board.contents([("X", white), ("O", board.full & ~white & ~empty)])
    position: Any = SimpleNamespace(game=SimpleNamespace(board=board), contents=lambda: contents)
    read = re.findall(r"[XO.]", diagram(position))
    names = [board.name[bit] for row in board.rows for bit in row]
    assert read == [contents[board.names.index(name)] or "." for name in names]
    rows = [line for line in diagram(position).splitlines() if re.search("[XO.]", line)]
    labels = {word for word, _ in rim(board).rows}
    assert {line.split()[0] for line in rows} >= labels


def test_columns_of_a_rhombus_lean_and_have_their_letters_above() -> None:
    found = {
        name: (bool(rim(board).rows), bool(rim(board).columns), rim(board).is_above)
        for name, board in KINDS.items()
    }
    full, letters, none = (True, True, False), (True, False, False), (False, False, False)
    assert found == {
        "squares": full,
        "rectangle": full,
        "row": full,
        "hexagon": letters,
        "long hexagon": letters,
        "trapezium": letters,
        "rhombus": (True, True, True),
        "parallelogram": (True, True, True),
        "slanted column": (True, True, True),
        "triangle": letters,
        "morris": full,
        "star": none,
        "wheel": none,
        "pair": full,
        "edges": full,
    }
    assert diagram(Three("rhombus").start()).splitlines()[:3] == [
        "   a b c d e",
        "1  . . . . .",
        "2   . . . . .",
    ]


def test_morris_is_written_as_it_is_printed() -> None:
    game = Three("morris")
    position = game.start().play(game.canonical("d2")).play(game.canonical("a4"))
    assert (
        diagram(position)
        == """\
7  .-----------.-----------.
   |           |           |
6  |   .-------.-------.   |
   |   |       |       |   |
5  |   |   .---.---.   |   |
   |   |   |       |   |   |
4  b---.---.       .---.---.
   |   |   |       |   |   |
3  |   |   .---.---.   |   |
   |   |       |       |   |
2  |   .-------w-------.   |
   |           |           |
1  .-----------.-----------.
   a   b   c   d   e   f   g"""
    )


def test_a_graph_without_rows_and_columns_shows_the_names_of_its_points() -> None:
    game = Three("star")
    position = game.start().play(game.canonical("a1"))
    assert (
        diagram(position)
        == """\
    c1-----c2
   /  \\  /   \\
  b2----w-----a2
    \\ /   \\ /
     b1----a3"""
    )
    assert svg(position).count(">b2</text>") == 1
    assert "b2" in coloured(position).plain


def test_points_are_not_dimmed_and_a_cell_that_is_missing_is_answered_with_its_row() -> None:
    start = Three("morris").start()
    (veil,) = (pen.fill for pen in MARKS["veil"])
    plain, decided = (svg(start, highlight=names) for names in ((), ("a1", "a4", "a7")))
    assert decided.count(f'fill="{veil}"') == plain.count(f'fill="{veil}"')
    assert DECIDING in decided
    assert about_move(start.game, "a2") == ("", "a1, a4 or a7")
    assert about_move(Three("hex").start().game, "a12") == ("", "a cell from a1 to a11")


@pytest.mark.parametrize("kind", BOARDS)
def test_the_terminal_shows_every_piece_and_label(kind: str) -> None:
    game, chance = Three(kind), Random(kind)
    position = game.start()
    for _ in range(4):
        position = position.play(chance.choice(position.legal_moves()))
    outcome = coloured(position, last=[game.board.names[0]]).plain
    lines = outcome.splitlines()
    assert len(set(map(len, lines))) == 1
    assert len(lines[0]) <= 80
    words = [word for word, _ in (*rim(game.board).rows, *rim(game.board).columns)]
    assert all(re.search(rf"\b{word}\b", outcome) for word in words)
    assert outcome.count("w") == 2, "and no label has this letter"
    assert outcome.count("b") >= 2
