"""The choice of significant results among many tests, with one error rate for the family.

If a bot has no weakness, no test is significant in 95 of 100 cases. The games alone, without their
results, fix the share of the error rate for each test (Genovese, Roeder and Wasserman, 2006). So a
group of eight games, which can hardly be significant, takes little from a group of eighty. Tests of
overlapping groups cost less than separate ones, because the joint distribution is simulated
(step-down maxT of Westfall and Young, 1993, with normal scores).

After a finding, the next contrast is tested on the points that the finding leaves unexplained.
Contrasts that explain the results nearly as well are its alternatives.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Final, NamedTuple

from lath.reports.counting.estimates import RATE
from lath.reports.ratings.numerics import Matrix, Vector, cdf, cholesky, dot

FULL: Final = 0.2
"""The share of games from which a test has the full weight."""

STEEP: Final = 3
"""The exponent with which the weight falls for smaller shares."""

DRAWS: Final = 1000
"""The number of simulations of the joint distribution, with a fixed seed."""

HOPELESS: Final = 0.5
"""If the least uncapped Bonferroni p-value is larger, nothing is simulated."""

NEARLY: Final = 4.0
"""The largest difference of squared z between a finding and its alternative: a likelihood ratio of
e²."""

ALIKE: Final = 0.3
"""The least correlation of an alternative with the finding."""

LEFT: Final = 0.1
"""The least share of a contrast's variance that must remain beside the findings."""


def weight(part: float) -> float:
    """Return the relative weight of a test, in 0..1.

    `part` is the share of the smaller of the two groups of games that the test compares.

    >>> [round(weight(part), 3) for part in (0.5, 0.2, 0.1)]
    [1.0, 1.0, 0.125]
    """
    return min(1.0, part / FULL) ** STEEP


class TestedHypothesis(NamedTuple):
    """A test and its p-value."""

    p_value: float
    share: float
    """The share of the error rate."""


def adjusted(tests: Sequence[TestedHypothesis], correlation: Matrix) -> list[float]:
    """Return the p-values adjusted for the number of tests; up to `RATE` they are significant.

    `correlation` is that of the normal scores of the first tests; the others are independent.

    >>> tests = [TestedHypothesis(0.01, 0.5), TestedHypothesis(0.01, 0.5)]
    >>> apart, same = ([[1.0, by], [by, 1.0]] for by in (0.0, 1.0))
    >>> [round(p, 2) for p in (adjusted(tests, apart)[0], adjusted(tests, same)[0])]
    [0.02, 0.01]
    """
    order = sorted(range(len(tests)), key=lambda at: tests[at].p_value / tests[at].share)
    left = math.fsum(test.share for test in tests)
    simple = {}
    for at in order:
        simple[at] = tests[at].p_value / tests[at].share * left
        left -= tests[at].share
    if not order or simple[order[0]] > HOPELESS:
        return [min(1.0, simple[at]) for at in range(len(tests))]
    drawn = _drawn(tests, correlation)
    least = [math.inf] * DRAWS
    joint = {}
    for at in reversed(order):
        least = [*map(min, least, drawn[at])]
        limit = tests[at].p_value / tests[at].share
        joint[at] = sum(each <= limit for each in least) / DRAWS
    found, so_far = [1.0] * len(tests), 0.0
    for at in order:
        so_far = max(so_far, min(1.0, simple[at], joint[at] + 1 / DRAWS))
        found[at] = so_far
    return found


def _drawn(tests: Sequence[TestedHypothesis], correlation: Matrix) -> list[Vector]:
    """Return simulated p-values over shares of each test, for a bot without weaknesses."""
    chance = random.Random(DRAWS)
    many = len(correlation)
    # Slightly lower correlations, because a matrix with two equal rows has no Cholesky root.
    near = [
        [each * 0.999 if at != i else 1.0 for at, each in enumerate(row)]
        for i, row in enumerate(correlation)
    ]
    lower = cholesky(near)
    drawn: list[Vector] = [[] for _ in tests]
    for _ in range(DRAWS):
        normal = [chance.gauss(0.0, 1.0) for _ in range(many)]
        for into, row, test in zip(drawn, lower, tests, strict=False):
            into.append(math.erfc(dot(row, normal) * _ROOT) / 2 / test.share)
    for into, test in zip(drawn[many:], tests[many:], strict=True):
        into.extend(chance.random() / test.share for _ in range(DRAWS))
    return drawn


_ROOT: Final = math.sqrt(0.5)


class Chosen(NamedTuple):
    """A significant contrast."""

    at: int
    adjusted: float
    alternatives: tuple[int, ...]
    """Contrasts that explain the results nearly as well, the best first."""


def chosen(
    scores: Sequence[float],
    weights: Sequence[float],
    correlation: Matrix,
    others: Sequence[TestedHypothesis] = (),
    *,
    kept: float = 1.0,
) -> tuple[list[Chosen], list[float]]:
    """Return the significant contrasts, the surest first, and all adjusted p-values.

    `scores` are weaknesses in standard errors. `others` are independent tests. Contrasts share the
    part `kept` of the error rate by `weights`, and the others have the rest.
    """
    every = [*scores], [[*row] for row in correlation]
    now, matrix = every
    total = math.fsum(weights)
    of_error = [kept * each / total for each in weights]
    open_to_all = set(range(len(now)))
    variance = [1.0] * len(now)
    first: list[float] = []
    found: list[Chosen] = []
    while True:
        places = sorted(open_to_all)
        tests = [TestedHypothesis(cdf(-now[at]), of_error[at]) for at in places]
        p_values = adjusted([*tests, *others], [[matrix[i][j] for j in places] for i in places])
        if not first:
            first = p_values
        told = [(now[at], at, p) for at, p in zip(places, p_values, strict=False) if p <= RATE]
        if not told:
            return found, first
        best, at, p_value = max(told)
        near = [
            (now[other], other)
            for other in places
            if other != at
            and matrix[at][other] > ALIKE
            and now[other] > 0
            and best**2 - now[other] ** 2 < NEARLY
        ]
        found.append(Chosen(at, p_value, tuple(other for _, other in sorted(near, reverse=True))))
        now, matrix = _without(now, matrix, variance, at)
        open_to_all = {other for other in open_to_all if other != at and variance[other] > LEFT} - {
            other for _, other in near
        }


def _without(
    scores: Sequence[float], correlation: Matrix, variance: Vector, at: int
) -> tuple[list[float], Matrix]:
    """Return scores and correlations given one contrast; `variance` becomes what remains."""
    column = [row[at] for row in correlation]
    left = [max(1e-9, 1 - each * each) for each in column]
    roots = [math.sqrt(each) for each in left]
    for other, part in enumerate(left):
        variance[other] *= part
    now = [
        (score - by * scores[at]) / root
        for score, by, root in zip(scores, column, roots, strict=True)
    ]
    matrix = [
        [
            1.0 if i == j else (row[j] - column[i] * column[j]) / (roots[i] * roots[j])
            for j in range(len(row))
        ]
        for i, row in enumerate(correlation)
    ]
    return now, matrix
