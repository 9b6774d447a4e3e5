"""Values of records, made by hand, by a builder or by a change: each is sound or refused."""

from __future__ import annotations

import io
import pickle
from copy import copy
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from exploring import FEW
from game_files import THREE_VERSIONS, write_game
from hypothesis import given, settings
from hypothesis import strategies as st
from record_strategies import RECORDS
from sample_records import BUILT_IN, random_game
from wrong_values import CASES, nested, refusal_of

from lath import games
from lath.games.core import Side
from lath.notation import (
    Annotation,
    Builder,
    Ply,
    Record,
    Termination,
    Variation,
    annotation,
    canonical,
    check,
    format_record,
    format_records,
    parse,
    positions,
    retag,
    start_of,
    strip,
    truncate,
)
from lath.notation.record.errors import RecordValueError
from lath.notation.record.record import MAX_NESTING
from lath.notation.rules.reading import entries_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from golden import Golden


SOUND = Record((("Game", "yavalath"),), (Ply("e5"), Ply("d4")))


def forced(value: Any, /, **odd: Any) -> Any:
    """Return a copy of a value in which fields are what no constructor takes."""
    changed = copy(value)
    for name, part in odd.items():
        object.__setattr__(changed, name, part)
    return changed


def record_around(value: Any) -> Record:
    """Return a record in which a value stands, whatever it is."""
    if type(value) is Annotation:
        value = forced(Ply("e5"), comments=((value,),))
    if type(value) is Variation:
        value = forced(Ply("e5"), variations=(value,))
    if type(value) is Ply:
        value = forced(SOUND, plies=(value,))
    assert type(value) is Record
    return value


def is_read_back(record: Record) -> bool:
    """Return whether a file of the record holds the same, and nothing else."""
    try:
        content = format_record(record).encode()
    except (AttributeError, TypeError, ValueError):
        return False
    entries = list(entries_of(io.BytesIO(content), "one.lath", rules=False))
    return [(entry.record, entry.problems) for entry in entries] == [(record, ())]


def test_what_has_no_text_is_refused_and_told_of_where_it_got_round(golden: Golden) -> None:
    golden({str(wrong): str(refusal_of(wrong)) for wrong in CASES})
    for wrong in CASES:
        value = object.__new__(wrong.kind)
        for field in fields(value):
            object.__setattr__(value, field.name, wrong.filled.get(field.name, field.default))
        record = record_around(value)
        fault = check(record)[0]
        assert fault.message == refusal_of(wrong).fault.message
        assert fault.ply == (None if value is record else 1), wrong
        assert not is_read_back(record), wrong


ODD: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(
        (
            *("won", "*", "$1", "!?", "", " ", "a b", "a  b", "a\nb", "a\rb", "a\u2028b", "\ud800"),
            *("e5", "Game", "emt", "[%emt 1]", "[%emt 1.000]", "}", "[Game", ";", '"\\', "\x1f"),
            *(Termination.RULES, "0.5", "0.500", 5, None, True, b"e5", (), [], ((),), ("a",)),
            *((("a",),), (("a", "b"),), (("a b",), ("c",)), ["a"], (Ply("e5"),), [Ply("e5")]),
            *((Variation((Ply("e5"),)),), Annotation("pv", ""), ((Annotation("pv", ""),),)),
            *((("Game", "g"),), (("Site", "g"),), (("Game", "g", ""),), (("Game", "g"),) * 2),
        )
    ),
    st.text(max_size=3),
)
"""Values that would be right in another place, or nearly."""

PLACES: list[Callable[[Record, Any], tuple[Any, str, Any]]] = [
    lambda record, odd: (record, "tags", odd),
    lambda record, odd: (record, "tags", (*record.tags, (odd, "value"))),
    lambda record, odd: (record, "tags", (*record.tags, ("Odd", odd))),
    lambda record, odd: (record, "result", odd),
    lambda record, odd: (record, "comments", odd),
    lambda record, odd: (record, "comments", (odd,)),
    lambda record, odd: (record, "comments", ((odd,),)),
    lambda record, odd: (record, "plies", odd),
    lambda record, odd: (record, "plies", (*record.plies, odd)),
    lambda _, odd: (Ply("e5"), "move", odd),
    lambda _, odd: (Ply("e5", "!"), "glyph", odd),
    lambda _, odd: (Ply("e5"), "comments", odd),
    lambda _, odd: (Ply("e5"), "comments", (("book",), (odd, Annotation("pv", "e5"), odd))),
    lambda _, odd: (Ply("e5"), "variations", odd),
    lambda _, odd: (Variation((Ply("e5"),)), "plies", odd),
    lambda _, odd: (Variation((Ply("e5"),)), "comments", odd),
    lambda _, odd: (Annotation("pv", "e5"), "name", odd),
    lambda _, odd: (Annotation("pv", "e5"), "value", odd),
    lambda _, odd: (Annotation("clk", "1.000"), "value", odd),
]
"""A value, one of its fields, and what that shall be."""


@settings(max_examples=20 * FEW)
@given(RECORDS, st.sampled_from(PLACES), ODD)
def test_a_constructor_refuses_exactly_what_is_not_read_back(
    record: Record, place: Callable[[Record, Any], tuple[Any, str, Any]], odd: Any
) -> None:
    value, field, part = place(record, odd)
    wrong = record_around(forced(value, **{field: part}))
    if is_read_back(wrong):
        assert record_around(replace(value, **{field: part})) == wrong
        return
    with pytest.raises(RecordValueError) as refusal:
        replace(value, **{field: part})
    assert check(wrong)[0].message == refusal.value.fault.message


def test_variations_are_refused_beyond_the_depth_that_is_read() -> None:
    deepest = Record(SOUND.tags, (nested(MAX_NESTING),))
    assert is_read_back(deepest)
    assert check(deepest) == []
    line = forced(Variation((Ply("e5"),)), plies=(nested(MAX_NESTING),))
    plies = (Ply("e5", variations=(line,)),)
    for make in (lambda: Variation((nested(MAX_NESTING),)), lambda: Record(SOUND.tags, plies)):
        with pytest.raises(RecordValueError) as refusal:
            make()
        assert check(forced(SOUND, plies=plies))[0].message == refusal.value.fault.message


class Loud(str):
    """Text that is written as another."""

    __slots__ = ()

    def __format__(self, _: str) -> str:
        return self.upper()


def test_what_else_has_no_text_is_told_in_words(golden: Golden) -> None:
    builder: Any = Builder("yavalath")
    doors: tuple[Callable[[Any], object], ...] = (
        *(check, format_record, canonical, strip, retag, start_of),
        *(lambda value: truncate(value, 1), lambda value: list(positions(value))),
        lambda value: "".join(format_records([value])),
    )
    said = set()
    for door in doors:
        for value in (builder, "games.lath"):
            with pytest.raises(TypeError) as refused:
                door(value)
            said.add(str(refused.value))
    for name, value in (("", "1"), ("é", "1"), ("emt", 1), ("emt", "\ud800")):
        with pytest.raises(RecordValueError) as refusal:
            annotation(name, value)  # type: ignore[arg-type]
        said.add(str(refusal.value))
    loud = forced(SOUND, tags=(*SOUND.tags, (Loud("Site"), "here")))
    said |= {fault.message for fault in check(loud)}
    golden("\n".join(sorted(said)))


def test_values_go_through_pickles_and_copies() -> None:
    record = random_game("mammalath", 1, annotated=True)
    assert pickle.loads(pickle.dumps(record)) == copy(record) == record


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
        "time": ("0-1", copy(builder).time(Side.FIRST)),
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
def test_whatever_is_done_the_record_is_valid(game_id: str, steps: list[tuple[int, int]]) -> None:
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
            builder.resign(Side(number % 2))
        elif kind == 10:
            builder.tag(Event=f'"{number}" \\', First=None)
        assert check(builder.record()) == []


GAME = parse(
    '[Game "yavalath"] [First "ann"] [Second "bob"] [Termination "rules"] [Result "0-1"]'
    "{ann (first): made three} 1. a1 {book [%emt 1]} 2. e1 3. b1! 4. e2 (4. a5) 5. c1 0-1"
)


def test_a_game_cut_before_its_end_is_not_finished() -> None:
    assert format_record(truncate(GAME, 3)) == (
        '[Game "yavalath"]\n[First "ann"]\n[Second "bob"]\n'
        '[Termination "unterminated"]\n[Result "*"]\n\n'
        "1. a1 {book [%emt 1.000]} 2. e1 3. b1! *\n"
    )
    assert truncate(GAME, 5) is truncate(GAME, 99) is GAME
    assert truncate(GAME, 0).plies == ()


@settings(max_examples=FEW)
@given(st.integers(0, 40), st.integers(0, 99), st.sampled_from(["yavalath", "mammalath"]))
def test_what_is_cut_of_a_valid_record_is_valid(plies: int, seed: int, game_id: str) -> None:
    short = truncate(random_game(game_id, seed, annotated=True), plies)
    assert check(short) == []


STRIPPED: Final[tuple[tuple[dict[str, Any], str], ...]] = (
    (
        {},
        "{ann (first): made three}\n1. a1 {book [%emt 1.000]} 2. e1 3. b1! 4. e2 (4. a5) 5. c1",
    ),
    ({"comments": True}, "1. a1 {[%emt 1.000]} 2. e1 3. b1! 4. e2 (4. a5) 5. c1"),
    (
        {"annotations": ["emt"], "glyphs": True},
        "{ann (first): made three}\n1. a1 {book} 2. e1 3. b1 4. e2 (4. a5) 5. c1",
    ),
    (
        {"comments": True, "annotations": True, "variations": True},
        "1. a1 2. e1 3. b1! 4. e2 5. c1",
    ),
)


def test_words_annotations_glyphs_and_variations_are_stripped_apart() -> None:
    for kinds, moves in STRIPPED:
        assert format_record(strip(GAME, **kinds)).partition("\n\n")[2] == f"{moves} 0-1\n"


def test_tags_are_renamed_set_and_dropped() -> None:
    record = retag(
        GAME,
        {"Date": "2026-11-20", "Mood": "good", "Event": None, "Second": "carl"},
        rename={"First": "Second", "Second": "First", "Nobody": "Site"},
    )
    assert record.tags == (
        *(("Game", "yavalath"), ("Date", "2026-11-20"), ("Second", "carl"), ("First", "bob")),
        *(("Termination", "rules"), ("Result", "0-1"), ("Mood", "good")),
    )
    assert record.plies is GAME.plies


REFUSED: Final[tuple[tuple[dict[str, Any], dict[str, str]], ...]] = (
    ({"a b": "1"}, {}),
    ({"Site": "a\nb"}, {}),
    ({"Site": 3}, {}),
    ({"Date": "today"}, {}),
    ({}, {"First": "Second"}),
    ({"Game": None}, {}),
    ({}, {"Game": "Sport"}),
    ({"Result": "1-0"}, {}),
    ({"Game": "manalath"}, {}),
    ({"Game": "yavalad"}, {}),
    ({"Termination": "won"}, {}),
    ({"Position": "5/6/7/8/9/8/7/6/wb3 w"}, {}),
)


def test_a_change_that_would_be_untrue_is_refused(golden: Golden) -> None:
    said = {}
    for values, rename in REFUSED:
        with pytest.raises(RecordValueError) as refusal:
            retag(GAME, values, rename=rename)
        said[f"{values or rename}"] = str(refusal.value)
    with pytest.raises(ValueError, match="-1") as negative:
        truncate(GAME, -1)
    with pytest.raises(TypeError) as no_list:
        strip(GAME, annotations="emt")
    golden(said | {"-1 plies": str(negative.value), "a text of names": str(no_list.value)})


def test_any_number_of_new_tags_stands_in_its_order() -> None:
    new = {f"Mood{number}": "good" for number in range(1000)}
    changed = retag(parse('[Game "yavalath"] [Result "*"] 1. e5 *'), new | {"First": "ann"})
    assert [name for name, _ in changed.tags] == ["Game", "First", "Result", *new]


def test_a_wrong_record_may_be_mended_tag_by_tag() -> None:
    wrong = parse('[Game "yavalath"] [Date "today"] [Result "1-0"] 1. e5 *')
    dated = retag(wrong, {"Date": "?"})
    assert [fault.tag for fault in check(dated)] == ["Result"]
    assert check(retag(dated, {"Result": "*"})) == []
