"""Boards as SVG: every game's positions, drawn from what the game says of itself.

Pieces stay apart for every kind of eye. The matrices are those of Machado, Oliveira and Fernandes,
"A physiologically-based model for simulation of color vision deficiency" (IEEE TVCG 15(6), 2009),
severity 1.0, for linear RGB.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, product
from typing import Any, Final, get_args
from xml.etree import ElementTree as ET

import pytest
from game_files import EXAMPLES
from places import OURS
from walks import play_all, playout

from lath import games
from lath.games.board import Shape
from lath.games.contract import PieceShape
from lath.games.core import SIDES, Game, Move, Piece, Position, owned_by
from lath.games.drawing import shapes
from lath.games.drawing.board import svg, to_json
from lath.games.drawing.changes import effects
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
    linear,
    shaded,
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
def test_a_strip_below_a_board_has_the_players_beside_their_colours(game_id: str) -> None:
    position = final(game_id)
    game, plain = position.game, drawn(position)
    lines = ["ann & bob", "<" + "long " * 9, f"{game.title} · ply 3 of 4 · 1-0"]
    root = drawn(position, strip=lines)
    shown = words(root)[-3:]
    assert [shown[0], shown[2]] == [lines[0], lines[2]]
    assert shown[1] == f"{lines[1][:25].rstrip()}…"
    colours = [circle.attrib["fill"] for circle in [*root.iter(f"{SVG}circle")][-2:]]
    own = {piece.code: piece.colour for piece in game.pieces}
    assert colours == [own[owned_by(game, seat)[0]] for seat in SIDES]
    _, top, _, height = map(float, plain.attrib["viewBox"].split())
    *_, taller = map(float, root.attrib["viewBox"].split())
    below = [float(text.attrib["y"]) for text in [*root.iter(f"{SVG}text")][-3:]]
    assert top + height < min(below) < max(below) < top + taller


@pytest.mark.parametrize("game_id", games.ids())
def test_a_drawing_tells_every_piece_lies_within_the_view_and_needs_nothing_else(
    game_id: str,
) -> None:
    position = final(game_id)
    text = svg(position)
    root = ET.fromstring(text)
    names = position.game.board.names
    expected = [cell for cell, on in zip(names, position.contents(), strict=True) if on]
    assert [words.split(":")[0] for words in titles(root)] == expected
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    for one in root.iter(f"{SVG}text"):
        if "x" in one.attrib and one.attrib["x"] != "0":
            assert left < float(one.attrib["x"]) < left + width
            assert top < float(one.attrib["y"]) < top + height
    assert not [word for word in ("href", "url(", " style=") if word in text]
    assert svg(final(game_id)) == text
    assert (svg(position, aids=True) != text) == bool(of(position.game)), "overlays on demand"
    start = position.game.start()
    plain, dotted = (drawn(start, legal=legal) for legal in (False, True))
    drawn_marks = len(list(dotted.iter(f"{SVG}g"))) - len(list(plain.iter(f"{SVG}g")))
    assert drawn_marks == len(marks(start))
    assert drawn_marks == len(names) or game_id not in OURS
    assert (dotted[1].text or "").endswith(f"Legal moves: {' '.join(start.legal_moves())}.")


def marks(position: Position) -> list[int]:
    """Return the cells with a dot, a cross or arrows of what legal moves do."""
    does = effects(position)
    crossed = [*does.kinds.values(), *(cells for cells in does.lines if len(cells) == 1)]
    return [*does.dots, *chain(*crossed), *does.turned]


def test_rows_and_columns_of_a_rectangle_have_their_labels() -> None:
    root = drawn(games.add(EXAMPLES / "connect_four.py").start())
    assert words(root) == [*"abcdefg", *"123456"]


def test_every_legal_move_that_changes_a_cell_is_marked() -> None:
    game = games.add(EXAMPLES / "konane.py")
    start = game.start()
    second = start.play(game.canonical("c3"))
    for position, crosses in ((start, 4), (second, 4)):
        assert len(position.legal_moves()) == crosses
        assert svg(position, legal=True).count(CROSS) == crosses
    later = second.play(game.canonical("c4"))
    ends = {move.partition("-")[2] for move in later.legal_moves()}
    assert {game.board.names[cell] for cell in marks(later)} == ends


@dataclass(frozen=True)
class Scene:
    """What lies on cells, and where moves lead."""

    cells: tuple[str, ...]
    moves: dict[str, Scene] = field(default_factory=dict)

    def contents(self) -> tuple[str, ...]:
        return self.cells

    def legal_moves(self) -> tuple[str, ...]:
        return tuple(self.moves)

    def play(self, move: str) -> Scene:
        return self.moves[move]


def test_cells_that_a_move_changes_in_a_way_of_its_own_are_marked() -> None:
    cells = "wb", "", "b", "", ""
    after = {"two": ("wb", "w", "b", "w", ""), "swap": ("bw", "", "b", "", ""), "pass": cells}
    scene: Any = Scene(cells, {move: Scene(contents) for move, contents in after.items()})
    assert effects(scene).turned == [1, 3, 0]


def test_cells_are_named_and_hexagons_stand_on_a_point() -> None:
    root = drawn(games.get("surikata").start())
    assert sorted(words(root)) == [*"12345", *"abcde"]
    game = games.get("yavalath")
    assert sorted(words(drawn(game.start()))) == sorted([*"abcdefghi", *game.board.names])
    corners = shapes.corners("hexagon")
    assert corners[0][0] == pytest.approx(0)
    assert max(x for x, _ in corners) == pytest.approx(50)


def test_a_disc_on_a_tile_is_a_ring_round_the_tiles_letter() -> None:
    tokens_on_tiles = [
        (game, tile, disc)
        for game in games.installed()
        for tile in game.pieces
        for disc in game.pieces
        if (tile.shape, disc.shape) == ("tile", "disc")
    ]
    assert len(tokens_on_tiles) >= 6 * 2 + 8 * 2
    for game, tile, disc in tokens_on_tiles:
        pieces = {piece.code: piece for piece in game.pieces}
        bare = shapes.stack(tile.code, pieces, game.board.shape)
        covered = shapes.stack(tile.code + disc.code, pieces, game.board.shape)
        circles = list(element(covered.removeprefix(bare)).iter(f"{SVG}circle"))
        assert covered.startswith(bare)
        assert {circle.attrib["fill"] for circle in circles} == {"none"}
        (group,) = (g for g in element(covered).iter(f"{SVG}g") if "font-size" in g.attrib)
        inner = min(float(c.attrib["r"]) - float(c.attrib["stroke-width"]) / 2 for c in circles)
        # Capitals are 0.72 em high and, but for W, no wider than 0.8 em.
        assert float(group.attrib["font-size"]) * 0.4 * 2**0.5 < inner
        assert group.attrib["fill"] == ink(tile.colour)


def test_pieces_differ_by_more_than_colour() -> None:
    pieces = {piece.code: piece for piece in games.get("mammalath").pieces}
    for under in ("", "A"):
        light, dark = (shapes.stack(under + code, pieces, "square") for code in "wb")
        assert ("stroke-dasharray" in light, "stroke-dasharray" in dark) == (False, True)
    animals = [p for p in games.get("mammalath-plus").pieces if p.shape == "tile"]
    assert len({animal.glyph for animal in animals} - {""}) == len(animals) == 8
    plain = element(shapes.draw(Piece("x", "plain tile", "tile", "#3366cc"), "square"))
    assert words(plain) == ["x"]
    assert len(list(plain.iter(f"{SVG}path"))) == 2
    pieces = {piece.code: piece for piece in games.get("surikata").pieces}
    stacked = shapes.stack("ok", pieces, "square")
    assert stacked.rindex(pieces["k"].colour) > stacked.rindex("<circle"), "a marker is on top"
    assert shapes.stack("", {}, "square") == ""


SIGNS: Final = ("M-30-40H-20V40H-30z", "M20-40H30V40H20z", "M-40-40H40V40H-40z")
"""Outlines beside the middle of a cell, and one that fills it."""


@pytest.mark.parametrize("kind", get_args(PieceShape))
@pytest.mark.parametrize("colour", ["#ffffff", "#111111", "#7a5c3a", "#c0392b"])
def test_a_glyph_shows_on_each_shape(kind: PieceShape, colour: str) -> None:
    for sign, on_tile, shape in product(SIGNS, (False, True), get_args(Shape)):
        piece = Piece("x", "a piece", kind, colour, sign)
        root = element(shapes.draw(piece, shape, on_tile=on_tile))
        paths = [each for each in root.iter() if "fill" in each.attrib and each.tag != f"{SVG}g"]
        at = next(i for i, each in enumerate(paths) if each.get("d") == sign)
        shown = paths[at].attrib
        fills = [each.attrib["fill"] for each in paths[:at] if each.attrib["fill"] != "none"]
        ground = next(iter(reversed(fills)), CELL)
        edge = shown.get("stroke", shown["fill"])
        assert max(contrast(shown["fill"], ground), contrast(edge, ground)) >= 2
        plain = element(shapes.draw(replace(piece, glyph=""), shape, on_tile=on_tile))
        is_lettered = kind == "tile" and sign == SIGNS[2]
        assert (words(root), words(plain)) == (["x"] * is_lettered, ["x"] * (kind == "tile"))
        assert len(list(plain.iter(f"{SVG}path"))) <= len(list(root.iter(f"{SVG}path"))) + 2
        labelled = element(shapes.draw(replace(piece, label="12"), shape, on_tile=on_tile))
        assert words(labelled) == ["12"]


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
    over = svg(position.play(position.legal_moves()[0]), highlight=["c3"])
    assert over.index(veil.attrib["opacity"]) < over.index("<title>a1: ")  # pieces are not dimmed


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
    told = drawn(final("surikata"))[1].text or ""
    assert " won: " in told or "Draw: " in told


def test_a_strange_colour_is_drawn_as_text_not_markup() -> None:
    pieces = {"x": Piece("x", "odd", "disc", '"><script>')}
    assert "<script>" not in shapes.stack("x", pieces, "square")


def extremes(piece: Piece) -> Iterator[float]:
    """Yield all coordinates of absolute commands; arcs are small holes."""
    for command, rest in re.findall(r"([A-Za-z])([^A-Za-z]*)", piece.glyph):
        numbers = [float(number) for number in re.findall(r"-?[0-9.]+", rest)]
        if command in "MLQCHV":
            yield from numbers
        else:
            assert command in "az"


Triple = tuple[float, float, float]

EYES: Final[dict[str, tuple[Triple, Triple, Triple]]] = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red (protanopia)": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green (deuteranopia)": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no blue (tritanopia)": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}

APART: Final = 20
"""Distance in CIELAB; 2.3 is what can just be told apart side by side."""


def seen(colour: str, eye: str) -> Triple:
    """Return a colour in CIELAB (D65) as this eye sees it."""
    light = linear(colour)
    red, green, blue = (
        min(1.0, max(0.0, sum(m * c for m, c in zip(row, light, strict=True)))) for row in EYES[eye]
    )
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = map(_cube_root, (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def _cube_root(value: float) -> float:
    return value ** (1 / 3) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116


def distance(one: str, other: str, eye: str) -> float:
    pairs = zip(seen(one, eye), seen(other, eye), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)


every_installed_game = pytest.mark.parametrize("game", games.installed(), ids=lambda game: game.id)


@every_installed_game
def test_pieces_of_one_shape_differ_for_every_eye_and_discs_in_lightness_alone(game: Game) -> None:
    for one, other in combinations(game.pieces, 2):
        if one.shape == other.shape:
            apart = [distance(one.colour, other.colour, eye) for eye in EYES]
            light = [seen(piece.colour, "all colours")[0] for piece in (one, other)]
            if one.shape == "disc":
                apart.append(abs(light[0] - light[1]))
            assert min(apart) >= APART, f"{one.name}, {other.name}: {apart}"


@every_installed_game
def test_letters_edges_and_glyphs_of_pieces_show_on_their_cells(game: Game) -> None:
    """WCAG 2.2, success criteria 1.4.3 and 1.4.11."""
    for piece in game.pieces:
        assert contrast(piece.colour, ink(piece.colour)) >= 4.5, piece.name
        edge = ink(piece.colour) if piece.shape == "marker" else shaded(piece.colour, 0.42)
        assert max(contrast(edge, CELL), contrast(piece.colour, CELL)) >= 3, piece.name
        assert max(map(abs, extremes(piece)), default=0) <= 50, "a glyph stays in its cell"


@every_installed_game
def test_both_players_have_the_colour_of_the_pieces_that_are_called_so(game: Game) -> None:
    found = dict(to_json(game)["seats"])
    assert list(found) == list(game.colours)
    for side in SIDES:
        own = [piece.colour for piece in game.pieces if piece.code in owned_by(game, side)]
        is_shared = not own and game.id.partition(":")[0] not in OURS  # the pieces of both
        assert is_shared or found[game.colours[side]] in own, (game.id, side)


def test_labels_are_readable_and_marks_show_by_themselves_or_by_their_casing() -> None:
    assert distance("#000000", "#ffffff", "all colours") == pytest.approx(100, abs=0.01)
    for ground, text in ((PLATE, LABEL), (CELL, FAINT)):
        assert contrast(ground, text) >= 4.5
    for colour in (DECIDING, MOVED, CELL):
        assert contrast(colour, CASING) >= 3
