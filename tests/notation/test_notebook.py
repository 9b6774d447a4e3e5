"""What notebooks show of positions and records, and terminals of boards."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree as ET

from sample_records import BUILT_IN, random_game
from walks import play_all

from lath import games, notation
from lath.games.core import Move, Position, Result
from lath.games.drawing.board import html
from lath.notation import Ply, Record
from lath.notation.text.writer import diagram

if TYPE_CHECKING:
    from golden import Golden

SVG = "{http://www.w3.org/2000/svg}svg"


def shown(value: object) -> ET.Element:
    """Return what a notebook shows of a value, which is whole and small."""
    text: str = cast("Any", value)._repr_html_()
    assert len(text) < 50_000
    return ET.fromstring(text)


def words(element: ET.Element) -> str:
    return "".join(element.itertext())


def test_a_position_is_its_board_and_a_record_the_last_one() -> None:
    for game_id in BUILT_IN:
        record = random_game(game_id, 3, annotated=True)
        *_, last = notation.positions(record)
        assert len(shown(last).findall(SVG)) == 1
        assert last.text() in words(shown(last))
        of_record = shown(record)
        assert last.text() in words(of_record)
        assert f"after {len(record.plies)}. {record.plies[-1].move}" in words(of_record)
        assert len(list(of_record.iter(SVG))) == 1


def test_a_game_that_says_nothing_of_a_board_has_its_text() -> None:
    start = games.get("yavalath").start()
    bare = SimpleNamespace(title="Bare <game>", colours=("white", "black"))
    position = SimpleNamespace(
        game=bare, to_move=0, outcome=start.outcome, text=lambda: "a&b", contents=tuple
    )
    element = ET.fromstring(html(cast("Position", position)))
    assert words(element) == "Bare <game>: White to movea&b"


def test_nothing_that_stands_in_a_record_is_markup() -> None:
    name = "<script>alert('$x$')</script>\u202e"
    record = Record(
        (("Game", "surikata"), ("First", name), ("Event", '"><img src=x onerror=y>')),
        (Ply("Mc3", comments=(("</div><script>",),)),),
        Result("1-0"),
    )
    element = shown(record)
    assert {each.tag.rpartition("}")[2] for each in element.iter()}.isdisjoint({"script", "img"})
    assert name[:-1] in words(element)
    assert "\u202e" not in words(element)


def test_a_record_that_is_wrong_says_so() -> None:
    for text, told, boards in (
        ('[Game "surikata"] 1. Mc3 2. Mc3 *', "illegal move Mc3: c3 already has a mound", 1),
        ('[Game "chess"] 1. e4 *', "unknown game 'chess'", 0),
        ('[Game "surikata"] *', "at the start", 1),
    ):
        element = shown(notation.parse(text))
        assert told in words(element)
        assert len(list(element.iter(SVG))) == boards


def test_a_long_record_is_cut() -> None:
    long = tuple(Ply("e5", comments=(("so" * 60,),)) for _ in range(1001))
    tags = (("Game", "yavalath"), *((f"Tag{number}", "x" * 999) for number in range(90)))
    element = shown(Record(tags, long))
    assert "… (1001 plies in all)" in words(element)
    assert "51 more" in words(element)


def test_squares_have_numbers_and_letters_and_rows_of_hexagons_lie_apart(golden: Golden) -> None:
    lines = {"surikata": "Ma1 Mb2 Mc3 Md4 Me5 c1", "manalath-61": "Oa1 Pi5"}
    golden(
        {
            game_id: diagram(play_all(games.get(game_id).start(), list(map(Move, moves.split()))))
            for game_id, moves in lines.items()
        }
    )
