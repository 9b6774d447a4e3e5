"""An Elo scale: Davidson's model fitted to counts, how sure it is, and whether it fits.

**The model.** With d the strength of first minus that of second, a the advantage of the first seat
and n how drawish the game is (Davidson, 1970; Davidson and Beaver, 1977):

    P(first wins) : P(draw) : P(second wins) = e^((d+a)/2) : n : e^(-(d+a)/2)

All bots have one strength; each game id has an a and an n of its own. The fit is the top of the
posterior with weak priors, so that 100 % scores stay finite.

**Its errors.** They are the sandwich H⁻¹·B·H⁻¹ of the curvature H around the covariance B of the
scores, with the games of a `Result.pair` as one cluster. In B a game by itself has the variance
that the model gives it; two games of one cluster have the product of their scores that was seen.
So games without a pair give the model's own errors, and a bot that won all its games, whose scores
are all tiny, is not taken to be sure of itself.

**Its fit.** Pearson's chi-square over (game, first, second, result). With few games a cell the
textbook's distribution does not hold; so mean and variance of the sum are those that it has for
just these numbers of games (Haldane, 1937), less what the fitted parameters take away (McCullagh,
1986), and its tail is that of the scaled chi-square with the same two moments. Where cells are
large that is the textbook's.

Must not know the order of the games, TrueSkill's model, or how a rating is shown.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from lath.reports.ratings.numerics import (
    Matrix,
    Vector,
    chi_square_tail,
    cholesky,
    dot,
    inverse,
    solve,
    times,
    zeros,
)
from lath.reports.ratings.results import Cell, Counts, Fit, Seats, SeatScore
from lath.reports.ratings.skill import PRIOR_DRAWS, PRIOR_GAMES

ELO: Final = 400 / math.log(10)
"""Elo points in a unit of the model."""

PRIOR_ELO: Final = 500.0
"""The standard deviation of strengths before any game, about TrueSkill's 25/3 in these points: 95 %
of bots within 2000 points. Weaker would be no better: the interval of a bot that won 10 of 10 games
then grows faster than its strength, and it no longer seems likely to be the stronger one."""

PRIOR_ADVANTAGE_ELO: Final = 500.0
"""The same of the advantage of the first seat."""

_TOLERANCE: Final = 1e-8
"""Of a Newton step, in units of the model; what is left after it is about its square."""

_LONGEST_STEP: Final = 2.0
"""Of any parameter at once, in units of the model: 350 Elo points."""


# The model


class Places:
    """Which parameter is whose."""

    def __init__(self, counts: Counts) -> None:
        """Number the bots, then the game ids, sorted."""
        self.bots = {name: number for number, name in enumerate(counts.names)}
        ids = sorted({seats.game for seats in counts.tallies})
        self.games = {game: len(self.bots) + 2 * i for i, game in enumerate(ids)}
        self.size = len(self.bots) + 2 * len(ids)

    def of(self, seats: Seats) -> tuple[int, int, int]:
        """Return where first, second and the game's two parameters are."""
        return self.bots[seats.first], self.bots[seats.second], self.games[seats.game]


@dataclass(frozen=True, slots=True)
class Davidson:
    """A fitted model."""

    places: Places
    parameters: Vector
    """A strength a bot, then the advantage and the logarithm of n of each game id."""

    covariance: Matrix
    """Of the parameters, if games were independent."""

    def chances(self, seats: Seats) -> tuple[float, float, float]:
        """Return how likely first wins, draws and loses."""
        one, other, game = self.places.of(seats)
        values = self.parameters
        return chances(values[one] - values[other] + values[game], values[game + 1])


def chances(ahead: float, log_draws: float) -> tuple[float, float, float]:
    """Return how likely a first that is ahead by so much wins, draws and loses; together 1."""
    half = ahead / 2
    top = max(half, -half, log_draws)  # so that nothing overflows
    win, draw, loss = math.exp(half - top), math.exp(log_draws - top), math.exp(-half - top)
    total = win + draw + loss
    return win / total, draw / total, loss / total


def fit(counts: Counts) -> Davidson:
    """Return the top of the posterior, by Newton's method; the priors without games.

    The posterior is log-concave, so there is one top.
    """
    places = Places(counts)
    games = [(places.of(seats), tally) for seats, tally in counts.tallies.items()]
    values = [0.0] * places.size
    for _ in range(200):  # a dozen are many
        gradient, curvature = _slopes(places, games, values)
        step = solve(cholesky(curvature), gradient)
        longest = max(map(abs, step), default=0.0)
        # Beyond a unit or two the curvature is another: an unbounded step could run away.
        length = min(1.0, _LONGEST_STEP / longest) if longest else 1.0
        values = [value + length * by for value, by in zip(values, step, strict=True)]
        if longest < _TOLERANCE:
            break
    return Davidson(places, values, inverse(_slopes(places, games, values)[1]))


def _slopes(
    places: Places, games: Sequence[tuple[tuple[int, int, int], SeatScore]], values: Vector
) -> tuple[Vector, Matrix]:
    """Return the log-posterior's gradient, and minus its second derivatives: the lower triangle."""
    gradient, curvature = [0.0] * places.size, zeros(places.size)
    # The priors: normal strengths and advantages, imagined draws.
    weights = dict.fromkeys(places.bots.values(), (ELO / PRIOR_ELO) ** 2)
    weights |= dict.fromkeys(places.games.values(), (ELO / PRIOR_ADVANTAGE_ELO) ** 2)
    for i, weight in weights.items():
        gradient[i] = -weight * values[i]
        curvature[i][i] = weight
    for game in places.games.values():
        draw = chances(0.0, values[game + 1])[1]
        gradient[game + 1] = PRIOR_DRAWS - PRIOR_GAMES * draw
        curvature[game + 1][game + 1] = PRIOR_GAMES * draw * (1 - draw)
    for (one, other, game), tally in games:
        count = tally.games
        win, draw, loss = chances(values[one] - values[other] + values[game], values[game + 1])
        lean = (win - loss) / 2
        ahead = (tally.wins - tally.losses) / 2 - count * lean
        drawn = tally.draws - count * draw
        gradient[one] += ahead
        gradient[other] -= ahead
        gradient[game] += ahead
        gradient[game + 1] += drawn
        both = count * ((win + loss) / 4 - lean * lean)
        mixed = -count * lean * draw
        curvature[one][one] += both
        curvature[other][other] += both
        curvature[max(one, other)][min(one, other)] -= both
        row = curvature[game]
        row[one] += both
        row[other] -= both
        row[game] += both
        row = curvature[game + 1]
        row[one] += mixed
        row[other] -= mixed
        row[game] += mixed
        row[game + 1] += count * draw * (1 - draw)
    return gradient, curvature


# Its errors


def covariance(model: Davidson, counts: Counts) -> Matrix:
    """Return the covariance of the model's parameters, given which of the games stand together.

    Without clusters it is the model's own.
    """
    own = model.covariance
    if not counts.clusters:
        return own
    # A fitted parameter takes a share of each score with it. Where each of N games has the same
    # share in p parameters, as in a balanced tournament, the products of m games of a cluster are
    # too small by (m - 1) p / N of the variances. Measured: intervals of 8 bots after 280 games in
    # pairs were too narrow by 1.6 %, and p / 2N is 1.6 %.
    products = sum(n * len(cluster) * (len(cluster) - 1) for cluster, n in counts.clusters.items())
    whole = 1 + products * len(model.parameters) / counts.games**2
    common = _in_common(model, counts.clusters)
    half = [[dot(row, column) for column in common] for row in own]
    result = zeros(len(own))
    for i, row in enumerate(half):
        for j in range(i + 1):
            result[i][j] = result[j][i] = whole * own[i][j] + dot(row, own[j])
    return result


def _in_common(model: Davidson, clusters: Mapping[tuple[Cell, ...], int]) -> Matrix:
    """Return the sum of the products of the scores of every two games of one cluster, both ways.

    What stands beside the games of one kind is added up first: there are fewer kinds than clusters.
    """
    scores: dict[Cell, tuple[tuple[int, float], ...]] = {}
    for cell in dict.fromkeys(cell for games in clusters for cell in games):
        first, second, points, game_id = cell
        seats = Seats(game_id, first, second)
        win, draw, loss = model.chances(seats)
        ahead, drawn = points - 0.5 - (win - loss) / 2, (points == 0.5) - draw
        one, two, game = model.places.of(seats)
        # The slopes of the log-likelihood, by the place of the parameter.
        scores[cell] = (one, ahead), (two, -ahead), (game, ahead), (game + 1, drawn)
    beside: dict[Cell, defaultdict[int, float]] = {cell: defaultdict(float) for cell in scores}
    for cluster, repeats in clusters.items():
        for cell, other in permutations(cluster, 2):  # nearly always two games
            sums = beside[cell]
            for place, slope in scores[other]:
                sums[place] += repeats * slope
    result = zeros(len(model.parameters))
    for cell, sums in beside.items():
        for i, slope in scores[cell]:
            row = result[i]
            for j, together in sums.items():
                row[j] += slope * together
    return result


# Its fit

_LEAST_SPREAD: Final = 0.5
"""Variance over mean below which the sum says nothing: a quarter of the textbook's. So it is with
about one game a cell, where nearly all of it is fixed by what was fitted."""


def fit_of(model: Davidson, counts: Counts, groups: int) -> Fit:
    """Return the fit of `model` to its games; `groups` counts the connected groups of bots.

    A game id without any draw has no cells for draws.
    """
    drawish = {seats.game for seats, tally in counts.tallies.items() if tally.draws}
    fitted = len(model.places.bots) - groups + len(model.places.games) + len(drawish)
    total, free, spread = 0.0, 0, 0.0
    leaning = [0.0] * len(model.parameters)
    for seats, tally in counts.tallies.items():
        win, draw, loss = model.chances(seats)
        one, other, game = model.places.of(seats)
        likely, seen = [win, draw, loss], [tally.wins, tally.draws, tally.losses]
        if seats.game in drawish:
            leaning[game + 1] += 1 - 3 * draw
        else:
            likely, seen = [win / (win + loss), loss / (win + loss)], [tally.wins, tally.losses]
        games, kinds = tally.games, len(likely)
        total += sum((n - games * p) ** 2 / (games * p) for p, n in zip(likely, seen, strict=True))
        free += kinds - 1
        # The variance of Pearson's sum for one multinomial (Haldane, 1937).
        bent = sum(1 / p for p in likely) - kinds**2 - 2 * kinds + 2
        spread += 2 * (kinds - 1) + bent / games
        ahead = kinds * (likely[-1] - likely[0]) / 2
        leaning[one] += ahead
        leaning[other] -= ahead
        leaning[game] += ahead
    # A parameter takes away a degree where cells are large, nothing where each has one game:
    # there the sum is the same whatever is fitted (with all chances equal: exactly).
    taken = fitted * (1 - len(counts.tallies) / counts.games) if counts.games else 0.0
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
