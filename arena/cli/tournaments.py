"""`arena run`, `arena init`, `arena rate` and `arena report`: tournaments and what came of them."""

from __future__ import annotations

import json
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.errors import ArenaError, ConfigError

if TYPE_CHECKING:
    from arena.runner import Summary

DEFAULT_FOLDER = Path("tournament")

Sources = Annotated[
    list[Path],
    typer.Argument(metavar="SOURCE...", help="Tournaments' directories or record files."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]


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
    app.command()(rate)
    app.command()(report)


def run(
    config: Annotated[
        Path | None,
        typer.Argument(metavar="CONFIG.toml", help="The tournament; else the built-in demo."),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where everything is written.")
    ] = DEFAULT_FOLDER,
    bot: Annotated[
        list[str] | None,
        typer.Option("--bot", metavar="NAME=CMD", help="A bot; NAME alone for a bundled one."),
    ] = None,
    game: Annotated[
        list[str] | None, typer.Option("--game", metavar="GAME", help="A game to play.")
    ] = None,
    rounds: Annotated[int | None, typer.Option("--rounds", min=1, help="Rounds.")] = None,
    tc: Annotated[
        str | None,
        typer.Option("--tc", help="10+0.1 (seconds), 'move 0.5', 'nodes 1000' or none."),
    ] = None,
    jobs: Annotated[
        str | None, typer.Option("--jobs", help="Games at the same time; auto: one a core.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="For all chance.")] = None,
    format_: Annotated[str | None, typer.Option("--format", help="round-robin")] = None,
    quiet: Quiet = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Tell of every game that ends.")
    ] = False,
) -> None:
    """Play a tournament; started again on the same directory, it goes on where it stopped.

    Exit status 0 when every game is played, 1 when a pairing had to be stopped, 3 after Ctrl-C.

    Example: arena run --bot greedy --bot mine="node mybot.js" --game yavalath --rounds 10
    """
    from arena.screen import screen
    from arena.tournament import run as play

    flags = _flags(bot, game, rounds, tc, jobs, seed, format_)
    tournament = _configured(config, out, flags)
    with screen(tournament, quiet=quiet, verbose=verbose) as watcher:
        summary = play(tournament, out, watcher)
    raise typer.Exit(_tell(summary, out, quiet=quiet))


def _tell(summary: Summary, out: Path, *, quiet: bool) -> int:
    """Say how a run ended; return its exit status."""
    if summary.interrupted:
        told = f"{summary.done} of {summary.total} games are played and kept; go on with"
        print(f"arena: {told}: arena run --out {shlex.quote(str(out))}", file=sys.stderr)
        return 3
    if summary.standings and not quiet:
        from arena.tables import print_standings

        print_standings(summary.standings)
        print(f"report: {out / 'report.html'}", file=sys.stderr)
    for pairing, why in summary.stopped.items():
        print(f"arena: {' - '.join(sorted(pairing))} was stopped: {why}", file=sys.stderr)
    if not summary.is_complete:
        print(f"arena: {summary.done} of {summary.total} games are played", file=sys.stderr)
    return 0 if summary.is_complete else 1


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
    from arena.config import time_table

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


def _bot_flag(text: str) -> dict[str, Any]:
    """Return a bot's table; its files are those of the current folder, whatever the file's is."""
    from arena.commands import resolve

    name, equals, command = text.partition("=")
    if not equals:
        return {"name": name}
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"--bot {name}: {command!r} is not a command: {error}") from error
    return {"name": name, "command": list(resolve(tuple(words), Path.cwd())) if words else []}


def _configured(config: Path | None, out: Path, flags: dict[str, Any]) -> Any:
    """Return the tournament: the file, else what `out` holds, else the demo, and flags over it."""
    from arena.config import build, demo, read_toml
    from arena.tournament import CONFIG, stored_config

    if config is not None:
        return build({**read_toml(config), **flags}, config.parent, source=str(config))
    stored = stored_config(out)
    if stored is not None:
        source = "the command line" if flags else str(out / CONFIG)
        return build({**stored, **flags}, Path(), source=source)
    base = {**demo(), "event": "Tournament"} if "bot" in flags else demo()
    return build({**base, **flags}, Path())


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Made if it is missing.")] = Path(),
    bot: Annotated[
        Language, typer.Option("--bot", metavar="LANG", help="python, javascript, c or shell.")
    ] = Language.PYTHON,
) -> None:
    """Write a commented tournament.toml and a bot to start from; no file is overwritten.

    Example: arena init my-bots --bot javascript
    """
    from arena.starters import write_starter

    for line in write_starter(folder, bot.value):
        print(line, file=sys.stderr)


def rate(
    sources: Sources,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a program.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a line a bot for a sheet.")] = False,
) -> None:
    """Print standings, ratings and the crosstable.

    Example: arena rate tournament --csv > standings.csv
    """
    from arena.sources import records_of
    from reports import standings

    if as_json and as_csv:
        raise typer.BadParameter("--json and --csv exclude each other")
    table = standings.compute(records_of(sources))
    if as_json:
        print(json.dumps(standings.to_json(table), indent=2, ensure_ascii=False))
    elif as_csv:
        sys.stdout.write(standings.to_csv(table).replace("\r\n", "\n"))
    else:
        from arena.tables import print_standings

        print_standings(table, to_stdout=True)


def report(
    sources: Sources,
    out: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Where the page is written.")
    ] = Path("report.html"),
    title: Annotated[str | None, typer.Option("--title", help="The page's heading.")] = None,
) -> None:
    """Write the HTML report: one file with standings, all games and their replays.

    Example: arena report tournament -o report.html
    """
    from arena.sources import records_of
    from notation.files import write_atomically
    from reports.page import render

    records = list(records_of(sources))
    if not records:
        raise ArenaError(f"no records in {', '.join(map(str, sources))}")
    try:
        write_atomically(out, [render(records, title=title).encode()])
    except OSError as error:
        raise ConfigError(f"{out} cannot be written: {error.strerror}") from error
    print(f"{out}: {len(records)} games", file=sys.stderr)
