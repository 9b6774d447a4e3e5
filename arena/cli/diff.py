"""`arena diff`: two archives of any size, compared.

Must not know which records belong together.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from lath.arena.cli.main import App, argument, flag, option
from lath.arena.cli.selection import Selection, keys_of
from lath.arena.errors import ArenaError, ConfigError
from lath.notation.comparison import A, B, Comparison, Difference, Finding, Stands
from lath.notation.errors import printable

app = App()

_BELONG: Final = "Which tags say what records belong together; else all that identify a game."

ArchiveA = Annotated[Path, argument("A", "A record file; - is stdin.")]
ArchiveB = Annotated[Path, argument("B", "The other; one of them may be -.")]
TagKey = Annotated[str | None, option("--key", "TAG[,TAG...]", _BELONG)]
MovesOnly = Annotated[bool, flag("--moves-only", "Compare game, start and moves alone.")]
AsJson = Annotated[bool, flag("--json", "Print a JSON object a line, the counts last.")]
NoCounts = Annotated[bool, flag("--quiet -q", "Leave the counts out.")]


@app.command()
def diff(
    a: ArchiveA,
    b: ArchiveB,
    key: TagKey = None,
    moves_only: MovesOnly = False,
    as_json: AsJson = False,
    quiet: NoCounts = False,
) -> None:
    """Compare two archives, whatever their order.

    Told are records that are in one of them alone, and games that differ. Layout and order make no
    difference. Records that are equal belong together; of the others those with the same key;
    without --key also those with the same moves.

    Exit status 0 if they are equal, 1 if not or if a record is bad, 2 if one cannot be read.

    Example: arena diff before.lath after.lath.gz
    """
    comparison = Comparison(key=keys_of("--key", key), moves_only=moves_only)
    archives = Selection([a]), Selection([b])
    counts = dict.fromkeys(("equal", "differ", "only_in_a", "only_in_b"), 0)
    for finding in _findings(comparison, (a, b), archives):
        counts[_KINDS[_kind(finding)]] += 1
        for line in [_as_json(finding)] if as_json else _words(finding):
            print(line)
    bad = {"bad_in_a": archives[0].bad, "bad_in_b": archives[1].bad}
    counts |= {"equal": comparison.equal, **bad}
    if as_json:
        print(json.dumps({"kind": "counts", **counts}))
    elif not quiet:
        words = "{equal} equal, {differ} differ, {only_in_a} only in A, {only_in_b} only in B"
        if any(bad.values()):
            words += "; not compared: {bad_in_a} bad in A, {bad_in_b} bad in B"
        print(words.format(**counts), file=sys.stderr)
    raise typer.Exit(0 if sum(counts.values()) == comparison.equal else 1)


_KINDS: Final = {"differs": "differ", "only in A": "only_in_a", "only in B": "only_in_b"}
"""By the kind of a finding what it is counted as."""


def _kind(finding: Finding) -> str:
    return "only in A" if finding.b is None else "only in B" if finding.a is None else "differs"


def _findings(
    comparison: Comparison, paths: tuple[Path, Path], archives: tuple[Selection, Selection]
) -> Iterator[Finding]:
    a, b = paths
    if not (a.is_file() or b.is_file()) and all(str(p) == "-" or p.exists() for p in paths):
        raise ConfigError("one of the two must be a file: it may have to be read twice")
    twice = A if a.is_file() or not b.is_file() else B
    try:
        yield from comparison.findings(*(archive.__iter__ for archive in archives), twice=twice)
    except sqlite3.Error as error:
        raise ArenaError(f"the temporary database cannot be written: {error}") from error


def _words(finding: Finding) -> Iterator[str]:
    """Yield the lines that people read, one thing a line."""
    if finding.a and finding.b and finding.difference:
        where = f"record {finding.a.number} / record {finding.b.number}"
        for words in _difference_words(finding.difference):
            yield printable(f"{where}: {words}")
    elif only := finding.a or finding.b:
        yield printable(f"{_kind(finding)}: {_record_words(only)}")


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


def _as_json(finding: Finding) -> str:
    a, b = _stands(finding.a), _stands(finding.b)
    line: dict[str, Any] = {"kind": _kind(finding), "a": a, "b": b}
    if finding.difference:
        line |= {
            "ply": finding.difference.ply,
            "moves": finding.difference.moves,
            "tags": {name: [one, other] for name, one, other in finding.difference.tags},
            "remarks": finding.difference.remarks,
        }
    return json.dumps(line)


def _stands(stands: Stands | None) -> dict[str, str | int] | None:
    """Return which record that is, for a program."""
    if stands is None:
        return None
    tags = {name.lower(): stands.record.tag(name) for name in ("Game", "Round", "First", "Second")}
    return {"record": stands.number, "line": stands.line, **tags}
