"""`arena check`, `format`, `show` and `convert`: record files."""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from lath.arena.errors import ArenaError, ConfigError
from lath.games.errors import GameError
from lath.notation.errors import printable

if TYPE_CHECKING:
    from lath.games.core import Position
    from lath.notation.errors import Problem
    from lath.notation.formats import Reader, Writer
    from lath.notation.reader import Entry
    from lath.notation.record import Record
    from lath.notation.validation import Findings


class Intake:
    """The sound entries of record files, in order, lazily."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self.bad = 0
        """Entries that were left out because something is wrong with them."""

    def __iter__(self) -> Iterator[tuple[Entry, Record]]:
        """Yield each entry and its record; raises ConfigError for a file that cannot be read."""
        for path in self._files:
            try:
                yield from self._sound(path)
            except OSError as error:
                raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from error

    def _sound(self, path: Path) -> Iterator[tuple[Entry, Record]]:
        for entry in entries(path):
            if entry.record is None or entry.problems:
                self.bad += 1
                print(*entry.problems, sep="\n", file=sys.stderr)
            else:
                yield entry, entry.record


def entries(path: Path) -> Iterator[Entry]:
    """Yield the entries of a file of any format that its suffix names, else of our text.

    The text of an entry is ours, whatever the format. The moves are not played. Raises OSError.
    """
    from lath.notation import formats, reader
    from lath.notation.reader import open_bytes
    from lath.notation.writer import format_record

    if not formats.is_other(path):
        yield from reader.entries(path, rules=False)
        return
    try:
        read = formats.reader(formats.name_for(path))
    except formats.FormatError as error:
        raise ConfigError(f"{path}: {error}") from error
    with open_bytes(path) as stream:
        for entry in read(stream, str(path)):
            text = format_record(entry.record).rstrip() if entry.record else ""
            yield replace(entry, text=text)


@contextmanager
def writable(out: Path) -> Iterator[None]:
    """Turn what the file system says into our words."""
    try:
        yield
    except BrokenPipeError:
        raise  # nobody reads on; that is no fault
    except FileExistsError as error:
        raise ConfigError(f"{error.filename} is there already; --force replaces it") from error
    except OSError as error:
        name = "standard output" if str(out) == "-" else out
        raise ConfigError(f"{name} cannot be written: {error.strerror or error}") from error


def write_pieces(out: Path, pieces: Iterable[bytes]) -> None:
    """Write a file of these pieces; raises ConfigError."""
    from lath.notation.reader import write_atomically, write_to_stdout

    with writable(out):
        if str(out) == "-":
            write_to_stdout(pieces)
        else:
            write_atomically(out, pieces)


def write_records(
    out: Path, texts: Iterable[str | bytes], *, sources: Iterable[Path], bad: Callable[[], int]
) -> int:
    """Write records as they stand; return how many.

    `bad` says how many records of `sources` were left out; if `out` is one of these files and
    would lose some, it stays as it is: raises ArenaError.
    """
    from lath.notation.archive import verbatim

    _refuse_other_formats(out)
    count = 0

    def counted() -> Iterator[str | bytes]:
        nonlocal count
        for text in texts:
            count += 1
            yield text

    write_pieces(out, unless_lossy(out, verbatim(counted()), sources, bad))
    return count


def append_record(out: Path, text: str) -> None:
    """Write a file again with one more record at its end, whole or not at all; raises ConfigError.

    A file that is not there is made; standard output is written to.
    """
    if str(out) == "-" or not out.exists():
        write_pieces(out, [text.encode()])
        return
    write_pieces(out, _with_record(out, text.encode()))


def _with_record(path: Path, record: bytes) -> Iterator[bytes]:
    from lath.notation.reader import open_bytes

    last = b""
    with open_bytes(path) as stream:
        while block := stream.read(1 << 16):
            yield block
            last = (last + block)[-2:]
    if last:
        yield b"" if last == b"\n\n" else b"\n" if last.endswith(b"\n") else b"\n\n"
    yield record


def refuse_as_archive(out: Path) -> None:
    """Raise ConfigError where records cannot be appended to `out`: before anything is lost."""
    _refuse_other_formats(out)
    if str(out) == "-":
        return
    with writable(out):
        if not out.parent.is_dir():
            raise ConfigError(f"{out} cannot be written: there is no folder {str(out.parent)!r}")
        if not out.exists():
            return
        first = next(entries(out), None)
    if first is not None and first.record is None:
        raise ConfigError(f"{out} is no file of records: {first.problems[0]}")


def unless_lossy(
    out: Path, pieces: Iterable[bytes], sources: Iterable[Path], bad: Callable[[], int]
) -> Iterator[bytes]:
    """Yield the pieces; raise ArenaError in the end if `out` is a source and would lose records."""
    is_source = any(path.exists() and out.exists() and path.samefile(out) for path in sources)
    yield from pieces
    if is_source and bad():
        raise ArenaError(f"{out} stays as it is: {bad_words(bad())} would be lost")


def _refuse_other_formats(out: Path) -> None:
    from lath.notation.formats import is_other, name_for

    if is_other(out):
        name = name_for(out)
        raise ConfigError(f"{out}: records are written as text; `arena convert` makes {name} of it")


def bad_words(count: int) -> str:
    """Return `1 bad record` or `2 bad records`."""
    return f"{count} bad record{'' if count == 1 else 's'}"


class Sieve:
    """The entries of files that pass, lazily and once; bad ones are told of on standard error."""

    def __init__(
        self, files: Sequence[Path], where: str | None, *, distinct: bool, invert: bool = False
    ) -> None:
        """Read the query; raises ConfigError."""
        self._intakes = [(path, Intake([path])) for path in files]
        self._question = _question(where)
        self._distinct = distinct
        self._invert = invert
        self._path = Path()
        self._read = self._refused = 0
        self.duplicates = 0
        """Records left out because the same game came before."""

    @property
    def records(self) -> int:
        """Return how many sound records were read."""
        return self._read - self._refused

    @property
    def bad(self) -> int:
        """Return how many records were left out because something is wrong with them."""
        return self._refused + sum(intake.bad for _, intake in self._intakes)

    def __iter__(self) -> Iterator[tuple[Entry, Record]]:
        """Yield each entry and its record; raises ConfigError for a file that cannot be read."""
        return self._new(self._matching()) if self._distinct else self._matching()

    def _matching(self) -> Iterator[tuple[Entry, Record]]:
        for path, intake in self._intakes:
            self._path = path
            for entry, record in intake:
                self._read += 1
                try:
                    matches = self._question(record)
                except GameError as error:
                    self.refuse(entry, error)
                    continue
                if matches is not self._invert:
                    yield entry, record

    def _new(self, found: Iterator[tuple[Entry, Record]]) -> Iterator[tuple[Entry, Record]]:
        from lath.notation.archive import Seen, identity

        seen = Seen()
        for entry, record in found:
            if seen.add(identity(record)):
                yield entry, record
            else:
                self.duplicates += 1

    def refuse(self, entry: Entry, error: GameError) -> None:
        """Tell of a record that could not be played, and count it as bad: the last one yielded."""
        self._refused += 1
        told = list(map(str, _problems(self._path, entry)))
        unexplained = f"{self._path}:{entry.line}: {error} (record {entry.number})"
        print(*(told or [unexplained]), sep="\n", file=sys.stderr)

    def told_left_out(self) -> str:
        """Return in words what was left out besides what did not match; empty where nothing was."""
        told = ""
        if self.duplicates:
            told += f"; {self.duplicates} left out that were there already"
        if self.bad:
            told += f"; {bad_words(self.bad)} left out"
        return told


def _question(where: str | None) -> Callable[[Record], bool]:
    if where is None:
        return lambda _: True
    from lath.notation.query import QueryError, compile_query

    try:
        return compile_query(where)
    except QueryError as error:
        raise ConfigError(f"--where: {error}") from error


def _problems(path: Path, entry: Entry) -> Iterator[Problem]:
    """Yield what is wrong with an entry by the rules, in its place in the file."""
    from lath.notation import formats
    from lath.notation.reader import entries_of

    is_ours = str(path) == "-" or not formats.is_other(path)
    for again in entries_of(io.BytesIO(entry.text.encode()), str(path)):
        for problem in again.problems:
            line = problem.line - 1 if is_ours else 0  # else the text is not what the file has
            yield replace(problem, line=entry.line + line, record=entry.number)


Read = TypeVar("Read")

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Record files; - is stdin.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but problems.")]


def _read_from(path: Path, items: Iterable[Read]) -> Iterator[Read]:
    """Yield what is read from a file; raises ConfigError in our words where that fails."""
    try:
        yield from items
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from error


def _refuse_other_formats_records(path: Path) -> None:
    from lath.notation.formats import is_other, name_for

    if is_other(path):
        raise ConfigError(
            f"{path} is {name_for(path)} by its suffix; "
            f"`arena convert {path} - --to lath` makes text of it"
        )


def check(
    files: Files,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each problem as a JSON object on a line.")
    ] = False,
    max_errors: Annotated[
        int | None,
        typer.Option("--max-errors", min=1, metavar="N", help="Print N problems, count all."),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, metavar="N", help="Use N cores for each file.")
    ] = 1,
    quiet: Quiet = False,
) -> None:
    """Validate records: syntax, legality, results.

    Problems go to standard output, counts and throughput to standard error. Exit status 1 if a
    record is bad, 2 if a file cannot be read; the others are checked all the same.

    Example: arena check games.lath archive.lath.gz
    """
    counts = _Counts()
    unreadable = []
    began = time.perf_counter()
    for path in files:
        try:
            for found in _findings(path, jobs):
                counts.add(found)
                for problem in found.problems:
                    if max_errors is None or counts.shown < max_errors:
                        counts.shown += 1
                        print(json.dumps(problem.as_json()) if as_json else problem)
        except ConfigError as error:
            unreadable.append(error)
    if not quiet and (counts.records or not unreadable):
        print(counts.words(time.perf_counter() - began), file=sys.stderr)
    for why in unreadable:
        print(f"arena: {why}", file=sys.stderr)
    raise typer.Exit(2 if unreadable else 1 if counts.bad else 0)


def _findings(path: Path, jobs: int) -> Iterator[Findings]:
    """Yield what is found in a file; raises ConfigError where it cannot be read."""
    from lath.notation.validation import validate

    _refuse_other_formats_records(path)
    yield from _read_from(path, validate(path, jobs=jobs))


class _Counts:
    """What `arena check` has seen."""

    def __init__(self) -> None:
        self.records = self.bad = self.problems = self.plies = self.shown = 0

    def add(self, found: Findings) -> None:
        self.records += found.records
        self.bad += found.bad
        self.problems += len(found.problems)
        self.plies += found.plies

    def words(self, took_s: float) -> str:
        seconds = max(took_s, 1e-9)
        problems = f"{self.problems} problem{'' if self.problems == 1 else 's'}"
        return (
            f"{self.records} records: {self.records - self.bad} sound, {self.bad} bad "
            f"({problems}); {self.plies} plies; {took_s:.2f} s, "
            f"{self.records / seconds:,.0f} records/s, {self.plies / seconds:,.0f} plies/s"
        )


def format_files(
    files: Files,
    only_check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit 1 if a file is not canonical.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Rewrite record files in canonical form.

    A file with a bad record stays as it is. Standard input is written to standard output.

    Example: arena format --check games.lath
    """
    changed = 0
    for path in files:
        _refuse_other_formats_records(path)
        pieces = map(str.encode, _read_from(path, _canonical(path)))
        if str(path) == "-":
            write_pieces(path, pieces)
            continue
        if all(_read_from(path, _sameness(path))):
            continue
        changed += 1
        if not only_check:
            write_pieces(path, pieces)
        if not quiet:
            said = "is not canonical" if only_check else "rewritten in canonical form"
            print(f"{path}: {said}", file=sys.stderr)
    raise typer.Exit(1 if only_check and changed else 0)


def _canonical(path: Path) -> Iterator[str]:
    from lath.notation.errors import RecordError
    from lath.notation.reader import read
    from lath.notation.replay import canonical
    from lath.notation.writer import format_records

    try:
        yield from format_records(canonical(record) for record in read(path))
    except RecordError as error:
        raise ArenaError(str(error)) from error


def _sameness(path: Path) -> Iterator[bool]:
    """Yield for each piece of the canonical text whether the file has it there."""
    from lath.notation.reader import open_bytes

    with open_bytes(path) as stream:
        for piece in _canonical(path):
            data = piece.encode()
            yield stream.read(len(data)) == data
        yield not stream.read(1)


def show(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record file; - is stdin.")],
    game: Annotated[
        int | None, typer.Option("--game", min=1, metavar="N", help="The record, from 1.")
    ] = None,
    ply: Annotated[
        int | None, typer.Option("--ply", min=0, metavar="P", help="After this ply; else the last.")
    ] = None,
    svg: Annotated[bool, typer.Option("--svg", help="Draw the board as an SVG file.")] = False,
    aids: Annotated[
        bool, typer.Option("--aids", help="With --svg: sizes of groups, lines of sight.")
    ] = False,
    legal: Annotated[
        bool, typer.Option("--legal", help="With --svg: dots where pieces may be placed.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="For each record and ply a line: position, move, number of legal moves."
        ),
    ] = False,
) -> None:
    """Draw the board of a record in the terminal, or as SVG.

    Example: arena show games.lath --game 3 --ply 12 --svg > board.svg
    """
    from lath.games.errors import GameError
    from lath.notation.replay import positions

    if (aids or legal) and not svg:
        raise ConfigError("--aids and --legal are for drawings: --svg is missing")
    wanted = game if game or as_json else 1
    for number, record in _read_from(file, _numbered(file, wanted)):
        try:
            line = list(positions(record))
        except GameError as error:
            raise ArenaError(f"{file}: record {number}: {error}") from error
        if as_json:
            _print_json(number, record, line, ply)
            continue
        if ply is not None and ply >= len(line):
            raise ConfigError(f"{file}: record {number} has {len(line) - 1} plies, not {ply}")
        at = len(line) - 1 if ply is None else ply
        if svg:
            _draw_svg(record, line, at, aids=aids, legal=legal)
        else:
            _draw(number, record, line, at)


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


def _print_json(number: int, record: Record, line: list[Position], only: int | None) -> None:
    for ply, position in enumerate(line):
        if only not in (None, ply):
            continue
        move = record.plies[ply].move if ply < len(record.plies) else None
        told = {
            "record": number,
            "ply": ply,
            "position": position.text(),
            "move": move,
            "legal": len(position.legal_moves()),
        }
        print(json.dumps(told))


def _draw_svg(record: Record, line: list[Position], ply: int, *, aids: bool, legal: bool) -> None:
    from lath.reports.boards.board import svg

    outcome = line[ply].outcome()
    decided = outcome.cells if outcome else ()
    last = _changed(line, ply)
    title = _title(record)
    print(svg(line[ply], title=title, highlight=decided, last=last, aids=aids, legal=legal))


def _draw(number: int, record: Record, line: list[Position], ply: int) -> None:
    from lath.arena.terminal.boards import drawing

    position = line[ply]
    last = f"after {ply}. {record.plies[ply - 1].move}" if ply else "before the first move"
    outcome = position.outcome()
    if outcome:
        state = f"{outcome.result}: {outcome.ending}"
    else:
        state = f"{position.game.colours[position.to_move]} to move"
    board = drawing(position, last=_changed(line, ply), decided=outcome.cells if outcome else ())
    print(f"record {number}: {_title(record)}, {last}\n\n{board}\n\n{state}\n")


def _title(record: Record) -> str:
    from lath.notation.errors import printable

    return printable(f"{record.first} - {record.second}, {record.game}")


def _changed(line: list[Position], ply: int) -> list[str]:
    """Return the cells that the last move changed."""
    from lath.arena.terminal.boards import changed_cells

    return changed_cells(line[ply - 1], line[ply]) if ply else []


_Asked = TypeVar("_Asked")


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
        from lath.notation.reader import open_bytes

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


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(check)
    app.command("format")(format_files)
    app.command()(show)
    app.command()(convert)
