"""Ratings game after game by the `trueskill` package itself, which ours are held against."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import NormalDist
from typing import Any

import trueskill

from lath.reports.ratings.numerics import cdf, pdf
from lath.reports.ratings.results import Rating, Result
from lath.reports.ratings.skill import BETA, MU, SIGMA


def rate_by_package(results: Iterable[Result], draw_rate: float) -> dict[str, Rating]:
    """Return what `rated_in_order` does of one batch, by the package."""
    environment = environment_of(draw_rate)
    ratings: dict[str, Any] = {}
    for first, second, score, _, _ in results:
        for name in (first, second):
            ratings.setdefault(name, environment.create_rating())
        winner, loser = (second, first) if score < 0.5 else (first, second)
        if first != second:
            ratings[winner], ratings[loser] = trueskill.rate_1vs1(
                ratings[winner], ratings[loser], drawn=score == 0.5, env=environment
            )
    return {name: Rating(float(r.mu), float(r.sigma)) for name, r in ratings.items()}


def environment_of(draw_rate: float) -> Any:
    """Return an environment of our own: the package's global one could be changed by anybody.

    Its normal distribution is ours, which stays accurate in the tails where the package's does not.
    """
    return trueskill.TrueSkill(
        mu=MU,
        sigma=SIGMA,
        beta=BETA,
        tau=0.0,
        draw_probability=draw_rate,
        backend=(cdf, pdf, NormalDist().inv_cdf),
    )
