"""Davidson's model with a first-move advantage, fitted to counts: strengths on an Elo scale.

Must not know the order of the games, TrueSkill, or how a rating is shown.

With d the strength of first minus that of second, a the advantage of the first seat and n how
drawish the game is (Davidson, 1970; Davidson and Beaver, 1977):

    P(first wins) : P(draw) : P(second wins) = e^((d+a)/2) : n : e^(-(d+a)/2)

All bots have one strength; each game id has an a and an n of its own. The fit is the top of the
posterior with weak priors, so that 100 % scores stay finite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lath.reports.ratings.counts import Counts, Seats, Tally
from lath.reports.ratings.matrices import Matrix, Vector, cholesky, inverse, solve, zeros
from lath.reports.ratings.scale import PRIOR_DRAWS, PRIOR_GAMES

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

_STEPS: Final = 200

_LONGEST_STEP: Final = 2.0
"""Of any parameter at once, in units of the model: 350 Elo points."""


Chances = tuple[float, float, float]
"""That first wins, draws and loses; together 1."""


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

    def chances(self, seats: Seats) -> Chances:
        """Return how likely each result is."""
        one, other, game = self.places.of(seats)
        values = self.parameters
        return chances(values[one] - values[other] + values[game], values[game + 1])

    def draw_rate(self, game: str) -> float:
        """Return how often equals draw where neither seat has an advantage, in 0..1."""
        return chances(0.0, self.parameters[self.places.games[game] + 1])[1]


def chances(ahead: float, log_draws: float) -> Chances:
    """Return the chances of a first that is ahead by so much; nothing overflows."""
    half = ahead / 2
    top = max(half, -half, log_draws)
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
    for _ in range(_STEPS):
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
    places: Places, games: Sequence[tuple[tuple[int, int, int], Tally]], values: Vector
) -> tuple[Vector, Matrix]:
    """Return the log-posterior's gradient, and minus its second derivatives: the lower triangle."""
    gradient, curvature = _prior(places, values)
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


def _prior(places: Places, values: Vector) -> tuple[Vector, Matrix]:
    """Return what `_slopes` begins with: normal strengths and advantages, imagined draws."""
    gradient, curvature = [0.0] * places.size, zeros(places.size)
    weights = dict.fromkeys(places.bots.values(), (ELO / PRIOR_ELO) ** 2)
    weights |= dict.fromkeys(places.games.values(), (ELO / PRIOR_ADVANTAGE_ELO) ** 2)
    for i, weight in weights.items():
        gradient[i] = -weight * values[i]
        curvature[i][i] = weight
    for game in places.games.values():
        draw = chances(0.0, values[game + 1])[1]
        gradient[game + 1] = PRIOR_DRAWS - PRIOR_GAMES * draw
        curvature[game + 1][game + 1] = PRIOR_GAMES * draw * (1 - draw)
    return gradient, curvature
