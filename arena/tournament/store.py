"""Where results live: an SQLite file that is the truth, and the record file written from it.

A game is in the file once, under its number, before it counts as finished; what a crash or a power
cut leaves behind is a tournament with fewer games, never a wrong one. Must not know how games are
played.
"""

from __future__ import annotations

import json
import random
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from lath.arena.errors import InUseError, StoreError
from lath.arena.tournament import totals
from lath.arena.tournament.disk import told, writing_error
from lath.arena.tournament.finished import Finished
from lath.arena.tournament.jobs import GameResult
from lath.arena.tournament.rows import COLUMNS, SCHEMA, row_of
from lath.notation.files import write_atomically

DATABASE: Final = "tournament.db"
RECORDS: Final = "games.lath"

OUTCOME_STATE: Final = "outcome is current"
"""What is known about the tournament under this key is true or false."""

_FORMAT: Final = "2"
"""Of the tables; another one is refused."""

PATIENCE_S: Final = 1.0
"""How long another one may have the file open, such as `arena rate`, that reads it."""


class Tally(NamedTuple):
    """Games that ended alike."""

    first: str
    second: str
    result: str
    termination: str
    games: int


class Walkover(NamedTuple):
    """A pair of which the games that were not played are lost."""

    pair: int
    loser: str


def connect(path: Path) -> sqlite3.Connection:
    """Open an SQLite file; transactions begin and end where we say so."""
    return sqlite3.connect(path, timeout=0.0, isolation_level=None)


_GOOD_ENDINGS: Final = ("rules", "resignation", "adjudication", "ply limit")


class Store:
    """The results of one tournament; one process has it open at a time.

    After a DiskError it can be used on: what was told to be kept is, the rest can be tried again.
    """

    def __init__(
        self, folder: Path, *, connect: Callable[[Path], sqlite3.Connection] = connect
    ) -> None:
        """Open or make the store in `folder`; raises StoreError, also when it is in use."""
        self.folder: Final = folder
        self._connect: Final = connect
        self._open_within(PATIENCE_S)

    def _open_within(self, patience_s: float) -> None:
        """Open the file; wait so long for somebody else to close it."""
        until_s = time.monotonic() + patience_s
        while True:
            try:
                self._open()
            except InUseError:
                if time.monotonic() > until_s:
                    raise
                time.sleep(random.uniform(0.01, 0.05))  # two that come together part again
            else:
                return

    def _open(self) -> None:
        with self._told():
            self._database = self._connect(self.folder / DATABASE)
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
        with self._transaction():
            for statement in SCHEMA.split(";"):
                self._database.execute(statement)

    def _refuse_foreign(self) -> None:
        """Leave a database alone that somebody else made."""
        rows = self._database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = {name for (name,) in rows}
        if names and names not in ({"about", "game"}, {"about", "game", "walkover"}):
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
        with self._told(), self._transaction():
            self._database.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", rows)

    def files(self) -> dict[str, dict[str, str]]:
        """Return what `keep_files` was told last; empty in a new store."""
        files: dict[str, dict[str, str]] = self._about("files") or {}
        return files

    def keep_files(self, files: Mapping[str, Mapping[str, str]]) -> None:
        """Write down the fingerprints of the bots' files, once `begin` was; raises StoreError."""
        self._keep_about("files", files)

    def rounds(self) -> int | None:
        """Return what `keep_rounds` was told last; None in a new store."""
        rounds: int | None = self._about("rounds")
        return rounds

    def keep_rounds(self, rounds: int) -> None:
        """Write down how many rounds there are, once `begin` was; raises StoreError."""
        self._keep_about("rounds", rounds)

    def keep_outcome_state(self, *, is_current: bool) -> None:
        """Write down whether `outcome.json` is of what is stored, once `begin` was.

        While games are played it is not, and so it stays when a run is killed. Raises StoreError.
        """
        self._keep_about(OUTCOME_STATE, is_current)

    def _about(self, key: str) -> Any:
        with self._told():
            rows = self._database.execute("SELECT value FROM about WHERE key = ?", (key,))
            row = rows.fetchone()
            return json.loads(row[0]) if row else None

    def _keep_about(self, key: str, value: object) -> None:
        with self._told():
            row = (key, json.dumps(value))
            self._database.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", row)

    def finished(self) -> AbstractSet[int]:
        """Return the numbers of the finished games."""
        with self._told():
            rows = self._database.execute("SELECT number FROM game ORDER BY number")
            return Finished(number for (number,) in rows)

    def results(self) -> Iterator[tuple[int, str, str, str]]:
        """Yield number, first, second and result of each finished game, by number."""
        with self._told():
            yield from self._database.execute(
                "SELECT number, first, second, result FROM game ORDER BY number"
            )

    def walkovers(self) -> list[Walkover]:
        """Return the pairs whose games were lost without being played, and by whom, by number."""
        with self._told():
            rows = self._database.execute("SELECT pair, loser FROM walkover ORDER BY pair")
            return [Walkover(*row) for row in rows]

    def add_walkovers(self, walkovers: Iterable[Walkover]) -> None:
        """Keep that what is left of pairs is lost, all or none; a pair that is there stays so.

        Raises StoreError.
        """
        with self._told(), self._transaction():
            self._database.executemany(
                "INSERT INTO walkover VALUES (?, ?) ON CONFLICT (pair) DO NOTHING", walkovers
            )

    def tally(self) -> list[Tally]:
        """Return how many games of each two bots ended how; its size does not grow with them."""
        with self._told():
            rows = self._database.execute(
                "SELECT first, second, result, termination, count(*) FROM game GROUP BY 1, 2, 3, 4"
            )
            return [Tally(*row) for row in rows]

    def pairs(self) -> list[totals.PairTally]:
        """Return how often bots scored what in a pair."""
        with self._told():
            return totals.pairs(self._database)

    def bots(self) -> list[totals.BotTotals]:
        """Return what each bot did in all games, by name."""
        with self._told():
            return totals.bots(self._database)

    def add(self, results: Iterable[GameResult]) -> None:
        """Keep finished games, all or none, safe from a power cut when this returns.

        A number that is there already stays as it is. Raises StoreError.
        """
        columns, marks = ", ".join(COLUMNS), ", ".join("?" * len(COLUMNS))
        with self._told(), self._transaction():
            self._database.executemany(
                # Not OR IGNORE: that would pass over a row that is wrong, too.
                f"INSERT INTO game ({columns}) VALUES ({marks}) "  # noqa: S608
                "ON CONFLICT (number) DO NOTHING",
                [row_of(result) for result in results],
            )

    def records(self) -> Iterator[str]:
        """Yield the text of each finished game's record, by number."""
        with self._told():
            for (record,) in self._database.execute("SELECT record FROM game ORDER BY number"):
                yield record

    def logs(self) -> Iterator[tuple[int, str]]:
        """Yield number and log of each game that ended badly or of which a bot complained."""
        with self._told():
            for number, termination, log, said in self._database.execute(
                "SELECT number, termination, log, stderr FROM game "
                "WHERE stderr <> '{}' OR log <> '' ORDER BY number"
            ):
                if said != "{}" or termination not in _GOOD_ENDINGS:
                    yield number, log or _last_words(said)

    def export(self) -> None:
        """Write `games.lath` whole and atomically; raises StoreError."""
        write_records(self.folder / RECORDS, self.records())

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn the database's errors into ours."""
        with told(self.folder / DATABASE):
            yield

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Keep what is done within, all or none."""
        try:
            self._database.execute("BEGIN IMMEDIATE")
            yield
            self._database.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # what came first is what people should hear of
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
            raise


def _last_words(said: str) -> str:
    parts = (f"-- {name}, standard error --\n{text}\n" for name, text in json.loads(said).items())
    return "\n".join(parts)


def write_records(path: Path, records: Iterable[str]) -> None:
    """Write records with an empty line between them, atomically; raises StoreError."""
    try:
        pieces = (("\n" if number else "") + text for number, text in enumerate(records))
        write_atomically(path, map(str.encode, pieces))
    except OSError as error:
        raise writing_error(path, error) from error
