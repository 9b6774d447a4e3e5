"""Patterns of cells: what each sign means, and that they are found wherever they lie."""

from __future__ import annotations

import re
from cmath import rect
from collections import Counter
from dataclasses import dataclass
from math import tau
from random import Random
from typing import TYPE_CHECKING, Final

import pytest
from board_games import Three
from families import ALL
from walks import play_all, walk

from lath import games
from lath.games.points import Points
from lath.notation.query.patterns import PatternError, read_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from golden import Golden

    from lath.games.core import Game, Position


def has(position: Position, text: str, cell: str = "", **how: bool) -> bool:
    compiled = read_pattern(text, cell=cell, **how).on(position.game)
    return compiled is not None and compiled.is_in(position)


SQUARES = games.get("mammalath:size=4").position("ABCD/2CD/2DC/2AB b3/w3/wb2/2w1 w")
"""White is to move; a token is written behind its animal.

    Ab B  C  D
    w  .  C  D
    w  b  D  C
    .  .  Aw B
"""

HEXAGONS = games.get("yavalath:size=4").position("b3/5/2w3/2wb3/1ww3/5/3b b")
"""Black is to move.

       b . . .
      . . . . .
     . . w . . .
    . . w b . . .
     . w w . . .
      . . . . .
       . . . b
"""


THERE: Final = (
    *("w", "ww", "b/w/w", "b?/?w", "w.", "A", "(Ab)", "(w[ABCD])", "(w[^ABCD])/(w[^ABCD])"),
    *("[AB]b", "[.w][.w]", "CD/DC", "+-", "(A+)", "(A-)", "(A+)/#", "#(Ab)/?#", "w***", "w***#"),
    *("# ( A b )\n/ ? #", "w????"),
)
NOT_THERE: Final = (
    *("www", "b??w", "w../?.b", "(Bb)", "(b[^ABCD])(b[ABCD])", "[AB][AB]b", "[^.ABCDwb]"),
    *("#(A+)#", "##/#w", "w****"),
)


def test_each_sign_of_a_pattern_asks_for_something() -> None:
    assert [text for text in THERE if not has(SQUARES, text)] == []
    assert [text for text in NOT_THERE if has(SQUARES, text)] == []


TURNED: Final = (
    *(("b/w", "", True, True), ("w/b", "", False, True), ("DCB", "", False, True)),
    *(("DB", "", False, False), ("w", "a2", True, True), ("w", "b2", False, False)),
    *(("AB", "a4", True, True), ("AB", "d4", False, False), ("BC", "b1", False, True)),
    ("w", "z9", False, False),
)
"""A pattern on squares, its cell, whether it is there plainly, and in any way."""

ON_HEXAGONS: Final = (
    ("?w/ww", True, True),  # a triangle on its side
    ("ww/w", False, True),  # on its tip
    ("w/w/w", False, True),  # a line, to the right downwards
    ("??w/?w/w", True, True),  # to the left downwards
    *(("w??w", False, False), ("wb/w", True, True), ("bb", False, False), ("##/#b", True, True)),
)


def test_a_pattern_is_turned_unless_plain_and_recoloured_on_demand() -> None:
    for text, cell, *found in TURNED:
        how = [has(SQUARES, text, cell, is_plain=is_plain) for is_plain in (True, False)]
        assert how == found, text
    for text in ("bw", "-+"):
        for is_either in (False, True):
            assert has(SQUARES, text, is_plain=True, is_either=is_either) is is_either
    for text, *found in ON_HEXAGONS:  # a row begins half a cell to the right
        for same in (text, text.replace("w", "-").replace("b", "+")):
            how = [has(HEXAGONS, same, is_plain=is_plain) for is_plain in (True, False)]
            assert how == found, same


def test_manalath_is_turned_as_its_cells_can_be_though_its_board_cannot() -> None:
    game = games.get("manalath")
    along_a_row = play_all(
        game.start(), [game.canonical(f"O{cell}") for cell in ("e4", "e5", "e6")]
    )
    assert has(along_a_row, "o/o/o")
    assert not has(along_a_row, "o/o/o", is_plain=True)
    assert has(along_a_row, "ooo", "e4")
    assert not has(along_a_row, "o/o/o", "e4"), "no image of the board takes a row across"


def test_the_meerkat_stands_on_a_piece() -> None:
    position = games.get("surikata").position("mmm1m/5/m4/5/o4 a1 w")
    assert has(position, "(ok)", "a1")
    assert has(position, "(-k)") != has(position, "(+k)")
    assert not has(position, "[wm]k")
    assert not has(position, "mk")


def test_a_text_that_is_no_pattern_is_told_with_its_place(golden: Golden) -> None:
    said = {}
    for text, at in (
        *(("", 0), ("?*/#", 0), ("w2w", 1), ("w!", 1), ("w[wb", 4), ("w[]", 2), ("[w[", 2)),
        *(("[?w]", 1), ("()", 1), ("(w", 2), ("w" * 1001, 0)),
    ):
        with pytest.raises(PatternError) as caught:
            read_pattern(text)
        assert caught.value.at == at
        said[text[:10]] = str(caught.value)
    with pytest.raises(PatternError) as caught:
        read_pattern(" #w", cell="c3")
    golden(said | {" #w on c3": str(caught.value)})


def test_a_game_without_such_pieces_cells_or_owners_has_no_such_pattern() -> None:
    yavalath = games.get("yavalath")
    assert read_pattern("o").on(yavalath) is None
    assert read_pattern("w", cell="a9").on(yavalath) is None
    assert read_pattern("w" + "?" * 30 + "w").on(yavalath) is None
    assert read_pattern("w" + "?" * 30).on(yavalath) is not None
    manalath = games.get("manalath")
    assert read_pattern("g", is_either=True).on(manalath) is not None


# The reference knows nothing of grids, bits and shifts: cells are places in the plane.


def holds(sign: str, content: str | None, own: str, theirs: str) -> bool:
    """Return whether a sign is true of what lies on a cell, None off the board."""
    if sign == "?":
        return True
    if content is None or sign in "#*":
        return (content is None) is (sign == "#")
    if sign[0] == "(":
        parts = re.findall(r"\[.*?\]|.", sign[1:-1])
        return all(holds(part, content, own, theirs) for part in parts)
    if sign[0] == "[":
        codes = sign.strip("[^]")
        return (sign[1] != "^") is any(holds(code, content, own, theirs) for code in codes)
    if sign == ".":
        return content == ""
    sought = {"+": own, "-": theirs}.get(sign, sign)
    return any(code in content for code in sought)


@dataclass(frozen=True)
class Found:
    """A pattern looked for in every place and way, cell by cell."""

    game: Game
    rows: Sequence[Sequence[str]]
    own: str
    theirs: str

    def is_anywhere(self, contents: Sequence[str], *, is_plain: bool) -> bool:
        steps = 4 if self.game.board.shape == "square" else 6
        ways = [
            (is_mirrored, rect(1, tau * step / steps))
            for is_mirrored in (False, True)
            for step in range(steps)
        ]
        signs = list(self.signs())
        begin = next(at for at, sign in signs if sign not in "?#")
        lying = self.lying(contents)
        for is_mirrored, turn in ways[:1] if is_plain else ways:
            steps_to = [
                (turn * ((at - begin).conjugate() if is_mirrored else at - begin), sign)
                for at, sign in signs
            ]
            for centre in self.game.board.centres:
                if self.is_at(complex(*centre), steps_to, lying):
                    return True
        return False

    def is_on(self, cell: str, contents: Sequence[str], *, is_plain: bool) -> bool:
        board = self.game.board
        images = board.isometries[:1] if is_plain else board.isometries
        centre = complex(*board.centres[board.names.index(cell)])
        for image in images:
            moved = {
                image.cells[name]: content
                for name, content in zip(board.names, contents, strict=True)
            }
            lying = self.lying([moved[name] for name in board.names])
            if self.is_at(centre, list(self.signs()), lying):
                return True
        return False

    def signs(self) -> Iterator[tuple[complex, str]]:
        for down, row in enumerate(self.rows):
            for right, sign in enumerate(row):
                if self.game.board.shape == "square":
                    yield complex(right, down), sign
                else:
                    yield complex(right + down / 2, down * 3**0.5 / 2), sign

    def is_at(
        self,
        centre: complex,
        signs: Sequence[tuple[complex, str]],
        lying: dict[tuple[float, float], str],
    ) -> bool:
        return all(
            holds(sign, lying.get(_rounded(centre + at)), self.own, self.theirs)
            for at, sign in signs
        )

    def lying(self, contents: Sequence[str]) -> dict[tuple[float, float], str]:
        centres = self.game.board.centres
        return {
            _rounded(complex(*centre)): content
            for centre, content in zip(centres, contents, strict=True)
        }


def _rounded(place: complex) -> tuple[float, float]:
    return round(place.real, 2) + 0.0, round(place.imag, 2) + 0.0


def owned(game: Game, colour: str) -> str:
    return "".join(piece.code for piece in game.pieces if colour in piece.name)


def drawn_rows(position: Position, chance: Random) -> list[list[str]]:
    """Return signs of a pattern, most of them true of some place of the position."""
    game, board = position.game, position.game.board
    codes = [piece.code for piece in game.pieces]
    some = "".join(chance.sample(codes, 2))
    signs = ["?", "*", "#", ".", *codes, f"[{some}]", f"[^{some}]", f"[.{some}]"]
    signs += [f"({code}[{some}])" for code in codes] + [f"({code}[^{some}])" for code in codes]
    own, theirs = (owned(game, game.colours[seat]) for seat in _seats(position))
    if own and theirs:
        signs += ["+", "-", "(+[^.])"]
    found = Found(game, (), own, theirs)
    lying = found.lying(position.contents())
    begin = complex(*chance.choice(board.centres))
    rows = [["?"] * chance.randint(1, 3) for _ in range(chance.randint(1, 3))]
    for place, _ in Found(game, rows, own, theirs).signs():
        content = lying.get(_rounded(begin + place))
        true = [sign for sign in signs[3:] if holds(sign, content, own, theirs)] or ["#"]
        sign = chance.choice(signs if chance.random() < 0.15 else true)
        down = round(place.imag / (1 if board.shape == "square" else 3**0.5 / 2))
        right = round(place.real - (0 if board.shape == "square" else down / 2))
        rows[down][right] = sign
    return rows


def _seats(position: Position) -> tuple[int, int]:
    return position.to_move, 1 - position.to_move


def exchanged(game: Game, contents: Sequence[str]) -> list[str]:
    """Return the board with the players' colours exchanged."""
    first, second = (owned(game, colour) for colour in game.colours)
    return [
        content.translate(str.maketrans(first + second, second + first)) for content in contents
    ]


OF_HEXAGONS: Final = (Three("rhombus"), Three("triangle"))


@pytest.mark.parametrize("game", [*ALL, *OF_HEXAGONS], ids=lambda game: game.id)
def test_a_pattern_is_found_where_looking_cell_by_cell_finds_it(game: Game) -> None:
    chance, answers = Random(game.id), Counter[bool]()
    for seed in range(10):
        positions = [position for position, _ in walk(game, seed)]
        for position in chance.sample(positions, min(3, len(positions))):
            rows = drawn_rows(position, chance)
            text = "/".join(map("".join, rows))
            if not re.search(r"[^?*#/]", text):
                continue
            is_anywhere = rows[0][0] == "#" or chance.random() < 0.6
            cell = "" if is_anywhere else chance.choice(game.board.names)
            is_plain, is_either = chance.random() < 0.3, chance.random() < 0.3
            pattern = read_pattern(text, cell=cell, is_plain=is_plain, is_either=is_either)
            compiled = pattern.on(game)
            for each in (position, chance.choice(positions)):
                own, theirs = (owned(game, game.colours[seat]) for seat in _seats(each))
                boards = [each.contents()]
                if is_either and own and theirs:
                    boards.append(tuple(exchanged(game, boards[0])))
                found = Found(game, rows, own, theirs)
                expected = any(
                    found.is_on(cell, board, is_plain=is_plain)
                    if cell
                    else found.is_anywhere(board, is_plain=is_plain)
                    for board in boards
                )
                answer = compiled is not None and compiled.is_in(each)
                assert answer is expected, (text, cell, is_plain, is_either, each.text())
                answers[answer] += 1
    assert min(answers[True], answers[False]) >= 6, answers


@pytest.mark.parametrize("board", ["morris", "star"])
def test_a_pattern_on_free_points_is_found_along_their_lines(board: str) -> None:
    game, chance, answers = Three(board), Random(board), Counter[bool]()
    names = game.board.names
    assert isinstance(game.board, Points)
    tracks = [[names.index(game.board.name[bit]) for bit in track] for track in game.board.tracks]
    for position, _ in walk(game, 3):
        contents = position.contents()
        own, theirs = "wb"[position.to_move], "bw"[position.to_move]
        for _ in range(60):
            signs = [chance.choice("??wb.+-*#") for _ in range(chance.randint(1, 4))]
            cell = chance.choice(names) if signs[0] != "#" and chance.random() < 0.3 else ""
            if not set(signs) - set("?*#"):
                continue
            is_plain = chance.random() < 0.3
            turns = (
                (game.board.isometries[:1] if is_plain else game.board.isometries) if cell else ()
            )
            begins = {names.index(turn.cells[cell]) for turn in turns}
            ways = [*tracks, *(() if is_plain else (track[::-1] for track in tracks))]
            expected = any(
                all(
                    holds(sign, contents[way[at]] if 0 <= at < len(way) else None, own, theirs)
                    for at, sign in enumerate(signs, begin)
                )
                for way in ways
                for begin in range(-3, len(way))
                if not cell or (begin >= 0 and way[begin] in begins)
            )
            pattern = read_pattern("".join(signs), cell=cell, is_plain=is_plain)
            compiled = pattern.on(game)
            assert (compiled is not None and compiled.is_in(position)) is expected
            answers[expected] += 1
    assert read_pattern("w/w").on(game) is None, "no row is below another"
    assert min(answers[True], answers[False]) > 20, answers
