"""`arena select` and `arena stats`: the records of files that match a query, and what they hold."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lath.arena.cli.outlet import write_records
from lath.arena.cli.sieve import Sieve
from lath.arena.errors import ConfigError
from lath.games.core import GameError

if TYPE_CHECKING:
    from lath.notation.record import Record
    from lath.reports.archive import Survey

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Record files; - is stdin.")]
Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="EXPR",
        help="A query, such as 'plies > 20 and winner = greedy'; docs/queries.md has the language.",
    ),
]
Distinct = Annotated[
    bool, typer.Option("--distinct", help="Of games with the same start and moves, the first.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but problems.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(select)
    app.command()(stats)


def select(
    files: Files,
    where: Where = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="OUT", help="What is written; - is stdout.")
    ] = Path("-"),
    distinct: Distinct = False,
    invert: Annotated[bool, typer.Option("--invert", help="The games that do not match.")] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, metavar="N", help="Stop after N records.")
    ] = None,
    only_count: Annotated[
        bool, typer.Option("--count", help="Print how many records there are, not the records.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Write the records that match a query.

    They are written as they stand in their files. OUT may be one of FILE. Exit status 0 also if
    nothing matches, 1 if a bad record was left out, 2 if EXPR is no query.

    Example: arena select games.lath --where 'winner = greedy' -o wins.lath
    """
    if only_count and str(out) != "-":
        raise ConfigError("--count prints a number, there is nothing to write to --out")
    sieve = Sieve(files, where, distinct=distinct, invert=invert)
    texts = (entry.text for entry, _ in islice(sieve, limit))
    if only_count:
        selected = sum(1 for _ in texts)
        print(selected)
    else:
        selected = write_records(out, texts, sources=files, bad=lambda: sieve.bad)
    if not quiet:
        told = f"{selected} of {sieve.records} records selected{sieve.told_left_out()}"
        print(told, file=sys.stderr)
    raise typer.Exit(1 if sieve.bad else 0)


def stats(
    files: Files,
    where: Where = None,
    distinct: Distinct = False,
    endings: Annotated[
        bool,
        typer.Option("--endings", help="Play the games for the rules' own words of the endings."),
    ] = False,
    opening_plies: Annotated[
        int,
        typer.Option("--opening-plies", min=1, max=8, metavar="K", help="How long openings are."),
    ] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a program.")] = False,
    quiet: Quiet = False,
) -> None:
    """Count games, lengths, results by seat, endings and opening moves.

    Exit status 1 if a bad record was left out, 2 if EXPR is no query.

    Example: arena stats games.lath --where 'plies > 20 and player = mcts'
    """
    from lath.reports.archive import Survey, to_json

    sieve = Sieve(files, where, distinct=distinct)
    survey = Survey(opening_plies)
    _count(sieve, survey, _ending if endings else _termination)
    summary = survey.summary()
    if as_json:
        left_out = {"duplicates": sieve.duplicates, "bad": sieve.bad}
        told = {"records": sieve.records, "left_out": left_out, **to_json(summary)}
        print(json.dumps(told, indent=2))
    else:
        from lath.arena.terminal.archive_tables import print_summary

        print_summary(summary)
    if not quiet and (where or sieve.told_left_out()):
        games = summary.numbers.games if summary.numbers else 0
        print(f"{games} of {sieve.records} records counted{sieve.told_left_out()}", file=sys.stderr)
    raise typer.Exit(1 if sieve.bad else 0)


def _count(sieve: Sieve, survey: Survey, ending_of: Callable[[Record], str | None]) -> None:
    for entry, record in sieve:
        try:
            ending = ending_of(record)
        except GameError as error:
            sieve.refuse(entry, error)
        else:
            survey.add(record, ending)


def _ending(record: Record) -> str:
    from lath.reports.archive import ending_of

    return ending_of(record)


def _termination(_: Record) -> None:
    return None
