"""`arena games` and `arena schema`: what is installed, legal moves and counts, JSON Schemas."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from lath import games as registry
from lath.arena.cli.main import App, ListGroup
from lath.games.core import Position
from lath.games.core import perft as count_paths

app = App()

group = App(
    name="games",
    cls=ListGroup,
    help="List the games, their legal moves, and counts of paths.\n\n"
    "Without a command: list. Example: arena games list --json",
)
app.add_typer(group)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program.")]


class SchemaName(StrEnum):
    """What has a schema."""

    RECORD = "record"
    CONFIG = "config"
    OUTCOME = "outcome"
    STANDINGS = "standings"
    REPORT = "report"
    INDEX = "index"
    EVENTS = "events"


@group.command("list")
def list_games(as_json: AsJson = False) -> None:
    """List the games, built in or brought by other packages.

    Example: arena games list --json
    """
    builtin = registry.builtin_ids()
    rows = [
        {
            "id": game.id,
            "title": game.title,
            "credit": game.credit,
            "cells": len(game.board.names),
            "origin": "built in" if game.id in builtin else "plugin",
        }
        for game in registry.installed()
    ]
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for row in rows:
        columns = f"{row['id']:16}{row['title']:22}{row['cells']:>3} cells"
        print(f"{columns}  {row['origin']:10}{row['credit']}")


@app.command()
def schema(
    name: Annotated[
        SchemaName,
        typer.Argument(
            metavar="NAME", help="record, config, outcome, standings, report, index, events."
        ),
    ],
) -> None:
    """Print the JSON Schema (2020-12) of one of our formats.

    They are those of a record, a configuration, `outcome.json`, `standings.json`, the data of
    a report and of an index of tournaments, and the events of a run.

    Example: arena schema config
    """
    print(json.dumps(_schema(name), indent=2))


def _schema(name: SchemaName) -> object:
    match name:
        case SchemaName.RECORD:
            from lath.notation.data import SCHEMA

            return SCHEMA
        case SchemaName.CONFIG:
            from lath.arena.tournament.config import schema as config_schema

            return config_schema()
        case SchemaName.OUTCOME:
            from lath.reports import outcome

            return outcome.schema()
        case SchemaName.STANDINGS:
            from lath.reports import export

            return export.schema()
        case SchemaName.REPORT:
            from lath.reports.page import document

            return document.schema()
        case SchemaName.INDEX:
            from lath.reports.page import index

            return index.schema()
        case SchemaName.EVENTS:
            from lath.arena.tournament.events import events_schema

            return events_schema()


GameId = Annotated[str, typer.Argument(metavar="GAME", help="The game, see `arena games`.")]
PositionText = Annotated[
    str | None, typer.Option("--position", metavar="P", help="Begin from this position's text.")
]
SetupText = Annotated[
    str | None, typer.Option("--setup", metavar="S", help="Begin from this setup.")
]


def _start(game_id: str, position: str | None, setup: str | None) -> Position:
    if position is not None and setup is not None:
        raise typer.BadParameter("--position and --setup exclude each other")
    game = registry.get(game_id)
    return game.start(setup) if position is None else game.position(position)


@group.command()
def moves(
    game: GameId,
    position: PositionText = None,
    setup: SetupText = None,
    count: Annotated[bool, typer.Option("--count", help="Print only how many.")] = False,
) -> None:
    """List the legal moves, one a line.

    Example: arena games moves yavalath --position '5/6/7/8/4w4/8/7/6/5 b' --count
    """
    legal = _start(game, position, setup).legal_moves()
    print(len(legal) if count else "\n".join(legal))


@group.command()
def perft(
    game: GameId,
    depth: Annotated[int, typer.Argument(min=0, metavar="DEPTH", help="Plies.")],
    position: PositionText = None,
    setup: SetupText = None,
    divide: Annotated[
        bool, typer.Option("--divide", help="Print the count behind each first move too.")
    ] = False,
) -> None:
    """Count the paths of DEPTH moves, the field's check of rules.

    Example: arena games perft surikata 3
    """
    start = _start(game, position, setup)
    if divide and depth:
        for move in start.legal_moves():
            print(f"{move}: {count_paths(start.play(move), depth - 1)}")
    print(count_paths(start, depth))
