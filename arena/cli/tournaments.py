"""`arena run` and `arena init`: tournaments, and what one begins with."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from lath.arena.cli.flags import (
    Bots,
    Challengers,
    ConfigFile,
    DiskPatience,
    Force,
    Format,
    Games,
    Jobs,
    JsonEvents,
    JsonEventsTo,
    Log,
    OpeningBook,
    Out,
    Pairs,
    Pin,
    Quiet,
    Rounds,
    Seed,
    SprtTerms,
    Time,
    Verbose,
)
from lath.arena.cli.outcome import events_of, files_of, resumable, tell
from lath.arena.errors import ConfigError

DEFAULT_FOLDER = Path("tournament")


class Language(StrEnum):
    """What a first bot is written in."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    C = "c"
    SHELL = "shell"


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(run)
    app.command()(init)


def run(
    config: ConfigFile = None,
    out: Out = DEFAULT_FOLDER,
    bot: Bots = None,
    game: Games = None,
    rounds: Rounds = None,
    tc: Time = None,
    jobs: Jobs = None,
    seed: Seed = None,
    format_: Format = None,
    challengers: Challengers = None,
    pairs: Pairs = None,
    sprt: SprtTerms = None,
    openings: OpeningBook = None,
    pin: Pin = None,
    log: Log = None,
    force: Force = False,
    json_events: JsonEvents = False,
    json_events_to: JsonEventsTo = None,
    disk_patience: DiskPatience = 600.0,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Play a tournament, or go on with one.

    Started again on the same directory it goes on where it stopped.

    Exit status 0 when every game is played, 1 when a pairing had to be stopped, 3 after Ctrl-C,
    4 when no report could be made, 5 when the disk is full or failing.

    Example: arena run --bot greedy --bot mine="node mybot.js" --game yavalath --rounds 10
    """
    from lath.arena.terminal.live import screen
    from lath.arena.tournament.directory import run as play
    from lath.arena.tournament.progress import Progress

    flags = _flags(bot, game, rounds, tc, jobs, seed, format_)
    flags |= {key: told for key, told in (("pin", pin), ("log", log)) if told is not None}
    flags |= _format_flags(challengers, pairs, sprt, openings)
    tournament = _configured(config, out, flags, quiet=quiet)
    progress = Progress(tournament)
    is_shared = json_events and json_events_to is None and sys.stdout.isatty()
    with events_of(progress, to_stdout=json_events, path=json_events_to) as events:
        with screen(progress, quiet=quiet, verbose=verbose, is_shared=is_shared), resumable(out):
            summary = play(tournament, out, progress, force=force, patience_s=disk_patience)
        status = tell(summary, progress, out, quiet=quiet)
        if events is not None:
            events.ended(summary, status, files_of(out))
    if summary.unreported is not None:
        raise summary.unreported  # a bug: its place is told
    raise typer.Exit(status)


def _flags(
    bots: list[str] | None,
    games: list[str] | None,
    rounds: int | None,
    tc: str | None,
    jobs: str | None,
    seed: int | None,
    format_: str | None,
) -> dict[str, Any]:
    """Return what the flags say as the configuration's table would say it."""
    from lath.arena.tournament.config import time_table

    told: dict[str, Any] = {
        "games": games or None,
        "rounds": rounds,
        "seed": seed,
        "format": format_,
        "jobs": int(jobs) if jobs and jobs.isdigit() else jobs,
        "time": None if tc is None else time_table(tc),
        "bot": [_bot_flag(text) for text in bots] if bots else None,
    }
    return {name: value for name, value in told.items() if value is not None}


def _format_flags(
    challengers: int | None, pairs: int | None, sprt: str | None, openings: Path | None
) -> dict[str, Any]:
    """Return what they say as the configuration's table would say it."""
    from lath.arena.tournament.terms import sprt_table

    told: dict[str, Any] = {
        "challengers": challengers,
        "pairs": pairs,
        "sprt": None if sprt is None else sprt_table(sprt),
        "openings": None if openings is None else {"file": str(openings.resolve())},
    }
    return {name: value for name, value in told.items() if value is not None}


def _bot_flag(text: str) -> dict[str, Any]:
    """Return a bot's table; its files are those of the current folder, whatever the file's is."""
    from lath.arena.tournament.commands import resolve

    name, equals, command = text.partition("=")
    if not equals:
        return {"name": name}
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"--bot {name}: {command!r} is not a command: {error}") from error
    return {"name": name, "command": list(resolve(tuple(words), Path.cwd())) if words else []}


def _configured(config: Path | None, out: Path, flags: dict[str, Any], *, quiet: bool) -> Any:
    """Return the tournament: the file, else what `out` holds, else the demo, and flags over it."""
    from lath.arena.tournament.config import build, demo, load
    from lath.arena.tournament.directory import CONFIG

    if config is not None:
        return load(config, config.parent, flags)
    if (out / CONFIG).is_file():
        return load(out / CONFIG, Path(), flags)
    if "bot" in flags:
        return build({**demo(), "event": "Tournament", **flags}, Path())
    _tell_of_demo(out, CONFIG, quiet=quiet)
    return build({**demo(), **flags}, Path())


def _tell_of_demo(out: Path, name: str, *, quiet: bool) -> None:
    """Say that it is the demo that is played; raises ConfigError where a file may be meant."""
    if Path(name).is_file():
        raise ConfigError(
            f"there is a {name} here: name it, `arena run {name}`, or name the bots with --bot; "
            "the built-in demo is played in a folder without it"
        )
    if not quiet:
        told = f"no CONFIG and no --bot: the built-in demo is played into {out}"
        print(told, file=sys.stderr)


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Made if it is missing.")] = Path(),
    bot: Annotated[
        Language, typer.Option("--bot", metavar="LANG", help="python, javascript, c or shell.")
    ] = Language.PYTHON,
) -> None:
    """Write a commented tournament.toml and a bot to start from.

    No file is overwritten.

    Example: arena init my-bots --bot javascript
    """
    from lath.arena.starters import write_starter

    for line in write_starter(folder, bot.value):
        print(line, file=sys.stderr)
