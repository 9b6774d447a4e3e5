"""The store's guards, each taken out in turn: what it guards against then happens.

So we know that the tests of the store would notice. `test_power_cuts.py` and
`test_torn_files.py` have the controls of what is synced, and when.
"""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from recorded_disk import Disk
from results import a_result, finished

from lath.arena.errors import DamagedError, StoreError
from lath.arena.tournament.store import Store

CONFLICT = "ON CONFLICT (number) DO NOTHING"


class Altered(sqlite3.Connection):
    """A connection of the standard library that is told other things than the store says."""

    instead: tuple[str, str] = ("", "")
    has_replaced = False

    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        return super().execute(self._altered(sql), *parameters)

    def executemany(self, sql: str, rows: Any) -> sqlite3.Cursor:
        return super().executemany(self._altered(sql), rows)

    def _altered(self, sql: str) -> str:
        text, other = self.instead
        if text in sql:
            type(self).has_replaced = True
        return sql.replace(text, other)


@contextmanager
def without(folder: Path, text: str, other: str = "") -> Iterator[Store]:
    """Open a store whose SQL has something else in the place of a text."""
    kind: type[Altered] = type("Altered", (Altered,), {"instead": (text, other)})

    def connect(path: Path) -> sqlite3.Connection:
        return sqlite3.connect(path, timeout=0.0, isolation_level=None, factory=kind)

    with closing(Store(folder, connect=connect)) as store:
        yield store
    assert kind.has_replaced, "a control has controlled nothing"


def test_without_the_lock_two_runs_may_have_the_same_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)
    with closing(Store(tmp_path)) as one:
        with closing(Store(tmp_path)) as another:
            another.add([a_result(1)])
        assert finished(one) == {1}


def test_without_the_key_a_game_that_is_stored_again_is_there_twice(tmp_path: Path) -> None:
    instead = {"number INTEGER PRIMARY KEY": "number INTEGER", CONFLICT: ""}
    with Disk(instead=instead) as disk, closing(Store(tmp_path, connect=disk.connect)) as store:
        store.add([a_result(1)])
        store.add([a_result(1)])
        assert [tally.games for tally in store.tally()] == [2]
        with pytest.raises(DamagedError, match="game 1: it comes after 1"):
            list(store._games())


def test_without_leave_to_do_nothing_a_game_cannot_be_stored_again(tmp_path: Path) -> None:
    with without(tmp_path, CONFLICT) as store:
        store.add([a_result(1)])
        with pytest.raises(StoreError, match="UNIQUE constraint failed"):
            store.add([a_result(1)])


def test_without_a_transaction_half_of_what_is_added_together_may_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Store(tmp_path)) as store:
        monkeypatch.setattr(Store, "_transaction", lambda _: nullcontext())
        with pytest.raises(sqlite3.IntegrityError):
            store.add([a_result(1), a_result(2, plies=None)])
        assert finished(store) == {1}


def test_without_a_rollback_a_store_cannot_be_used_after_an_error(tmp_path: Path) -> None:
    with without(tmp_path, "ROLLBACK", "SELECT 1") as store:
        with pytest.raises(StoreError):
            store.add([a_result(1), a_result(2, plies=None)])
        with pytest.raises(StoreError, match="within a transaction"):
            store.add([a_result(3)])


def test_a_transaction_costs_as_many_syncs_as_a_rollback_journal_needs(tmp_path: Path) -> None:
    with Disk() as disk, closing(Store(tmp_path, connect=disk.connect)) as store:
        store.add([a_result(1)])
        before = disk.count("sync")
        store.add([a_result(number) for number in range(2, 500)])
        # What was there, and how much of it; the database; that it is done.
        assert disk.count("sync") - before == 4
