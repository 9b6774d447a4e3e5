"""`arena moves` and `arena perft`: the rules, asked from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from lath.games.core import Position

GameId = Annotated[str, typer.Argument(metavar="GAME", help="The game, see `arena games`.")]
PositionText = Annotated[
    str | None, typer.Option("--position", metavar="P", help="Begin from this position's text.")
]
SetupText = Annotated[
    str | None, typer.Option("--setup", metavar="S", help="Begin from this setup.")
]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(moves)
    app.command()(perft)


def _start(game_id: str, position: str | None, setup: str | None) -> Position:
    from lath import games

    if position is not None and setup is not None:
        raise typer.BadParameter("--position and --setup exclude each other")
    game = games.get(game_id)
    return game.start(setup) if position is None else game.position(position)


def moves(
    game: GameId,
    position: PositionText = None,
    setup: SetupText = None,
    count: Annotated[bool, typer.Option("--count", help="Print only how many.")] = False,
) -> None:
    """List the legal moves, one a line.

    Example: arena moves yavalath --position '5/6/7/8/4w4/8/7/6/5 b' --count
    """
    legal = _start(game, position, setup).legal_moves()
    print(len(legal) if count else "\n".join(legal))


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

    Example: arena perft surikata 3
    """
    from lath.games.core import perft as count

    start = _start(game, position, setup)
    if divide and depth:
        for move in start.legal_moves():
            print(f"{move}: {count(start.play(move), depth - 1)}")
    print(count(start, depth))
