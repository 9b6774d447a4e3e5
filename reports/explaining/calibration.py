"""How far a bot's evaluations are to be trusted: what it expected, and what it got.

An evaluation from -1 to 1 expects (1 + eval) / 2 points. The plies of one game hang together: the
interval of a bin counts its games, not its plies.
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
"""Parts of equal width into which expectations are put."""

SURE: Final = (0.6, 0.75, 0.9)
"""What a bot expects that is sure of itself, more and more."""


LEAST: Final = 4
"""Independent games but one that must be, or nothing is said."""


class Bin(NamedTuple):
    """The plies at which a bot expected about as much."""

    low: float
    """The least that it expected, of a part of 0 to 1."""
    high: float
    expected: float
    """The mean of what it expected."""
    observed: float
    """What it got in these games, the mean over plies."""
    observed_low: float
    """Wilson's interval for as many games."""
    observed_high: float
    plies: int
    games: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What a bot got in the games in which it was sure of itself at least once."""

    sure: float
    """It expected at least so much, and the first time counts: were it right, it would get that."""

    expected: float
    """The mean of what it expected then."""

    observed: float
    """What it got."""

    gap: Estimated
    """Points a game that it expected and did not get."""

    p_value: float
    """The chance of such a gap, or a greater one, if it were right."""

    games: tuple[tuple[int, int], ...]
    """Those that it did not win, with the ply: by the numbers that they were added with."""


class Calibration:
    """Takes what a bot expected in games, ply by ply."""

    def __init__(self) -> None:
        self.games = 0
        """Those in which it told what it expects."""
        self._expected: Final = array("d")
        self._points: Final = array("d")
        self._games: Final = array("q")
        self._plies: Final = array("q")

    def add(self, game: int, told: Sequence[tuple[int, float]], points: float) -> None:
        """Count a game of a number: plies with their evaluations from -1 to 1, and its points."""
        self.games += bool(told)
        for ply, value in told:
            self._expected.append((1 + max(-1.0, min(1.0, value))) / 2)
            self._points.append(points)
            self._games.append(game)
            self._plies.append(ply)

    @property
    def plies(self) -> int:
        """Return how many evaluations there are."""
        return len(self._expected)

    @property
    def brier(self) -> float | None:
        """Return the mean square of expectation less points, from 0; None without evaluations.

        Who always expects a half has a quarter where nothing is drawn; less is better.
        """
        both = zip(self._expected, self._points, strict=True)
        return math.fsum((e - p) ** 2 for e, p in both) / self.plies if self.plies else None

    def bins(self) -> list[Bin]:
        """Return the parts of 0 to 1 in which there are plies, from the lowest."""
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
        """Return what it got where it was sure, for each of `SURE` that it was in some games.

        `clusters` says of each number of a game with which it hangs together.
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
        """Return it as docs/how-to/find-where-a-bot-loses.md describes it."""
        return {
            "games": self.games,
            "plies": self.plies,
            "brier": self.brier,
            "bins": written(self.bins()),
        }


def _above(gap: Estimated) -> float:
    """Return the chance of a mean as far above 0, were it 0.

    Where all games are alike it is that of as many whose gap is not there by chance.
    """
    if not gap.variance:
        return (1 - gap.value) ** gap.clusters if gap.value > 0 else 1.0
    tails = student_tails(gap.value / math.sqrt(gap.variance), gap.degrees)
    return tails / 2 if gap.value > 0 else 1 - tails / 2
