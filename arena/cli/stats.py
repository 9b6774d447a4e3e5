"""`arena stats`: what the records of archives come to."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from lath.arena.cli.files import Files, Quiet
from lath.arena.cli.main import App, AsJson, flag, option
from lath.arena.cli.selection import Distinct, Selection, Where
from lath.games.errors import GameError
from lath.reports.figures import Survey, ending_of

app = App()

_ENDINGS = "Play the games for the rules' own words of the endings."

Endings = Annotated[bool, flag("--endings", _ENDINGS)]
OpeningPlies = Annotated[
    int, option("--opening-plies", "K", "How long openings are.", min=1, max=8)
]


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
        from lath.arena.terminal.tables import print_survey  # 100 ms that JSON does not wait for

        print_survey(survey)
    left_out_words = selection.left_out_words()
    if not quiet and (where or left_out_words):
        games = survey.together().games
        print(f"{games} of {selection.records} records counted{left_out_words}", file=sys.stderr)
    raise typer.Exit(1 if selection.bad else 0)
