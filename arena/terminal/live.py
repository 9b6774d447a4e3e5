"""What people see while a tournament runs: a live view in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.live import Live
from rich.text import Text

from lath.arena.terminal.layout import Frame
from lath.arena.terminal.sheets import letters_of, roomy, stderr_console
from lath.arena.terminal.view import often, picture, progress_words, standings
from lath.arena.tournament.jobs import PairJob, PairResult
from lath.arena.tournament.progress import Progress

if TYPE_CHECKING:
    from rich.console import Console

REFRESH_S: Final = 0.25

PLAIN_S: Final = 10.0
"""How often a line is printed where there is no terminal."""

COST: Final = 50
"""The picture is drawn less often where drawing would take more than a fiftieth of a core."""


class _Lines:
    """Prints what happens line by line: warnings, and every game where that is wanted."""

    def __init__(self, console: Console, *, verbose: bool) -> None:
        self.console: Final = console
        self.letters: Final = letters_of(console)
        self._verbose: Final = verbose

    def started(self) -> None:
        """Say nothing."""

    def began(self, job: PairJob, slot: int) -> None:
        """Say nothing."""

    def finished(self, result: PairResult) -> None:
        """Print a line a game."""
        for game in result.games if self._verbose else ():
            line = f"{game.number}. {game.game}: {game.first} - {game.second} {game.result}"
            self.print(f"{line} ({game.termination}, {game.plies} plies)")

    def warned(self, text: str) -> None:
        """Print it."""
        self.print(f"warning: {text}", "yellow")

    def stopped(self, pairing: Collection[str], why: str, words: str) -> None:  # noqa: ARG002
        """Print it as a warning."""
        self.warned(words)

    def waited(self) -> None:
        """Say nothing."""

    def print(self, line: str, style: str = "") -> None:
        """Print a line that may have anything in it."""
        self.console.print(self.text(line, style), soft_wrap=True)

    def text(self, line: str, style: str = "") -> Text:
        """Return a line that may have anything in it for Rich."""
        return Text(self.letters.plain(line), style=style)


class _Plain(_Lines):
    """Prints how far it is, now and then, and how it stands by the rules of the format."""

    def __init__(self, progress: Progress, console: Console, *, verbose: bool) -> None:
        super().__init__(console, verbose=verbose)
        self._progress: Final = progress
        self._next_s = progress.clock() + PLAIN_S

    def waited(self) -> None:
        """Print a line every `PLAIN_S`."""
        if self._progress.clock() >= self._next_s:
            self._next_s = self._progress.clock() + PLAIN_S
            self.tell()
            for line in self._progress.standing().words:
                self.print(line)

    def tell(self) -> None:
        """Print how far it is; nothing of a run that was refused."""
        if self._progress.total:
            self.print(", ".join(progress_words(self._progress)))


class _Live(_Lines):
    """Draws a picture that follows the games."""

    def __init__(self, progress: Progress, live: Live, *, verbose: bool) -> None:
        super().__init__(live.console, verbose=verbose)
        self._progress: Final = progress
        self._live: Final = live
        self._next_s = 0.0
        self._width = 0
        self._waiting: Final[list[Text]] = []
        """Lines to print when the picture is drawn: each print would draw it once more."""

    def print(self, line: str, style: str = "") -> None:
        """Print a line above the picture the next time that it is drawn."""
        self._waiting.append(self.text(line, style))

    def _print_waiting(self) -> None:
        if self._waiting:
            self.console.print(*self._waiting, sep="\n", soft_wrap=True)
            self._waiting.clear()

    def warned(self, text: str) -> None:
        """Say nothing: the picture has the last warnings."""

    def stopped(self, pairing: Collection[str], why: str, words: str) -> None:
        """Say nothing: it is one of the warnings."""

    def waited(self) -> None:
        """Draw the picture again, where it is time."""
        now_s = self._progress.clock()
        if now_s >= self._next_s:
            before_s = time.thread_time()
            self._draw()
            cost_s = time.thread_time() - before_s
            self._next_s = now_s + max(REFRESH_S, COST * cost_s)

    def _draw(self) -> None:
        width, height = self.console.size
        if width < self._width:  # the terminal has broken the lines of the picture before
            self.console.clear()
        self._width = width
        self._print_waiting()
        lines = picture(self._progress, width, height, self.letters)
        self._live.update(Frame(lines), refresh=True)

    def leave(self) -> None:
        """Print the last warnings, which were in the picture, and how far it came."""
        warnings = self._progress.warnings
        earlier = self._progress.warned_times - sum(warnings.values())
        if earlier > 0:
            self.print(f"warning: {earlier} earlier ones are left out", "yellow")
        for text, times in warnings.items():
            super().warned(often(text, times))
        if self._progress.total:
            self.print(", ".join(progress_words(self._progress)))
        self._print_waiting()


@contextmanager
def screen(
    progress: Progress, *, quiet: bool, verbose: bool = False, is_shared: bool = False
) -> Iterator[None]:
    """Show the run on standard error, and leave its last state there.

    `is_shared`: something else writes to the terminal.
    """
    console = stderr_console()
    if quiet:
        progress.listeners.append(_Lines(console, verbose=verbose))
        yield
    elif is_shared or not console.is_terminal or console.is_dumb_terminal:
        plain = _Plain(progress, console, verbose=verbose)
        progress.listeners.append(plain)
        yield
        plain.tell()
    else:
        with _live(progress, console, verbose=verbose):
            yield


@contextmanager
def _live(progress: Progress, console: Console, *, verbose: bool) -> Iterator[None]:
    live = Live(
        console=console,
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        vertical_overflow="crop",
    )
    view = _Live(progress, live, verbose=verbose)
    progress.listeners.append(view)
    try:
        with live:
            yield
    finally:
        view.leave()


def print_progress(progress: Progress) -> None:
    """Print the standings of a run that goes on another time."""
    console = roomy(stderr_console())
    rows = 1 + len(progress.lines)
    console.print(Frame(standings(progress, console.width, rows, letters_of(console))))
    console.line()
