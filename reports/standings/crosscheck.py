"""How far the converged ratings and the package's own, game after game, are from each other.

Must not know how either comes about.
"""

from __future__ import annotations

from statistics import fmean
from typing import NamedTuple

from lath.reports.ratings.values import Ratings


class Gap(NamedTuple):
    """How far one bot's two ratings are apart."""

    name: str
    mu: float
    """Converged less sequential, each around the mean of the bot's group."""

    sigma: float
    """The converged one, to compare it with; > 0 but for a bot that nobody met."""


def greatest_gap(ratings: Ratings) -> Gap | None:
    """Return the bot whose ratings are furthest apart, the first of equals; None without any.

    The sequential ratings are moved so that the mean of a group is the same in both: only
    differences between bots mean anything.
    """
    gaps = [
        gap for group in ratings.groups if len(group) > 1 for gap in _gaps_of_group(ratings, group)
    ]
    return max(gaps, key=lambda gap: abs(gap.mu), default=None)


def _gaps_of_group(ratings: Ratings, group: tuple[str, ...]) -> list[Gap]:
    apart: dict[str, float] = {}
    for name in group:
        strength = ratings.strengths[name]
        if strength.sequential is None:
            return []
        apart[name] = strength.trueskill.mu - strength.sequential.mu
    mean = fmean(apart.values())
    return [Gap(n, apart[n] - mean, ratings.strengths[n].trueskill.sigma) for n in group]
