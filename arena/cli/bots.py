"""`arena bot …`: what there is to do with one bot."""

from __future__ import annotations

import json
import shlex
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lath.arena.cli.main import App, Group
from lath.arena.errors import ConfigError
from lath.arena.tournament.programs import bundled, missing_script, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lath.arena.botcheck.lab import Settings
    from lath.arena.botcheck.points import Point
    from lath.arena.referee.conversation import BotSpec


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
def list_bots(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a program.")] = False,
) -> None:
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
        list[str],
        typer.Argument(metavar="CMD...", help="The bot's command, or a bundled bot's name."),
    ],
    game: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="GAME", help="A game to test; else all it plays."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="An option to set."),
    ] = None,
    tc: Annotated[
        str,
        typer.Option(
            "--tc", metavar="TIME", help="Time for the whole games: 10+0.1, 'move 0.5' ..."
        ),
    ] = "2+0.02",
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds", metavar="SECONDS", min=0.01, help="For a move that nothing limits."
        ),
    ] = 10.0,
    startup: Annotated[
        float,
        typer.Option("--startup", metavar="SECONDS", min=0.01, help="For `ok` and each `ready`."),
    ] = 10.0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="For all chance.")] = 1,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="POINT", help="A point to test, such as ping; else all."),
    ] = None,
    cwd: Annotated[
        Path | None, typer.Option("--cwd", metavar="DIR", help="Where the bot runs.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each point as an object on a line.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only warnings and faults.")
    ] = False,
) -> None:
    """Test how a bot keeps the protocol, point by point, and say how to mend what is wrong.

    Exit status 0 when there is no fault, 1 when there is one. docs/bot-check.md explains each
    point.

    Example: arena bot check --game yavalath -- node mybot.js
    """
    from lath.arena.botcheck.check import check as points_of
    from lath.arena.referee import trees
    from lath.arena.tournament.system import on_signals

    spec = _spec(command, cwd, option or [])
    settings = _settings(game or [], tc, seconds, startup, seed)
    trees.adopt_orphans()  # this process starts nothing but the bot
    began_s = time.monotonic()
    points: list[Point] = []

    def noted() -> Iterator[Point]:
        for point in points_of(spec, settings, only or []):
            points.append(point)
            if point.verdict.is_bad or not quiet:
                yield point

    with on_signals(_interrupt):
        if as_json:
            _print_json(noted())
        else:
            _print_text(noted())
    if not quiet and not as_json:
        _print_count(points, time.monotonic() - began_s)
    raise typer.Exit(int(any(point.verdict == "fault" for point in points)))


def _interrupt() -> None:
    raise KeyboardInterrupt  # the bot ends on the way out


def _print_json(points: Iterator[Point]) -> None:
    for point in points:
        print(json.dumps(asdict(point), ensure_ascii=False), flush=True)


def _print_text(points: Iterator[Point]) -> None:
    from lath.arena.botcheck.check import Report
    from lath.arena.terminal.tables import print_lines

    report = Report()
    for point in points:
        print_lines(report.add(point))
    print_lines(report.rest())


def _print_count(points: list[Point], seconds: float) -> None:
    from lath.arena.botcheck.check import count_words

    print(count_words(points, seconds))


@group.command()
def log(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The tournament's directory.", exists=True)
    ],
    game: Annotated[int, typer.Argument(metavar="GAME", help="The game's number.", min=1)],
) -> None:
    """Print what was said in a game, by whom and when, and the end of the bots' standard error.

    Kept of games that ended badly; of all with `arena run --log all`.

    Example: arena bot log tournament 17
    """
    from lath.arena.tournament.sources import log_of

    print(log_of(folder, game), end="")


def _spec(command: list[str], cwd: Path | None, options: list[str]) -> BotSpec:
    """Return how the bot is started; raises ConfigError."""
    from lath.arena.referee.conversation import BotSpec

    if cwd is not None and not cwd.is_dir():
        raise ConfigError(f"--cwd: {str(cwd)!r} is not a folder")
    words = _words(command)
    found = bundled().get(words[0]) if len(words) == 1 else None
    home = (cwd or Path()).resolve()
    return BotSpec(
        name=Path(words[0]).name,
        command=found or resolve(words, home),
        cwd=None if cwd is None else str(home),
        lacks=missing_script(words, home, in_scratch=cwd is None),
        options=dict(_option(text) for text in options),
    )


def _words(command: list[str]) -> tuple[str, ...]:
    """Return the words of a command, also where all of it is one word, as `--bot` takes it."""
    try:
        words = shlex.split(command[0]) if len(command) == 1 else command
    except ValueError as error:
        raise ConfigError(f"{command[0]!r} is not a command: {error}") from error
    if not words or not words[0]:
        raise ConfigError("the bot's command is empty")
    return tuple(words)


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ConfigError(f"--option {text!r}, expected NAME=VALUE")
    return name, value


def _settings(game_ids: list[str], tc: str, seconds: float, startup: float, seed: int) -> Settings:
    """Return how the bot is tested; raises ConfigError and UnknownGameError."""
    from lath import games
    from lath.arena.botcheck.lab import Settings
    from lath.notation.protocol import TimeControl

    for game_id in game_ids:
        games.get(game_id)
    try:
        control = TimeControl.read(tc)
    except ValueError as error:
        raise ConfigError(f"--tc: {error}") from error
    return Settings(
        games=tuple(dict.fromkeys(game_ids)),
        startup_s=startup,
        move_s=seconds,
        time=control,
        seed=seed,
    )
