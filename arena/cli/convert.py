"""`arena convert`: convert records between formats."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lath.arena.cli.files import (
    Jobs,
    LossError,
    Unchecked,
    bad_words,
    file_of,
    is_one_of,
    is_special,
    read_from,
    unless_cut,
    unless_lossy,
    whole,
    writable,
)
from lath.arena.cli.files import entries as entries_of_any_format
from lath.arena.cli.help import Printed, Topic
from lath.arena.cli.main import (
    App,
    Bom,
    DoneAsJson,
    GameFiles,
    Quiet,
    add_games,
    argument,
    flag,
    option,
    print_done,
    refuse_json_beside,
)
from lath.arena.cli.outputs import FORMATS, Force, Target
from lath.arena.cli.selection import Telling
from lath.arena.errors import FAULT, INTERRUPTED, ArenaError, ConfigError, reading
from lath.arena.machine import signals
from lath.arena.terminal.notices import INTERRUPTION, print_note, print_warning
from lath.arena.terminal.streams import BOM
from lath.arena.tournament.outcome.taken import TAKEN, files_in
from lath.games.errors import count_of
from lath.notation import formats
from lath.notation.files import files
from lath.notation.formats import FormatError
from lath.notation.record.errors import printable
from lath.notation.record.tags import MOVES, NOT_READ
from lath.notation.text.splitting import RecordText

if TYPE_CHECKING:
    from lath.notation.database.building import BuildCounts
    from lath.notation.database.sources import SourcePart

app = App()


_BY_USE: Final = ". ".join(
    f"{use}: {', '.join(names)}" for use, names in formats.names_by_use().items()
)

_HELP: Final = f"""Convert records between formats.

{_BY_USE}. The suffix .json means abstractplay; for JSON Lines, use .jsonl.

The suffixes .gz, .bz2, .xz and .zst compress the output. Several SRC are joined in order. A warning
lists everything that DST cannot store. If no record can be converted, DST is not written.

--positions writes {" or ".join(formats.names_with("plies"))}, and --planes writes
{" or ".join(formats.names_with("planes"))}. DST.duckdb is a database for SQL; run the same command
again to resume it.
"""


@app.command(
    help=_HELP,
    example="arena convert games.lath games.csv",
    statuses={
        FAULT: "A record was left out; or something would be lost, with --strict or if DST is SRC"
    },
    prints=(
        Printed("converted left_out lost written"),
        Printed("read taken refused duplicates richer lost written", when="To DST.duckdb"),
    ),
)
def convert(
    paths: Annotated[
        list[Path],
        argument("SRC... DST", "Input files, then the output; - for standard input and output."),
    ],
    from_: Annotated[
        str | None,
        option(
            "--from",
            "F",
            "Format of SRC, as a name or suffix.",
            Topic.MOST_USED,
            default="by the suffix of SRC",
        ),
    ] = None,
    to: Annotated[
        str | None,
        option(
            "--to",
            "F",
            "Format of DST, as a name or suffix.",
            Topic.MOST_USED,
            default="by the suffix of DST",
        ),
    ] = None,
    positions: Annotated[
        bool, flag("--positions", "Write a table with one row per ply.", Topic.MOST_USED)
    ] = False,
    planes: Annotated[
        bool,
        flag(
            "--planes",
            "Write positions as arrays of numbers, for machine learning.",
            Topic.MOST_USED,
        ),
    ] = False,
    append: Annotated[
        bool, flag("--append", "Add new games to an existing database.", Topic.MOST_USED)
    ] = False,
    bom: Bom = False,
    force: Force = False,
    jobs: Jobs = 1,
    strict: Annotated[
        bool, flag("--strict", "Write nothing if anything would be lost.", Topic.RECORDS)
    ] = False,
    unchecked: Unchecked = False,
    as_json: DoneAsJson = False,
    quiet: Quiet = False,
    game: GameFiles = None,
) -> None:
    """Convert records between formats."""
    add_games(game, is_strict=strict)
    if len(paths) < 2:
        raise typer.BadParameter(f"DST: missing after {paths[0]}")
    *sources, destination = paths
    refuse_json_beside(destination, as_json=as_json)
    from_, to = (name and formats.named(name) for name in (from_, to))
    is_database = _makes_database(destination, to)
    sources = [file_of(one, "a folder, but not a tournament") for one in files_in(sources)]
    given = {"--positions": positions, "--planes": planes, "--strict": strict}
    if bom and (is_database or _format_of(destination, to, "--to") != "csv"):
        raise typer.BadParameter("--bom: needs a DST with the suffix .csv, or --to csv")
    _refuse_flags({**given, "--unchecked": unchecked}, append=append, is_database=is_database)
    if is_database:
        read = _sources(sources, from_, destination)
        Target(path=destination, kind=FORMATS[_TO_DATABASE], force=force or append).refuse()
        counts = _into_database(read, destination, append=append, jobs=jobs, quiet=quiet)
        raise typer.Exit(_status_of(counts, destination, as_json=as_json, quiet=quiet))
    try:
        read = [(source, _format_of(source, from_, "--from")) for source in sources]
        to_name = _format_of(destination, to, "--to")
        write = _writer(to_name, positions=positions, planes=planes)
        for _, from_name in read:
            formats.reader(from_name)  # reports an unknown format before other errors
        if is_source := is_one_of(destination, sources):
            _refuse_to_replace(destination, to_name, is_table=positions or planes)
        # the output has all records of an input that it replaces
        output = Target(path=destination, kind=None if is_source else FORMATS[to_name], force=force)
        output.refuse()
        conversion = _Conversion(read, to_name, rules=not unchecked, jobs=jobs)
        pieces: Iterable[bytes] = chain([BOM.encode()] * bom, write(conversion))
        if not is_special(destination):
            pieces = conversion.unless_none(pieces)
        if strict:
            pieces = conversion.strictly(pieces, destination)
            pieces = whole(pieces) if is_special(destination) else pieces
        pieces = unless_lossy(destination, pieces, sources, str if force else conversion.lost_words)
        is_written = _write(output, pieces, conversion)
    except FormatError as error:  # also raised for a missing library
        raise ConfigError(f"format: {error}") from error
    hint = "" if to else _hint_on(destination, to_name)
    conversion.print_losses()
    if not is_written:
        words = f"{printable(str(destination))}: not written, because no record can be converted"
        print_warning(words, hint=hint)
    done = conversion.counts() | {"written": [str(destination)] if is_written else []}
    words = f"converted {count_of(done['converted'], 'record')}, left out {done['left_out']}"
    print_done(done, words, as_json=as_json, quiet=quiet)
    raise typer.Exit(1 if done["left_out"] else 0)


class _NothingError(ArenaError):
    """No record could be converted."""


def _write(output: Target, pieces: Iterable[bytes], conversion: _Conversion) -> bool:
    """Write a file; return False if there was nothing to write. Raises ConfigError."""
    try:
        with unless_cut(lambda: bool(conversion.bad)):
            output.write(pieces)
    except LossError:
        conversion.print_losses()
        raise
    except _NothingError:
        return False
    return True


def _hint_on(path: Path, name: str) -> str:
    """Return a name for the output if its suffix names a format that a user may not expect."""
    if name != "abstractplay":
        return ""
    other = path.with_name(path.name.replace(".json", ".jsonl"))
    return f"for JSON Lines, use {other} or --to jsonlines"


def _writer(
    name: str, *, positions: bool, planes: bool
) -> Callable[[_Conversion], Iterable[bytes]]:
    """Return the function that writes the records of a conversion; raises FormatError."""
    if positions or planes:
        write_plies = (formats.ply_writer if positions else formats.plane_writer)(name)
        return lambda conversion: write_plies(conversion.numbered(), conversion.lost)
    write = formats.writer(name)
    return lambda conversion: write(
        (record for _, record in conversion.numbered()), conversion.lost
    )


_TO_DATABASE: Final = "duckdb"


def _makes_database(destination: Path, to: str | None) -> bool:
    """Return whether the output is a database; raises ConfigError if --to contradicts it."""
    if to is None:
        bare = Path(destination.stem) if files.compression_of(destination) else destination
        return files.is_database(bare)
    if to != _TO_DATABASE and files.is_database(destination):
        raise ConfigError(f"{destination}: this suffix is for databases only, but --to is {to}")
    return to == _TO_DATABASE


def _require_name_of_database(path: Path) -> None:
    """Raise ConfigError if the name would not let commands read the file as a database."""
    if not files.is_database(path):
        what = (
            "a database cannot be compressed"
            if files.compression_of(path)
            else "not the name of a database"
        )
        raise ConfigError(f"{path}: {what}", hint=f"use a name with the suffix {files.DATABASE}")


def _refuse_flags(given: Mapping[str, bool], *, append: bool, is_database: bool) -> None:
    """Raise BadParameter or ConfigError for flags that do not fit each other or DST."""
    if given["--positions"] and given["--planes"]:
        raise typer.BadParameter("--positions: cannot be combined with --planes")
    if append and not is_database:
        raise ConfigError(f"--append: needs a database, a DST with the suffix {files.DATABASE}")
    for name, is_given in given.items():
        if is_database and is_given:
            raise ConfigError(
                f"{name}: cannot be used for a database, which holds whole valid records"
            )


def _seen(parts: Iterable[SourcePart], path: Path) -> Iterator[SourcePart]:
    """Yield the parts of a file; the records that other rules have played are counted."""
    counts = TAKEN.by_rules(path)
    for part in parts:
        for chunk in part.chunks:
            counts.see_chunk(chunk)
        for text in part.texts:
            if isinstance(text, RecordText):
                counts.see_text(text.text)
        yield part


def _into_database(
    read: Sequence[_Read], out: Path, *, append: bool, jobs: int, quiet: bool
) -> BuildCounts | None:
    """Write a database of the files' records and return the counts; None if interrupted.

    Raises ConfigError.
    """
    try:
        from lath.notation.database.building import Building, building  # start-up time
        from lath.notation.database.reading import DatabaseError
        from lath.notation.database.sources import Mark, bundles, pieces
    except ImportError as error:
        raise ConfigError(files.needed_words(error)) from error

    def found(begin: Mark) -> Iterator[SourcePart]:
        for place, (path, name) in enumerate(read[begin.source :], begin.source):
            from_there = begin if place == begin.source else Mark(place)
            yield from _seen(read_from(path, pieces(path, name, from_there, TAKEN.note)), path)

    def fill(made: Building) -> None:
        begin = Mark(*json.loads(made.mark or "[]"))
        if made.mark and not quiet:
            print_note(f"resuming after {count_of(made.counts.read, 'record')}")
        with Telling(quiet=quiet) as tell, closing(bundles(found(begin), begin, jobs)) as some:
            for bundle, mark in some:
                made.add(bundle, json.dumps(mark))
                tell(made.counts.read)

    command = _command(read)
    counts: BuildCounts | None = None
    try:
        with (
            signals.heeded(raises=True),
            writable(out),
            building(out, append=append, command=command) as made,
        ):
            fill(made)
        counts = made.counts
    except DatabaseError as error:
        raise ConfigError(str(error)) from error
    except KeyboardInterrupt:
        print_note(INTERRUPTION if command else "interrupted")
    return counts


def _status_of(counts: BuildCounts | None, out: Path, *, as_json: bool, quiet: bool) -> int:
    """Print the counts of a database; return the exit status."""
    if counts is None:
        gc.collect()  # releases what worker processes share before the exit
        return INTERRUPTED
    words = f"{counts.taken} of {count_of(counts.read, 'record')} taken into {out}"
    words += f", {counts.richer} in the place of an equal game" * bool(counts.richer)
    words += f"; {counts.duplicates} left out, equal to a game that is there" * bool(
        counts.duplicates
    )
    if counts.lost:
        words += f"; annotations of {counts.lost} are lost, of which its table refused tells"
    refused = f"; {bad_words(counts.refused)} left out, of which its table refused tells"
    words += refused * bool(counts.refused)
    print_done({**asdict(counts), "written": [str(out)]}, words, as_json=as_json, quiet=quiet)
    return 1 if counts.refused else 0


_Read = tuple[Path, str]
"""A file and the name of its format."""


def _sources(sources: Sequence[Path], from_: str | None, out: Path) -> list[_Read]:
    """Return the files for a database with their formats; raises ConfigError."""
    read = [(file, _format_of(file, from_, "--from")) for file in sources]
    for path, name in read:
        try:
            formats.reader(name)  # reports an unknown format before other errors
        except FormatError as error:
            raise ConfigError(f"format: {error}") from error
        if is_one_of(out, [path]):
            raise ConfigError(f"{path}: this is a SRC, so it cannot be DST")
    if is_special(out) or out.is_dir():
        raise ConfigError(f"{out}: not a regular file, so it cannot be a database")
    _require_name_of_database(out)
    return read


def _command(read: Sequence[tuple[Path, str]]) -> str:
    """Return a text that identifies the files and their state; empty for a stream or device.

    The same text in a database means that it can be resumed.
    """
    states = []
    for path, name in read:
        if is_special(path) or not path.exists():
            return ""
        about = path.stat()
        states.append([str(path.resolve()), name, about.st_size, about.st_mtime_ns])
    return json.dumps(states)


def _format_of(path: Path, name: str | None, by: str) -> str:
    """Return the format named by the option `by`, or that of the suffix; raises ConfigError."""
    if str(path) == "-" and name == _TO_DATABASE:
        raise ConfigError(f"{by}: a database must be a file, not a standard stream")
    if name == _TO_DATABASE:
        _require_name_of_database(path)
    if name is not None:
        return name
    if str(path) == "-":
        known = formats.READABLE if by == "--from" else formats.WRITABLE
        known = tuple(each for each in known if each != _TO_DATABASE)
        stream = "input" if by == "--from" else "output"
        raise ConfigError(
            f"standard {stream}: has no suffix that names its format",
            hint=f"{by} {'|'.join(known)}",
        )
    try:
        found = _recognised(path) if by == "--from" else formats.name_for(path)
    except FormatError as error:
        known = formats.READABLE if by == "--from" else formats.WRITABLE
        raise ConfigError(str(error), hint=f"{by} {'|'.join(known)}") from error
    if found == _TO_DATABASE:
        _require_name_of_database(path)
    return found


def _recognised(path: Path) -> str:
    """Return the format of an input file; raises FormatError if it is unknown."""
    with reading(path):
        found = formats.recognised(path) if path.is_file() else formats.name_for(path)
        is_sure = found != "lath" or (path.is_file() and formats.begins_as_ours(path))
    return found if is_sure else formats.name_for(path)


def _refuse_to_replace(source: Path, to_name: str, *, is_table: bool) -> None:
    """Raise ConfigError if the output would replace the source but not hold whole records."""
    if is_table:
        raise ConfigError(
            f"{source}: this is the source; a table of plies holds less than its records"
        )
    if to_name not in formats.READABLE:
        raise ConfigError(f"{source}: this is the source; {to_name} can be written but not read")


@dataclass(slots=True)
class _Loss:
    """The number of records in which one field was lost, and the first and last of them."""

    records: int
    first: int
    last: int


_MOST_FIELDS = 1000
"""The maximum of fields reported by name; a file can have any number of unusual tags."""


class _Conversion:
    """The valid records of the sources while they are converted, and the losses."""

    def __init__(self, read: Sequence[_Read], to_name: str, *, rules: bool, jobs: int) -> None:
        self._read = read
        self._rules = rules
        self._jobs = jobs
        self._to_name = to_name
        self.sound = 0
        self.bad: list[int] = []
        """The numbers of the invalid records."""
        self.unheld = 0
        """Valid records that the target cannot represent at all."""
        self.unread = 0
        """Valid records whose moves are in the source but are not read."""
        self.losses: dict[str, _Loss] = {}
        """The losses by field, in order of appearance."""

    def numbered(self) -> Iterator[formats.Numbered]:
        """Yield the valid records with their numbers in the source; print the others' problems.

        Raises ConfigError.
        """
        before = number = 0
        for source, from_name in self._read:
            before = number
            notes = [one for name in {from_name, self._to_name} if (one := formats.note_of(name))]
            found = entries_of_any_format(source, from_name, rules=self._rules, jobs=self._jobs)
            for entry in read_from(source, found):
                number = before + entry.number
                if entry.record is None or entry.problems:
                    self.bad.append(number)
                    for problem in TAKEN.news(entry.problems):
                        print(problem, file=sys.stderr)
                    continue
                self.sound += 1
                is_of_results = not formats.TABLE[from_name].holds_moves
                self.unread += is_of_results and entry.record.tag(MOVES) == NOT_READ
                for note in notes:
                    if words := note(entry.record, self._to_name):
                        where = f"{printable(str(source))}:{entry.line}"
                        print(f"{where}: note: {words} (record {entry.number})", file=sys.stderr)
                yield number, entry.record

    def lost(self, number: int, field: str) -> None:
        """Note that the target cannot hold a field; `number` counts valid records only."""
        if field == formats.WHOLE:
            self.unheld += 1
            return
        if field not in self.losses and len(self.losses) >= _MOST_FIELDS:
            field = "further fields"
        if (loss := self.losses.get(field)) is None:
            self.losses[field] = _Loss(1, number, number)
        elif loss.last != number:
            loss.records += 1
            loss.last = number

    def lost_words(self) -> str:
        """Return a list of the losses as text; empty without losses."""
        fields = [*(["moves"] if self.unread else []), *self.losses]
        shown = [*fields[:5], *([f"{len(fields) - 5} more"] if len(fields) > 5 else [])]
        return ", ".join([*([bad_words(len(self.bad))] if self.bad else []), *shown])

    def unless_none(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the pieces; raises _NothingError at the end if every record was left out."""
        yield from pieces
        if self.sound == self.unheld and (self.bad or self.unheld):
            raise _NothingError("no record can be converted")

    def strictly(self, pieces: Iterable[bytes], out: Path) -> Iterator[bytes]:
        """Yield the pieces; raises LossError at the end if something is lost."""
        yield from pieces
        if words := self.lost_words():
            stays = "unchanged" if out.exists() else "not written"
            name = "standard output" if str(out) == "-" else out
            raise LossError(f"{name}: {stays} because of --strict: {words} would be lost")

    def counts(self) -> dict[str, Any]:
        """Return the numbers of records for `--json`, and the lost fields with theirs."""
        return {
            "converted": self.sound - self.unheld,
            "left_out": len(self.bad) + self.unheld,
            "lost": {field: loss.records for field, loss in self.losses.items()},
        }

    def print_losses(self) -> None:
        """Print a warning for each lost field."""
        if self.unread:
            many = count_of(self.unread, "record")
            print_warning(f"only the PGN headers are read, not the moves ({many})")
        for field, loss in self.losses.items():
            number = loss.first
            for bad in self.bad:  # ascending; `number` becomes the number in the file
                number += bad <= number
            where = f"record {number}"
            if loss.records > 1:
                where = f"{loss.records} records, the first is {where}"
            print_warning(f"{self._to_name} cannot hold {field} ({where})")
