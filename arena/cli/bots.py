"""`arena bot …`: which bots there are, how one keeps the protocol, what one said."""

from __future__ import annotations

import json
import shlex
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from lath import games
from lath.arena import signals
from lath.arena.cli.main import App, AsJson, Group, argument, flag, option
from lath.arena.errors import ConfigError
from lath.arena.referee import trees
from lath.arena.referee.clock import Limits
from lath.arena.referee.conversation import BotSpec
from lath.arena.terminal.streams import data_output
from lath.arena.tournament.programs import bundled, missing_script, resolve
from lath.notation.protocol import TimeControl

app = App()

group = App(
    name="bot",
    cls=Group,
    help="List the bots, check one, or read what it said.\n\n"
    "Example: arena bot check -- node mybot.js",
    no_args_is_help=True,
)
app.add_typer(group)


@group.command("list")
def list_bots(as_json: AsJson = False) -> None:
    """List the bots that can be entered by their name alone.

    Example: arena bot list
    """
    if as_json:
        rows = [{"name": name, "command": list(words)} for name, words in bundled().items()]
        print(json.dumps(rows, indent=2))
        return
    for name, words in bundled().items():
        print(f"{name:16}{' '.join(words)}")


@group.command()
def check(
    command: Annotated[
        list[str], argument("CMD...", "The bot's command, or a bundled bot's name.")
    ],
    game: Annotated[
        list[str] | None, option("--game", "GAME", "A game to test; else all it plays.")
    ] = None,
    option_: Annotated[
        list[str] | None, option("--option", "NAME=VALUE", "An option to set.")
    ] = None,
    tc: Annotated[
        str, option("--tc", "TIME", "Time for the whole games: 10+0.1, 'move 0.5' ...")
    ] = "2+0.02",
    seconds: Annotated[
        float, option("--seconds", "SECONDS", "For a move that nothing limits.", min=0.01)
    ] = 10.0,
    startup: Annotated[
        float, option("--startup", "SECONDS", "For `ok` and each `ready`.", min=0.01)
    ] = 10.0,
    seed: Annotated[int, option("--seed", "N", "For all chance.", min=0)] = 1,
    only: Annotated[
        list[str] | None, option("--only", "POINT", "A point to test, such as ping; else all.")
    ] = None,
    cwd: Annotated[Path | None, option("--cwd", "DIR", "Where the bot runs.")] = None,
    as_json: Annotated[bool, flag("--json", "Print each point as an object on a line.")] = False,
    quiet: Annotated[bool, flag("--quiet -q", "Print only warnings and faults.")] = False,
) -> None:
    """Test how a bot keeps the protocol, point by point, and say how to mend what is wrong.

    Exit status 0 when there is no fault, 1 when there is one. docs/bot-check.md explains each
    point.

    Example: arena bot check --game yavalath -- node mybot.js
    """
    from lath.arena.botcheck.check import Report, count_words
    from lath.arena.botcheck.check import check as points_of
    from lath.arena.botcheck.lab import Lab
    from lath.arena.terminal.tables import print_lines

    spec = _spec(command, cwd, option_ or [])
    for game_id in game or ():
        games.get(game_id)  # raises UnknownGameError
    limits = Limits(time=time_of(tc), startup_s=startup, hard_limit_s=seconds)
    lab = Lab(spec, tuple(dict.fromkeys(game or ())), limits=limits, seed=seed)
    trees.adopt_orphans()  # this process starts nothing but the bot
    began_s = time.monotonic()
    report, points = Report(), []
    with signals.heeded(raises=True):
        for point in points_of(lab, only or []):
            points.append(point)
            if quiet and not point.verdict.is_bad:
                continue
            if as_json:
                line = json.dumps(asdict(point), ensure_ascii=False)
                print(line, file=data_output(), flush=True)
            else:
                print_lines(report.add(point))
    if not as_json:
        print_lines(report.rest())
        if not quiet:
            print(count_words(points, time.monotonic() - began_s))
    raise typer.Exit(int(any(point.verdict == "fault" for point in points)))


@group.command()
def log(
    folder: Annotated[Path, argument("DIR", "The tournament's directory.", exists=True)],
    game: Annotated[int, argument("GAME", "The game's number.", min=1)],
) -> None:
    """Print what was said in a game, by whom and when, and the end of the bots' standard error.

    Kept of games that ended badly; of all with `arena run --log all`.

    Example: arena bot log tournament 17
    """
    from lath.arena.tournament.sources import log_of

    print(log_of(folder, game), end="")


def _spec(command: list[str], cwd: Path | None, options: list[str]) -> BotSpec:
    """Return how the bot is started; raises ConfigError."""
    if cwd is not None and not cwd.is_dir():
        raise ConfigError(f"--cwd: {str(cwd)!r} is not a folder")
    settings = [text.partition("=") for text in options]
    for text, (name, equals, _) in zip(options, settings, strict=True):
        if not (name and equals):
            raise ConfigError(f"--option {text!r}, expected NAME=VALUE")
    words = words_of(command[0] if len(command) == 1 else shlex.join(command))
    found = bundled().get(words[0]) if len(words) == 1 else None
    home = (cwd or Path()).resolve()
    return BotSpec(
        name=Path(words[0]).name,
        command=found or resolve(words, home),
        cwd=None if cwd is None else str(home),
        lacks=missing_script(words, home, in_scratch=cwd is None),
        options={name: value for name, _, value in settings},
    )


def words_of(command: str, *, of: str = "") -> tuple[str, ...]:
    """Return the words of a command, whose option is `of`; raises ConfigError."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise ConfigError(f"{of}{command!r} is not a command: {error}") from error
    if not words or not words[0]:
        raise ConfigError(f"{of}the command is empty")
    return words


def time_of(tc: str) -> TimeControl:
    """Return the time that `--tc` says; raises ConfigError."""
    try:
        return TimeControl.read(tc)
    except ValueError as error:
        raise ConfigError(f"--tc: {error}") from error
