"""Whether thousands of records come back from each format, and from a database by any query."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from record_strategies import ALL_RECORDS
from tests.notation import test_abstractplay as abstractplay
from tests.notation import test_database_asking as database_asking
from tests.notation import test_writer as writer
from tests.notation import test_ygn as ygn

from lath.notation import format_record, parse
from lath.notation.record.record import Record

GAMES = 1000

asked = database_asking.asked


@given(ALL_RECORDS)
@settings(max_examples=2000)
def test_the_text_of_any_of_many_records_reads_back_as_the_same_record(record: Record) -> None:
    text = format_record(record)
    assert parse(text) == record
    assert writer.read_back(text) == [record]


@ygn.every_start
def test_random_games_come_back_from_ygn(position: str) -> None:
    ygn.test_random_games_come_back_from_ygn(position, GAMES)


@abstractplay.every_kind
def test_random_games_come_back_from_abstractplay(game_id: str) -> None:
    abstractplay.test_random_games_come_back_from_abstractplay(game_id, GAMES)


@pytest.mark.parametrize("seed", range(1, 9))
def test_a_database_answers_twenty_thousand_queries_as_its_records_do(
    asked: database_asking.Asked, seed: int
) -> None:
    database_asking.compare(asked, seed, count=2500)


@pytest.mark.parametrize("game_id", database_asking.all_games())
def test_a_database_says_of_every_game_what_its_records_do(game_id: str, tmp_path: Path) -> None:
    for seed in range(2, 6):
        folder = tmp_path / str(seed)
        folder.mkdir()
        database_asking.say_the_same(game_id, seed, folder)
