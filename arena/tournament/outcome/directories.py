"""Directories of tournaments: recognition, progress, and comparison with what a run wrote."""

from __future__ import annotations

import hashlib
import os
import shlex
import sqlite3
from pathlib import Path
from typing import Final

from lath.arena.directory import CONFIG, DATABASE, OUTCOME, RECORDS, STANDINGS, STANDINGS_CSV
from lath.arena.errors import ArenaError, StoreError
from lath.arena.tournament.outcome.notes import outcome_in
from lath.arena.tournament.store.database import EXPORTED, is_being_played, read_texts
from lath.notation.files.bounds import read_json
from lath.notation.record.errors import printable


def export_doubt(path: Path) -> str:
    """Return a warning if a file of records differs from what the last run wrote.

    Only a `games.lath` in a tournament's directory can be compared; empty for all others.
    """
    folder = path.parent
    if path.name != RECORDS or not (folder / DATABASE).is_file() or is_being_played(folder):
        return ""
    named = printable(str(path))
    try:
        is_same = is_as_exported(folder)
    except OSError:  # reading the file reports it
        return ""
    except (sqlite3.Error, StoreError, ValueError) as error:
        return f"{named} is compared with nothing: {printable(str(error))} ({DATABASE})"
    if is_same or is_being_played(folder):
        return ""
    check = f"arena check {shlex.quote(str(folder))}"
    return f"{named} is not as the last run has written it: `{check}` says what is another"


def is_as_exported(folder: Path) -> bool:
    """Return whether `games.lath` is what the last run wrote, or true if that is unknown.

    Raises OSError, sqlite3.Error, StoreError and ValueError.
    """
    if (noted := read_json(read_texts(folder).get(EXPORTED, "null"))) is None:
        return True
    with (folder / RECORDS).open("rb") as stream:
        return bool(noted == hashlib.file_digest(stream, "sha256").hexdigest())


def is_over(tournament: Path) -> bool:
    """Return whether a tournament is complete and no run is playing in its directory."""
    if not (tournament / DATABASE).is_file():
        return (tournament / RECORDS).is_file()
    if is_being_played(tournament):
        return False
    try:
        outcome = outcome_in([tournament])
    except ArenaError:  # reading the records reports it
        return False
    return outcome is not None and outcome.is_complete


def is_collection(folder: Path) -> bool:
    """Return whether a folder is not a tournament itself but holds some."""
    return folder.is_dir() and not is_tournament(folder) and bool(tournaments_in(folder))


def tournaments_in(folder: Path) -> tuple[Path, ...]:
    """Return the tournaments' directories below a folder, sorted, without hidden ones and links."""
    found = []
    for place, inner, _ in os.walk(folder):  # `os.walk` also skips unreadable folders
        path = Path(place)
        depth = len(path.relative_to(folder).parts)
        inner[:] = [name for name in inner if depth < DEEPEST and not name.startswith(".")]
        if depth and is_tournament(path):
            found.append(path)
            inner.clear()
    return tuple(sorted(found))


def is_tournament(folder: Path) -> bool:
    """Return whether a folder has records or a database."""
    return any((folder / name).is_file() for name in (DATABASE, RECORDS))


def is_of_a_run(folder: Path) -> bool:
    """Return whether a run has written to a folder, even if files are missing now.

    A configuration alone does not count: it may wait for its first run beside records from
    elsewhere.
    """
    if (folder / CONFIG).is_file() and (folder / RECORDS).is_file():
        return True
    return any((folder / name).is_file() for name in (DATABASE, OUTCOME, STANDINGS, STANDINGS_CSV))


DEEPEST: Final = 3
"""The most folders between a collection and its tournaments: cup, season/cup, club/season/cup."""
