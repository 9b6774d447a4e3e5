"""The `trueskill` package, which our closed form has to agree with."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from statistics import NormalDist
from typing import Any

from lath.reports.ratings.numerics import cdf, pdf
from lath.reports.ratings.results import Rating, Result
from lath.reports.ratings.skill import BETA, MU, SIGMA


def rate_by_package(results: Iterable[Result], draw_rate: float) -> dict[str, Rating]:
    """Return the same as `rate_in_order`, by the package itself."""
    environment = environment_of(draw_rate)
    module = package()
    ratings: dict[str, Any] = {}
    for first, second, score, _, _ in results:
        for name in (first, second):
            ratings.setdefault(name, environment.create_rating())
        winner, loser = (second, first) if score < 0.5 else (first, second)
        if first != second:
            ratings[winner], ratings[loser] = module.rate_1vs1(
                ratings[winner], ratings[loser], drawn=score == 0.5, env=environment
            )
    return {name: Rating(float(r.mu), float(r.sigma)) for name, r in ratings.items()}


def package() -> Any:
    """Return the package, whose first import warns of itself."""
    with warnings.catch_warnings():
        # Version 0.4.5 has "\ " in a docstring: DeprecationWarning up to 3.11, SyntaxWarning since.
        for category in (DeprecationWarning, SyntaxWarning):
            warnings.filterwarnings("ignore", ".*invalid escape sequence", category)
        import trueskill  # type: ignore[import-untyped]
    return trueskill


def environment_of(draw_rate: float) -> Any:
    """Return an environment of our own: the package's global one could be changed by anybody.

    Its normal distribution is ours, which stays accurate in the tails where the package's does not.
    """
    return package().TrueSkill(
        mu=MU,
        sigma=SIGMA,
        beta=BETA,
        tau=0.0,
        draw_probability=draw_rate,
        backend=(cdf, pdf, NormalDist().inv_cdf),
    )
