"""Ratings from results: both scales with their errors, and ratings over time.

Other modules compute the numbers. This one centres them on the mean of each group of bots that
games connect.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, permutations
from statistics import fmean
from types import MappingProxyType

from lath.reports.ratings import errors
from lath.reports.ratings.counts import Counted, ResultCounts, count
from lath.reports.ratings.elo import (
    ELO,
    UNKNOWN_ELO,
    Davidson,
    Scores,
    advantage,
    chances,
    fit,
    fit_of,
    scores,
)
from lath.reports.ratings.ends import own_games, with_ends, with_sides
from lath.reports.ratings.errors import (
    between_games,
    between_openings,
    by_opening,
    covariances,
)
from lath.reports.ratings.numerics import LEAST_CLUSTERS, Z95, Matrix, Vector, dot, student, times
from lath.reports.ratings.results import (
    DecidedGame,
    Elo,
    Estimate,
    GameConditions,
    HoldsFor,
    InOrder,
    Rating,
    Ratings,
    SpreadBetweenGames,
    Strength,
    connected,
)
from lath.reports.ratings.skill import MU, SIGMA, UNIT, converged, in_order_of, rated_in_order


def rate(
    results: Iterable[DecidedGame] | Counted,
    *,
    in_order: bool = True,
    anchors: Mapping[str, float] = MappingProxyType({}),
) -> Ratings:
    """Return the ratings of every bot in `results`; empty without results.

    `anchors` are fixed Elo ratings, and errors are relative to them; anchors without games are
    ignored. TrueSkill has no anchors. Only the sequential ratings depend on the order of the
    results. They take most of the time, because they must visit every game, so they are computed
    only if `in_order`.
    """
    results = list(results) if isinstance(results, Iterator) else results
    counts = count(results)
    groups = connected(counts.names, ((seats.first, seats.second) for seats in counts.tallies))
    model = fit(counts)
    posterior = converged(counts, model.variance * UNIT**2)
    by_games = covariances(model, counts)
    anchors = {name: value for name, value in anchors.items() if name in model.places.bots}
    scale = scores(model, counts, groups, anchors)
    between = between_games(model, counts)
    openings = between_openings(model, counts)
    differ = [0.0] * len(counts.names)
    for found_between in (between, openings):
        if found_between:
            more = found_between.of_all()
            differ = [so_far + by for so_far, by in zip(differ, more, strict=True)]
    spreads = [scale.spread(_with(spread, differ)) for spread in by_games]
    by_skill = _with(posterior.spread(), [variance * UNIT**2 for variance in differ])
    skills = _plus(by_skill, model.by_width, UNIT**2)
    how = in_order_of(counts.games, posterior.draw_rate) if in_order else None
    sequential = next(rated_in_order([results], how)) if how else {}
    strengths: dict[str, Strength] = {}
    differences: dict[tuple[str, str], float] = {}
    for number, group in enumerate(groups):
        places = [model.places.bots[name] for name in group]
        found = _around_mean((posterior.means, scale.ratings), (skills, *spreads), places)
        held = {place: anchors[name] for place, name in enumerate(group) if name in anchors}
        if held:
            strengths_of = _anchored(scale.ratings, spreads, places, held)
            found = [(skill, elo) for (skill, _), elo in zip(found, strengths_of, strict=True)]
        if len(group) > 1:
            own = own_games(counts, group)
            floors = [
                math.sqrt(UNIT**2 * differ[i] if one.side else variance)
                for i, variance, one in zip(places, _centred(by_skill, places), own, strict=True)
            ]
            skilled = with_sides(own, [skill for skill, _ in found], floors)
            elos = with_ends(own, [elo for _, elo in found], held)
            found = list(zip(skilled, elos, strict=True))
        for name, (skill, strength) in zip(group, found, strict=True):
            strengths[name] = Strength(
                trueskill=skill, sequential=sequential.get(name), elo=strength, group=number
            )
        for (one, i), (other, j) in permutations(zip(group, places, strict=True), 2):
            apart = [m[i][i] + m[j][j] - 2 * m[i][j] for m in spreads]
            is_known = one in anchors and other in anchors
            differences[one, other] = 0.0 if is_known else _error(apart)
    played: Counter[str] = Counter()
    for seats, tally in counts.tallies.items():
        played[seats.game] += tally.games
    return Ratings(
        games=counts.games,
        strengths={name: strengths[name] for name in counts.names},
        groups=groups,
        draw_rate=posterior.draw_rate,
        in_order=how,
        conditions=tuple(
            GameConditions(
                game=game,
                games=played[game],
                advantage=_advantage(model, by_games, counts, game),
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
    """Return a covariance with `more` added to its first variances."""
    return [
        [*row[:i], row[i] + more[i], *row[i + 1 :]] if i < len(more) else row
        for i, row in enumerate(spread)
    ]


def _plus(spread: Matrix, more: Matrix, times: float) -> Matrix:
    """Return a covariance plus `times` the bots' part of another."""
    return [
        [value + times * by for value, by in zip(row, also, strict=False)]
        for row, also in zip(spread, more, strict=False)
    ]


def _between(between: errors.VarianceBetweenGames, scale: Scores, bots: int) -> SpreadBetweenGames:
    """Return the variation of strengths between game types, on the scale of scores."""
    steep = fmean(scale.slopes[i][i] for i in range(bots)) * bots / (bots - 1)
    return SpreadBetweenGames(
        spread=ELO * steep * math.sqrt(between.variance), p_value=between.p_value
    )


def _around_mean(
    values: tuple[Vector, Vector], spreads: Sequence[Matrix], places: Sequence[int]
) -> list[tuple[Rating, Elo]]:
    """Return the skills and strengths of a group around their means; a single bot keeps the prior.

    `values` are skills and strengths; `spreads` are the covariance of skills and those of
    strengths, of which the largest variance counts. Only the prior determines the position of a
    whole group, so its uncertainty is not part of any sigma.
    """
    if len(places) == 1:
        return [(Rating(MU, SIGMA), Elo(0.0, UNKNOWN_ELO))]
    skills, strengths = values
    mu, mean = (fmean(of[i] for i in places) for of in values)
    centred = [_centred(spread, places) for spread in spreads]
    return [
        (
            Rating(MU + skills[i] - mu, math.sqrt(variance)),
            Elo(ELO * (strengths[i] - mean), _error(errors)),
        )
        for i, variance, *errors in zip(places, *centred, strict=True)
    ]


def _anchored(
    ratings: Vector, spreads: Sequence[Matrix], places: Sequence[int], held: Mapping[int, float]
) -> list[Elo]:
    """Return the strengths of a group on the scale of its anchors, whose ratings are `held`.

    An error is that of the difference to the mean of the anchors. The anchors' own strengths at
    these games are still uncertain.
    """
    values = [held.get(i, ELO * ratings[place]) for i, place in enumerate(places)]
    mean = fmean(values)
    own = [places[i] for i in held]
    found = []
    for i, place in enumerate(places):
        apart = [
            spread[place][place]
            - 2 * fmean(spread[place][j] for j in own)
            + fmean(spread[j][k] for j in own for k in own)
            for spread in spreads
        ]
        found.append(Elo(values[i], 0.0 if i in held else _error(apart), mean=mean))
    return found


def _holds_for(counts: ResultCounts, game: str) -> HoldsFor:
    many = counts.openings_of(game) >= LEAST_CLUSTERS
    return "openings of that kind" if many else "the openings played"


def _advantage(
    model: Davidson, spreads: Sequence[Matrix], counts: ResultCounts, game: str
) -> Estimate:
    """Return the first-move advantage of a game type."""
    value, slopes = advantage(model, model.places.games[game])
    at = model.places.games[game]
    variances = [
        dot(times([row[at : at + 2] for row in spread[at : at + 2]], slopes), slopes)
        for spread in spreads
    ]
    if _holds_for(counts, game) == "the openings played":
        return Estimate(ELO * value, _error(variances))
    # Student's t, because the variance is estimated from a limited number of openings.
    wider = student(Z95, counts.openings_of(game) - 1) / Z95
    variances.append(by_opening(model, counts, game, slopes))
    return Estimate(ELO * value, wider * _error(variances))


def _centred(spread: Matrix, places: Sequence[int]) -> list[float]:
    """Return the variance of each bot's strength relative to the mean of its group."""
    means = [fmean(spread[i][j] for j in places) for i in places]
    middle = fmean(means)
    return [spread[i][i] - 2 * mean + middle for i, mean in zip(places, means, strict=True)]


def _error(variances: Iterable[float]) -> float:
    """Return the standard error in Elo points, from the largest variance."""
    return ELO * math.sqrt(max(variances))


@dataclass(frozen=True, slots=True)
class RatingSnapshot:
    """The ratings after a number of games."""

    games: int
    """The number of results so far; > 0, rising from snapshot to snapshot."""

    ratings: Mapping[str, Rating]
    """The sequential rating of every bot that had appeared by then."""


def history(
    results: Iterable[DecidedGame], games: int, points: int = 100, *, how: InOrder
) -> tuple[RatingSnapshot, ...]:
    """Return at most `points` snapshots, evenly spaced over `games`, the last after all games.

    The ratings are those in order of play, so the last snapshot equals `Strength.sequential`; empty
    without results. Memory is bounded by points times bots. `how` is `Ratings.in_order` of these
    results; `points` > 0.
    """
    number = min(points, games)
    ends = [games * i // number for i in range(number + 1)] if number else []
    left = iter(results)
    batches = (islice(left, end - start) for start, end in pairwise(ends))
    return tuple(map(RatingSnapshot, ends[1:], rated_in_order(batches, how)))
