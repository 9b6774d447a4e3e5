"""`arena rate`: what came of tournaments, or of any records."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

Sources = Annotated[
    list[Path],
    typer.Argument(
        metavar="SOURCE...", help="Tournaments' directories or record files; - is stdin."
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(rate)


def rate(
    sources: Sources,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a program.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a line a bot for a sheet.")] = False,
    by_game: Annotated[
        bool, typer.Option("--by-game", help="Print the tables of each game, too.")
    ] = False,
) -> None:
    """Print result, ratings with intervals and crosstable.

    The result by the rules of the format comes first where SOURCE is one tournament's directory.
    A record file may be of any format that is read. JSON and CSV always have the tables of each
    game.

    Example: arena rate tournament --csv > standings.csv
    """
    from lath.arena.tournament.outcomes import outcome_in
    from lath.arena.tournament.sources import records_of
    from lath.reports import outcome
    from lath.reports.standings.export import to_csv, to_json
    from lath.reports.standings.standings import compute

    if as_json and as_csv:
        raise typer.BadParameter("--json and --csv exclude each other")
    table = compute(records_of(sources))
    result = None if as_csv else outcome_in(sources)
    if as_json:
        told = to_json(table)
        told |= {} if result is None else {"outcome": outcome.to_json(result)}
        print(json.dumps(told, indent=2, ensure_ascii=False))
    elif as_csv:
        sys.stdout.write(to_csv(table).replace("\r\n", "\n"))
    else:
        from lath.arena.terminal.results import print_outcome
        from lath.arena.terminal.tables import print_standings

        print_outcome(result, to_stdout=True)
        is_alone = result is None or not result.says_something
        print_standings(table, to_stdout=True, is_first=is_alone, by_game=by_game)
