"""`arena solve`: prove the result of a position with best play."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lath.arena.cli.games import PositionText, SetupText, start_of
from lath.arena.cli.help import LIST, Printed, Topic
from lath.arena.cli.main import (
    App,
    AsJson,
    GameFiles,
    Quiet,
    add_games,
    argument,
    flag,
    option,
    print_json,
    seconds,
    whole,
)
from lath.arena.cli.one_record import AfterPly, RecordNumber, is_of_records, position_in
from lath.arena.engine.engine import Engine
from lath.arena.engine.solving import Solved, note_on, solve, solve_moves
from lath.arena.errors import UNDECIDED, ConfigError
from lath.arena.referee.answers import MOST_NODES, Limit
from lath.arena.terminal.notices import print_note
from lath.arena.terminal.streams import data_output
from lath.games.core import Position, read_typed_move
from lath.games.errors import count_of

app = App()


Moves = Annotated[list[str] | None, argument("MOVE", "Moves to play first.")]

Nodes = Annotated[
    int | None,
    option("--nodes", "N", "Maximum nodes of the search.", Topic.MOST_USED, **whole(1, MOST_NODES)),
]
Seconds = Annotated[
    float | None,
    option(
        "--seconds",
        "S",
        "Maximum seconds of the search.",
        Topic.MOST_USED,
        default="10",
        **seconds(0.001),
    ),
]


@app.command(
    "solve",
    example="arena solve yavalath e5 swap --seconds 2",
    statuses={UNDECIDED: "Not proved within the limits"},
    prints=(
        Printed("value plies at_most line expected nodes seconds"),
        Printed("move value plies at_most line expected nodes seconds", LIST, "With --moves"),
    ),
)
def solve_position(
    game: Annotated[
        str,
        argument(
            "GAME|SOURCE",
            "Game type or its file; with --record, a record file, tournament directory or "
            "database.",
        ),
    ],
    moves: Moves = None,
    bot: Annotated[
        str, option("--bot", "BOT", "Bot that proves results.", Topic.MOST_USED)
    ] = "solver",
    nodes: Nodes = None,
    seconds: Seconds = None,
    of_moves: Annotated[
        bool, flag("--moves", "Solve every legal move, each with its own limit.", Topic.MOST_USED)
    ] = False,
    number: RecordNumber = None,
    ply: AfterPly = None,
    position: PositionText = None,
    setup: SetupText = None,
    files: GameFiles = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Prove how a game ends from a position.

    The arena prints a win, loss or draw for the side to move, and the moves that lead to it.
    """
    add_games(files)
    at = _start(game, position, setup, number, ply)
    for move in moves or ():
        at = at.play(read_typed_move(at, move))
    if nodes is not None and seconds is not None:
        raise typer.BadParameter("--nodes: cannot be combined with --seconds")
    limit = Limit(nodes=nodes) if nodes is not None else Limit(seconds=seconds or 10.0)
    with Engine.open(bot) as engine:
        if (note := note_on(engine)) and not quiet:
            print_note(note)
        if of_moves:
            found = [(str(move), one) for move, one in solve_moves(engine, at, limit)]
        else:
            found = [("", solve(engine, at, limit))]
    if as_json:
        rows = [_row(move, one) for move, one in found]
        print_json(rows if of_moves else rows[0])
    else:
        _show(at, found)
    if all(one.value == "unknown" for _, one in found):
        raise typer.Exit(UNDECIDED)


def _start(
    source: str, position: str | None, setup: str | None, number: int | None, ply: int | None
) -> Position:
    """Return the position to solve, of a game type or a record; raises ConfigError, GameError."""
    if number is not None:
        if position is not None or setup is not None:
            raise typer.BadParameter("--record: cannot be combined with --position or --setup")
        return position_in(Path(source), number, ply)
    if ply is not None:
        raise typer.BadParameter("--ply: needs --record N")
    if is_of_records(source):
        raise ConfigError(
            f"{source}: this is a record file, not a game type", hint="--record N --ply P"
        )
    return start_of(source, position, setup)


def _row(move: str, found: Solved) -> dict[str, object]:
    return {
        **({"move": move} if move else {}),
        "value": found.value,
        "plies": found.plies,
        "at_most": found.at_most,
        "line": found.line,
        "expected": found.expected,
        "nodes": found.nodes,
        "seconds": round(found.seconds, 3),
    }


def _show(at: Position, found: list[tuple[str, Solved]]) -> None:
    colour = at.game.colours[at.to_move]
    out = data_output()
    width = max(len(move) for move, _ in found)
    for move, one in found:
        name = f"{move:{width}}" if move else f"{colour} to move"
        line = " ".join(one.line)
        print(f"{name}: {one.words}{f': {line}' if line else ''}", file=out)
    nodes, seconds = sum(one.nodes for _, one in found), sum(one.seconds for _, one in found)
    print(f"{count_of(nodes, 'node')}, {seconds:.1f} s", file=out)
