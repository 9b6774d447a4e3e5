"""How fast pairs are played, and so how many a worker should have waiting and when to store them.

A transaction on a disk takes as long as a hundred plies of bots that answer at once: games that
short are stored some at a time. Longer ones are stored as they come.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Final

GATHER_S: Final = 0.02
"""How long results of short pairs wait for others; a run that is killed plays them again."""

FEWEST, MOST = 2, 64
"""Pairs that a worker has: the one it plays and those it plays next."""

_WEIGHT: Final = 0.2
"""Of the newest measurement in the mean."""


class Pace:
    """Measures one run."""

    def __init__(self, slots: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._slots: Final = slots
        self._clock: Final = clock
        self._last_s = clock()
        self._pair_s: float | None = None

    def count(self, pairs: int) -> None:
        """Note how many pairs have come in since this was called before."""
        now_s = self._clock()
        if not pairs:
            return
        took_s = (now_s - self._last_s) * self._slots / pairs
        self._last_s = now_s
        old_s = took_s if self._pair_s is None else self._pair_s
        self._pair_s = old_s + _WEIGHT * (took_s - old_s)

    @property
    def gather_s(self) -> float:
        """Return how long to wait for more results once there is one; 0 for long pairs."""
        is_short = self._pair_s is not None and self._pair_s < GATHER_S / 2
        return GATHER_S if is_short else 0.0

    @property
    def window(self) -> int:
        """Return how many pairs a worker should have, so that it never waits for the runner."""
        if not self.gather_s or not self._pair_s:
            return FEWEST
        return min(MOST, max(FEWEST, math.ceil(3 * GATHER_S / self._pair_s)))
