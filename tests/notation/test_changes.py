"""Changes of a record: what is cut, stripped or tagged anew stays true."""

from __future__ import annotations

import pytest
from exploring import FEW
from hypothesis import given, settings
from hypothesis import strategies as st
from record_strategies import RECORDS
from sample_records import random_game

from lath.notation import check, format_record, parse
from lath.notation.changes import _with_tag, retag, strip, truncate
from lath.notation.errors import RecordValueError
from lath.notation.record import Annotation, Record, all_comments, all_plies

WON = parse(
    '[Game "yavalath"] [First "ann"] [Second "bob"] [Termination "rules"] [Result "0-1"]'
    "{ann (first): made three} 1. a1 {book [%emt 1]} 2. e1 3. b1! 4. e2 (4. a5) 5. c1 0-1"
)


def test_a_game_cut_before_its_end_is_not_finished() -> None:
    assert format_record(truncate(WON, 3)) == (
        '[Game "yavalath"]\n[First "ann"]\n[Second "bob"]\n'
        '[Termination "unterminated"]\n[Result "*"]\n\n'
        "1. a1 {book [%emt 1.000]} 2. e1 3. b1! *\n"
    )
    assert truncate(WON, 5) is truncate(WON, 99) is WON
    assert truncate(WON, 0).plies == ()
    with pytest.raises(ValueError, match=r"cannot keep -1 plies, expected 0 or more"):
        truncate(WON, -1)


@settings(max_examples=FEW)
@given(st.integers(0, 40), st.integers(0, 99), st.sampled_from(["yavalath", "mammalath"]))
def test_what_is_cut_of_a_sound_record_is_sound(plies: int, seed: int, game_id: str) -> None:
    short = truncate(random_game(game_id, seed, annotated=True), plies)
    assert check(short) == []


def test_words_annotations_glyphs_and_variations_are_stripped_apart() -> None:
    def moves_of(record: Record) -> str:
        return format_record(record).partition("\n\n")[2]

    assert moves_of(strip(WON)) == moves_of(WON)
    assert moves_of(strip(WON, comments=True)) == (
        "1. a1 {[%emt 1.000]} 2. e1 3. b1! 4. e2 (4. a5) 5. c1 0-1\n"
    )
    assert moves_of(strip(WON, annotations=["emt"], glyphs=True)) == (
        "{ann (first): made three}\n1. a1 {book} 2. e1 3. b1 4. e2 (4. a5) 5. c1 0-1\n"
    )
    assert moves_of(strip(WON, comments=True, annotations=True, variations=True)) == (
        "1. a1 2. e1 3. b1! 4. e2 5. c1 0-1\n"
    )
    with pytest.raises(TypeError, match="expected names such as \\['emt'\\]"):
        strip(WON, annotations="emt")


@settings(max_examples=FEW)
@given(RECORDS, st.booleans(), st.sets(st.sampled_from(["emt", "clk", "pv", "mood"])))
def test_a_stripped_record_is_read_back(record: Record, words: bool, names: set[str]) -> None:
    bare = strip(record, comments=words, annotations=names, variations=words)
    assert parse(format_record(bare)) == bare
    parts = [part for one in all_comments(bare) for part in one]
    assert not any(isinstance(part, Annotation) and part.name in names for part in parts)
    assert not (words and any(isinstance(part, str) for part in parts))
    assert not (words and any(ply.variations for ply in all_plies(bare.plies)))
    assert bare.moves == record.moves


def test_tags_are_renamed_set_and_dropped() -> None:
    record = retag(
        WON,
        {"Date": "2026-11-20", "Mood": "good", "Event": None, "Second": "carl"},
        rename={"First": "Second", "Second": "First", "Nobody": "Site"},
    )
    assert record.tags == (
        ("Game", "yavalath"),
        ("Date", "2026-11-20"),
        ("Second", "carl"),
        ("First", "bob"),
        ("Termination", "rules"),
        ("Result", "0-1"),
        ("Mood", "good"),
    )
    assert record.plies is WON.plies


@pytest.mark.parametrize(
    ("values", "rename", "told"),
    [
        ({"a b": "1"}, {}, "'a b' is no name of a tag; expected a letter, then letters"),
        ({"Site": "a\nb"}, {}, "the value of Site has a line break; expected one line"),
        ({"Site": 3}, {}, "the value of Site is 3; expected text"),
        ({"Date": "today"}, {}, "the Date 'today' is not a date; expected the form 2026-11-20"),
        ({}, {"First": "Second"}, "the tag Second would stand there twice; expected each tag once"),
        ({"Game": None}, {}, "the tag Game is missing; expected a tag such as"),
        ({}, {"Game": "Sport"}, "the tag Game is missing; expected a tag such as"),
        ({"Result": "1-0"}, {}, "the tag says 1-0, but the moves end in 0-1; expected the same"),
        ({"Game": "manalath"}, {}, "ply 1: 'a1' is not a move of manalath"),
        ({"Game": "yavalad"}, {}, "unknown game 'yavalad'"),
        ({"Termination": "won"}, {}, "unknown Termination 'won'; expected one of rules"),
        ({"Position": "5/6/7/8/9/8/7/6/wb3 w"}, {}, "ply 1: illegal move a1: a1 already"),
    ],
)
def test_a_tag_that_would_be_untrue_is_refused(
    values: dict[str, str | None], rename: dict[str, str], told: str
) -> None:
    with pytest.raises(RecordValueError) as refusal:
        retag(WON, values, rename=rename)
    assert str(refusal.value).startswith(told)


def test_any_number_of_new_tags_is_set_without_copying_the_others_for_each() -> None:
    tags = {"Game": "yavalath"}
    assert _with_tag(tags, "Mood", "good") is tags
    new = {f"Mood{number}": "good" for number in range(1000)}
    changed = retag(parse('[Game "yavalath"] [Result "*"] 1. e5 *'), new | {"First": "ann"})
    assert [name for name, _ in changed.tags] == ["Game", "First", "Result", *new]


def test_a_wrong_record_may_be_mended_tag_by_tag() -> None:
    wrong = parse('[Game "yavalath"] [Date "today"] [Result "1-0"] 1. e5 *')
    dated = retag(wrong, {"Date": "?"})
    assert [fault.tag for fault in check(dated)] == ["Result"]
    assert check(retag(dated, {"Result": "*"})) == []
