"""Which directories are tournaments, how far each is, and whether its files are as written."""

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
    """Return what is to be said of a file of records where it is not as a run has written it.

    That is known of a `games.lath` in a tournament's directory alone; empty for all others.
    """
    folder = path.parent
    if path.name != RECORDS or not (folder / DATABASE).is_file() or is_being_played(folder):
        return ""
    named = printable(str(path))
    try:
        is_same = is_as_exported(folder)
    except OSError:  # who reads it says so
        return ""
    except (sqlite3.Error, StoreError, ValueError) as error:
        return f"{named} is compared with nothing: {printable(str(error))} ({DATABASE})"
    if is_same or is_being_played(folder):
        return ""
    check = f"arena check {shlex.quote(str(folder))}"
    return f"{named} is not as the last run has written it: `{check}` says what is another"


def is_as_exported(folder: Path) -> bool:
    """Return whether `games.lath` is as a run has written it, as far as it is known.

    Raises OSError, sqlite3.Error, StoreError and ValueError.
    """
    if (noted := read_json(read_texts(folder).get(EXPORTED, "null"))) is None:
        return True
    with (folder / RECORDS).open("rb") as stream:
        return bool(noted == hashlib.file_digest(stream, "sha256").hexdigest())


def is_over(tournament: Path) -> bool:
    """Return whether nobody plays in a tournament's directory, and nothing is left to play."""
    if not (tournament / DATABASE).is_file():
        return (tournament / RECORDS).is_file()
    if is_being_played(tournament):
        return False
    try:
        outcome = outcome_in([tournament])
    except ArenaError:  # whoever reads the records is told of it
        return False
    return outcome is not None and outcome.is_complete


def is_collection(folder: Path) -> bool:
    """Return whether a folder is no tournament itself but holds some."""
    return folder.is_dir() and not is_tournament(folder) and bool(tournaments_in(folder))


def tournaments_in(folder: Path) -> tuple[Path, ...]:
    """Return the tournaments' directories below, sorted; hidden folders and links are passed by."""
    found = []
    for place, inner, _ in os.walk(folder):  # what is not ours to read is passed by, too
        path = Path(place)
        depth = len(path.relative_to(folder).parts)
        inner[:] = [name for name in inner if depth < DEEPEST and not name.startswith(".")]
        if depth and is_tournament(path):
            found.append(path)
            inner.clear()
    return tuple(sorted(found))


def is_tournament(folder: Path) -> bool:
    """Return whether a folder has games of its own, or a database for them."""
    return any((folder / name).is_file() for name in (DATABASE, RECORDS))


def is_of_a_run(folder: Path) -> bool:
    """Return whether a run has left a folder, whatever of it is missing now.

    A configuration alone is none: it may wait beside records of others for its first run.
    """
    if (folder / CONFIG).is_file() and (folder / RECORDS).is_file():
        return True
    return any((folder / name).is_file() for name in (DATABASE, OUTCOME, STANDINGS, STANDINGS_CSV))


DEEPEST: Final = 3
"""How many folders below the first may hold tournaments: cup, season/cup, club/season/cup."""
