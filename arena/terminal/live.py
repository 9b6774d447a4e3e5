"""What people see while a tournament runs: a live view in a terminal, plain lines elsewhere."""

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

if TYPE_CHECKING:
    from rich.text import Text

    from lath.reports.counting.ranking import Ranking

LABEL: Final = 9
"""Columns for the word before what runs and what is warned of."""


def picture(progress: Progress, width: int, height: int, letters: Letters) -> list[Line]:
    """Return the whole picture in at most so many columns and lines, and never none."""
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
    said = sum(warnings.pop(one.words, 0) for one in out_now)  # has a line of its own
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
        *([[part("Ctrl-C stops; nothing finished is lost", "dim")]] if hint else []),
    ]
    return [_cut(line, width, letters) for line in lines]


def share_rows(room: int, wants: Sequence[tuple[int, int]]) -> list[int]:
    """Return how many lines each part gets of `room`.

    `wants` are the fewest that make sense and the most it can use, the most important first. A
    part that cannot have its fewest has none. Of what is left over the first, which could use
    it all, has what the others do not need.

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
    """Return the table in so many rows, its heading one of them."""
    if rows < 2:
        return []
    found = progress.ranking()
    ranked = progress.ranked(found)
    numbers = {one.name: one.number for one in found.places}
    scores = ranked if len(ranked) < rows else ranked[: rows - 2]
    says = rows > len(ranked) + 1
    bounds = [_bounds(score) for score in scores]
    columns = [
        LayoutColumn("#", [str(score.rank) if score.games else "-" for score in scores]),
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
        lines.append([part(f"   … {hidden} more bots", "dim")])
    return lines


def _numbers(
    found: Ranking, scores: Sequence[BotStanding], numbers: Mapping[str, float]
) -> Iterator[LayoutColumn]:
    """Yield points, games and score; what ranks go by comes first, and stays."""
    told = [f"{score.points:g}" for score in scores]
    points = LayoutColumn("points", told, rank=0 if found.rule == "points" else 3)
    rate = LayoutColumn("score", ["-" if s.score is None else f"{s.score:.1%}" for s in scores])
    games = LayoutColumn("games", [str(score.games) for score in scores], rank=1)
    if found.rule in ("swiss", "knockout"):
        heading = "rounds" if found.rule == "knockout" else "swiss points"
        yield LayoutColumn(heading, [f"{numbers.get(score.name, 0):g}" for score in scores])
    yield from (points, games, rate) if found.rule == "points" else (rate, points, games)


def _bounds(bot: BotStanding) -> tuple[str, str]:
    """Return the interval of the score, and the Elo difference to the others with its own.

    Where the Elo difference has one bound only, that is what it is over or under by the same 95%.
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
    """Return the bar and the words beside it, as much of both as there is room for."""
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
    """Return games done, the rates of the last minute and of the whole run, and what is left."""
    now_s = progress.clock()
    beyond = f" and {progress.beyond} beyond" if progress.beyond else ""
    games = f"{progress.done}" if progress.is_endless else f"{progress.done} of {progress.total}"
    words = [f"{games} games{beyond}"]
    if progress.rate.games:
        words.append(f"{_rate(progress.rate.recent(now_s))} games/s")
        if now_s - progress.rate.began_s > 60:
            words.append(f"{_rate(progress.rate.overall(now_s))} overall")
    left = [] if (left_s := progress.left_s()) is None else [span(left_s)]
    if (games_left := progress.games_left) is not None:
        about = f" (about {left[0]})" if left_s else ""
        words.append(f"{games_left} games of the budget left{about}")
    elif progress.budget_left_s is not None:
        words.append(f"{span(progress.budget_left_s)} of the budget left")
    elif left_s:
        words.append(f"{left[0]} left")
    return words


def cluster_words(seen: ClusterSeen) -> list[str]:
    """Return a line of all machines of a cluster, and one of each, the fastest first."""
    counts = [
        f"{seen.workers} worker{'s' * (seen.workers != 1)}",
        f"{seen.slots} games at a time",
        f"{seen.queued} pairs wait there",
    ]
    if seen.lost:
        counts.append(f"{seen.lost} were lost and played again")
    if not seen.connected:
        counts = ["no scheduler answers", *counts[3:]]
    return [
        ", ".join(counts),
        *(
            f"{host.name}: {host.slots} at a time, {_rate(host.rate)} games/s, {host.games} games"
            for host in sorted(seen.hosts, key=lambda host: -host.rate)
        ),
    ]


def _rate(games_a_second: float) -> str:
    """Return about three figures: some runs have a game a minute, some hundreds a second."""
    decimals = next((n for n, under in ((3, 0.1), (2, 10), (1, 100)) if games_a_second < under), 0)
    return f"{games_a_second:.{decimals}f}"


def _labelled(label: str, texts: Sequence[str], rows: int, style: str = "") -> list[Line]:
    """Return the first texts with a word before them; the last says how many are not shown."""
    lines = [
        [part(word.ljust(LABEL), style or "dim"), part(text, style)]
        for word, text in zip(chain([f"{label} "], repeat("")), texts[:rows], strict=False)
    ]
    if lines and len(texts) > rows:
        lines[-1].append(part(f" … {len(texts) - rows} more", "dim"))
    return lines


def _cut(line: Line, width: int, letters: Letters) -> Line:
    """Return the line in its width; its longest part is cut where it does not fit."""
    shown = [piece._replace(text=letters.plain(piece.text)) for piece in line]
    if (over := sum(piece.cell_length for piece in shown) - width) > 0:
        at, longest = max(enumerate(shown), key=lambda pair: pair[1].cell_length)
        kept = letters.fit(longest.text, max(1, longest.cell_length - over))
        shown[at] = longest._replace(text=kept)
    return shown


REFRESH_S: Final = 0.25

EARLY_S: Final = 2.0
"""How often lines say how far it is before the first `Status`: many runs are over by then."""


class _View:
    """Draws a picture that follows the games, or prints line by line what happens.

    The picture has the last warnings, the lines say now and then how far it is. Both tell of every
    game if that is wanted; `quiet` lines else of warnings only.
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
        """Lines to print when the picture is drawn: each print would draw it once more."""

    def __call__(self, event: Event | Waiting) -> None:
        """Print what is to be said of an event, or draw the picture again, where it is time."""
        match event:
            case RunBegan() if not self._quiet:
                self._say(f"seed: SHA-256 {event.seed_sha256}")
            case GameEnded() if self._verbose:
                line = f"{event.number}. {event.game}: {event.first} - {event.second}"
                self._say(f"{line} {event.result} ({event.termination}, {event.plies} plies)")
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
        """Print a line, above the picture the next time that it is drawn."""
        self._waiting.append(self._output.text(line, style))
        if not self.is_live:
            self._print_waiting()

    def _print_waiting(self) -> None:
        if self._waiting:
            self._output.console.print(*self._waiting, sep="\n", soft_wrap=True)
            self._waiting.clear()

    def _show(self) -> None:
        """Draw the picture, or print how far it is before the first `Status` does."""
        if not self.is_live:
            if not self._quiet and self._progress.now_s < STATUS_S:
                self.print_progress()
                self._next_s = self._progress.clock() + EARLY_S
            return
        now_s, before_s = self._progress.clock(), time.thread_time()
        width, height = self.live.console.size
        if width < self._width:  # the terminal has broken the lines of the picture before
            self.live.console.clear()
        self._width = width
        self._print_waiting()
        lines = picture(self._progress, width, height, self._output.letters)
        self.live.update(SegmentLines(lines, new_lines=True), refresh=True)
        # Less often where drawing would take more than a fiftieth of a core.
        self._next_s = now_s + max(REFRESH_S, 50 * (time.thread_time() - before_s))

    def print_progress(self) -> None:
        """Print how far it is; nothing of a run that was refused."""
        if self._progress.total:
            self._say(", ".join(progress_words(self._progress)))

    def leave(self) -> None:
        """Print the last warnings, which were in the picture, and how far it came."""
        warnings = self._progress.warnings
        if (earlier := self._progress.warned_times - sum(warnings.values())) > 0:
            self._say(f"warning: {earlier} earlier ones are left out", "yellow")
        for text, times in warnings.items():
            self._say(f"warning: {often(text, times)}", "yellow")
        self.print_progress()
        self._print_waiting()


@contextmanager
def screen(
    progress: Progress, *, quiet: bool, verbose: bool = False, is_shared: bool = False
) -> Iterator[None]:
    """Show the run on standard error, and leave its last state there.

    `is_shared`: something else writes to the terminal.
    """
    view = _View(progress, quiet=quiet, verbose=verbose, is_shared=is_shared)
    progress.listeners.append(view)
    progress.is_drawn = view.is_live
    if view.is_live:
        # A shell that comes to the front finds its cursor, and no picture in the way.
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
