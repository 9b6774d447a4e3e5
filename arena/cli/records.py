"""`arena check`, `arena format` and `arena show`: record files."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from lath.arena.cli.intake import entries
from lath.arena.cli.outlet import write_pieces
from lath.arena.errors import ArenaError, ConfigError

if TYPE_CHECKING:
    from lath.games.core import Position
    from lath.notation.record import Record
    from lath.notation.validation import Findings

Read = TypeVar("Read")

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Record files; - is stdin.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but problems.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(check)
    app.command("format")(format_files)
    app.command()(show)


def _read_from(path: Path, items: Iterable[Read]) -> Iterator[Read]:
    """Yield what is read from a file; raises ConfigError in our words where that fails."""
    try:
        yield from items
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from error


def _refuse_other_formats(path: Path) -> None:
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

    _refuse_other_formats(path)
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
        _refuse_other_formats(path)
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
    from lath.notation.files import open_bytes

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
    from lath.games.core import GameError
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
