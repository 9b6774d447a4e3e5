"""What the pairs of a match are worth as evidence, where games or openings come again.

All points count. What is less than that of as many new pairs is the evidence, in two ways. Bots
without chance play one game again and again: so many pairs are worth no more than the games that
are different. And pairs from one opening may hang together: by how much is seen from how far
openings differ (the design effect of L. Kish, 1965).
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final
from zlib import crc32

from lath.arena.schedule.core import Duplicates, Opening
from lath.reports.ratings.numerics import LEAST_CLUSTERS, Z95, student

_KINDS: Final = 1 << 14
"""Openings that it distinguishes. Of more, some count as one."""


class Worth:
    """Counts pairs, and says as what part of a new pair each of them counts."""

    def __init__(self, repeats: Duplicates) -> None:
        """Take where games are noted that repeat each other."""
        self._repeats: Final = repeats
        self._repeated = 0
        self._points: Final[defaultdict[int, int]] = defaultdict(int)
        self._pairs: Final[defaultdict[int, int]] = defaultdict(int)
        """By opening: half points, and how many pairs there were."""
        self._squares = self._mixed = self._sizes = 0
        """Sums over openings: of squares of half points, of these times pairs, of squares of
        pairs."""
        self.counts: Final = [0] * 5
        """Pairs by half points."""
        self.repeating = 0
        """Pairs with a game that repeats another."""

    def add(self, opening: tuple[str, Opening], halves: int, moves: tuple[int, ...]) -> bool:
        """Count a pair; return whether all of its games are new. `moves` are as in Played."""
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
        """Return as what part of a new pair each pair counts, in 0..1."""
        pairs = sum(self.counts)
        games = 2 * pairs
        return min((games - self._repeated) / games, 1 / self._by_openings(pairs)) if pairs else 1.0

    def _by_openings(self, pairs: int) -> float:
        """Return by what the mean varies more than that of as many pairs from new openings."""
        openings = len(self._pairs)
        if openings < 2 or openings == pairs:
            return 1.0
        mean = sum(n * halves for halves, n in enumerate(self.counts)) / pairs
        spread = sum(n * (halves - mean) ** 2 for halves, n in enumerate(self.counts)) / pairs
        apart = self._squares - 2 * mean * self._mixed + mean * mean * self._sizes
        if (by_chance := spread * (pairs - self._sizes / pairs)) <= 0:
            return 1.0
        more = max(0.0, apart / by_chance - 1) * (student(Z95, openings - 1) / Z95) ** 2
        # Of few openings only bots that repeat themselves tell as little as their openings.
        could = 2 * (pairs - openings)
        return 1 + more * (1 if openings >= LEAST_CLUSTERS else self._repeated / could)
