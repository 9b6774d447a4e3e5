"""`arena convert`: records from one format to another, and every loss on the way told."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from lath.arena.cli.outlet import unless_lossy, write_pieces
from lath.arena.errors import ConfigError
from lath.notation.errors import printable

if TYPE_CHECKING:
    from lath.notation.formats import Reader, Writer
    from lath.notation.record import Record

_Asked = TypeVar("_Asked")


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(convert)


def convert(
    source: Annotated[Path, typer.Argument(metavar="SRC", help="What is read; - is stdin.")],
    destination: Annotated[
        Path, typer.Argument(metavar="DST", help="What is written; - is stdout.")
    ],
    from_: Annotated[
        str | None, typer.Option("--from", metavar="F", help="SRC's format; else by suffix.")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="F", help="DST's format; else by suffix.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 1 if DST's format cannot hold something.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing but problems and warnings.")
    ] = False,
) -> None:
    """Convert records from one format to another.

    The formats are lath, jsonlines, abstractplay, ludii, ygn, sgf, csv, parquet. Suffixes say
    which, .gz, .bz2, .xz and .zst after them are compression. A bad record is told of and left out,
    the rest is converted. What DST cannot hold is named in a warning. DST may be SRC.

    Exit status 1 if a record was left out, with --strict also if anything else was lost.

    Example: arena convert games.lath games.csv
    """
    from lath.notation import formats

    from_name = _format_of(source, from_, "--from")
    to_name = _format_of(destination, to, "--to")
    write = _found(formats.writer, to_name)
    course = _Course(_found(formats.reader, from_name), source)
    _write(write, course, destination)
    course.print_losses(to_name)
    left_out = len(course.bad) + course.unheld
    if not quiet:
        converted = course.sound - course.unheld
        print(f"converted {converted} records, left out {left_out}", file=sys.stderr)
    raise typer.Exit(1 if left_out or (strict and course.losses) else 0)


def _format_of(path: Path, name: str | None, option: str) -> str:
    from lath.notation.formats import READABLE, WRITABLE, FormatError, name_for

    if name is not None:
        return name
    if str(path) == "-":
        stream, known = ("input", READABLE) if option == "--from" else ("output", WRITABLE)
        raise ConfigError(
            f"standard {stream} has no suffix; name its format by {option}, "
            f"one of {', '.join(known)}"
        )
    try:
        return name_for(path)
    except FormatError as error:
        raise ConfigError(f"{error}; or name it by {option}") from error


def _found(look_up: Callable[[str], _Asked], name: str) -> _Asked:
    from lath.notation.formats import FormatError

    try:
        return look_up(name)
    except FormatError as error:
        raise ConfigError(str(error)) from error


def _write(write: Writer, course: _Course, destination: Path) -> None:
    from lath.notation.formats import FormatError

    pieces = unless_lossy(
        destination, write(course.records(), course.lost), [course.source], lambda: len(course.bad)
    )
    try:
        write_pieces(destination, pieces)
    except FormatError as error:  # a library is missing
        raise ConfigError(str(error)) from error


@dataclass(slots=True)
class _Loss:
    """Of one field: in how many records it was lost."""

    records: int
    first: int
    last: int


_MOST_FIELDS = 1000
"""Fields that are told of by name: a file of odd tags may have as many as it likes."""


class _Course:
    """The sound records of a source as they pass, and what was told of them."""

    def __init__(self, read: Reader, source: Path) -> None:
        self._read = read
        self.source = source
        self.sound = 0
        self.bad: list[int] = []
        """The numbers of the records that something is wrong with."""
        self.unheld = 0
        """Sound records of which the target can hold nothing."""
        self.losses: dict[str, _Loss] = {}
        """By field, in order of appearance."""

    def records(self) -> Iterator[Record]:
        """Yield the sound records, print the problems of the others; raises ConfigError."""
        from lath.notation.files import open_bytes

        try:
            with open_bytes(self.source) as stream:
                for entry in self._read(stream, str(self.source)):
                    if entry.record is None or entry.problems:
                        self.bad.append(entry.number)
                        print(*entry.problems, sep="\n", file=sys.stderr)
                    else:
                        self.sound += 1
                        yield entry.record
        except OSError as error:
            reason = error.strerror or error
            raise ConfigError(f"{self.source} cannot be read: {reason}") from error

    def lost(self, number: int, field: str) -> None:
        """Note that the target cannot hold a field of this record, counted among the sound ones."""
        from lath.notation.formats import WHOLE

        if field == WHOLE:
            self.unheld += 1
            return
        if field not in self.losses and len(self.losses) >= _MOST_FIELDS:
            field = "further fields"
        loss = self.losses.get(field)
        if loss is None:
            self.losses[field] = _Loss(1, number, number)
        elif loss.last != number:
            loss.records += 1
            loss.last = number

    def print_losses(self, format_name: str) -> None:
        """Print a warning for each field that was lost."""
        for field, loss in self.losses.items():
            first = f"record {self._number_in_source(loss.first)}"
            where = first if loss.records == 1 else f"{loss.records} records, the first is {first}"
            told = printable(f"warning: {format_name} cannot hold {field} ({where})")
            print(told, file=sys.stderr)

    def _number_in_source(self, number: int) -> int:
        for bad in self.bad:  # in ascending order
            if bad > number:
                break
            number += 1
        return number
