"""TrueSkill game after game, in their order: the `trueskill` package's own rating.

Must not know records, or how a rating is shown. The only module that touches `trueskill`.

It depends on the order, a little also with tau 0, and so it stands beside the converged rating as
a check. It is computed by a closed form for two players that is the package's `rate_1vs1` to 1e-9
(a test) and a hundred times as fast. `rate_by_package` runs the package itself; nothing but tests
and benchmarks needs it.

The bots do not learn, so tau is 0: a rating narrows with every game and never drifts.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from statistics import NormalDist
from typing import Any, Final

from lath.reports.ratings.gaussian import cdf, draw, pdf, win
from lath.reports.ratings.scale import BETA, MU, SIGMA, margin_of
from lath.reports.ratings.values import Rating, Result

NEWCOMER: Final = Rating(MU, SIGMA)

_DEEP: Final = -25.0
"""Below this a win is such a wonder that `gaussian.win` has to take another way."""
_SQRT_HALF: Final = math.sqrt(0.5)
_DENSITY: Final = math.sqrt(2 / math.pi)


class InOrder:
    """Ratings while games go by."""

    def __init__(self, draw_rate: float) -> None:
        """Begin with nobody; `draw_rate` is that between equals, in 0..1 without the ends."""
        self.margin = margin_of(draw_rate)
        self._means: dict[str, float] = {}
        self._variances: dict[str, float] = {}

    def add(self, results: Iterable[Result]) -> None:
        """Rate the games in their order; a game of a bot against itself only makes it known.

        The one loop that takes a step a game, so the commonest case, a win that is no wonder, is
        written out: about 0.4 µs.
        """
        means, variances, margin = self._means, self._variances, self.margin
        erfc, exp, sqrt, noise = math.erfc, math.exp, math.sqrt, 2 * BETA**2
        for first, second, score, _, _ in results:
            winner, loser = (second, first) if score < 0.5 else (first, second)
            try:
                x, y = variances[winner], variances[loser]
            except KeyError:
                self._welcome(first, second)
                x, y = variances[winner], variances[loser]
            if winner == loser:
                continue
            square = noise + x + y
            scale = sqrt(square)
            apart = means[winner] - means[loser]
            if score == 0.5:
                v, w, *_ = draw(apart / scale, margin / scale)
            elif (t := (apart - margin) / scale) > _DEEP:
                v = _DENSITY * exp(-t * t / 2) / erfc(-t * _SQRT_HALF)
                w = v * (v + t)
            else:
                v, w = win(t)
            v /= scale
            w /= square
            means[winner] += x * v
            means[loser] -= y * v
            variances[winner] = x - x * x * w
            variances[loser] = y - y * y * w

    def _welcome(self, *names: str) -> None:
        for name in names:
            self._means.setdefault(name, MU)
            self._variances.setdefault(name, SIGMA**2)

    def ratings(self) -> dict[str, Rating]:
        """Return the rating of every bot so far, in order of appearance."""
        return {
            name: Rating(mean, math.sqrt(self._variances[name]))
            for name, mean in self._means.items()
        }


def rate_in_order(results: Iterable[Result], draw_rate: float) -> dict[str, Rating]:
    """Return the rating of every bot after all games, in order of appearance.

    `draw_rate` is that between equals, in 0..1 without the ends; `converged` fits it.
    """
    sequence = InOrder(draw_rate)
    sequence.add(results)
    return sequence.ratings()


def rate_by_package(results: Iterable[Result], draw_rate: float) -> dict[str, Rating]:
    """Return the same as `rate_in_order`, by the package itself."""
    environment = _environment(draw_rate)
    package = _package()
    ratings: dict[str, Any] = {}
    for first, second, score, _, _ in results:
        for name in (first, second):
            ratings.setdefault(name, environment.create_rating())
        winner, loser = (second, first) if score < 0.5 else (first, second)
        if first != second:
            ratings[winner], ratings[loser] = package.rate_1vs1(
                ratings[winner], ratings[loser], drawn=score == 0.5, env=environment
            )
    return {name: Rating(float(r.mu), float(r.sigma)) for name, r in ratings.items()}


def _package() -> Any:
    with warnings.catch_warnings():
        # Version 0.4.5 has "\ " in a docstring: DeprecationWarning up to 3.11, SyntaxWarning since.
        for category in (DeprecationWarning, SyntaxWarning):
            warnings.filterwarnings("ignore", ".*invalid escape sequence", category)
        import trueskill  # type: ignore[import-untyped]
    return trueskill


def _environment(draw_rate: float) -> Any:
    """Return an environment of our own: the package's global one could be changed by anybody.

    Its normal distribution is ours, which stays accurate in the tails where the package's does not.
    """
    return _package().TrueSkill(
        mu=MU,
        sigma=SIGMA,
        beta=BETA,
        tau=0.0,
        draw_probability=draw_rate,
        backend=(cdf, pdf, NormalDist().inv_cdf),
    )
