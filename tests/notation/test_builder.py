"""Records made ply by ply, which are sound at every step."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any, cast

import pytest
from exploring import FEW
from game_files import THREE_VERSIONS, write_game
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_records import BUILT_IN, random_game
from wrong_values import nested

from lath import games
from lath.games.core import Seat
from lath.notation import (
    Builder,
    Ply,
    Termination,
    canonical,
    check,
    format_record,
    parse,
    retag,
)
from lath.notation.errors import RecordValueError

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
REFUSED: list[tuple[Callable[[Any], object], str]] = [
    (lambda b: b.play("e5"), "ply 3: illegal move e5: e5 already has a stone; expected one of 59"),
    (lambda b: b.play("c3", "zz"), "ply 4: 'zz' is not a move of yavalath; expected a cell"),
    (lambda b: b.play("C3"), "ply 3: 'C3' is not a move of yavalath; did you mean 'c3'?"),
    (lambda b: b.play("c 3"), "ply 3: the move is 'c 3'; expected a letter"),
    (lambda b: b.play(Ply("c3", "=")), "'=' is no glyph; expected !"),
    (
        lambda b: b.variation("e5"),
        "ply 2: illegal move e5: e5 already has a stone; expected one of",
    ),
    (lambda b: b.variation(), "the variation is empty; expected a move"),
    (lambda b: b.glyph("$1"), "'$1' is no glyph; expected !"),
    (lambda b: b.comment(" "), "ply 2: a comment is empty; expected a text"),
    (lambda b: b.annotate(eval=2), "ply 2: [%eval 2] is not a number from -1 to 1"),
    (lambda b: b.annotate(é=2), "ply 2: 'é' is no name of an annotation"),
    (lambda b: b.annotate(pv=["d4"]), "ply 2: the value of %pv is ['d4']; expected a number or"),
    (lambda b: b.annotate(nodes=None), "ply 2: the value of %nodes is None; expected a number or"),
    (lambda b: b.comment(None), "ply 2: the comment is None; expected text"),
    (lambda b: b.variation("a1", comment=1), "ply 2: the comment is 1; expected text"),
    (lambda b: b.resign("first"), "ply 2: 'first' is no seat; expected Seat.FIRST, Seat.SECOND"),
    (lambda b: b.resign(-1), "ply 2: -1 is no seat; expected Seat.FIRST"),
    (lambda b: b.time(2), "ply 2: 2 is no seat; expected Seat.FIRST"),
    (lambda b: b.take_back("all"), "ply 2: cannot take back 'all' plies; expected 0 to 2"),
    (lambda b: b.end("1-0", None), "ply 2: the Termination is None; expected text"),
    (lambda b: b.tag(Date="today"), "the Date 'today' is not a date; expected the form 2026-11-20"),
    (lambda b: b.tag(Site="a\nb"), "the value of Site has a line break"),
    (lambda b: b.tag(Result="1-0"), "the tag Result is not set here; expected resign(), draw()"),
    (lambda b: b.take_back(3), "ply 2: cannot take back 3 plies; expected 0 to 2"),
    (lambda b: b.end("won", "time"), "ply 2: 'won' is no result; expected 1-0"),
    (
        lambda b: b.end("1-0", "rules"),
        "the result is 1-0, but the game goes on after the last move",
    ),
    (lambda b: b.end("1-0", "mate"), "unknown Termination 'mate'; expected one of rules"),
    (lambda b: b.end("*", "time"), "the result is *, but the Termination is time"),
]


@pytest.mark.parametrize(("change", "told"), REFUSED)
def test_what_is_refused_changes_nothing(change: Callable[[Any], object], told: str) -> None:
    builder = Builder("yavalath").play("e5", "d4")
    before = builder.record()
    with pytest.raises(RecordValueError) as refusal:
        change(builder)
    assert str(refusal.value).startswith(told)
    assert builder.record() == before


@pytest.mark.parametrize(
    ("begin", "told"),
    [
        (lambda: Builder("yavalat"), "unknown game 'yavalat'; did you mean 'yavalath'?"),
        (
            lambda: Builder(cast("Any", games.get("yavalath"))),
            "<game yavalath> is no id of a game, nor a record; expected text such as 'yavalath'",
        ),
        (
            lambda: Builder("yavalath").play("d4").variation(nested(100)),
            "variations are nested more than 100 deep",
        ),
        (lambda: Builder(cast("Any", None)), "None is no id of a game, nor a record; expected"),
        (lambda: Builder("yavalath", position="5/6 w"), "'5/6' has 2 rows; expected 9"),
        (lambda: Builder("mammalath", setup="ABC"), "1 row"),
        (lambda: Builder("yavalath").glyph("!"), "no ply has a glyph yet; expected play()"),
        (
            lambda: Builder("yavalath").variation("e5"),
            "no ply has a variation yet; expected play()",
        ),
        (lambda: Builder(parse('[Game "yavalath"] e5 e5 *')), "ply 2: illegal move e5"),
        (lambda: Builder("yavalath").play(*WON).resign(), "ply 7: the game is over: four in line"),
        (lambda: Builder("yavalath").play(*WON, "a5"), "ply 8: illegal move a5: the game is over"),
        (
            lambda: Builder("yavalath").play("e5").resign().play("a5"),
            "ply 1: the game is over: resignation; expected take_back() before another move",
        ),
    ],
)
def test_what_cannot_be_is_refused(begin: Callable[[], Builder], told: str) -> None:
    with pytest.raises(RecordValueError) as refusal:
        begin()
    assert told in str(refusal.value)


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


def test_words_stand_where_they_were_said() -> None:
    builder = Builder("yavalath").comment("a start [%clk 5]").play("e5").annotate(emt=1, eval=0.1)
    builder.comment("two").annotate(depth=3).variation("d4", Ply("swap", "?"), comment="or")
    assert format_record(builder.play("a1").glyph("!?").record()) == (
        '[Game "yavalath"]\n\n{a start [%clk 5.000]}\n'
        "1. e5 {[%emt 1.000] [%eval 0.1]} {two [%depth 3]} ({or} 1. d4 2. swap?) 2. a1!? *\n"
    )


def test_moves_are_written_as_their_game_writes_them() -> None:
    builder = Builder("mammalath").play("c3", "xb4-b2")
    assert builder.record().moves == ("c3", "xb2-b4")


def test_a_record_names_the_file_of_its_game_and_the_version_of_the_rules(tmp_path: Path) -> None:
    games.add(write_game(tmp_path, THREE_VERSIONS))
    record = Builder("of-three-versions").play("a1", "i1", "a2", "i2", "a4", "i4", "a3").record()
    assert [name for name, _ in record.tags][:3] == ["Game", "GameFile", "Rules"]
    assert (record.tag("Rules"), record.result, check(record)) == ("3", "1-0", [])
    assert Builder(record).record() == record
    with pytest.raises(RecordValueError, match="the result is 1-0, but second won: three in line"):
        retag(record, {"Rules": "2"})


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
