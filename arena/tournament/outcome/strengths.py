"""Estimated strengths of bots from results, for budgets and plans."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Final

from lath.arena.schedule.budget import Seen
from lath.reports.ratings.counts import ResultCounts, SideScore, SidesOfPair
from lath.reports.ratings.elo import ELO, UNKNOWN_ELO, chances, fit, logistic, scores
from lath.reports.ratings.numerics import Z95, Matrix
from lath.reports.ratings.results import connected

DRAWN: Final = 0.1
"""The draw rate between equal bots without games: low, because draws make intervals narrower."""

UNKNOWN: Final = 0.0, math.log(2 * DRAWN / (1 - DRAWN))
"""The first-move advantage and the logarithm of Davidson's n without games."""


@dataclass(frozen=True, slots=True)
class Strengths:
    """Davidson's model, fitted to results."""

    strengths: Sequence[float]
    covariance: Matrix
    games: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By game type, the first-move advantage and the logarithm of Davidson's n."""

    def chances(self, game: str, apart: float) -> tuple[float, float, float]:
        """Return the chances of win, draw and loss of a first player who is stronger by `apart`."""
        advantage, log_draws = self.games.get(game, UNKNOWN)
        return chances(apart + advantage, log_draws)

    def information(self, apart: float) -> float:
        """Return the mean information from a pair of games between bots `apart` in strength."""
        games = self.games or {"": UNKNOWN}
        each = [self.chances(game, lead) for game in games for lead in (apart, -apart)]
        return sum((win + loss) / 4 - ((win - loss) / 2) ** 2 for win, _, loss in each) / len(games)


def counts_of(names: Iterable[str], seen: Mapping[Seen, int]) -> ResultCounts:
    """Return results as ratings count them; `names` may have played nothing."""
    tallies: dict[SidesOfPair, SideScore] = {}
    for (game, first, second, result), games in seen.items():
        if first != second and result.is_finished:
            seats = tallies.setdefault(SidesOfPair(game, first, second), SideScore())
            seats.add(result.points[0], games)
    met = {name for seats in tallies for name in (seats.first, seats.second)}
    return ResultCounts(
        names=tuple(sorted(met.union(names))),
        tallies=dict(sorted(tallies.items())),
        clusters={},
        openings={},
    )


def strengths_of(names: Sequence[str], seen: Mapping[Seen, int]) -> Strengths:
    """Return the strengths of `names`; an `Estimator`. Games against other bots count too."""
    model = fit(counts_of(names, seen))
    places = [model.places.bots[name] for name in names]
    values = model.parameters
    return Strengths(
        [values[i] for i in places],
        [[model.covariance[i][j] for j in places] for i in places],
        {game: (values[at], values[at + 1]) for game, at in model.places.games.items()},
    )


def placed_among(
    anchors: Mapping[str, float], names: Sequence[str], seen: Mapping[Seen, int]
) -> Strengths:
    """Return the strength of the only bot that is not an anchor.

    The anchors keep their Elo ratings. Results count by the logistic curve.
    """
    known = {name: value / ELO for name, value in anchors.items()}
    (own,) = (place for place, name in enumerate(names) if name not in known)
    met = [
        (known[other], games, result.points[first != names[own]])
        for (_, first, second, result), games in seen.items()
        if result.is_finished
        and (other := second if first == names[own] else first) in known
        and names[own] in (first, second)
    ]
    middle, weight = fmean(known.values()), (ELO / UNKNOWN_ELO) ** 2
    value, curvature = middle, weight
    for _ in range(_STEPS):
        gradient, curvature = weight * (middle - value), weight
        for strength, games, points in met:
            expected = logistic(value - strength)
            gradient += games * (points - expected)
            curvature += games * expected * (1 - expected)
        value += max(-1.0, min(gradient / curvature, 1.0))
    values = [known.get(name, value) for name in names]
    covariance = [[0.0] * len(names) for _ in names]
    covariance[own][own] = 1 / curvature
    return Strengths(values, covariance)


_STEPS: Final = 50
"""The most steps of Newton's method; a dozen are usually enough."""


def half_widths(names: Sequence[str], seen: Mapping[Seen, int]) -> dict[str, float]:
    """Return half the width of each bot's Elo interval, assuming independent games.

    The interval is relative to the mean of all bots that games connect, or of two bots to the other
    one. It is infinite for a bot without games.
    """
    counts = counts_of(names, seen)
    model = fit(counts)
    groups = connected(counts.names, ((seats.first, seats.second) for seats in counts.tallies))
    spread = scores(model, counts, groups).spread(model.covariance)
    widths = dict.fromkeys(names, math.inf)
    for group in groups:
        places = [model.places.bots[name] for name in group]
        means = {i: fmean(spread[i][j] for j in places) for i in places}
        middle, unit = fmean(means.values()), Z95 * ELO * (2 if len(group) == 2 else 1)
        for name, i in zip(group, places, strict=True) if len(group) > 1 else ():
            widths[name] = unit * math.sqrt(max(0.0, spread[i][i] - 2 * means[i] + middle))
    return {name: widths[name] for name in names}
