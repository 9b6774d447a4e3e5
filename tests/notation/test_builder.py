"""Records made ply by ply, which are sound at every step."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Final

import pytest
from exploring import FEW
from game_files import THREE_VERSIONS, write_game
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_records import BUILT_IN, random_game
from wrong_values import nested

from lath import games
from lath.games.core import Seat
from lath.notation import Builder, Ply, Termination, canonical, check, format_record, parse, retag
from lath.notation.errors import RecordValueError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from golden import Golden

WON = ("a1", "e1", "b1", "e2", "d1", "f1", "c1")
"""First makes four in line in Yavalath."""


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_a_builder_knows_what_the_rules_know(game_id: str) -> None:
    record = random_game(game_id, 5, annotated=True)
    builder = Builder(game_id, setup=record.tag("Setup"))
    for ply in record.plies:
        assert ply.move in builder.legal_moves()
        assert builder.to_move is builder.position.to_move
        assert check(builder.record()) == []
        builder.play(ply)
    assert builder.is_over
    assert builder.legal_moves() == ()
    assert builder.result == record.result
    assert builder.record().plies == canonical(record).plies
    assert builder.record().termination == Termination.RULES
    assert check(builder.record()) == []


def test_a_record_goes_on_in_a_builder() -> None:
    record = parse(
        '[Game "yavalath"] [Mood "good"] [Termination "time"] [Result "1-0"]'
        "{so} 1. e5! {book [%emt 1]} 2. d4 (2. swap 3. a1) 1-0"
    )
    builder = Builder(record)
    assert builder.record() == record
    assert builder.result == "1-0"
    assert builder.take_back().record() == parse(
        '[Game "yavalath"] [Mood "good"] {so} 1. e5! {book [%emt 1]} *'
    )


# what each does is seen by no type checker: these are the values that it would refuse, too
CHANGES: Final[dict[str, Callable[[Any], object]]] = {
    "a cell that is taken": lambda b: b.play("e5"),
    "a second move that is none": lambda b: b.play("c3", "zz"),
    "a move in capitals": lambda b: b.play("C3"),
    "a move of two words": lambda b: b.play("c 3"),
    "a glyph of a ply": lambda b: b.play(Ply("c3", "=")),
    "an illegal variation": lambda b: b.variation("e5"),
    "an empty variation": lambda b: b.variation(),
    "a glyph": lambda b: b.glyph("$1"),
    "an empty comment": lambda b: b.comment(" "),
    "an eval": lambda b: b.annotate(eval=2),
    "a name of an annotation": lambda b: b.annotate(é=2),
    "a list": lambda b: b.annotate(pv=["d4"]),
    "no value": lambda b: b.annotate(nodes=None),
    "no comment": lambda b: b.comment(None),
    "a comment of a variation": lambda b: b.variation("a1", comment=1),
    "a seat by its name": lambda b: b.resign("first"),
    "a seat before the first": lambda b: b.resign(-1),
    "a seat behind the second": lambda b: b.time(2),
    "plies to take back": lambda b: b.take_back("all"),
    "too many plies to take back": lambda b: b.take_back(3),
    "no termination": lambda b: b.end("1-0", None),
    "a date": lambda b: b.tag(Date="today"),
    "two lines": lambda b: b.tag(Site="a\nb"),
    "a result as a tag": lambda b: b.tag(Result="1-0"),
    "a result": lambda b: b.end("won", "time"),
    "an end by the rules": lambda b: b.end("1-0", "rules"),
    "a termination": lambda b: b.end("1-0", "mate"),
    "an end without a result": lambda b: b.end("*", "time"),
}
"""Changes that are refused after e5 and d4."""

BEGINNINGS: Final[dict[str, Callable[[], object]]] = {
    "a game": lambda: Builder("yavalat"),
    "a game as itself": lambda: Builder(games.get("yavalath")),  # type: ignore[arg-type]
    "no game": lambda: Builder(None),  # type: ignore[arg-type]
    "deep variations": lambda: Builder("yavalath").play("d4").variation(nested(100)),
    "a position": lambda: Builder("yavalath", position="5/6 w"),
    "a setup": lambda: Builder("mammalath", setup="ABC"),
    "a glyph before a move": lambda: Builder("yavalath").glyph("!"),
    "a variation before a move": lambda: Builder("yavalath").variation("e5"),
    "a record that is wrong": lambda: Builder(parse('[Game "yavalath"] e5 e5 *')),
    "resigning a game that is won": lambda: Builder("yavalath").play(*WON).resign(),
    "a move behind the end": lambda: Builder("yavalath").play(*WON, "a5"),
    "a move after resigning": lambda: Builder("yavalath").play("e5").resign().play("a5"),
}


def refusal(make: Callable[[], object]) -> str:
    with pytest.raises(RecordValueError) as refused:
        make()
    return str(refused.value)


def test_what_is_refused_is_told_and_changes_nothing(golden: Golden) -> None:
    said = {name: refusal(begin) for name, begin in BEGINNINGS.items()}
    for name, change in CHANGES.items():
        builder = Builder("yavalath").play("e5", "d4")
        before = builder.record()
        said[name] = refusal(lambda change=change, builder=builder: change(builder))  # type: ignore[misc]
        assert builder.record() == before, name
    golden(said)


def test_games_end_otherwise_than_by_the_rules() -> None:
    builder = Builder("yavalath").play("e5", "d4", "c3")
    ends = {
        "resignation": ("1-0", copy(builder).resign()),
        "time": ("0-1", copy(builder).time(Seat.FIRST)),
        "agreement": ("1/2-1/2", copy(builder).draw()),
        "unterminated": ("*", copy(builder).end("*", Termination.UNTERMINATED)),
    }
    for why, (result, ended) in ends.items():
        record = ended.record()
        assert (record.termination, record.tag("Result"), record.result) == (why, result, result)
        assert check(record) == []
        assert ended.legal_moves() == ()
    assert builder.record().termination == ""
    assert not builder.is_over


def test_a_position_that_is_over_is_a_record_without_moves() -> None:
    builder = Builder("yavalath", position="5/6/7/8/9/8/7/1bb3/www2 b")
    assert (builder.is_over, builder.result) == (True, "0-1")
    assert check(builder.record()) == []


def test_words_stand_where_they_were_said_and_moves_as_their_game_writes_them() -> None:
    builder = Builder("yavalath").comment("a start [%clk 5]").play("e5").annotate(emt=1, eval=0.1)
    builder.comment("two").annotate(depth=3).variation("d4", Ply("swap", "?"), comment="or")
    assert format_record(builder.play("a1").glyph("!?").record()) == (
        '[Game "yavalath"]\n\n{a start [%clk 5.000]}\n'
        "1. e5 {[%emt 1.000] [%eval 0.1]} {two [%depth 3]} ({or} 1. d4 2. swap?) 2. a1!? *\n"
    )
    assert Builder("mammalath").play("c3", "xb4-b2").record().moves == ("c3", "xb2-b4")


def test_a_record_names_the_file_of_its_game_and_the_version_of_the_rules(tmp_path: Path) -> None:
    games.add(write_game(tmp_path, THREE_VERSIONS))
    record = Builder("of-three-versions").play("a1", "i1", "a2", "i2", "a4", "i4", "a3").record()
    assert [name for name, _ in record.tags][:3] == ["Game", "GameFile", "Rules"]
    assert (record.tag("Rules"), record.result, check(record)) == ("3", "1-0", [])
    assert Builder(record).record() == record
    with pytest.raises(RecordValueError) as refused:
        retag(record, {"Rules": "2"})
    assert refused.value.fault.code == "result"


STEPS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 999)), max_size=40)


@settings(max_examples=2 * FEW)
@given(st.sampled_from(BUILT_IN), STEPS)
def test_whatever_is_done_the_record_is_sound(game_id: str, steps: list[tuple[int, int]]) -> None:
    builder = Builder(game_id)
    for kind, number in steps:
        moves = builder.legal_moves()
        if kind < 5 and moves:
            builder.play(moves[number % len(moves)])
        elif kind == 5:
            builder.take_back(number % (len(builder.plies) + 1))
        elif kind == 6:
            builder.comment(f"w{number} }} [%emt {number}]")
        elif kind == 7:
            builder.annotate(nodes=number, pv="a] b")
        elif kind == 8 and builder.plies:
            back = copy(builder).take_back()
            builder.glyph("!").variation(back.legal_moves()[-1])
        elif kind == 9 and not builder.is_over:
            builder.resign(Seat(number % 2))
        elif kind == 10:
            builder.tag(Event=f'"{number}" \\', First=None)
        assert check(builder.record()) == []
