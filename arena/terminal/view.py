"""The picture of a running tournament: standings, progress, what runs, what went wrong.

Must not know how it gets to the screen: `picture` returns lines that fit the room it is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from lath.arena.terminal.layout import Column, Letters, Line, Part, share_rows, span, table
from lath.arena.tournament.progress import Line as BotLine
from lath.arena.tournament.progress import Progress, Running
from lath.arena.tournament.scores import Score, elo
from lath.arena.tournament.totals import FORFEITS

BAR: Final = 30
"""Columns of the widest bar."""

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
    told = progress.standing().words
    words = [line for text in told for line in letters.wrapped(text, width - LABEL)]
    bots, runs, warns, stand, title, hint = share_rows(
        height - 1,
        [
            (1 + min(3, len(progress.lines)), 1 + len(progress.lines)),
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
    shown = ranked if fits else ranked[: max(0, rows - 2)]
    if rows < 2:
        return []
    scores = [line.score for line in shown]
    columns = [
        Column("#", [str(rank) for rank in range(1, len(shown) + 1)]),
        Column(
            "bot", [letters.plain(line.name) for line in shown], to_right=False, is_elastic=True
        ),
        Column("points", [f"{score.points:g}" for score in scores], rank=3),
        Column("games", [str(score.games) for score in scores], rank=1),
        Column("score", [_percent(score) for score in scores]),
        Column("95 %", [_interval(score, letters) for score in scores], style="cyan", rank=1),
        Column("Elo", [_elo(score, letters) for score in scores], rank=5),
        Column("W-D-L", [f"{s.wins}-{s.draws}-{s.losses}" for s in scores], rank=4),
    ]
    lines = table([*columns, *_forfeits(ranked, len(shown), width)], width, letters)
    if not fits:
        lines.append([Part(f"   {letters.dots} {len(ranked) - len(shown)} more bots", "dim")])
    return lines


def _forfeits(ranked: Sequence[BotLine], rows: int, width: int) -> list[Column]:
    """Return the columns of games lost by the bots' own fault; one for all where room is short."""
    kinds: list[tuple[str, tuple[str, ...]]]
    if width < SPLIT:
        kinds = [("forfeits", FORFEITS)]
    else:
        kinds = [(ending.partition(" ")[0], (ending,)) for ending in FORFEITS]
    columns = []
    for heading, endings in kinds:
        counts = [sum(line.forfeits[ending] for ending in endings) for line in ranked]
        if any(counts):
            cells = [str(count or "") for count in counts[:rows]]
            columns.append(Column(heading, cells, rank=2, style="yellow"))
    return columns


def _percent(score: Score) -> str:
    return "-" if score.rate is None else f"{score.rate:.1%}"


def _interval(score: Score, letters: Letters) -> str:
    interval = score.interval()
    if interval is None:
        return ""
    return f"{100 * interval.low:.1f}{letters.dash}{100 * interval.high:.1f}"


def _elo(score: Score, letters: Letters) -> str:
    """Return the Elo difference to the others, or the bound that it is surely over or under."""
    interval = score.interval()
    if interval is None or score.rate is None:
        return ""
    low, middle, high = elo(interval.low), elo(score.rate), elo(interval.high)
    if abs(middle) != float("inf") and interval.low > 0 and interval.high < 1:
        return f"{middle:+.0f} {letters.plus_minus}{(high - low) / 2:.0f}"
    if interval.low > 0:
        return f"> {low:+.0f}"
    return f"< {high:+.0f}" if interval.high < 1 else "?"


def _progress(progress: Progress, width: int, letters: Letters) -> Line:
    """Return the bar and the words beside it, as much of both as there is room for."""
    words = progress_words(progress)
    room = width - 1
    while len(words) > 1 and cell_len(", ".join(words)) > room:
        words.pop(max(1, len(words) - 2))
    text = ", ".join(words)
    bar = min(BAR, room - 1 - cell_len(text))
    share = min(1.0, progress.done / max(progress.total, 1))
    return [*(letters.bar(share, bar) if bar >= 5 else []), Part(f" {text}" if bar >= 5 else text)]


def progress_words(progress: Progress) -> list[str]:
    """Return games done, time left, and the rates: of the last minute and of the whole run."""
    now_s = progress.clock()
    beyond = f" and {progress.beyond} beyond" if progress.beyond else ""
    words = [f"{progress.done} of {progress.total} games{beyond}"]
    if progress.rate.games:
        recent, overall = progress.rate.recent(now_s), progress.rate.overall(now_s)
        words.append(f"{_rate(recent)} games/s")
        if now_s - progress.began_s > 60:
            words.append(f"{_rate(overall)} overall")
        left_s = progress.left_s()
        if left_s:
            words.append(f"{span(left_s)} left")
    return words


def _rate(games_a_second: float) -> str:
    """Return about three figures: some runs have a game a minute, some hundreds a second."""
    decimals = next((n for n, under in ((3, 0.1), (2, 10), (1, 100)) if games_a_second < under), 0)
    return f"{games_a_second:.{decimals}f}"


def _running(progress: Progress, one: Running, letters: Letters) -> str:
    job = one.job
    first, second = (letters.plain(bot.name) for bot in job.bots)
    games = letters.plain(", ".join(dict.fromkeys(plan.game for plan in job.games)))
    return f"pair {job.pair}: {first} - {second}, {games}, {span(progress.clock() - one.since_s)}"


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


def often(text: str, times: int) -> str:
    """Return a warning and how many times it came."""
    return f"{text} ({times} times)" if times > 1 else text


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
