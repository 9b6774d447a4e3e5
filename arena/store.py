"""Where results live: an SQLite file that is the truth, and the record file written from it.

A game is in the file once, under its number, before it counts as finished; what a crash or a power
cut leaves behind is a tournament with fewer games, never a wrong one. Must not know how games are
played.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from arena.errors import StoreError
from arena.worker import GameResult
from notation.files import write_atomically

DATABASE: Final = "tournament.db"
RECORDS: Final = "games.lath"

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS game (
    number INTEGER PRIMARY KEY,
    round INTEGER NOT NULL,
    game TEXT NOT NULL,
    first TEXT NOT NULL,
    second TEXT NOT NULL,
    result TEXT NOT NULL,
    termination TEXT NOT NULL,
    plies INTEGER NOT NULL,
    first_used_s REAL NOT NULL,
    second_used_s REAL NOT NULL,
    first_worst_s REAL NOT NULL,
    second_worst_s REAL NOT NULL,
    stray_lines INTEGER NOT NULL,
    stderr TEXT NOT NULL,
    record TEXT NOT NULL
);
"""

_COLUMNS: Final = 15

_FORMAT: Final = "1"
"""Of the tables; another one is refused."""


class Tally(NamedTuple):
    """Games that ended alike."""

    first: str
    second: str
    result: str
    termination: str
    games: int


class Store:
    """The results of one tournament; one process has it open at a time."""

    def __init__(self, folder: Path) -> None:
        """Open or make the store in `folder`; raises StoreError, also when it is in use."""
        self.folder: Final = folder
        with self._told():
            self._database = sqlite3.connect(
                folder / DATABASE, timeout=0.5, isolation_level=None, check_same_thread=True
            )
            try:
                self._prepare()
            except BaseException:
                self.close()
                raise

    def _prepare(self) -> None:
        # EXCLUSIVE is the lock against a second runner, and keeps the shared memory of the
        # write-ahead log off the disk, where a full file system could turn it into SIGBUS; for
        # that it comes before the first read.
        self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._refuse_foreign()
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute("BEGIN IMMEDIATE")
        for statement in _SCHEMA.split(";"):
            self._database.execute(statement)
        self._database.execute("COMMIT")

    def _refuse_foreign(self) -> None:
        """Leave a database alone that somebody else made."""
        rows = self._database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = {name for (name,) in rows}
        if names and names != {"about", "game"}:
            tables = ", ".join(sorted(names))
            raise StoreError(
                f"{self.folder / DATABASE} is not a tournament: it has tables {tables}"
            )

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def tournament(self) -> dict[str, object] | None:
        """Return what `begin` was told; None in a new store. Raises StoreError."""
        with self._told():
            rows = dict(self._database.execute("SELECT key, value FROM about").fetchall())
        if not rows:
            return None
        if rows.get("format") != _FORMAT:
            raise StoreError(
                f"{self.folder / DATABASE} has format {rows.get('format')}, expected {_FORMAT}"
            )
        told: dict[str, object] = json.loads(rows["tournament"])
        return told

    def begin(self, tournament: dict[str, object]) -> None:
        """Write down what the tournament is, in place of what was there; raises StoreError."""
        rows = [("format", _FORMAT), ("tournament", json.dumps(tournament))]
        with self._told():
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", rows)
            self._database.execute("COMMIT")

    def finished(self) -> set[int]:
        """Return the numbers of the finished games."""
        with self._told():
            return {number for (number,) in self._database.execute("SELECT number FROM game")}

    def tally(self) -> list[Tally]:
        """Return how many games of each two bots ended how; its size does not grow with them."""
        with self._told():
            rows = self._database.execute(
                "SELECT first, second, result, termination, count(*) FROM game GROUP BY 1, 2, 3, 4"
            )
            return [Tally(*row) for row in rows]

    def add(self, results: Iterable[GameResult]) -> None:
        """Keep finished games, all or none, safe from a power cut when this returns.

        A number that is there already stays as it is. Raises StoreError.
        """
        marks = ", ".join("?" * _COLUMNS)
        with self._told():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                self._database.executemany(
                    # Not OR IGNORE: that would pass over a row that is wrong, too.
                    f"INSERT INTO game VALUES ({marks}) ON CONFLICT (number) DO NOTHING",  # noqa: S608
                    [_row(result) for result in results],
                )
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    def records(self) -> Iterator[str]:
        """Yield the text of each finished game's record, by number."""
        with self._told():
            for (record,) in self._database.execute("SELECT record FROM game ORDER BY number"):
                yield record

    def logs(self) -> Iterator[tuple[int, str]]:
        """Yield number and last words of the bots of each game that ended badly."""
        with self._told():
            for number, said in self._database.execute(
                "SELECT number, stderr FROM game WHERE stderr <> '{}' ORDER BY number"
            ):
                parts = (f"== {name} ==\n{text}\n" for name, text in json.loads(said).items())
                yield number, "\n".join(parts)

    def export(self) -> None:
        """Write `games.lath` whole and atomically; raises StoreError."""
        write_records(self.folder / RECORDS, self.records())

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn the database's errors into ours."""
        with told(self.folder / DATABASE):
            yield


def _row(result: GameResult) -> tuple[object, ...]:
    return (
        result.number,
        result.round,
        result.game,
        result.first,
        result.second,
        result.result,
        result.termination,
        result.plies,
        *result.used_s,
        *result.worst_s,
        result.stray_lines,
        json.dumps(dict(result.stderr), ensure_ascii=False),
        result.record,
    )


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn the errors of a database into StoreError."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise StoreError(f"{path.parent} is in use by another run") from error
        raise StoreError(f"{path}: {error}") from error
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{path} is not a tournament: {error}") from error


def write_records(path: Path, records: Iterable[str]) -> None:
    """Write records with an empty line between them, atomically; raises StoreError."""
    try:
        pieces = (("\n" if number else "") + text for number, text in enumerate(records))
        write_atomically(path, map(str.encode, pieces))
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
