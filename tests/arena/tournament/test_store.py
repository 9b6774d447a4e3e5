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
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from arena_runs import exported, numbers, sequence
from places import ROOT, SUPPORT
from results import a_result, finished

from lath.arena.errors import StoreError
from lath.arena.referee.record import GameResult
from lath.arena.tournament.database import (
    DATABASE,
    OUTCOME_STATE,
    RECORDS,
    has_fallen_behind,
    read_records,
)
from lath.arena.tournament.exports import write_records
from lath.arena.tournament.store import Store, Tally
from lath.notation.scanner import parse


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Give a new store."""
    store = Store(tmp_path)
    yield store
    store.close()


def test_a_game_is_kept_once_under_its_number(store: Store) -> None:
    store.add([a_result(3), a_result(1)])
    store.add([a_result(3, result="0-1", first="somebody else")])
    assert finished(store) == {1, 3}
    assert store.tally() == [Tally("ann", "bob", "1-0", "rules", 2)]


def test_what_was_kept_is_there_when_the_store_is_opened_again(tmp_path: Path) -> None:
    first = Store(tmp_path)
    assert first.tournament() is None
    first.begin({"rounds": 3, "games": ["yavalath"]})
    first.add([a_result(2)])
    first.close()
    again = Store(tmp_path)
    assert again.tournament() == {"rounds": 3, "games": ["yavalath"]}
    assert finished(again) == {2}
    again.close()


def test_what_is_sorted_needs_no_room_in_the_temporary_folder(store: Store) -> None:
    in_memory = 2
    assert list(store._rows("PRAGMA temp_store")) == [(in_memory,)]


def test_games_are_added_all_or_none(store: Store) -> None:
    store.add([a_result(1)])
    broken = a_result(3, plies=None)
    with pytest.raises(StoreError, match="NOT NULL"):
        store.add([a_result(2), broken])
    assert finished(store) == {1}
    store.add([a_result(2)])
    assert finished(store) == {1, 2}


def test_an_interrupt_while_games_are_added_adds_none(store: Store) -> None:
    def results() -> Iterator[GameResult]:
        yield a_result(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.add(results())
    store.add([a_result(2)])
    assert finished(store) == {2}


def test_a_second_store_on_the_same_folder_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="in use by another run"):
        Store(store.folder)
    store.add([a_result(1)])
    assert finished(store) == {1}


def test_another_process_is_refused_too_until_the_store_is_closed(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from lath.arena.tournament.store import Store; "
        f"Store(Path({str(tmp_path)!r}))"
    )
    first = Store(tmp_path)
    while_open = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    first.close()
    assert "in use by another run" in while_open.stderr
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_records_are_exported_by_number_whatever_the_order_they_came_in(store: Store) -> None:
    games = sequence(20)
    for number in random.Random(1).sample(games, len(games)):
        store.add([a_result(number)])
    store.export()
    assert exported(store.folder) == games
    text = (store.folder / RECORDS).read_text(encoding="utf-8")
    records = [record for _, record in read_records(store.folder)]
    assert all(parse(record.strip()).tag("First") == "ann" for record in records)
    assert text == "\n".join(records)


def test_an_export_leaves_the_old_file_where_it_fails(store: Store) -> None:
    store.add([a_result(1)])
    store.export()

    def broken() -> Iterator[str]:
        yield "half a record"
        raise StoreError("unreadable")

    with pytest.raises(StoreError, match="unreadable"):
        write_records(store.folder / RECORDS, broken())
    assert exported(store.folder) == [1]
    assert {path.suffix for path in store.folder.iterdir()} <= {
        ".db",
        ".db-journal",
        ".lath",
        ".lock",
    }


def test_the_last_words_of_bots_are_kept_where_there_are_any(store: Store) -> None:
    said = {"ann": "oops \0 \x1b", "bob": "sorry"}
    store.add([a_result(1), a_result(2, stderr=said)])
    assert list(store.logs()) == [
        (2, "-- ann, standard error --\noops \0 \x1b\n\n-- bob, standard error --\nsorry\n")
    ]


def test_a_log_is_told_of_where_a_game_ended_badly_or_a_bot_complained(store: Store) -> None:
    said = {"ann": "oops"}
    store.add(
        [
            a_result(1, log="what was said"),
            a_result(2, termination="crash", log="what was said"),
            a_result(3, stderr=said),
            a_result(4),
        ]
    )
    assert list(store.logs()) == [(2, "what was said"), (3, "-- ann, standard error --\noops\n")]


def test_what_is_noted_is_read_again(store: Store) -> None:
    assert store.note("colours") is None
    store.keep_notes({"colours": ["red", "blue"], "nothing": None, "no": False})
    assert store.note("colours") == ["red", "blue"]
    assert (store.note("nothing"), store.note("no")) == (None, False)


def test_a_store_knows_whether_it_has_games(store: Store) -> None:
    assert not store.has_games()
    store.add([a_result(7)])
    assert store.has_games()


def test_an_outcome_has_fallen_behind_where_the_last_run_was_killed(tmp_path: Path) -> None:
    assert not has_fallen_behind(tmp_path), "there is no tournament"
    for is_whole in (False, True):
        with closing(Store(tmp_path)) as store:
            store.keep_notes({OUTCOME_STATE: is_whole})
            assert not has_fallen_behind(tmp_path), "it is being played"
        assert has_fallen_behind(tmp_path) is not is_whole
    (tmp_path / DATABASE).write_bytes(b"rubbish" * 1000)
    assert not has_fallen_behind(tmp_path), "whoever reads the games is told of it"


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    text = "These are my notes on the tournament. " * 100
    (tmp_path / DATABASE).write_text(text)
    with pytest.raises(StoreError, match="is not a tournament"):
        Store(tmp_path)
    assert (tmp_path / DATABASE).read_text() == text


def test_the_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / DATABASE)) as database:
        database.execute("CREATE TABLE game (title TEXT)")
    before = (tmp_path / DATABASE).read_bytes()
    with pytest.raises(StoreError, match="is not a tournament: it has tables game"):
        Store(tmp_path)
    assert (tmp_path / DATABASE).read_bytes() == before


def test_a_damaged_database_is_told_of(tmp_path: Path) -> None:
    first = Store(tmp_path)
    first.add([a_result(number) for number in range(1, 200)])
    first.close()
    path = tmp_path / DATABASE
    data = bytearray(path.read_bytes())
    data[4096:] = random.Random(1).randbytes(len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(StoreError, match=DATABASE), closing(Store(tmp_path)) as damaged:
        list(damaged._games())


def test_a_later_format_is_refused(tmp_path: Path, store: Store) -> None:
    store.begin({})
    store._database.execute("UPDATE about SET value = '3' WHERE key = 'format'")
    with pytest.raises(StoreError, match="has format 3, expected 2"):
        store.tournament()


def test_a_folder_that_is_not_there_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened: No such file"):
        Store(tmp_path / "missing")


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


def test_a_full_disk_is_told_of_and_loses_nothing_that_was_kept(tmp_path: Path) -> None:
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
    store.close()
    assert numbers(tmp_path) == [*sorted(kept), 1000]


def test_a_store_in_a_full_disk_cannot_be_opened(tmp_path: Path) -> None:
    with file_size_limit(0), pytest.raises(StoreError):
        Store(tmp_path)
    with closing(Store(tmp_path)) as store:
        assert finished(store) == set()


def test_games_that_cannot_be_exported_are_told_of(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([a_result(number) for number in range(1, 2000)])
    with (
        file_size_limit(20_000),
        pytest.raises(StoreError, match=r"games\.lath cannot be written") as error,
    ):
        store.export()
    store.close()
    del error  # and with it what the export was doing: an error now would have nobody to tell
    gc.collect()
    with closing(Store(tmp_path)) as again:
        again.export()
    assert exported(tmp_path) == sequence(1999)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_writable_is_told_of(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="cannot be opened: Permission denied"):
            Store(tmp_path)
    finally:
        tmp_path.chmod(0o700)


def test_what_a_process_kept_before_it_was_killed_is_there(tmp_path: Path) -> None:
    code = f"""if 1:
        import os, sys
        sys.path.insert(0, {str(SUPPORT)!r})
        from pathlib import Path
        from lath.arena.tournament.store import Store
        from results import a_result, finished
        store = Store(Path({str(tmp_path)!r}))
        for number in range(1, 60):
            store.add([a_result(number)])
            print(number, flush=True)
        os.kill(os.getpid(), 9)
    """
    told = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT, check=False
    )
    assert told.returncode == -signal.SIGKILL
    assert sequence(59) == [int(line) for line in told.stdout.split()]
    with closing(Store(tmp_path)) as store:
        assert finished(store) == set(sequence(59))
