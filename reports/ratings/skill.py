"""TrueSkill: converged over all games at once, and game by game in their order.

**Converged.** The model is that of the `trueskill` package with tau 0: skills have a normal prior,
and a performance is a skill with noise. A game is drawn if two performances are closer than a
margin. Two things are added. Each game id has a first-move advantage, which adds to the performance
and has a normal prior. If the games show a field wider than the prior of skills, the prior becomes
as wide as the field.

Given the margin, a normal factor in the difference of two skills replaces the likelihood of each
game and has the same first two moments (Minka, 2001). Equal games share a factor, and the cavity
removes one copy. All factors are updated from one posterior until it converges. Slow or oscillating
steps, such as those for a bot that never lost, are extrapolated. The margin, and with it the draw
rate, follows the slope of the evidence in the same rounds. Its uncertainty is part of all others.

**In order of play.** The usual TrueSkill depends on the order of games, slightly even with tau 0,
so it is shown beside the converged rating. The package computes it, in a separate environment with
a normal distribution that is accurate in the tails. For more than PACKAGE_GAMES games, the closed
form for two players replaces it. Tests show that both agree to 1e-9; the closed form is a hundred
times as fast. Bots do not learn, so tau is 0: a rating narrows with every game and never drifts.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Final

from lath.reports.ratings.counts import ResultCounts
from lath.reports.ratings.numerics import (
    DEEP,
    SQRT_HALF,
    Accelerator,
    Matrix,
    Vector,
    cdf,
    dot,
    draw,
    inverse,
    pdf,
    times,
    win,
    zeros,
)
from lath.reports.ratings.results import DecidedGame, InOrder, Rating

MU: Final = 25.0
SIGMA: Final = MU / 3
BETA: Final = SIGMA / 2
"""The prior of a skill is 25 ± 8.33; a performance in one game is ± 4.17 around the skill."""

NOISE: Final = math.sqrt(2) * BETA
"""The standard deviation of the difference of two performances (equal opponents)."""

UNIT: Final = NOISE / 1.702
"""TrueSkill points per unit of the Elo model: with this scale, the normal and the logistic curve
nearly agree."""

PRIOR_ADVANTAGE: Final = BETA
"""The prior standard deviation of the first-move advantage: the first player's expected score
(equal opponents) is between 8 and 92% for 95% of game types."""

PRIOR_DRAWS: Final = 0.5
PRIOR_GAMES: Final = 1.5
"""The prior of the draw rate: half a draw in one and a half imaginary games between equal
opponents, which is half a game per result (Jeffreys). It keeps draw rates off 0 and 1 and loses its
weight with the first games. TrueSkill and the Elo scale share it."""


def margin_of(draw_rate: float) -> float:
    """Return the lead in performance that a win takes; 0 < `draw_rate` < 1."""
    return NormalDist().inv_cdf((draw_rate + 1) / 2) * NOISE


def draw_rate_of(margin: float) -> float:
    """Return the draw rate (equal opponents) of a margin: the inverse of `margin_of`."""
    return math.erf(margin / NOISE / math.sqrt(2))


# Converged

_NEGLIGIBLE: Final = 1e-20
"""A factor with a smaller precision has no effect, for any number of games, and is not
extrapolated."""

_LOG_WEIGHT: Final = 10.0
"""The weight of a factor's log-precision: an e-fold change counts as much as 10 points of its
mean."""

_LARGEST_LOG: Final = 5.0
"""The limit of an extrapolated log-precision; no real factor comes near it."""


class Evidence:
    """The derivatives of the evidence by the margin, at the current skills."""

    __slots__ = ("curve", "moves", "pull", "slope")

    def __init__(self, margin: float, size: int) -> None:
        """Begin with the imaginary games between equal opponents."""
        self.pull = [0.0] * size
        """The mixed derivatives by the margin and each mean."""
        self.moves = [0.0] * size
        """The last change of each mean."""
        x = margin / NOISE
        drawn, decided = draw_rate_of(margin), 2 * cdf(-x)
        by = 2 * pdf(x) / NOISE
        losses = PRIOR_GAMES - PRIOR_DRAWS
        leaning = PRIOR_DRAWS / drawn - losses / decided
        self.slope = by * leaning
        self.curve = -x * by / NOISE * leaning - by * by * (
            PRIOR_DRAWS / drawn**2 + losses / decided**2
        )


@dataclass(slots=True)
class FactorSite:
    """The normal factor of one kind of result, and the number of games that share it."""

    kind: int
    """1 if the first player won, 0 if drawn, -1 if the second player won."""

    games: float
    precision: float = 0.0
    shift: float = 0.0
    """Precision times mean of one copy, for the first player's skill plus advantage minus the
    second player's skill."""

    def numbers(self) -> Iterator[float]:
        """Yield the log-precision and the mean, for extrapolation."""
        said = self.precision > _NEGLIGIBLE
        yield math.log(self.precision if said else _NEGLIGIBLE) * _LOG_WEIGHT
        yield self.shift / self.precision if said else 0.0


Meetings = tuple[int, int, int, tuple[FactorSite, ...]]
"""All games of one id and pairing: the indices of first player, second player and advantage, and
the factors of the results."""

_TOLERANCE: Final = 1e-8
"""The largest change at convergence of means, standard deviations and the margin, in TrueSkill
points."""

_ENOUGH: Final = 1e-6
"""The largest change at convergence after `_PATIENCE` rounds: with thousands of games, the last
digits can keep changing."""

_CLOSE: Final = 1e-9
"""The relative precision of a margin found by bisection."""

_NARROWEST: Final = 1e-6 * NOISE
_WIDEST: Final = 7 * NOISE
"""The widest margin: equal opponents then draw all but 3 of 10^12 games."""

_ROUNDS: Final = 400
"""The limit of rounds. Known inputs need far fewer: 9 for a million games among 100 bots, 40 if one
bot won all of a million games."""

_SHORTEST_STRIDE: Final = 1 / 16
"""The least part of a step of the margin. If nearly all games are drawn, a full step overshoots by
a factor of two."""

_FIRST_ROUNDS: Final = 8
"""Rounds in which everything still moves: a margin that turns back there does not oscillate."""

_PATIENCE: Final = 150
"""Rounds after which steps are no longer extrapolated: small steps converge, if slowly."""


@dataclass(slots=True)
class Posterior:
    """The posterior of the skills from all games, around 0."""

    means: Vector
    """The means of the skills, in the order of the bots, then those of the advantages, sorted by
    game id."""

    covariance: Matrix
    """The covariance of these numbers, given the margin."""

    margin: float
    bots: int
    by_margin: Vector
    """The change of each mean if the margin changes by its standard error."""

    variance: float = SIGMA**2
    """The prior variance of a skill."""

    def spread(self) -> Matrix:
        """Return the covariance, including the uncertainty of the margin."""
        return [
            [known + moved * by for known, by in zip(row, self.by_margin, strict=True)]
            for row, moved in zip(self.covariance, self.by_margin, strict=True)
        ]

    def prior(self) -> Vector:
        """Return the prior variance of each number."""
        advantages = len(self.means) - self.bots
        return [self.variance] * self.bots + [PRIOR_ADVANTAGE**2] * advantages

    def forget(self) -> None:
        """Reset the numbers to their prior."""
        self.means = [0.0] * len(self.means)
        self.covariance = zeros(len(self.means))
        for i, variance in enumerate(self.prior()):
            self.covariance[i][i] = variance

    @property
    def draw_rate(self) -> float:
        """Return the draw rate (equal opponents), strictly between 0 and 1."""
        return draw_rate_of(self.margin)


def converged(counts: ResultCounts, variance: float = SIGMA**2) -> Posterior:
    """Return the posterior of the skills of all bots, in their order; the prior without games.

    `variance` is the prior variance of a skill. The order of the games does not matter. A round
    takes a step for each pairing, and inverts one matrix with a row per bot.
    """
    bots = {name: number for number, name in enumerate(counts.names)}
    tallies = counts.weighed()
    ids = sorted({seats.game for seats in tallies})
    games = {game: number for number, game in enumerate(ids, len(bots))}
    meetings = [
        (
            *(bots[seats.first], bots[seats.second], games[seats.game]),
            tuple(
                FactorSite(1 - kind, n)
                for kind, n in enumerate((tally.wins, tally.draws, tally.losses))
                if n
            ),
        )
        for seats, tally in tallies.items()
    ]
    draws = math.fsum(tally.draws for tally in tallies.values())
    games_all = math.fsum(tally.games for tally in tallies.values())
    start = margin_of((draws + PRIOR_DRAWS) / (games_all + PRIOR_GAMES))
    size = len(bots) + len(games)
    posterior = Posterior([0.0] * size, zeros(size), start, len(bots), [0.0] * size, variance)
    posterior.forget()
    if meetings:
        _converge(meetings, posterior)
        if variance > SIGMA**2:
            _see_gaps(meetings, posterior)
    return posterior


def _converge(meetings: Sequence[Meetings], posterior: Posterior) -> None:
    """Find the margin with the most evidence, and the posterior of the skills at this margin."""
    if _comes_to_rest(meetings, posterior, climbs=True):
        return
    # If many games were drawn and one bot won all the others, the margin and the gap between the
    # bots explain nearly the same, and joint steps diverge. So the margin is fixed, and bisection
    # finds the maximum of the evidence.
    low, high = _NARROWEST, _WIDEST
    while high > low * (1 + _CLOSE):
        posterior.margin = math.sqrt(low * high)
        posterior.forget()
        for *_, sites in meetings:
            for site in sites:
                site.precision = site.shift = 0.0
        _comes_to_rest(meetings, posterior, climbs=False)
        evidence = _renew(meetings, posterior)
        _climb(posterior, evidence, 0.0)
        if evidence.slope > 0:
            low = posterior.margin
        else:
            high = posterior.margin


def _comes_to_rest(meetings: Sequence[Meetings], posterior: Posterior, *, climbs: bool) -> bool:
    """Update all factors, and the margin if it `climbs`; return whether the updates converged."""
    sites = [site for *_, of_seats in meetings for site in of_seats]
    accelerator, mixing, before = Accelerator(), 1.0, math.inf
    slow, least = False, math.log(_NEGLIGIBLE) * _LOG_WEIGHT
    stride, climbed = 1.0, 0.0
    for number in range(_ROUNDS):
        old = [value for site in sites for value in site.numbers()] if slow else []
        evidence = _renew(meetings, posterior)
        if slow:
            new = [value for site in sites for value in site.numbers()]
            step = [value - was for value, was in zip(new, old, strict=True)]
            given = iter(accelerator.next(old, step, mixing))
            for site in sites:
                log_precision, mean = next(given), next(given)
                if site.precision > _NEGLIGIBLE and log_precision > least:
                    site.precision = math.exp(min(log_precision / _LOG_WEIGHT, _LARGEST_LOG))
                    site.shift = site.precision * mean
        moved, last = _settle(meetings, posterior, evidence), climbed
        climbed = _climb(posterior, evidence, stride) if climbs else 0.0
        if number > _FIRST_ROUNDS and climbed * last < 0 and abs(climbed) > 0.9 * abs(last):
            stride = max(stride / 2, _SHORTEST_STRIDE)  # oscillates around the maximum
        moved = max(moved, abs(climbed))
        if moved < (_TOLERANCE if number < _PATIENCE else _ENOUGH):
            return True
        if moved > 2 * before or number > _PATIENCE:
            accelerator.forget()
            mixing = max(mixing / 2, 0.1)
        else:
            mixing = min(mixing * 1.5, 1.0)
        slow = slow or (number > 2 and moved > before / 3)
        before = moved
    return False


_NEAR: Final = 6
"""The largest distance in rank of two bots whose games count for a gap between them."""

_LEVEL: Final = 1e-9
"""Means that are closer are equal but for rounding."""

_STEPS: Final = 12
"""Steps to either side of the mean, over five standard deviations."""


def _see_gaps(meetings: Sequence[Meetings], posterior: Posterior) -> None:
    """Widen the posterior where the stronger bots hardly ever lost to the weaker ones.

    Such a gap has hardly any upper bound, but many one-sided normal factors understate its error
    (six points instead of ten). So the exact chances are integrated over each gap, with all bots
    above it moved together.
    """
    means, margin = posterior.means, posterior.margin
    order = sorted(range(posterior.bots), key=lambda bot: -means[bot])
    places = {bot: place for place, bot in enumerate(order)}
    across: list[list[tuple[float, FactorSite]]] = [[] for _ in order]
    for first, second, game, sites in meetings:
        low, high = sorted((places[first], places[second]))
        # The higher bot moves away, so the first player's lead grows or shrinks.
        side = 1 if places[first] == low else -1
        apart = side * (means[first] - means[second] + means[game])
        for gap in range(low + 1, high + 1) if high - low <= _NEAR else ():
            across[gap] += [(apart, replace(site, kind=side * site.kind)) for site in sites]
    above = 0.0
    for gap in range(1, len(order)):
        above += means[order[gap - 1]]
        if means[order[gap - 1]] - means[order[gap]] < _LEVEL:
            continue  # equal bots have no order
        inertia = gap * (1 - gap / len(order)) / posterior.variance
        precision = inertia + sum(site.games * site.precision for _, site in across[gap])
        step = 5 / _STEPS / math.sqrt(precision)
        moves = [step * i for i in range(-_STEPS, _STEPS + 1)]
        logs = [
            math.fsum(
                site.games * _log_chance(site.kind, apart + by, margin)
                for apart, site in across[gap]
            )
            - by * (by * inertia / 2 + above / posterior.variance)
            for by in moves
        ]
        weights = [math.exp(log - max(logs)) for log in logs]
        square = dot(weights, (by * by for by in moves)) / math.fsum(weights)
        more = max(square - 1 / precision, 0.0)
        for bot in order[:gap]:
            for other in order[:gap]:
                posterior.covariance[bot][other] += more


def _log_chance(kind: int, apart: float, margin: float) -> float:
    """Return the log-probability of a result at this lead."""
    won, lost = cdf((apart - margin) / NOISE), cdf((-apart - margin) / NOISE)
    return math.log(max((1 - won - lost, won, lost)[kind], _NEGLIGIBLE))


def _renew(meetings: Sequence[Meetings], posterior: Posterior) -> Evidence:
    """Update every factor from the posterior; return the derivatives of the evidence before it.

    A factor gets the moments of a game at the lead that all other factors imply.
    """
    means, covariance, margin = posterior.means, posterior.covariance, posterior.margin
    evidence = Evidence(margin, len(means))
    for first, second, game, sites in meetings:
        one, other, seat = covariance[first], covariance[second], covariance[game]
        apart = means[first] - means[second] + means[game]
        variance = one[first] + other[second] + seat[game]
        variance += 2 * (one[game] - one[second] - other[game])
        for site in sites:
            share = 1 - variance * site.precision
            # The cavity is the posterior without one copy of the factor.
            cavity = variance / share
            mean = (apart - variance * site.shift) / share
            square = 2 * BETA**2 + cavity
            scale = math.sqrt(square)
            if site.kind:
                v, w = win((site.kind * mean - margin) / scale)
                v *= site.kind
                evidence.slope -= site.games * abs(v) / scale
                evidence.curve -= site.games * w / square
                mixed = site.kind * w
            else:
                v, w, by_margin, curved, mixed = draw(mean / scale, margin / scale)
                evidence.slope += site.games * by_margin / scale
                evidence.curve += site.games * curved / square
            bend = w / square
            left = 1 - cavity * bend
            site.precision = bend / left
            site.shift = (v / scale + mean * bend) / left
            pull = site.games * mixed / square
            evidence.pull[first] += pull
            evidence.pull[second] -= pull
            evidence.pull[game] += pull
    return evidence


def _settle(meetings: Sequence[Meetings], posterior: Posterior, evidence: Evidence) -> float:
    """Recompute the posterior from the factors; return by how much it changed."""
    size = len(posterior.means)
    precision, shift = zeros(size), [0.0] * size
    for i, variance in enumerate(posterior.prior()):
        precision[i][i] = 1 / variance
    for first, second, game, sites in meetings:
        weight = sum(site.games * site.precision for site in sites)
        pushed = sum(site.games * site.shift for site in sites)
        # Lower triangle: advantages come after all skills.
        precision[first][first] += weight
        precision[second][second] += weight
        precision[max(first, second)][min(first, second)] -= weight
        seat = precision[game]
        seat[game] += weight
        seat[first] += weight
        seat[second] -= weight
        shift[first] += pushed
        shift[second] -= pushed
        shift[game] += pushed
    covariance = inverse(precision)
    means = times(covariance, shift)
    evidence.moves = [new - old for new, old in zip(means, posterior.means, strict=True)]
    narrower = max(
        abs(new[i] - old[i]) / math.sqrt(new[i])
        for i, (new, old) in enumerate(zip(covariance, posterior.covariance, strict=True))
    )
    posterior.means, posterior.covariance = means, covariance
    return max(narrower, *map(abs, evidence.moves))


def _climb(posterior: Posterior, evidence: Evidence, stride: float) -> float:
    """Move the margin towards the maximum of the evidence by a Newton step, and the means with it.

    The means spread as the margin grows; without this, the margin would only creep up. `stride` is
    the fraction of the step that is taken. Returns the change of the margin.
    """
    along = times(posterior.covariance, evidence.pull)
    slope = evidence.slope + dot(evidence.pull, evidence.moves)
    curve = evidence.curve + dot(evidence.pull, along)
    curve = curve if curve < 0 else evidence.curve
    step = -slope / curve * stride
    step = min(max(step, -posterior.margin / 2), posterior.margin)
    step = min(step, _WIDEST - posterior.margin)
    posterior.margin += step
    posterior.means = [mean + step * a for mean, a in zip(posterior.means, along, strict=True)]
    posterior.by_margin = [a / math.sqrt(-curve) for a in along]
    return step


# In order of play

PACKAGE_GAMES: Final = 20_000
"""The most games that the package rates; it takes about 0.1 ms per game."""

LEAST_DRAWS: Final = 0.001
"""The least draw rate. Rarer draws do not change ratings, and an actual draw would lose digits."""

TAU: Final = 0.0


def in_order_of(games: int, draw_rate: float) -> InOrder:
    """Return the parameters for rating `games` games in order; `draw_rate` is that of `converged`.

    The draw rate is rounded to 0.01%, as shown, so that others can reproduce the ratings.
    """
    return InOrder(
        games=games,
        by="the trueskill package" if games <= PACKAGE_GAMES else "its closed form",
        draw_rate=min(max(round(draw_rate, 4), LEAST_DRAWS), 1 - LEAST_DRAWS),
        mu=MU,
        sigma=SIGMA,
        beta=BETA,
        tau=TAU,
    )


def rated_in_order(
    batches: Iterable[Iterable[DecidedGame]], how: InOrder
) -> Iterator[dict[str, Rating]]:
    """Yield the ratings of all bots so far after each batch of games, in order of appearance.

    A game of a bot against itself changes no rating, but lists the bot.
    """
    by_package = how.by == "the trueskill package"
    return (rated_by_package if by_package else rated_by_form)(batches, how.draw_rate)


def rated_by_form(
    batches: Iterable[Iterable[DecidedGame]], draw_rate: float
) -> Iterator[dict[str, Rating]]:
    """Yield the ratings of `rated_by_package`, to 1e-9, by the closed form for two players.

    This loop visits every game (about 0.4 µs each), so the most frequent case, an expected win, is
    inlined.
    """
    means: dict[str, float] = {}
    variances: dict[str, float] = {}
    margin, noise = margin_of(draw_rate), 2 * BETA**2
    erfc, exp, sqrt, density = math.erfc, math.exp, math.sqrt, math.sqrt(2 / math.pi)
    for results in batches:
        for first, second, score, _, _, _, _ in results:
            winner, loser = (second, first) if score < 0.5 else (first, second)
            try:
                x, y = variances[winner], variances[loser]
            except KeyError:
                for name in (first, second):
                    means.setdefault(name, MU)
                    variances.setdefault(name, SIGMA**2)
                x, y = variances[winner], variances[loser]
            if winner == loser:
                continue
            square = noise + x + y
            scale = sqrt(square)
            apart = means[winner] - means[loser]
            if score == 0.5:
                v, w, *_ = draw(apart / scale, margin / scale)
            elif (t := (apart - margin) / scale) > DEEP:
                v = density * exp(-t * t / 2) / erfc(-t * SQRT_HALF)
                w = v * (v + t)
            else:
                v, w = win(t)
            v /= scale
            w /= square
            means[winner] += x * v
            means[loser] -= y * v
            variances[winner] = x - x * x * w
            variances[loser] = y - y * y * w
        yield {name: Rating(mean, sqrt(variances[name])) for name, mean in means.items()}


def rated_by_package(
    batches: Iterable[Iterable[DecidedGame]], draw_rate: float
) -> Iterator[dict[str, Rating]]:
    """Yield the ratings of all bots so far after each batch of games, by the package.

    `draw_rate` is that of equal opponents; 0 < `draw_rate` < 1.
    """
    environment = environment_of(draw_rate)
    ratings: dict[str, Any] = {}
    for results in batches:
        for first, second, score, *_ in results:
            for name in (first, second):
                if name not in ratings:
                    ratings[name] = environment.create_rating()
            winner, loser = (second, first) if score < 0.5 else (first, second)
            if winner != loser:
                ranks = [0, 0 if score == 0.5 else 1]
                new = environment.rate([(ratings[winner],), (ratings[loser],)], ranks)
                (ratings[winner],), (ratings[loser],) = new
        yield {name: Rating(float(r.mu), float(r.sigma)) for name, r in ratings.items()}


def environment_of(draw_rate: float) -> Any:
    """Return a separate environment of the package, because its global one can change.

    Its normal distribution and its updates after wins and draws stay accurate in the tails, where
    the package's own raise FloatingPointError.
    """
    with warnings.catch_warnings():
        # Version 0.4.5 has "\ " in a docstring: DeprecationWarning up to 3.11, SyntaxWarning since.
        for category in (DeprecationWarning, SyntaxWarning):
            warnings.filterwarnings("ignore", ".*invalid escape sequence", category)
        import trueskill  # start-up time

    class Environment(trueskill.TrueSkill):  # type: ignore[misc]  # the package has no types
        """The package's environment, accurate in the tails."""

        def v_win(self, diff: float, draw_margin: float) -> float:
            return win(diff - draw_margin)[0]

        def w_win(self, diff: float, draw_margin: float) -> float:
            return win(diff - draw_margin)[1]

        def v_draw(self, diff: float, draw_margin: float) -> float:
            return draw(diff, draw_margin)[0]

        def w_draw(self, diff: float, draw_margin: float) -> float:
            return draw(diff, draw_margin)[1]

    return Environment(MU, SIGMA, BETA, TAU, draw_rate, backend=(cdf, pdf, NormalDist().inv_cdf))
