"""Who looks at a tournament that is being played: neither hinders the other."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import pytest
from arena_runs import (
    PATIENCE_S,
    Range,
    environment,
    flags,
    numbers,
    sequence,
    stop,
    wait_until_it_plays,
)
from bad_bots import TakesAMillisecond
from results import a_result

from lath.arena.errors import ArenaError
from lath.arena.tournament import sources
from lath.arena.tournament.sources import records_of
from lath.arena.tournament.store import DATABASE, RECORDS, Finished, Store

MILLION: Final = 1_000_000


@contextmanager
def reader(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Read a tournament over and over, in a process of its own, until told to end."""
    code = (
        "import sys, select\n"
        "from pathlib import Path\n"
        "from lath.arena.tournament.sources import records_of\n"
        "print('begun', flush=True)\n"
        "while not select.select([sys.stdin], [], [], 0)[0]:\n"
        f"    assert len(list(records_of([Path({str(folder)!r})]))) >= 200\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
        text=True,
    )
    assert process.stdout
    process.stdout.readline()
    try:
        yield process
    finally:
        process.communicate("", timeout=PATIENCE_S)


def test_a_run_can_begin_and_end_while_somebody_reads(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store:
        store.add([a_result(number) for number in range(1, 201)])
        store.export()
    with reader(tmp_path) as one, reader(tmp_path) as another:
        for number in range(201, 231):
            with closing(Store(tmp_path)) as store:
                store.add([a_result(number)])
                store.export()
    assert (one.returncode, another.returncode) == (0, 0)
    assert numbers(tmp_path) == sequence(230)


def test_a_run_waits_a_moment_for_somebody_who_reads(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store:
        store.add([a_result(1)])
    reading = sqlite3.connect(tmp_path / DATABASE, check_same_thread=False, isolation_level=None)
    reading.execute("BEGIN")
    reading.execute("SELECT record FROM game").fetchall()
    ended: list[str] = []

    def end() -> None:
        ended.append("the reading")
        reading.close()

    timer = threading.Timer(0.2, end)
    timer.start()
    with closing(Store(tmp_path)) as store:
        store.add([a_result(2)])
        assert ended
    timer.join()


def test_a_tournament_is_rated_while_it_is_played_and_does_not_notice(tmp_path: Path) -> None:
    with Range(tmp_path) as place:
        bots = {"ann": TakesAMillisecond, "bob": TakesAMillisecond}
        first = place.arena(*flags(bots, rounds=2, out=place.out))
        assert first.returncode == 0, first.stderr
        run = place.begin(*flags(bots, rounds=5000, out=place.out))
        wait_until_it_plays(place, run)
        for command in (["rate"], ["report", "-o", tmp_path / "page.html"]):
            looked = place.arena(command[0], place.out, *command[1:])
            assert looked.returncode == 0, looked.stderr
            assert "Traceback" not in looked.stderr
        assert run.poll() is None
        said = stop(run, signal.SIGINT)
        assert (run.returncode, "warning" in said) == (3, False), said
        played = len(numbers(place.out))
        assert played > 4
        assert len(set(numbers(place.out))) == played


def test_a_tournament_that_was_killed_before_its_first_game_has_no_records(tmp_path: Path) -> None:
    (tmp_path / DATABASE).touch()
    assert list(records_of([tmp_path])) == []


def test_a_folder_that_may_only_be_read_gives_the_exported_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Store(tmp_path)) as store:
        store.add([a_result(1)])
        store.export()

    def refuse(_path: Path) -> list[str]:
        error = sqlite3.OperationalError("unable to open database file")
        error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise error

    monkeypatch.setattr(sources, "_from_database", refuse)
    assert len(list(records_of([tmp_path]))) == 1
    (tmp_path / RECORDS).unlink()
    with pytest.raises(ArenaError, match=r"is not writable, so tournament\.db cannot be read"):
        list(records_of([tmp_path]))


def test_finished_numbers_are_a_set_in_little_memory() -> None:
    numbers = [1, 2, 3, 7, 9, 10, 2**40]
    finished: AbstractSet[object] = Finished(numbers)
    assert finished == set(numbers)
    assert list(finished) == numbers
    assert len(finished) == 7
    assert [number in finished for number in (0, 1, 3, 4, 8, 9, 10, 11, 2**40)] == [
        *(False, True, True, False, False, True, True, False, True)
    ]
    assert "1" not in finished
    assert finished - {1, 2, 3} == {7, 9, 10, 2**40}
    assert repr(finished) == "Finished(1-3, 7-7, 9-10, 1099511627776-1099511627776)"
    assert len(Finished()) == 0
    with pytest.raises(ValueError, match="1 after 3, expected rising numbers"):
        Finished([3, 1])


@pytest.mark.parametrize(
    ("every", "most"), [(1, 200_000), (2, 20 * MILLION)], ids=["all", "every second"]
)
def test_a_million_finished_games_take_little_memory(every: int, most: int, tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store:
        _fill(store, MILLION // every, every)
        tracemalloc.start()
        finished = store.finished()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert len(finished) == MILLION // every
    assert MILLION in finished
    assert peak < most


def _fill(store: Store, games: int, every: int) -> None:
    """Put many games in, small ones, as fast as the database can."""
    store.add([a_result(every)])
    store._database.execute("PRAGMA synchronous = OFF")
    columns = [row[1] for row in store._database.execute("PRAGMA table_info(game)")]
    values = ", ".join("n" if name == "number" else f"'{name}'" for name in columns)
    store._database.execute(
        f"WITH RECURSIVE many(n) AS (VALUES ({2 * every}) UNION ALL "
        f"SELECT n + {every} FROM many LIMIT {games - 1}) "
        f"INSERT INTO game SELECT {values} FROM many"
    )
