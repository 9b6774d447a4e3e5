"""`arena stats`: what the records of archives come to."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from lath.arena.cli.files import Files, Quiet, Unchecked, unless_cut
from lath.arena.cli.main import App, AsJson, GameFiles, add_games, flag, option, whole
from lath.arena.cli.selection import Distinct, Selection, Where
from lath.games.errors import GameError
from lath.reports.figures import Survey, ending_of
from lath.reports.openings import Openings

app = App()

_ENDINGS = "Play the games for the rules' own words of the endings."

Endings = Annotated[bool, flag("--endings", _ENDINGS)]
OpeningPlies = Annotated[
    int, option("--opening-plies", "K", "How long openings are.", **whole(0, 40))
]
_OPENINGS = "Tell of openings alone: how often each came, and what came of it."

OpeningsAlone = Annotated[bool, flag("--openings", _OPENINGS)]
AsCsv = Annotated[bool, flag("--csv", "With --openings: print a line each for a sheet.")]


@app.command()
def stats(
    files: Files,
    where: Where = None,
    distinct: Distinct = False,
    endings: Endings = False,
    openings: OpeningsAlone = False,
    opening_plies: OpeningPlies = 2,
    unchecked: Unchecked = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    quiet: Quiet = False,
    game: GameFiles = None,
) -> None:
    """Count games, lengths, results by seat, endings and opening moves.

    Exit status 1 if a bad record was left out, 2 if EXPR is no query.

    Example: arena stats games.lath --where 'plies > 20 and player = mcts'
    """
    add_games(game)
    if as_csv and (as_json or not openings):
        raise typer.BadParameter("--csv is for --openings, without --json")
    selection = Selection(files, where, distinct=distinct, rules=not unchecked)
    with unless_cut(lambda: bool(selection.bad)):
        if openings:
            counted = _of_openings(selection, opening_plies, as_json=as_json, as_csv=as_csv)
        else:
            counted = _of_all(selection, opening_plies, endings=endings, as_json=as_json)
    left_out_words = selection.left_out_words()
    if not quiet and (where or left_out_words):
        print(f"{counted} of {selection.records} records counted{left_out_words}", file=sys.stderr)
    raise typer.Exit(1 if selection.bad else 0)


def _of_openings(selection: Selection, plies: int, *, as_json: bool, as_csv: bool) -> int:
    """Print what came of each opening; return how many games have counted."""
    openings = Openings(plies)
    for _, record in selection:
        openings.add(record)
    if as_csv:
        print(openings.to_csv(), end="")
    elif as_json:
        _print_json(selection, openings.to_json())
    else:
        from lath.arena.terminal.tables import print_openings

        print_openings(openings)
    return openings.games


def _of_all(selection: Selection, plies: int, *, endings: bool, as_json: bool) -> int:
    """Print what all records come to; return how many have counted."""
    survey = Survey(plies)
    for entry, record in selection:
        try:
            survey.add(record, ending_of(record) if endings else record.termination)
        except GameError as error:
            selection.refuse(entry, error)
    if as_json:
        _print_json(selection, survey.to_json())
    else:
        from lath.arena.terminal.tables import print_survey  # 100 ms that JSON does not wait for

        print_survey(survey)
    return survey.together().games


def _print_json(selection: Selection, counts: dict[str, Any]) -> None:
    left_out = {"duplicates": selection.duplicates, "bad": selection.bad}
    print(json.dumps({"records": selection.records, "left_out": left_out, **counts}, indent=2))
