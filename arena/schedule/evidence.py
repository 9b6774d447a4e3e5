"""The weight of a match's pairs as evidence when games or openings repeat.

All points count. A pair weighs less than 1 in two cases. Bots without randomness repeat one game,
so that their pairs weigh no more than the games that differ. Pairs from one opening may have
similar results: the more openings differ, the less each pair weighs (the design effect of L. Kish,
1965).
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final
from zlib import crc32

from lath.arena.schedule.core import Duplicates, Opening
from lath.reports.ratings.numerics import LEAST_CLUSTERS, Z95, student

_KINDS: Final = 1 << 14
"""Number of openings that are distinguished; beyond that, some share a number."""


class Worth:
    """Counts pairs and returns the weight of each."""

    def __init__(self, repeats: Duplicates) -> None:
        """Use `repeats`, which notes the games that repeat others."""
        self._repeats: Final = repeats
        self._repeated = 0
        self._points: Final[defaultdict[int, int]] = defaultdict(int)
        self._pairs: Final[defaultdict[int, int]] = defaultdict(int)
        """Half points and number of pairs, by opening."""
        self._squares = self._mixed = self._sizes = 0
        """Sums over openings: squared half points, half points times pairs, squared pairs."""
        self.counts: Final = [0] * 5
        """Number of pairs by half points."""
        self.repeating = 0
        """Pairs with a game that repeats another one."""

    def add(self, opening: tuple[str, Opening], halves: int, moves: tuple[int, ...]) -> bool:
        """Count a pair and return whether its games are all new; `moves` are as in `PlayedGame`."""
        again = sum([self._repeats.add(game) for game in moves])
        self._repeated += again
        self.repeating += again > 0
        self.counts[halves] += 1
        kind = crc32(repr(opening).encode()) % _KINDS
        points, pairs = self._points[kind], self._pairs[kind]
        self._squares += (points + halves) ** 2 - points**2
        self._mixed += (points + halves) * (pairs + 1) - points * pairs
        self._sizes += 2 * pairs + 1
        self._points[kind] += halves
        self._pairs[kind] += 1
        return not again

    @property
    def each(self) -> float:
        """Return the weight of a pair compared with a new pair, from 0 to 1."""
        pairs = sum(self.counts)
        games = 2 * pairs
        return min((games - self._repeated) / games, 1 / self._by_openings(pairs)) if pairs else 1.0

    def _by_openings(self, pairs: int) -> float:
        """Return the variance of the mean relative to that of as many pairs from new openings."""
        openings = len(self._pairs)
        if openings < 2 or openings == pairs:
            return 1.0
        mean = sum(n * halves for halves, n in enumerate(self.counts)) / pairs
        spread = sum(n * (halves - mean) ** 2 for halves, n in enumerate(self.counts)) / pairs
        apart = self._squares - 2 * mean * self._mixed + mean * mean * self._sizes
        if (by_chance := spread * (pairs - self._sizes / pairs)) <= 0:
            return 1.0
        more = max(0.0, apart / by_chance - 1) * (student(Z95, openings - 1) / Z95) ** 2
        # With few openings, only bots that repeat their games can make pairs of one opening alike.
        could = 2 * (pairs - openings)
        return 1 + more * (1 if openings >= LEAST_CLUSTERS else self._repeated / could)
