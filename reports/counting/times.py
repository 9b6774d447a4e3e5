"""Thinking times of bots, and their search depths and node counts.

Times come from the records (`emt`), in whole milliseconds; games are read once and not kept.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from typing_extensions import TypedDict

from lath.notation.record.record import Remembered
from lath.notation.record.tags import Termination, number_of
from lath.notation.rules.replay import movers_of
from lath.reports.counting.facts import KnownRecord, Link
from lath.reports.counting.figures import quantile
from lath.reports.schema import Amount, Count, Positive


class Slowest(TypedDict):
    """The place of a bot's slowest move."""

    number: Link
    ply: Positive
    """The ply of the slowest move."""


class Times(TypedDict):
    """The thinking time of a bot."""

    name: str
    """The bot."""
    moves: Positive
    """Moves with a known time, in games that can be replayed."""
    mean_s: Amount
    """Mean seconds per move."""
    median_s: Amount
    """Median seconds per move, to the millisecond and to four digits."""
    p95_s: Amount
    """Seconds that 95% of the moves do not exceed, to the millisecond and to four digits."""
    worst_s: Amount
    """Seconds of the slowest move."""
    worst: Slowest
    """The game and ply of the slowest move."""
    games: Positive
    """Counted games."""
    lost_on_time: Count
    """Counted games that the bot lost on time."""
    depth: Amount | None
    """Mean depth in plies, of the moves for which the bot reported it; null if it never did."""
    deepest: Amount | None
    """The greatest depth in plies that the bot reported."""
    nodes: Amount | None
    """Mean nodes per timed move, of the moves for which the bot reported them; null if it never
    did."""
    nodes_per_s: Amount | None
    """Nodes per second, by the arena's clock; null without reported nodes or used time."""


@dataclass(slots=True)
class _Told:
    """Reported values of some timed moves of a bot."""

    moves: int = 0
    total: float = 0.0
    most: float = 0.0
    used_ms: float = 0.0

    def add(self, value: float, used_ms: float) -> None:
        """Count the reported values of a move with this time; invalid values are ignored."""
        if 0 <= value < math.inf:
            self.moves += 1
            self.total += value
            self.most = max(self.most, value)
            self.used_ms += used_ms

    @property
    def mean(self) -> float | None:
        """Return the mean per move; None without reported values."""
        return round(self.total / self.moves, 2) if self.moves else None

    @property
    def per_s(self) -> float | None:
        """Return the amount per second; None without used time."""
        return round(1000 * self.total / self.used_ms, 1) if self.used_ms else None


@dataclass(slots=True)
class _Spent:
    """The time use of one bot."""

    moves: Counter[int] = field(default_factory=Counter)
    """Moves by milliseconds, rounded to four digits."""

    total_ms: float = 0.0
    worst_ms: float = -1.0
    worst: Slowest = field(default_factory=lambda: Slowest(number=0, ply=0))
    games: int = 0
    lost: int = 0
    depth: _Told = field(default_factory=_Told)
    nodes: _Told = field(default_factory=_Told)

    def hear(self, notes: Iterable[tuple[str, str]], used_ms: float) -> None:
        """Count the reported values of a move with this time, by name and value."""
        for name, value in notes:
            if name in ("depth", "nodes"):
                told = self.depth if name == "depth" else self.nodes
                number = number_of(value)
                told.add(-1.0 if number is None else number, used_ms)


def four_digits(value: float) -> int:
    """Return a whole number rounded to four significant digits, so that few values need counting.

    >>> four_digits(0.4), four_digits(1234.4), four_digits(123456.0)
    (0, 1234, 123500)
    """
    return round(value) if value < 10_000 else int(float(f"{value:.4g}"))


def _milliseconds(text: str) -> tuple[float, int]:
    """Return seconds in milliseconds, exact and with four digits; -1 if invalid."""
    used_s = number_of(text)
    if used_s is None or used_s < 0:
        return -1.0, -1
    return used_s * 1000, four_digits(used_s * 1000)


_MILLISECONDS: Final = Remembered(_milliseconds, 1 << 14)
"""Caches the conversion, because bots report the same times repeatedly."""


class TimeCounter:
    """Counts the times of games that count for the standings."""

    def __init__(self) -> None:
        self._bots: defaultdict[str, _Spent] = defaultdict(_Spent)

    def add(self, entry: KnownRecord) -> None:
        """Count one game; the times of games that cannot be replayed have no known mover."""
        spent = [self._bots[name] for name in (entry.record.first, entry.record.second)]
        for one in spent:
            one.games += 1
        if entry.record.termination == Termination.TIME and entry.points != 0.5:
            spent[entry.points == 1].lost += 1
        plies = entry.record.plies if entry.is_playable else ()
        told = [made.annotations for made in plies]
        if not any(told):
            return
        for ply, (mover, notes) in enumerate(zip(movers_of(entry.record), told, strict=False), 1):
            for name, text in notes:
                if name == "emt":
                    used_ms, kept_ms = _MILLISECONDS[text]
                    break
            else:
                continue
            if used_ms >= 0:
                bot = spent[mover]
                bot.moves[kept_ms] += 1
                bot.total_ms += used_ms
                if used_ms > bot.worst_ms:
                    bot.worst_ms, bot.worst = used_ms, {"number": entry.number, "ply": ply}
                if len(notes) > 1:
                    bot.hear(notes, used_ms)

    def times(self, names: Sequence[str]) -> list[Times]:
        """Return an entry for each bot of `names` whose moves were timed, in their order."""
        return [
            {
                "name": name,
                "moves": spent.moves.total(),
                "mean_s": round(spent.total_ms / spent.moves.total() / 1000, 6),
                "median_s": quantile(spent.moves, 0.5) / 1000,
                "p95_s": quantile(spent.moves, 0.95) / 1000,
                "worst_s": round(spent.worst_ms / 1000, 6),
                "worst": spent.worst,
                "games": spent.games,
                "lost_on_time": spent.lost,
                "depth": spent.depth.mean,
                "deepest": spent.depth.most if spent.depth.moves else None,
                "nodes": spent.nodes.mean,
                "nodes_per_s": spent.nodes.per_s,
            }
            for name, spent in ((name, self._bots[name]) for name in names)
            if spent.moves
        ]
