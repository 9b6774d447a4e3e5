"""When two records hold the same game, however they are spelled and whatever is said about it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from record_strategies import RECORDS
from sample_records import BUILT_IN, random_game, with_tags

from lath import games
from lath.notation import canonical, parse
from lath.notation.archive import SIZE, canonical_moves, identity
from lath.notation.record import Record, Remembered

SETUP = "FABCDE/EFABCD/DEFABC/CDEFAB/BCDEFA/ABCDEF"


def same(one: str, other: str) -> bool:
    return identity(parse(one)) == identity(parse(other))


def test_an_identity_is_sixteen_bytes_that_are_the_same_everywhere() -> None:
    """They may stand in files: a change of this text is a change of the format."""
    told = identity(parse('[Game "yavalath"] e5 swap *'))
    assert len(told) == SIZE
    assert told.hex() == "ed9e62f497e49c35cb76e1e5d82db211"


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_players_result_tags_comments_and_variations_do_not_count(game_id: str) -> None:
    record = random_game(game_id, 5)
    said = random_game(game_id, 5, first="eve", annotated=True, Round="9", Opening="x")
    assert identity(with_tags(said, Result="*")) == identity(record)
    varied = parse('[Game "yavalath"] e5 (d4 {closer}) swap *')
    assert identity(varied) == identity(parse('[Game "yavalath"] e5 swap *'))


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_a_setup_and_the_position_that_it_makes_are_one_start(game_id: str) -> None:
    game = games.get(game_id)
    record = random_game(game_id, 5)
    start = game.start(record.tag("Setup") or None).text()
    tags = tuple(tag for tag in record.tags if tag[0] != "Setup")
    by_position = replace(record, tags=(*tags, ("Position", start)))
    assert identity(by_position) == identity(record)


def test_the_plainest_setup_may_be_left_out() -> None:
    plain = "ABCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE"
    assert same('[Game "mammalath"] c3 *', f'[Game "mammalath"] [Setup "{plain}"] c3 *')
    assert not same('[Game "mammalath"] c3 *', f'[Game "mammalath"] [Setup "{SETUP}"] c3 *')


def test_spelling_does_not_count() -> None:
    assert same('[Game "mammalath"] c3 xb4-b2 *', '[Game "mammalath"] c3 xb2-b4 *')


@pytest.mark.parametrize(
    "other",
    [
        '[Game "manalath"] e5 swap d4 *',
        '[Game "yavalath"] e5 swap *',
        '[Game "yavalath"] e5 swap d3 *',
        '[Game "yavalath"] e5 d4 swap *',
        '[Game "yavalath"] [Position "5/6/7/8/9/8/7/6/wb3 w"] e5 swap d4 *',
        '[Game "yavalath"] [Setup "none such"] e5 swap d4 *',
        '[Game "no-such-game"] e5 swap d4 *',
    ],
)
def test_another_game_start_or_move_is_another_game(other: str) -> None:
    assert not same('[Game "yavalath"] e5 swap d4 *', other)


def test_what_no_game_reads_counts_as_it_stands() -> None:
    assert same('[Game "no-such-game"] x y *', '[Game "no-such-game"] 1. x 2. y 1-0')
    assert not same('[Game "no-such-game"] x y *', '[Game "no-such-game"] y x *')
    assert not same('[Game "no-such-game"] x *', '[Game "no-such-game"] [Setup "a"] x *')
    assert not same('[Game "yavalath"] e5 e5 *', '[Game "yavalath"] e5 e99 *')


@given(RECORDS)
def test_every_record_has_the_identity_of_its_canonical_form(record: Record) -> None:
    assert identity(record) == identity(canonical(record))
    assert len(identity(record)) == SIZE


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_a_random_game_and_its_beginnings_are_all_different(game_id: str) -> None:
    record = random_game(game_id, 7)
    beginnings = [replace(record, plies=record.plies[:n]) for n in range(len(record.plies) + 1)]
    assert len(set(map(identity, beginnings))) == len(beginnings)


def test_canonical_moves_are_those_of_the_canonical_record() -> None:
    record = parse('[Game "mammalath"] c3 xb4-b2 oops *')
    assert canonical_moves(record) == canonical(record).moves == ("c3", "xb2-b4", "oops")


def test_memory_of_spellings_stays_bounded() -> None:
    spelled = Remembered(games.get("mammalath").canonical, 3)
    moves = ("c3", "xb4-b2", "a1", "a2", "a3", "a4", "xb4-b2")
    assert [spelled[move] for move in moves][-1] == "xb2-b4"
    assert len(spelled) <= 3
