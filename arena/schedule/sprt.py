"""The sequential probability ratio test over pairs of games: which of two hypotheses holds.

The generalised SPRT of pentanomial results: M. Van den Bergh, "A practical introduction to the
GSPRT", "Comments on normalized Elo" and "The maximum likelihood estimator of a multinomial
distribution" (cantate.be/Fishtest), as Fishtest and fastchess use it. The two games of a pair share
their start, so that their sum is what is drawn independently: 0, ½, 1, 1½ or 2 points.

A test stops when the results look good, or bad, so that what they show then is too much. After the
stop the advantage is estimated without that bias, as Fishtest does: results are ordered by what
ended the test and when (P. Armitage 1957, D. Siegmund 1978), and that order has a median and an
interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from lath.reports.ratings.numerics import Z95

SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Points per game of a pair that gave 0, 1, 2, 3 or 4 half points."""

MOST_ELO: Final = {"logistic": 1000.0, "normalized": 200.0}
"""How far a hypothesis may be from 0. Beyond, pairs of 0 to 2 points can hardly be spread so."""

EMPTY: Final = 1e-3
"""What counts for a score that never came, so that no likelihood is 0; the value of Fishtest."""

PER_T: Final = 800 / math.log(10)
"""Normalized Elo of a t-value of 1 per game (Van den Bergh)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sprt:
    """What the test decides between, and how surely."""

    elo0: float
    """Lead of the first bot in Elo under H0."""

    elo1: float
    """Lead of the first bot in Elo under H1; more than `elo0`."""

    alpha: float = 0.05
    """Probability of accepting H1 if H0 holds, from 0 to 0.5."""

    beta: float = 0.05
    """Probability of accepting H0 if H1 holds, from 0 to 0.5."""

    model: str = "logistic"
    """Scale of `elo0` and `elo1`: `logistic`, or `normalized` by the spread of the results."""


@dataclass(frozen=True, slots=True)
class SprtState:
    """How a test stands; every number is finite or None."""

    counts: tuple[int, ...]
    """Pairs in which the first bot scored 0, ½, 1, 1½ and 2 points."""

    llr: float
    """Log-likelihood ratio so far."""

    bounds: tuple[float, float]
    """Log-likelihood ratios at which the test accepts H0 and H1."""

    verdict: Literal["H0", "H1"] | None
    """The accepted hypothesis; None while the test is undecided."""

    worth: float = 1.0
    """Weight of a pair, from 0 to 1; less than 1 if games repeat or openings are alike."""

    @property
    def pairs(self) -> int:
        """Return how many pairs count."""
        return sum(self.counts)


def state(sprt: Sprt, counts: Sequence[int], worth: float = 1.0) -> SprtState:
    """Return how the test stands after so many pairs of each score; `worth` is in 0..1.

    >>> [round(bound, 3) for bound in state(Sprt(elo0=0, elo1=5), [0] * 5).bounds]
    [-2.944, 2.944]
    """
    ratio = worth * llr(sprt, counts)
    low = math.log(sprt.beta / (1 - sprt.alpha))
    high = math.log((1 - sprt.beta) / sprt.alpha)
    verdict: Literal["H0", "H1"] | None = "H1" if ratio >= high else "H0" if ratio <= low else None
    return SprtState(tuple(counts), ratio, (low, high), verdict, worth)


def llr(sprt: Sprt, counts: Sequence[int]) -> float:
    """Return the log-likelihood ratio of H1 to H0; 0 before any pair."""
    if not any(counts):
        return 0.0
    weights, seen = _shares(counts)
    # Under each hypothesis the likeliest distribution of scores among those of its Elo difference.
    zero, one = (
        likeliest_with_t(seen, elo / PER_T * math.sqrt(2))
        if sprt.model == "normalized"
        else likeliest_with_mean(seen, score_of(elo))
        for elo in (sprt.elo0, sprt.elo1)
    )
    gains = [math.log(high / low) for low, high in zip(zero, one, strict=True)]
    return sum(weight * gain for weight, gain in zip(weights, gains, strict=True))


def _shares(counts: Sequence[int]) -> tuple[list[float], list[float]]:
    """Return how often each score came, as likelihoods take it, and its share."""
    weights = [count or EMPTY for count in counts]
    total = sum(weights)
    return weights, [weight / total for weight in weights]


OVERSHOOT: Final = 0.583
"""A step's standard deviations by which a sum passes a bound on average (D. Siegmund, 1985)."""


@dataclass(frozen=True, slots=True)
class Length:
    """How long a test takes, if a hypothesis holds; in pairs from now on.

    Its LLR is taken for a Brownian motion. Bounds are as D. Siegmund (1985) has them, since the
    last pair goes beyond.
    """

    low: float
    high: float
    """How far the bounds are from where the LLR is; below and above 0."""

    drift: float
    """What a pair adds on average."""

    variance: float
    """By how much that varies from pair to pair."""

    @property
    def expected(self) -> float:
        """Return after how many pairs it is decided, on average, were there no end (Wald, 1945)."""
        if not self.drift:
            return -self.low * self.high / self.variance
        tilt = 2 * self.drift / self.variance
        to_high = math.expm1(-tilt * self.low) / (
            math.exp(-tilt * self.low) - math.exp(-tilt * self.high)
        )
        return (to_high * self.high + (1 - to_high) * self.low) / self.drift

    def within(self, pairs: float) -> float:
        """Return how likely it is decided within so many pairs."""
        moved, variance = pairs * self.drift, pairs * self.variance
        if min(self.high - moved, moved - self.low) > 8 * math.sqrt(variance):
            return 0.0
        if moved > self.high + 8 * math.sqrt(variance) or moved < self.low - 8 * math.sqrt(
            variance
        ):
            return 1.0
        return min(1.0, max(0.0, 1 - _between(self.low, self.high, self.high, moved, variance)))

    def quantile(self, share: float) -> float:
        """Return after how many pairs it is decided in so large a share of tests; in 0..1."""
        most = self.expected
        while self.within(most) < share:
            most *= 2
        least = 0.0
        while most - least > 1e-3 * most:
            middle = (least + most) / 2
            least, most = (middle, most) if self.within(middle) < share else (least, middle)
        return most


def lengths(
    sprt: Sprt, variance: float, *, llr: float = 0.0, worth: float = 1.0
) -> tuple[Length, Length, Length]:
    """Return how long a test takes that stands at an LLR: at H0, half way and at H1.

    `variance` is that of a pair's points per game, `worth` as what part of a new pair each counts.

    >>> [round(one.expected) for one in lengths(Sprt(elo0=0, elo1=10), 0.1)]
    [2591, 4264, 2591]
    >>> [round(one.within(2000), 2) for one in lengths(Sprt(elo0=0, elo1=10), 0.1)]
    [0.48, 0.29, 0.48]
    """
    apart = (
        (sprt.elo1 - sprt.elo0) / PER_T * math.sqrt(2)
        if sprt.model == "normalized"
        else (score_of(sprt.elo1) - score_of(sprt.elo0)) / math.sqrt(variance)
    )
    low, high = state(sprt, [0] * 5).bounds
    beyond = OVERSHOOT * apart
    at_h0, half_way, at_h1 = (
        Length(low - beyond - llr, high + beyond - llr, worth * share * apart**2, worth * apart**2)
        for share in (-0.5, 0.0, 0.5)
    )
    return at_h0, half_way, at_h1


def score_of(elo: float) -> float:
    """Return the expected points per game of an advantage.

    >>> score_of(0), round(score_of(400), 4)
    (0.5, 0.9091)
    """
    return 1 / (1 + math.pow(10, -elo / 400))


def elo_of(score: float) -> float | None:
    """Return the advantage of an expected score; None outside of 0..1 and at its ends."""
    return 0.0 - 400 * math.log10(1 / score - 1) if 0 < score < 1 else None


# What the results show


@dataclass(frozen=True, slots=True)
class FirstMoveAdvantage:
    """The lead of the first bot in Elo, with its 95% interval; None where that is unbounded."""

    elo: float | None
    """Estimate of the lead; None if it is unbounded."""

    low: float | None
    """Lower end of the 95% interval; None if it is unbounded."""

    high: float | None
    """Upper end of the 95% interval; None if it is unbounded."""


def fixed_advantage(counts: Sequence[int], worth: float = 1.0) -> FirstMoveAdvantage:
    """Return the advantage as of a match whose length was known: of a test that still runs."""
    if one_sided := _one_sided(counts, worth):
        return one_sided
    pairs = sum(counts) * worth
    mean, variance = _spread(_shares(counts)[1], pairs)
    margin = Z95 * math.sqrt(variance / pairs)
    return FirstMoveAdvantage(elo_of(_score(counts)), elo_of(mean - margin), elo_of(mean + margin))


def _score(counts: Sequence[int]) -> float:
    """Return first's points per game."""
    return sum(count * value for count, value in zip(counts, SCORES, strict=True)) / sum(counts)


UNLIKELY: Final = 0.025
"""Of what lies at the end of an interval of 95%."""


def _one_sided(counts: Sequence[int], worth: float) -> FirstMoveAdvantage | None:
    """Return the advantage of a bot that won all games, or lost all, or had none; else None.

    How far it is ahead nobody can say. What it is at least is exact (Clopper and Pearson, 1934).
    """
    if (pairs := sum(counts)) not in (counts[0], counts[-1]):
        return None
    if not pairs:
        return FirstMoveAdvantage(None, None, None)
    least = elo_of(UNLIKELY ** (1 / (2 * pairs * worth)))
    if counts[-1]:
        return FirstMoveAdvantage(None, least, None)
    return FirstMoveAdvantage(None, None, None if least is None else -least)


def stopped_advantage(sprt: Sprt, now: SprtState) -> FirstMoveAdvantage:
    """Return the advantage that a test shows that has stopped, with or without a verdict.

    Half of the tests of two bots show more than is true, and half show less; their intervals hold
    the truth in 95%. The sum of points above the middle of both hypotheses is taken for a Brownian
    motion between two bounds. It passes them by as much as a sum does that goes on in steps.
    """
    if one_sided := _one_sided(now.counts, now.worth):
        return one_sided
    _, seen = _shares(now.counts)
    pairs = now.pairs * now.worth
    mean, variance = _spread(seen, pairs)
    variance *= now.pairs / max(1, now.pairs - 1)  # about its own mean it is too small
    zero, one = _scores(sprt, variance)
    middle = (zero + one) / 2
    gained = pairs * (mean - middle)
    per_llr = gained / now.llr if now.verdict else 0.0
    if per_llr <= 0:  # its usual value
        per_llr = variance / (one - zero)
    h0, h1 = (bound * per_llr for bound in now.bounds)

    def worse(elo: float) -> float:
        """Return how likely less is shown than was, if this is the advantage."""
        score = score_of(elo)
        # The likeliest results of that mean vary more, by what it is off; those of bots that won
        # or drew nearly all games by far more than that.
        _, likeliest = _moments(likeliest_with_mean(seen, score))
        spread = variance + max(0.0, likeliest - variance - (score - mean) ** 2)
        beyond = OVERSHOOT * math.sqrt(spread)
        low, high = h0 - beyond, h1 + beyond
        end = {"H0": low, "H1": high, None: gained}[now.verdict]
        return _worse(low, high, end, pairs * (score - middle), pairs * spread)

    near = elo_of(mean) or 0.0
    elo, low, high = (_where(worse, 1 - share, near) for share in (0.5, UNLIKELY, 1 - UNLIKELY))
    # What takes the bias away does not turn the result around.
    seen_elo = elo_of(_score(now.counts))
    if elo is not None and seen_elo is not None and elo * seen_elo < 0:
        elo = 0.0
        low = None if low is None else min(low, elo)
        high = None if high is None else max(high, elo)
    return FirstMoveAdvantage(elo, low, high)


FARTHEST: Final = 1000.0
"""Elo beyond which an end of an interval is none."""

UNLIKE: Final = 3
"""Pairs that may have been half a point off, though none was: 0 of n is what a share of 3/n gives
in one case of twenty (the rule of three)."""


def _spread(seen: Sequence[float], pairs: float) -> tuple[float, float]:
    """Return mean and variance of the scores; pairs that were all alike do not say all will be."""
    mean, variance = _moments(seen)
    return mean, max(variance, UNLIKE * SCORES[1] ** 2 / pairs)


def _scores(sprt: Sprt, variance: float) -> tuple[float, float]:
    """Return the points per game of both hypotheses where the pairs' scores vary so much."""
    if sprt.model == "normalized":
        t_value = math.sqrt(2 * variance) / PER_T
        return 0.5 + sprt.elo0 * t_value, 0.5 + sprt.elo1 * t_value
    return score_of(sprt.elo0), score_of(sprt.elo1)


def _where(falling: Callable[[float], float], value: float, near: float) -> float | None:
    """Return the Elo next to `near` at which a falling function has a value; None beyond an end."""
    low = high = max(-FARTHEST, min(near, FARTHEST))
    stride = FIRST_STRIDE
    while falling(low) <= value:
        if low == -FARTHEST:
            return None
        low, stride = max(low - stride, -FARTHEST), 2 * stride
    stride = FIRST_STRIDE
    while falling(high) >= value:
        if high == FARTHEST:
            return None
        high, stride = min(high + stride, FARTHEST), 2 * stride
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > value else (low, middle)
    return (low + high) / 2


FIRST_STRIDE: Final = 4.0
"""Elo by which the first step goes."""


def normalized_of(counts: Sequence[int], elo: float | None) -> float | None:
    """Return an advantage divided by how much the results spread; None of None."""
    if elo is None:
        return None
    mean, variance = _moments(likeliest_with_mean(_shares(counts)[1], score_of(elo)))
    return (mean - 0.5) / math.sqrt(2 * variance) * PER_T


def _worse(low: float, high: float, end: float, drift: float, variance: float) -> float:
    """Return how likely a Brownian motion from 0 does worse than one that stopped at `end`.

    `drift` and `variance` are what it has gained in all when that one stops: at a bound, or between
    them. The sooner `low` < 0 is reached the worse, the sooner `high` > 0 the better; between them
    is who has not reached any, the higher the better.
    """
    if drift < 0:
        return 1 - _worse(-high, -low, -end, -drift, variance)
    deviation, tilt = math.sqrt(variance), 2 * drift / variance
    if max(-low, high) > 5 * deviation:  # so soon nobody has been at both bounds
        return (
            _normal((end - drift) / deviation)
            - _tilted_normal(tilt * high, (end - 2 * high - drift) / deviation)
            + _tilted_normal(tilt * low, (2 * low - end + drift) / deviation)
        )
    if tilt * (high - low) < 1e-6:
        tilt = 1e-6 / (high - low)
        drift = tilt * variance / 2
    kept = _between(low, high, high, drift, variance)
    whole = -math.expm1(-tilt * (high - low))
    to_high = -math.expm1(tilt * low) / whole
    back = math.exp(tilt * low) * _between(low, high, high, -drift, variance)
    to_high_later = (kept - back) / whole
    if end >= high:
        return 1 - to_high + to_high_later
    to_low = 1 - to_high - (kept - to_high_later)
    return to_low + (_between(low, high, end, drift, variance) if end > low else 0.0)


def _between(low: float, high: float, end: float, drift: float, variance: float) -> float:
    """Return how likely it has been at no bound so far, and is below `end` now.

    The density is a series of sines (Cox and Miller, 1965), each of which fades sooner.
    """
    wide, tilt = high - low, drift / variance
    total, number = 0.0, 1
    while (fading := (wave := number * math.pi / wide) ** 2 * variance / 2) < 40:
        parts = [
            math.exp(tilt * at - drift * tilt / 2 - fading)
            * (tilt * math.sin(wave * (at - low)) - wave * math.cos(wave * (at - low)))
            for at in (low, end)
        ]
        total -= math.sin(wave * low) * (parts[1] - parts[0]) / (tilt**2 + wave**2)
        number += 1
    return total * 2 / wide


def _normal(x: float) -> float:
    """Return the share of the normal distribution below x."""
    return math.erfc(-x / math.sqrt(2)) / 2


def _tilted_normal(log_factor: float, x: float) -> float:
    """Return e^log_factor · Φ(x), which may be a very large number times a very small one."""
    if x > -30:
        return math.exp(min(log_factor, 700.0)) * _normal(x)
    return math.exp(log_factor - x * x / 2) / (-x * math.sqrt(2 * math.pi))


# Distributions of scores


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
