"""`arena diff`: what two archives have in common, told to people and to programs."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lath.arena.cli.intake import Intake, entries
from lath.arena.errors import ArenaError, ConfigError
from lath.notation.errors import printable

if TYPE_CHECKING:
    from lath.notation.archive.comparison import Comparison, Finding, Stands
    from lath.notation.archive.content import Difference
    from lath.notation.archive.keys import Key
    from lath.notation.reader import Entry
    from lath.notation.record import Record


@dataclass(slots=True)
class _Counts:
    """How many of what there are; `bad` records were not compared."""

    equal: int = 0
    differ: int = 0
    only_in_a: int = 0
    only_in_b: int = 0
    bad_in_a: int = 0
    bad_in_b: int = 0

    def add(self, finding: Finding) -> None:
        self.differ += bool(finding.a and finding.b)
        self.only_in_a += finding.b is None
        self.only_in_b += finding.a is None

    @property
    def is_equal(self) -> bool:
        return self == _Counts(equal=self.equal)

    def words(self) -> str:
        told = f"{self.equal} equal, {self.differ} differ, "
        told += f"{self.only_in_a} only in A, {self.only_in_b} only in B"
        if self.bad_in_a or self.bad_in_b:
            told += f"; not compared: {self.bad_in_a} bad in A, {self.bad_in_b} bad in B"
        return told


def diff(
    a: Annotated[Path, typer.Argument(metavar="A", help="A record file; - is stdin.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="The other; one of them may be -.")],
    key: Annotated[
        str,
        typer.Option(
            "--key",
            metavar="TAG[,TAG...]",
            help="What says which records belong together; else all tags that identify a game.",
        ),
    ] = "",
    moves_only: Annotated[
        bool, typer.Option("--moves-only", help="Compare game, start and moves alone.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object a line, the counts last.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Leave the counts out.")] = False,
) -> None:
    """Compare two archives, whatever their order.

    Told are records that are in one of them alone, and games that differ. Layout and order make no
    difference. Records that are equal belong together; of the others those with the same key;
    without --key also those with the same moves.

    Exit status 0 if they are equal, 1 if not or if a record is bad, 2 if one cannot be read.

    Example: arena diff before.lath after.lath.gz
    """
    from lath.notation.archive.comparison import Comparison

    comparison = Comparison(key=_keys(key), moves_only=moves_only)
    sides = _Side(a), _Side(b)
    counts = _Counts()
    for finding in _findings(comparison, *sides):
        counts.add(finding)
        for line in _as_json(finding) if as_json else _words(finding):
            print(line)
    counts.equal = comparison.equal
    counts.bad_in_a, counts.bad_in_b = (side.bad for side in sides)
    if as_json:
        print(json.dumps({"kind": "counts", **asdict(counts)}))
    elif not quiet:
        print(counts.words(), file=sys.stderr)
    raise typer.Exit(0 if counts.is_equal else 1)


def _keys(names: str) -> tuple[Key, ...]:
    from lath.notation.archive.keys import KeyNameError, keys

    try:
        return keys(names) if names else ()
    except KeyNameError as error:
        raise ConfigError(f"--key {names}: {error}") from error


class _Side:
    """One of the two archives: its problems are told when it is read for the first time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._intake = Intake([path])
        self._was_read = False

    @property
    def bad(self) -> int:
        return self._intake.bad

    def __call__(self) -> Iterator[tuple[Entry, Record]]:
        if self._was_read:
            return self._again()
        self._was_read = True
        return iter(self._intake)

    def _again(self) -> Iterator[tuple[Entry, Record]]:
        for entry in entries(self.path):
            if entry.record is not None and not entry.problems:
                yield entry, entry.record


def _findings(comparison: Comparison, a: _Side, b: _Side) -> Iterator[Finding]:
    from lath.notation.archive.pairing import A, B

    if not (a.path.is_file() or b.path.is_file()):
        missing = [path for path in (a.path, b.path) if str(path) != "-" and not path.exists()]
        if not missing:
            raise ConfigError("one of the two must be a file: it may have to be read twice")
    twice = A if a.path.is_file() or not b.path.is_file() else B
    try:
        yield from comparison.findings(a, b, twice=twice)
    except OSError as error:
        path = (a, b)[twice].path
        raise ConfigError(f"{path} cannot be read again: {error.strerror or error}") from error
    except sqlite3.Error as error:
        raise ArenaError(f"the temporary database cannot be written: {error}") from error


def _words(finding: Finding) -> Iterator[str]:
    """Yield the lines that people read, one thing a line."""
    if finding.a and finding.b and finding.difference:
        where = f"record {finding.a.number} / record {finding.b.number}"
        for words in _difference_words(finding.difference):
            yield printable(f"{where}: {words}")
    elif finding.a:
        yield printable(f"only in A: {_record_words(finding.a)}")
    elif finding.b:
        yield printable(f"only in B: {_record_words(finding.b)}")


def _record_words(stands: Stands) -> str:
    record = stands.record
    words = f"record {stands.number} (line {stands.line}): {record.first} - {record.second}, "
    words += record.game
    return f"{words}, round {record.tag('Round')}" if record.tag("Round") else words


def _difference_words(difference: Difference) -> Iterator[str]:
    if difference.ply is not None:
        yield _move_words(difference.ply, *difference.moves)
    for name, a, b in difference.tags:
        yield f"{name}: {'none' if a is None else a} / {'none' if b is None else b}"
    if difference.remarks == 0:
        yield "comments before the first move differ"
    elif difference.remarks is not None:
        yield f"comments or variations differ from ply {difference.remarks} on"


def _move_words(ply: int, a: str | None, b: str | None) -> str:
    if a is None:
        return f"A ends after ply {ply - 1}, B goes on with {b}"
    if b is None:
        return f"ply {ply} is {a} in A, B ends after ply {ply - 1}"
    return f"ply {ply} is {a} in A, {b} in B"


def _as_json(finding: Finding) -> Iterator[str]:
    told: dict[str, Any] = {"kind": "differs"}
    if finding.b is None:
        told["kind"] = "only in A"
    elif finding.a is None:
        told["kind"] = "only in B"
    told |= {"a": _stands_json(finding.a), "b": _stands_json(finding.b)}
    if finding.difference:
        told |= {
            "ply": finding.difference.ply,
            "moves": finding.difference.moves,
            "tags": {name: [one, other] for name, one, other in finding.difference.tags},
            "remarks": finding.difference.remarks,
        }
    yield json.dumps(told)


def _stands_json(stands: Stands | None) -> dict[str, str | int] | None:
    if stands is None:
        return None
    tags = {name: stands.record.tag(tag) for name, tag in _JSON_TAGS.items()}
    return {"record": stands.number, "line": stands.line, **tags}


_JSON_TAGS = {"game": "Game", "round": "Round", "first": "First", "second": "Second"}
