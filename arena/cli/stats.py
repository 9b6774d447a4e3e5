"""`arena stats`: what the records of archives come to."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from lath.arena.cli.files import Distinct, Files, Quiet, Selection, Where
from lath.arena.cli.main import App
from lath.arena.terminal.tables import print_survey
from lath.games.errors import GameError
from lath.reports.statistics import Survey, ending_of

app = App()

Endings = Annotated[
    bool, typer.Option("--endings", help="Play the games for the rules' own words of the endings.")
]
OpeningPlies = Annotated[
    int,
    typer.Option("--opening-plies", min=1, max=8, metavar="K", help="How long openings are."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program.")]


@app.command()
def stats(
    files: Files,
    where: Where = None,
    distinct: Distinct = False,
    endings: Endings = False,
    opening_plies: OpeningPlies = 2,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Count games, lengths, results by seat, endings and opening moves.

    Exit status 1 if a bad record was left out, 2 if EXPR is no query.

    Example: arena stats games.lath --where 'plies > 20 and player = mcts'
    """
    selection = Selection(files, where, distinct=distinct)
    survey = Survey(opening_plies)
    for entry, record in selection:
        try:
            survey.add(record, ending_of(record) if endings else record.termination)
        except GameError as error:
            selection.refuse(entry, error)
    if as_json:
        left_out = {"duplicates": selection.duplicates, "bad": selection.bad}
        counts = {"records": selection.records, "left_out": left_out, **survey.to_json()}
        print(json.dumps(counts, indent=2))
    else:
        print_survey(survey)
    left_out_words = selection.left_out_words()
    if not quiet and (where or left_out_words):
        games = survey.together().games
        print(f"{games} of {selection.records} records counted{left_out_words}", file=sys.stderr)
    raise typer.Exit(1 if selection.bad else 0)
