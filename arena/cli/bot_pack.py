"""`arena bot pack`, and the options and protocol that bot commands accept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from lath.arena.cli.help import Printed, Topic
from lath.arena.cli.main import (
    App,
    DoneAsJson,
    Quiet,
    argument,
    option,
    print_done,
    refuse_json_beside,
    whole,
)
from lath.arena.cli.outputs import PACKED, Force, Target
from lath.arena.entrants.flag_text import time_of
from lath.arena.errors import ConfigError
from lath.arena.referee.bots import OURS
from lath.arena.referee.bridges import CONTESTS, PROTOCOLS
from lath.arena.terminal.streams import data_output

app = App()


@app.command(
    example="arena bot pack my-bots/mybot.py -o one.py",
    prints=(Printed("written characters"),),
)
def pack(
    bot: Annotated[str, argument("BOT", "Python file, or a bundled bot.")],
    out: Annotated[
        Path | None,
        option("--output -o", "FILE", "File to write.", Topic.OUTPUT, default="standard output"),
    ] = None,
    protocol: Annotated[
        str, option("--protocol", "NAME", "Protocol of the file.", Topic.GAMES, choices=PROTOCOLS)
    ] = OURS,
    game: Annotated[
        list[str] | None,
        option(
            "--game",
            "GAME",
            "Game type that the bot plays. Repeatable.",
            Topic.GAMES,
            default="all built-in ones, or those of the contest",
        ),
    ] = None,
    tc: Annotated[
        str | None,
        option(
            "--tc",
            "TIME",
            "Time per move if the contest protocol sets none, such as 'move 0.1 first 1'.",
            Topic.GAMES,
        ),
    ] = None,
    seed: Annotated[
        int,
        option("--seed", "N", "With codingame or botzone: random seed.", Topic.GAMES, **whole(0)),
    ] = 1,
    option_: Annotated[
        list[str] | None,
        option(
            "--option",
            "NAME=VALUE",
            "With codingame or botzone: option of the bot. Repeatable.",
            Topic.GAMES,
        ),
    ] = None,
    force: Force = False,
    as_json: DoneAsJson = False,
    quiet: Quiet = False,
) -> None:
    """Bundle a Python bot into one file.

    The file contains the bot and the parts of `lath` that it needs. It has fewer than 100,000
    characters and runs under `python -I`. The arena does not run the bot.
    """
    from lath.arena.entrants import packing  # start-up time

    refuse_json_beside(out or Path("-"), as_json=as_json)
    refuse_protocol(protocol)
    options = options_of(option_ or [])
    if protocol == OURS and (options or tc):
        raise ConfigError(
            "--tc and --option: need --protocol with a contest; the arena sets both itself"
        )
    time = time_of(tc or (CONTESTS[protocol].tc if protocol in CONTESTS else "none"))
    if time.has_clock:
        raise ConfigError(f"--tc: {tc!r} is not a time per move, such as 'move 0.5', or nodes")
    text = packing.pack(
        bot, plays=game or (), protocol=protocol, tc=str(time), seed=seed, options=options
    )
    if out is None:
        print(text, end="", file=data_output())
        return
    if out.exists() and Path(bot).exists() and out.samefile(bot):
        raise ConfigError(f"--output: {str(out)!r} is the bot itself", hint="-o OTHER")
    Target(path=out, kind=PACKED, inputs=[Path(bot)], force=force).write([text.encode()])
    done = {"written": [str(out)], "characters": len(text)}
    print_done(done, f"{out}: {len(text)} characters", as_json=as_json, quiet=quiet)


def options_of(options: list[str]) -> dict[str, str]:
    """Return the values of `--option` by name; raises ConfigError."""
    settings = [text.partition("=") for text in options]
    for text, (name, equals, _) in zip(options, settings, strict=True):
        if not (name and equals):
            raise ConfigError(f"--option: {text!r} is not NAME=VALUE")
    return {name: value for name, _, value in settings}


def refuse_protocol(protocol: str) -> None:
    """Raise ConfigError for an unknown protocol."""
    if protocol not in PROTOCOLS:
        raise ConfigError(f"--protocol: {protocol!r} is not one of {', '.join(PROTOCOLS)}")
