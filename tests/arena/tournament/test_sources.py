"""Where `arena rate` and `report` find records: directories, files, and what is wrong with them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from results import a_result

from lath.arena.errors import ArenaError
from lath.arena.tournament.sources import records_of
from lath.arena.tournament.store import DATABASE, RECORDS, Store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with closing(Store(tmp_path)) as store:
        store.add([a_result(1), a_result(2)])
        store.export()
    return tmp_path


def test_a_directory_gives_the_games_of_its_database(folder: Path) -> None:
    (folder / RECORDS).unlink()
    assert len(list(records_of([folder]))) == 2


def test_games_lath_alone_is_enough(folder: Path) -> None:
    (folder / DATABASE).unlink()
    assert len(list(records_of([folder]))) == 2


def test_sources_follow_each_other(folder: Path) -> None:
    assert len(list(records_of([folder, folder / RECORDS]))) == 4


def test_while_a_run_goes_on_the_exported_games_are_read(folder: Path) -> None:
    with closing(Store(folder)) as store:
        store.add([a_result(3)])
        assert len(list(records_of([folder]))) == 2
        (folder / RECORDS).unlink()
        with pytest.raises(ArenaError, match=r"is being played, and games\.lath is not written"):
            list(records_of([folder]))


def test_a_damaged_database_is_told_of(folder: Path) -> None:
    (folder / DATABASE).write_bytes(b"no database" * 500)
    with pytest.raises(ArenaError, match=r"tournament\.db is damaged: file is not a database"):
        list(records_of([folder]))


def test_a_database_of_another_program_is_told_of(folder: Path) -> None:
    (folder / DATABASE).unlink()
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        database.execute("CREATE TABLE other (x)")
    with pytest.raises(ArenaError, match="is damaged: no such table: game"):
        list(records_of([folder]))


def test_what_is_no_tournament_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=r"is no tournament: it has neither tournament\.db nor"):
        list(records_of([tmp_path]))
    with pytest.raises(ArenaError, match=r"gone\.lath cannot be read: No such file"):
        list(records_of([tmp_path / "gone.lath"]))
