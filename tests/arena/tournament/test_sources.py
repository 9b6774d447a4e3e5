"""Where `arena rate` and `report` find records: directories, files, and what is wrong with them."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from places import ROOT, SUPPORT
from results import a_result

from lath.arena.directory import CONFIG, DATABASE, RECORDS
from lath.arena.errors import ArenaError, DamagedError, DiskError, InUseError, StoreError
from lath.arena.tournament.outcome import sources
from lath.arena.tournament.outcome.sources import records_of
from lath.arena.tournament.store.database import is_being_played
from lath.arena.tournament.store.store import Store

if TYPE_CHECKING:
    from golden import Golden


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with closing(Store(tmp_path)) as store:
        store.add([a_result(1), a_result(2)])
        store.export()
    return tmp_path


def games_in(*places: Path) -> int:
    return len(list(records_of(places)))


def test_a_directory_gives_the_games_of_its_database_or_of_games_lath(folder: Path) -> None:
    assert games_in(folder, folder / RECORDS) == 4, "sources follow each other"
    (folder / RECORDS).unlink()
    assert games_in(folder) == 2
    with closing(Store(folder)) as store:
        store.add([a_result(3)])
        assert games_in(folder) == 3, "while a run goes on"
        store.export()
    (folder / DATABASE).unlink()
    assert games_in(folder) == 3


def test_what_a_killed_run_had_half_stored_is_taken_back(folder: Path, tmp_path: Path) -> None:
    code = f"""if 1:
        import os, sys
        sys.path.insert(0, {str(SUPPORT)!r})
        from pathlib import Path
        from lath.arena.tournament.store.store import Store
        store = Store(Path({str(tmp_path)!r}))
        store._database.execute("PRAGMA cache_size = 1")
        store._database.execute("BEGIN IMMEDIATE")
        store._database.execute("UPDATE game SET result = '*', record = ''")
        store._database.execute("UPDATE about SET value = hex(zeroblob(100000))")
        os.kill(os.getpid(), 9)
    """
    with closing(Store(folder)) as store:
        store.begin({"rounds": 1})
    subprocess.run([sys.executable, "-c", code], check=False, cwd=ROOT)
    assert (folder / f"{DATABASE}-journal").stat().st_size > 0
    assert not is_being_played(folder)
    assert len(list(records_of([folder]))) == 2


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        (sqlite3.SQLITE_FULL, DiskError, "tournament.db: x; games.lath does not exist"),
        (sqlite3.SQLITE_IOERR_READ, DiskError, "tournament.db: x; games.lath does not exist"),
        (sqlite3.SQLITE_CANTOPEN, StoreError, "tournament.db: x; games.lath does not exist"),
        (
            sqlite3.SQLITE_READONLY_ROLLBACK,
            StoreError,
            "tournament.db: x; games.lath does not exist",
        ),
        (sqlite3.SQLITE_BUSY, InUseError, "tournament.db: locked by another program"),
        (sqlite3.SQLITE_CORRUPT, DamagedError, "tournament.db: damaged: x"),
        (sqlite3.SQLITE_NOTADB, DamagedError, "tournament.db: not a tournament: x"),
    ],
)
def test_only_what_is_damaged_is_called_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: int, kind: type[StoreError], words: str
) -> None:
    def refuse(_: Path) -> Iterator[str]:
        error = sqlite3.OperationalError("x")
        error.sqlite_errorcode = code
        raise error
        yield ""

    monkeypatch.setattr(sources, "read_records", refuse)
    (folder / RECORDS).unlink()
    (folder / DATABASE).write_bytes(b"")  # nothing is sound
    with pytest.raises(kind) as caught:
        list(records_of([folder]))
    assert type(caught.value) is kind
    assert str(caught.value) == f"{folder}/{words}"


def test_what_is_no_tournament_is_told_of(folder: Path, golden: Golden) -> None:
    said = {}

    def refused(name: str, place: Path = folder) -> None:
        with pytest.raises(ArenaError) as caught:
            list(records_of([place]))
        said[name] = str(caught.value)

    (folder / DATABASE).write_bytes(b"no database" * 500)
    refused("no database")
    (folder / DATABASE).unlink()
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        database.execute("CREATE TABLE other (x)")
    refused("a database of another program")
    (folder / DATABASE).unlink()
    (folder / RECORDS).unlink()
    refused("an empty folder")
    refused("nothing", folder / "gone.lath")
    golden(said)


def test_of_a_folder_that_a_run_has_left_only_its_games_are_read(folder: Path) -> None:
    (folder / DATABASE).unlink()
    expected = list(records_of([folder], []))
    (folder / "openings.txt").write_text('[White "ann"]\n\n1. e5 d4 *\n')
    assert len(list(records_of([folder], []))) == len(expected) + 1  # a folder of record files
    for left in (CONFIG, "outcome.json", "standings.json", "standings.csv"):
        (folder / left).write_text("{}")
        assert list(records_of([folder], [])) == expected
        (folder / left).unlink()
