"""What people see while a tournament runs: a live view in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.config import Config
from arena.runner import Observer
from arena.tables import framed
from arena.worker import GameResult, PairResult

REFRESH_S: Final = 0.25

PLAIN_S: Final = 10.0
"""How often a line is printed where there is no terminal."""

_POINTS: Final = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}


class _Progress:
    """What has happened so far, counted."""

    def __init__(self, config: Config) -> None:
        self.config: Final = config
        self.done = 0
        self.total = 0
        self.here = 0
        """Games played by this run."""
        self.began_s = time.monotonic()
        self.points: Final = dict.fromkeys(config.names, 0.0)
        self.games: Final = dict.fromkeys(config.names, 0)
        self.mishaps: Final = dict.fromkeys(config.names, 0)

    def started(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        self.began_s = time.monotonic()

    def finished(self, result: PairResult) -> None:
        for game in result.games:
            self.done += 1
            self.here += 1
            self._count(game)

    def _count(self, game: GameResult) -> None:
        names = (game.first, game.second)
        for name, points in zip(names, _POINTS[game.result], strict=True):
            self.points[name] += points
            self.games[name] += 1
        if game.termination not in ("rules", "resignation"):
            self.mishaps[names[game.result == "1-0"]] += 1

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


def _warning(text: str) -> Text:
    return Text(f"warning: {text}", style="yellow")


class _Plain(_Progress):
    """Prints a line now and then."""

    def __init__(self, config: Config, console: Console, quiet: bool) -> None:
        super().__init__(config)
        self._console = console
        self._quiet = quiet
        self._next_s = time.monotonic() + PLAIN_S

    def warned(self, text: str) -> None:
        self._console.print(_warning(text), soft_wrap=True)

    def waited(self) -> None:
        if not self._quiet and time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + PLAIN_S
            self._console.print(self.words(), soft_wrap=True)

    def close(self) -> None:
        if not self._quiet:
            self._console.print(self.words(), soft_wrap=True)


class _Live(_Progress):
    """Draws a table that follows the games."""

    def __init__(self, config: Config, live: Live) -> None:
        super().__init__(config)
        self._live = live
        self._next_s = 0.0

    def warned(self, text: str) -> None:
        self._live.console.print(_warning(text), soft_wrap=True)

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


@contextmanager
def screen(config: Config, *, quiet: bool) -> Iterator[Observer]:
    """Give an observer that shows the run on standard error, and leave its last state there."""
    console = Console(stderr=True, highlight=False)
    if quiet or not console.is_terminal or not sys.stderr.isatty():
        plain = _Plain(config, console, quiet)
        yield plain
        plain.close()
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        view = _Live(config, live)
        yield view
    console.print(view.words(), soft_wrap=True)
