"""Reading and writing of record files; an existing file is never left half-written."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TextIO, TypeVar

import typer

from lath.arena.cli.help import Topic
from lath.arena.cli.main import argument, flag, option
from lath.arena.cli.main import whole as number
from lath.arena.directory import DATABASE, RECORDS
from lath.arena.errors import ArenaError, ConfigError, reading
from lath.arena.terminal.notices import print_warning
from lath.arena.tournament.outcome.taken import TAKEN, files_in
from lath.games.errors import count_of
from lath.notation import formats
from lath.notation.archive.given import AGAIN
from lath.notation.files.files import (
    TemporaryFileError,
    needed_words,
    open_bytes,
    temporary_file,
)
from lath.notation.record.errors import Fault, printable
from lath.notation.rules.reading import entry_of
from lath.notation.text.splitting import Entry, RecordText
from lath.notation.text.writer import format_record

if TYPE_CHECKING:
    from lath.notation.database.reading import Database

SOURCE: Final = "Record file, tournament directory, database, or - for standard input."

Files = Annotated[
    list[Path], argument("FILE...", "Record files, databases, or - for standard input.")
]
Sources = Annotated[
    list[Path],
    argument(
        "SOURCE...", "Record files, tournament directories, databases, or - for standard input."
    ),
]
Unchecked = Annotated[bool, flag("--unchecked", "Include invalid records.", Topic.RECORDS)]
Jobs = Annotated[
    int,
    option(
        "--jobs -j",
        "N",
        "Number of processes that check text records.",
        Topic.RECORDS,
        **number(1, 512),
    ),
]
CountAgain = Annotated[
    bool, flag(AGAIN, "Count duplicate games every time they occur.", Topic.RECORDS)
]

Read = TypeVar("Read")


class LossError(ArenaError):
    """Nothing was written, because the output would lack some of the input."""


def read_from(path: Path, items: Iterable[Read]) -> Iterator[Read]:
    """Yield the items read from a file; turns errors into ConfigError.

    Raises ConfigError if standard output is the same file, since reading it would never end.
    """
    if is_one_of(Path("-"), [path]):
        raise ConfigError(
            f"{printable(str(path))}: the command reads this file, and standard output goes to it",
            hint="redirect standard output to another file",
        )
    if path.name == "games.lath":
        from lath.arena.tournament.outcome.directories import export_doubt  # start-up time

        if words := export_doubt(path):
            print_warning(words)
    with reading(path):
        try:
            yield from items
        except IsADirectoryError as error:
            if not (games := path / RECORDS).is_file():
                raise
            raise ConfigError(f"{path}: this is a tournament; its games are in {games}") from error


def entries(
    path: Path, format_name: str = "", *, rules: bool = False, jobs: int = 1
) -> Iterator[Entry]:
    """Yield the entries of a file, whose format is recognised if none is named.

    For a tournament's directory these are its games, and for another folder the entries of its
    record files. Entries of other game types are included. Raises OSError and ArenaError.
    """
    if not format_name and path.is_dir():
        if (files := files_in([path])) == [path]:
            yield from _entries_of_games(path, rules=rules)
            return
        numbers = count(1)
        for file in files:
            for entry in entries(file, rules=rules, jobs=jobs):
                yield replace(entry, number=next(numbers))
        return
    name = format_name or formats.recognised(path)
    try:
        formats.reader(name)  # reports an unknown format before the file is opened
        with open_bytes(path) as stream:
            found = TAKEN.seen(
                formats.entries(stream, name, str(path), rules=rules, jobs=jobs), path
            )
            yield from found if name in formats.OF_TEXT else TAKEN.entries(found)
    except formats.FormatError as error:
        raise ConfigError(f"{path}: {error}") from error


def _entries_of_games(folder: Path, *, rules: bool) -> Iterator[Entry]:
    """Yield the entries of a tournament's games, with a tag for those under a ruling.

    If games are damaged, raises ArenaError after the valid ones.
    """
    from lath.arena.tournament.outcome.sources import (  # start-up time
        Doubt,
        records_of,
        refuse_damage,
    )
    from lath.reports.counting.standings import Refused

    doubts: list[Doubt] = []
    name = str(folder / DATABASE)
    for place, found in enumerate(records_of([folder], doubts, rules=False), 1):
        if isinstance(found, Refused):
            fault = Fault(found.kind.replace(" ", "-"), found.why)
            yield RecordText(1, found.where, fault).entry(name, place, None, [fault])
        else:
            yield entry_of(RecordText(1, format_record(found).strip()), name, place, rules=rules)
    for doubt in doubts:
        print_warning(doubt.words)
    refuse_damage(doubts)


@contextmanager
def read_database(path: Path) -> Iterator[Database]:
    """Open a database of games; raises ConfigError."""
    try:
        from lath.notation.database import reading as databases  # start-up time
    except ImportError as error:
        raise ConfigError(needed_words(error)) from error
    try:
        with reading(path):
            database = databases.Database(path)
        with database:
            yield database
    except databases.DatabaseError as error:
        raise ConfigError(str(error)) from error


def file_of(source: Path, otherwise: str) -> Path:
    """Return a source's record file, for a tournament's directory that of its games.

    `otherwise` describes a directory without games. Raises ConfigError.
    """
    if not source.is_dir():
        return source
    if not (games := source / RECORDS).is_file():
        raise ConfigError(f"{source}: {otherwise}: it has no {RECORDS}")
    return games


def bad_words(count: int) -> str:
    """Return `1 invalid record` or `2 invalid records`."""
    return count_of(count, "invalid record")


@contextmanager
def writable(out: Path) -> Iterator[None]:
    """Turn errors of the file system into ConfigError."""
    try:
        yield
    except (BrokenPipeError, TemporaryFileError):
        raise  # the reader has enough, or a temporary file failed instead of `out`
    except FileExistsError as error:
        there = printable(str(error.filename))
        raise ConfigError(f"{there}: already exists", hint="--force replaces it") from error
    except OSError as error:
        name = "standard output" if str(out) == "-" else printable(str(out))
        raise ConfigError(f"{name}: cannot be written: {error.strerror or error}") from error


@contextmanager
def unless_cut(status: Callable[[], int]) -> Iterator[None]:
    """If the reader closes the output, exit with the status of the results so far."""
    try:
        yield
    except (BrokenPipeError, SystemExit) as error:
        if BrokenPipeError not in (type(error), type(error.__context__)):  # or a table's exit
            raise
        raise typer.Exit(status()) from error


def unless_lossy(
    out: Path, pieces: Iterable[bytes], sources: Iterable[Path], lost: Callable[[], str]
) -> Iterator[bytes]:
    """Return the pieces; they raise LossError at the end if `out` is a source and loses data.

    `lost` returns text on the losses, empty without losses. Raises ConfigError for a source that
    cannot be replaced: a pipe, or a file that the shell has opened for output.
    """
    is_source = is_one_of(out, sources)
    if is_source and str(out) == "-":
        raise ConfigError("standard output: goes to a file that the command reads", hint="-o OUT")
    if is_source and not out.is_file():
        raise ConfigError(f"{out}: this source is not a regular file, so it cannot be replaced")

    def kept() -> Iterator[bytes]:
        yield from pieces
        if is_source and (words := lost()):
            raise LossError(
                f"{out}: unchanged, because {words} would be lost",
                hint="--force writes it all the same",
            )

    return kept()


def is_one_of(out: Path, sources: Iterable[Path]) -> bool:
    """Return whether `out` is the same file or pipe as a source; `-` is a standard stream."""
    there = _file_of(out, sys.stdout)
    return there is not None and any(
        found is not None and os.path.samestat(found, there)
        for found in (_file_of(path, sys.stdin) for path in sources)
    )


def _file_of(path: Path, stream: TextIO) -> os.stat_result | None:
    """Return the status of a file or pipe, `-` for the file behind a stream; None for others."""
    try:
        found = os.fstat(stream.fileno()) if str(path) == "-" else path.stat()
    except (OSError, ValueError):
        return None
    is_file = stat.S_ISREG(found.st_mode)
    return found if is_file or (stat.S_ISFIFO(found.st_mode) and str(path) != "-") else None


def whole(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes after all of them were computed; a temporary file holds them."""
    with temporary_file() as kept:
        kept.writelines(pieces)
        kept.seek(0)
        while block := kept.read(1 << 16):
            yield block


def refuse_other_formats(out: Path) -> None:
    """Raise ConfigError if text records would be written into a file of another format."""
    if formats.is_other(out):
        name = formats.name_for(out)
        raise ConfigError(
            f"{out}: this command writes only text records, not {name}", hint="arena convert"
        )


def refuse_to_edit_others(paths: Iterable[Path]) -> None:
    """Raise ConfigError for a path that is not a file in the `lath` text format."""
    for path in paths:
        shown = shlex.quote(str(path))
        if path.is_dir():
            what, way = "a folder", f"arena edit {shown}/*.lath …"
            if (games := path / "games.lath").is_file():
                what = "a tournament, whose games cannot be edited"
                way = f"arena edit {games} … -o edited.lath"
            raise ConfigError(f"{path}: this is {what}, not a record file", hint=way)
        if (name := formats.recognised(path)) not in formats.OF_TEXT:
            by = "by its suffix" if formats.is_other(path) else "by how it begins"
            given = f" --from {name}" if shown == "-" else ""
            way = f"arena convert {shown} -{given} --to lath | arena edit - …"
            raise ConfigError(
                f"{path}: the format is {name} {by}; arena edit changes only lath", hint=way
            )


def is_special(path: Path) -> bool:
    """Return whether the path is a standard stream, pipe or device, which is written directly."""
    return str(path) == "-" or (path.exists() and not path.is_file() and not path.is_dir())
