"""Read one record of a file and one of its positions, for `--record N --ply P`.

N counts from 1 in the order of the file. P counts moves: after ply 0 no move is played.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from lath import games
from lath.arena.cli.files import entries as entries_of_any_format
from lath.arena.cli.files import read_database, read_from
from lath.arena.cli.help import Topic
from lath.arena.cli.main import option, whole
from lath.arena.errors import ArenaError, ConfigError
from lath.arena.terminal.notices import print_note
from lath.arena.tournament.outcome.taken import TAKEN
from lath.games.core import Position
from lath.games.errors import GameError, count_of
from lath.notation import formats
from lath.notation.archive.index import Records
from lath.notation.files.files import is_database
from lath.notation.record.record import Record
from lath.notation.rules.replay import faults_of, positions
from lath.notation.text.scanner import parse
from lath.notation.text.splitting import Entry

RecordNumber = Annotated[
    int | None,
    option("--record", "N", "Number of the record in the file.", Topic.POSITION, **whole(1)),
]
AfterPly = Annotated[
    int | None,
    option("--ply", "P", "Position after this ply.", Topic.POSITION, default="last", **whole(0)),
]


def is_of_records(text: str) -> bool:
    """Return whether the text names a file or folder of records rather than a game type."""
    path = Path(text)
    is_source = path.is_dir() or (path.is_file() and path.suffix != ".py")
    return is_source and text not in games.ids()


def position_in(file: Path, number: int, ply: int | None) -> Position:
    """Return the position after a ply, or after the last ply; raises ArenaError."""
    (entry,) = read_from(file, numbered(file, number))
    _, played = played_in(file, entry)
    return played[ply_in(file, number, ply, len(played) - 1)]


def ply_in(file: Path, number: int, ply: int | None, plies: int) -> int:
    """Return the ply, or the last one if None; raises ConfigError if it is beyond the end."""
    if ply is None:
        return plies
    if ply > plies:
        raise ConfigError(f"{file}: {too_short(number, ply, plies)}")
    return ply


def too_short(number: int, ply: int, plies: int) -> str:
    """Return the message that a record is too short for a ply."""
    return f"record {number} has {count_of(plies, 'ply')}, not {ply}"


def numbered(file: Path, game: int | None) -> Iterator[Entry]:
    """Yield the entry with the number `game`, or all entries."""
    number = 0
    for entry in _entries(file, game):
        number = entry.number
        if game in (None, number):
            yield entry
        if number == game:
            return
    if game is not None:
        many = count_of(number, "record")
        raise ConfigError(f"{file}: has {many}; record {game} does not exist")


def _entries(file: Path, game: int | None) -> Iterator[Entry]:
    """Yield entries up to the number `game`; a database or an index yields only that entry."""
    if game is not None and is_database(file):
        with read_database(file) as database:
            wanted, last = database.none(), min(game, database.games)
            wanted[last] = last > 0
            for number, text in database.texts(wanted):
                yield from TAKEN.seen([Entry(number, 1, parse(text), (), text.rstrip("\n"))], file)
        return
    if game is not None and file.is_file() and formats.recognised(file) == "lath":
        with Records(file) as records:
            if records.stale:
                print_note(f"{records.stale}; reading from the beginning")
            if records.has_index:
                if records:
                    yield from TAKEN.seen([records.entry(min(game, len(records)) - 1)], file)
                return
    yield from entries_of_any_format(file)


def played_in(file: Path, entry: Entry) -> tuple[Record, list[Position]]:
    """Return a record and its positions; raises ArenaError for an invalid record."""
    if entry.record is None or entry.problems:
        raise ArenaError(str(entry.problems[0]))
    try:
        played = list(positions(entry.record))
    except GameError as error:
        why = [fault.message for fault in faults_of(entry.record) if fault.code == "rules"]
        what = why[0] if why else error
        raise ArenaError(f"{file}: record {entry.number}: {what}") from error
    return entry.record, played
