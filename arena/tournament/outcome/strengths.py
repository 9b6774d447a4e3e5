"""What results say of the strengths of bots: what a budget goes by, and a plan."""

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
"""Of games between equals, until games say more: few, for draws make intervals narrower."""

UNKNOWN: Final = 0.0, math.log(2 * DRAWN / (1 - DRAWN))
"""The first seat's advantage and the logarithm of Davidson's n, where nothing is known."""


@dataclass(frozen=True, slots=True)
class Strengths:
    """Davidson's model of some results."""

    strengths: Sequence[float]
    covariance: Matrix
    games: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """For each game id the first seat's advantage, and the logarithm of how drawish it is."""

    def chances(self, game: str, apart: float) -> tuple[float, float, float]:
        """Return how likely first wins, draws and loses that is so much stronger than second."""
        advantage, log_draws = self.games.get(game, UNKNOWN)
        return chances(apart + advantage, log_draws)

    def information(self, apart: float) -> float:
        """Return what a pair of games between bots so far apart tells, on average over games."""
        games = self.games or {"": UNKNOWN}
        each = [self.chances(game, lead) for game in games for lead in (apart, -apart)]
        return sum((win + loss) / 4 - ((win - loss) / 2) ** 2 for win, _, loss in each) / len(games)


def counts_of(names: Iterable[str], seen: Mapping[Seen, int]) -> ResultCounts:
    """Return results as ratings count them; `names` are known though they have played nothing."""
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
    """Return what is known of the strengths of bots; an `Estimator`. Others in the games count."""
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
    """Return what is known of the strength of the only bot that is no anchor.

    `anchors` have these Elo ratings. Each result moves it as a result of the logistic curve does.
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
"""Of Newton's method; a dozen are many."""


def half_widths(names: Sequence[str], seen: Mapping[Seen, int]) -> dict[str, float]:
    """Return half the width of each bot's Elo interval by these results, if games are independent.

    It is that against the mean of all that games connect, of two against the other one; infinite
    for a bot without any.
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
