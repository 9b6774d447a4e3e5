"""TrueSkill: converged over all games at once, and game after game in their order.

**Converged.** The model is the `trueskill` package's with tau 0: skills are normal before the first
game, a performance is a skill with noise, and a game is drawn where two performances are closer
than a margin. What the package does not know: each game id has an advantage of the first seat,
which is added to its performance and has a normal prior like a skill; and where the games show a
field that is wider than the prior of skills, the prior is as wide as the field. Given the margin,
the likelihood of each game is replaced by a normal factor in the difference of two skills that
gives the same first two moments (Minka, 2001); identical games share a factor, of which the cavity
takes away one copy. All factors are renewed from one posterior, until nothing moves; where that is
slow or swings, as with a bot that never lost, steps are extrapolated. The margin, and with it the
draw rate, climbs along the evidence's slope in the same rounds; how unsure it is adds to all else.

**In order of play.** What everybody knows as TrueSkill depends on the order, a little also with
tau 0, and so it stands beside the converged rating. The package itself computes it, with an
environment of its own and a normal distribution that stays accurate in the tails; of more than
PACKAGE_GAMES games the closed form for two players, which is the package's result to 1e-9 (a test)
and a hundred times as fast. The bots do not learn, so tau is 0: a rating narrows with every game
and never drifts.
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
"""A skill is 25 ± 8.33 before the first game; a performance in one game is ± 4.17 around it."""

NOISE: Final = math.sqrt(2) * BETA
"""The standard deviation of the difference of two performances of equals."""

UNIT: Final = NOISE / 1.702
"""TrueSkill points in a unit of the Elo model: the normal and the logistic curve are alike so."""

PRIOR_ADVANTAGE: Final = BETA
"""The standard deviation of what the first seat is worth, before any game: between equals it scores
from 8 to 92% in 95% of all games."""

PRIOR_DRAWS: Final = 0.5
PRIOR_GAMES: Final = 1.5
"""Half a draw in one and a half imagined games between equals keeps a draw rate off 0 and 1 and
fades with the first games: half a game for each result, as Jeffreys has it. TrueSkill and the Elo
scale share it."""


def margin_of(draw_rate: float) -> float:
    """Return by how much one must outperform the other for a win; `draw_rate` in 0..1, not ends."""
    return NormalDist().inv_cdf((draw_rate + 1) / 2) * NOISE


def draw_rate_of(margin: float) -> float:
    """Return how often equals draw: the inverse of `margin_of`."""
    return math.erf(margin / NOISE / math.sqrt(2))


# Converged

_NEGLIGIBLE: Final = 1e-20
"""A factor of less precision says nothing, in games of any number, and is not accelerated."""

_LOG_WEIGHT: Final = 10.0
"""A factor's precision growing e-fold counts as much as its mean moving by 10 points."""

_LARGEST_LOG: Final = 5.0
"""No factor is nearly as precise as e^5; an extrapolation may think so."""


class Evidence:
    """How the evidence for the margin leans: its derivatives at the present skills."""

    __slots__ = ("curve", "moves", "pull", "slope")

    def __init__(self, margin: float, size: int) -> None:
        """Begin with the imagined games between equals."""
        self.pull = [0.0] * size
        """By the margin and each mean."""
        self.moves = [0.0] * size
        """By how much the means have moved since."""
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
    """The normal factor of one kind of result of two seats, and how many games share it."""

    kind: int
    """1: first won; 0: drawn; -1: second won."""

    games: float
    precision: float = 0.0
    shift: float = 0.0
    """Precision times mean, of one copy, in first's skill and advantage less second's skill."""

    def numbers(self) -> Iterator[float]:
        """Yield the precision on a scale without end, and the mean."""
        said = self.precision > _NEGLIGIBLE
        yield math.log(self.precision if said else _NEGLIGIBLE) * _LOG_WEIGHT
        yield self.shift / self.precision if said else 0.0


Meetings = tuple[int, int, int, tuple[FactorSite, ...]]
"""All games of one id and seats: where first, second and the advantage are, and the results."""

_TOLERANCE: Final = 1e-8
"""Of means, standard deviations and the margin, in TrueSkill points."""

_ENOUGH: Final = 1e-6
"""The same after `_PATIENCE`: of thousands of games the last digits may not come to rest."""

_CLOSE: Final = 1e-9
"""Part of a margin that it is found to where steps do not find it."""

_NARROWEST: Final = 1e-6 * NOISE
_WIDEST: Final = 7 * NOISE
"""The widest margin: equals then draw all but 3 of 10^12 games."""

_ROUNDS: Final = 400
"""Far more than any input has been seen to need: 9 for a million games among 100 bots, 40 where one
bot won a million of a million."""

_SHORTEST_STRIDE: Final = 1 / 16
"""Of a step of the margin. Where nearly all games are drawn, a whole one goes too far by twice."""

_FIRST_ROUNDS: Final = 8
"""In which everything still moves: a margin that turns back there does not swing."""

_PATIENCE: Final = 150
"""Rounds after which no step is extrapolated any more: small steps come to rest, if slowly."""


@dataclass(slots=True)
class Posterior:
    """What all games together say of the skills, around 0."""

    means: Vector
    """Of the skills, in the order of the bots, then of the advantages of the game ids, sorted."""

    covariance: Matrix
    """Of them, given the margin."""

    margin: float
    bots: int
    by_margin: Vector
    """By how much they move if the margin moves by its standard error."""

    variance: float = SIGMA**2
    """Of a skill, before any game."""

    def spread(self) -> Matrix:
        """Return the covariance of the numbers, the margin being as unsure as it is."""
        return [
            [known + moved * by for known, by in zip(row, self.by_margin, strict=True)]
            for row, moved in zip(self.covariance, self.by_margin, strict=True)
        ]

    def prior(self) -> Vector:
        """Return the variance of each number before any game."""
        advantages = len(self.means) - self.bots
        return [self.variance] * self.bots + [PRIOR_ADVANTAGE**2] * advantages

    def forget(self) -> None:
        """Know of the numbers what there is to know before any game."""
        self.means = [0.0] * len(self.means)
        self.covariance = zeros(len(self.means))
        for i, variance in enumerate(self.prior()):
            self.covariance[i][i] = variance

    @property
    def draw_rate(self) -> float:
        """Return how often equals draw, strictly in 0..1."""
        return draw_rate_of(self.margin)


def converged(counts: ResultCounts, variance: float = SIGMA**2) -> Posterior:
    """Return the posterior of the skills of all bots, in their order; the prior without games.

    `variance` is that of a skill before any game. The same for any order of the games. A round
    takes a step for each two bots in their seats, and the time to invert a matrix of the bots.
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
    """Find the margin of the most evidence, and the posterior of the skills at it."""
    if _comes_to_rest(meetings, posterior, climbs=True):
        return
    # Where many games were drawn and one bot won the others, the margin and the gap between the
    # bots hardly differ in what they explain, and steps along both lead anywhere. So the margin is
    # held, and the top of the evidence is closed in on.
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
    """Renew all factors, and the margin where it `climbs`; return whether that comes to an end."""
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
            stride = max(stride / 2, _SHORTEST_STRIDE)  # it swings from side to side of the top
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
"""How many places apart two bots may be to tell how wide a gap between them is."""

_LEVEL: Final = 1e-9
"""Between means that are the same but for the last bits."""

_STEPS: Final = 12
"""On either side of the mean, of which five standard deviations are looked at."""


def _see_gaps(meetings: Sequence[Meetings], posterior: Posterior) -> None:
    """Widen the posterior where the stronger bots of a field hardly ever lost to the weaker ones.

    How far apart they are is then all but open upwards, and many normal factors with one side make
    it seem too sure: ten points became six. So each gap of the field is looked at with the chances
    themselves, all bots above it being moved together.
    """
    means, margin = posterior.means, posterior.margin
    order = sorted(range(posterior.bots), key=lambda bot: -means[bot])
    places = {bot: place for place, bot in enumerate(order)}
    across: list[list[tuple[float, FactorSite]]] = [[] for _ in order]
    for first, second, game, sites in meetings:
        low, high = sorted((places[first], places[second]))
        # Who is above is moved away: first's lead grows or falls.
        side = 1 if places[first] == low else -1
        apart = side * (means[first] - means[second] + means[game])
        for gap in range(low + 1, high + 1) if high - low <= _NEAR else ():
            across[gap] += [(apart, replace(site, kind=side * site.kind)) for site in sites]
    above = 0.0
    for gap in range(1, len(order)):
        above += means[order[gap - 1]]
        if means[order[gap - 1]] - means[order[gap]] < _LEVEL:
            continue  # equals are in no order
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
    """Return the logarithm of the chance of a result at such a lead."""
    won, lost = cdf((apart - margin) / NOISE), cdf((-apart - margin) / NOISE)
    return math.log(max((1 - won - lost, won, lost)[kind], _NEGLIGIBLE))


def _renew(meetings: Sequence[Meetings], posterior: Posterior) -> Evidence:
    """Renew every factor from the posterior; return how the evidence leans at the old ones.

    A factor gets the moments of a game between two who are as far apart as all else says.
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
    """Make the posterior that of the factors; return by how much it moved."""
    size = len(posterior.means)
    precision, shift = zeros(size), [0.0] * size
    for i, variance in enumerate(posterior.prior()):
        precision[i][i] = 1 / variance
    for first, second, game, sites in meetings:
        weight = sum(site.games * site.precision for site in sites)
        pushed = sum(site.games * site.shift for site in sites)
        # The lower triangle: advantages stand below all skills.
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
    """Move the margin to the top of the evidence by a Newton step, and the means along with it.

    Where the margin grows, the means spread: without that the margin would only creep up. `stride`
    is the part of a step that is taken. Returns by how much the margin moved.
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
"""Games up to which the package computes: it takes a tenth of a millisecond for one."""

LEAST_DRAWS: Final = 0.001
"""Rarer draws move no rating, and the last digits of one that comes all the same would be lost."""

TAU: Final = 0.0


def in_order_of(games: int, draw_rate: float) -> InOrder:
    """Return how so many games are rated in order; `draw_rate` is that of `converged`.

    It is rounded to a hundredth of a per cent, as it is shown, so that others can do the same.
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

    A game of a bot against itself only makes it known.
    """
    by_package = how.by == "the trueskill package"
    return (rated_by_package if by_package else rated_by_form)(batches, how.draw_rate)


def rated_by_form(
    batches: Iterable[Iterable[DecidedGame]], draw_rate: float
) -> Iterator[dict[str, Rating]]:
    """Yield what `rated_by_package` does, to 1e-9, by the closed form for two players.

    The one loop that takes a step a game, so the commonest case, a win that is no wonder, is
    written out: about 0.4 µs.
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
    """Yield the ratings of all bots so far after each batch of games, by the package itself.

    `draw_rate` is that between equals, in 0..1 without the ends.
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
    """Return an environment of the package, of our own: anybody could change its global one.

    Its normal distribution, and what it makes of a win and of a draw, stay accurate in the tails.
    The package's own raise FloatingPointError there.
    """
    with warnings.catch_warnings():
        # Version 0.4.5 has "\ " in a docstring: DeprecationWarning up to 3.11, SyntaxWarning since.
        for category in (DeprecationWarning, SyntaxWarning):
            warnings.filterwarnings("ignore", ".*invalid escape sequence", category)
        import trueskill  # start-up time

    class Environment(trueskill.TrueSkill):  # type: ignore[misc]  # the package has no types
        """The package's, accurate in the tails."""

        def v_win(self, diff: float, draw_margin: float) -> float:
            return win(diff - draw_margin)[0]

        def w_win(self, diff: float, draw_margin: float) -> float:
            return win(diff - draw_margin)[1]

        def v_draw(self, diff: float, draw_margin: float) -> float:
            return draw(diff, draw_margin)[0]

        def w_draw(self, diff: float, draw_margin: float) -> float:
            return draw(diff, draw_margin)[1]

    return Environment(MU, SIGMA, BETA, TAU, draw_rate, backend=(cdf, pdf, NormalDist().inv_cdf))
