"""The sequential probability ratio test over pairs of games: which of two hypotheses holds.

The generalised SPRT of pentanomial results: M. Van den Bergh, "A practical introduction to the
GSPRT", "Comments on normalized Elo" and "The maximum likelihood estimator of a multinomial
distribution" (cantate.be/Fishtest), as Fishtest and fastchess use it. The two games of a pair share
their start, so that their sum is what is drawn independently: 0, ½, 1, 1½ or 2 points. Must not
know schedules.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Points per game of a pair that gave 0, 1, 2, 3 or 4 half points."""

MOST_ELO: Final = {"logistic": 1000.0, "normalized": 200.0}
"""How far a hypothesis may be from 0. Beyond, pairs of 0 to 2 points can hardly be spread so."""

EMPTY: Final = 1e-3
"""What counts for a score that never came, so that no likelihood is 0; the value of Fishtest."""

NORMAL_95: Final = 1.959964
"""Standard deviations on either side that hold 95 % of a normal distribution."""

PER_T: Final = 800 / math.log(10)
"""Normalized Elo of a t-value of 1 per game (Van den Bergh)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sprt:
    """What the test decides between, and how surely."""

    elo0: float
    """First's advantage over second if H0 holds."""

    elo1: float
    """The same if H1 holds; > elo0."""

    alpha: float = 0.05
    """Probability of accepting H1 though H0 holds; in 0..0.5."""

    beta: float = 0.05
    """Probability of accepting H0 though H1 holds; in 0..0.5."""

    model: str = "logistic"
    """What the Elo are: `logistic`, or `normalized` by the spread of the results."""


@dataclass(frozen=True, slots=True)
class SprtState:
    """How a test stands; every number is finite or None."""

    counts: tuple[int, ...]
    """Pairs in which first had 0, 1, 2, 3 and 4 half points."""

    llr: float
    bounds: tuple[float, float]
    """The log-likelihood ratios at which H0 and H1 are accepted."""

    verdict: Literal["H0", "H1"] | None
    elo: float | None
    """First's advantage, logistic; None where first won or lost everything."""

    elo_low: float | None
    """The lower end of the interval of 95 %; None where it has none."""

    elo_high: float | None

    @property
    def pairs(self) -> int:
        """Return how many pairs count."""
        return sum(self.counts)


def state(sprt: Sprt, counts: Sequence[int]) -> SprtState:
    """Return how the test stands after so many pairs of each score.

    >>> [round(bound, 3) for bound in state(Sprt(elo0=0, elo1=5), [0] * 5).bounds]
    [-2.944, 2.944]
    """
    ratio = llr(sprt, counts)
    low = math.log(sprt.beta / (1 - sprt.alpha))
    high = math.log((1 - sprt.beta) / sprt.alpha)
    verdict: Literal["H0", "H1"] | None = "H1" if ratio >= high else "H0" if ratio <= low else None
    return SprtState(tuple(counts), ratio, (low, high), verdict, *elo_interval(counts))


def llr(sprt: Sprt, counts: Sequence[int]) -> float:
    """Return the log-likelihood ratio of H1 to H0; 0 before any pair."""
    if not any(counts):
        return 0.0
    weights = [count or EMPTY for count in counts]
    total = sum(weights)
    seen = [weight / total for weight in weights]
    # Under each hypothesis the likeliest distribution of scores among those of its Elo difference.
    zero, one = (
        likeliest_with_t(seen, elo / PER_T * math.sqrt(2))
        if sprt.model == "normalized"
        else likeliest_with_mean(seen, score_of(elo))
        for elo in (sprt.elo0, sprt.elo1)
    )
    gains = [math.log(high / low) for low, high in zip(zero, one, strict=True)]
    return sum(weight * gain for weight, gain in zip(weights, gains, strict=True))


def score_of(elo: float) -> float:
    """Return the expected points per game of an advantage.

    >>> score_of(0), round(score_of(400), 4)
    (0.5, 0.9091)
    """
    return 1 / (1 + math.pow(10, -elo / 400))


def elo_of(score: float) -> float | None:
    """Return the advantage of an expected score; None outside of 0..1 and at its ends."""
    return 0.0 - 400 * math.log10(1 / score - 1) if 0 < score < 1 else None


def elo_interval(counts: Sequence[int]) -> tuple[float | None, float | None, float | None]:
    """Return the advantage that the pairs show, and the ends of its interval of 95 %."""
    total = sum(counts)
    if not total:
        return None, None, None
    weights = [count or EMPTY for count in counts]
    mean, variance = _moments([weight / sum(weights) for weight in weights])
    margin = NORMAL_95 * math.sqrt(variance / total)
    score = sum(count * value for count, value in zip(counts, SCORES, strict=True)) / total
    return elo_of(score), elo_of(mean - margin), elo_of(mean + margin)


def _moments(shares: Sequence[float]) -> tuple[float, float]:
    """Return mean and variance of the scores."""
    mean = sum(share * score for share, score in zip(shares, SCORES, strict=True))
    spread = sum(share * (score - mean) ** 2 for share, score in zip(shares, SCORES, strict=True))
    return mean, spread


def likeliest_with_mean(seen: Sequence[float], mean: float) -> list[float]:
    """Return the distribution of this mean under which what was seen is likeliest.

    It is seen / (1 + x * (score - mean)), with x such that the mean is right.
    """
    return _tilted(seen, [score - mean for score in SCORES])


def likeliest_with_t(seen: Sequence[float], t: float) -> list[float]:
    """Return the same for distributions whose (mean - ½) / deviation is `t`.

    The condition is made linear where the last guess was, until that does not move.
    """
    shares = [1 / len(SCORES)] * len(SCORES)
    for _ in range(100):
        mean, variance = _moments(shares)
        deviation = math.sqrt(variance)
        offsets = [
            score - 0.5 - t * deviation * (1 + ((mean - score) / deviation) ** 2) / 2
            for score in SCORES
        ]
        last, shares = shares, _tilted(seen, offsets)
        if max(abs(new - old) for new, old in zip(shares, last, strict=True)) < 1e-10:
            break
    return shares


def _tilted(seen: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """Return seen / (1 + x * offset) with the x for which its offsets average to 0.

    That is the only root of a falling function, between poles; Newton's steps, halving beyond.
    """
    low, high = -1 / max(offsets), -1 / min(offsets)
    x = 0.0
    for _ in range(200):
        value = slope = 0.0
        for share, offset in zip(seen, offsets, strict=True):
            pull = offset / (1 + x * offset)
            value += share * pull
            slope += share * pull * pull
        low, high = (x, high) if value > 0 else (low, x)
        step = x + value / slope
        step = step if low < step < high else (low + high) / 2
        if abs(step - x) <= 1e-12 * max(1.0, abs(x)):
            break
        x = step
    return [share / (1 + x * offset) for share, offset in zip(seen, offsets, strict=True)]
