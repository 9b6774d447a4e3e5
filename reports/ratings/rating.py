"""Everything that results say about strengths: both scales, their errors, and ratings over time.

Each number is from the module that knows it; here they are put around the mean of each group of
bots that games connect.

Must not know records, nor how a rating is shown.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, permutations
from statistics import fmean
from typing import Final

from lath.reports.ratings import elo
from lath.reports.ratings.elo import (
    ELO,
    PRIOR_ELO,
    Davidson,
    Scores,
    advantage,
    between_games,
    by_opening,
    chances,
    covariance,
    fit,
    fit_of,
    scores,
)
from lath.reports.ratings.numerics import Matrix, Vector, dot, student, times
from lath.reports.ratings.results import (
    Z95,
    Between,
    Conditions,
    Counted,
    Counts,
    Estimate,
    HoldsFor,
    Rating,
    Ratings,
    Result,
    Strength,
    connected,
    count,
)
from lath.reports.ratings.skill import MU, SIGMA, UNIT, converged, rated_in_order

_LEAST_SHARE: Final = 0.25
"""What clusters leave at least of a variance that the model gives: half of the error. Fewer than a
handful of clusters can agree by chance, and seem to leave nothing open."""

LEAST_OPENINGS: Final = 6
"""From which on the advantage is told for openings of their kind. Of fewer, an interval that holds
for others would be three times as wide and wider."""


def rate(results: Iterable[Result] | Counted, *, in_order: bool = True) -> Ratings:
    """Return what `results` say about every bot in them; without results, nothing.

    Only the sequential ratings depend on the order of the results. They take most of the time,
    the one step a game that cannot be counted together, and are left out unless `in_order`.
    """
    results = list(results) if isinstance(results, Iterator) else results
    counts = count(results)
    groups = connected(counts.names, ((seats.first, seats.second) for seats in counts.tallies))
    posterior = converged(counts)
    model = fit(counts)
    by_pair = covariance(model, counts)
    scale = scores(model, counts, groups)
    between = between_games(model, counts)
    differ = between.of_all() if between else []
    own = scale.spread(_with(model.covariance, differ))
    spread = own if by_pair is model.covariance else scale.spread(_with(by_pair, differ))
    skills = _with(posterior.spread(), [variance * UNIT**2 for variance in differ])
    sequential = next(rated_in_order([results], posterior.draw_rate)) if in_order else {}
    strengths: dict[str, Strength] = {}
    differences: dict[tuple[str, str], float] = {}
    for number, group in enumerate(groups):
        places = [model.places.bots[name] for name in group]
        found = _around_mean((posterior.means, scale.ratings), (skills, spread, own), places)
        for name, (skill, strength) in zip(group, found, strict=True):
            strengths[name] = Strength(
                trueskill=skill, sequential=sequential.get(name), elo=strength, group=number
            )
        for (one, i), (other, j) in permutations(zip(group, places, strict=True), 2):
            apart = [m[i][i] + m[j][j] - 2 * m[i][j] for m in (spread, own)]
            differences[one, other] = _error(*apart)
    played: Counter[str] = Counter()
    for seats, tally in counts.tallies.items():
        played[seats.game] += tally.games
    return Ratings(
        games=counts.games,
        strengths={name: strengths[name] for name in counts.names},
        groups=groups,
        draw_rate=posterior.draw_rate,
        conditions=tuple(
            Conditions(
                game=game,
                games=played[game],
                advantage=_advantage(model, by_pair, counts, game),
                draw_rate=chances(0.0, model.parameters[i + 1])[1],
                openings=counts.openings_of(game),
                holds_for=_holds_for(counts, game),
            )
            for game, i in model.places.games.items()
        ),
        between=_between(between, scale, len(model.places.bots)) if between else None,
        fit=fit_of(model, counts, len(groups)),
        differences=differences,
    )


def _with(spread: Matrix, more: Vector) -> Matrix:
    """Return a covariance of which the first variances are by so much greater."""
    return [
        [*row[:i], row[i] + more[i], *row[i + 1 :]] if i < len(more) else row
        for i, row in enumerate(spread)
    ]


def _between(between: elo.Between, scale: Scores, bots: int) -> Between:
    """Return what is told of how bots differ from game to game, on the scale of scores."""
    steep = fmean(scale.slopes[i][i] for i in range(bots)) * bots / (bots - 1)
    return Between(spread=ELO * steep * math.sqrt(between.variance), p_value=between.p_value)


def _around_mean(
    values: tuple[Vector, Vector], spreads: tuple[Matrix, Matrix, Matrix], places: Sequence[int]
) -> list[tuple[Rating, Estimate]]:
    """Return a group's skills and strengths around their means; a bot alone is a newcomer.

    `values` are skills and strengths; `spreads` the covariances of skills, of strengths, and of
    strengths by the model alone. Where all of a group are is known by the prior alone: no game
    could tell, and so that is no part of any sigma.
    """
    if len(places) == 1:
        return [(Rating(MU, SIGMA), Estimate(0.0, PRIOR_ELO))]
    skills, strengths = values
    mu, mean = (fmean(of[i] for i in places) for of in values)
    centred = [_centred(spread, places) for spread in spreads]
    return [
        (
            Rating(MU + skills[i] - mu, math.sqrt(variance)),
            Estimate(ELO * (strengths[i] - mean), _error(*errors)),
        )
        for i, variance, *errors in zip(places, *centred, strict=True)
    ]


def _holds_for(counts: Counts, game: str) -> HoldsFor:
    many = counts.openings_of(game) >= LEAST_OPENINGS
    return "openings of that kind" if many else "the openings played"


def _advantage(model: Davidson, by_pair: Matrix, counts: Counts, game: str) -> Estimate:
    """Return what the first seat of a game is worth."""
    value, slopes = advantage(model, model.places.games[game])
    at = model.places.games[game]
    by_pair_, own = (
        dot(times([row[at : at + 2] for row in spread[at : at + 2]], slopes), slopes)
        for spread in (by_pair, model.covariance)
    )
    if _holds_for(counts, game) == "the openings played":
        return Estimate(ELO * value, _error(by_pair_, own))
    # Student's t, for the variance is that of so many openings and no more.
    wider = student(Z95, counts.openings_of(game) - 1) / Z95
    variance = by_opening(model, counts, game, slopes)
    return Estimate(ELO * value, wider * _error(variance, own))


def _centred(spread: Matrix, places: Sequence[int]) -> list[float]:
    """Return the variance of each bot's strength minus the mean of its group."""
    means = [fmean(spread[i][j] for j in places) for i in places]
    middle = fmean(means)
    return [spread[i][i] - 2 * mean + middle for i, mean in zip(places, means, strict=True)]


def _error(variance: float, own: float) -> float:
    """Return an error in Elo points; `own` is the variance that the model gives."""
    return ELO * math.sqrt(max(variance, _LEAST_SHARE * own))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the games up to one of them said."""

    games: int
    """How many of the results had been seen; > 0, rising from snapshot to snapshot."""

    ratings: Mapping[str, Rating]
    """The sequential rating of every bot that had appeared by then."""


def history(
    results: Iterable[Result], games: int, points: int = 100, *, draw_rate: float
) -> tuple[Snapshot, ...]:
    """Return at most `points` snapshots, evenly over the `games`, the last after all of them.

    Ratings are the sequential ones, in the order of the results; empty without results. Memory is
    bounded by points times bots. `draw_rate` is `Ratings.draw_rate` of the same results; `points`
    > 0.
    """
    number = min(points, games)
    ends = [games * i // number for i in range(number + 1)] if number else []
    left = iter(results)
    batches = (islice(left, end - start) for start, end in pairwise(ends))
    return tuple(map(Snapshot, ends[1:], rated_in_order(batches, draw_rate)))
