"""What people see while a tournament runs: a live view in a terminal, plain lines elsewhere."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Final, TextIO, cast

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.config import Config
from arena.runner import Observer
from arena.store import Tally
from arena.tables import framed
from arena.worker import PairResult

REFRESH_S: Final = 0.25

PLAIN_S: Final = 10.0
"""How often a line is printed where there is no terminal."""

_POINTS: Final = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}


class _Progress:
    """What has happened so far, counted."""

    def __init__(self, config: Config, console: Console, verbose: bool) -> None:
        self.config: Final = config
        self.console: Final = console
        self._verbose: Final = verbose
        self.done = 0
        self.total = 0
        self.here = 0
        """Games played by this run."""
        self.began_s = time.monotonic()
        self.points: Final = dict.fromkeys(config.names, 0.0)
        self.games: Final = dict.fromkeys(config.names, 0)
        self.mishaps: Final = dict.fromkeys(config.names, 0)

    def started(self, stored: Sequence[Tally], total: int) -> None:
        self.total = total
        self.began_s = time.monotonic()
        for tally in stored:
            self._count(tally)

    def finished(self, result: PairResult) -> None:
        for game in result.games:
            self.here += 1
            self._count(Tally(game.first, game.second, game.result, game.termination, 1))
            if self._verbose:
                line = f"{game.number}. {game.game}: {game.first} - {game.second} {game.result}"
                self._print(Text(f"{line} ({game.termination}, {game.plies} plies)"))

    def warned(self, text: str) -> None:
        self._print(Text(f"warning: {text}", style="yellow"))

    def _print(self, line: Text) -> None:
        self.console.print(line, soft_wrap=True)

    def _count(self, tally: Tally) -> None:
        self.done += tally.games
        names = (tally.first, tally.second)
        for name, points in zip(names, _POINTS[tally.result], strict=True):
            self.points[name] += points * tally.games
            self.games[name] += tally.games
        if tally.termination not in ("rules", "resignation"):
            self.mishaps[names[tally.result == "1-0"]] += tally.games

    @property
    def rate(self) -> float:
        """Return games a second."""
        return self.here / max(time.monotonic() - self.began_s, 1e-6)

    def words(self) -> str:
        """Return games done, rate and time left on one line."""
        left = (self.total - self.done) / self.rate if self.here else None
        ahead = f", {_span(left)} left" if left else ""
        return f"{self.done} of {self.total} games, {self.rate:.1f} games/s{ahead}"


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes}:{rest:02}"


class _Plain(_Progress):
    """Prints a line now and then."""

    def __init__(self, config: Config, console: Console, verbose: bool, quiet: bool) -> None:
        super().__init__(config, console, verbose)
        self._quiet = quiet
        self._next_s = time.monotonic() + PLAIN_S

    def waited(self) -> None:
        if not self._quiet and time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + PLAIN_S
            self._print(Text(self.words()))

    def close(self) -> None:
        if not self._quiet:
            self._print(Text(self.words()))


class _Live(_Progress):
    """Draws a table that follows the games."""

    def __init__(self, config: Config, live: Live, verbose: bool) -> None:
        super().__init__(config, live.console, verbose)
        self._live = live
        self._next_s = 0.0

    def waited(self) -> None:
        if time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + REFRESH_S
            self._live.update(self._view(), refresh=True)

    def _view(self) -> Group:
        table = framed(self.config.event)
        for heading in ("bot", "points", "games", "%", "forfeits"):
            table.add_column(heading, justify="left" if heading == "bot" else "right")
        for name in sorted(self.points, key=lambda name: -self._share(name)):
            table.add_row(
                Text(name),
                f"{self.points[name]:g}",
                str(self.games[name]),
                f"{self._share(name):.1%}" if self.games[name] else "-",
                str(self.mishaps[name]) if self.mishaps[name] else "",
            )
        progress = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=max(self.total, 1), completed=self.done, width=30)
        progress.add_row(bar, Text(self.words()))
        jobs = f"{self.config.jobs} at a time; Ctrl-C stops, nothing finished is lost"
        return Group(table, progress, Text(jobs, style="dim"))

    def _share(self, name: str) -> float:
        return self.points[name] / self.games[name] if self.games[name] else 0.0


class _Steadfast(io.TextIOBase):
    """A stream whose reader may go away: the games go on, and nobody is told any more."""

    def __init__(self, stream: TextIO) -> None:
        self._stream: Final = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a plain attribute of its base
        return self._stream.encoding

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def write(self, text: str) -> int:
        try:
            self._stream.write(text)
        except OSError:
            self._let_go()
        return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            self._let_go()

    def _let_go(self) -> None:
        """Send what is still in the stream's buffer, and all that follows, nowhere."""
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - a device
            os.dup2(nowhere.fileno(), self._stream.fileno())


@contextmanager
def screen(config: Config, *, quiet: bool, verbose: bool = False) -> Iterator[Observer]:
    """Give an observer that shows the run on standard error, and leave its last state there."""
    console = Console(file=cast("IO[str]", _Steadfast(sys.stderr)), highlight=False)
    if quiet or not console.is_terminal:
        plain = _Plain(config, console, verbose, quiet)
        yield plain
        plain.close()
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        view = _Live(config, live, verbose)
        yield view
    console.print(view.words(), soft_wrap=True)
