"""`arena diff`: the differences between two archives."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from lath.arena.cli.files import Unchecked, unless_cut
from lath.arena.cli.help import LINES, Printed, Topic
from lath.arena.cli.main import App, GameFiles, Quiet, add_games, argument, flag, option
from lath.arena.cli.selection import Selection, keys_of
from lath.arena.errors import FAULT, USAGE, ConfigError
from lath.notation.archive.comparison import Comparison, ComparisonFinding, RecordDifference

app = App()


@app.command(
    example="arena diff before.lath after.lath",
    statuses={
        0: "The archives are equal",
        FAULT: "The archives differ, or a record is invalid",
        USAGE: "An archive cannot be read",
    },
    prints=(
        Printed("kind a b", LINES),
        Printed("kind a b ply moves tags remarks", LINES, "For games that differ"),
        Printed(
            "kind equal differ only_in_a only_in_b bad_in_a bad_in_b", LINES, "In the last line"
        ),
    ),
)
def diff(
    a: Annotated[Path, argument("A", "Record file or database, or - for standard input.")],
    b: Annotated[Path, argument("B", "Record file or database to compare with A.")],
    key: Annotated[
        str | None,
        option(
            "--key",
            "TAG[,TAG...]",
            "Tags that identify a game.",
            Topic.RECORDS,
            default="all identifying tags",
        ),
    ] = None,
    moves_only: Annotated[
        bool, flag("--moves-only", "Compare only game type, start and moves.", Topic.RECORDS)
    ] = False,
    unchecked: Unchecked = False,
    as_json: Annotated[
        bool, flag("--json", "Print a JSON object per line, the counts last.", Topic.OUTPUT)
    ] = False,
    quiet: Quiet = False,
    game: GameFiles = None,
) -> None:
    """Compare the records of two archives.

    The arena lists records that only one archive has, and games that differ. The order and the
    layout of the records do not matter. The arena first pairs equal records, then records with the
    same key. Without --key it also pairs records with the same moves.
    """
    add_games(game)
    if str(a) == str(b) == "-":
        raise ConfigError("-: only one of the two archives can be standard input")
    comparison = Comparison(key=keys_of("--key", key), moves_only=moves_only)
    archives = Selection([a], rules=not unchecked), Selection([b], rules=not unchecked)
    counts = dict.fromkeys(("equal", "differ", "only_in_a", "only_in_b"), 0)
    for finding in comparison.findings(*archives):
        side = None if finding.difference else "A" if finding.a else "B"
        counts[f"only_in_{side.lower()}" if side else "differ"] += 1
        kind = f"only in {side}" if side else "differs"
        with unless_cut(lambda: 1):  # output was cut off, so something differs
            for line in [_as_json(kind, finding)] if as_json else _words(kind, finding):
                print(line)
    bad = {"bad_in_a": archives[0].bad, "bad_in_b": archives[1].bad}
    counts |= {"equal": comparison.equal, **bad}
    if as_json:
        print(json.dumps({"kind": "counts", **counts}))
    elif not quiet:
        words = "{equal} equal, {differ} differ, {only_in_a} only in A, {only_in_b} only in B"
        if any(bad.values()):
            words += "; not compared: {bad_in_a} invalid in A, {bad_in_b} invalid in B"
        print(words.format(**counts), file=sys.stderr)
    raise typer.Exit(0 if sum(counts.values()) == comparison.equal else 1)


def _words(kind: str, finding: ComparisonFinding) -> Iterator[str]:
    """Yield lines for people, one per difference."""
    if finding.a and finding.b and finding.difference:
        for words in _difference_words(finding.difference):
            yield f"record {finding.a.number} / record {finding.b.number}: {words}"
    elif only := finding.a or finding.b:
        record, game_round = only.record, only.record.tag("Round")
        words = (
            f"{kind}: record {only.number} (line {only.line}): "
            f"{record.first} - {record.second}, {record.game}"
        )
        yield f"{words}, round {game_round}" if game_round else words


def _difference_words(difference: RecordDifference) -> Iterator[str]:
    if (ply := difference.ply) is not None:
        a, b = difference.moves
        if a is None:
            yield f"A ends after ply {ply - 1}, B continues with {b}"
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


def _as_json(kind: str, finding: ComparisonFinding) -> str:
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
