"""What to believe of many things that were tested: one error rate for the whole family.

Nothing is wrong with a bot: in 95 of 100 such cases nothing at all is believed. The share of that
error which each test may use is fixed by the games alone, before its result is seen (Genovese,
Roeder and Wasserman, 2006). A group of eight games, which nobody could believe, takes little from a
group of eighty. Tests of overlapping groups cost less than separate ones: the joint distribution is
drawn (step-down maxT of Westfall and Young, 1993, with normal scores).

What has been found is held to be true for what comes next: a second contrast counts for what the
first one leaves. Contrasts that would explain the results nearly as well are its alternatives.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Final, NamedTuple

from lath.reports.counting.estimates import RATE
from lath.reports.ratings.numerics import Matrix, Vector, cdf, cholesky, dot

FULL: Final = 0.2
"""The part of the games from which on a test has a full share."""

STEEP: Final = 3
"""The power of a smaller part with which its share falls."""

DRAWS: Final = 1000
"""Of the joint distribution, from a fixed seed."""

HOPELESS: Final = 0.5
"""Where the least of Bonferroni's p-values, not cut at 1, is above this, nothing is drawn."""

NEARLY: Final = 4.0
"""By how much the square of z is smaller of an alternative, at most: a likelihood ratio of e²."""

ALIKE: Final = 0.3
"""The correlation with what was found of an alternative, at least."""

LEFT: Final = 0.1
"""The part of a contrast's variance that must be left of it beside what was found."""


def weight(part: float) -> float:
    """Return how much of the error a test may use beside others, of 1.

    `part` says how large the smaller one is of the two groups of games that it compares.

    >>> [round(weight(part), 3) for part in (0.5, 0.2, 0.1)]
    [1.0, 1.0, 0.125]
    """
    return min(1.0, part / FULL) ** STEEP


class TestedHypothesis(NamedTuple):
    """Something that was tested."""

    p_value: float
    share: float
    """Of the error."""


def adjusted(tests: Sequence[TestedHypothesis], correlation: Matrix) -> list[float]:
    """Return the p-values of tests that count how many there are; those up to `RATE` are believed.

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
    """Return of each test p-values over shares, as they are where nothing is wrong."""
    chance = random.Random(DRAWS)
    many = len(correlation)
    # A little less alike than they are: else no root exists where two are the same.
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
    """A contrast that is believed."""

    at: int
    adjusted: float
    alternatives: tuple[int, ...]
    """Contrasts that would explain the results nearly as well, the best first."""


def chosen(
    scores: Sequence[float],
    weights: Sequence[float],
    correlation: Matrix,
    others: Sequence[TestedHypothesis] = (),
    *,
    kept: float = 1.0,
) -> tuple[list[Chosen], list[float]]:
    """Return the contrasts that are believed, the surest first, and all adjusted p-values.

    `scores` are how far each shows a weakness, in standard errors. `others` are independent tests;
    contrasts have `kept` of the error, in parts by `weights`, others have the rest.
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
    """Return scores and their correlation beside one that is known; `variance` is what is left."""
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
