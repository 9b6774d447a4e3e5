"""Records against the rules: positions, canonical moves, and everything the rules object to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_records import BUILT_IN, cut, random_game, with_tags

from lath import games
from lath.games.errors import (
    IllegalMoveError,
    MoveSyntaxError,
    PositionError,
    SetupError,
    UnknownGameError,
)
from lath.notation import (
    Record,
    Termination,
    canonical,
    check,
    format_record,
    positions,
    replay,
    start_of,
)
from lath.notation.errors import Fault
from lath.notation.parser import Parsed, parse_closely
from lath.notation.reader import RecordText, entry_of
from lath.notation.record import Ply
from lath.notation.replay import end_of, faults_of

WON = "1. a1 2. e1 3. b1 4. e2 5. d1 6. f1 7. c1"
"""White makes four in line in Yavalath."""

LOST = "1. a1 2. e1 3. b1 4. e2 5. c1"
"""White makes three in line in Yavalath."""


def read(movetext: str, *tags: str, game: str = "yavalath", result: str = "*") -> Parsed:
    """Return a record with these moves, tags as `Name value`, and where its plies stand."""
    pairs = (tag.split(" ", 1) for tag in tags)
    lines = [f'[{name} "{value}"]' for name, value in [("Game", game), *pairs]]
    return parse_closely("\n".join([*lines, "", movetext, result]))


def record_of(movetext: str, *tags: str, game: str = "yavalath", result: str = "*") -> Record:
    """Return a record with these moves, tags as `Name value`."""
    return read(movetext, *tags, game=game, result=result).record


def told(faults: Sequence[Fault]) -> list[tuple[str, int | None, str]]:
    """Return code, ply and message of each fault."""
    return [(fault.code, fault.ply, fault.message) for fault in faults]


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_a_played_game_is_sound(game_id: str) -> None:
    for seed in range(20):
        assert check(random_game(game_id, seed, annotated=True)) == []


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_the_positions_of_a_record_are_those_of_its_game(game_id: str) -> None:
    record = random_game(game_id, 3)
    found = list(positions(record))
    assert found[0] == start_of(record) == games.get(game_id).start(record.tag("Setup") or None)
    assert len(found) == len(record.plies) + 1
    assert [position.is_over for position in found] == [False] * len(record.plies) + [True]


def test_a_record_may_begin_from_a_position() -> None:
    text = "5/6/7/8/9/8/7/6/wb3 w"
    record = record_of("1. a3 2. b1", f"Position {text}")
    assert start_of(record).text() == text
    assert check(record) == []
    assert [position.text() for position in positions(record)][-1] == "5/6/7/8/9/8/7/b5/wbw2 w"


def test_a_position_that_is_over_already_has_no_moves() -> None:
    over = "5/6/7/8/9/8/7/1bb3/www2 b"
    assert check(record_of("", f"Position {over}", result="0-1")) == []
    assert told(check(record_of("1. e5", f"Position {over}", result="0-1"))) == [
        ("illegal-move", 1, "illegal move e5: the game is over, second won: three in line")
    ]


def test_positions_of_an_illegal_move_raise() -> None:
    with pytest.raises(IllegalMoveError, match="e5 already has a stone"):
        list(positions(record_of("1. e5 2. e5")))
    with pytest.raises(MoveSyntaxError):
        list(positions(record_of("1. e5 2. xF")))


@pytest.mark.parametrize(
    ("record", "error"),
    [
        (record_of("", game="chess"), UnknownGameError),
        (record_of("", "Setup a1"), SetupError),
        (record_of("", "Position 3 w"), PositionError),
    ],
)
def test_a_start_that_there_is_not_raises(record: Record, error: type[Exception]) -> None:
    with pytest.raises(error):
        start_of(record)


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_the_canonical_form_of_a_played_game_is_itself(game_id: str) -> None:
    record = random_game(game_id, 5)
    assert canonical(record) == record


def test_moves_and_setups_are_written_in_their_one_way() -> None:
    record = record_of("1. c3 2. xb4-b2 (2. xa3-a1)", game="mammalath")
    written = canonical(record)
    assert written.moves == ("c3", "xb2-b4")
    assert written.plies[1].variations[0].plies[0].move == "xa1-a3"
    assert check(record) == check(written) == []
    assert canonical(record_of("", "Setup i1 e5", game="manalath")).tag("Setup") == "e5 i1"


def test_what_a_game_cannot_read_stays_as_it_is() -> None:
    for record in (
        record_of("1. e5 2. xF"),
        record_of("1. e4", game="chess"),
        record_of("", "Setup here", game="manalath"),
    ):
        assert canonical(record) == record


def test_an_illegal_move_is_named_with_its_reason_and_so_are_those_behind_it() -> None:
    record = record_of("1. e5 2. d4 3. e5 4. d4 5. nonsense 6. f6 7. g1")
    assert told(check(record)) == [
        ("illegal-move", 3, "illegal move e5: e5 already has a stone"),
        ("illegal-move", 4, "illegal move d4: d4 already has a stone"),
        ("move", 5, "'nonsense' is not a move of yavalath"),
    ]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(BUILT_IN),
    st.integers(0, 20),
    st.dictionaries(
        st.integers(1, 60), st.sampled_from(["nonsense", "again"]), min_size=1, max_size=3
    ),
)
def test_all_wrong_plies_are_told_of_and_none_that_another_move_before_makes_legal(
    game_id: str, seed: int, wrong: dict[int, str]
) -> None:
    record = random_game(game_id, seed)
    moves = list(record.moves)
    kinds = {1 + at % (len(moves) - 1): kind for at, kind in wrong.items()}
    for index, kind in kinds.items():
        moves[index] = "nonsense" if kind == "nonsense" else record.moves[index - 1]
    plies = tuple(map(Ply, moves))
    faults = [one for one in check(replace(record, plies=plies)) if one.ply]
    places = [one.ply - 1 for one in faults if one.ply]
    assert len(places) == len(set(places))
    assert {at for at, kind in kinds.items() if kind == "nonsense"} <= set(places) <= set(kinds)
    first = min(kinds)
    if game_id == "yavalath" and kinds[first] == "nonsense" and len(kinds) == 2:
        other = max(kinds)
        is_told = kinds[other] == "nonsense" or other == first + 1
        assert is_told or moves[other] == "swap" or other in places


def test_a_word_that_is_no_move_of_the_game_is_another_fault_than_an_illegal_move() -> None:
    (fault,) = check(record_of("1. e5 2. Oe5"))
    message = "'Oe5' is a move of manalath and manalath-61, not of yavalath"
    assert told([fault]) == [("move", 2, message)]
    assert fault.expected == "a cell from a1 to i5, or swap"


def test_a_move_after_the_end_of_the_game_is_illegal() -> None:
    assert told(check(record_of(f"{WON} 8. a5", result="1-0"))) == [
        ("illegal-move", 8, "illegal move a5: the game is over, first won: four in line")
    ]


def test_the_end_of_a_record_that_was_just_checked_is_not_looked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [format_record(random_game("surikata", seed)) for seed in range(2)]
    first, last = (entry_of(RecordText(1, text.strip()), "f", 1).record for text in texts)
    assert first is not None
    assert last is not None
    *_, end = positions(last)
    monkeypatch.setattr(replay, "follow", lambda *_: pytest.fail("followed again"))
    assert end_of(last) == end
    monkeypatch.undo()
    *_, end = positions(first)
    assert end_of(first) == end


def test_a_number_must_be_that_of_its_ply() -> None:
    assert told(faults_of(*read("1. e5 3. d4 3. c3 c4 4. a1"))) == [
        ("ply-number", 2, "ply number 3. stands before ply 2"),
        ("ply-number", 5, "ply number 4. stands before ply 5"),
    ]


def test_variations_are_numbered_from_the_ply_they_replace() -> None:
    assert faults_of(*read("1. e5 2. d4 (2. c3 3. c4 (3. b1)) 3. a1")) == []
    assert told(faults_of(*read("1. e5 2. d4 (3. c3)"))) == [
        ("ply-number", 2, "ply number 3. stands before ply 2")
    ]


def test_variations_are_played_from_the_position_before_their_ply() -> None:
    assert check(record_of("1. e5 2. d4 (2. d4) (2. swap 3. d4)")) == []
    record = record_of("1. e5 (1. e5 2. e5) 2. d4 (2. a1 3. a1 (3. e5))")
    assert told(check(record)) == [
        ("illegal-move", 2, "illegal move e5: e5 already has a stone"),
        ("illegal-move", 3, "illegal move e5: e5 already has a stone"),
        ("illegal-move", 3, "illegal move a1: a1 already has a stone"),
    ]


def test_a_variation_may_end_the_game_while_the_game_goes_on() -> None:
    before, last = WON.rsplit(" ", 2)[0], WON.rsplit(" ", 1)[1]
    assert check(record_of(f"{before} 7. a5 (7. {last})")) == []


@pytest.mark.parametrize(
    ("movetext", "result"), [(WON, "1-0"), (LOST, "0-1"), ("", "*"), ("1. e5", "*")]
)
def test_the_right_result_is_sound(movetext: str, result: str) -> None:
    assert check(record_of(movetext, f"Result {result}", result=result)) == []


@pytest.mark.parametrize("wrong", ["0-1", "1/2-1/2", "*"])
def test_a_result_that_contradicts_a_finished_position_is_named(wrong: str) -> None:
    (fault,) = check(record_of(WON, result=wrong))
    message = f"the result is {wrong}, but first won: four in line"
    assert (fault.code, fault.message, fault.expected) == ("result", message, "1-0")


def test_a_finished_position_overrules_any_termination() -> None:
    (fault,) = check(record_of(LOST, "Termination time", result="1-0"))
    assert fault.message == "the result is 1-0, but second won: three in line"


def test_a_draw_by_the_rules_is_told_as_one() -> None:
    drawn = next(
        record
        for record in (random_game("surikata", seed) for seed in range(10_000))
        if record.result == "1/2-1/2"
    )
    (fault,) = check(with_tags(drawn, Result="1-0"))
    assert fault.message == "the result is 1-0, but the game ended in a draw: all pieces placed"


def test_tag_and_movetext_must_say_the_same_result() -> None:
    (fault,) = check(record_of(WON, "Result 0-1", result="1-0"))
    assert (fault.code, fault.tag) == ("result", "Result")
    assert fault.message == "the tag says 0-1, but the moves end in 1-0"


@pytest.mark.parametrize("termination", [[], ["Termination rules"]])
def test_a_decided_result_of_an_unfinished_game_needs_another_termination(
    termination: list[str],
) -> None:
    (fault,) = check(record_of("1. e5", *termination, result="1-0"))
    assert (fault.code, fault.ply) == ("result", None)
    assert fault.message == "the result is 1-0, but the game goes on after the last move"


@pytest.mark.parametrize("termination", [word for word in Termination if word != "rules"])
def test_any_termination_but_rules_may_decide_an_unfinished_game(termination: str) -> None:
    record = cut(random_game("manalath", 1), 4, termination, "0-1")
    assert check(record) == []


@pytest.mark.parametrize("termination", ["resignation", "time", "agreement"])
def test_a_game_without_result_has_no_termination_that_decides(termination: str) -> None:
    record = record_of("1. e5", f"Termination {termination}")
    assert told(check(record)) == [
        ("result", None, f"the result is *, but the Termination is {termination}")
    ]


def test_the_termination_rules_needs_a_finished_position() -> None:
    (fault,) = check(record_of("1. e5", "Termination rules"))
    assert fault.code == "termination"
    assert fault.message == "the Termination is rules, but the game goes on after the last move"


def test_an_unknown_termination_is_named_with_those_there_are() -> None:
    (fault,) = check(record_of("1. e5", "Termination bored", result="1-0"))
    assert (fault.code, fault.message) == ("termination", "unknown Termination 'bored'")
    assert fault.expected.startswith("one of rules, resignation, time, illegal move, crash")


def test_a_record_begins_from_a_setup_or_from_a_position_not_from_both() -> None:
    faults = check(record_of("", "Setup -", "Position 6/7/8/9/10/9/8/7/6 o", game="manalath"))
    assert told(faults) == [("tag", None, "a record begins from a Setup or from a Position")]


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("Date 20.11.2026", "the Date '20.11.2026' is not a date"),
        ("Date 2026-02-30", "the Date '2026-02-30' is not a date"),
        ("Date 20261120", "the Date '20261120' is not a date"),
        ("TimeControl soon", "TimeControl: unknown time control 'soon'"),
    ],
)
def test_a_known_tag_with_a_wrong_value_is_named(tag: str, message: str) -> None:
    (fault,) = check(record_of("", tag))
    assert (fault.code, fault.tag) == ("tag", tag.split(maxsplit=1)[0])
    assert fault.message.startswith(message)


@pytest.mark.parametrize(
    "tag", ["Date ?", "Date 2026-11-20", "TimeControl ?", "TimeControl 10+0.1"]
)
def test_a_known_tag_with_a_right_value_or_an_unknown_one_is_sound(tag: str) -> None:
    assert check(record_of("", tag)) == []


@pytest.mark.parametrize(
    ("note", "wrong"),
    [
        ("emt soon", "[%emt soon] is not a time in seconds, 0 or more"),
        ("emt -1", "[%emt -1.000] is not a time in seconds, 0 or more"),
        ("clk inf", "[%clk inf] is not a time in seconds, 0 or more"),
        ("clk nan", "[%clk nan] is not a time in seconds, 0 or more"),
        ("emt", "[%emt] is not a time in seconds, 0 or more"),
        ("clk 1_0", "[%clk 1_0] is not a time in seconds, 0 or more"),
        ("clk \u0661", "[%clk \u0661] is not a time in seconds, 0 or more"),
        ("eval 0_1", "[%eval 0_1] is not a number from -1 to 1"),
        ("eval 1.01", "[%eval 1.01] is not a number from -1 to 1"),
        ("eval nan", "[%eval nan] is not a number from -1 to 1"),
        ("depth 1.5", "[%depth 1.5] is not a whole number"),
        ("nodes -3", "[%nodes -3] is not a whole number"),
        ("nodes", "[%nodes] is not a whole number"),
    ],
)
def test_a_known_annotation_with_a_wrong_value_is_named_wherever_it_stands(
    note: str, wrong: str
) -> None:
    comment = f"{{[%{note}]}}"
    assert told(check(record_of(f"1. e5 {comment}"))) == [("annotation", 1, wrong)]
    assert told(check(record_of(f"{comment} 1. e5"))) == [("annotation", None, wrong)]
    assert told(check(record_of(f"1. e5 ({comment} 1. e5)"))) == [("annotation", 1, wrong)]
    assert told(check(record_of(f"1. e5 (1. e5 2. d4 {comment})"))) == [("annotation", 2, wrong)]


def test_right_annotations_and_unknown_ones_are_sound() -> None:
    notes = "[%emt 0.5] [%clk 0] [%eval -1] [%depth 3] [%nodes 0] [%pv e5 swap] [%mood 7 of 9]"
    assert check(record_of(f"1. e5 {{{notes}}}")) == []


def test_everything_that_is_wrong_is_told_at_once() -> None:
    parsed = read(
        "1. e5 {[%emt x]} 3. e5", "Date today", "Termination bored", "Result 0-1", result="1-0"
    )
    codes = [fault.code for fault in faults_of(*parsed)]
    assert codes == ["tag", "termination", "result", "annotation", "ply-number", "illegal-move"]
