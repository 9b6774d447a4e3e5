"""What a bot's points say: score, its 95 % interval and what that is worth in Elo.

Pure counting: a few sums for each bot, however many games there are. The two games of a pair
belong together, since they begin alike; the interval therefore counts pairs, not games.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

Z: Final = 1.959964
"""Of a two-sided 95 % interval of the normal distribution."""

IMAGINED_PAIRS: Final = 2
"""Pairs won, and as many lost, that the interval counts besides the real ones.

Agresti and Coull, "Approximate Is Better than 'Exact'", The American Statistician 52 (1998), with
the pair in the place of the trial: so a bot that has won everything has an interval, too.
"""


class Interval(NamedTuple):
    """A share of the points and the bounds that hold it in 95 of 100 cases; all in 0..1."""

    low: float
    middle: float
    """Of the interval; a little nearer to 1/2 than the points are."""

    high: float


@dataclass(slots=True)
class Score:
    """The games of one bot, added up."""

    games: int = 0
    points: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: int = 0
    _games_squared: float = 0.0
    _points_squared: float = 0.0
    _points_times_games: float = 0.0

    @property
    def rate(self) -> float | None:
        """Return points per game in 0..1; None before any game."""
        return self.points / self.games if self.games else None

    def add_games(self, points: float, games: int = 1) -> None:
        """Count games that ended alike: 1, 1/2 or 0 points each."""
        self.games += games
        self.points += points * games
        self.wins += games * (points == 1)
        self.draws += games * (points == 0.5)
        self.losses += games * (points == 0)

    def add_pairs(self, points: float, games: int, pairs: int = 1) -> None:
        """Count pairs of so many games with so many points each, for the interval."""
        self.pairs += pairs
        self._games_squared += pairs * games * games
        self._points_squared += pairs * points * points
        self._points_times_games += pairs * points * games

    def interval(self) -> Interval | None:
        """Return where the bot's true score is; None before any game.

        The variance is that of a ratio whose clusters are the pairs, imagined ones included.
        """
        if not self.games:
            return None
        more = 2 * IMAGINED_PAIRS
        games = self.games + 2 * more
        middle = (self.points + more) / games
        squares = (
            self._points_squared
            + 4 * IMAGINED_PAIRS
            - 2 * middle * (self._points_times_games + 2 * more)
            + middle * middle * (self._games_squared + 4 * more)
        )
        half = Z * math.sqrt(max(squares, 0.0)) / games
        return Interval(max(0.0, middle - half), middle, min(1.0, middle + half))


def elo(rate: float) -> float:
    """Return the Elo difference at which a bot is expected to score so much of the points.

    >>> round(elo(0.75)), elo(0.5), elo(1.0)
    (191, 0.0, inf)
    """
    if rate <= 0 or rate >= 1:
        return math.copysign(math.inf, rate - 0.5)
    return 400 * math.log10(rate / (1 - rate))
