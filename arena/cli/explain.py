"""`arena explain`: the situations in which a bot loses points."""

from __future__ import annotations

import difflib
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer

from lath.arena.cli.files import Sources, Unchecked, file_of, unless_cut
from lath.arena.cli.help import Printed, Topic
from lath.arena.cli.main import App, AsJson, GameFiles, Quiet, Strict, add_games, argument, flag
from lath.arena.cli.selection import Selection, Where
from lath.arena.errors import FAULT, USAGE, ConfigError
from lath.arena.terminal.streams import fitted
from lath.arena.tournament.outcome.taken import files_in
from lath.games.errors import GameError, count_of
from lath.notation.archive.given import GivenGames
from lath.notation.record.errors import shortened
from lath.notation.record.tags import RULING
from lath.reports.explaining.explanation import Explained, Explanation

app = App()


NAMES: Final = 8
"""The maximum of bots listed if BOT is unknown."""


@app.command(
    example="arena explain greedy tournament",
    statuses={FAULT: "An invalid record was left out", USAGE: "The sources have no game of BOT"},
    prints=(
        Printed(
            "records bad bot games points left_out scored tested family_error_rate findings "
            "unsure turned not_known_where timed lost_again lost_again_by_chance left_known "
            "calibration"
        ),
    ),
)
def explain(
    bot: Annotated[str, argument("BOT", "Name of the bot in the records.")],
    sources: Sources,
    where: Where = None,
    every: Annotated[
        bool, flag("--all", "List all rows, including those that may be chance.", Topic.OUTPUT)
    ] = False,
    unchecked: Unchecked = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    strict: Strict = False,
    game: GameFiles = None,
) -> None:
    """Find where a bot loses the most points.

    The arena lists each weakness with the games that show it. Pass all games of a tournament,
    because games between other bots show the value of each side and the known openings.
    """
    add_games(game, is_strict=strict)
    sources = sorted(
        files_in(sources), key=lambda one: not one.is_dir()
    )  # directories first: they have the rulings
    files = [file_of(source, "not a tournament with games") for source in sources]
    given = GivenGames(has_flag=False)  # duplicates do not change the explanation
    selection = Selection(files, where, rules=not unchecked, quiet=quiet, given=given)
    explanation = Explanation(bot)
    taken = _take(selection, explanation, dict(zip(sources, files, strict=True)))
    if not explanation.games:
        raise ConfigError(_nobody(bot, explanation.players, files))
    with unless_cut(lambda: bool(selection.bad)):
        _print(explanation.explained(), selection, files, game or (), every=every, as_json=as_json)
    if not quiet and (where or selection.left_out_words()):
        counted = f"{taken} of {count_of(selection.records, 'record')} counted"
        print(fitted(counted + selection.left_out_words(), sys.stderr), file=sys.stderr)
    raise typer.Exit(1 if selection.bad else 0)


def _take(selection: Selection, explanation: Explanation, files: Mapping[Path, Path]) -> int:
    """Take all records, those of tournaments with their rulings, and return their number.

    `files` has the record file of each source.
    """
    from lath.arena.tournament.outcome.notes import rulings_in  # start-up time
    from lath.arena.tournament.outcome.sources import ruling_on

    rulings = {file: rulings_in([one]) for one, file in files.items() if one.is_dir()}
    taken = 0
    for entry, record in selection:
        taken += 1
        tag = ruling_on(record, rulings.get(selection.path, ()))
        if tag and not record.ruling:
            record = replace(record, tags=(*record.tags, (RULING, tag)))  # noqa: PLW2901
        try:
            explanation.add(str(selection.path), entry.number, record)
        except GameError as error:
            selection.refuse(entry, error)
            taken -= 1
    return taken


def _nobody(bot: str, players: Counter[str], files: Sequence[Path]) -> str:
    """Return a sentence that no game of the bot counts, and why."""
    where = files[0] if len(files) == 1 else f"{len(files)} files"
    if bot in players:
        why = "they are undecided, have no moves or are ruled out"
        return f"{where}: no game of {shortened(bot)} counts; {why}"
    if not players:
        return f"{where}: no games found"
    near = difflib.get_close_matches(bot, players, n=1)
    often = sorted(players, key=lambda name: (-players[name], name))
    names = ", ".join(map(shortened, often[:NAMES]))
    more = f" and {len(players) - NAMES} more" if len(players) > NAMES else ""
    meant = f"; did you mean {near[0]!r}?" if near else f"; its players are {names}{more}"
    return f"{where}: {shortened(bot)} has no games{meant}"


def _print(
    explained: Explained,
    selection: Selection,
    files: list[Path],
    games: Sequence[str],
    *,
    every: bool,
    as_json: bool,
) -> None:
    if as_json:
        told = {"records": selection.records, "bad": selection.bad, **explained.to_json()}
        print(json.dumps(told, indent=2))
        return
    from lath.arena.terminal.explain import print_explained  # saves 100 ms with --json

    print_explained(explained, files, games=games, every=every)
