"""Accuracy of bots' moves, from the evaluations that an analysis wrote into records.

It counts the plies of analysed games, which have the tag `Analysis`. `eval` is the score that the
analysis expects for the mover, from -1 to 1. Games are read once, and only sums are kept. This
module must not depend on the analysing bot or on the display of numbers.

The accuracy of a move is that of lichess (https://lichess.org/page/accuracy):

    accuracy = 103.1668 exp(-0.04354 (before - after)) - 3.1669

`before` and `after` are the chances before and after the move in per cent, and the result is kept
within 0 and 100. The chances are 50 + 50 eval, because an `eval` is already an expected score. The
chance before a move is that after the previous ply, from the mover's side.

A bot's accuracy is the mean over its moves. Lichess combines weights and a harmonic mean for each
game, so its figures are not comparable. If the analysing bot favours the side to move, all moves
look worse, so compare bots only within one analysis.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from typing_extensions import TypedDict

from lath.notation.record.record import Ply, is_of_analysis
from lath.notation.record.tags import ANALYSIS
from lath.notation.rules.replay import movers_of
from lath.reports.counting.facts import KnownRecord
from lath.reports.ratings.numerics import Z95, student
from lath.reports.schema import About, Amount, Count, Positive, Share

Percent = Annotated[float, About(ge=0, le=100)]


class Accuracy(TypedDict):
    """How well a bot moved, according to an analysis."""

    name: str
    """The bot."""
    games: Positive
    """Analysed games with a move of the bot."""
    moves: Positive
    """Analysed moves of the bot."""
    sound: Share
    """Moves without `?` or `??`."""
    thrown_per_100: Amount
    """Moves with `??`, which throw away a proven result, per 100 moves."""
    weighed: Count
    """Moves with an evaluation before and after them; the first move of a game has none before
    it."""
    loss: Percent | None
    """Mean loss of expected score of these moves, in percentage points; null without any."""
    accuracy: Percent | None
    """Mean accuracy of these moves; null without any."""
    low: Percent | None
    """The lower end of the 95% interval, each game being one piece of evidence; null if unknown."""
    high: Percent | None
    """The upper end of the 95% interval; null if unknown."""


def accuracy_of(lost: float) -> float:
    """Return the accuracy of a move that lost so many percentage points, from 0 to 100.

    >>> accuracy_of(0), round(accuracy_of(10), 1), accuracy_of(100)
    (100.0, 63.6, 0.0)
    """
    if lost <= 0:
        return 100.0
    return min(max(103.1668 * math.exp(-0.04354 * lost) - 3.1669, 0.0), 100.0)


@dataclass(slots=True)
class _Sums:
    """The sums of one bot."""

    games: int = 0
    moves: int = 0
    wrong: int = 0
    """Moves with `?` or `??`."""
    thrown: int = 0
    loss: float = 0.0

    # The number of games with weighed moves, and over these games the sums of the moves n, the
    # accuracies s, and their products.
    weighed_games: int = 0
    n: int = 0
    s: float = 0.0
    nn: int = 0
    ns: float = 0.0
    ss: float = 0.0

    def add_game(self, lost: Sequence[float]) -> None:
        """Count a game, given the percentage points that each weighed move lost."""
        if not lost:
            return
        count, total = len(lost), math.fsum(map(accuracy_of, lost))
        self.loss += math.fsum(lost)
        self.weighed_games += 1
        self.n += count
        self.s += total
        self.nn += count * count
        self.ns += count * total
        self.ss += total * total

    def half(self) -> float | None:
        """Return half the 95% interval of the mean accuracy; None if the games do not determine it.

        The mean is a ratio of sums over games, because the moves of a game are not independent. Its
        interval follows Cochran, Sampling Techniques, 3rd edition, section 2.11, with Student's t
        for few games.
        """
        if self.weighed_games < 2:
            return None
        games, mean = self.weighed_games, self.s / self.n
        squares = self.ss - 2 * mean * self.ns + mean * mean * self.nn
        if squares < 1e-9 * self.ss:  # equal but for rounding
            return None
        error = math.sqrt(games / (games - 1) * squares) / self.n
        return student(Z95, games - 1) * error


class AccuracyCounter:
    """Counts analysed games."""

    def __init__(self) -> None:
        self._bots: defaultdict[str, _Sums] = defaultdict(_Sums)

    def add(self, entry: KnownRecord) -> None:
        """Count a game, if it was analysed and can be replayed."""
        record = entry.record
        if not entry.is_playable or not record.tag(ANALYSIS):
            return
        lost: tuple[list[float], list[float]] = ([], [])
        moved = [0, 0]
        before: tuple[int, float] | None = None
        bots = [self._bots[name] for name in (record.first, record.second)]
        for seat, ply in zip(movers_of(record), record.plies, strict=False):
            value = _value_of(ply)
            if value is None:
                before = None
                continue
            moved[seat] += 1
            bots[seat].moves += 1
            if ply.glyph in ("?", "??") and is_of_analysis(ply.comments):
                bots[seat].wrong += 1
                bots[seat].thrown += ply.glyph == "??"
            if before is not None:
                other, was = before
                lost[seat].append(max(50 * ((was if other == seat else -was) - value), 0.0))
            before = seat, value
        if record.first == record.second:
            bots[0].games += 1
            bots[0].add_game([*lost[0], *lost[1]])
            return
        for bot, moves, losses in zip(bots, moved, lost, strict=True):
            bot.games += moves > 0
            bot.add_game(losses)

    def accuracies(self, names: Sequence[str]) -> list[Accuracy]:
        """Return an entry for each bot of `names` with analysed moves, in their order."""
        known = ((name, self._bots[name]) for name in names if name in self._bots)
        return [_line(name, sums) for name, sums in known if sums.moves]


def _value_of(ply: Ply) -> float | None:
    note = ply.annotation("eval")
    value = None if note is None else note.number
    return None if value is None else min(max(value, -1.0), 1.0)


def _line(name: str, sums: _Sums) -> Accuracy:
    mean = sums.s / sums.n if sums.n else None
    half = sums.half()
    low, high = None, None
    if mean is not None and half is not None:
        low, high = round(max(mean - half, 0.0), 4), round(min(mean + half, 100.0), 4)
    return {
        "name": name,
        "games": sums.games,
        "moves": sums.moves,
        "sound": round(1 - sums.wrong / sums.moves, 6),
        "thrown_per_100": round(100 * sums.thrown / sums.moves, 4),
        "weighed": sums.n,
        "loss": round(sums.loss / sums.n, 4) if sums.n else None,
        "accuracy": None if mean is None else round(mean, 4),
        "low": low,
        "high": high,
    }
