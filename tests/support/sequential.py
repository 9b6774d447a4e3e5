"""Matches with an SPRT between bots of known difference, simulated to their end.

The results can be compared with the truth. Pairs are drawn in groups while the LLR is far from its
bounds, so that thousands of matches of thousands of pairs take seconds.
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
"""Pairs that are drawn one by one at first, because each can move the LLR far."""


class Setting(NamedTuple):
    """The parameters of a simulation."""

    sprt: Sprt
    elo: float
    """The first bot's advantage in games from a balanced opening, in Elo."""

    draws: float = 0.3
    """The share of draws between equal bots."""

    opening: float = 0.0
    """How much openings favour one of the sides, in Elo, as often either."""

    liked: float = 0.0
    """How much openings favour one of the bots, in Elo, as often either; games of a pair agree."""

    most: int | None = None
    """Pairs after which a match ends without a verdict."""

    def shares(self) -> list[float]:
        """Return the probabilities of pairs with 0 to 4 half points."""
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
    """Return a test at its end: decided, or after `most` pairs."""
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
            # Twice the largest step of a pair by its score.
            mean = math.fsum(p * score for p, score in zip(shares, SCORES, strict=True))
            spread = math.fsum(p * (s - mean) ** 2 for p, s in zip(shares, SCORES, strict=True))
            apart = score_of(sprt.elo1) - score_of(sprt.elo0)
            left = max(1, min(int(room / (apart * 0.75 / spread)), now.pairs // 3))
        left = min(left, left if most is None else most - now.pairs)


@dataclass
class Seen:
    """Intervals and estimates over all matches."""

    held: float
    """The share of 95% intervals that contain the truth."""

    held_before: float
    """The same share for intervals that ignore the stopping rule."""

    above: float
    """The share of estimates above the truth."""

    off: float
    """The median estimate minus the truth, in Elo."""

    pairs: float
    """The mean number of pairs."""


def simulated(setting: Setting, matches: int, seed: int = 1) -> Seen:
    """Return the statistics of simulated matches."""
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
    """Return whether an interval contains an advantage; a missing end is infinite."""
    low, high = shown.low, shown.high
    return (low is None or low < elo) and (high is None or elo < high)
