"""Changes of a record: what is cut, stripped or tagged anew stays true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from exploring import FEW
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_records import random_game

from lath.notation import check, format_record, parse
from lath.notation.changes import retag, strip, truncate
from lath.notation.errors import RecordValueError

if TYPE_CHECKING:
    from golden import Golden

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


@settings(max_examples=FEW)
@given(st.integers(0, 40), st.integers(0, 99), st.sampled_from(["yavalath", "mammalath"]))
def test_what_is_cut_of_a_sound_record_is_sound(plies: int, seed: int, game_id: str) -> None:
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
        assert format_record(strip(WON, **kinds)).partition("\n\n")[2] == f"{moves} 0-1\n"


def test_tags_are_renamed_set_and_dropped() -> None:
    record = retag(
        WON,
        {"Date": "2026-11-20", "Mood": "good", "Event": None, "Second": "carl"},
        rename={"First": "Second", "Second": "First", "Nobody": "Site"},
    )
    assert record.tags == (
        *(("Game", "yavalath"), ("Date", "2026-11-20"), ("Second", "carl"), ("First", "bob")),
        *(("Termination", "rules"), ("Result", "0-1"), ("Mood", "good")),
    )
    assert record.plies is WON.plies


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
            retag(WON, values, rename=rename)
        said[f"{values or rename}"] = str(refusal.value)
    with pytest.raises(ValueError, match="-1") as negative:
        truncate(WON, -1)
    with pytest.raises(TypeError) as no_list:
        strip(WON, annotations="emt")
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
