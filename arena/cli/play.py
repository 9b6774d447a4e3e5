"""`arena play`: a game of a person against a bot, or of two people, in the terminal."""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import secrets
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from lath import games
from lath.arena.cli.games import PositionText, SetupText
from lath.arena.cli.help import Printed, Topic
from lath.arena.cli.main import (
    TIMES,
    App,
    GameId,
    Quiet,
    SideOption,
    flag,
    option,
    print_done,
    refuse_json_beside,
    whole,
)
from lath.arena.cli.outputs import append_record, refuse_as_archive
from lath.arena.entrants.builds import ready
from lath.arena.entrants.flag_text import time_of
from lath.arena.entrants.flags import bot_flag
from lath.arena.entrants.origins import spec_of
from lath.arena.entrants.programs import bundled
from lath.arena.errors import FAULT, INTERRUPTED, ConfigError, ContestBotError
from lath.arena.machine import signals
from lath.arena.referee import process_trees
from lath.arena.referee import watch as watching
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.bridges import bot_of
from lath.arena.referee.clock import Limits
from lath.arena.referee.match import GameEnding
from lath.arena.referee.recognition import meet
from lath.arena.referee.record import GamePlan
from lath.arena.terminal.notices import print_note
from lath.arena.terminal.play import LEFT, Sitting
from lath.arena.tournament.configuration.typed import advised
from lath.games.core import Side
from lath.notation.protocol import TimeControl

app = App()

NOBODY: Final = "none"
"""The value of --bot for two people."""

PERSON: Final = "person"


EndAsJson = Annotated[
    bool,
    flag(
        "--json",
        "Print the result as a JSON object, and all other output on standard error.",
        Topic.OUTPUT,
    ),
]


@app.command(
    example="arena play yavalath --bot monte-carlo --side second -o mine.lath",
    statuses={FAULT: "The bot failed during the game, such as by a crash"},
    prints=(Printed("game first second result termination plies written"),),
)
def play(
    game: GameId = "",
    bot: Annotated[
        str,
        option(
            "--bot",
            "NAME=CMD",
            "Bundled bot by its NAME, your bot as NAME=CMD, or none for two people.",
            Topic.MOST_USED,
        ),
    ] = "greedy",
    side: Annotated[
        SideOption, option("--side", "first|second", "Your side.", Topic.MOST_USED)
    ] = SideOption.FIRST,
    tc: Annotated[
        str, option("--tc", "TIME", f"Time control of the bot: {TIMES}.", Topic.MOST_USED)
    ] = "move 1",
    out: Annotated[
        Path | None, option("--output -o", "FILE", "File to append the record to.", Topic.MOST_USED)
    ] = None,
    game_: Annotated[
        str,
        option("--game", "GAME", "Game type, if you do not give it as an argument.", Topic.GAMES),
    ] = "",
    seed: Annotated[
        int | None,
        option(
            "--seed",
            "N",
            "Random seed of the setup and the bot.",
            Topic.GAMES,
            default="random",
            **whole(0),
        ),
    ] = None,
    setup: SetupText = None,
    position: PositionText = None,
    as_json: EndAsJson = False,
    quiet: Quiet = False,
) -> None:
    """Play against a bot in the terminal.

    Type a move, or one of the commands help, ? (lists legal moves), rules, hint, eval, undo, board,
    resign and quit. Moves can also come from a pipe.
    """
    if bool(game) == bool(game_):
        raise typer.BadParameter("GAME: give exactly one game type\nhint: arena games")
    spec, control = _spec(bot), time_of(tc)
    control = (spec and spec.time) or control
    plan = _plan(game or game_, spec, side, setup, position, seed)
    refuse_json_beside(out, as_json=as_json)
    if out is not None:
        refuse_as_archive(out)
    with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
        ending, sitting = _played(plan, spec, side, control, out, quiet=quiet)
    end, is_written = ending or LEFT, out is not None and _was_played(sitting, ending)
    done = {
        "game": plan.game,
        "first": plan.names[0],
        "second": plan.names[1],
        "result": end.result,
        "termination": end.why,
        "plies": len(sitting.plies),
        "written": [str(out)] * is_written,
    }
    print_done(done, as_json=as_json)
    if ending is None:
        print_note("interrupted")
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(int(ending.is_bots_fault))


def _played(
    plan: GamePlan,
    spec: BotSpec | None,
    side: SideOption,
    control: TimeControl,
    out: Path | None,
    *,
    quiet: bool,
) -> tuple[GameEnding | None, Sitting]:
    """Play the game and store its record; return the ending, None if interrupted."""
    ending = None
    limits, watch = Limits(time=control), watching.Watch()
    with signals.heeded(raises=True), contextlib.ExitStack() as stack:
        bot = None
        if spec is not None:
            process_trees.adopt_orphans()  # this process starts no other children
            bot = bot_of(spec, watch, tree=f"play-{secrets.token_hex(4)}.", forgives_hold_ups=True)
            stack.callback(bot.quit)
            try:
                meet(bot, limits, [plan.game])
            except ContestBotError as error:
                raise advised(error) from error
            bot.refuse_unless_it_plays([plan.game])
        sitting = Sitting(plan, limits, watch, bot, Side[side.name].other)
        sitting.begin()
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # invalid bytes must not end the game
        if sys.stdin.isatty() and sys.stdout.isatty():
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - `input` lets lines be edited from then on
        try:
            ending = sitting.play()
        except KeyboardInterrupt:
            print()
        if out is not None and _was_played(sitting, ending):
            text = sitting.record(ending or LEFT)
            try:
                append_record(out, text)
            except ConfigError:
                print(text, end="")  # the user can still copy it
                raise
            if not quiet:
                print(f"{out}: record appended", file=sys.stderr)
    return ending, sitting


def _was_played(sitting: Sitting, ending: GameEnding | None) -> bool:
    """Return whether a game has anything to store."""
    return bool(sitting.plies) or (ending or LEFT).result.is_finished


def _spec(text: str) -> BotSpec | None:
    """Return the description of the bot, None for two people; raises ConfigError."""
    if text == NOBODY:
        return None
    table = bot_flag(text)
    if (name := table["name"]) == PERSON:
        raise ConfigError(f"--bot: the name {name!r} is reserved for you", hint="--bot OTHER=CMD")
    if "command" not in table and name not in bundled():
        known = ", ".join((*bundled(), NOBODY))
        raise ConfigError(
            f"--bot: {name!r} is not one of {known}", hint="--bot NAME=CMD for your own bot"
        )
    return ready(spec_of(table))


def _plan(
    game_id: str,
    spec: BotSpec | None,
    side: SideOption,
    setup: str | None,
    position: str | None,
    seed: int | None,
) -> GamePlan:
    """Return the game to play; without setup or position, the seed decides the setup."""
    if position is not None and setup is not None:
        raise typer.BadParameter("--position: cannot be combined with --setup")
    game = games.get(games.named(game_id))
    names = (f"{PERSON} 1", f"{PERSON} 2")
    if spec is not None:
        names = (PERSON, spec.name) if side is SideOption.FIRST else (spec.name, PERSON)
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    if setup is not None:
        setup = game.canonical_setup(setup)
    elif position is None:
        setup = game.draw_setup(seed)
    else:
        start = game.position(position)
        if outcome := start.outcome():
            raise ConfigError(f"--position: the game is over in this position: {outcome.ending}")
        position = start.text()
    return GamePlan(
        number=0,
        round=0,
        game=game.id,
        setup=setup,
        position=position,
        names=names,
        seeds=(seed, seed),
        tags=(("Date", dt.datetime.now().astimezone().date().isoformat()),),
    )
