"""How a run ended: what people and programs are told, and its exit status."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

import typer

from lath.arena.errors import ArenaError, ConfigError, DiskError
from lath.arena.tournament.blame import end_words
from lath.arena.tournament.signals import ignore

if TYPE_CHECKING:
    from lath.arena.tournament.events import Events
    from lath.arena.tournament.observer import Summary
    from lath.arena.tournament.progress import Progress

FILES = (
    *("tournament.toml", "games.lath", "outcome.json"),
    *("standings.json", "standings.csv", "report.html"),
)
"""What a run may leave in its directory."""


def tell(summary: Summary, progress: Progress, out: Path, *, quiet: bool) -> int:
    """Say how a run ended; return its exit status."""
    if summary.interrupted:
        ignore()  # it is ending: another Ctrl-C would only spoil the words
        return _tell_interrupted(summary, progress, out, quiet=quiet)
    if summary.standings and not quiet:
        from lath.arena.terminal.bot_tables import print_bots
        from lath.arena.terminal.tables import print_standings

        _print_outcome(summary, progress)
        print_standings(summary.standings)
        print_bots(summary.bots, summary.notes)
        if summary.unreported is None:
            print(f"report: {out / 'report.html'}", file=sys.stderr)
    for words in end_words(summary.stopped, progress.warnings):
        print(f"arena: {words}", file=sys.stderr)
    if not summary.is_complete:
        print(f"arena: {summary.done} of {summary.total} games are played", file=sys.stderr)
    if summary.unreported is not None:
        told = f"all games are kept, but no report could be made: {summary.unreported}"
        print(f"arena: {told}; try again with: {_report_command(out)}", file=sys.stderr)
        return 4
    return 0 if summary.is_complete and not summary.stopped else 1


def _tell_interrupted(summary: Summary, progress: Progress, out: Path, *, quiet: bool) -> int:
    if summary.bots and not quiet:
        from lath.arena.terminal.bot_tables import print_bots
        from lath.arena.terminal.live import print_progress

        print_progress(progress)
        _print_outcome(summary, progress)
        print_bots(summary.bots, summary.notes)
    told = f"{summary.done} of {summary.total} games are played and kept; go on with"
    print(f"arena: {told}: {_command(out)}", file=sys.stderr)
    return 3


def _print_outcome(summary: Summary, progress: Progress) -> None:
    """Print what it has come to by the rules of its format."""
    from lath.arena.terminal.results import print_outcome
    from lath.arena.tournament.outcomes import outcome_of

    print_outcome(outcome_of(progress.config, summary))


def _command(out: Path) -> str:
    return f"arena run --out {shlex.quote(str(out))}"


def _report_command(out: Path) -> str:
    folder = shlex.quote(str(out))
    return f"arena report {folder} -o {shlex.quote(str(out / 'report.html'))}"


@contextmanager
def resumable(out: Path) -> Iterator[None]:
    """Let a run that a signal or a full or failing disk has ended say how it goes on."""
    try:
        yield
    except KeyboardInterrupt:  # before there was anything to count
        ignore()
        print(f"arena: interrupted; go on with: {_command(out)}", file=sys.stderr)
        raise typer.Exit(3) from None
    except DiskError as error:
        told = f"{error}; when the disk is well, go on with: {_command(out)}"
        raise DiskError(told, is_full=error.is_full) from error


def files_of(out: Path) -> dict[str, str]:
    """Return the paths of what a run has left, by name."""
    return {name: str((out / name).resolve()) for name in FILES if (out / name).is_file()}


def _status_of(error: ArenaError) -> int:
    """Return the exit status that an error will have."""
    if isinstance(error, DiskError):
        return 5
    return 2 if isinstance(error, ConfigError) else 1


@contextmanager
def events_of(progress: Progress, *, to_stdout: bool, path: Path | None) -> Iterator[Events | None]:
    """Give what tells programs of a run, None where nobody asked; raises ConfigError.

    What could not be written does not stop the run; people are told of it in the end.
    """
    if not to_stdout and path is None:
        yield None
        return
    from lath.arena.terminal.streams import Steadfast
    from lath.arena.tournament.events import Events

    try:
        stream = sys.stdout if path is None else path.open("w", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from error
    steadfast = Steadfast(stream)
    events = Events(progress, cast("TextIO", steadfast))
    progress.listeners.append(events)
    try:
        yield events
    except ArenaError as error:
        events.failed(str(error), _status_of(error))
        raise
    finally:
        if path is not None:
            stream.close()
        if steadfast.failure is not None:
            why = steadfast.failure.strerror
            where = path or "standard output"
            print(f"warning: events could not be written to {where}: {why}", file=sys.stderr)
