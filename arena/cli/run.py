"""`arena run`: a tournament's configuration from file and flags, and in words how a run ended.

Must not know how a tournament is played.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TextIO, cast

import typer

from lath.arena import signals
from lath.arena.cli.bots import time_of, words_of
from lath.arena.cli.main import App, argument, flag, option, positive
from lath.arena.errors import BUG, INTERRUPTED, ArenaError, ConfigError, DiskError, MachineError
from lath.arena.referee import trees
from lath.arena.terminal.layout import Output
from lath.arena.terminal.live import screen, standings
from lath.arena.terminal.streams import Steadfast, data_output
from lath.arena.tournament.config import Config, build, demo, load, sprt_table, time_table
from lath.arena.tournament.database import CONFIG
from lath.arena.tournament.events import Progress, RunFailed, Summary, end_words, json_lines
from lath.arena.tournament.folder import run as play
from lath.arena.tournament.programs import resolve
from lath.arena.tournament.sources import played_in

app = App()

DEFAULT_FOLDER = Path("tournament")

FILES = (
    *("tournament.toml", "games.lath", "outcome.json"),
    *("standings.json", "standings.csv", "report.html"),
)
"""What a run may leave in its directory."""


def print_end(
    summary: Summary, progress: Progress, out: Path, *, quiet: bool, with_report: bool = True
) -> int:
    """Say how a run ended; return its exit status."""
    if (summary.bots or summary.standings) and not quiet:
        from lath.arena.terminal.tables import print_bots, print_outcome, print_standings

        output = Output()
        if summary.interrupted:
            rows = 1 + len(progress.scores)
            output.lines(standings(progress, output.width, rows, output.letters))
        print_outcome(summary.outcome, output)
        if summary.standings:
            print_standings(summary.standings, output)
        print_bots(summary.bots, summary.notes)
        if summary.standings and with_report and summary.unreported is None:
            print(f"report: {out / 'report.html'}", file=sys.stderr)
    played = f"{summary.done} of {summary.total} games are played"
    if summary.interrupted:
        print(f"arena: {played} and kept; go on with: {_command(out)}", file=sys.stderr)
        return INTERRUPTED
    for words in end_words(summary.stopped, progress.warnings):
        print(f"arena: {words}", file=sys.stderr)
    if not summary.is_complete:
        print(f"arena: {played}", file=sys.stderr)
    if summary.unreported is not None:
        words = f"all games are kept, but no report could be made: {summary.unreported}"
        command = shlex.join(["arena", "report", str(out), "-o", str(out / "report.html")])
        print(f"arena: {words}; try again with: {command}", file=sys.stderr)
        return BUG
    return 0 if summary.is_complete and not summary.stopped else 1


def _command(out: Path) -> str:
    return f"arena run --out {shlex.quote(str(out))}"


@contextmanager
def resumable(out: Path) -> Iterator[None]:
    """Let a run that a signal, a disk or what the machine lacks has ended say how it goes on."""
    try:
        yield
    except KeyboardInterrupt:  # before there was anything to count
        if not (out / CONFIG).is_file():  # nor anything to go on with
            raise
        print(f"arena: interrupted; go on with: {_command(out)}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    except (DiskError, MachineError) as error:
        what = "disk" if isinstance(error, DiskError) else "machine"
        error.args = (f"{error}; when the {what} is well, go on with: {_command(out)}",)
        raise


@contextmanager
def events_of(progress: Progress, *, to_stdout: bool, path: Path | None) -> Iterator[None]:
    """Tell programs of a run, where somebody asked; raises ConfigError.

    What could not be written does not stop the run; people are told of it in the end.
    """
    if not to_stdout and path is None:
        yield
        return
    try:
        with signals.interruptible():  # a pipe is open when somebody reads
            stream = data_output() if path is None else path.open("w", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from error
    steadfast = Steadfast(stream)
    progress.listeners.append(json_lines(cast("TextIO", steadfast)))
    try:
        yield
    except ArenaError as error:
        progress(RunFailed(error=str(error), status=error.status))
        raise
    finally:
        if path is not None:
            steadfast.close()
        if steadfast.failure is not None:
            words = f"events could not be written to {path or 'standard output'}"
            print(f"warning: {words}: {steadfast.failure.strerror}", file=sys.stderr)


@app.command()
def run(
    config: Annotated[
        Path | None, argument("CONFIG.toml", "The tournament; else the built-in demo.")
    ] = None,
    out: Annotated[Path, option("--out", "DIR", "Where everything is written.")] = DEFAULT_FOLDER,
    bot: Annotated[
        list[str] | None, option("--bot", "NAME=CMD", "A bot; NAME alone for a bundled one.")
    ] = None,
    game: Annotated[list[str] | None, option("--game", "GAME", "A game to play.")] = None,
    rounds: Annotated[int | None, positive("--rounds", "Rounds.")] = None,
    tc: Annotated[
        str | None, option("--tc", "TIME", "10+0.1 (seconds), 'move 0.5', 'nodes 1000' or none.")
    ] = None,
    jobs: Annotated[
        str | None, option("--jobs", "N", "Games at the same time; auto: one a core.")
    ] = None,
    seed: Annotated[int | None, option("--seed", "N", "For all chance.", min=0)] = None,
    format_: Annotated[
        str | None, option("--format", "F", "round-robin, gauntlet, swiss, knockout or match.")
    ] = None,
    challengers: Annotated[
        int | None, positive("--challengers", "Gauntlet: the first N bots.")
    ] = None,
    pairs: Annotated[
        int | None, positive("--pairs", "Swiss, knockout: setups per game and encounter.")
    ] = None,
    sprt: Annotated[
        str | None, option("--sprt", "ELO0,ELO1[,ALPHA,BETA]", "Match: when it is decided.")
    ] = None,
    openings: Annotated[Path | None, option("--openings", "FILE", "Where games begin.")] = None,
    pin: Annotated[
        str | None, option("--pin", "auto|off", "auto: each game has cores of its own.")
    ] = None,
    log: Annotated[
        str | None, option("--log", "bad|all", "Of which games the lines are kept.")
    ] = None,
    force: Annotated[bool, flag("--force", "Go on though a bot's files have changed.")] = False,
    no_report: Annotated[
        bool, flag("--no-report", "Write no HTML report; `arena report` makes one later.")
    ] = False,
    json_events: Annotated[
        bool, flag("--json-events", "Print what happens as JSON lines.")
    ] = False,
    json_events_to: Annotated[
        Path | None, option("--json-events-to", "FILE", "Write them to a file instead.")
    ] = None,
    disk_patience: Annotated[
        float,
        option(
            "--disk-patience",
            "SECONDS",
            "How long to wait for room on a full disk, or what else is lacking.",
            min=0.0,
        ),
    ] = 600.0,
    quiet: Annotated[bool, flag("--quiet -q", "Say nothing but warnings and errors.")] = False,
    verbose: Annotated[bool, flag("--verbose -v", "Tell of every game that ends.")] = False,
) -> None:
    """Play a tournament, or go on with one.

    Started again on the same directory it goes on where it stopped.

    Exit status 0 when every game is played, 1 when a pairing had to be stopped, 3 after Ctrl-C,
    4 when no report could be made, 5 when the disk is full or failing, or the machine lacks
    memory, processes or open files: nobody loses by it, and the same command goes on later.

    Example: arena run --bot greedy --bot mine="node mybot.js" --game yavalath --rounds 10
    """
    given = {
        "games": game,
        "rounds": rounds,
        "seed": seed,
        "format": format_,
        "challengers": challengers,
        "pairs": pairs,
        "pin": pin,
        "log": log,
        "jobs": int(jobs) if jobs and jobs.isdigit() else jobs,
        "time": None if tc is None else time_table(time_of(tc)),
        "sprt": None if sprt is None else sprt_table(sprt),
        "openings": None if openings is None else {"file": str(openings.resolve())},
        "bot": [_bot_flag(text) for text in bot or ()] or None,
    }
    flags = {name: value for name, value in given.items() if value is not None}
    with signals.interruptible():
        tournament = _configured(config, out, flags, quiet=quiet)
    progress = Progress(tournament)
    trees.adopt_orphans()  # of bots that are greeted here, and of workers that die
    is_shared = json_events and json_events_to is None and sys.stdout.isatty()
    with events_of(progress, to_stdout=json_events, path=json_events_to), resumable(out):
        with screen(progress, quiet=quiet, verbose=verbose, is_shared=is_shared):
            summary = play(
                tournament,
                out,
                progress,
                force=force,
                with_report=not no_report,
                patience_s=disk_patience,
            )
        status = print_end(summary, progress, out, quiet=quiet, with_report=not no_report)
        files = {name: str((out / name).resolve()) for name in FILES if (out / name).is_file()}
        progress(progress.ended(summary, status, files))
    if summary.unreported is not None:
        raise summary.unreported  # a bug: its place is told
    raise typer.Exit(status)


def _bot_flag(text: str) -> dict[str, Any]:
    """Return a bot's table; its files are those of the current folder, whatever the file's is."""
    name, equals, command = text.partition("=")
    if not equals:
        return {"name": name}
    words = words_of(command, of=f"--bot {name}: ") if command else ()
    return {"name": name, "command": list(resolve(words, Path.cwd())) if words else []}


def _configured(config: Path | None, out: Path, flags: dict[str, Any], *, quiet: bool) -> Config:
    """Return the tournament: the file, else what `out` holds, else the demo, and flags over it.

    Raises ConfigError where a file may be meant.
    """
    played = played_in(out)
    if config is not None:
        return load(config, config.parent, flags, played=played)
    if (out / CONFIG).is_file():
        return load(out / CONFIG, Path(), flags, played=played)
    if "bot" in flags:
        return build({**demo(), "event": "Tournament", **flags}, Path(), played=played)
    if Path(CONFIG).is_file():
        raise ConfigError(
            f"there is a {CONFIG} here: name it, `arena run {CONFIG}`, or name the bots with "
            "--bot; the built-in demo is played in a folder without it"
        )
    if not quiet:
        print(f"no CONFIG and no --bot: the built-in demo is played into {out}", file=sys.stderr)
    return build({**demo(), **flags}, Path())
