"""Boards as SVG: every game's positions, drawn from what the game says of itself."""

from __future__ import annotations

import random
from dataclasses import dataclass
from xml.etree import ElementTree as ET

import pytest

import games
from games.core import Piece, Position, play_all, playout
from reports import drawing
from reports.board import CELL, FAINT, LABEL, PLATE, svg

SVG = "{http://www.w3.org/2000/svg}"


def final(game_id: str, seed: int = 1) -> Position:
    game = games.get(game_id)
    start = game.start(game.draw_setup(seed))
    return play_all(start, playout(start, random.Random(seed)))


def drawn(position: Position, **options: str) -> ET.Element:
    return ET.fromstring(svg(position, **options))


def titles(root: ET.Element) -> list[str]:
    return [title.text or "" for title in root.iter(f"{SVG}title")][1:]


def words(root: ET.Element) -> list[str]:
    return [text.text or "" for text in root.iter(f"{SVG}text")]


@dataclass(frozen=True)
class Staged:
    """A position with other contents, to draw what no game of ours has."""

    position: Position
    cells: dict[str, str]

    @property
    def game(self) -> games.core.Game:
        return self.position.game

    def contents(self) -> tuple[str, ...]:
        return tuple(self.cells.get(name, "") for name in self.game.board.names)

    def __getattr__(self, name: str) -> object:
        return getattr(self.position, name)


@pytest.mark.parametrize("game_id", games.ids())
def test_every_piece_on_the_board_is_told(game_id: str) -> None:
    position = final(game_id)
    told = titles(drawn(position))
    expected = [
        name
        for name, content in zip(position.game.board.names, position.contents(), strict=True)
        if content
    ]
    assert [words.split(":")[0] for words in told] == expected


@pytest.mark.parametrize("game_id", games.ids())
def test_everything_lies_within_the_view(game_id: str) -> None:
    root = drawn(final(game_id))
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    for text in root.iter(f"{SVG}text"):
        if "x" in text.attrib and text.attrib["x"] != "0":
            assert left < float(text.attrib["x"]) < left + width
            assert top < float(text.attrib["y"]) < top + height


@pytest.mark.parametrize("game_id", games.ids())
def test_the_drawing_needs_nothing_else(game_id: str) -> None:
    text = svg(final(game_id))
    assert "href" not in text
    assert "url(" not in text
    assert " style=" not in text


@pytest.mark.parametrize("game_id", games.ids())
def test_the_same_position_gives_the_same_text(game_id: str) -> None:
    assert svg(final(game_id)) == svg(final(game_id))


def test_squares_have_letters_below_and_digits_at_the_left() -> None:
    root = drawn(games.get("surikata").start())
    assert sorted(words(root)) == [*"12345", *"abcde"]


def test_hexagons_have_letters_at_the_left_and_names_inside() -> None:
    game = games.get("yavalath")
    root = drawn(game.start())
    assert sorted(words(root)) == sorted([*"abcdefghi", *game.board.names])


def test_hexagons_stand_on_a_point() -> None:
    corners = drawing.corners("hexagon")
    assert corners[0][0] == pytest.approx(0)
    assert max(x for x, _ in corners) == pytest.approx(50)


def test_a_tiles_letter_is_readable_under_a_disc() -> None:
    game = games.get("mammalath")
    bare = drawing.stack("A", {p.code: p for p in game.pieces}, "square")
    covered = drawing.stack("Ab", {p.code: p for p in game.pieces}, "square")
    assert bare.count(">A</text>") == covered.count(">A</text>") == 1
    assert covered.rindex("<circle") < covered.index(">A</text>")
    assert "#ffffff" in covered.split("<circle")[-1]


def test_a_marker_stands_on_top() -> None:
    pieces = {piece.code: piece for piece in games.get("surikata").pieces}
    stacked = drawing.stack("ok", pieces, "square")
    assert stacked.rindex(pieces["k"].colour) > stacked.rindex("<circle")


def test_an_empty_cell_is_drawn_by_nothing() -> None:
    assert drawing.stack("", {}, "square") == ""


def test_a_code_without_a_piece_is_written() -> None:
    position = Staged(games.get("yavalath").start(), {"e5": "<"})
    root = ET.fromstring(svg(position))  # type: ignore[arg-type]
    assert "<" in words(root)
    assert titles(root) == ["e5: <"]


def test_highlighted_cells_have_a_ring_and_strange_names_none() -> None:
    position = games.get("surikata").start()
    plain = svg(position)
    assert svg(position, highlight=["z9"]) == plain
    assert svg(position, highlight=["a1", "b2"]).count("#ffd60a") == 2


def test_the_title_is_escaped_and_the_description_tells_the_state() -> None:
    position = games.get("yavalath").position("5/6/7/8/4w4/8/7/6/5 b")
    root = drawn(position, title="</title><script>alert(1)</script>")
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert title.text == "</title><script>alert(1)</script>"
    assert desc.text == "e5 white stone. Black to move."
    assert drawn(position)[0].text == "Yavalath"


def test_the_description_tells_who_won() -> None:
    desc = drawn(final("surikata"))[1].text or ""
    assert " won: " in desc or "Draw: " in desc


@pytest.mark.parametrize(("ground", "ink"), [(PLATE, LABEL), (CELL, FAINT)])
def test_labels_are_readable(ground: str, ink: str) -> None:
    # WCAG 2.2, success criterion 1.4.3.
    assert drawing.contrast(ground, ink) >= 4.5


@pytest.mark.parametrize(
    "piece", [piece for game in games.installed() for piece in game.pieces], ids=lambda p: p.name
)
def test_letters_on_every_piece_are_readable(piece: Piece) -> None:
    assert drawing.contrast(piece.colour, drawing.ink(piece.colour)) >= 4.5


def test_a_strange_colour_is_drawn_as_text_not_markup() -> None:
    pieces = {"x": Piece("x", "odd", "disc", '"><script>')}
    assert "<script>" not in drawing.stack("x", pieces, "square")
