"""Matches with an SPRT between bots whose difference is known, played by chance to their end.

What a test says of them can be compared with the truth. Pairs are drawn some at a time while the
LLR is far from its bounds, so that thousands of matches of thousands of pairs take seconds.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from lath.arena.schedule.sprt import (
    SCORES,
    FirstMoveAdvantage,
    Sprt,
    SprtState,
    elo_of,
    fixed_advantage,
    score_of,
    state,
    stopped_advantage,
)

FEW = 30
"""Pairs that are drawn one by one: until then a single one may move the LLR far."""


class Setting(NamedTuple):
    """What is simulated."""

    sprt: Sprt
    elo: float
    """First's advantage in games from a fair opening."""

    draws: float = 0.3
    """The share of draws between equals."""

    opening: float = 0.0
    """By how many Elo openings are better for one of the seats, as often for either."""

    liked: float = 0.0
    """By how many Elo openings suit one of the bots, as often either: games of a pair agree."""

    most: int | None = None
    """Pairs after which a match ends without a verdict, as by its rounds."""

    def shares(self) -> list[float]:
        """Return how likely pairs of 0 to 4 half points are."""
        found = [0.0] * len(SCORES)
        for lean, liked in product((self.opening, -self.opening), (self.liked, -self.liked)):
            one, other = (self._chances(self.elo + liked + ahead) for ahead in (lean, -lean))
            for i, p in enumerate(one):
                for j, q in enumerate(other):
                    found[i + j] += p * q / 4
        return found

    def _chances(self, elo: float) -> tuple[float, float, float]:
        score = score_of(elo)
        draws = self.draws * 4 * score * (1 - score)
        return 1 - score - draws / 2, draws, score - draws / 2


def played(
    sprt: Sprt, shares: Sequence[float], chance: random.Random, most: int | None = None
) -> SprtState:
    """Return a test at its end: decided, or after so many pairs at most."""
    counts, left = [0] * len(SCORES), 1
    while True:
        for half_points in chance.choices(range(len(SCORES)), shares, k=left):
            counts[half_points] += 1
        now = state(sprt, counts)
        if now.verdict or now.pairs == most:
            return now
        left = 1
        if now.pairs >= FEW:
            room = min(now.bounds[1] - now.llr, now.llr - now.bounds[0])
            # What a pair adds at most, as far as scores tell it, and as much again.
            mean = math.fsum(p * score for p, score in zip(shares, SCORES, strict=True))
            spread = math.fsum(p * (s - mean) ** 2 for p, s in zip(shares, SCORES, strict=True))
            apart = score_of(sprt.elo1) - score_of(sprt.elo0)
            left = max(1, min(int(room / (apart * 0.75 / spread)), now.pairs // 3))
        left = min(left, left if most is None else most - now.pairs)


@dataclass
class Seen:
    """What intervals and estimates came to in so many matches."""

    held: float
    """The share of intervals of 95 % that hold the truth."""

    held_before: float
    """The same of intervals that know nothing of the stop."""

    above: float
    """The share of estimates that are above the truth."""

    off: float
    """The middle estimate less the truth, in Elo."""

    pairs: float
    """How long a match took."""


def simulated(setting: Setting, matches: int, seed: int = 1) -> Seen:
    """Return what is seen in so many matches."""
    chance, shares = random.Random(f"{seed} {setting}"), setting.shares()
    truth = elo_of(math.fsum(p * score for p, score in zip(shares, SCORES, strict=True))) or 0.0
    ended = [played(setting.sprt, shares, chance, setting.most) for _ in range(matches)]
    shown = [stopped_advantage(setting.sprt, now) for now in ended]
    estimates = sorted(math.inf if one.elo is None else one.elo for one in shown)

    def share(
        is_so: Callable[[FirstMoveAdvantage], bool], of: Sequence[FirstMoveAdvantage]
    ) -> float:
        return sum(map(is_so, of)) / matches

    return Seen(
        held=share(lambda one: holds(one, truth), shown),
        held_before=share(
            lambda one: holds(one, truth), [fixed_advantage(now.counts) for now in ended]
        ),
        above=sum((elo > truth) + (elo == truth) / 2 for elo in estimates) / matches,
        off=estimates[matches // 2] - truth,
        pairs=sum(now.pairs for now in ended) / matches,
    )


def holds(shown: FirstMoveAdvantage, elo: float) -> bool:
    """Return whether an interval holds an advantage; where it has no end, that is far enough."""
    low, high = shown.low, shown.high
    return (low is None or low < elo) and (high is None or elo < high)
