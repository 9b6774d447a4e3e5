"""Calibration of a bot's evaluations: expected against scored points.

An evaluation from -1 to 1 expects (1 + eval) / 2 points. The plies of a game are dependent, so the
interval of a bin counts games, not plies.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from lath.reports.counting.estimates import Estimated, estimate, student_tails, wilson
from lath.reports.schema import written

BINS: Final = 10
"""The number of bins of equal width."""

SURE: Final = (0.6, 0.75, 0.9)
"""Expected scores from which a bot counts as confident."""


LEAST: Final = 4
"""The least degrees of freedom for a test."""


class Bin(NamedTuple):
    """The plies with similar expected scores."""

    low: float
    """The lower end of the bin, in 0..1."""
    high: float
    expected: float
    """The mean expected score."""
    observed: float
    """The mean score in these games, over plies."""
    observed_low: float
    """Wilson's interval for the number of games."""
    observed_high: float
    plies: int
    games: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """The games in which a bot was confident at least once."""

    sure: float
    """The least expected score that counts as confident. Only the first such ply of a game
    counts."""

    expected: float
    """The mean expected score at these plies."""

    observed: float
    """The mean score."""

    gap: Estimated
    """Expected minus scored points per game."""

    p_value: float
    """The chance of a gap at least as large if the evaluations were right."""

    games: tuple[tuple[int, int], ...]
    """The games that the bot did not win, by their numbers, with the ply."""


class Calibration:
    """Collects a bot's evaluations, ply by ply."""

    def __init__(self) -> None:
        self.games = 0
        """The number of games with evaluations."""
        self._expected: Final = array("d")
        self._points: Final = array("d")
        self._games: Final = array("q")
        self._plies: Final = array("q")

    def add(self, game: int, told: Sequence[tuple[int, float]], points: float) -> None:
        """Add a game: its number, plies with evaluations from -1 to 1, and the bot's points."""
        self.games += bool(told)
        for ply, value in told:
            self._expected.append((1 + max(-1.0, min(1.0, value))) / 2)
            self._points.append(points)
            self._games.append(game)
            self._plies.append(ply)

    @property
    def plies(self) -> int:
        """Return the number of evaluations."""
        return len(self._expected)

    @property
    def brier(self) -> float | None:
        """Return the mean squared error of the expected points; None without evaluations.

        Less is better. Without draws, always expecting 1/2 gives 0.25.
        """
        both = zip(self._expected, self._points, strict=True)
        return math.fsum((e - p) ** 2 for e, p in both) / self.plies if self.plies else None

    def bins(self) -> list[Bin]:
        """Return the bins with plies, the lowest first."""
        of: list[list[int]] = [[] for _ in range(BINS)]
        for at, expected in enumerate(self._expected):
            of[min(BINS - 1, int(expected * BINS))].append(at)
        return [self._bin(number, places) for number, places in enumerate(of) if places]

    def _bin(self, number: int, places: Sequence[int]) -> Bin:
        plies, games = len(places), len({self._games[at] for at in places})
        observed = math.fsum(self._points[at] for at in places) / plies
        expected = math.fsum(self._expected[at] for at in places) / plies
        low, high = wilson(observed, games)
        ends = number / BINS, (number + 1) / BINS
        return Bin(*ends, expected, observed, low, high, plies, games)

    def promises(self, clusters: Sequence[int]) -> list[Promise]:
        """Return expected and scored points after confident evaluations, for each level of `SURE`.

        `clusters` has the number of the cluster of each game.
        """
        found = []
        for sure in SURE:
            first: dict[int, int] = {}
            for at, (game, expected) in enumerate(zip(self._games, self._expected, strict=True)):
                if expected >= sure:
                    first.setdefault(game, at)
            gaps = [self._expected[at] - self._points[at] for at in first.values()]
            gap = estimate(gaps, [clusters[game] for game in first], "mean", (-1.0, 1.0))
            if gap is None or gap.degrees < LEAST:
                continue
            expected = math.fsum(self._expected[at] for at in first.values()) / len(first)
            found.append(
                Promise(
                    sure=sure,
                    expected=expected,
                    observed=expected - gap.value,
                    gap=gap,
                    p_value=_above(gap),
                    games=tuple(
                        (game, self._plies[at])
                        for game, at in first.items()
                        if self._points[at] < 1
                    ),
                )
            )
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that docs/reference/json-output.md describes."""
        return {
            "games": self.games,
            "plies": self.plies,
            "brier": self.brier,
            "bins": written(self.bins()),
        }


def _above(gap: Estimated) -> float:
    """Return the one-sided p-value for a mean of 0.

    If all games have the same gap, each has it with the probability 1 - gap.
    """
    if not gap.variance:
        return (1 - gap.value) ** gap.clusters if gap.value > 0 else 1.0
    tails = student_tails(gap.value / math.sqrt(gap.variance), gap.degrees)
    return tails / 2 if gap.value > 0 else 1 - tails / 2
