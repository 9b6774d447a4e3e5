"""The end of a run: events for programs, tables, advice to resume, and the exit status."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Final, TextIO, cast

import typer

from lath.arena.cli.outputs import Target
from lath.arena.directory import CONFIG, REPORT
from lath.arena.errors import (
    BUG,
    FAULT,
    INTERRUPTED,
    ArenaError,
    ConfigError,
    DiskError,
    MachineError,
)
from lath.arena.flows.requests import Audience
from lath.arena.machine import signals
from lath.arena.publishing.pages import lay_out
from lath.arena.terminal.layout import Output
from lath.arena.terminal.live import screen, standings
from lath.arena.terminal.notices import print_error, print_note, print_warning
from lath.arena.terminal.streams import Steadfast, data_output
from lath.arena.tournament.outcome.sources import background_of, forfeits_in, record_and_log_of
from lath.arena.tournament.run.events import Event, GameEnded, RunFailed, Waiting, json_lines
from lath.arena.tournament.run.progress import Progress, RunSummary, benched_words, end_words
from lath.notation.record.tags import Termination


def print_end(
    summary: RunSummary,
    progress: Progress,
    out: Path,
    *,
    quiet: bool,
    with_report: bool = True,
    to_stdout: bool = True,
) -> int:
    """Print how a run ended, with tables if standard output is free; return its exit status.

    A failure to print changes nothing else, because the results are in the directory.
    """
    if (summary.bots or summary.standings) and not quiet:
        output = Output(to_stdout=to_stdout, of_run=True)
        _print_tables(summary, progress, out, output)
        if output.failure is not None:
            print_warning(f"tables could not be written: {output.failure.strerror}")
        if summary.standings and with_report and summary.unreported is None:
            print(f"report: {out / 'report.html'}", file=sys.stderr)
    unsound = summary.standings.unsound if summary.standings else ()
    if unsound:
        from lath.reports.event.export import invalid_words  # start-up time

        print_warning(invalid_words([asdict(one) for one in unsound]))
    played = f"{summary.done}{'' if progress.is_endless else f' of {summary.total}'} games"
    resume = _resuming(out)
    if summary.interrupted:
        again = "a finished game whose return game was missing will be played again"
        print_note(f"interrupted after {played}, which are kept; {again}", hint=resume)
        return INTERRUPTED
    print_end_words(summary, progress, benched_words(summary, out))
    if summary.is_spent:
        print_note(f"the budget is spent after {played}", hint=resume)
    elif not summary.is_complete:
        print_warning(f"only {played} were played")
    if summary.unreported is not None:
        words = f"could not be written, but all games are kept: {summary.unreported}"
        command = shlex.join(["arena", "report", str(out), "-o", str(out / REPORT)])
        print_error(f"{out / REPORT}: {words}\nhint: {command}")
        return BUG
    return 0 if summary.is_fine and not unsound else 1


def _print_tables(summary: RunSummary, progress: Progress, out: Path, output: Output) -> None:
    """Print the results and the games that failed; without standings print the scores."""
    from lath.arena.terminal.tables import (
        print_bots,
        print_outcome,
        print_season,
        print_standings,
        print_versions,
    )  # start-up time
    from lath.reports.event.background import completed

    outcome = summary.outcome
    if summary.standings is None:
        output.lines(standings(progress, output.width, 1 + len(progress.scores), output.letters))
    else:
        outcome = completed(outcome, summary.standings)
    print_season(summary.season, output)
    print_outcome(outcome, output)
    if summary.standings:
        print_standings(summary.standings, output)
        with suppress(ArenaError):  # commands that read the games report it
            print_versions(background_of([out]), summary.standings, output)
    print_bots(summary.bots, summary.notes, output, "all seasons" if summary.season else "")
    print_faults(summary, out, output)


def audience(*, quiet: bool, verbose: bool = False, is_shared: bool = False) -> Audience:
    """Return the audience of a command in a terminal that owns its process."""
    return Audience(
        tell=(lambda _: None) if quiet else partial(print, file=sys.stderr),
        note=print_note,
        watched=partial(screen, quiet=quiet, verbose=verbose, is_shared=is_shared),
        is_alone=True,
    )


def print_end_words(summary: RunSummary, progress: Progress, more: Iterable[str] = ()) -> None:
    """Print warnings on stopped pairings and failed games, and then `more`."""
    for words in (*end_words(summary.stopped, progress.causes), *more):
        print_warning(words)


def fault_words(summary: RunSummary) -> Iterator[str]:
    """Yield a line per bot on the games that it forfeited."""
    for bot in summary.bots:
        if faults := [f"{count} by {ending}" for ending, count in bot.lost_by.items() if count]:
            yield f"{bot.name} lost by its own fault: {', '.join(faults)}"


def print_faults(summary: RunSummary, out: Path, output: Output) -> None:
    """Print the first forfeited games, and the command that shows more of them."""
    from lath.arena.terminal.tables import MOST_FORFEITS, print_forfeits  # start-up time

    if any(sum(bot.lost_by.values()) for bot in summary.bots):
        with suppress(ArenaError):  # commands that read the games report it
            print_forfeits(forfeits_in(out, MOST_FORFEITS), shlex.quote(str(out)), output)


def tell_report(out: Path, name: str, *, is_named: bool) -> None:
    """Copy the report of a match into the current folder, and print its path as the last line.

    If the user named the directory (`is_named`), the report stays there.
    """
    report = out / REPORT
    if not report.is_file():
        return
    if not is_named:
        try:
            report = lay_out(report, name)
        except OSError as error:
            print_warning(f"no report could be written to this folder: {error.strerror}")
    print(f"report: {report}", file=sys.stderr)


@contextmanager
def unhurt_output(what: str) -> Iterator[None]:
    """Ignore errors of printing; warn that `what` could not be written if the disk is full.

    The exit status has the same information, and all results are in the directory.
    """
    stream = Steadfast(sys.stdout)
    with redirect_stdout(cast("TextIO", stream)):
        try:
            yield
        finally:
            stream.flush()
    if stream.failure is not None:
        print_warning(f"{what} could not be written: {stream.failure.strerror}")


FAIL_ON: Final = {
    "crash": Termination.CRASH,
    "flood": Termination.FLOOD,
    "illegal": Termination.ILLEGAL_MOVE,
    "time": Termination.TIME,
}
"""The endings that `--fail-on` can name."""

MOST_FAILURES: Final = 10
"""The maximum of games that are listed."""


class Failures:
    """An event listener that collects the games with an ending named by `--fail-on`."""

    def __init__(self, text: str) -> None:
        """Read the value of `--fail-on`; raises ConfigError."""
        words = [word.strip() for word in text.split(",")] if text else []
        for word in words:
            if word not in FAIL_ON:
                known = ", ".join(FAIL_ON)
                raise ConfigError(f"--fail-on: {word!r} is not one of {known}, separated by commas")
        self._endings: Final = {FAIL_ON[word] for word in words}
        self._games = 0
        self._first: Final[list[GameEnded]] = []

    def __call__(self, event: Event | Waiting) -> None:
        """Note a game with such an ending."""
        if isinstance(event, GameEnded) and event.termination in self._endings:
            self._games += 1
            if len(self._first) < MOST_FAILURES:
                self._first.append(event)

    def status(self, status: int, out: Path) -> int:
        """Print these games; return `status`, or 1 if it is 0 and there are such games."""
        for game in self._first:
            words = f"{game.loser} lost by {game.termination}"
            with suppress(ArenaError):  # a stored game is hardly ever unreadable
                if (forfeit := record_and_log_of(out, game.number)[0].forfeit) is not None:
                    words = f"ply {forfeit.ply}: {words}: {forfeit.in_short}"
            print_error(f"--fail-on: game {game.number}, {game.game}, {words}")
        if more := self._games - len(self._first):
            print_error(f"--fail-on: {more} more games")
        return (status or FAULT) if self._games else status


def _resuming(out: Path, text: str = "") -> str:
    """Return advice on how to resume a run with this configuration."""
    with suppress(OSError):
        if text and (out / CONFIG).read_bytes() != text.encode():
            return "run the same command again to resume"
    return f"resume with: arena run --output {shlex.quote(str(out))}"


@contextmanager
def resumable(out: Path, text: str) -> Iterator[None]:
    """Add advice on how to resume to an interruption, a DiskError or a MachineError.

    `text` is the intended content of `tournament.toml`. If the file does not have it yet, the
    advice is to repeat the command.
    """
    try:
        yield
    except KeyboardInterrupt:  # before the first game
        if not (out / CONFIG).is_file():  # nothing to resume
            raise
        print_note("interrupted", hint=_resuming(out, text))
        raise typer.Exit(INTERRUPTED) from None
    except (DiskError, MachineError) as error:
        what = "disk" if isinstance(error, DiskError) else "machine"
        resume = f"when the {what} has recovered, {_resuming(out, text)}"
        error.hint = "\n".join(filter(None, (error.hint, resume)))
        raise


@contextmanager
def events_of(progress: Progress, *, to_stdout: bool, output: Target | None) -> Iterator[None]:
    """Write the run's events for programs, if requested; raises ConfigError.

    A failed write does not stop the run, but prints a warning at the end.
    """
    path = output.path if output else None
    if not to_stdout and output is None:
        yield
        return
    if output is not None:
        output.refuse()
    try:
        with signals.interruptible():  # opening a pipe waits for its reader
            stream = data_output() if path is None else path.open("w", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from error
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
            print_warning(f"{words}: {steadfast.failure.strerror}")
