"""The display of a running tournament: a live view in a terminal, plain lines elsewhere."""

from __future__ import annotations

import textwrap
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, repeat
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.live import Live
from rich.segment import SegmentLines

from lath.arena.machine import signals
from lath.arena.schedule.sprt import elo_of
from lath.arena.terminal.layout import (
    LayoutColumn,
    Letters,
    Line,
    Output,
    forfeits,
    laid_out,
    often,
    part,
    span,
)
from lath.arena.tournament.run.events import (
    STATUS_S,
    BotBenched,
    BotStanding,
    ClusterSeen,
    Event,
    GameEnded,
    PairingStopped,
    RunBegan,
    Status,
    Waiting,
    Warned,
)
from lath.arena.tournament.run.progress import Progress
from lath.games.errors import count_of

if TYPE_CHECKING:
    from rich.text import Text

    from lath.reports.counting.ranking import Ranking

LABEL: Final = 9
"""The width of the label before running games and warnings."""


def picture(progress: Progress, width: int, height: int, letters: Letters) -> list[Line]:
    """Return the whole view in at most `width` columns and `height` lines, at least one line."""
    running = [begun for _, begun in sorted(progress.running.items())]
    words = [
        line
        for text in progress.outcome().words
        for line in textwrap.wrap(letters.plain(text), width - LABEL) or [""]
    ]
    machines = cluster_words(progress.cluster) if progress.cluster else []
    out_now = [BotBenched(bot=name, why=why) for name, why in progress.benched.items()]
    benched = [f"{one.bot}: {one.why}" for one in out_now]
    warnings = dict(progress.warnings)
    said = sum(warnings.pop(one.words, 0) for one in out_now)  # these have a line of their own
    bots, runs, warns, out, stand, hosts, title, hint = share_rows(
        height - 1,
        [
            (1 + min(3, len(progress.scores)), 2 + len(progress.scores)),
            (1, min(len(running), 8)),
            (1, min(len(warnings), 3)),
            (1, min(len(benched), 4)),
            (1, min(len(words), 6)),
            (1, min(len(machines), 6)),
            (1, 1),
            (1, 1),
        ],
    )
    pairs = [
        f"pair {begun.pair}: {' - '.join(begun.bots)}, {begun.game}, "
        f"{span(progress.now_s - begun.time_s)}"
        for begun in running
    ]
    last = deque(warnings.items(), warns)
    is_all = progress.warned_times - said <= sum(times for _, times in last)
    label = "warning" if is_all else "warnings"
    warned = _labelled(label, [often(text, times) for text, times in last], warns, "yellow")
    if warned and not is_all:
        warned[-1].append(part(f" (last of {progress.warned_times - said})", "dim"))
    lines = [
        *([[part(progress.config.event, "bold")]] if title else []),
        *standings(progress, width, bots, letters),
        _progress(progress, width, letters),
        *_labelled(progress.config.format, words, stand),
        *_labelled("cluster", machines, hosts),
        *_labelled("running", pairs, runs),
        *_labelled("benched", benched, out, "yellow"),
        *warned,
        *([[part("Ctrl-C stops the run and keeps all finished games", "dim")]] if hint else []),
    ]
    return [_cut(line, width, letters) for line in lines]


def share_rows(room: int, wants: Sequence[tuple[int, int]]) -> list[int]:
    """Return the number of lines for each part of `room`.

    `wants` has the least useful and the largest number of lines of each part, the most important
    part first. A part that cannot have its least number gets none. The remaining lines go to the
    other parts first, and then to the first part.

    >>> share_rows(10, [(3, 40), (1, 2), (1, 3)])
    [5, 2, 3]
    >>> share_rows(4, [(3, 40), (1, 2), (1, 3)])
    [3, 1, 0]
    """
    got = []
    for fewest, most in wants:
        got.append(fewest if most and fewest <= room else 0)
        room -= got[-1]
    for number in (*range(1, len(wants)), 0):
        if got[number]:
            more = max(0, min(room, wants[number][1] - got[number]))
            got[number] += more
            room -= more
    return got


def standings(progress: Progress, width: int, rows: int, letters: Letters) -> list[Line]:
    """Return the standings in at most `rows` lines, including the heading."""
    if rows < 2:
        return []
    found = progress.ranking()
    ranked = progress.ranked(found)
    numbers = {one.name: one.number for one in found.places}
    scores = ranked if len(ranked) < rows else ranked[: rows - 2]
    says = rows > len(ranked) + 1
    bounds = [_bounds(score) for score in scores]
    groups = [str(score.group) if score.games else "-" for score in scores]
    is_apart = len({score.group for score in ranked if score.games}) > 1
    columns = [
        LayoutColumn("#", [str(score.rank) if score.games else "-" for score in scores]),
        *([LayoutColumn("group", groups)] if is_apart else []),
        LayoutColumn("bot", [score.name for score in scores], kind="name"),
        *_numbers(found, scores, numbers),
        LayoutColumn("95%", [interval for interval, _ in bounds], style="cyan", rank=1),
        LayoutColumn("Elo", [elo for _, elo in bounds], rank=5),
        LayoutColumn("W-D-L", [f"{s.wins}-{s.draws}-{s.losses}" for s in scores], rank=4),
        *(
            LayoutColumn(way, [str(n or "") for n in games[: len(scores)]], rank=2, style="yellow")
            for way, games in forfeits([bot.lost_by for bot in ranked], apart=width >= 80).items()
            if any(games)
        ),
    ]
    lines = laid_out(columns, width, letters)
    if found.places and says:
        lines.append([part(found.says, "dim")])
    if hidden := len(ranked) - len(scores):
        lines.append([part(f"   … {count_of(hidden, 'more bot')}", "dim")])
    return lines


def _numbers(
    found: Ranking, scores: Sequence[BotStanding], numbers: Mapping[str, float]
) -> Iterator[LayoutColumn]:
    """Yield points, games and score; the column that decides the ranks comes first and stays."""
    told = [f"{score.points:g}" for score in scores]
    points = LayoutColumn("points", told, rank=0 if found.rule == "points" else 3)
    rate = LayoutColumn("score", ["-" if s.score is None else f"{s.score:.1%}" for s in scores])
    games = LayoutColumn("games", [str(score.games) for score in scores], rank=1)
    if found.rule in ("swiss", "knockout"):
        heading = "rounds" if found.rule == "knockout" else "swiss points"
        yield LayoutColumn(heading, [f"{numbers.get(score.name, 0):g}" for score in scores])
    yield from (points, games, rate) if found.rule == "points" else (rate, points, games)


def _bounds(bot: BotStanding) -> tuple[str, str]:
    """Return the intervals of the score and of the Elo difference to the other bots.

    An Elo difference with a single bound is shown as `> bound` or `< bound`, at the same 95%.
    """
    if bot.low is None or bot.score is None or bot.high is None:
        return "", ""
    low, middle, high = map(elo_of, (bot.low, bot.score, bot.high))
    if low is not None and middle is not None and high is not None:
        elo = f"{middle:+.0f} ±{(high - low) / 2:.0f}"
    elif low is not None:
        elo = f"> {low:+.0f}"
    else:
        elo = "?" if high is None else f"< {high:+.0f}"
    return f"{100 * bot.low:.1f}–{100 * bot.high:.1f}", elo


def _progress(progress: Progress, width: int, letters: Letters) -> Line:
    """Return the progress bar and its words, as far as they fit."""
    words = progress_words(progress)
    room = width - 1
    while len(words) > 1 and cell_len(", ".join(words)) > room:
        words.pop(max(1, len(words) - 2))
    text = ", ".join(words)
    bar = min(30, room - 1 - cell_len(text))
    if bar < 5:
        return [part(text)]
    full = int(bar * progress.share)
    ink, ground = ("#", ".") if letters.is_ascii else ("━", "━")
    done, left = part(ink * full, "green"), part(ground * (bar - full), "bright_black")
    return [done, left, part(f" {text}")]


def progress_words(progress: Progress) -> list[str]:
    """Return the games done, the speed of the last minute and of the run, and the time left."""
    now_s = progress.clock()
    beyond = f", {progress.beyond} more that do not count" if progress.beyond else ""
    games = count_of(progress.done, "game")
    if progress.has_total:
        games = f"{progress.done:,} of {count_of(progress.total, 'game')}"
    words = [f"{games}{beyond}"]
    if progress.rate.games:
        words.append(f"{_rate(progress.rate.recent(now_s))} games/s")
        if now_s - progress.rate.began_s > 60:
            words.append(f"{_rate(progress.rate.overall(now_s))} overall")
    left = [] if (left_s := progress.left_s()) is None else [span(left_s)]
    if (games_left := progress.games_left) is not None:
        about = f" (about {left[0]})" if left_s else ""
        words.append(f"{count_of(games_left, 'game')} of the budget left{about}")
    elif progress.budget_left_s is not None:
        words.append(f"{span(progress.budget_left_s)} of the budget left")
    elif left_s:
        words.append(f"{left[0]} left")
    return words


def cluster_words(seen: ClusterSeen) -> list[str]:
    """Return a line on the whole cluster and one per machine, the fastest first."""
    counts = [
        count_of(seen.workers, "worker"),
        f"{count_of(seen.slots, 'game')} at a time",
        f"{count_of(seen.queued, 'pair')} in the queue",
    ]
    if seen.lost:
        counts.append(f"{count_of(seen.lost, 'lost pair')} played again")
    if not seen.connected:
        counts = ["the scheduler does not answer", *counts[3:]]
    return [
        ", ".join(counts),
        *(
            f"{host.name}: {host.slots} at a time, {_rate(host.rate)} games/s, "
            f"{count_of(host.games, 'game')}"
            for host in sorted(seen.hosts, key=lambda host: -host.rate)
        ),
    ]


def _rate(games_a_second: float) -> str:
    """Return a rate with about three digits, from one game per minute to hundreds per second."""
    decimals = next((n for n, under in ((3, 0.1), (2, 10), (1, 100)) if games_a_second < under), 0)
    return f"{games_a_second:.{decimals}f}"


def _labelled(label: str, texts: Sequence[str], rows: int, style: str = "") -> list[Line]:
    """Return the first texts after a label; the last line counts the ones left out."""
    lines = [
        [part(word.ljust(LABEL), style or "dim"), part(text, style)]
        for word, text in zip(chain([f"{label} "], repeat("")), texts[:rows], strict=False)
    ]
    if lines and len(texts) > rows:
        lines[-1].append(part(f" … {len(texts) - rows} more", "dim"))
    return lines


def _cut(line: Line, width: int, letters: Letters) -> Line:
    """Return the line in at most `width` columns; its longest piece is cut."""
    shown = [piece._replace(text=letters.plain(piece.text)) for piece in line]
    if (over := sum(piece.cell_length for piece in shown) - width) > 0:
        at, longest = max(enumerate(shown), key=lambda pair: pair[1].cell_length)
        kept = letters.fit(longest.text, max(1, longest.cell_length - over))
        shown[at] = longest._replace(text=kept)
    return shown


REFRESH_S: Final = 0.25

EARLY_S: Final = 2.0
"""Seconds between two progress lines before the first `Status`; short runs end earlier."""


class _View:
    """Draws a live view of the games, or prints a line per event.

    The view shows the last warnings, and the lines show the progress at intervals. With `verbose`
    both print every game; with `quiet` only warnings are printed.
    """

    def __init__(self, progress: Progress, *, quiet: bool, verbose: bool, is_shared: bool) -> None:
        self._output: Final = Output()
        console = self._output.console
        is_plain = quiet or is_shared or console.is_dumb_terminal
        self.is_live: Final = console.is_terminal and not is_plain
        self.live: Final = Live(
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        self._progress: Final = progress
        self._verbose: Final = verbose
        self._quiet: Final = quiet
        self._next_s = 0.0 if self.is_live else progress.clock() + EARLY_S
        self._width = 0
        self._waiting: Final[list[Text]] = []
        """Lines to print at the next drawing, because each print draws the view again."""

    def __call__(self, event: Event | Waiting) -> None:
        """Print the lines for an event, or draw the view again if it is due."""
        match event:
            case RunBegan() if not self._quiet:
                self._say(f"seed: SHA-256 {event.seed_sha256}")
            case GameEnded() if self._verbose:
                line = f"{event.number}. {event.game}: {event.first} - {event.second}"
                self._say(
                    f"{line} {event.result} ({event.termination}, {count_of(event.plies, 'ply')})"
                )
            case Warned() | PairingStopped() | BotBenched() if not self.is_live:
                self._say(f"warning: {next(reversed(self._progress.warnings))}", "yellow")
            case Status() if not self.is_live and not self._quiet:
                self.print_progress()
                if self._progress.cluster:
                    self._say(f"cluster: {'; '.join(cluster_words(self._progress.cluster)[:4])}")
                for line in self._progress.outcome().words:
                    self._say(line)
            case Waiting() if event.what and not self._quiet:
                self._say(event.what)
                self._print_waiting()
            case Waiting() if self._progress.clock() >= self._next_s:
                self._show()

    def _say(self, line: str, style: str = "") -> None:
        """Print a line; a live view prints it above itself at the next drawing."""
        self._waiting.append(self._output.text(line, style))
        if not self.is_live:
            self._print_waiting()

    def _print_waiting(self) -> None:
        if self._waiting:
            self._output.console.print(*self._waiting, sep="\n", soft_wrap=True)
            self._waiting.clear()

    def _show(self) -> None:
        """Draw the view, or print the progress before the first `Status`."""
        if not self.is_live:
            if not self._quiet and self._progress.now_s < STATUS_S:
                self.print_progress()
                self._next_s = self._progress.clock() + EARLY_S
            return
        now_s, before_s = self._progress.clock(), time.thread_time()
        width, height = self.live.console.size
        if width < self._width:  # the terminal has wrapped the lines of the previous view
            self.live.console.clear()
        self._width = width
        self._print_waiting()
        lines = picture(self._progress, width, height, self._output.letters)
        self.live.update(SegmentLines(lines, new_lines=True), refresh=True)
        # Drawing takes at most a fiftieth of a core.
        self._next_s = now_s + max(REFRESH_S, 50 * (time.thread_time() - before_s))

    def print_progress(self) -> None:
        """Print the progress, unless the run was refused."""
        if self._progress.total:
            self._say(", ".join(progress_words(self._progress)))

    def leave(self) -> None:
        """Print the warnings of the closed view, and the progress."""
        warnings = self._progress.warnings
        if (earlier := self._progress.warned_times - sum(warnings.values())) > 0:
            self._say(f"warning: {earlier} earlier warnings are not shown", "yellow")
        for text, times in warnings.items():
            self._say(f"warning: {often(text, times)}", "yellow")
        self.print_progress()
        self._print_waiting()


@contextmanager
def screen(
    progress: Progress, *, quiet: bool, verbose: bool = False, is_shared: bool = False
) -> Iterator[None]:
    """Show the run on standard error, and print its last state at the end.

    With `is_shared`, another program also writes to the terminal, and lines replace the live view.
    """
    view = _View(progress, quiet=quiet, verbose=verbose, is_shared=is_shared)
    progress.listeners.append(view)
    progress.is_drawn = view.is_live
    if view.is_live:
        # When the program is suspended, the shell gets its cursor back and no remains of the view.
        part = signals.stopping_too(signals.Companion(view.live.stop, view.live.start))
        try:
            with view.live:
                yield
        finally:
            part()
            view.leave()
    else:
        yield
        if not quiet:
            view.print_progress()
