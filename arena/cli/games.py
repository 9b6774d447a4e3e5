"""`arena games` and `arena schema`: installed game types, legal moves, counts and JSON Schemas."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from lath import games as registry
from lath.arena.cli.help import LINES, LIST, AboutCommand, Printed, Topic
from lath.arena.cli.main import (
    App,
    AsJson,
    GameId,
    ListGroup,
    OtherGames,
    Quiet,
    add_games,
    argument,
    flag,
    option,
    print_json,
    refuse_json_beside,
    whole,
)
from lath.arena.cli.outputs import SVG, Force, Target
from lath.arena.errors import FAULT, ConfigError
from lath.arena.machine import signals
from lath.arena.referee import process_trees
from lath.arena.terminal.notices import print_warning
from lath.arena.terminal.streams import data_output, fitted, tell_over
from lath.games import parameters, plugins
from lath.games.cards import card_of, variants
from lath.games.core import Position, version_of
from lath.games.core import perft as count_paths
from lath.games.errors import UnknownGameError, count_of

if TYPE_CHECKING:
    from lath.arena.gamecheck.lab import GameLab
    from lath.arena.gamecheck.points import GamePoint
    from lath.games.core import Game

app = App()


class GamesGroup(ListGroup):
    """A group whose default command shows a game type."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line."""
        is_game = args and not args[0].startswith("-") and not self._is_meant_by(args[0])
        return super().parse_args(ctx, ["show", *args] if is_game else args)

    def _is_meant_by(self, word: str) -> bool:
        """Return whether a word is a command, or close to one and not a game type."""
        if word in self.commands:
            return True
        return bool(get_close_matches(word, self.commands)) and word not in registry.ids()


group = App(
    name="games",
    cls=GamesGroup,
    help="List game types, their rules and legal moves.\n\n"
    "Without a command, `arena games` runs list, and `arena games GAME` runs show.",
    about=AboutCommand("arena games yavalath"),
)
app.add_typer(group)


@group.command(
    "list",
    example="arena games list",
    prints=(Printed("id title credit cells origin rules parameters", LIST),),
)
def list_games(as_json: AsJson = False, game: OtherGames = None) -> None:
    """List the installed game types.

    The list includes the parameters of each game type, such as the size of the board.
    """
    add_games(game)
    found = registry.installed()
    packed = [game_id for game_id in _ids_of_packs() if game_id not in registry.ids()]
    if as_json:
        print_json([*map(_described, found), *map(_described_unmade, packed)])
    else:
        _print_games(found)
        for game_id in packed:
            print(fitted(f"{game_id}  {_origin_of(game_id)}"))
    for words in plugins.faults():
        print_warning(words)


def _ids_of_packs() -> list[str]:
    """Return the ids of the games of packs, which are not made; of faulty packs none."""
    found: list[str] = []
    for prefix in plugins.packs():
        with suppress(UnknownGameError):  # `plugins.faults` reports it
            found += plugins.pack_ids(prefix)
    return found


def _print_games(found: Sequence[Game]) -> None:
    """Print a line per game type, and one per parameter."""
    rows = [_described(one) for one in found]
    names = ("id", "title", "origin")
    wide = {name: max(len(str(row[name])) for row in rows) + 2 for name in names}
    for row, one in zip(rows, found, strict=True):
        columns = f"{row['id']:{wide['id']}}{row['title']:{wide['title']}}{row['cells']:>3} cells"
        print(fitted(f"{columns}  {row['origin']:{wide['origin']}}{row['credit']}"))
        for line in _parameters_of(one):
            print(fitted(line))


def _parameters_of(game: Game) -> list[str]:
    """Return a line per parameter: its default, meaning and range."""
    all_ = parameters.of(game)
    values = [f"{each.name}={parameters.written(each.default)}" for each in all_]
    width = max([12, *map(len, values)])
    return [
        f"  {value:{width}}  {each.about}; {each.expected}"
        for value, each in zip(values, all_, strict=True)
    ]


def _described(game: Game) -> dict[str, Any]:
    """Return a game type as JSON data."""
    return {
        "id": game.id,
        "title": game.title,
        "credit": game.credit,
        "cells": len(game.board.names),
        "origin": _origin_of(game.id),
        "rules": version_of(game),
        "parameters": [
            {
                "name": each.name,
                "default": each.default,
                "values": list(each.values),
                "about": each.about,
            }
            for each in parameters.of(game)
        ],
    }


def _described_unmade(game_id: str) -> dict[str, Any]:
    """Return a game type of a pack as JSON data, in which only its id and origin are known."""
    rest = dict.fromkeys(("title", "credit", "cells", "origin", "rules"))
    return {"id": game_id, **rest, "origin": _origin_of(game_id), "parameters": []}


def _origin_of(game_id: str) -> str:
    if (file := registry.origin(game_id)) is not None:
        return file.name
    if plugins.is_of_pack(game_id) and (package := registry.rules_origin(game_id)) is not None:
        return package.name
    return "built in" if game_id in registry.builtin_ids() else "plugin"


PositionText = Annotated[
    str | None,
    option("--position", "P", "Position to start from, in the game's notation.", Topic.POSITION),
]


SetupText = Annotated[str | None, option("--setup", "S", "Setup to start from.", Topic.POSITION)]


def start_of(game_id: str, position: str | None, setup: str | None) -> Position:
    """Return the first position for --position, --setup or neither."""
    if position is not None and setup is not None:
        raise typer.BadParameter("--position: cannot be combined with --setup")
    game = registry.get(registry.named(game_id))
    return game.start(setup) if position is None else game.position(position)


@group.command(
    "show",
    example="arena games show yavalath",
    prints=(Printed("id title credit cells origin rules parameters card variants"),),
)
def show_game(game: GameId, files: OtherGames = None, as_json: AsJson = False) -> None:
    """Show the rules of a game type.

    The output also lists the parameters of the game type and some variants to try. For a file that
    defines several game types, the arena lists them.
    """
    from lath.arena.terminal.play import card_of as shown_card  # start-up time

    add_games(files)
    ids = registry.all_named(game)
    if len(ids) > 1:
        several = [one for one in registry.installed() if one.id in ids]
        if as_json:
            print_json([*map(_described, several)])
        else:
            _print_games(several)
        return
    one = registry.get(ids[0])
    others = variants(one) if ":" not in one.id else ()
    if as_json:
        print_json(_described(one) | {"card": card_of(one), "variants": list(others)})
        return
    lines = [shown_card(one), "", f"{one.id}: {one.credit}; {_origin_of(one.id)}"]
    start = one.start(one.draw_setup(1) if one.has_setups else None)
    lines[-1] += (
        f"; {len(one.board.names)} cells, {count_of(len(start.legal_moves()), 'first move')}"
    )
    lines += _parameters_of(one) if others else ()
    if others:
        base = ":".join(part for part in game.split(":") if "=" not in part)
        lines.append("Variants, such as these:")
        lines += [f"  {base}:{other.partition(':')[2]}" for other in others]
    print("\n".join(lines), file=data_output())


@group.command(
    example="arena games moves yavalath --position '5/6/7/8/4w4/8/7/6/5 b' --count",
    prints=(Printed("game count moves"), Printed("game count", when="With --count")),
)
def moves(
    game: GameId,
    position: PositionText = None,
    setup: SetupText = None,
    count: Annotated[
        bool, flag("--count", "Print only the number of moves.", Topic.OUTPUT)
    ] = False,
    files: OtherGames = None,
    as_json: AsJson = False,
) -> None:
    """List the legal moves of a position."""
    add_games(files)
    start = start_of(game, position, setup)
    legal = start.legal_moves()
    if as_json:
        listed = {} if count else {"moves": legal}
        print_json({"game": start.game.id, "count": len(legal), **listed})
    else:
        print(len(legal) if count else "\n".join(legal))


@group.command(
    example="arena games perft surikata 2",
    prints=(
        Printed("game depth count"),
        Printed("game depth count by_move", when="With --divide"),
    ),
)
def perft(
    game: GameId,
    depth: Annotated[int, argument("DEPTH", "Number of plies.", **whole(0))],
    position: PositionText = None,
    setup: SetupText = None,
    divide: Annotated[
        bool, flag("--divide", "Also print the count after each first move.", Topic.OUTPUT)
    ] = False,
    files: OtherGames = None,
    as_json: AsJson = False,
) -> None:
    """Count the move sequences of a given length.

    Compare the count with another implementation to test the rules of a game type.
    """
    add_games(files)
    start = start_of(game, position, setup)
    by_move = {}
    for move in start.legal_moves() if divide and depth else ():
        by_move[move] = count_paths(start.play(move), depth - 1)
        if not as_json:
            print(f"{move}: {by_move[move]}")
    count = count_paths(start, depth)
    if as_json:
        counts = {"by_move": by_move} if divide else {}
        print_json({"game": start.game.id, "depth": depth, "count": count, **counts})
    else:
        print(count)


@group.command(
    example="arena games check yavalath --quick",
    statuses={0: "The game type is fit for tournaments", FAULT: "The game type has a fault"},
    prints=(Printed("id chapter asks verdict seen mend where way", LINES),),
)
def check(
    game: GameId,
    quick: Annotated[
        bool, flag("--quick", "Check for about 5 s instead of 20 s.", Topic.MOST_USED)
    ] = False,
    only: Annotated[
        list[str] | None,
        option(
            "--only",
            "CHECK",
            "Name of a check to run, such as legal-moves, as printed in the output. Repeatable.",
            Topic.MOST_USED,
            default="all",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        option(
            "--picture", "FILE", "SVG file to write: a position of a random game.", Topic.DRAWING
        ),
    ] = None,
    seed: Annotated[int, option("--seed", "N", "Random seed.", Topic.GAMES, **whole(0))] = 1,
    files: OtherGames = None,
    force: Force = False,
    as_json: Annotated[
        bool, flag("--json", "Print a JSON object per finding.", Topic.OUTPUT)
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Check that a game type is fit for tournaments.

    The arena tests the rules, texts, symmetries, drawing and speed, plays random games, and lets
    bots play. For each fault, it prints how to fix the game type.
    """
    from lath.arena.gamecheck import check as checks  # start-up time
    from lath.arena.gamecheck.lab import QUICK, GameLab

    refuse_json_beside(picture, as_json=as_json)
    output = None if picture is None else Target(path=picture, kind=SVG, force=force)
    if output is not None:
        output.refuse()
    add_games(files)
    wanted = [*(only or ()), *(["drawn"] if only and output is not None else [])]
    checks.refuse_unknown(wanted)
    game_id, unloaded = checks.loaded(game)
    effort = QUICK if quick else 1.0
    lab = None if unloaded else GameLab(registry.get(game_id), game, effort=effort, seed=seed)
    found = checks.check(lab, wanted, _begin) if lab else filter(None, (unloaded,))
    shown = None if output else lab
    process_trees.adopt_orphans()  # this process starts no other children
    with signals.heeded(raises=True):
        points = _print_points(found, shown, game_id or game, as_json=as_json, quiet=quiet)
    if output is not None and lab is not None:
        _write_picture(output, lab, points)
    raise typer.Exit(FAULT if any(point.verdict == "fault" for point in points) else 0)


def _print_points(
    found: Iterable[GamePoint], lab: GameLab | None, name: str, *, as_json: bool, quiet: bool
) -> list[GamePoint]:
    """Print each point of a check and the verdict; return the points.

    With `lab`, a position is printed after the point that draws it.
    """
    from lath.arena.botcheck.check import Report, count_words  # start-up time
    from lath.arena.gamecheck.check import verdict_words
    from lath.arena.terminal.tables import print_lines

    began_s, report, points = signals.awake_s(), Report(), list[Any]()
    for point in found:
        points.append(point)
        if quiet and not point.verdict.is_bad:
            continue
        if as_json:
            print(json.dumps(asdict(point), ensure_ascii=False), file=data_output(), flush=True)
        else:
            print_lines(report.add(point))
            if lab is not None and _is_drawn(point):
                _show(lab)
    if not as_json:
        print_lines(report.rest())
        if not quiet:
            print(count_words(points, signals.awake_s() - began_s))
            print(f"{name}: {verdict_words(points)}")
    return points


def _is_drawn(point: GamePoint) -> bool:
    return (point.id, point.verdict) == ("drawn", "ok")


def _write_picture(output: Target, lab: GameLab, points: Sequence[GamePoint]) -> None:
    """Write a position of a random game as a picture, if the check could draw it."""
    from lath.arena.gamecheck.drawing import picture as picture_of  # start-up time

    if any(map(_is_drawn, points)):
        output.write([picture_of(lab).encode()])
    else:
        print_warning(f"{output.path} was not written, because no position could be drawn")


def _begin(check_id: str) -> None:
    """Show on a terminal which check is run; the next output overwrites it."""
    if sys.stderr.isatty():
        tell_over(f"checking {check_id} …")


def _show(lab: GameLab) -> None:
    """Print the position of a random game."""
    from lath.arena.gamecheck.drawing import shown_visit  # start-up time
    from lath.arena.terminal.boards import drawing

    visit, last = shown_visit(lab)
    print(indent(drawing(visit.position, last=last), " " * 12))


_SCHEMAS: Final = {
    "record": "lath.notation.tables.data:SCHEMA",
    "config": "lath.arena.tournament.configuration.keys:schema",
    "outcome": "lath.arena.tournament.outcome.outcomes:schema",
    "plan": "lath.arena.tournament.run.plan:schema",
    "standings": "lath.reports.event.export:schema",
    "report": "lath.reports.page.document:schema",
    "index": "lath.reports.page.index:schema",
    "events": "lath.arena.tournament.run.events:schema",
    "doctor": "lath.arena.doctor.doctor:schema",
}
"""The place of each schema, or of the function that makes it; only the requested one is loaded."""


@app.command(example="arena schema config")
def schema(
    name: Annotated[str, argument("NAME", f"Format. Choices: {', '.join(_SCHEMAS)}.")],
) -> None:
    """Print the JSON Schema of a format.

    The formats are: a record, a configuration, `outcome.json`, `arena run --plan --json`,
    `standings.json`, the data of a report and of an index page, events of a run, and a check of
    `arena doctor --json`.
    """
    if name not in _SCHEMAS:
        raise ConfigError(f"{name}: has no schema; expected one of {', '.join(_SCHEMAS)}")
    module, _, attribute = _SCHEMAS[name].partition(":")
    found = getattr(import_module(module), attribute)
    print(json.dumps(found() if callable(found) else found, indent=2))
