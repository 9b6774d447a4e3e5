"""TrueSkill ratings from results in game order. The only module that touches `trueskill`.

Must not know records, names of games, or how a rating is shown.

The bots do not learn, so tau is 0: a rating narrows with every game and never drifts. The
environment is explicit, never the package's global one, and its normal distribution is the standard
library's, which stays accurate in the tails where the package's own approximation does not.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

with warnings.catch_warnings():
    # trueskill 0.4.5 has "\ " in a docstring: DeprecationWarning up to 3.11, SyntaxWarning since.
    for category in (DeprecationWarning, SyntaxWarning):
        warnings.filterwarnings("ignore", ".*invalid escape sequence", category)
    import trueskill  # type: ignore[import-untyped]

MU: Final = 25.0
SIGMA: Final = MU / 3
BETA: Final = SIGMA / 2
"""TrueSkill's own scale: 25 ± 8.33 before the first game."""

PRIOR_DRAWS: Final = 1
PRIOR_GAMES: Final = 20
"""One draw in twenty imagined games keep the estimate off 0 and 1 and fade as real games come."""

_NORMAL: Final = NormalDist()
_SQRT_2: Final = math.sqrt(2)


@dataclass(frozen=True, slots=True)
class Result:
    """One decided game: who sat where, and what first scored."""

    first: str
    second: str
    score: float
    """First's points: 1, 1/2 or 0."""


@dataclass(frozen=True, slots=True)
class Rating:
    """What the games say about one bot's strength: a normal distribution."""

    mu: float
    """The mean; 25 before any game."""

    sigma: float
    """The standard deviation; > 0, 8.33 before any game."""

    @property
    def exposed(self) -> float:
        """Return mu - 3 sigma: a strength that the bot has almost surely; 0 before any game."""
        return self.mu - 3 * self.sigma


def draw_probability(draws: int, games: int) -> float:
    """Return the estimated draw rate between equals, always strictly between 0 and 1.

    It is the draw rate of the data, with one draw in twenty games added. Without games it is 0.05;
    a draw is never held to be impossible, for that would make the first one absurd. Unequal bots
    draw less often than equal ones, so a field of wide strength makes the estimate a little low.

    >>> draw_probability(10, 80)
    0.11
    """
    return (draws + PRIOR_DRAWS) / (games + PRIOR_GAMES)


def draw_rate(results: Iterable[Result]) -> float:
    """Return the `draw_probability` that `results` speak for; self-play is passed over."""
    drawn = [result.score == 0.5 for result in results if result.first != result.second]
    return draw_probability(sum(drawn), len(drawn))


def rate(results: Sequence[Result]) -> dict[str, Rating]:
    """Return the rating of every bot in `results`, in order of appearance; empty without games.

    One pass, in the order of the results. A bot's game against itself says nothing about its
    strength and is passed over; a bot without another game has the rating of a newcomer.
    """
    environment = _environment(draw_rate(results))
    seats = (name for result in results for name in (result.first, result.second))
    ratings = {name: environment.create_rating() for name in seats}
    for result in results:
        if result.first != result.second:
            _update(environment, ratings, result)
    return {name: Rating(float(r.mu), float(r.sigma)) for name, r in ratings.items()}


def _update(environment: Any, ratings: dict[str, Any], result: Result) -> None:
    winner, loser = result.first, result.second
    if result.score < 0.5:
        winner, loser = loser, winner
    ratings[winner], ratings[loser] = trueskill.rate_1vs1(
        ratings[winner], ratings[loser], drawn=result.score == 0.5, env=environment
    )


def _environment(draw_rate: float) -> Any:
    return trueskill.TrueSkill(
        mu=MU,
        sigma=SIGMA,
        beta=BETA,
        tau=0.0,
        draw_probability=draw_rate,
        backend=(_cdf, _pdf, _NORMAL.inv_cdf),
    )


def _cdf(x: float) -> float:
    return math.erfc(-x / _SQRT_2) / 2


def _pdf(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
