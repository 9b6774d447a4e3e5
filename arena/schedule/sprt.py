"""The sequential probability ratio test (SPRT) over pairs of games: which of two hypotheses holds.

It is the generalised SPRT of pentanomial results, as Fishtest and fastchess use it. M. Van den
Bergh describes it in "A practical introduction to the GSPRT", "Comments on normalized Elo" and "The
maximum likelihood estimator of a multinomial distribution" (cantate.be/Fishtest). The two games of
a pair share their start, so the independent samples are the sums of pairs: 0, ½, 1, 1½ or 2 points.

A test stops when the results look good or bad, so the results at that moment are exaggerated. After
the stop, the advantage is estimated without that bias, as Fishtest does it. The method orders
results by the bound that ended the test and by the time of the end (P. Armitage 1957, D. Siegmund
1978). A median and an interval follow from that order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from lath.reports.ratings.numerics import Z95

SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Points per game of a pair with 0, 1, 2, 3 or 4 half points."""

MOST_ELO: Final = {"logistic": 1000.0, "normalized": 200.0}
"""Largest absolute Elo of a hypothesis. Beyond it, hardly any results of pairs fit."""

EMPTY: Final = 1e-3
"""Count for a score that never came, so that no likelihood is 0; the value of Fishtest."""

PER_T: Final = 800 / math.log(10)
"""Normalized Elo for a t-value of 1 per game (Van den Bergh)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sprt:
    """The two hypotheses of a test and their error probabilities."""

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
    """The standing of a test; every number is finite or None."""

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
        """Return the number of pairs that count."""
        return sum(self.counts)


def state(sprt: Sprt, counts: Sequence[int], worth: float = 1.0) -> SprtState:
    """Return the standing of a test from the pairs with each score; `worth` is in 0..1.

    >>> [round(bound, 3) for bound in state(Sprt(elo0=0, elo1=5), [0] * 5).bounds]
    [-2.944, 2.944]
    """
    ratio = worth * llr(sprt, counts)
    low = math.log(sprt.beta / (1 - sprt.alpha))
    high = math.log((1 - sprt.beta) / sprt.alpha)
    verdict: Literal["H0", "H1"] | None = "H1" if ratio >= high else "H0" if ratio <= low else None
    return SprtState(tuple(counts), ratio, (low, high), verdict, worth)


def llr(sprt: Sprt, counts: Sequence[int]) -> float:
    """Return the log-likelihood ratio of H1 to H0; 0 without any pair."""
    if not any(counts):
        return 0.0
    weights, seen = _shares(counts)
    # Take the most likely distribution of scores under each hypothesis.
    zero, one = (
        likeliest_with_t(seen, elo / PER_T * math.sqrt(2))
        if sprt.model == "normalized"
        else likeliest_with_mean(seen, score_of(elo))
        for elo in (sprt.elo0, sprt.elo1)
    )
    gains = [math.log(high / low) for low, high in zip(zero, one, strict=True)]
    return sum(weight * gain for weight, gain in zip(weights, gains, strict=True))


def _shares(counts: Sequence[int]) -> tuple[list[float], list[float]]:
    """Return the weight of each score in the likelihood, and its share of all scores."""
    weights = [count or EMPTY for count in counts]
    total = sum(weights)
    return weights, [weight / total for weight in weights]


OVERSHOOT: Final = 0.583
"""Mean overshoot of a sum past a bound, in standard deviations of a step (D. Siegmund, 1985)."""


@dataclass(frozen=True, slots=True)
class Length:
    """The distribution of a test's remaining length in pairs, if a hypothesis holds.

    The LLR is treated as a Brownian motion. The bounds include the overshoot of the last pair (D.
    Siegmund, 1985).
    """

    low: float
    high: float
    """Distances from the current LLR to the bounds; `low` is below 0 and `high` is above."""

    drift: float
    """Mean change of the LLR per pair."""

    variance: float
    """Variance of that change."""

    @property
    def expected(self) -> float:
        """Return the expected number of pairs until a verdict, without a limit (Wald, 1945)."""
        if not self.drift:
            return -self.low * self.high / self.variance
        tilt = 2 * self.drift / self.variance
        to_high = math.expm1(-tilt * self.low) / (
            math.exp(-tilt * self.low) - math.exp(-tilt * self.high)
        )
        return (to_high * self.high + (1 - to_high) * self.low) / self.drift

    def within(self, pairs: float) -> float:
        """Return the probability of a verdict within `pairs` pairs."""
        moved, variance = pairs * self.drift, pairs * self.variance
        if min(self.high - moved, moved - self.low) > 8 * math.sqrt(variance):
            return 0.0
        if moved > self.high + 8 * math.sqrt(variance) or moved < self.low - 8 * math.sqrt(
            variance
        ):
            return 1.0
        return min(1.0, max(0.0, 1 - _between(self.low, self.high, self.high, moved, variance)))

    def quantile(self, share: float) -> float:
        """Return the number of pairs within which a `share` (0..1) of tests gets a verdict."""
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
    """Return the remaining lengths of a test at an LLR: if H0 holds, half way, and if H1 holds.

    `variance` is that of a pair's points per game, `worth` the weight of a pair as evidence.

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
    """Return the expected points per game at a lead in Elo.

    >>> score_of(0), round(score_of(400), 4)
    (0.5, 0.9091)
    """
    return 1 / (1 + math.pow(10, -elo / 400))


def elo_of(score: float) -> float | None:
    """Return the lead in Elo at an expected score; None unless 0 < score < 1."""
    return 0.0 - 400 * math.log10(1 / score - 1) if 0 < score < 1 else None


# The advantage that the results show


@dataclass(frozen=True, slots=True)
class FirstMoveAdvantage:
    """The lead of the first bot in Elo, with its 95% interval; None for an unbounded value."""

    elo: float | None
    """Estimate of the lead; None if it is unbounded."""

    low: float | None
    """Lower end of the 95% interval; None if it is unbounded."""

    high: float | None
    """Upper end of the 95% interval; None if it is unbounded."""


def fixed_advantage(counts: Sequence[int], worth: float = 1.0) -> FirstMoveAdvantage:
    """Return the advantage if the number of pairs was fixed beforehand, as for a running test."""
    if one_sided := _one_sided(counts, worth):
        return one_sided
    pairs = sum(counts) * worth
    mean, variance = _spread(_shares(counts)[1], pairs)
    margin = Z95 * math.sqrt(variance / pairs)
    return FirstMoveAdvantage(elo_of(_score(counts)), elo_of(mean - margin), elo_of(mean + margin))


def _score(counts: Sequence[int]) -> float:
    """Return the first bot's points per game."""
    return sum(count * value for count, value in zip(counts, SCORES, strict=True)) / sum(counts)


UNLIKELY: Final = 0.025
"""Probability outside of each end of a 95% interval."""


def _one_sided(counts: Sequence[int], worth: float) -> FirstMoveAdvantage | None:
    """Return the advantage of a bot that won or lost all games or played none; None otherwise.

    The lead has no upper limit then. The lower limit is exact (Clopper and Pearson, 1934).
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
    """Return the advantage that a stopped test shows, with or without a verdict.

    The estimate is too high in half of all tests and too low in the other half. The intervals
    contain the true lead in 95% of tests. The sum of points above the middle of both hypotheses is
    treated as a Brownian motion between two bounds, with the mean overshoot of a sum that grows in
    steps.
    """
    if one_sided := _one_sided(now.counts, now.worth):
        return one_sided
    _, seen = _shares(now.counts)
    pairs = now.pairs * now.worth
    mean, variance = _spread(seen, pairs)
    variance *= now.pairs / max(1, now.pairs - 1)  # unbiased, since the mean is estimated
    zero, one = _scores(sprt, variance)
    middle = (zero + one) / 2
    gained = pairs * (mean - middle)
    per_llr = gained / now.llr if now.verdict else 0.0
    if per_llr <= 0:  # no usable LLR: take the usual ratio
        per_llr = variance / (one - zero)
    h0, h1 = (bound * per_llr for bound in now.bounds)

    def worse(elo: float) -> float:
        """Return the probability of a worse result than the one seen, if `elo` is the true lead."""
        score = score_of(elo)
        # The most likely results at that mean have a larger variance, because the mean differs. For
        # bots that won or drew nearly all games, the variance is larger still.
        _, likeliest = _moments(likeliest_with_mean(seen, score))
        spread = variance + max(0.0, likeliest - variance - (score - mean) ** 2)
        beyond = OVERSHOOT * math.sqrt(spread)
        low, high = h0 - beyond, h1 + beyond
        end = {"H0": low, "H1": high, None: gained}[now.verdict]
        return _worse(low, high, end, pairs * (score - middle), pairs * spread)

    near = elo_of(mean) or 0.0
    elo, low, high = (_where(worse, 1 - share, near) for share in (0.5, UNLIKELY, 1 - UNLIKELY))
    # The correction of the bias must not change the sign of the result.
    seen_elo = elo_of(_score(now.counts))
    if elo is not None and seen_elo is not None and elo * seen_elo < 0:
        elo = 0.0
        low = None if low is None else min(low, elo)
        high = None if high is None else max(high, elo)
    return FirstMoveAdvantage(elo, low, high)


FARTHEST: Final = 1000.0
"""Elo beyond which the end of an interval counts as unbounded."""

UNLIKE: Final = 3
"""Number of pairs that may differ by half a point although none did. By the rule of three, a share
of 3/n gives 0 of n pairs in 5% of cases."""


def _spread(seen: Sequence[float], pairs: float) -> tuple[float, float]:
    """Return the mean and variance of scores; equal scores still get some variance."""
    mean, variance = _moments(seen)
    return mean, max(variance, UNLIKE * SCORES[1] ** 2 / pairs)


def _scores(sprt: Sprt, variance: float) -> tuple[float, float]:
    """Return the points per game of both hypotheses at this variance of the pairs' scores."""
    if sprt.model == "normalized":
        t_value = math.sqrt(2 * variance) / PER_T
        return 0.5 + sprt.elo0 * t_value, 0.5 + sprt.elo1 * t_value
    return score_of(sprt.elo0), score_of(sprt.elo1)


def _where(falling: Callable[[float], float], value: float, near: float) -> float | None:
    """Return the Elo close to `near` at which a falling function equals `value`, or None.

    None means that the Elo is beyond `FARTHEST`.
    """
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
"""Elo of the first step of a search."""


def normalized_of(counts: Sequence[int], elo: float | None) -> float | None:
    """Return a lead in normalized Elo, which is relative to the spread of the results."""
    if elo is None:
        return None
    mean, variance = _moments(likeliest_with_mean(_shares(counts)[1], score_of(elo)))
    return (mean - 0.5) / math.sqrt(2 * variance) * PER_T


def _worse(low: float, high: float, end: float, drift: float, variance: float) -> float:
    """Return the probability that a Brownian motion does worse than one that stopped at `end`.

    It starts at 0. `drift` and `variance` are those of the sum at the time of that stop, which is
    at a bound or between the bounds. A result is worse the sooner it reaches `low` < 0, and better
    the sooner it reaches `high` > 0. Results that have reached neither bound lie between these,
    ordered by their sum.
    """
    if drift < 0:
        return 1 - _worse(-high, -low, -end, -drift, variance)
    deviation, tilt = math.sqrt(variance), 2 * drift / variance
    if max(-low, high) > 5 * deviation:  # too early to have met both bounds
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
    """Return the probability of no bound so far and a value below `end` now.

    The density is a series of sines (Cox and Miller, 1965); each term fades sooner than the last.
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
    """Return the probability of a standard normal value below x."""
    return math.erfc(-x / math.sqrt(2)) / 2


def _tilted_normal(log_factor: float, x: float) -> float:
    """Return e^log_factor · Φ(x), which may be a very large number times a very small one."""
    if x > -30:
        return math.exp(min(log_factor, 700.0)) * _normal(x)
    return math.exp(log_factor - x * x / 2) / (-x * math.sqrt(2 * math.pi))


# Distributions of scores


def _moments(shares: Sequence[float]) -> tuple[float, float]:
    """Return the mean and variance of scores."""
    mean = sum(share * score for share, score in zip(shares, SCORES, strict=True))
    spread = sum(share * (score - mean) ** 2 for share, score in zip(shares, SCORES, strict=True))
    return mean, spread


def likeliest_with_mean(seen: Sequence[float], mean: float) -> list[float]:
    """Return the distribution with this mean that makes the results seen most likely.

    It is seen / (1 + x * (score - mean)), with the x that gives this mean.
    """
    return _tilted(seen, [score - mean for score in SCORES])


def likeliest_with_t(seen: Sequence[float], t: float) -> list[float]:
    """Return the most likely distribution with `t` as its (mean - ½) / deviation.

    The condition is linearised at the last guess until the guess no longer changes.
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
    """Return seen / (1 + x * offset) with the x for which the mean offset is 0.

    The x is the only root of a falling function between two poles. The search uses Newton's steps,
    and halves the range if a step leaves it.
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
