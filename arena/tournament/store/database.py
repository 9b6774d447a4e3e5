"""A tournament's database as anybody reads it, also while a run writes: notes, walkovers, games.

What is read is checked: a game that is not what was stored is an error, and so are games that are
lost.
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
"""The key of a note: what may not be another when it is gone on with."""

SEAL: Final = "checksum"
"""Of the checksum of all others, and of the walkovers."""

FILES: Final = "files"
"""Of the fingerprints of the bots' files."""

ROUNDS: Final = "rounds"
"""Of how many rounds the tournament has."""

SPENT: Final = "bots that a game was void for"
"""Of the names of those that will lose another one."""

OPENINGS: Final = "openings"
"""Of the openings at random that were made so far: the next run need not make them anew."""

SETTINGS: Final = "settings"
"""Of what may be another when a run goes on: how it is now."""

CHANGES: Final = "changes"
"""Of which settings became others, from how many games on."""

RULINGS: Final = "rulings"
"""Of what the organiser has ruled: void games, disqualified bots."""

BENCHES: Final = "benches"
"""Of which bots are or were benched, and why."""
SEASONS: Final = "seasons"
"""Of a pool: its seasons, the oldest first, with their match days."""

SNAPSHOT: Final = "snapshot"
"""Of which snapshot this is: no run resumes it."""

FORMER_SNAPSHOT: Final = "season"
"""Of the same, in directories that a version before 0.2.0 was writing."""

CLOSED: Final = "closed"
"""Of files and folders that no bot may see because it lies beside them."""

PROVENANCE: Final = "provenance"
"""Of with what games were played: bots, machine, configuration, from how many games on."""

IDENTITY: Final = "identity"
"""Of a text at random that no other tournament has: copies and snapshots have the same."""

EVENTS: Final = "events"
"""Of a pool: the number of the last game of each event, which is a run that played all that it had
to, or all that its budget allowed."""

OUTCOME_STATE: Final = "outcome is current"
"""Of the checksum of `outcome.json` where that is of what is stored, else false.

While games are played it is not, and so it stays when a run is killed. Versions whose files had no
checksum noted true.
"""

EXPORTED: Final = "records"
"""Of the SHA-256 of `games.lath` where it has all games; null during a run, and after a kill."""

WRITTEN: Final = "configuration"
"""Of the SHA-256 of `tournament.toml` as a run has left it."""

VERSIONS: Final = "versions"
"""Of a pool: of which versions of bots there are or were."""

CONDITIONS: Final = "conditions"
"""Of a pool: of the time controls of its pairs, and where they begin, by their numbers."""

BUSY_S: Final = 2.0
"""How long the writer waits for those that read just now, and they for it."""


class Walkover(NamedTuple):
    """A pair of which the games that were not played are lost."""

    pair: int
    loser: str


Stamp = tuple[object, ...]


def stamp_of(path: Path) -> Stamp:
    """Return what changes when a file is replaced or written; empty where there is none."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return (found.st_ino, found.st_size, found.st_mtime_ns)


def connect(path: Path) -> sqlite3.Connection:
    """Open an SQLite file; transactions begin and end where we say so."""
    database = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    # Else what is sorted (113 MB for 960,000 games) fails where the temporary folder is full.
    database.execute("PRAGMA temp_store = MEMORY")
    return database


def is_being_played(folder: Path) -> bool:
    """Return whether a run has a tournament's directory for itself now."""
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
    """Return the checksum of all that is stored besides games; raises sqlite3.Error."""
    notes = database.execute(
        "SELECT key, value FROM about WHERE key <> ? ORDER BY key", (SEAL,)
    ).fetchall()
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    lost = []
    if "walkover" in tables:
        lost = database.execute("SELECT pair, loser FROM walkover ORDER BY pair").fetchall()
    return checksum((notes, lost, ""))


def noted_seal(database: sqlite3.Connection) -> int | None:
    """Return the checksum that is noted; None where there is none."""
    # All are looked at: where one is damaged, SQLite may not find another by its key.
    rows = [value for key, value in database.execute("SELECT key, value FROM about") if key == SEAL]
    return read_json(rows[0]) if rows else None


class StoredGames:
    """The games of a database, some at a time: who reads all at once keeps a run from storing."""

    BATCH: Final = 500

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        """`path` is what errors name; raises sqlite3.Error, as all that is here does."""
        self._database: Final = database
        self._path: Final = path
        columns = {name for _, name, *_ in database.execute("PRAGMA table_info(game)")}
        self.have_sums: Final = CHECKSUM in columns
        """Whether they have checksums; a version that wrote none had no column for them."""
        names = ", ".join((*COLUMNS, CHECKSUM if self.have_sums else "NULL"))
        self._question: Final = f"SELECT {names} FROM game WHERE number"  # noqa: S608

    def after(self, number: int) -> list[Row]:
        """Return the next rows by number, as they are; empty where there are none."""
        return self._database.execute(
            f"{self._question} > ? ORDER BY number LIMIT {self.BATCH}", (number,)
        ).fetchall()

    def numbered(self, number: int) -> list[Row]:
        """Return the row of a number, as it is; empty where there is none."""
        return self._database.execute(f"{self._question} = ?", (number,)).fetchall()

    def total(self) -> int | None:
        """Return the total of the checksums of all that were stored; None where it is not known."""
        ((total,),) = self._database.execute("PRAGMA user_version")
        return int(total) if self.have_sums else None

    def __iter__(self) -> Iterator[Row]:
        """Yield all rows by number.

        Raises DamagedError at one that is not what was stored, and in the end where some are lost.
        """
        before, last, total = self.total(), 0, 0
        while rows := self.after(last):
            for row in rows:
                if wrong := fault_of(row) or ("" if row[0] > last else f"it comes after {last}"):
                    raise DamagedError(f"game {shown(row[0])}: {wrong}", self._path)
                last, total = row[0], total_of((total, row[-1] or 0))
                yield row
        # Where it is another in the end, a run goes on storing: it will see to it.
        if before is not None and before == self.total() != total:
            raise DamagedError(LOST, self._path)

    def wrong_besides(self) -> str:
        """Return what is wrong with a database whose games are sound; empty where nothing is."""
        for (words,) in self._database.execute("PRAGMA quick_check(1)"):
            if words != "ok":
                return " ".join(words.removeprefix("*** in database main ***").split())
        if self.have_sums:
            return "" if _is_sealed(self._database) else UNSEALED
        return "" if noted_seal(self._database) is None else "its games have lost their checksums"


LOST: Final = "stored games are missing"

UNSEALED: Final = "its notes do not match their checksum"


def _is_sealed(database: sqlite3.Connection) -> bool:
    """Return whether notes and walkovers are what was stored; raises sqlite3.Error."""
    try:
        return seal_of(database) == noted_seal(database)
    except (TypeError, ValueError):  # bytes for text, a seal that is no number
        return False


def read_rows(folder: Path, question: str, *values: object) -> list[tuple[Any, ...]]:
    """Return what a tournament's database answers, also while it is played.

    Empty where a run was killed before there were tables. Raises sqlite3.Error.
    """
    with opened_to_read(folder / DATABASE) as database:
        return database.execute(question, values).fetchall() if database else []


def read_games(folder: Path) -> Iterator[Row]:
    """Yield the rows of all games stored, by number, also while more are.

    Raises sqlite3.Error, and DamagedError where the next is not what was stored, and in the end
    where one is lost.
    """
    with opened_to_read(folder / DATABASE) as database:
        if database:
            yield from StoredGames(database, folder / DATABASE)


def read_records(folder: Path) -> Iterator[tuple[int, str]]:
    """Yield the number and the record of all games stored; raises as `read_games`."""
    return ((row[0], row[RECORD]) for row in read_games(folder))


def read_game(folder: Path, number: int) -> Row | None:
    """Return the row of a game, None where none has the number; raises as `read_games`."""
    path = folder / DATABASE
    with opened_to_read(path) as database:
        rows = StoredGames(database, path).numbered(number) if database else []
    for row in rows:
        if wrong := fault_of(row):
            raise DamagedError(f"game {number}: {wrong}", path)
    return rows[0] if rows else None


def read_texts(folder: Path) -> dict[str, str]:
    """Return the notes of a tournament by their keys, as JSON; none where there are no tables.

    Raises sqlite3.Error, and DamagedError where they are not what was noted.
    """
    path = folder / DATABASE
    with opened_to_read(path) as database:
        if not database:
            return {}
        database.execute("BEGIN")  # or a run may note something between two questions
        try:
            if not _is_sealed(database) and StoredGames(database, path).have_sums:
                raise DamagedError(UNSEALED, path)
            rows = database.execute("SELECT key, value FROM about").fetchall()
        except sqlite3.Error as error:  # it was open: so what is wrong is of the notes alone
            if primary_code(error) in (*_HINDERED, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
            raise DamagedError(in_words(error), path) from error
    return {key: value for key, value in rows if key != SEAL}


_HINDERED: Final = (
    *(sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR),
)
"""Kinds of errors that may be of writing: what a killed run had half stored is taken back so."""


_OTHERS: Final = (
    "SELECT 1 FROM sqlite_master "
    "WHERE type <> 'table' AND lower(name) IN ('about', 'game', 'walkover')"
)
"""Asks whether something else has the name of a table."""


MOST_BYTES: Final = 16 << 20
"""Of a value in a database that is read: a run writes none that is nearly as long."""


@contextmanager
def opened_to_read(path: Path) -> Iterator[sqlite3.Connection | None]:
    """Give a database for reading, None where it has no tables; raises sqlite3.Error.

    What a killed run had half stored is taken back; in a copy, where there is no room for that.
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
        if database.execute(_OTHERS).fetchone():  # a view may compute for ever, and say anything
            raise sqlite3.DatabaseError("an expected table is missing")
        yield database if database.execute("SELECT 1 FROM sqlite_master").fetchone() else None


def _answering(path: Path, mode: str) -> sqlite3.Connection:
    """Open a database that there is, and ask it something; raises sqlite3.Error."""
    database = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=BUSY_S, isolation_level=None
    )
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    try:
        database.execute("SELECT 1 FROM sqlite_master").fetchone()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        database.close()
        if isinstance(error, UnicodeDecodeError):  # of what SQLite says of it
            raise sqlite3.DatabaseError("its schema is not UTF-8") from error
        raise
    return database


def _copied(path: Path, folder: Path, refused: sqlite3.Error) -> Path:
    """Copy a database with what belongs to it; raises `refused` where it cannot be had as it is."""
    files = [path.with_name(path.name + end) for end in ("", "-journal", "-wal")]
    before = [*map(stamp_of, files)]
    try:
        for file in files:
            if file.exists():
                copyfile(file, folder / file.name)
    except OSError as error:
        raise refused from error
    if [*map(stamp_of, files)] != before:  # somebody writes, who has room
        raise refused
    return folder / path.name


def read_notes(folder: Path) -> tuple[dict[str, Any], list[Walkover]] | None:
    """Return what is noted of a tournament, and its walkovers; None where they are not sound.

    Raises sqlite3.Error, and what comes of reading damaged values.
    """
    with opened_to_read(folder / DATABASE) as database:
        if not database or noted_seal(database) not in (None, seal_of(database)):
            return None
        rows = database.execute("SELECT key, value FROM about WHERE key <> ?", (SEAL,)).fetchall()
        notes = {key: read_json(value) for key, value in rows}
        rows = database.execute("SELECT pair, loser FROM walkover ORDER BY pair").fetchall()
        return notes, [Walkover(*row) for row in rows]


def outcome_state(folder: Path) -> str | None:
    """Return what is noted of `outcome.json`, as JSON; None where nothing is, and during a run.

    It is `false` where the last run was killed: the outcome is of fewer games.
    """
    if not (folder / DATABASE).is_file() or is_being_played(folder):
        return None
    try:
        return read_texts(folder).get(OUTCOME_STATE)
    except (sqlite3.Error, DamagedError):  # whoever reads the games is told of it
        return None
