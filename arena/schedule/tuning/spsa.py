"""Tuning by simultaneous perturbation (SPSA): what is tried next, and what a pair of games moves.

J. C. Spall, "Implementation of the simultaneous perturbation algorithm for stochastic optimization"
(1998), with the terms that Fishtest and chess-tuning-tools use. Iteration k, from 0, is a pair of
games between θ + c(k)·δ and θ - c(k)·δ, where δ is +1 or -1 of each option by lot. What the first
has won more than lost, -2 to 2 games, times a(k)/c(k)·δ is what θ moves by, with

    c(k) = c / (k + 1)^0.101    a(k) = a / (A + k + 1)^0.602    A = a tenth of all iterations

such that in the last iteration c(k) is the option's `step` and a(k)/c(k)² is the `rate`.

In the end stands what all results tell: `Summit` fits a quadratic function to them.

A million pairs take no more memory than ten.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from lath.arena.schedule.tuning.summit import MOST_OPTIONS, Summit

ALPHA: Final = 0.602
GAMMA: Final = 0.101
"""How fast gains fall: the least for which Spall's theorem holds."""

STABLE: Final = 0.1
"""Of all iterations: A, which keeps the first from being too wild."""

LEAST_STEP: Final = 0.5
"""Of an option, in units of its last decimal place: with less, both sides might play with the same
value."""

STEPS: Final = 10
"""Of which the range has so many where nothing is said: with twenty, as in Fishtest, tuning ended
further from the summit in every setting of `benchmarks/tuning.py`."""

AHEAD: Final = 16
"""Pairs that are dealt before what they would follow from is known, where nothing is said."""

Values = tuple[tuple[str, int | float], ...]
"""Options of a bot and their values, in the order in which they are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TunedOption:
    """An option that is tuned: numbers of a range, all with as many decimal places."""

    name: str
    """Name of the option."""

    low: float
    """Least value."""

    high: float
    """Greatest value; more than `low`."""

    start: float
    """Start value."""

    step: float
    """Distance of both trial values from the value so far, in the last pair. From half a unit of
    the last decimal place to half of the range."""

    digits: int = 0
    """Decimal places; 0 for whole numbers."""

    def rounded(self, at: float, lot: float = 0.5) -> int | float:
        """Return the value next below `at`, or above it where what is left and `lot` come to one.

        >>> width = TunedOption(name="width", low=0.5, high=2, start=1, step=0.1, digits=2)
        >>> width.rounded(1.2345), width.rounded(1.2345, 0.6)
        (1.23, 1.24)
        """
        grains: int = 10**self.digits
        units = math.floor(at * grains + lot)
        return round(units / grains, self.digits) if self.digits else units

    def number(self, value: float) -> str:
        """Return one of its values as it is written."""
        return f"{value:.{self.digits}f}"

    @property
    def span(self) -> str:
        """Return the least and the greatest value as they are written."""
        return f"{self.number(self.low)}..{self.number(self.high)}"

    def __str__(self) -> str:
        """Return the range as it is written.

        >>> str(TunedOption(name="hash", low=1, high=9, start=3, step=0.5))
        '1..9 from 3 step 0.5'
        >>> str(TunedOption(name="width", low=0.5, high=2, start=1, step=0.00005, digits=4))
        '0.5000..2.0000 from 1.0000 step 0.00005'
        """
        step = f"{self.step:.10f}".rstrip("0").rstrip(".")
        return f"{self.span} from {self.number(self.start)} step {step}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """What is tuned, and how."""

    parameters: tuple[TunedOption, ...]
    pairs: int
    """Iterations; > 0."""

    rate: float = 0.0
    """How far θ moves in the last iteration, in steps for each game won more than lost; 0: one by
    the root of `pairs`.

    A quarter to four times as much were simulated: 200 to 2,000 pairs, one and three options, a
    summit 100 to 200 Elo above the start, steps of a twentieth and a tenth of the range, 40 runs
    each. With the greater step this was the best, or within 2 Elo of it; with the smaller twice as
    much was better, by up to 29 Elo.
    """

    ahead: int = AHEAD
    """How many iterations are dealt before the result of one counts: iteration k, from 0, follows
    from the results of those before k - ahead + 1. So many pairs may be played at the same time;
    that does not depend on how many are."""

    @property
    def start(self) -> Values:
        """Return the values that all begins with."""
        return tuple((each.name, each.start) for each in self.parameters)


class Spsa:
    """Follows θ from the results of iterations, which come in their order."""

    def __init__(self, tuning: Tuning, seed: int) -> None:
        """Begin at the start; all chance is by the seed."""
        self._tuning: Final = tuning
        self._seed: Final = seed
        self._rate: Final = tuning.rate or 1 / math.sqrt(max(1, tuning.pairs))
        self.theta = tuple(float(each.start) for each in tuning.parameters)
        """Where iterations are now, of each option; within its range."""
        self._past: Final = [self.theta]
        """The last θ: after the results of `done` - len + 1 to `done` iterations."""
        few = len(tuning.parameters) <= MOST_OPTIONS
        self._summit: Final = Summit(len(tuning.parameters)) if few else None
        self.done = 0
        """Iterations whose results are known."""

    @property
    def at(self) -> tuple[float, ...]:
        """Return where it stands, of each option; within its range: at θ, while results come.

        When all results are known that is, from the last θ, the summit of a quadratic fit to them,
        where they tell of one.
        """
        if self._summit is None or not 0 < self.done == self._tuning.pairs:
            return self.theta
        found = self._from_widths(self._summit.near(self._in_widths(self.theta)))
        return tuple(
            min(max(at, float(each.low)), float(each.high))
            for each, at in zip(self._tuning.parameters, found, strict=True)
        )

    def _in_widths(self, values: Iterable[float]) -> list[float]:
        """Return values as `Summit` takes them: from the start, in widths of their ranges."""
        both = zip(self._tuning.parameters, values, strict=True)
        return [(value - each.start) / (each.high - each.low) for each, value in both]

    def _from_widths(self, values: Iterable[float]) -> list[float]:
        """Return the values that are so many widths from the start."""
        both = zip(self._tuning.parameters, values, strict=True)
        return [each.start + value * (each.high - each.low) for each, value in both]

    @property
    def values(self) -> Values:
        """Return where it is now, in values that the options can have."""
        both = zip(self._tuning.parameters, self.at, strict=True)
        return tuple((each.name, each.rounded(at)) for each, at in both)

    @property
    def open(self) -> range:
        """Return which iterations may be dealt by what is known."""
        return range(self.done, min(self.done + self._tuning.ahead, self._tuning.pairs))

    def trial(self, k: int) -> tuple[Values, Values]:
        """Return what both sides of an iteration k of the `open` play with; the same each time.

        Each side is rounded up as often as its fraction says, both by the same lot: so they differ.
        """
        known = max(0, k + 1 - self._tuning.ahead)
        theta = self._past[known - 1 - self.done]
        plus, minus = [], []
        for each, at, (sign, lot) in zip(
            self._tuning.parameters, theta, self._lots(k), strict=True
        ):
            away = self._step(each, k)
            middle = min(max(at, each.low + away), each.high - away)
            sides = (each.rounded(middle + side * away, lot) for side in (sign, -sign))
            one, other = (min(max(side, each.low), each.high) for side in sides)
            plus.append((each.name, one))
            minus.append((each.name, other))
        return tuple(plus), tuple(minus)

    def report(self, won: int) -> None:
        """Take the result of the next iteration: games that `plus` won more than lost, -2..2."""
        k, theta = self.done, []
        if self._summit is not None:
            plus, minus = (self._in_widths(value for _, value in side) for side in self.trial(k))
            self._summit.add(plus, minus, won)
        for each, at, (sign, _) in zip(
            self._tuning.parameters, self.theta, self._lots(k), strict=True
        ):
            moved = at + self._gain(k) * self._step(each, k) * sign * won
            theta.append(min(max(moved, float(each.low)), float(each.high)))
        self.theta = tuple(theta)
        self.done += 1
        self._past.append(self.theta)
        del self._past[: -self._tuning.ahead - 1]

    def _step(self, each: TunedOption, k: int) -> float:
        """Return c(k), at most what the range allows."""
        wide: float = each.step * (self._tuning.pairs / (k + 1)) ** GAMMA
        return min(wide, (each.high - each.low) / 2)

    def _gain(self, k: int) -> float:
        """Return a(k)/c(k)², the same for all options."""
        pairs = self._tuning.pairs
        stable = STABLE * pairs
        falls: float = ((stable + pairs) / (stable + k + 1)) ** ALPHA
        rises: float = ((k + 1) / pairs) ** (2 * GAMMA)
        return self._rate * falls * rises

    def _lots(self, k: int) -> Iterator[tuple[int, float]]:
        """Yield δ and the lot for rounding, in 0..1, of each option."""
        for each in self._tuning.parameters:
            words = f"{self._seed} spsa {k} {each.name}"
            drawn = int.from_bytes(hashlib.sha256(words.encode()).digest()[:7], "big")
            yield (1 if drawn & 1 else -1), (drawn >> 3) / 2**53
