"""The optimum of a tuning from all of its pairs: a quadratic fit as the last step.

The fit treats the difference between two trials as the difference of a quadratic function of the
options, and uses least squares. The values move to the optimum only along those axes of curvature
on which the results show that there is a maximum (TELLING). Without such evidence the values stay.

The sums take no more memory for a million pairs than for ten.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Final

from lath.reports.ratings.numerics import Matrix, dot, inverse, times, zeros

MOST_OPTIONS: Final = 8
"""More options were never measured, and their curvature has more numbers than the games determine.
"""

TELLING: Final = 2.0
"""Standard errors by which a curvature must be below 0. By chance, 1 of 40 flat axes passes."""

LEAST_VARIANCE: Final = 0.1
"""Least variance of results around the fit, so that equal results do not count as certain."""


class Summit:
    """Sums over pairs, and the optimum that follows from them."""

    def __init__(self, options: int) -> None:
        """Begin without pairs. The values of options must be in widths of their ranges."""
        self._options: Final = options
        self._axes: Final = [*combinations_with_replacement(range(options), 2)]
        size = options + len(self._axes)
        self._squares: Final = zeros(size)
        self._products: Final = [0.0] * size
        self._won = 0.0
        self._pairs = 0

    def add(self, plus: Sequence[float], minus: Sequence[float], won: int) -> None:
        """Add a pair: the values of both trials, and games won minus games lost by the first."""
        row = [
            *(one - other for one, other in zip(plus, minus, strict=True)),
            *(plus[i] * plus[j] - minus[i] * minus[j] for i, j in self._axes),
        ]
        for sums, each in zip(self._squares, row, strict=True):
            for at, other in enumerate(row):
                sums[at] += each * other
        for at, each in enumerate(row):
            self._products[at] += each * won
        self._won += won * won
        self._pairs += 1

    def near(self, values: Sequence[float]) -> list[float]:
        """Return the optimum along the axes where the results show one, and `values` elsewhere."""
        free = self._pairs - len(self._products)
        try:
            covariance = inverse(self._squares)
        except (ValueError, ZeroDivisionError):  # too few pairs, or all trials at one point
            return [*values]
        if free <= 0:
            return [*values]
        fitted = times(covariance, self._products)
        spread = max(LEAST_VARIANCE, (self._won - dot(fitted, self._products)) / free)
        curved = zeros(self._options)
        for (i, j), value in zip(self._axes, fitted[self._options :], strict=True):
            curved[i][j] += value
            curved[j][i] += value
        slopes = [at + dot(row, values) for at, row in zip(fitted, curved, strict=False)]
        found = [*values]
        for curvature, axis in principal_axes(curved):
            along = [0.0] * self._options + [2 * axis[i] * axis[j] for i, j in self._axes]
            error = math.sqrt(max(0.0, spread * dot(along, times(covariance, along))))
            if -curvature > TELLING * error:
                far = dot(slopes, axis) / -curvature
                found = [at + far * part for at, part in zip(found, axis, strict=True)]
        return found


def principal_axes(matrix: Sequence[Sequence[float]]) -> list[tuple[float, list[float]]]:
    """Return the eigenvalues and eigenvectors of a small symmetric matrix, by Jacobi's method.

    >>> [(round(value), [round(abs(part), 2) for part in axis])
    ...  for value, axis in principal_axes([[2.0, 1.0], [1.0, 2.0]])]
    [(1, [0.71, 0.71]), (3, [0.71, 0.71])]
    """
    size = len(matrix)
    left: Matrix = [[*row] for row in matrix]
    axes: Matrix = [[float(i == j) for j in range(size)] for i in range(size)]
    for _ in range(50):
        for i in range(size):
            for j in range(i + 1, size):
                if not left[i][j]:
                    continue
                angle = math.atan2(2 * left[i][j], left[i][i] - left[j][j]) / 2
                cos, sin = math.cos(angle), math.sin(angle)
                for rows in (left, axes):  # columns of `left`, and of the eigenvectors
                    for row in rows:
                        row[i], row[j] = cos * row[i] + sin * row[j], cos * row[j] - sin * row[i]
                one, other = left[i], left[j]
                left[i] = [cos * a + sin * b for a, b in zip(one, other, strict=True)]
                left[j] = [cos * b - sin * a for a, b in zip(one, other, strict=True)]
    return sorted((left[i][i], [row[i] for row in axes]) for i in range(size))
