"""An Elo scale: Davidson's model fitted to counts, shown as scores, how sure it is and if it fits.

**The model.** With d the strength of first minus that of second, a the advantage of the first seat
and n how drawish the game is (Davidson, 1970; Davidson and Beaver, 1977):

    P(first wins) : P(draw) : P(second wins) = e^((d+a)/2) : n : e^(-(d+a)/2)

All bots have one strength; each game id has an a and an n of its own. The fit is the top of the
posterior with weak priors, so that 100 % scores stay finite; the prior of the strengths is as wide
as the field, where that is wider.

**The scale.** The model's d is about decided games: the more draws, the further it is from what
people know as Elo. So what is shown are the ratings r by which the logistic curve expects of each
bot, over the games that it played, just the points that the model expects of it with both seats
taken equally often:

    sum over its games of 1 / (1 + 10^(-(r - r') / 400)) = sum of (score as first and as second) / 2

Of seats in balance these are the ratings of Bradley and Terry's model with half a point a draw, as
Ordo and Elo's SPRT have them. The advantage is what the curve says of first's score among equals.

**Its errors.** They are the sandwich H⁻¹·B·H⁻¹ of the curvature H around the covariance B of the
scores, with the games of a `Result.pair` as one cluster. In B a game by itself has the variance
that the model gives it; two games of one cluster have the product of their scores that was seen.
So games without a pair give the model's own errors, and a bot that won all its games, whose scores
are all tiny, is not taken to be sure of itself. They go over to the scale by its slopes.

**Its fit.** Pearson's chi-square over (game, first, second, result). With few games a cell the
textbook's distribution does not hold; so mean and variance of the sum are those that it has for
just these numbers of games (Haldane, 1937), less what the fitted parameters take away (McCullagh,
1986), and its tail is that of the scaled chi-square with the same two moments. Where cells are
large that is the textbook's.

Must not know the order of the games, TrueSkill's model, or how a rating is shown.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from lath.reports.ratings.numerics import (
    WIDENINGS,
    WIDER,
    Matrix,
    Vector,
    chi_square_tail,
    cholesky,
    dot,
    inverse,
    prior_variance,
    solve,
    student,
    times,
    zeros,
)
from lath.reports.ratings.results import Z95, Cell, Counts, Fit, Seats, SeatScore
from lath.reports.ratings.skill import PRIOR_DRAWS, PRIOR_GAMES

ELO: Final = 400 / math.log(10)
"""Elo points in a unit of the model."""

PRIOR_ELO: Final = 500.0
"""The least standard deviation of strengths before any game, about TrueSkill's 25/3 in the model's
points: 95 % of bots within 2000. A field that the games show to be wider has its own. Weaker from
the start would be no better: the interval of a bot that won 10 of 10 games then grows faster than
its strength, and it no longer seems likely to be the stronger one."""

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

    variance: float
    """Of the strengths, before any game."""

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


Games = Sequence[tuple[tuple[int, int, int], SeatScore]]
"""The places of the parameters, and what came of the games."""


def fit(counts: Counts) -> Davidson:
    """Return the top of the posterior; the priors without games.

    The prior of the strengths has the variance that this field seems to have, or that of PRIOR_ELO
    where that is more.
    """
    places = Places(counts)
    games = [(places.of(seats), tally) for seats, tally in counts.tallies.items()]
    least = variance = (PRIOR_ELO / ELO) ** 2
    values = [0.0] * places.size
    for _ in range(WIDENINGS):
        values = _top(places, games, values, variance)
        covariance = inverse(_slopes(places, games, values, variance)[1])
        model = Davidson(places, values, covariance, variance)
        wider = prior_variance(values[: len(places.bots)], covariance, variance, least)
        if wider <= WIDER * variance:
            break
        variance = wider
    return model


def _top(places: Places, games: Games, values: Vector, variance: float) -> Vector:
    """Return where the log-posterior, which is concave, is highest: by Newton's method."""
    for _ in range(200):  # a dozen are many
        gradient, curvature = _slopes(places, games, values, variance)
        step = solve(cholesky(curvature), gradient)
        longest = max(map(abs, step), default=0.0)
        # Beyond a unit or two the curvature is another: an unbounded step could run away.
        length = min(1.0, _LONGEST_STEP / longest) if longest else 1.0
        values = [value + length * by for value, by in zip(values, step, strict=True)]
        if longest < _TOLERANCE:
            break
    return values


def _slopes(places: Places, games: Games, values: Vector, variance: float) -> tuple[Vector, Matrix]:
    """Return the log-posterior's gradient, and minus its second derivatives: the lower triangle.

    `variance` is that of the strengths before any game.
    """
    gradient, curvature = [0.0] * places.size, zeros(places.size)
    # The priors: normal strengths and advantages, imagined draws.
    weights = dict.fromkeys(places.bots.values(), 1 / variance)
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


# Its scale


@dataclass(frozen=True, slots=True)
class Scores:
    """A model's ratings on the scale of expected scores, and how they follow its parameters."""

    ratings: Vector
    """A number a bot, around the 0 of its group."""

    slopes: Matrix
    """Of each rating, by each of the model's parameters."""

    def spread(self, covariance: Matrix) -> Matrix:
        """Return the covariance of the ratings, of that of the parameters."""
        half = [times(covariance, row) for row in self.slopes]
        result = zeros(len(half))
        for i, row in enumerate(half):
            for j in range(i + 1):
                result[i][j] = result[j][i] = dot(row, self.slopes[j])
        return result


def logistic(x: float) -> float:
    """Return the score that is expected of who is ahead by `x`, in units of the model."""
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def _expected(ahead: float, log_draws: float) -> tuple[float, float, float]:
    """Return first's expected score, and its slopes by how far it is ahead and by `log_draws`."""
    win, draw, loss = chances(ahead, log_draws)
    lean = (win - loss) / 2
    return 0.5 + lean, (win + loss) / 4 - lean * lean, -lean * draw


def scores(model: Davidson, counts: Counts, groups: Sequence[Sequence[str]]) -> Scores:
    """Return the ratings of `model` on the scale of scores; `groups` are connected by games."""
    met, slopes = _expected_points(model, counts)
    places = [[model.places.bots[name] for name in group] for group in groups]
    ratings = model.parameters[: len(model.places.bots)]
    for _ in range(200):  # four are many
        gradient, curvature = _shortfall(met, places, ratings)
        step = solve(cholesky(curvature), gradient)
        longest = max(map(abs, step), default=0.0)
        length = min(1.0, _LONGEST_STEP / longest) if longest else 1.0
        ratings = [value + length * by for value, by in zip(ratings, step, strict=True)]
        if longest < _TOLERANCE:
            break
    columns = list(zip(*slopes, strict=True))
    by_points = inverse(_shortfall(met, places, ratings)[1])
    return Scores(ratings, [[dot(row, column) for column in columns] for row in by_points])


Met = Mapping[tuple[int, int], tuple[int, float]]
"""The games of two bots, and the points that the model expects of the one over both seats."""


def _expected_points(model: Davidson, counts: Counts) -> tuple[Met, Matrix]:
    """Return what the model expects of two bots, and how each bot's points follow parameters."""
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


def _shortfall(met: Met, groups: Sequence[Sequence[int]], ratings: Vector) -> tuple[Vector, Matrix]:
    """Return by how much `ratings` expect too few points, and how that falls as they rise.

    The mean of a group is held at 0, for no points tell where it is.
    """
    missing, weights = [0.0] * len(ratings), zeros(len(ratings))
    for (one, other), (games, points) in met.items():
        score = logistic(ratings[one] - ratings[other])
        missing[one] += points - games * score
        missing[other] -= points - games * score
        weight = games * score * (1 - score)
        weights[one][one] += weight
        weights[other][other] += weight
        weights[other][one] -= weight  # the lower triangle: the one comes first
    for group in groups:
        hold = max(weights[i][i] for i in group) or 1.0
        off = math.fsum(ratings[i] for i in group)
        for i in group:
            missing[i] -= hold * off
            row = weights[i]
            for j in group:
                row[j] += hold
    return missing, weights


def advantage(model: Davidson, game: int) -> tuple[float, Vector]:
    """Return the first seat's advantage on the scale of scores, and its slopes by a and ln n."""
    score, steep, drawn = _expected(*model.parameters[game : game + 2])
    weight = score * (1 - score)
    return math.log(score / (1 - score)), [steep / weight, drawn / weight]


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


def _slopes_of(model: Davidson, cell: Cell) -> tuple[tuple[int, float], ...]:
    """Return the slopes of the logarithm of a result's chance, by the place of the parameter."""
    first, second, points, game_id = cell
    seats = Seats(game_id, first, second)
    win, draw, loss = model.chances(seats)
    ahead, drawn = points - 0.5 - (win - loss) / 2, (points == 0.5) - draw
    one, two, game = model.places.of(seats)
    return (one, ahead), (two, -ahead), (game, ahead), (game + 1, drawn)


def _in_common(model: Davidson, clusters: Mapping[tuple[Cell, ...], int]) -> Matrix:
    """Return the sum of the products of the scores of every two games of one cluster, both ways.

    What stands beside the games of one kind is added up first: there are fewer kinds than clusters.
    """
    kinds = dict.fromkeys(cell for games in clusters for cell in games)
    scores = {cell: _slopes_of(model, cell) for cell in kinds}
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


def by_opening(model: Davidson, counts: Counts, game: str, slopes: Vector) -> float:
    """Return the variance of an advantage over openings of the kind that were played.

    `slopes` are those of the advantage by the two parameters of `game`. Each opening, of whichever
    bots its games were, moves the advantage by the scores of its games; with few of them, what
    they move it by together is fitted away, as from any variance around a mean.
    """
    at = model.places.games[game]
    rows = model.covariance[at : at + 2]
    by_score = [dot(column, slopes) for column in zip(*rows, strict=True)]
    openings = counts.openings[game]
    moved = {
        cell: sum(by_score[i] * slope for i, slope in _slopes_of(model, cell))
        for cell in {cell for games in openings for cell, _ in games}
    }
    number = counts.openings_of(game)
    shifts = (
        (math.fsum(times * moved[cell] for cell, times in games), alike)
        for games, alike in openings.items()
    )
    return math.fsum(alike * shift**2 for shift, alike in shifts) * number / (number - 1)


# From game to game


@dataclass(frozen=True, slots=True)
class Between:
    """How much bots differ from game id to game id, beyond chance."""

    variance: float
    """Of a bot's strength at one of them, around its strength at all."""

    shares: Vector
    """For each bot the sum of the squares of the weights of its games: 1 for a bot of one game."""

    degrees: int
    p_value: float
    """How likely differences as large are by chance alone."""

    def of_all(self) -> Vector:
        """Return what this adds to the variance of each bot's strength at games of that kind.

        Student's t makes up for a variance that is known from few.
        """
        wider = student(Z95, self.degrees) / Z95
        return [self.variance * share * wider**2 for share in self.shares]


_LEAST_DIFFERENT: Final = 0.05
"""The p-value from which on chance explains how bots differ. A variance that is only ever above 0
would make intervals too wide where there is none: with six ids they held in 97 to 98 %."""


def between_games(model: Davidson, counts: Counts) -> Between | None:
    """Return how bots differ from game id to game id; None where no two have a bot in two.

    Bot by bot and id by id, the points beyond those expected have the information as their
    variance, and the information's square times the variance sought on top (DerSimonian and Laird,
    1986). Games weigh by what they tell, which is nearly their number.
    """
    beyond: defaultdict[tuple[int, str], float] = defaultdict(float)
    known: defaultdict[tuple[int, str], float] = defaultdict(float)
    for seats, tally in counts.tallies.items():
        win, _, loss = model.chances(seats)
        lean = (win - loss) / 2
        ahead = (tally.wins - tally.losses) / 2 - tally.games * lean
        one, other, _ = model.places.of(seats)
        for bot, sign in ((one, 1), (other, -1)):
            beyond[bot, seats.game] += sign * ahead
            known[bot, seats.game] += tally.games * ((win + loss) / 4 - lean * lean)
    bots, games = model.places.bots, model.places.games
    of_bot = [math.fsum(known.get((bot, game), 0.0) for game in games) for bot in bots.values()]
    shares = [
        math.fsum((known.get((bot, game), 0.0) / of_bot[bot]) ** 2 for game in games)
        if of_bot[bot]
        else 1.0
        for bot in bots.values()
    ]
    players = Counter(game for _, game in known)
    degrees = len(known) - len({bot for bot, _ in known}) - len(games) + 1
    if len(games) < 2 or degrees < 1:
        return None
    seen = by_chance = by_variance = 0.0
    for (bot, game), information in known.items():
        seen += beyond[bot, game] ** 2 / information
        share = information / of_bot[bot]
        by_chance += 1 - share
        # Opponents differ as well: the one of a game of two as much as the bot itself.
        opponents = players[game] / (players[game] - 1)
        by_variance += information * opponents * (1 - 2 * share + shares[bot])
    p_value = chi_square_tail(seen * degrees / by_chance, degrees)
    differs = p_value < _LEAST_DIFFERENT and by_variance > 0
    variance = max(seen - by_chance, 0.0) / by_variance if differs else 0.0
    return Between(variance, shares, degrees, p_value)


# Its fit

_LEAST_SPREAD: Final = 0.5
"""Variance over mean below which the sum says nothing: a quarter of the textbook's. So it is with
about one game a cell, where nearly all of it is fixed by what was fitted."""

_LEAST_EXPECTED: Final = 0.1
"""Games that a cell must expect of each result. The variance of Pearson's sum is about the sum of
1 over them, most of it from the rarest: with less, no chi-square is like its distribution."""


def fit_of(model: Davidson, counts: Counts, groups: int) -> Fit:
    """Return the fit of `model` to its games; `groups` counts the connected groups of bots.

    A game id without any draw has no cells for draws, one with nothing else has no cells. Cells
    with a result that is all but impossible are passed over: seen once, it would outweigh all.
    """
    decided = {seats.game for seats, tally in counts.tallies.items() if tally.draws < tally.games}
    drawish = {seats.game for seats, tally in counts.tallies.items() if tally.draws} & decided
    fitted = len(model.places.bots) - groups + len(decided) + len(drawish)
    total, free, spread, cells, used = 0.0, 0, 0.0, 0, 0
    leaning = [0.0] * len(model.parameters)
    for seats, tally in counts.tallies.items():
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
    # A parameter takes away a degree where cells are large, nothing where each has one game:
    # there the sum is the same whatever is fitted (with all chances equal: exactly).
    taken = fitted * (1 - cells / used) if used else 0.0
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
