"""`arena check`, `show`, `convert` and `edit`: record files."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Final

import typer

from lath.arena.cli.files import Files, Quiet, entries, read_from, unless_lossy, write_pieces
from lath.arena.cli.main import App, argument, flag, option, positive
from lath.arena.errors import ArenaError, ConfigError
from lath.arena.terminal.streams import unfiltered
from lath.games.core import Position
from lath.games.errors import GameError
from lath.notation import formats
from lath.notation.errors import RecordError, printable
from lath.notation.formats import FormatError, Reader
from lath.notation.reader import Entry, open_bytes
from lath.notation.reader import read as read_records
from lath.notation.record import Record
from lath.notation.replay import canonical, positions
from lath.notation.validation import validate
from lath.notation.writer import format_records

app = App()


def _refuse_other_formats(path: Path) -> None:
    if formats.is_other(path):
        raise ConfigError(
            f"{path} is {formats.name_for(path)} by its suffix; "
            f"`arena convert {path} - --to lath` makes text of it"
        )


ProblemsAsJson = Annotated[bool, flag("--json", "Print each problem as a JSON object on a line.")]
MaxErrors = Annotated[int | None, positive("--max-errors", "Print N of them, count all.")]
Jobs = Annotated[int, positive("--jobs -j", "Use N cores for each file.")]


@app.command()
def check(
    files: Files,
    as_json: ProblemsAsJson = False,
    max_errors: MaxErrors = None,
    jobs: Jobs = 1,
    quiet: Quiet = False,
) -> None:
    """Validate records: syntax, legality, results.

    Problems go to standard output, counts and throughput to standard error. Exit status 1 if a
    record is bad, 2 if a file cannot be read; the others are checked all the same.

    Example: arena check games.lath archive.lath.gz
    """
    records = bad = plies = problems = 0
    unreadable = []
    began_s = time.perf_counter()
    for path in files:
        try:
            _refuse_other_formats(path)
            for found in read_from(path, validate(path, jobs=jobs)):
                records += found.records
                bad += found.bad
                plies += found.plies
                for problem in found.problems:
                    if max_errors is None or problems < max_errors:
                        print(json.dumps(problem.as_json()) if as_json else problem)
                    problems += 1
        except ConfigError as error:
            unreadable.append(error)
    if not quiet and (records or not unreadable):
        took_s = max(time.perf_counter() - began_s, 1e-9)
        print(
            f"{records} records: {records - bad} sound, {bad} bad "
            f"({problems} problem{'' if problems == 1 else 's'}); {plies} plies; {took_s:.2f} s, "
            f"{records / took_s:,.0f} records/s, {plies / took_s:,.0f} plies/s",
            file=sys.stderr,
        )
    for why in unreadable:
        print(f"arena: {why}", file=sys.stderr)
    raise typer.Exit(2 if unreadable else 1 if bad else 0)


OnlyCheck = Annotated[bool, flag("--check", "Change nothing; exit 1 if a file is not canonical.")]


@app.command()
def edit(files: Files, only_check: OnlyCheck = False, quiet: Quiet = False) -> None:
    """Rewrite record files in canonical form.

    A file with a bad record stays as it is. Standard input is written to standard output.

    Example: arena edit --check games.lath
    """
    changed = 0
    for path in files:
        _refuse_other_formats(path)
        pieces = read_from(path, _canonical(path))
        if str(path) == "-":
            write_pieces(path, pieces)
            continue
        if all(read_from(path, _is_as_written(path))):
            continue
        changed += 1
        if not only_check:
            write_pieces(path, pieces)
        if not quiet:
            said = "is not canonical" if only_check else "rewritten in canonical form"
            print(f"{path}: {said}", file=sys.stderr)
    raise typer.Exit(1 if only_check and changed else 0)


def _canonical(path: Path) -> Iterator[bytes]:
    try:
        yield from map(str.encode, format_records(map(canonical, read_records(path))))
    except RecordError as error:
        raise ArenaError(str(error)) from error


def _is_as_written(path: Path) -> Iterator[bool]:
    """Yield for each piece of the canonical text whether the file has it there."""
    with open_bytes(path) as stream:
        for piece in _canonical(path):
            yield stream.read(len(piece)) == piece
        yield not stream.read(1)


_PLIES: Final = "For each record and ply a line: position, move, number of legal moves."

File = Annotated[Path, argument("FILE", "A record file; - is stdin.")]
Number = Annotated[int | None, positive("--game", "The record, from 1.")]
AtPly = Annotated[int | None, option("--ply", "P", "After this ply; else the last.", min=0)]
AsSvg = Annotated[bool, flag("--svg", "Draw the board as an SVG file.")]
Aids = Annotated[bool, flag("--aids", "With --svg: sizes of groups, lines of sight.")]
Legal = Annotated[bool, flag("--legal", "With --svg: dots where pieces may be placed.")]
PliesAsJson = Annotated[bool, flag("--json", _PLIES)]


@app.command()
def show(
    file: File,
    game: Number = None,
    ply: AtPly = None,
    svg: AsSvg = False,
    aids: Aids = False,
    legal: Legal = False,
    as_json: PliesAsJson = False,
) -> None:
    """Draw the board of a record in the terminal, or as SVG.

    Example: arena show games.lath --game 3 --ply 12 --svg > board.svg
    """
    if (aids or legal) and not svg:
        raise ConfigError("--aids and --legal are for drawings: --svg is missing")
    wanted = game if game or as_json else 1
    for number, record in read_from(file, _numbered(file, wanted)):
        try:
            played = list(positions(record))
        except GameError as error:
            raise ArenaError(f"{file}: record {number}: {error}") from error
        if as_json:
            _print_json(number, record, played, ply)
            continue
        if ply is not None and ply >= len(played):
            raise ConfigError(f"{file}: record {number} has {len(played) - 1} plies, not {ply}")
        at = len(played) - 1 if ply is None else ply
        _draw(number, record, played, at, svg=svg, aids=aids, legal=legal)


def _numbered(file: Path, game: int | None) -> Iterator[tuple[int, Record]]:
    """Yield the record of this number, or all of them; raises ArenaError for a bad one."""
    number = 0
    for entry in entries(file):
        number = entry.number
        if game in (None, number):
            if entry.record is None or entry.problems:
                raise ArenaError(str(entry.problems[0]))
            yield number, entry.record
        if number == game:
            return
    if game is not None:
        raise ConfigError(f"{file} has {number} records, no number {game}")


def _print_json(number: int, record: Record, played: list[Position], only: int | None) -> None:
    for ply, (position, move) in enumerate(zip_longest(played, record.moves)):
        if only in (None, ply):
            shown = {
                "record": number,
                "ply": ply,
                "position": position.text(),
                "move": move,
                "legal": len(position.legal_moves()),
            }
            print(json.dumps(shown))


def _draw(
    number: int,
    record: Record,
    played: list[Position],
    ply: int,
    *,
    svg: bool,
    aids: bool,
    legal: bool,
) -> None:
    from lath.arena.terminal.boards import changed_cells, drawing

    position, outcome = played[ply], played[ply].outcome()
    title = printable(f"{record.first} - {record.second}, {record.game}")
    last = changed_cells(played[ply - 1], position) if ply else []
    decided = outcome.cells if outcome else ()
    if svg:
        from lath.reports.boards import board

        shown = board.svg(
            position, title=title, highlight=decided, last=last, aids=aids, legal=legal
        )
        print(shown)
        return
    when = f"after {ply}. {record.plies[ply - 1].move}" if ply else "before the first move"
    state = f"{position.game.colours[position.to_move]} to move"
    if outcome:
        state = f"{outcome.result}: {outcome.ending}"
    drawn = drawing(position, last=last, decided=decided)
    print(f"record {number}: {title}, {when}\n")
    print(drawn, file=unfiltered(sys.stdout))
    print(f"\n{state}\n")


Source = Annotated[Path, argument("SRC", "What is read; - is stdin.")]
Destination = Annotated[Path, argument("DST", "What is written; - is stdout.")]
From = Annotated[str | None, option("--from", "F", "SRC's format; else by suffix.")]
To = Annotated[str | None, option("--to", "F", "DST's format; else by suffix.")]
Strict = Annotated[bool, flag("--strict", "Exit 1 if DST's format cannot hold something.")]
NoSummary = Annotated[bool, flag("--quiet -q", "Say nothing but problems and warnings.")]


@app.command()
def convert(
    source: Source,
    destination: Destination,
    from_: From = None,
    to: To = None,
    strict: Strict = False,
    quiet: NoSummary = False,
) -> None:
    """Convert records from one format to another.

    The formats are lath, jsonlines, abstractplay, ludii, ygn, sgf, csv, parquet. Suffixes say
    which, .gz, .bz2, .xz and .zst after them are compression. A bad record is told of and left out,
    the rest is converted. What DST cannot hold is named in a warning. DST may be SRC.

    Exit status 1 if a record was left out, with --strict also if anything else was lost.

    Example: arena convert games.lath games.csv
    """
    try:
        from_name = _format_of(source, from_, "--from")
        to_name = _format_of(destination, to, "--to")
        write, read = formats.writer(to_name), formats.reader(from_name)
        conversion = _Conversion(read, source)
        pieces = write(conversion.records(), conversion.lost)
        pieces = unless_lossy(destination, pieces, [source], lambda: len(conversion.bad))
        write_pieces(destination, pieces)
    except FormatError as error:  # also where a library is missing
        raise ConfigError(str(error)) from error
    conversion.print_losses(to_name)
    left_out = len(conversion.bad) + conversion.unheld
    if not quiet:
        converted = conversion.sound - conversion.unheld
        print(f"converted {converted} records, left out {left_out}", file=sys.stderr)
    raise typer.Exit(1 if left_out or (strict and conversion.losses) else 0)


def _format_of(path: Path, name: str | None, by: str) -> str:
    """Return the format that the option `by` names, else the suffix; raises ConfigError."""
    if name is not None:
        return name
    if str(path) == "-":
        known = formats.READABLE if by == "--from" else formats.WRITABLE
        stream = "input" if by == "--from" else "output"
        raise ConfigError(
            f"standard {stream} has no suffix; name its format by {by}, one of {', '.join(known)}"
        )
    try:
        return formats.name_for(path)
    except FormatError as error:
        raise ConfigError(f"{error}; or name it by {by}") from error


@dataclass(slots=True)
class _Loss:
    """Of one field: in how many records it was lost."""

    records: int
    first: int
    last: int


_MOST_FIELDS = 1000
"""Fields that are told of by name: a file of odd tags may have as many as it likes."""


class _Conversion:
    """The sound records of a source as they pass, and what was told of them."""

    def __init__(self, read: Reader, source: Path) -> None:
        self._read = read
        self._source = source
        self.sound = 0
        self.bad: list[int] = []
        """The numbers of the records that something is wrong with."""
        self.unheld = 0
        """Sound records of which the target can hold nothing."""
        self.losses: dict[str, _Loss] = {}
        """By field, in order of appearance."""

    def records(self) -> Iterator[Record]:
        """Yield the sound records, print the problems of the others; raises ConfigError."""
        for entry in read_from(self._source, self._entries()):
            if entry.record is None or entry.problems:
                self.bad.append(entry.number)
                print(*entry.problems, sep="\n", file=sys.stderr)
            else:
                self.sound += 1
                yield entry.record

    def _entries(self) -> Iterator[Entry]:
        with open_bytes(self._source) as stream:
            yield from self._read(stream, str(self._source))

    def lost(self, number: int, field: str) -> None:
        """Note that the target cannot hold a field of this record, counted among the sound ones."""
        if field == formats.WHOLE:
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
            number = loss.first
            for bad in self.bad:  # in ascending order: those before it count in the file
                number += bad <= number
            where = f"record {number}"
            if loss.records > 1:
                where = f"{loss.records} records, the first is {where}"
            print(f"warning: {format_name} cannot hold {field} ({where})", file=sys.stderr)
