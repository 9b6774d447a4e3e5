"""How sure a mean over games is, how sure a difference of two is, and which differences to believe.

Games of one *cluster* hang together: the two of a pair, or all from one opening. Whatever the
values are, the variance of their mean is taken from the sums of whole clusters (a sandwich
estimate), so that two games that say the same count as one. Where clusters repeat each other, as
pairs of bots without chance do, only a part of them is `new`: the mean is that of all, and its
variance that of as many new ones.

- A **share** is a mean of 0, 1/2 and 1: a score, how often something was so. Its interval is
  Wilson's (1927), for as many independent games as the clusters are worth; that of a difference is
  Newcombe's (1998), its p-value that of the score test with one share for both.
- A **mean** is one of any numbers: Student's t for the number of clusters after the transformation
  of Hall (1992), for many measures are skewed: most games have no drama. That of a difference is
  Welch's, for skewness mostly cancels there: with the transformation 6.2% of comparisons of ten
  measures found a difference where there was none.
- Of many differences those are believed that the rule of Benjamini and Hochberg (1995) takes at
  5%: of all that are believed, no more than one in twenty is expected to be chance.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from lath.reports.ratings.numerics import Z95, by_key, student

Kind = Literal["share", "mean"]

LEAST_CLUSTERS: Final = 3
"""With fewer nobody can say how much clusters differ: there is no interval of a mean."""

DOUBT: Final = 1
"""Clusters that the spread of independent games counts for in a share, beside what was seen."""

RATE: Final = 0.05
"""Of differences that are believed, the part that may be chance on average."""


def wilson(share: float, games: float, z: float = Z95) -> tuple[float, float]:
    """Return Wilson's interval of a share that was seen in so many independent games; of 95%.

    `z` is how many standard errors wide it is, to either side.

    >>> [round(end, 3) for end in wilson(0.5, 10)]
    [0.237, 0.763]
    """
    z2 = z * z
    middle = (share + z2 / (2 * games)) / (1 + z2 / games)
    half = z / (1 + z2 / games) * math.sqrt(share * (1 - share) / games + z2 / (4 * games**2))
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimated:
    """A mean over games with its 95% interval."""

    value: float
    low: float | None
    """None where nobody can say: too few clusters, or all games alike in what has no bounds."""
    high: float | None
    games: int
    """How many had a value."""
    clusters: int
    """How many of them are independent."""
    degrees: int
    """Clusters less strata: how well it is known how much clusters differ."""
    kind: Kind
    variance: float
    """Of the mean: its standard error squared; 0 where all games are alike."""
    worth: float
    """As how many independent games a share counts; 0 of a mean."""


def estimate(
    values: Sequence[float],
    clusters: Sequence[int],
    kind: Kind,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    strata: Sequence[int] = (),
    *,
    new: float = 1.0,
) -> Estimated | None:
    """Return the mean of values, each with the number of its cluster; None of none at all.

    `bounds` are what no value can pass; of a share they are 0 and 1. `strata` are numbers of what
    has a fixed part of the games, such as two bots of a round robin: that they differ is no doubt
    about the mean of this mix. `new` is the part of the games that repeat no other, in 0..1.

    >>> some = estimate([3.0, 5.0, 4.0, 8.0], [1, 2, 3, 4], "mean")
    >>> some.value, round(some.low, 2), round(some.high, 2)
    (5.0, 2.2, 9.95)
    """
    if not values:
        return None
    games, mean = len(values), math.fsum(values) / len(values)
    sums: defaultdict[int, float] = defaultdict(float)
    strata = strata or [0] * games
    means = _means(values, strata)
    for value, cluster, stratum in zip(values, clusters, strata, strict=True):
        sums[cluster] += value - means[stratum]
    many = max(1, round(new * len(sums)))
    degrees = many - len(means)
    off = math.fsum(each * each for each in sums.values()) / games**2 / new
    if off < 1e-18 * max(1.0, mean * mean):  # rounding of values that are all alike
        off = 0.0
    variance = off * many / degrees if degrees > 0 else 0.0
    skew = math.fsum(each**3 for each in sums.values()) / games**3 / new**2
    low = high = None
    worth = 0.0
    if kind == "share":
        worth = _worth(mean, new * games, off * many, max(0, degrees)) or float(many)
        low, high = wilson(mean, worth, _z(degrees, mean))
        variance = mean * (1 - mean) / worth
    elif degrees >= LEAST_CLUSTERS - 1:
        if variance:
            below, above = _ends(variance, skew, degrees)
            low, high = max(bounds[0], mean + below), min(bounds[1], mean + above)
        elif math.isfinite(bounds[0]) and math.isfinite(bounds[1]):
            # All alike: at least as sure as a share of which the same was always seen.
            wide = bounds[1] - bounds[0]
            low, high = (bounds[0] + wide * end for end in wilson((mean - bounds[0]) / wide, many))
    return Estimated(
        value=mean,
        low=low,
        high=high,
        games=games,
        clusters=many,
        degrees=degrees,
        kind=kind,
        variance=variance,
        worth=worth,
    )


def _means(values: Sequence[float], strata: Sequence[int]) -> dict[int, float]:
    found = by_key(zip(strata, values, strict=True))
    return {stratum: math.fsum(of) / len(of) for stratum, of in found.items()}


def _z(degrees: int, share: float) -> float:
    """Return how many standard errors of a share its interval has to either side.

    How far clusters differ is as uncertain as the spread of a mean; where all are alike nothing was
    estimated.
    """
    return student(Z95, max(2, degrees)) if 0 < share < 1 else Z95


def _ends(variance: float, skew: float, degrees: int) -> tuple[float, float]:
    """Return where the interval of a mean ends, from the mean; its cumulants are estimated."""
    error = math.sqrt(variance)
    lean = skew / error**3
    t = student(Z95, degrees)
    return -error * _unskewed(t, lean), -error * _unskewed(-t, lean)


def _unskewed(t: float, lean: float) -> float:
    """Return the studentised mean that Hall's transformation takes to `t`.

    `lean` is the skewness of the mean.
    """
    if abs(lean) < 1e-6:
        return t
    inner = 1 + lean * (t - lean / 6)
    return 3 / lean * (math.copysign(abs(inner) ** (1 / 3), inner) - 1)


def _worth(share: float, games: float, seen: float, degrees: int) -> float:
    """Return as how many independent games a share counts; 0 where all are alike.

    `seen` by the degrees of freedom is the variance. How far clusters differ is known after some
    only: until then `DOUBT` of them count as if their games were independent.
    """
    alone = share * (1 - share) / games
    return alone and games * alone * (degrees + DOUBT) / (seen + DOUBT * alone)


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateDifference:
    """How far two estimates of one thing are apart."""

    value: float
    """The second less the first."""
    low: float | None
    """The 95% interval, of this difference alone; None where nobody can say."""
    high: float | None
    p_value: float | None
    """The chance of a difference as large if there were none; None where nobody can say."""


def difference(one: Estimated, other: Estimated) -> EstimateDifference:
    """Return how far `other` is above `one`, of the same kind and of other games."""
    apart = other.value - one.value
    if one.kind == "share":
        low, high = _newcombe(one, other)
        return EstimateDifference(value=apart, low=low, high=high, p_value=_score_test(one, other))
    both = one.variance + other.variance
    if min(one.degrees, other.degrees) < LEAST_CLUSTERS - 1 or not both:
        return EstimateDifference(value=apart, low=None, high=None, p_value=None if apart else 1.0)
    degrees = max(1, int(both**2 / sum(each.variance**2 / each.degrees for each in (one, other))))
    error = math.sqrt(both)
    half = student(Z95, degrees) * error
    p_value = student_tails(apart / error, degrees)
    return EstimateDifference(value=apart, low=apart - half, high=apart + half, p_value=p_value)


def by_normal(apart: float, error: float) -> EstimateDifference:
    """Return a difference whose standard error is known; > 0."""
    half = Z95 * error
    p_value = math.erfc(abs(apart) / error / math.sqrt(2))
    return EstimateDifference(value=apart, low=apart - half, high=apart + half, p_value=p_value)


def _newcombe(one: Estimated, other: Estimated) -> tuple[float, float]:
    """Return Newcombe's interval: how far each share may be off, as its Wilson interval has it."""
    (low, high), (low_2, high_2) = (
        wilson(each.value, each.worth, _z(each.degrees, each.value)) for each in (one, other)
    )
    apart = other.value - one.value
    below = math.hypot(other.value - low_2, high - one.value)
    above = math.hypot(high_2 - other.value, one.value - low)
    return max(-1.0, apart - below), min(1.0, apart + above)


def _score_test(one: Estimated, other: Estimated) -> float:
    """Return the p-value of two shares that are one: both tell what that would be."""
    common = (one.value * one.worth + other.value * other.worth) / (one.worth + other.worth)
    variance = common * (1 - common) * (1 / one.worth + 1 / other.worth)
    if variance <= 0:
        return 1.0
    degrees = max(2, one.degrees + other.degrees)
    return student_tails((other.value - one.value) / math.sqrt(variance), degrees)


def student_tails(t: float, degrees: int) -> float:
    """Return the chance of Student's t this far from 0 or farther, both tails together.

    It turns `student` around, so that p is 0.05 just where the interval ends.

    >>> round(student_tails(2.571, 5), 3), round(student_tails(0.0, 5), 3)
    (0.05, 1.0)
    """
    low, high = 0.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        if student(middle, degrees) < abs(t):
            low = middle
        else:
            high = middle
    return math.erfc(low / math.sqrt(2))


def adjusted(p_values: Sequence[float]) -> list[float]:
    """Return Benjamini and Hochberg's p-values: those up to `RATE` are believed.

    >>> [round(p, 3) for p in adjusted([0.01, 0.04, 0.03, 0.5])]
    [0.04, 0.053, 0.053, 0.5]
    """
    many = len(p_values)
    found = [1.0] * many
    least = 1.0
    ranked = sorted(range(many), key=p_values.__getitem__, reverse=True)
    for rank, place in zip(range(many, 0, -1), ranked, strict=True):
        least = min(least, p_values[place] * many / rank)
        found[place] = least
    return found


class MetricValues:
    """The values of one measure, and to which game each belongs: 16 bytes a value."""

    __slots__ = ("games", "values")

    def __init__(self) -> None:
        self.values: Final = array("d")
        self.games: Final = array("q")

    def add(self, value: float, game: int) -> None:
        """Add the value of the game of this number."""
        self.values.append(value)
        self.games.append(game)
