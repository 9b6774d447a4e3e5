"""Whether results look as the fitted Elo model says that they should.

Must not know how the model was fitted, nor TrueSkill.

Pearson's chi-square over (game, first, second, result). With few games a cell the textbook's
distribution does not hold; so mean and variance of the sum are those that it has for just these
numbers of games (Haldane, 1937), less what the fitted parameters take away (McCullagh, 1986), and
its tail is that of the scaled chi-square with the same two moments. Where cells are large that is
the textbook's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from lath.reports.ratings.counts import Seats, Tally
from lath.reports.ratings.davidson import Davidson
from lath.reports.ratings.gaussian import chi_square_tail
from lath.reports.ratings.matrices import dot, times
from lath.reports.ratings.values import Fit

_LEAST_SPREAD: Final = 0.5
"""Variance over mean below which the sum says nothing: a quarter of the textbook's. So it is with
about one game a cell, where nearly all of it is fixed by what was fitted."""


def fit_of(model: Davidson, tallies: Mapping[Seats, Tally], groups: int) -> Fit:
    """Return the fit of `model` to its games; `groups` counts the connected groups of bots.

    A game id without any draw has no cells for draws.
    """
    drawish = {seats.game for seats, tally in tallies.items() if tally.draws}
    fitted = len(model.places.bots) - groups + len(model.places.games) + len(drawish)
    total, free, spread = 0.0, 0, 0.0
    leaning = [0.0] * len(model.parameters)
    for seats, tally in tallies.items():
        likely, seen = _cells(model, seats, tally, draws=seats.game in drawish)
        total += _pearson(likely, seen, tally.games)
        free += len(likely) - 1
        spread += _variance(likely, tally.games)
        one, other, game = model.places.of(seats)
        ahead = len(likely) * (likely[-1] - likely[0]) / 2
        leaning[one] += ahead
        leaning[other] -= ahead
        leaning[game] += ahead
        if len(likely) == 3:
            leaning[game + 1] += 1 - 3 * likely[1]
    # A parameter takes away a degree where cells are large, nothing where each has one game:
    # there the sum is the same whatever is fitted (with all chances equal: exactly).
    games = sum(tally.games for tally in tallies.values())
    taken = fitted * (1 - len(tallies) / games) if games else 0.0
    mean = free - taken
    spread -= 2 * taken + dot(leaning, times(model.covariance, leaning))
    if free <= fitted or spread < _LEAST_SPREAD * mean:
        return Fit(chi_square=total, degrees=0, p_value=1.0)
    # Scaled so that mean and variance are right; the textbook's spread is twice the mean.
    scale = spread / (2 * mean)
    return Fit(
        chi_square=total,
        degrees=free - fitted,
        p_value=chi_square_tail(total / scale, mean / scale),
    )


def _cells(
    model: Davidson, seats: Seats, tally: Tally, *, draws: bool
) -> tuple[list[float], list[int]]:
    """Return the chances of the possible results, and how often each was seen."""
    win, draw, loss = model.chances(seats)
    if draws:
        return [win, draw, loss], [tally.wins, tally.draws, tally.losses]
    return [win / (win + loss), loss / (win + loss)], [tally.wins, tally.losses]


def _pearson(likely: Iterable[float], seen: Iterable[int], games: int) -> float:
    return sum((n - games * p) ** 2 / (games * p) for p, n in zip(likely, seen, strict=True))


def _variance(likely: list[float], games: int) -> float:
    """Return the variance of Pearson's sum for one multinomial (Haldane, 1937)."""
    k = len(likely)
    return 2 * (k - 1) + (sum(1 / p for p in likely) - k * k - 2 * k + 2) / games
