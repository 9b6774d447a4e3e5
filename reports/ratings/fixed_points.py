"""Anderson's acceleration of a fixed point: where a map is going, told from its last few steps.

Must not know what the numbers mean. (D. G. Anderson, 1965; Walker and Ni, 2011.)
"""

from __future__ import annotations

from collections import deque
from typing import Final

from lath.reports.ratings.matrices import Vector, cholesky, dot, solve

_DEPTH: Final = 6
_RIDGE: Final = 1e-12
"""Relative; keeps steps in nearly the same direction from cancelling."""


class Accelerator:
    """Remembers the last steps of a map x -> x + step and says where the next should begin."""

    def __init__(self) -> None:
        """Begin without memory."""
        self._last: tuple[Vector, Vector] | None = None
        self._changes: deque[tuple[Vector, Vector]] = deque(maxlen=_DEPTH)

    def forget(self) -> None:
        """Drop all steps: they misled."""
        self._last = None
        self._changes.clear()

    def next(self, x: Vector, step: Vector, mixing: float) -> Vector:
        """Return where to go from `x`, where the map goes by `step`.

        Without memory that is `x + mixing * step`, with mixing in 0..1.
        """
        if self._last is not None:
            self._changes.append((_minus(x, self._last[0]), _minus(step, self._last[1])))
        self._last = x, step
        target = [a + mixing * b for a, b in zip(x, step, strict=True)]
        for share, (moved, bent) in zip(self._shares(step), self._changes, strict=True):
            target = [
                t - share * (a + mixing * b) for t, a, b in zip(target, moved, bent, strict=True)
            ]
        return target

    def _shares(self, step: Vector) -> Vector:
        """Return the mixture of past changes that explains `step` best (least squares)."""
        bends = [bent for _, bent in self._changes]
        normal = [[dot(one, other) for other in bends] for one in bends]
        ridge = _RIDGE * max((row[i] for i, row in enumerate(normal)), default=0.0)
        for i, row in enumerate(normal):
            row[i] += ridge or 1.0
        return solve(cholesky(normal), [dot(bent, step) for bent in bends]) if bends else []


def _minus(one: Vector, other: Vector) -> Vector:
    return [a - b for a, b in zip(one, other, strict=True)]
