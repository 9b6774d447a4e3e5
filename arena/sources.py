"""Where records come from on the command line: tournaments' directories and record files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.errors import ArenaError, ConfigError
from arena.store import DATABASE, RECORDS
from notation.errors import RecordError
from notation.reader import read
from notation.record import Record
from notation.scanner import parse


def records_of(sources: Sequence[Path]) -> Iterator[Record]:
    """Yield the records of all sources in order.

    Raises ArenaError: a source that is not there, is no tournament or has a bad record.
    """
    for source in sources:
        try:
            yield from _of_folder(source) if source.is_dir() else read(source)
        except OSError as error:
            raise ConfigError(f"{source} cannot be read: {error.strerror or error}") from error
        except RecordError as error:
            raise ArenaError(str(error)) from error


def _of_folder(folder: Path) -> Iterator[Record]:
    """Yield a tournament's records: from its database, or `games.lath` where that is in use."""
    has_records = (folder / RECORDS).is_file()
    if (folder / DATABASE).is_file():
        try:
            texts = _from_database(folder / DATABASE)
        except sqlite3.Error as error:
            is_in_use = "locked" in str(error)
            if not is_in_use:
                raise ArenaError(f"{folder / DATABASE} is damaged: {error}") from error
            if not has_records:
                raise ArenaError(
                    f"{folder} is being played, and {RECORDS} is not written yet"
                ) from error
        else:
            yield from map(parse, texts)
            return
    if not has_records:
        raise ArenaError(f"{folder} is no tournament: it has neither {DATABASE} nor {RECORDS}")
    yield from read(folder / RECORDS)  # a run is going on: this is a moment behind


def _from_database(path: Path) -> list[str]:
    database = sqlite3.connect(path, timeout=0.0)
    try:
        rows = database.execute("SELECT record FROM game ORDER BY number").fetchall()
    finally:
        database.close()
    return [text for (text,) in rows]
