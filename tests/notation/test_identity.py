"""When two records hold the same game, however they are spelled and whatever is said about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given
from record_strategies import RECORDS
from sample_records import BUILT_IN, random_game, with_tags

from lath import games
from lath.notation import canonical, parse
from lath.notation.archive import SIZE, canonical_moves, identity
from lath.notation.record import Record, Remembered

SETUP = "FABCDE/EFABCD/DEFABC/CDEFAB/BCDEFA/ABCDEF"


def test_an_identity_is_sixteen_bytes_that_are_the_same_everywhere() -> None:
    """They may stand in files: a change of this text is a change of the format."""
    told = identity(parse('[Game "yavalath"] e5 swap *'))
    assert (len(told), told.hex()) == (SIZE, "ed9e62f497e49c35cb76e1e5d82db211")


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_only_moves_and_the_start_count(game_id: str) -> None:
    record = random_game(game_id, 5)
    said = random_game(game_id, 5, first="eve", annotated=True, Round="9", Opening="x")
    assert identity(with_tags(said, Result="*")) == identity(record)
    start = games.get(game_id).start(record.tag("Setup") or None).text()
    tags = tuple(tag for tag in record.tags if tag[0] != "Setup")
    by_position = replace(record, tags=(*tags, ("Position", start)))
    assert identity(by_position) == identity(record)
    beginnings = [replace(record, plies=record.plies[:n]) for n in range(len(record.plies) + 1)]
    assert len(set(map(identity, beginnings))) == len(beginnings)


PLAIN: Final = "ABCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE"
ONE: Final = (
    ('[Game "yavalath"] e5 swap', '[Game "yavalath"] e5 (d4 {closer}) swap'),
    ('[Game "mammalath"] c3', f'[Game "mammalath"] [Setup "{PLAIN}"] c3'),
    ('[Game "mammalath"] c3 xb4-b2', '[Game "mammalath"] c3 xb2-b4'),
    # what no game reads counts as it stands
    ('[Game "no-such-game"] x y', '[Game "no-such-game"] 1. x 2. y'),
)
OTHERS: Final = (
    '[Game "yavalath"] e5 swap d4',
    '[Game "manalath"] e5 swap d4',
    '[Game "yavalath"] e5 swap',
    '[Game "yavalath"] e5 swap d3',
    '[Game "yavalath"] e5 d4 swap',
    '[Game "yavalath"] [Position "5/6/7/8/9/8/7/6/wb3 w"] e5 swap d4',
    '[Game "yavalath"] [Setup "none such"] e5 swap d4',
    '[Game "no-such-game"] e5 swap d4',
    *('[Game "yavalath"] e5 e5', '[Game "yavalath"] e5 e99'),
    *('[Game "no-such-game"] x', '[Game "no-such-game"] [Setup "a"] x'),
    *('[Game "no-such-game"] x y', '[Game "no-such-game"] y x'),
    *('[Game "mammalath"] c3', f'[Game "mammalath"] [Setup "{SETUP}"] c3'),
)


def test_records_are_one_game_or_others() -> None:
    for one, other in ONE:
        assert identity(parse(f"{one} *")) == identity(parse(f"{other} 1-0")), (one, other)
    assert len({identity(parse(f"{text} *")) for text in OTHERS}) == len(OTHERS)


@given(RECORDS)
def test_every_record_has_the_identity_of_its_canonical_form(record: Record) -> None:
    assert identity(record) == identity(canonical(record))
    assert len(identity(record)) == SIZE


def test_canonical_moves_are_those_of_the_canonical_record() -> None:
    record = parse('[Game "mammalath"] c3 xb4-b2 oops *')
    assert canonical_moves(record) == canonical(record).moves == ("c3", "xb2-b4", "oops")


def test_memory_of_spellings_stays_bounded() -> None:
    spelled = Remembered(games.get("mammalath").canonical, 3)
    moves = ("c3", "xb4-b2", "a1", "a2", "a3", "a4", "xb4-b2")
    assert [spelled[move] for move in moves][-1] == "xb2-b4"
    assert len(spelled) <= 3
