"""Games that are rated are rows of a database: what they come to, and that they take no memory."""

from __future__ import annotations

import gc
import random
import sqlite3
import threading
import tracemalloc
from collections import deque
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_pairs import plain_results
from sample_records import bare, random_game, with_tags

from lath.notation.files import TemporaryFileError
from lath.notation.record import Record
from lath.reports.ratings.results import Result, count
from lath.reports.standings import Tally

pytestmark = pytest.mark.slow

NAMES = ("ann", "bob", "cat")

MOVES = [random_game("yavalath", seed) for seed in range(3)]


def tally_of(records: list[Record]) -> Tally:
    tally = Tally()
    for record in records:
        tally.add(record)
    return tally


@st.composite
def a_record(draw: st.DrawFn) -> Record:
    """Draw a record of few bots, rounds and games, so that many meet."""
    tags = {
        "First": draw(st.sampled_from(NAMES)),
        "Second": draw(st.sampled_from(NAMES)),
        "Round": draw(st.sampled_from(("1", "2"))),
        "Number": draw(st.sampled_from(("", "1", "2", "3", "4"))),
        "Opening": draw(st.sampled_from(("", "one"))),
        "Game": draw(st.sampled_from(("yavalath", "yavalath", "surikata"))),
        "Termination": draw(st.sampled_from(("rules", "time", "crash", "void"))),
    }
    result = draw(st.sampled_from(("1-0", "1/2-1/2", "0-1")))
    played = draw(st.sampled_from((*MOVES, None)))
    if played is None:
        return with_tags(bare("x", "y", result), **tags)
    return with_tags(replace(played, result=result), **tags, Result=result)


@settings(max_examples=60)
@given(st.lists(a_record(), max_size=40))
def test_rows_come_to_what_lists_come_to(records: list[Record]) -> None:
    tally = tally_of(records)
    plain = plain_results(records)
    assert tally.results() == plain
    rated = tally.rated()
    assert tally.games_rated == len(plain)
    assert list(rated) == [Result(*result[:4]) for result in plain]
    for game in ("", "yavalath", "surikata", "manalath"):
        for fair in (False, True):
            some = [one for one in plain_results(records, fair=fair) if game in ("", one.game)]
            assert count(replace(rated, game=game, fair=fair)) == count(some)


def test_a_tally_that_was_asked_may_be_added_to() -> None:
    first = bare("ann", "bob", "1-0")
    tally = tally_of([first])
    assert [result.pair for result in tally.results()] == [0]
    tally.add(bare("bob", "ann", "1-0"))
    assert [result.pair for result in tally.results()] == [0, 0]


def test_ten_times_the_games_take_no_more_memory() -> None:
    """Of what Python holds; the database has a bound of its own."""
    tally = Tally()
    chance = random.Random(1)
    held = []
    tracemalloc.start()
    try:
        for games in (300, 3000):
            while tally.games_rated < games:
                first, second = chance.sample(NAMES, 2)
                number = str(chance.randrange(1, 10**6))
                tally.add(bare(first, second, chance.choice(("1-0", "0-1")), Number=number))
            count(tally.rated())
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert held[1] - held[0] < 15_000
    (size,) = tally._rated._database.execute("PRAGMA cache_size").fetchone()
    assert size == -(4 << 10)  # KiB


def test_where_there_is_no_room_it_is_told_as_that() -> None:
    tally = Tally()
    tally._rated._database.execute("PRAGMA max_page_count = 12")
    records = [bare("ann", "bob", "1-0", Number=str(number)) for number in range(2000)]
    with pytest.raises(TemporaryFileError, match="full"):
        deque(map(tally.add, records))


def test_a_tally_that_is_garbage_is_closed_by_whichever_thread_collects_it() -> None:
    """Told here by the plugin of pytest that fails a test for what a finalizer raises."""
    tally = Tally()
    tally.add(bare("ann", "bob", "1-0"))
    database = tally._rated._database
    kept = [tally]
    del tally
    other = threading.Thread(target=kept.clear)
    other.start()
    other.join()
    with pytest.raises(sqlite3.ProgrammingError, match="closed database"):
        database.execute("SELECT 1")
