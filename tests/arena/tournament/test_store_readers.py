"""Who looks at a tournament that is being played: neither hinders the other."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

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
from quick_runs import QuickRun
from results import a_result

from lath.arena.errors import ArenaError
from lath.arena.tournament import sources
from lath.arena.tournament.database import DATABASE, RECORDS
from lath.arena.tournament.sources import records_of
from lath.arena.tournament.store import Store


@contextmanager
def reader(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Read a tournament over and over, in a process of its own, until told to end."""
    code = (
        "import sys, select\n"
        "from pathlib import Path\n"
        "from lath.arena.tournament.sources import records_of\n"
        "print('begun', flush=True)\n"
        "while not select.select([sys.stdin], [], [], 0)[0]:\n"
        f"    assert len(list(records_of([Path({str(folder)!r})]))) >= 100\n"
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
        store.add([a_result(number) for number in range(1, 101)])
        store.export()
    with reader(tmp_path) as one, reader(tmp_path) as another:
        for number in range(101, 116):
            with closing(Store(tmp_path)) as store:
                store.add([a_result(number)])
                store.export()
    assert (one.returncode, another.returncode) == (0, 0)
    assert numbers(tmp_path) == sequence(115)


def reading(folder: Path) -> sqlite3.Connection:
    """Return a connection that is in the middle of reading."""
    database = sqlite3.connect(folder / DATABASE, check_same_thread=False, isolation_level=None)
    database.execute("BEGIN")
    database.execute("SELECT record FROM game").fetchall()
    return database


def test_a_run_waits_a_moment_for_somebody_who_reads(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store:
        store.add([a_result(1)])
        database = reading(tmp_path)
        ended: list[str] = []

        def end() -> None:
            ended.append("the reading")
            database.close()

        timer = threading.Timer(0.2, end)
        timer.start()
        store.add([a_result(2)])
        assert ended
    timer.join()


def test_who_reads_for_long_makes_a_run_wait_and_costs_no_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lath.arena.tournament.database.BUSY_S", 0.01)
    with closing(Store(tmp_path)) as store:
        quick = QuickRun(store)
        quick.run(rounds=1)
        database = reading(tmp_path)
        quick.watcher.on_warning = database.close
        assert quick.run(rounds=5).is_complete
        assert sorted(quick.played) == sequence(30)
    first, second = quick.watcher.warnings
    assert first == (
        f"{tmp_path / DATABASE} is locked by another program; no game begins until results can be "
        "kept, trying again"
    )
    assert second.endswith("the disk takes results again; the run goes on")


def test_records_are_read_while_they_are_stored(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store:
        store.add([a_result(number) for number in range(1, 1201)])
        records = records_of([tmp_path])
        first = [next(records) for _ in range(3)]
        store.add([a_result(1201)])
        assert len(first) + len(list(records)) == 1201


def test_a_tournament_is_rated_while_it_is_played_and_does_not_notice(tmp_path: Path) -> None:
    with Range(tmp_path) as place:
        bots = {"ann": TakesAMillisecond, "bob": TakesAMillisecond}
        first = place.arena(*flags(bots, rounds=2, out=place.out))
        assert first.returncode == 0, first.stderr
        place.variables["LATH_BOT_PACE_S"] = "0.01"  # it takes its time
        run = place.begin(*flags(bots, rounds=5000, out=place.out))
        wait_until_it_plays(place, run, 6)
        for command in (["rate"], ["report", "-o", tmp_path / "page.html"]):
            looked = place.arena(command[0], place.out, *command[1:])
            assert looked.returncode == 0, looked.stderr
            assert "Traceback" not in looked.stderr
        assert run.poll() is None
        said = stop(run, signal.SIGINT)
        known = said.count("warning: a third game repeats another")  # these bots know one game
        assert (run.returncode, said.count("warning")) == (3, known), said
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

    def refuse(_folder: Path) -> list[str]:
        error = sqlite3.OperationalError("unable to open database file")
        error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise error

    monkeypatch.setattr(sources, "read_records", refuse)
    assert len(list(records_of([tmp_path]))) == 1
    (tmp_path / RECORDS).unlink()
    with pytest.raises(ArenaError, match=r"unable to open database file; there is no games"):
        list(records_of([tmp_path]))
