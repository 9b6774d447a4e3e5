"""Boards as SVG: every game's positions, drawn from what the game says of itself."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from walks import play_all, playout

from lath import games
from lath.games.core import Game, Move, Piece, Position
from lath.games.drawing import shapes
from lath.games.drawing.board import effects, svg
from lath.games.drawing.shapes import (
    CASING,
    CELL,
    CROSS,
    DECIDING,
    FAINT,
    LABEL,
    MOVED,
    PLATE,
    TURN,
    contrast,
    ink,
)
from lath.games.overlays import of

SVG = "{http://www.w3.org/2000/svg}"


def final(game_id: str, seed: int = 1) -> Position:
    game = games.get(game_id)
    start = game.start(game.draw_setup(seed))
    return play_all(start, playout(start, random.Random(seed)))


def drawn(position: Position, **options: Any) -> ET.Element:
    return ET.fromstring(svg(position, **options))


def element(markup: str) -> ET.Element:
    return ET.fromstring(f'<g xmlns="{SVG[1:-1]}">{markup}</g>')


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
    corners = shapes.corners("hexagon")
    assert corners[0][0] == pytest.approx(0)
    assert max(x for x, _ in corners) == pytest.approx(50)


TILED = [game for game in games.installed() if any(p.shape == "tile" for p in game.pieces)]
tokens_on_tiles = pytest.mark.parametrize(
    ("game", "tile", "disc"),
    [
        (game, tile, disc)
        for game in TILED
        for tile in game.pieces
        for disc in game.pieces
        if (tile.shape, disc.shape) == ("tile", "disc")
    ],
    ids=lambda value: getattr(value, "code", getattr(value, "id", "")),
)


@tokens_on_tiles
def test_a_tile_under_a_disc_is_drawn_whole_and_the_disc_is_hollow(
    game: Game, tile: Piece, disc: Piece
) -> None:
    pieces = {piece.code: piece for piece in game.pieces}
    bare = shapes.stack(tile.code, pieces, game.board.shape)
    covered = shapes.stack(tile.code + disc.code, pieces, game.board.shape)
    ring = covered.removeprefix(bare)
    circles = list(element(ring).iter(f"{SVG}circle"))
    assert ring != covered
    assert circles
    assert {circle.attrib["fill"] for circle in circles} == {"none"}


@tokens_on_tiles
def test_a_tiles_letter_stands_inside_the_ring(game: Game, tile: Piece, disc: Piece) -> None:
    pieces = {piece.code: piece for piece in game.pieces}
    root = element(shapes.stack(tile.code + disc.code, pieces, game.board.shape))
    (group,) = (group for group in root.iter(f"{SVG}g") if "font-size" in group.attrib)
    circles = list(root.iter(f"{SVG}circle"))
    inner = min(float(c.attrib["r"]) - float(c.attrib["stroke-width"]) / 2 for c in circles)
    # Capitals are 0.72 em high and, but for W, no wider than 0.8 em.
    assert float(group.attrib["font-size"]) * 0.4 * 2**0.5 < inner
    assert group.attrib["fill"] == ink(tile.colour)


def test_the_tokens_of_a_game_differ_by_more_than_colour() -> None:
    pieces = {piece.code: piece for piece in games.get("mammalath").pieces}
    for under in ("", "A"):
        light, dark = (shapes.stack(under + code, pieces, "square") for code in "wb")
        assert ("stroke-dasharray" in light, "stroke-dasharray" in dark) == (False, True)


def test_every_animal_has_an_outline_of_its_own() -> None:
    animals = [p for p in games.get("mammalath-plus").pieces if p.shape == "tile"]
    assert len({animal.glyph for animal in animals}) == len(animals) == 8
    assert all(animal.glyph for animal in animals)


def test_a_tile_without_an_outline_is_a_slab_with_its_letter() -> None:
    tile = Piece("x", "plain tile", "tile", "#3366cc")
    drawn = element(shapes.draw(tile, "square"))
    assert words(drawn) == ["x"]
    assert len(list(drawn.iter(f"{SVG}path"))) == 2


def test_a_marker_stands_on_top() -> None:
    pieces = {piece.code: piece for piece in games.get("surikata").pieces}
    stacked = shapes.stack("ok", pieces, "square")
    assert stacked.rindex(pieces["k"].colour) > stacked.rindex("<circle")


def test_an_empty_cell_is_drawn_by_nothing() -> None:
    assert shapes.stack("", {}, "square") == ""


def test_a_code_without_a_piece_is_written() -> None:
    position = Staged(games.get("yavalath").start(), {"e5": "<"})
    root = ET.fromstring(svg(position))  # type: ignore[arg-type]
    assert "<" in words(root)
    assert titles(root) == ["e5: <"]


def test_a_line_goes_round_the_cells_that_decided_and_dims_the_others() -> None:
    position = games.get("surikata").start()
    plain = svg(position)
    assert svg(position, highlight=["z9"]) == plain
    marked = svg(position, highlight=["a1", "a2", "c3"])
    line = next(p for p in ET.fromstring(marked).iter(f"{SVG}path") if is_line(p, DECIDING))
    # Of twelve edges the two cells of column a share one, which is left out twice.
    assert line.attrib["d"].count("M") == 10
    veil = next(p for p in ET.fromstring(marked).iter(f"{SVG}path") if "opacity" in p.attrib)
    assert veil.attrib["d"].count("M") == 25 - 3


def test_the_last_move_has_brackets_of_another_shape_and_colour() -> None:
    position = games.get("yavalath").start()
    marked = ET.fromstring(svg(position, last=["a1", "b2", "z9"], highlight=["c3"]))
    brackets = [p for p in marked.iter(f"{SVG}path") if is_line(p, MOVED)]
    (line,) = (p for p in marked.iter(f"{SVG}path") if is_line(p, DECIDING))
    assert len(brackets) == 2
    assert all("stroke-dasharray" in bracket.attrib for bracket in brackets)
    assert "stroke-dasharray" not in line.attrib


def is_line(path: ET.Element, colour: str) -> bool:
    return path.attrib.get("stroke") == colour


@pytest.mark.parametrize("colour", [DECIDING, MOVED])
def test_marks_show_on_every_ground_by_themselves_or_by_their_casing(colour: str) -> None:
    # WCAG 2.2, success criterion 1.4.11: the line has a dark one round it.
    assert contrast(colour, CASING) >= 3
    assert contrast(CELL, CASING) >= 3


@pytest.mark.parametrize("game_id", games.ids())
def test_legal_moves_are_dots_where_pieces_can_be_placed(game_id: str) -> None:
    position = games.get(game_id).start()
    plain, dotted = (drawn(position, legal=legal) for legal in (False, True))
    drawn_dots = len(list(dotted.iter(f"{SVG}g"))) - len(list(plain.iter(f"{SVG}g")))
    assert drawn_dots == len(effects(position).dots) == len(position.game.board.names)
    told = dotted[1].text or ""
    assert told.endswith(f"Legal moves: {' '.join(position.legal_moves())}.")


def test_what_legal_moves_take_or_change_is_drawn_too() -> None:
    start = games.get("mammalath").start().play(Move("c3"))
    swap = svg(start, legal=True)
    assert (swap.count(TURN), swap.count(CROSS)) == (1, 36)
    later = start.play(Move("d5"))
    drawn_later = svg(later, legal=True)
    assert (drawn_later.count(TURN), drawn_later.count(CROSS)) == (0, 36)
    does = effects(later)
    assert does.kinds.keys() == set("ABCDEF")
    # Each line of three, whose text says where it begins and ends.
    assert len(does.lines) == sum("-" in move for move in later.legal_moves()) == 80


@pytest.mark.parametrize("game_id", games.ids())
def test_overlays_are_drawn_on_demand_only_where_a_game_has_some(game_id: str) -> None:
    position = final(game_id)
    has_overlays = bool(of(position.game))
    assert (svg(position, aids=True) != svg(position)) == has_overlays


def test_group_sizes_are_written_once_a_group() -> None:
    position = games.get("manalath").position("6/7/8/ooo6/5p4/4p4/8/7/6 p")
    root = drawn(position, aids=True)
    numbers = [word for word in words(root) if word.isdigit()]
    assert sorted(numbers) == ["2", "3"]
    assert "Group of 3, orange piece: f1 f2 f3" in (root[1].text or "")


def test_the_sight_of_the_meerkat_ends_at_mounds_and_passes_over_pieces() -> None:
    cells = {"b3": "m", "c3": "wk", "c2": "o", "c5": "m", "e3": "m"}
    position = Staged(games.get("surikata").start(), cells)
    desc = ET.fromstring(svg(position, aids=True))[1].text or ""  # type: ignore[arg-type]
    assert desc.endswith("The meerkat sees c1 c2 c4 d3.")


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


@pytest.mark.parametrize(("ground", "text"), [(PLATE, LABEL), (CELL, FAINT)])
def test_labels_are_readable(ground: str, text: str) -> None:
    # WCAG 2.2, success criterion 1.4.3.
    assert contrast(ground, text) >= 4.5


@pytest.mark.parametrize(
    "piece", [piece for game in games.installed() for piece in game.pieces], ids=lambda p: p.name
)
def test_letters_on_every_piece_are_readable(piece: Piece) -> None:
    assert contrast(piece.colour, ink(piece.colour)) >= 4.5


def test_a_strange_colour_is_drawn_as_text_not_markup() -> None:
    pieces = {"x": Piece("x", "odd", "disc", '"><script>')}
    assert "<script>" not in shapes.stack("x", pieces, "square")
