"""Reading a tournament's database, also while a run writes it: notes, walkovers, games.

Readers check what they read. A game that differs from what was stored is an error, and so is a
missing game.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from lath.arena.directory import DATABASE, LOCK
from lath.arena.errors import DamagedError
from lath.arena.machine.system import in_words, primary_code
from lath.arena.tournament.store.rows import (
    CHECKSUM,
    COLUMNS,
    RECORD,
    Row,
    checksum,
    fault_of,
    shown,
    total_of,
)
from lath.notation.files.bounds import read_json
from lath.notation.files.locks import lock as lock_file

_GAME: Final = [f"{name} {kind} NOT NULL" for name, kind in COLUMNS.items() if name != "number"]

SCHEMA: Final = f"""
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS game (
    number INTEGER PRIMARY KEY, {", ".join(_GAME)}, {CHECKSUM} INTEGER
);
CREATE TABLE IF NOT EXISTS walkover (pair INTEGER PRIMARY KEY, loser TEXT);
"""

TOURNAMENT: Final = "tournament"
"""The key of the note about what must stay the same when the tournament is resumed."""

SEAL: Final = "checksum"
"""The key of the checksum over all other notes and the walkovers."""

FILES: Final = "files"
"""The key of the fingerprints of the bots' files."""

ROUNDS: Final = "rounds"
"""The key of the number of rounds."""

SPENT: Final = "bots that a game was void for"
"""The key of the names of bots for which a game was void. The next such game is a loss."""

OPENINGS: Final = "openings"
"""The key of the random openings generated so far, so that the next run need not generate them
again."""

SETTINGS: Final = "settings"
"""The key of the current values of settings that can change when a run resumes."""

CHANGES: Final = "changes"
"""The key of the changed settings, each with the number of games before the change."""

RULINGS: Final = "rulings"
"""The key of the organiser's rulings: void games, disqualified bots."""

BENCHES: Final = "benches"
"""The key of the present and former benches of bots, with reasons."""
SEASONS: Final = "seasons"
"""The key of a pool's seasons, the oldest first, with their match days."""

SNAPSHOT: Final = "snapshot"
"""The key of the snapshot's name. A run never resumes a snapshot."""

FORMER_SNAPSHOT: Final = "season"
"""The former key of `SNAPSHOT`, in directories written by versions before 0.2.0."""

CLOSED: Final = "closed"
"""The key of the files and folders beside the tournament that no bot may see."""

PROVENANCE: Final = "provenance"
"""The key of what games were played with: bots, machine, configuration, each from a number of games
on."""

IDENTITY: Final = "identity"
"""The key of a random text that identifies a tournament; copies and snapshots keep it."""

EVENTS: Final = "events"
"""The key of a pool's events: the number of the last game of each. An event is a run that played
all its games, or all that its budget allowed."""

OUTCOME_STATE: Final = "outcome is current"
"""The key of the checksum of `outcome.json` if that file is current; otherwise false.

It is false while games are played, and it stays false when a run is killed. Versions whose files
had no checksum noted true.
"""

EXPORTED: Final = "records"
"""The key of the SHA-256 of `games.lath` if it has all games; null during a run or after a kill."""

WRITTEN: Final = "configuration"
"""The key of the SHA-256 of `tournament.toml` as the last run left it."""

VERSIONS: Final = "versions"
"""The key of a pool's present and former versions of bots."""

CONDITIONS: Final = "conditions"
"""The key of the time controls and openings of a pool's pairs, by the numbers of the pairs."""

BUSY_S: Final = 2.0
"""Seconds that the writer waits for readers, and readers for the writer."""


class Walkover(NamedTuple):
    """A pair whose unplayed games are lost by `loser`."""

    pair: int
    loser: str


Stamp = tuple[object, ...]


def stamp_of(path: Path) -> Stamp:
    """Return values that change when a file is replaced or written; empty if it does not exist."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return (found.st_ino, found.st_size, found.st_mtime_ns)


def connect(path: Path) -> sqlite3.Connection:
    """Open an SQLite file in which the caller begins and ends each transaction."""
    database = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    # Sorting needs up to 113 MB for 960,000 games: on disk it fails if the temporary folder is
    # full.
    database.execute("PRAGMA temp_store = MEMORY")
    return database


def is_being_played(folder: Path) -> bool:
    """Return whether a run holds the lock of a tournament's directory now."""
    try:
        lock = os.open(folder / LOCK, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        lock_file(lock, shared=True)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def seal_of(database: sqlite3.Connection) -> int:
    """Return the checksum of the notes and walkovers that are stored; raises sqlite3.Error."""
    notes = database.execute(
        "SELECT key, value FROM about WHERE key <> ? ORDER BY key", (SEAL,)
    ).fetchall()
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    lost = []
    if "walkover" in tables:
        lost = database.execute("SELECT pair, loser FROM walkover ORDER BY pair").fetchall()
    return checksum((notes, lost, ""))


def noted_seal(database: sqlite3.Connection) -> int | None:
    """Return the noted checksum of notes and walkovers, or None without one."""
    # Read all rows: if the index is damaged, SQLite may miss a key.
    rows = [value for key, value in database.execute("SELECT key, value FROM about") if key == SEAL]
    return read_json(rows[0]) if rows else None


class StoredGames:
    """The games of a database, read in batches so that a run can store games in between."""

    BATCH: Final = 500

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        """Name `path` in errors. Raises sqlite3.Error, as all methods do."""
        self._database: Final = database
        self._path: Final = path
        columns = {name for _, name, *_ in database.execute("PRAGMA table_info(game)")}
        self.have_sums: Final = CHECKSUM in columns
        """True if the games have checksums; the first versions wrote none."""
        names = ", ".join((*COLUMNS, CHECKSUM if self.have_sums else "NULL"))
        self._question: Final = f"SELECT {names} FROM game WHERE number"  # noqa: S608

    def after(self, number: int) -> list[Row]:
        """Return the next batch of unchecked rows by number; empty after the last."""
        return self._database.execute(
            f"{self._question} > ? ORDER BY number LIMIT {self.BATCH}", (number,)
        ).fetchall()

    def numbered(self, number: int) -> list[Row]:
        """Return a list with the unchecked row of a game; empty if the number is unknown."""
        return self._database.execute(f"{self._question} = ?", (number,)).fetchall()

    def total(self) -> int | None:
        """Return the stored total of all games' checksums; None if unknown."""
        ((total,),) = self._database.execute("PRAGMA user_version")
        return int(total) if self.have_sums else None

    def __iter__(self) -> Iterator[Row]:
        """Yield all rows by number, checked.

        Raises DamagedError at a row that differs from what was stored, and at the end if games are
        missing.
        """
        before, last, total = self.total(), 0, 0
        while rows := self.after(last):
            for row in rows:
                if wrong := fault_of(row) or ("" if row[0] > last else f"it comes after {last}"):
                    raise DamagedError(f"game {shown(row[0])}: {wrong}", self._path)
                last, total = row[0], total_of((total, row[-1] or 0))
                yield row
        # If the total changed meanwhile, a run is storing games, and that run checks them.
        if before is not None and before == self.total() != total:
            raise DamagedError(LOST, self._path)

    def wrong_besides(self) -> str:
        """Return what is wrong with a database besides its games; empty if nothing is."""
        for (words,) in self._database.execute("PRAGMA quick_check(1)"):
            if words != "ok":
                return " ".join(words.removeprefix("*** in database main ***").split())
        if self.have_sums:
            return "" if _is_sealed(self._database) else UNSEALED
        return "" if noted_seal(self._database) is None else "its games have lost their checksums"


LOST: Final = "stored games are missing"

UNSEALED: Final = "its notes do not match their checksum"


def _is_sealed(database: sqlite3.Connection) -> bool:
    """Return whether notes and walkovers match their checksum; raises sqlite3.Error."""
    try:
        return seal_of(database) == noted_seal(database)
    except (TypeError, ValueError):  # bytes instead of text, a seal that is not a number
        return False


def read_rows(folder: Path, question: str, *values: object) -> list[tuple[Any, ...]]:
    """Return the rows that a tournament's database answers, also while it is played.

    Empty if a run was killed before it made the tables. Raises sqlite3.Error.
    """
    with opened_to_read(folder / DATABASE) as database:
        return database.execute(question, values).fetchall() if database else []


def read_games(folder: Path) -> Iterator[Row]:
    """Yield the rows of all stored games by number, also while a run stores more.

    Raises sqlite3.Error. Raises DamagedError at a row that differs from what was stored, and at the
    end if games are missing.
    """
    with opened_to_read(folder / DATABASE) as database:
        if database:
            yield from StoredGames(database, folder / DATABASE)


def read_records(folder: Path) -> Iterator[tuple[int, str]]:
    """Yield the number and record text of all stored games; raises as `read_games`."""
    return ((row[0], row[RECORD]) for row in read_games(folder))


def read_game(folder: Path, number: int) -> Row | None:
    """Return the row of a game, or None if no game has the number; raises as `read_games`."""
    path = folder / DATABASE
    with opened_to_read(path) as database:
        rows = StoredGames(database, path).numbered(number) if database else []
    for row in rows:
        if wrong := fault_of(row):
            raise DamagedError(f"game {number}: {wrong}", path)
    return rows[0] if rows else None


def read_texts(folder: Path) -> dict[str, str]:
    """Return the notes of a tournament as JSON by their keys; empty without tables.

    Raises sqlite3.Error, and DamagedError if the notes differ from what was stored.
    """
    path = folder / DATABASE
    with opened_to_read(path) as database:
        if not database:
            return {}
        database.execute("BEGIN")  # otherwise a run could change a note between the two reads
        try:
            if not _is_sealed(database) and StoredGames(database, path).have_sums:
                raise DamagedError(UNSEALED, path)
            rows = database.execute("SELECT key, value FROM about").fetchall()
        except sqlite3.Error as error:  # the database opened, so only its notes are damaged
            if primary_code(error) in (*_HINDERED, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
            raise DamagedError(in_words(error), path) from error
    return {key: value for key, value in rows if key != SEAL}


_HINDERED: Final = (
    *(sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR),
)
"""Errors that may come from writing: SQLite writes when it rolls back what a killed run half
stored."""


_OTHERS: Final = (
    "SELECT 1 FROM sqlite_master "
    "WHERE type <> 'table' AND lower(name) IN ('about', 'game', 'walkover')"
)
"""Finds views, indexes and triggers that have the name of a table."""


MOST_BYTES: Final = 16 << 20
"""Bytes of the longest value that readers accept; a run writes none nearly as long."""


@contextmanager
def opened_to_read(path: Path) -> Iterator[sqlite3.Connection | None]:
    """Open a database for reading, or give None if it has no tables; raises sqlite3.Error.

    SQLite rolls back what a killed run half stored. If the disk has no room for that, the arena
    reads a copy in the temporary folder.
    """
    with ExitStack() as undo:
        database = None
        for mode in ("ro", "rw"):
            try:
                database = database or _answering(path, mode)
            except sqlite3.OperationalError as error:
                if primary_code(error) not in _HINDERED:
                    raise
                refused = error
        if database is None:
            folder = Path(undo.enter_context(TemporaryDirectory(prefix="arena-")))
            database = _answering(_copied(path, folder, refused), "rw")
        undo.callback(database.close)
        if database.execute(_OTHERS).fetchone():  # a view may compute for ever, and give anything
            raise sqlite3.DatabaseError("an expected table is missing")
        yield database if database.execute("SELECT 1 FROM sqlite_master").fetchone() else None


def _answering(path: Path, mode: str) -> sqlite3.Connection:
    """Open an existing database and read its schema once; raises sqlite3.Error."""
    database = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=BUSY_S, isolation_level=None
    )
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    try:
        database.execute("SELECT 1 FROM sqlite_master").fetchone()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        database.close()
        if isinstance(error, UnicodeDecodeError):
            raise sqlite3.DatabaseError("its schema is not UTF-8") from error
        raise
    return database


def _copied(path: Path, folder: Path, refused: sqlite3.Error) -> Path:
    """Copy a database and its journals; raises `refused` if that fails or a run writes now."""
    files = [path.with_name(path.name + end) for end in ("", "-journal", "-wal")]
    before = [*map(stamp_of, files)]
    try:
        for file in files:
            if file.exists():
                copyfile(file, folder / file.name)
    except OSError as error:
        raise refused from error
    if [*map(stamp_of, files)] != before:  # another process writes, so the disk has room
        raise refused
    return folder / path.name


def read_notes(folder: Path) -> tuple[dict[str, Any], list[Walkover]] | None:
    """Return the notes of a tournament and its walkovers; None if they are damaged.

    Raises sqlite3.Error, and what JSON raises for damaged values.
    """
    with opened_to_read(folder / DATABASE) as database:
        if not database or noted_seal(database) not in (None, seal_of(database)):
            return None
        rows = database.execute("SELECT key, value FROM about WHERE key <> ?", (SEAL,)).fetchall()
        notes = {key: read_json(value) for key, value in rows}
        rows = database.execute("SELECT pair, loser FROM walkover ORDER BY pair").fetchall()
        return notes, [Walkover(*row) for row in rows]


def outcome_state(folder: Path) -> str | None:
    """Return the note on `outcome.json` as JSON; None without one and during a run.

    It is `false` if the last run was killed, because the outcome then lacks games.
    """
    if not (folder / DATABASE).is_file() or is_being_played(folder):
        return None
    try:
        return read_texts(folder).get(OUTCOME_STATE)
    except (sqlite3.Error, DamagedError):  # reading the games reports it
        return None
