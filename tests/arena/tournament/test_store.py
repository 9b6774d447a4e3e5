"""Where results live: each game once, all of it or nothing, and no doubt whose directory it is."""

from __future__ import annotations

import gc
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from arena_runs import PATIENCE_S, environment, exported, numbers, sequence
from places import ROOT
from quick_runs import QuickRun
from results import a_result, finished

from lath.arena.directory import DATABASE, RECORDS
from lath.arena.errors import ArenaError, StoreError
from lath.arena.referee.record import GameResult
from lath.arena.tournament.outcome import sources
from lath.arena.tournament.outcome.sources import records_of
from lath.arena.tournament.store import database as databases
from lath.arena.tournament.store.database import OUTCOME_STATE, outcome_state, read_records
from lath.arena.tournament.store.exports import write_records
from lath.arena.tournament.store.store import Store
from lath.arena.tournament.store.totals import EndingTally
from lath.notation.text.scanner import parse

if TYPE_CHECKING:
    from golden import Golden


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Give a new store."""
    with closing(Store(tmp_path)) as store:
        yield store


def test_a_game_is_kept_once_under_its_number(store: Store) -> None:
    assert not store.has_games()
    store.add([a_result(3), a_result(1)])
    store.add([a_result(3, result="0-1", first="somebody else")])
    assert store.has_games()
    assert finished(store) == {1, 3}
    assert store.tally() == [EndingTally("ann", "bob", "1-0", "rules", 2)]


def test_what_was_kept_is_there_when_the_store_is_opened_again(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as first:
        assert first.tournament() is None
        assert first.note("colours") is None
        first.begin({"rounds": 3, "games": ["yavalath"]})
        first.add([a_result(2)])
        first.keep_notes({"colours": ["red", "blue"], "nothing": None, "no": False})
    with closing(Store(tmp_path)) as again:
        assert again.tournament() == {"rounds": 3, "games": ["yavalath"]}
        assert finished(again) == {2}
        notes = [again.note(key) for key in ("colours", "nothing", "no")]
        assert notes == [["red", "blue"], None, False]


def test_what_is_sorted_needs_no_room_in_the_temporary_folder(store: Store) -> None:
    in_memory = 2
    assert list(store._rows("PRAGMA temp_store")) == [(in_memory,)]  # a setting of its connection


def test_games_are_added_all_or_none(store: Store) -> None:
    def interrupted() -> Iterator[GameResult]:
        yield a_result(4)
        raise KeyboardInterrupt

    store.add([a_result(1)])
    with pytest.raises(StoreError, match="NOT NULL"):
        store.add([a_result(2), a_result(3, plies=None)])
    with pytest.raises(KeyboardInterrupt):
        store.add(interrupted())
    assert finished(store) == {1}
    store.add([a_result(2)])
    assert finished(store) == {1, 2}


def test_a_second_store_on_the_same_folder_is_refused_until_the_first_is_closed(
    tmp_path: Path,
) -> None:
    code = (
        "from pathlib import Path; from lath.arena.tournament.store.store import Store; "
        f"Store(Path({str(tmp_path)!r}))"
    )
    words = [sys.executable, "-c", code]
    with closing(Store(tmp_path)) as first:
        with pytest.raises(StoreError, match="in use by another run"):
            Store(tmp_path)
        other = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
        assert "in use by another run" in other.stderr
        first.add([a_result(1)])
        assert finished(first) == {1}
    subprocess.run(words, check=True, cwd=ROOT)


def test_records_are_exported_by_number_whatever_the_order_they_came_in(store: Store) -> None:
    games = sequence(20)
    for number in random.Random(1).sample(games, len(games)):
        store.add([a_result(number)])
    store.export()
    assert exported(store.folder) == games
    records = [record for _, record in read_records(store.folder)]
    assert all(parse(record.strip()).tag("First") == "ann" for record in records)
    assert (store.folder / RECORDS).read_text(encoding="utf-8") == "\n".join(records)


def test_an_export_leaves_the_old_file_where_it_fails(store: Store) -> None:
    store.add([a_result(1)])
    store.export()

    def broken() -> Iterator[str]:
        yield "half a record"
        raise StoreError("unreadable")

    with pytest.raises(StoreError, match="unreadable"):
        write_records(store.folder / RECORDS, broken())
    assert exported(store.folder) == [1]
    left = {path.suffix for path in store.folder.iterdir()}
    assert left <= {".db", ".db-journal", ".lath", ".lock"}


def test_a_log_is_told_of_where_a_game_ended_badly_or_a_bot_complained(store: Store) -> None:
    said = {"ann": "oops \0 \x1b", "bob": "sorry"}
    store.add(
        [
            a_result(1, log="what was said"),
            a_result(2, termination="crash", log="what was said"),
            a_result(3, stderr=said),
            a_result(4),
        ]
    )
    both = "-- ann, standard error --\noops \0 \x1b\n\n-- bob, standard error --\nsorry\n"
    assert list(store.logs()) == [(2, "what was said"), (3, both)]


def test_an_outcome_has_fallen_behind_where_the_last_run_was_killed(tmp_path: Path) -> None:
    assert outcome_state(tmp_path) != "false", "there is no tournament"
    for is_whole in (False, True):
        with closing(Store(tmp_path)) as store:
            store.keep_notes({OUTCOME_STATE: is_whole})
            assert outcome_state(tmp_path) != "false", "it is being played"
        assert (outcome_state(tmp_path) == "false") is not is_whole
    (tmp_path / DATABASE).write_bytes(b"rubbish" * 1000)
    assert outcome_state(tmp_path) != "false", "whoever reads the games is told of it"


def test_what_is_no_store_of_ours_is_refused_and_left_alone(tmp_path: Path, golden: Golden) -> None:
    said: dict[str, str] = {}

    def refused(name: str) -> None:
        before = path.read_bytes() if path.exists() else b""
        with pytest.raises(StoreError) as caught, closing(Store(path.parent)) as store:
            store.tournament()
        said[name] = str(caught.value)
        assert not before or before == path.read_bytes() or "later" in name

    path = tmp_path / "missing" / DATABASE
    refused("a folder that is not there")
    path = tmp_path / DATABASE
    path.write_text("These are my notes on the tournament. " * 100)
    refused("no database")
    path.unlink()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE game (title TEXT)")
    refused("of another program")
    path.unlink()
    with closing(Store(tmp_path)) as store:
        store.keep_notes({"format": 3})
    refused("of a later format")
    golden(said)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_writable_is_told_of(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="cannot be opened: Permission denied"):
            Store(tmp_path)
    finally:
        tmp_path.chmod(0o700)


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Let no file grow over `size`, as if the disk were full there."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)


def test_files_that_may_not_grow_are_told_of_and_lose_nothing_that_was_kept(
    tmp_path: Path,
) -> None:
    with file_size_limit(0), pytest.raises(StoreError):
        Store(tmp_path)
    kept: set[int] = set()
    store = Store(tmp_path)

    def fill_it() -> None:
        for number in sequence(1000):
            store.add([a_result(number)])
            kept.add(number)

    with file_size_limit(100_000), pytest.raises(StoreError, match=DATABASE):
        fill_it()
    assert 10 < len(kept) < 1000
    assert finished(store) == kept
    store.add([a_result(1000)])
    what = r"games\.lath: cannot be written"
    with file_size_limit(5_000), pytest.raises(StoreError, match=what) as error:
        store.export()
    store.close()
    del error  # and with it what the export was doing: an error now would have nobody to tell
    gc.collect()
    with closing(Store(tmp_path)) as again:
        again.export()
    assert exported(tmp_path) == numbers(tmp_path) == [*sorted(kept), 1000]


# Who looks at a tournament that is being played: neither hinders the other


@contextmanager
def reader(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Read a tournament over and over, in a process of its own, until told to end."""
    code = (
        "import sys, select\n"
        "from pathlib import Path\n"
        "from lath.arena.tournament.outcome.sources import records_of\n"
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
        for number in range(101, 109):
            with closing(Store(tmp_path)) as store:
                store.add([a_result(number)])
                store.export()
    assert (one.returncode, another.returncode) == (0, 0)
    assert numbers(tmp_path) == sequence(108)


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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.setattr(databases, "BUSY_S", 0.01)
    with closing(Store(tmp_path)) as store:
        quick = QuickRun(store)
        quick.run(rounds=1)
        database = reading(tmp_path)
        quick.watcher.on_warning = database.close
        assert quick.run(rounds=5).is_complete
        assert sorted(quick.played) == sequence(30)
    first, second = quick.watcher.warnings
    golden(first)
    assert second.endswith("the disk takes results again; the run resumes")


def test_records_are_read_while_they_are_stored(tmp_path: Path) -> None:
    (tmp_path / DATABASE).touch()
    assert list(records_of([tmp_path])) == [], "of a run that was killed before its first game"
    with closing(Store(tmp_path)) as store:
        store.add([a_result(number) for number in range(1, 1201)])
        records = records_of([tmp_path])
        first = [next(records) for _ in range(3)]
        store.add([a_result(1201)])
        assert len(first) + len(list(records)) == 1201


def test_a_folder_that_may_only_be_read_gives_the_exported_games(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add([a_result(1)])
    store.export()

    def refuse(_folder: Path) -> list[str]:
        error = sqlite3.OperationalError("unable to open database file")
        error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise error

    monkeypatch.setattr(sources, "read_records", refuse)  # root may write everywhere
    assert len(list(records_of([store.folder]))) == 1
    (store.folder / RECORDS).unlink()
    with pytest.raises(ArenaError, match=r"unable to open database file; games.lath does not"):
        list(records_of([store.folder]))
