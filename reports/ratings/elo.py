"""An Elo scale: Davidson's model fitted to counts, shown as scores, with a test of its fit.

**The model.** The model is by Davidson (1970; with Beaver, 1977). Let d be the strength of the
first player minus that of the second. Let a be the first-move advantage, and n the tendency of the
game to be drawn:

    `P(first wins) : P(draw) : P(second wins) = e^((d+a)/2) : n : e^(-(d+a)/2)`

Each bot has one strength over all games; each game id has its own a and n. Before any game, the
strengths follow a normal distribution, whose standard deviation is estimated from the games
(empirical Bayes). So the prior is narrow for close bots and wide for a wide field. The errors
include the uncertainty of this width: the posterior is a mixture over several widths, weighted by
their evidence (Laplace's method) and by a weak prior. So ratings stay valid if results decide the
pairings.

**The scale.** The model's d describes decided games, so it differs from the usual Elo if there are
many draws. The ratings r that are shown fulfil the equation below for each bot: over its games, the
logistic curve expects as many points as the model. Both sides are taken equally often.

    sum over its games of 1 / (1 + 10^(-(r - r') / 400)) = sum of (score as first and as second) / 2

If the sides are balanced, these are the ratings of the Bradley-Terry model with half a point per
draw, as in Ordo and Elo's SPRT. The rating of an anchor is fixed, and its sum need not match. The
advantage is the Elo of the first player's expected score (equal opponents).

**Its fit.** The statistic is Pearson's chi-square over (game, first, second, result). The textbook
distribution is wrong for few games per cell. So the mean and variance are computed for these
numbers of games (Haldane, 1937), minus the effect of the fitted parameters (McCullagh, 1986). The
tail is that of a scaled chi-square with these two moments. For large cells, this equals the
textbook distribution.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from types import MappingProxyType
from typing import Final

from lath.reports.ratings.counts import ResultCounts, SidesOfPair, Weighed
from lath.reports.ratings.numerics import (
    Matrix,
    Vector,
    chi_square_tail,
    cholesky,
    dot,
    inverse,
    inverse_of,
    solve,
    times,
    zeros,
)
from lath.reports.ratings.results import Fit
from lath.reports.ratings.skill import PRIOR_DRAWS, PRIOR_GAMES

ELO: Final = 400 / math.log(10)
"""Elo points per unit of the model."""

PRIOR_ELO: Final = 250.0
"""The prior median of the standard deviation of strengths, in Elo points."""

WIDTHS: Final = 0.8
"""The standard deviation of the logarithm of this width: two of three fields have a width of 112 to
556 points."""

UNKNOWN_ELO: Final = 500.0
"""The standard error of a bot without opponents, in Elo points."""

PRIOR_ADVANTAGE_ELO: Final = 500.0
"""The prior standard deviation of the first-move advantage, in Elo points."""

_TOLERANCE: Final = 1e-3
"""The largest step at convergence, in standard errors."""

_ROUGHLY: Final = 3e-2
"""The largest step at convergence for widths that are only compared."""

_FINE: Final = 1e-8
"""The largest step of the ratings on the scale of scores; the remaining error is about its
square."""

_MOST_STEPS: Final = 200
"""The limit of steps in Newton's method; it rarely needs more than a dozen."""

_LONGEST_STEP: Final = 2.0
"""The limit of one step of any parameter, in units of the model: 350 Elo points."""


# The model


class ParameterPlaces:
    """The index of each parameter in the vectors of the model."""

    def __init__(self, counts: ResultCounts) -> None:
        """Number the bots, then the game ids, both sorted."""
        self.bots = {name: number for number, name in enumerate(counts.names)}
        ids = sorted({seats.game for seats in counts.tallies})
        self.games = {game: len(self.bots) + 2 * i for i, game in enumerate(ids)}
        self.size = len(self.bots) + 2 * len(ids)

    def of(self, seats: SidesOfPair) -> tuple[int, int, int]:
        """Return the indices of the first player, the second player and the game."""
        return self.bots[seats.first], self.bots[seats.second], self.games[seats.game]


@dataclass(frozen=True, slots=True)
class Davidson:
    """A fitted model."""

    places: ParameterPlaces
    parameters: Vector
    """The strength of each bot, then the advantage and the logarithm of n of each game id."""

    covariance: Matrix
    """The covariance of the parameters, assuming independent games."""

    variance: float
    """The estimated prior variance of strengths."""

    by_width: Matrix = field(default_factory=list)
    """The part of the covariance that comes from the uncertain width of the field."""

    def chances(self, seats: SidesOfPair) -> tuple[float, float, float]:
        """Return the chances of a win, a draw and a loss of the first player."""
        one, other, game = self.places.of(seats)
        values = self.parameters
        return chances(values[one] - values[other] + values[game], values[game + 1])


def chances(ahead: float, log_draws: float) -> tuple[float, float, float]:
    """Return the chances of a win, draw and loss at a lead of the first player; the sum is 1."""
    half = ahead / 2
    top = max(half, -half, log_draws)  # avoids overflow
    win, draw, loss = math.exp(half - top), math.exp(log_draws - top), math.exp(-half - top)
    total = win + draw + loss
    return win / total, draw / total, loss / total


Games = Sequence[tuple[tuple[int, int, int], Weighed]]
"""The indices of the parameters of each pairing, with its results."""


_STRIDE: Final = 0.7
"""The distance of the logarithms of the widths that are tried first."""

_NODES: Final = range(-2, 3)
"""The widths of the mixture, counted from the likeliest one."""

_NODE: Final = 1.0
"""The distance of the logarithms of these widths, in standard deviations of their posterior."""


def fit(counts: ResultCounts) -> Davidson:
    """Return the posterior over all widths of the field; without games, all means are 0."""
    places = ParameterPlaces(counts)
    games = [(places.of(seats), tally) for seats, tally in counts.weighed().items()]
    middle = math.log(PRIOR_ELO / ELO)
    peaks = _Peaks(places, games)
    best = 0
    tried = {step: peaks.at(middle + step * _STRIDE, _ROUGHLY).evidence for step in (-1, 0, 1)}
    while (step := max(tried, key=tried.__getitem__)) != best:
        best = step
        for beside in (best - 1, best + 1):
            if beside not in tried:
                tried[beside] = peaks.at(middle + beside * _STRIDE, _ROUGHLY).evidence
    below, top, above = (tried[best + step] for step in (-1, 0, 1))
    bend = max(2 * top - below - above, 1e-3)
    likeliest = middle + _STRIDE * (best + (above - below) / (2 * bend))
    apart = min(_STRIDE, _NODE * _STRIDE / math.sqrt(bend))
    return _mixture(places, [peaks.at(likeliest + node * apart) for node in _NODES])


@dataclass(frozen=True, slots=True)
class _Peak:
    """The normal distribution closest to the posterior for one width of the field."""

    values: Vector
    covariance: Matrix
    variance: float
    evidence: float
    """The log-evidence of the width, up to a constant."""


class _Peaks:
    """Finds the normal distributions, each starting from the previous one."""

    def __init__(self, places: ParameterPlaces, games: Games) -> None:
        self._places: Final = places
        self._games: Final = games
        self._values = [0.0] * places.size
        self._covariance = zeros(places.size)

    def at(self, width: float, tolerance: float = _TOLERANCE) -> _Peak:
        """Return the normal distribution for one width, the log standard deviation of the field.

        It minimises the Kullback-Leibler divergence (Opper and Archambeau, 2009). Mean and
        curvature are expectations, so they are less biased than those at the posterior's maximum.
        """
        places, games, variance = self._places, self._games, math.exp(2 * width)
        values, known = self._values, self._covariance
        last: Matrix = []
        part, widened = 1.0, 0.0
        for _ in range(_MOST_STEPS):
            gradient, curvature, _ = _slopes(places, games, values, known, variance)
            if part < 1.0:
                curvature = [
                    [part * new + (1 - part) * old for new, old in zip(*rows, strict=True)]
                    for rows in zip(curvature, last, strict=True)
                ]
            lower, last = cholesky(curvature), curvature
            step = solve(lower, gradient)
            longest = max(map(abs, step), default=0.0)
            # The quadratic approximation holds within a unit or two: a longer step could diverge.
            length = min(1.0, _LONGEST_STEP / longest) if longest else 1.0
            values = [value + length * by for value, by in zip(values, step, strict=True)]
            before, known = known, inverse_of(lower)
            wider = max(
                (1 - before[i][i] / known[i][i] for i in range(places.size)), key=abs, default=0.0
            )
            further = max(
                (abs(by) / math.sqrt(known[i][i]) for i, by in enumerate(step)), default=0.0
            )
            if max(further, abs(wider)) < tolerance:
                break
            if wider * widened < 0 and abs(wider) > abs(widened) / 2:
                part /= 2  # it oscillates, as if a bot nearly always wins; smaller steps do not
            widened = wider
        self._values, self._covariance = values, known
        height = _slopes(places, games, values, known, variance)[2]
        height -= math.fsum(math.log(row[-1]) for row in lower)
        height -= ((width - math.log(PRIOR_ELO / ELO)) / WIDTHS) ** 2 / 2
        return _Peak(values, known, variance, height)


def _mixture(places: ParameterPlaces, peaks: Sequence[_Peak]) -> Davidson:
    """Return the mean and covariance of a mixture of normal distributions, weighted by evidence."""
    most = max(peak.evidence for peak in peaks)
    weights = [math.exp(peak.evidence - most) for peak in peaks]
    total = math.fsum(weights)
    weights = [weight / total for weight in weights]
    mean = [dot(weights, of) for of in zip(*(peak.values for peak in peaks), strict=True)]
    between, covariance = zeros(places.size), zeros(places.size)
    for weight, peak in zip(weights, peaks, strict=True):
        if weight < _NO_WEIGHT:
            continue
        off = [value - middle for value, middle in zip(peak.values, mean, strict=True)]
        for i, row in enumerate(peak.covariance):
            by = weight * off[i]
            between[i] = [
                so_far + by * other for so_far, other in zip(between[i], off, strict=True)
            ]
            covariance[i] = [
                so_far + weight * value for so_far, value in zip(covariance[i], row, strict=True)
            ]
    whole = [
        [one + other for one, other in zip(*rows, strict=True)]
        for rows in zip(covariance, between, strict=True)
    ]
    # The geometric mean, because few games cannot rule out widths that are far too large.
    variance = math.exp(dot(weights, (math.log(peak.variance) for peak in peaks)))
    return Davidson(places, mean, whole, variance, between)


_NO_WEIGHT: Final = 1e-4
"""Peaks with a smaller weight change nothing visible."""


_THIRDS: Final = ((0.0, 2 / 3), (math.sqrt(3), 1 / 6), (-math.sqrt(3), 1 / 6))
"""The nodes of a Gauss-Hermite rule, in standard deviations, with their weights."""


def _slopes(
    places: ParameterPlaces, games: Games, values: Vector, known: Matrix, variance: float
) -> tuple[Vector, Matrix, float]:
    """Return the gradient, negative Hessian and height of the log-posterior, as expectations.

    The expectation is over a normal distribution with mean `values` and covariance `known`, in the
    direction of the first player's lead. The Hessian is a lower triangle, and the height omits a
    constant. `variance` is the prior variance of strengths.
    """
    gradient, curvature = [0.0] * places.size, zeros(places.size)
    # The priors: normal strengths and advantages, imaginary draws.
    weights = dict.fromkeys(places.bots.values(), 1 / variance)
    height = -len(weights) / 2 * math.log(variance)
    weights |= dict.fromkeys(places.games.values(), (ELO / PRIOR_ADVANTAGE_ELO) ** 2)
    for i, weight in weights.items():
        gradient[i] = -weight * values[i]
        curvature[i][i] = weight
        height -= weight * (values[i] ** 2 + known[i][i]) / 2
    for game in places.games.values():
        win, draw, _ = chances(0.0, values[game + 1])
        gradient[game + 1] = PRIOR_DRAWS - PRIOR_GAMES * draw
        curvature[game + 1][game + 1] = PRIOR_GAMES * draw * (1 - draw)
        height += PRIOR_DRAWS * math.log(draw) + (PRIOR_GAMES - PRIOR_DRAWS) * math.log(2 * win)
    for (one, other, game), tally in games:
        seat, row = known[game], known[one]
        spread = row[one] + known[other][other] + seat[game]
        spread = math.sqrt(max(0.0, spread + 2 * (seat[one] - row[other] - seat[other])))
        ahead = values[one] - values[other] + values[game]
        log_draws = values[game + 1]
        leans = draws = both = mixed = drawn = 0.0
        for off, weight in _THIRDS if spread > _NARROW else _MIDDLE:
            win, draw, loss = chances(ahead + off * spread, log_draws)
            lean = (win - loss) / 2
            leans += weight * lean
            draws += weight * draw
            both += weight * ((win + loss) / 4 - lean * lean)
            mixed += weight * lean * draw
            drawn += weight * draw * (1 - draw)
            height += weight * tally.height(win, draw, loss)
        count = tally.games
        pull = (tally.wins - tally.losses) / 2 - count * leans
        gradient[one] += pull
        gradient[other] -= pull
        gradient[game] += pull
        gradient[game + 1] += tally.draws - count * draws
        both *= count
        mixed *= -count
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
        row[game + 1] += count * drawn
    return gradient, curvature, height


_MIDDLE: Final = ((0.0, 1.0),)
_NARROW: Final = 1e-3
"""If a standard deviation is smaller, in units of the model, one node at the mean is enough."""


# Its scale


@dataclass(frozen=True, slots=True)
class Scores:
    """The ratings of a model on the scale of expected scores, and their derivatives."""

    ratings: Vector
    """One rating per bot; the mean of each group is 0."""

    slopes: Matrix
    """The derivatives of each rating by the parameters of the model."""

    def spread(self, covariance: Matrix) -> Matrix:
        """Return the covariance of the ratings, from the covariance of the parameters."""
        half = [times(covariance, row) for row in self.slopes]
        result = zeros(len(half))
        for i, row in enumerate(half):
            for j in range(i + 1):
                result[i][j] = result[j][i] = dot(row, self.slopes[j])
        return result


def logistic(x: float) -> float:
    """Return the expected score at a lead of `x`, in units of the model."""
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def _expected(ahead: float, log_draws: float) -> tuple[float, float, float]:
    """Return the first player's expected score, and its derivatives by lead and by `log_draws`."""
    win, draw, loss = chances(ahead, log_draws)
    lean = (win - loss) / 2
    return 0.5 + lean, (win + loss) / 4 - lean * lean, -lean * draw


def scores(
    model: Davidson,
    counts: ResultCounts,
    groups: Sequence[Sequence[str]],
    anchors: Mapping[str, float] = MappingProxyType({}),
) -> Scores:
    """Return the ratings of `model` on the scale of scores; `groups` are connected by games.

    `anchors` are fixed ratings in Elo points; other ratings of their groups are relative to them.
    """
    met, slopes = _expected_points(model, counts)
    places = [[model.places.bots[name] for name in group] for group in groups]
    held = {model.places.bots[name]: value / ELO for name, value in anchors.items()}
    ratings = model.parameters[: len(model.places.bots)]
    for group in places:
        if known := [held[place] - ratings[place] for place in group if place in held]:
            for place in group:
                ratings[place] = held.get(place, ratings[place] + fmean(known))
    for _ in range(200):  # usually at most four
        gradient, curvature = _shortfall(met, places, ratings, held)
        step = solve(cholesky(curvature), gradient)
        longest = max(map(abs, step), default=0.0)
        length = min(1.0, _LONGEST_STEP / longest) if longest else 1.0
        ratings = [value + length * by for value, by in zip(ratings, step, strict=True)]
        if longest < _FINE:
            break
    columns = list(zip(*slopes, strict=True))
    by_points = inverse(_shortfall(met, places, ratings, held)[1])
    return Scores(ratings, [[dot(row, column) for column in columns] for row in by_points])


Met = Mapping[tuple[int, int], tuple[int, float]]
"""For each two bots, the number of games and the points that the model expects of the first bot,
averaged over both sides."""


def _expected_points(model: Davidson, counts: ResultCounts) -> tuple[Met, Matrix]:
    """Return the expected points of each two bots, and the derivatives of each bot's points."""
    values = model.parameters
    games_of: defaultdict[tuple[int, int, int], int] = defaultdict(int)
    for seats, tally in counts.tallies.items():
        one, other, game = model.places.of(seats)
        games_of[min(one, other), max(one, other), game] += tally.games
    met: dict[tuple[int, int], tuple[int, float]] = {}
    slopes = [[0.0] * len(values) for _ in model.places.bots]
    for (one, other, game), games in games_of.items():
        apart, advantage, log_draws = values[one] - values[other], values[game], values[game + 1]
        score, steep, drawn = _expected(apart + advantage, log_draws)
        second, flat, less = _expected(apart - advantage, log_draws)
        so_far = met.get((one, other), (0, 0.0))
        met[one, other] = so_far[0] + games, so_far[1] + games * (score + second) / 2
        for bot, half in ((one, games / 2), (other, -games / 2)):
            row = slopes[bot]
            row[one] += half * (steep + flat)
            row[other] -= half * (steep + flat)
            row[game] += half * (steep - flat)
            row[game + 1] += half * (drawn + less)
    return met, slopes


_HELD: Final = 1e9
"""The weight of an anchor's fixed rating, relative to its games."""


def _shortfall(
    met: Met, groups: Sequence[Sequence[int]], ratings: Vector, held: Mapping[int, float]
) -> tuple[Vector, Matrix]:
    """Return how many points `ratings` expect too few, and the derivatives of this shortfall.

    Points do not determine the mean of a group. So it is fixed at 0, or its anchors are fixed at
    the ratings in `held`.
    """
    missing, weights = [0.0] * len(ratings), zeros(len(ratings))
    for (one, other), (games, points) in met.items():
        score = logistic(ratings[one] - ratings[other])
        missing[one] += points - games * score
        missing[other] -= points - games * score
        weight = games * score * (1 - score)
        weights[one][one] += weight
        weights[other][other] += weight
        weights[other][one] -= weight  # lower triangle: one < other
    for group in groups:
        hold = max(weights[i][i] for i in group) or 1.0
        if anchors := [i for i in group if i in held]:
            for i in anchors:
                missing[i] += _HELD * hold * (held[i] - ratings[i])
                weights[i][i] += _HELD * hold
            continue
        off = math.fsum(ratings[i] for i in group)
        for i in group:
            missing[i] -= hold * off
            row = weights[i]
            for j in group:
                row[j] += hold
    return missing, weights


def advantage(model: Davidson, game: int) -> tuple[float, Vector]:
    """Return the first-move advantage on the scale of scores, and its derivatives by a and ln n."""
    score, steep, drawn = _expected(*model.parameters[game : game + 2])
    weight = score * (1 - score)
    return math.log(score / (1 - score)), [steep / weight, drawn / weight]


# Its fit

_LEAST_SPREAD: Final = 0.5
"""If the variance divided by the mean is smaller, the sum has no power: a quarter of the textbook's
ratio. This happens at about one game per cell, where the fit determines nearly the whole sum."""

_LEAST_EXPECTED: Final = 0.1
"""The least number of games that a cell must expect of each result. The variance of Pearson's sum
is about the sum of the reciprocals of these numbers, so rare results dominate it and no chi-square
approximates its distribution."""


def fit_of(model: Davidson, counts: ResultCounts, groups: int) -> Fit:
    """Return the fit of `model` to its games; `groups` is the number of connected groups of bots.

    A game id without draws has no cells for draws; a game id with draws only has no cells. Cells
    with a nearly impossible result are left out, because one such game would dominate the sum.
    """
    tallies = counts.weighed()
    decided = {seats.game for seats, tally in tallies.items() if tally.draws < tally.games}
    drawish = {seats.game for seats, tally in tallies.items() if tally.draws} & decided
    fitted = len(model.places.bots) - groups + len(decided) + len(drawish)
    total, free, spread, cells, used = 0.0, 0, 0.0, 0, 0.0
    leaning = [0.0] * len(model.parameters)
    for seats, tally in tallies.items():
        if seats.game not in decided:
            continue
        win, draw, loss = model.chances(seats)
        one, other, game = model.places.of(seats)
        likely, seen = [win, draw, loss], [tally.wins, tally.draws, tally.losses]
        if seats.game not in drawish:
            likely, seen = [win / (win + loss), loss / (win + loss)], [tally.wins, tally.losses]
        games, kinds = tally.games, len(likely)
        if games * min(likely) < _LEAST_EXPECTED:
            continue
        cells += 1
        used += games
        total += sum((n - games * p) ** 2 / (games * p) for p, n in zip(likely, seen, strict=True))
        free += kinds - 1
        # The variance of Pearson's sum for one multinomial (Haldane, 1937).
        bent = sum(1 / p for p in likely) - kinds**2 - 2 * kinds + 2
        spread += 2 * (kinds - 1) + bent / games
        ahead = kinds * (likely[-1] - likely[0]) / 2
        if seats.game in drawish:
            leaning[game + 1] += 1 - 3 * draw
        leaning[one] += ahead
        leaning[other] -= ahead
        leaning[game] += ahead
    # A parameter takes a degree of freedom if cells are large, and none if each cell has one game:
    # then the sum hardly depends on the fit (not at all if all chances are equal).
    taken = fitted * (1 - cells / used) if used else 0.0
    mean = free - taken
    spread -= 2 * taken + dot(leaning, times(model.covariance, leaning))
    if free <= fitted or spread < _LEAST_SPREAD * mean:
        return Fit(chi_square=total, degrees=0, p_value=1.0)
    # Scaled to match mean and variance; the textbook's variance is twice the mean.
    scale = spread / (2 * mean)
    return Fit(
        chi_square=total,
        degrees=free - fitted,
        p_value=chi_square_tail(total / scale, mean / scale),
    )
