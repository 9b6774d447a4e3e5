"""The normal factors that stand for games in expectation propagation, and how each is renewed.

Must not know names, nor how the factors of all games become one posterior.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lath.reports.ratings.gaussian import cdf, draw, pdf, win
from lath.reports.ratings.matrices import Vector
from lath.reports.ratings.scale import BETA, NOISE, PRIOR_DRAWS, PRIOR_GAMES, draw_rate_of

_NEGLIGIBLE: Final = 1e-20
"""A factor of less precision says nothing, in games of any number, and is not accelerated."""

_LOG_WEIGHT: Final = 10.0
"""A factor's precision growing e-fold counts as much as its mean moving by 10 points."""

_LARGEST_LOG: Final = 5.0
"""No factor is nearly as precise as e^5; an extrapolation may think so."""


class Evidence:
    """How the evidence for the margin leans: its derivatives at the present skills."""

    __slots__ = ("curve", "margin", "moves", "pull", "slope")

    def __init__(self, margin: float, bots: int) -> None:
        """Begin with the imagined games between equals."""
        self.margin = margin
        self.pull = [0.0] * bots
        """By the margin and each mean."""
        self.moves = [0.0] * bots
        """By how much the means have moved since."""
        x = margin / NOISE
        drawn, decided = draw_rate_of(margin), 2 * cdf(-x)
        by = 2 * pdf(x) / NOISE
        losses = PRIOR_GAMES - PRIOR_DRAWS
        leaning = PRIOR_DRAWS / drawn - losses / decided
        self.slope = by * leaning
        self.curve = -x * by / NOISE * leaning - by * by * (
            PRIOR_DRAWS / drawn**2 + losses / decided**2
        )


@dataclass(slots=True)
class Site:
    """The normal factor of one kind of result between two bots, and how many games share it."""

    kind: int
    """1: the one won; 0: drawn; -1: the other won."""

    games: int
    precision: float = 0.0
    shift: float = 0.0
    """Precision times mean, of one copy, in the difference of the two skills."""

    def numbers(self) -> Iterator[float]:
        """Yield the precision on a scale without end, and the mean."""
        said = self.precision > _NEGLIGIBLE
        yield math.log(self.precision if said else _NEGLIGIBLE) * _LOG_WEIGHT
        yield self.shift / self.precision if said else 0.0

    def become(self, log_precision: float, mean: float) -> None:
        """Take over what `numbers` yields, unless this or that is negligible."""
        if self.precision > _NEGLIGIBLE and log_precision > math.log(_NEGLIGIBLE) * _LOG_WEIGHT:
            self.precision = math.exp(min(log_precision / _LOG_WEIGHT, _LARGEST_LOG))
            self.shift = self.precision * mean

    def renew(self, mean: float, variance: float, evidence: Evidence) -> float:
        """Match the moments of a game between two whose difference is as given, and note it.

        Returns the evidence's derivative by margin and difference.
        """
        share = 1 - variance * self.precision
        cavity = variance / share
        mean = (mean - variance * self.shift) / share
        square = 2 * BETA**2 + cavity
        scale = math.sqrt(square)
        if self.kind:
            t = (self.kind * mean - evidence.margin) / scale
            v, w = win(t)
            v *= self.kind
            evidence.slope -= self.games * abs(v) / scale
            evidence.curve -= self.games * w / square
            mixed = self.kind * w
        else:
            v, w, by_margin, curved, mixed = draw(mean / scale, evidence.margin / scale)
            evidence.slope += self.games * by_margin / scale
            evidence.curve += self.games * curved / square
        bend = w / square
        left = 1 - cavity * bend
        self.precision = bend / left
        self.shift = (v / scale + mean * bend) / left
        return self.games * mixed / square


@dataclass(frozen=True, slots=True)
class Meetings:
    """All games of two bots."""

    one: int
    other: int
    """Numbers of the bots, one < other."""

    sites: tuple[Site, ...]


def state(meetings: Iterable[Meetings]) -> Vector:
    """Return all factors as numbers that a step may be extrapolated in: any value is allowed."""
    return [number for met in meetings for site in met.sites for number in site.numbers()]


def set_state(meetings: Sequence[Meetings], numbers: Iterable[float]) -> None:
    """Make the factors those of `state`, but leave negligible ones as they are."""
    given = iter(numbers)
    for met in meetings:
        for site in met.sites:
            site.become(next(given), next(given))
