"""Where records come from on the command line: tournaments' directories and record files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from lath.arena.errors import ArenaError, ConfigError
from lath.arena.tournament.store import DATABASE, OUTCOME_STATE, RECORDS
from lath.notation import formats
from lath.notation.errors import RecordError, RecordSyntaxError
from lath.notation.files import open_bytes
from lath.notation.reader import read
from lath.notation.record import Record
from lath.notation.scanner import parse

_IN_USE: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def records_of(sources: Sequence[Path]) -> Iterator[Record]:
    """Yield the records of all sources in order; `-` is standard input, which is our text.

    Raises ArenaError: a source that is not there, is no tournament, is of a format that is not read
    or has a bad record.
    """
    for source in sources:
        try:
            yield from _of_folder(source) if source.is_dir() else _of_file(source)
        except OSError as error:
            raise ConfigError(f"{source} cannot be read: {error.strerror or error}") from error
        except formats.FormatError as error:
            raise ConfigError(f"{source}: {error}") from error
        except RecordError as error:
            raise ArenaError(str(error)) from error


def _of_file(path: Path) -> Iterator[Record]:
    """Yield the records of a file in the format of its suffix, else in our text."""
    if not formats.is_other(path):
        yield from read(path)
        return
    entries = formats.reader(formats.name_for(path))
    with open_bytes(path) as stream:
        for entry in entries(stream, str(path)):
            if entry.record is None or entry.problems:
                raise RecordError(entry.problems[0])
            yield entry.record


def _of_folder(folder: Path) -> Iterator[Record]:
    """Yield a tournament's records: from its database, or `games.lath` where that is not open."""
    has_records = (folder / RECORDS).is_file()
    if (folder / DATABASE).is_file():
        try:
            texts = _from_database(folder / DATABASE)
        except sqlite3.Error as error:
            refused = _refused(folder, error)
            if refused is None or not has_records:
                what = refused or f"{folder / DATABASE} is damaged: {error}"
                raise ArenaError(what) from error
        else:
            yield from _parsed(texts, folder / DATABASE)
            return
    if not has_records:
        raise ArenaError(f"{folder} is no tournament: it has neither {DATABASE} nor {RECORDS}")
    yield from read(folder / RECORDS)  # of a run that goes on, this is a moment behind


def _parsed(texts: Iterable[str], database: Path) -> Iterator[Record]:
    for place, text in enumerate(texts, 1):
        try:
            yield parse(text)
        except RecordSyntaxError as error:
            raise ArenaError(f"{database} is damaged: its record {place}: {error}") from error


def is_being_played(folder: Path) -> bool:
    """Return whether a run has a tournament's directory for itself now."""
    path = folder / DATABASE
    if not path.is_file():
        return False
    try:
        _rows(path, "SELECT 1")
    except sqlite3.Error as error:
        return _primary(error) in _IN_USE
    return False


def has_fallen_behind(folder: Path) -> bool:
    """Return whether the last run in a directory was killed: its outcome is of fewer games.

    False where nobody can tell, as while a run goes on, which writes its outcome now and then.
    """
    path = folder / DATABASE
    if not path.is_file():
        return False
    try:
        rows = _rows(path, "SELECT value FROM about WHERE key = ?", OUTCOME_STATE)
    except sqlite3.Error:  # whoever reads the games is told of it
        return False
    return rows == [("false",)]


def log_of(folder: Path, number: int) -> str:
    """Return the log of a game of a tournament: what was said in it and when.

    Raises ArenaError where the game is not there or no log of it was kept.
    """
    path = folder / DATABASE
    if not path.is_file():
        raise ArenaError(f"{folder} is no tournament: it has no {DATABASE}")
    try:
        rows = _rows(path, "SELECT log, termination FROM game WHERE number = ?", number)
    except sqlite3.Error as error:
        told = f"{folder} is being played: the log can be read when the run has stopped"
        raise ArenaError(told if _refused(folder, error) else f"{path}: {error}") from error
    if not rows:
        raise ArenaError(f"{folder} has no game {number}")
    log, termination = rows[0]
    if not log:
        raise ArenaError(
            f"game {number} of {folder} ended by {termination}, and only logs of games that end "
            "badly are kept; play with --log all to keep every one"
        )
    return str(log)


def _refused(folder: Path, error: sqlite3.Error) -> str | None:
    """Say why a sound database cannot be read, if `games.lath` will do; None if it is damaged."""
    kind = _primary(error)
    if kind in _IN_USE:
        return f"{folder} is being played, and {RECORDS} is not written yet"
    if kind in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):  # it wants a log beside it
        return f"{folder} is not writable, so {DATABASE} cannot be read; there is no {RECORDS}"
    return None


def _primary(error: sqlite3.Error) -> int:
    """Return the primary code of an error of the database; 0 where it has none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def _from_database(path: Path) -> list[str]:
    """Return all texts at once: a run that begins meanwhile does not wait long."""
    return [text for (text,) in _rows(path, "SELECT record FROM game ORDER BY number")]


def _rows(path: Path, question: str, *values: object) -> list[tuple[Any, ...]]:
    """Return what a database answers; raises sqlite3.Error."""
    with closing(sqlite3.connect(path, timeout=0.0)) as database:
        if not database.execute("SELECT 1 FROM sqlite_master").fetchone():
            return []  # a run was killed before it had a table
        return database.execute(question, values).fetchall()
