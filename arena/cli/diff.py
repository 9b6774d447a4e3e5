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
from lath.notation.comparison import Comparison, Difference, Finding
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
    if str(a) == str(b) == "-":
        raise ConfigError("one of the two must be a file: there is one standard input")
    comparison = Comparison(key=keys_of("--key", key), moves_only=moves_only)
    archives = Selection([a]), Selection([b])
    counts = dict.fromkeys(("equal", "differ", "only_in_a", "only_in_b"), 0)
    try:
        for finding in comparison.findings(*archives):
            side = None if finding.difference else "A" if finding.a else "B"
            counts[f"only_in_{side.lower()}" if side else "differ"] += 1
            kind = f"only in {side}" if side else "differs"
            for line in [_as_json(kind, finding)] if as_json else _words(kind, finding):
                print(printable(line))
    except sqlite3.Error as error:
        raise ArenaError(f"the temporary database cannot be written: {error}") from error
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


def _words(kind: str, finding: Finding) -> Iterator[str]:
    """Yield the lines that people read, one thing a line."""
    if finding.a and finding.b and finding.difference:
        for words in _difference_words(finding.difference):
            yield f"record {finding.a.number} / record {finding.b.number}: {words}"
    elif only := finding.a or finding.b:
        record, game_round = only.record, only.record.tag("Round")
        words = f"{kind}: record {only.number} (line {only.line}): "
        words += f"{record.first} - {record.second}, {record.game}"
        yield f"{words}, round {game_round}" if game_round else words


def _difference_words(difference: Difference) -> Iterator[str]:
    if (ply := difference.ply) is not None:
        a, b = difference.moves
        if a is None:
            yield f"A ends after ply {ply - 1}, B goes on with {b}"
        elif b is None:
            yield f"ply {ply} is {a} in A, B ends after ply {ply - 1}"
        else:
            yield f"ply {ply} is {a} in A, {b} in B"
    for name, one, other in difference.tags:
        yield f"{name}: {'none' if one is None else one} / {'none' if other is None else other}"
    if difference.remarks == 0:
        yield "comments before the first move differ"
    elif difference.remarks is not None:
        yield f"comments or variations differ from ply {difference.remarks} on"


def _as_json(kind: str, finding: Finding) -> str:
    line: dict[str, Any] = {"kind": kind, "a": None, "b": None}
    for side, stands in (("a", finding.a), ("b", finding.b)):
        if stands:
            tags = {
                name: stands.record.tag(name.title())
                for name in ("game", "round", "first", "second")
            }
            line[side] = {"record": stands.number, "line": stands.line, **tags}
    if finding.difference:
        line |= {
            "ply": finding.difference.ply,
            "moves": finding.difference.moves,
            "tags": {name: [one, other] for name, one, other in finding.difference.tags},
            "remarks": finding.difference.remarks,
        }
    return json.dumps(line)
