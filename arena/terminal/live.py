"""What people see while a tournament runs: a live view in a terminal, plain lines elsewhere.

Must not know how it gets to the screen: `picture` returns lines that fit the room it is told.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.live import Live
from rich.text import Text

from lath.arena.schedule.sprt import elo_of
from lath.arena.terminal.layout import (
    Column,
    Frame,
    Letters,
    Line,
    Output,
    Part,
    console_of,
    forfeits,
    laid_out,
    letters_of,
    names,
    often,
    share_rows,
    span,
)
from lath.arena.tournament.events import (
    BotStanding,
    Event,
    GameEnded,
    PairBegan,
    PairingStopped,
    Progress,
    Status,
    Waiting,
    Warned,
)

if TYPE_CHECKING:
    from rich.console import Console


BAR: Final = 30
"""Columns of the widest bar."""

LEAST_BAR: Final = 5

LABEL: Final = 9
"""Columns for the word before what runs and what is warned of."""

MAX_RUNNING: Final = 8
MAX_WARNINGS: Final = 3
MAX_STANDING: Final = 6

SPLIT: Final = 80
"""Columns from which on forfeits are told apart."""

HINT: Final = "Ctrl-C stops; nothing finished is lost"


def picture(progress: Progress, width: int, height: int, letters: Letters) -> list[Line]:
    """Return the whole picture in at most so many columns and lines, and never none."""
    running = sorted(progress.running.items())
    words = [
        line for text in progress.outcome().words for line in letters.wrapped(text, width - LABEL)
    ]
    bots, runs, warns, stand, title, hint = share_rows(
        height - 1,
        [
            (1 + min(3, len(progress.scores)), 1 + len(progress.scores)),
            (1, min(len(running), MAX_RUNNING)),
            (1, min(len(progress.warnings), MAX_WARNINGS)),
            (1, min(len(words), MAX_STANDING)),
            (1, 1),
            (1, 1),
        ],
    )
    lines: list[Line] = []
    if title:
        lines.append([Part(letters.plain(progress.config.event), "bold")])
    lines += standings(progress, width, bots, letters)
    lines.append(_progress(progress, width, letters))
    lines += _labelled(progress.config.format, words[:stand], len(words) - stand, letters)
    shown = [_running(progress, one, letters) for _, one in running[:runs]]
    lines += _labelled("running", shown, len(running) - runs, letters)
    lines += _warnings(progress, warns, letters)
    if hint:
        lines.append([Part(HINT, "dim")])
    return [_cut(line, width, letters) for line in lines]


def standings(progress: Progress, width: int, rows: int, letters: Letters) -> list[Line]:
    """Return the table in so many rows, its heading one of them."""
    ranked = progress.ranked()
    fits = len(ranked) < rows
    scores = ranked if fits else ranked[: max(0, rows - 2)]
    if rows < 2:
        return []
    lost = forfeits([bot.lost_by for bot in ranked], width, SPLIT)
    columns = [
        Column("#", [str(rank) for rank in range(1, len(scores) + 1)]),
        names("bot", [score.name for score in scores], letters),
        Column("points", [f"{score.points:g}" for score in scores], rank=3),
        Column("games", [str(score.games) for score in scores], rank=1),
        Column("score", ["-" if s.score is None else f"{s.score:.1%}" for s in scores]),
        Column("95 %", [_interval(score, letters) for score in scores], style="cyan", rank=1),
        Column("Elo", [_elo(score, letters) for score in scores], rank=5),
        Column("W-D-L", [f"{s.wins}-{s.draws}-{s.losses}" for s in scores], rank=4),
        *(
            Column(way, [str(n or "") for n in games[: len(scores)]], rank=2, style="yellow")
            for way, games in lost.items()
            if any(games)
        ),
    ]
    lines = laid_out(columns, width, letters)
    if not fits:
        lines.append([Part(f"   {letters.dots} {len(ranked) - len(scores)} more bots", "dim")])
    return lines


def _interval(bot: BotStanding, letters: Letters) -> str:
    if bot.low is None or bot.high is None:
        return ""
    return f"{100 * bot.low:.1f}{letters.dash}{100 * bot.high:.1f}"


def _elo(bot: BotStanding, letters: Letters) -> str:
    """Return the Elo difference to the others, or the bound that it is surely over or under."""
    if bot.low is None or bot.score is None or bot.high is None:
        return ""
    low, middle, high = map(elo_of, (bot.low, bot.score, bot.high))
    if low is not None and middle is not None and high is not None:
        return f"{middle:+.0f} {letters.plus_minus}{(high - low) / 2:.0f}"
    if low is not None:
        return f"> {low:+.0f}"
    return "?" if high is None else f"< {high:+.0f}"


def _progress(progress: Progress, width: int, letters: Letters) -> Line:
    """Return the bar and the words beside it, as much of both as there is room for."""
    words = progress_words(progress)
    room = width - 1
    while len(words) > 1 and cell_len(", ".join(words)) > room:
        words.pop(max(1, len(words) - 2))
    text = ", ".join(words)
    bar = min(BAR, room - 1 - cell_len(text))
    if bar < LEAST_BAR:
        return [Part(text)]
    full = min(bar, int(bar * progress.done / max(progress.total, 1)))
    ink, ground = ("#", ".") if letters.is_ascii else ("━", "━")
    done, left = Part(ink * full, "green"), Part(ground * (bar - full), "bright_black")
    return [done, left, Part(f" {text}")]


def progress_words(progress: Progress) -> list[str]:
    """Return games done, time left, and the rates: of the last minute and of the whole run."""
    now_s = progress.clock()
    beyond = f" and {progress.beyond} beyond" if progress.beyond else ""
    words = [f"{progress.done} of {progress.total} games{beyond}"]
    if progress.rate.games:
        recent, overall = progress.rate.recent(now_s), progress.rate.overall(now_s)
        words.append(f"{_rate(recent)} games/s")
        if now_s - progress.rate.began_s > 60:
            words.append(f"{_rate(overall)} overall")
        left_s = progress.left_s()
        if left_s:
            words.append(f"{span(left_s)} left")
    return words


def _rate(games_a_second: float) -> str:
    """Return about three figures: some runs have a game a minute, some hundreds a second."""
    decimals = next((n for n, under in ((3, 0.1), (2, 10), (1, 100)) if games_a_second < under), 0)
    return f"{games_a_second:.{decimals}f}"


def _running(progress: Progress, begun: PairBegan, letters: Letters) -> str:
    first, second, game = map(letters.plain, (*begun.bots, begun.game))
    lasts = span(progress.now_s - begun.time_s)
    return f"pair {begun.pair}: {first} - {second}, {game}, {lasts}"


def _warnings(progress: Progress, rows: int, letters: Letters) -> list[Line]:
    """Return the last warnings, and how many there were in all."""
    if not rows:
        return []
    shown = list(progress.warnings.items())[-rows:]
    last = [often(letters.plain(text), times) for text, times in shown]
    lines = _labelled("warning", last, 0, letters, "yellow")
    if progress.warned_times > sum(times for _, times in shown):
        lines[0][0] = Part("warnings ".ljust(LABEL), "yellow")
        lines[-1].append(Part(f" (last of {progress.warned_times})", "dim"))
    return lines


def _labelled(
    label: str, texts: Sequence[str], hidden: int, letters: Letters, style: str = ""
) -> list[Line]:
    """Return lines with a word before the first of them; the last says how many are not shown."""
    more = f" {letters.dots} {hidden} more"
    lines: list[Line] = []
    for number, text in enumerate(texts):
        word = f"{label} ".ljust(LABEL) if not number else " " * LABEL
        lines.append([Part(word, style or "dim"), Part(text, style)])
    if lines and hidden:
        lines[-1].append(Part(more, "dim"))
    return lines


def _cut(line: Line, width: int, letters: Letters) -> Line:
    """Return the line in its width; the last part that does not fit is cut, its end kept."""
    over = sum(cell_len(part.text) for part in line) - width
    if over <= 0:
        return line
    longest = max(range(len(line)), key=lambda at: cell_len(line[at].text))
    part = line[longest]
    kept = letters.fit(part.text, max(1, cell_len(part.text) - over))
    return [*line[:longest], Part(kept, part.style), *line[longest + 1 :]]


REFRESH_S: Final = 0.25

COST: Final = 50
"""The picture is drawn less often where drawing would take more than a fiftieth of a core."""


class _Lines:
    """Prints line by line what happens, now and then how far it is, every game if that is wanted.

    `quiet`: warnings, and games if they are wanted.
    """

    def __init__(
        self, progress: Progress, console: Console, *, verbose: bool, quiet: bool = False
    ) -> None:
        self.console: Final = console
        self.letters: Final = letters_of(console)
        self.progress: Final = progress
        self._verbose: Final = verbose
        self._quiet: Final = quiet

    def __call__(self, event: Event | Waiting) -> None:
        """Print what is to be said of an event."""
        match event:
            case Warned() | PairingStopped():
                self.warn(self.progress.last_warning)
            case GameEnded() if self._verbose:
                line = f"{event.number}. {event.game}: {event.first} - {event.second}"
                self.print(f"{line} {event.result} ({event.termination}, {event.plies} plies)")
            case Status() if not self._quiet:
                self.tell_progress()
                for line in self.progress.outcome().words:
                    self.print(line)

    def warn(self, text: str) -> None:
        """Print a warning."""
        self.print(f"warning: {text}", "yellow")

    def tell_progress(self) -> None:
        """Print how far it is; nothing of a run that was refused."""
        if self.progress.total:
            self.print(", ".join(progress_words(self.progress)))

    def print(self, line: str, style: str = "") -> None:
        """Print a line that may have anything in it."""
        self.console.print(self.text(line, style), soft_wrap=True)

    def text(self, line: str, style: str = "") -> Text:
        """Return a line that may have anything in it for Rich."""
        return Text(self.letters.plain(line), style=style)


class _Live(_Lines):
    """Draws a picture that follows the games; the picture has the last warnings."""

    def __init__(self, progress: Progress, console: Console, *, verbose: bool) -> None:
        super().__init__(progress, console, verbose=verbose)
        self.live: Final = Live(
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        self._next_s = 0.0
        self._width = 0
        self._waiting: Final[list[Text]] = []
        """Lines to print when the picture is drawn: each print would draw it once more."""

    def __call__(self, event: Event | Waiting) -> None:
        """Draw the picture again, where it is time."""
        if isinstance(event, GameEnded):
            super().__call__(event)
        elif isinstance(event, Waiting) and (now_s := self.progress.clock()) >= self._next_s:
            before_s = time.thread_time()
            self._draw()
            cost_s = time.thread_time() - before_s
            self._next_s = now_s + max(REFRESH_S, COST * cost_s)

    def print(self, line: str, style: str = "") -> None:
        """Print a line above the picture the next time that it is drawn."""
        self._waiting.append(self.text(line, style))

    def _print_waiting(self) -> None:
        if self._waiting:
            self.console.print(*self._waiting, sep="\n", soft_wrap=True)
            self._waiting.clear()

    def _draw(self) -> None:
        width, height = self.console.size
        if width < self._width:  # the terminal has broken the lines of the picture before
            self.console.clear()
        self._width = width
        self._print_waiting()
        lines = picture(self.progress, width, height, self.letters)
        self.live.update(Frame(lines), refresh=True)

    def leave(self) -> None:
        """Print the last warnings, which were in the picture, and how far it came."""
        warnings = self.progress.warnings
        earlier = self.progress.warned_times - sum(warnings.values())
        if earlier > 0:
            self.print(f"warning: {earlier} earlier ones are left out", "yellow")
        for text, times in warnings.items():
            self.warn(often(text, times))
        self.tell_progress()
        self._print_waiting()


@contextmanager
def screen(
    progress: Progress, *, quiet: bool, verbose: bool = False, is_shared: bool = False
) -> Iterator[None]:
    """Show the run on standard error, and leave its last state there.

    `is_shared`: something else writes to the terminal.
    """
    console = console_of()
    if quiet or is_shared or not console.is_terminal or console.is_dumb_terminal:
        lines = _Lines(progress, console, verbose=verbose, quiet=quiet)
        progress.listeners.append(lines)
        yield
        if not quiet:
            lines.tell_progress()
        return
    view = _Live(progress, console, verbose=verbose)
    progress.listeners.append(view)
    try:
        with view.live:
            yield
    finally:
        view.leave()


def print_progress(progress: Progress) -> None:
    """Print the standings of a run that goes on another time."""
    output = Output()
    rows = 1 + len(progress.scores)
    output.lines(standings(progress, output.width, rows, output.letters))
