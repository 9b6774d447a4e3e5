"""TrueSkill over all games at once: expectation propagation with one joint normal posterior.

Must not know the order of the games, seats, clusters, or how a rating is shown.

The model is the `trueskill` package's with tau 0: skills are normal before the first game, a
performance is a skill with noise, and a game is drawn where two performances are closer than a
margin. Given the margin, the likelihood of each game is replaced by a normal factor in the
difference of two skills that gives the same first two moments (Minka, 2001); identical games share
a factor, of which the cavity takes away one copy. All factors are renewed from one posterior, until
nothing moves; where that is slow or swings, as with a bot that never lost, steps are extrapolated.
The margin, and with it the draw rate, climbs along the evidence's slope in the same rounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lath.reports.ratings.counts import Seats, Tally
from lath.reports.ratings.fixed_points import Accelerator
from lath.reports.ratings.matrices import Matrix, Vector, dot, inverse, times, zeros
from lath.reports.ratings.scale import PRIOR_DRAWS, PRIOR_GAMES, SIGMA, draw_rate_of, margin_of
from lath.reports.ratings.sites import Evidence, Meetings, Site, set_state, state

_TOLERANCE: Final = 1e-8
"""Of means, standard deviations and the margin, in TrueSkill points."""

_ROUNDS: Final = 2000
"""Far more than any input has been seen to need: 9 for a million games among 100 bots, 40 where one
bot won a million of a million."""

_PATIENCE: Final = 150
"""Rounds after which no step is extrapolated any more: small steps come to rest, if slowly."""


@dataclass(slots=True)
class Posterior:
    """What all games together say of the skills, around 0."""

    means: Vector
    covariance: Matrix
    margin: float

    @property
    def draw_rate(self) -> float:
        """Return how often equals draw, strictly in 0..1."""
        return draw_rate_of(self.margin)


class ConvergenceError(ArithmeticError):
    """The rounds did not come to rest: a bug, for no results are known to do that."""


def converged(names: Sequence[str], tallies: Mapping[Seats, Tally]) -> Posterior:
    """Return the posterior of the skills of `names`, in their order; the prior without games.

    The same for any order of the games and any exchange of seats. A round takes a step for each
    two bots that met, and the time to invert a matrix of the bots.
    """
    meetings = _meetings(names, tallies)
    start = margin_of(_observed_draw_rate(meetings))
    prior = zeros(len(names))
    for i, row in enumerate(prior):
        row[i] = SIGMA**2
    posterior = Posterior([0.0] * len(names), prior, start)
    if meetings:
        _converge(meetings, posterior)
    return posterior


def _meetings(names: Sequence[str], tallies: Mapping[Seats, Tally]) -> list[Meetings]:
    numbers = {name: number for number, name in enumerate(names)}
    games: dict[tuple[int, int], list[int]] = {}
    for seats, tally in tallies.items():
        one, other = numbers[seats.first], numbers[seats.second]
        counts = tally.wins, tally.draws, tally.losses
        if one > other:
            one, other, counts = other, one, counts[::-1]
        scored = games.setdefault((one, other), [0, 0, 0])
        for kind, count in enumerate(counts):
            scored[kind] += count
    return [
        Meetings(*pair, tuple(Site(1 - kind, n) for kind, n in enumerate(scored) if n))
        for pair, scored in sorted(games.items())
    ]


def _observed_draw_rate(meetings: Iterable[Meetings]) -> float:
    """Return a first guess, strictly in 0..1: the share of draws, with the imagined games."""
    sites = [site for met in meetings for site in met.sites]
    draws = sum(site.games for site in sites if site.kind == 0)
    return (draws + PRIOR_DRAWS) / (sum(site.games for site in sites) + PRIOR_GAMES)


def _converge(meetings: Sequence[Meetings], posterior: Posterior) -> None:
    accelerator, mixing, before = Accelerator(), 1.0, math.inf
    slow = False
    for number in range(_ROUNDS):
        old = state(meetings) if slow else []
        evidence = _renew(meetings, posterior)
        if slow:
            step = [new - was for new, was in zip(state(meetings), old, strict=True)]
            set_state(meetings, accelerator.next(old, step, mixing))
        moved = max(_settle(meetings, posterior, evidence), _climb(posterior, evidence))
        if moved < _TOLERANCE:
            return
        if moved > 2 * before or number > _PATIENCE:
            accelerator.forget()
            mixing = max(mixing / 2, 0.1)
        else:
            mixing = min(mixing * 1.5, 1.0)
        slow = slow or (number > 2 and moved > before / 3)
        before = moved
    raise ConvergenceError(f"ratings still move by {moved!r} after {_ROUNDS} rounds")


def _renew(meetings: Sequence[Meetings], posterior: Posterior) -> Evidence:
    """Renew every factor from the posterior; return how the evidence leans at the old ones."""
    means, covariance, margin = posterior.means, posterior.covariance, posterior.margin
    evidence = Evidence(margin, len(means))
    for met in meetings:
        one, other = met.one, met.other
        row = covariance[one]
        mean = means[one] - means[other]
        variance = row[one] + covariance[other][other] - 2 * row[other]
        for site in met.sites:
            mixed = site.renew(mean, variance, evidence)
            evidence.pull[one] += mixed
            evidence.pull[other] -= mixed
    return evidence


def _settle(meetings: Sequence[Meetings], posterior: Posterior, evidence: Evidence) -> float:
    """Make the posterior that of the factors; return by how much it moved."""
    size = len(posterior.means)
    precision, shift = zeros(size), [0.0] * size
    for i, row in enumerate(precision):
        row[i] = 1 / SIGMA**2
    for met in meetings:
        one, other = met.one, met.other
        weight = sum(site.games * site.precision for site in met.sites)
        pushed = sum(site.games * site.shift for site in met.sites)
        precision[one][one] += weight
        precision[other][other] += weight
        precision[other][one] -= weight
        shift[one] += pushed
        shift[other] -= pushed
    covariance = inverse(precision)
    means = times(covariance, shift)
    evidence.moves = [new - old for new, old in zip(means, posterior.means, strict=True)]
    narrower = max(
        abs(new[i] - old[i]) / math.sqrt(new[i])
        for i, (new, old) in enumerate(zip(covariance, posterior.covariance, strict=True))
    )
    posterior.means, posterior.covariance = means, covariance
    return max(narrower, *map(abs, evidence.moves))


def _climb(posterior: Posterior, evidence: Evidence) -> float:
    """Move the margin to the top of the evidence by a Newton step, and the means along with it.

    Where the margin grows, the means spread: without that the margin would only creep up.
    Returns by how much the margin moved.
    """
    along = times(posterior.covariance, evidence.pull)
    slope = evidence.slope + dot(evidence.pull, evidence.moves)
    curve = evidence.curve + dot(evidence.pull, along)
    step = -slope / (curve if curve < 0 else evidence.curve)
    step = min(max(step, -posterior.margin / 2), posterior.margin)
    posterior.margin += step
    posterior.means = [mean + step * a for mean, a in zip(posterior.means, along, strict=True)]
    return abs(step)
