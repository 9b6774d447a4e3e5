"""Records against the rules: positions, canonical moves, and everything the rules object to."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_records import BUILT_IN, random_game

from lath import games
from lath.games.errors import (
    IllegalMoveError,
    MoveSyntaxError,
    PositionError,
    SetupError,
    UnknownGameError,
)
from lath.notation import Record, Termination, canonical, check, positions, start_of
from lath.notation.record.record import Ply
from lath.notation.rules.replay import end_of, faults_of
from lath.notation.text.parser import Parsed, parse_closely

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


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_a_played_game_is_valid_and_canonical_and_has_the_positions_of_its_game(
    game_id: str,
) -> None:
    for seed in range(20):
        assert check(random_game(game_id, seed, annotated=True)) == []
    record = random_game(game_id, 3)
    assert canonical(record) == record
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


def test_what_cannot_be_played_raises() -> None:
    for moves, error in (("1. e5 2. e5", IllegalMoveError), ("1. e5 2. xF", MoveSyntaxError)):
        with pytest.raises(error):
            list(positions(record_of(moves)))
    for record, refusal in (
        (record_of("", game="chess"), UnknownGameError),
        (record_of("", "Setup a1"), SetupError),
        (record_of("", "Position 3 w"), PositionError),
    ):
        with pytest.raises(refusal):
            start_of(record)


def test_moves_and_setups_are_written_in_their_one_way_if_their_game_reads_them() -> None:
    record = record_of("1. c3 2. xb4-b2 (2. xa3-a1)", game="mammalath")
    written = canonical(record)
    assert written.moves == ("c3", "xb2-b4")
    assert written.plies[1].variations[0].plies[0].move == "xa1-a3"
    assert check(record) == check(written) == []
    assert canonical(record_of("", "Setup i1 e5", game="manalath")).tag("Setup") == "e5 i1"
    for record in (
        record_of("1. e5 2. xF"),
        record_of("1. e4", game="chess"),
        record_of("", "Setup here", game="manalath"),
    ):
        assert canonical(record) == record


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


def test_the_end_of_a_record_is_its_last_position() -> None:
    for game_id in BUILT_IN:
        record = random_game(game_id, 1)
        *_, end = positions(record)
        assert end_of(record) == end


BEFORE, LAST = WON.rsplit(" ", 2)[0], WON.rsplit(" ", 1)[1]

SOUND: Final = (
    *(read(moves, f"Result {end}", result=end) for moves, end in ((WON, "1-0"), (LOST, "0-1"))),
    *(read(moves, "Result *") for moves in ("", "1. e5")),
    read("", "Position 5/6/7/8/9/8/7/1bb3/www2 b", result="0-1"),
    # variations are played, and numbered, from the ply that they replace; they may end the game
    read("1. e5 2. d4 (2. c3 3. c4 (3. b1)) 3. a1"),
    read("1. e5 2. d4 (2. d4) (2. swap 3. d4)"),
    read(f"{BEFORE} 7. a5 (7. {LAST})"),
    *(
        read("", tag)
        for tag in ("Date ?", "Date 2026-11-20", "TimeControl ?", "TimeControl 10+0.1")
    ),
    read(
        "1. e5 {[%emt 0.5] [%clk 0] [%eval -1] [%depth 3] [%nodes 0] [%pv e5 swap] [%mood 7 of 9]}"
    ),
    *(
        read("1. e5", f"Termination {word}", result="0-1")
        for word in Termination
        if word != "rules"
    ),
)


def test_what_is_right_is_valid() -> None:
    """`broken_records.txt` has what is wrong."""
    assert [parsed.record for parsed in SOUND if faults_of(*parsed)] == []
