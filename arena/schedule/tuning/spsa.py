"""Tuning by simultaneous perturbation (SPSA): the values to try next, and how results move them.

J. C. Spall, "Implementation of the simultaneous perturbation algorithm for stochastic optimization"
(1998), with the terms of Fishtest and chess-tuning-tools. Iteration k, from 0, is a pair of games
between θ + c(k)·δ and θ - c(k)·δ. For each option, δ is +1 or -1 at random. With w games won minus
games lost by the first side, from -2 to 2, the iteration moves θ by w · a(k)/c(k)·δ, where

    c(k) = c / (k + 1)^0.101    a(k) = a / (A + k + 1)^0.602    A = a tenth of all iterations

such that in the last iteration c(k) is the option's `step` and a(k)/c(k)² is the `rate`.

At the end, `Summit` fits a quadratic function to all results to find the final values.

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
"""How fast the gains fall: the smallest exponents for which Spall's theorem holds."""

STABLE: Final = 0.1
"""A as a share of all iterations; it keeps the first moves from being too large."""

LEAST_STEP: Final = 0.5
"""Smallest step, in units of the last decimal place. With less, both sides might get the same
value."""

STEPS: Final = 10
"""Number of default steps in a range. With 20, as in Fishtest, tuning ended further from the
optimum in every setting of `benchmarks/tuning.py`."""

AHEAD: Final = 16
"""Default number of pairs that are dealt before the results that they would use are known."""

Values = tuple[tuple[str, int | float], ...]
"""Options of a bot and their values, in the order in which they are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TunedOption:
    """An option to tune: its range and step, all with the same number of decimal places."""

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
        """Return `at` rounded down, or rounded up if its fraction and `lot` add up to a unit.

        >>> width = TunedOption(name="width", low=0.5, high=2, start=1, step=0.1, digits=2)
        >>> width.rounded(1.2345), width.rounded(1.2345, 0.6)
        (1.23, 1.24)
        """
        grains: int = 10**self.digits
        units = math.floor(at * grains + lot)
        return round(units / grains, self.digits) if self.digits else units

    def number(self, value: float) -> str:
        """Return one of the values as text."""
        return f"{value:.{self.digits}f}"

    @property
    def span(self) -> str:
        """Return the least and the greatest value as text."""
        return f"{self.number(self.low)}..{self.number(self.high)}"

    def __str__(self) -> str:
        """Return the range as `--option` takes it.

        >>> str(TunedOption(name="hash", low=1, high=9, start=3, step=0.5))
        '1..9 from 3 step 0.5'
        >>> str(TunedOption(name="width", low=0.5, high=2, start=1, step=0.00005, digits=4))
        '0.5000..2.0000 from 1.0000 step 0.00005'
        """
        step = f"{self.step:.10f}".rstrip("0").rstrip(".")
        return f"{self.span} from {self.number(self.start)} step {step}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """The options to tune and the settings of the tuner."""

    parameters: tuple[TunedOption, ...]
    pairs: int
    """Number of iterations; > 0."""

    rate: float = 0.0
    """How far a game won moves θ in the last iteration, in steps; 0 for 1 / sqrt(`pairs`).

    Simulations compared a quarter of the default to four times the default, with 40 runs each. They
    had 200 to 2,000 pairs, one and three options, and steps of a twentieth and a tenth of the
    range. The optimum was 100 to 200 Elo above the start. With the larger step the default was the
    best, or within 2 Elo of it. With the smaller step twice the default was better, by up to 29
    Elo.
    """

    ahead: int = AHEAD
    """How many iterations are dealt before the result of one counts. Iteration k, from 0, uses the
    results of iterations before k - ahead + 1. Up to `ahead` pairs can be played at the same time;
    the values do not depend on how many are."""

    @property
    def start(self) -> Values:
        """Return the start values of all options."""
        return tuple((each.name, each.start) for each in self.parameters)


class Spsa:
    """Follows θ from the results of iterations, which come in their order."""

    def __init__(self, tuning: Tuning, seed: int) -> None:
        """Begin at the start values; `seed` decides all random choices."""
        self._tuning: Final = tuning
        self._seed: Final = seed
        self._rate: Final = tuning.rate or 1 / math.sqrt(max(1, tuning.pairs))
        self.theta = tuple(float(each.start) for each in tuning.parameters)
        """Value of each option in the current iteration, within its range."""
        self._past: Final = [self.theta]
        """The last values of θ, one for each number of known results up to `done`."""
        few = len(tuning.parameters) <= MOST_OPTIONS
        self._summit: Final = Summit(len(tuning.parameters)) if few else None
        self.done = 0
        """Number of iterations with known results."""

    @property
    def at(self) -> tuple[float, ...]:
        """Return the value of each option, within its range: θ while results are missing.

        Once all results are known, it is the optimum of a quadratic fit to them near the last θ, as
        far as the results show one.
        """
        if self._summit is None or not 0 < self.done == self._tuning.pairs:
            return self.theta
        found = self._from_widths(self._summit.near(self._in_widths(self.theta)))
        return tuple(
            min(max(at, float(each.low)), float(each.high))
            for each, at in zip(self._tuning.parameters, found, strict=True)
        )

    def _in_widths(self, values: Iterable[float]) -> list[float]:
        """Return values in the units of `Summit`: widths of the range, counted from the start."""
        both = zip(self._tuning.parameters, values, strict=True)
        return [(value - each.start) / (each.high - each.low) for each, value in both]

    def _from_widths(self, values: Iterable[float]) -> list[float]:
        """Return values from the units of `Summit`."""
        both = zip(self._tuning.parameters, values, strict=True)
        return [each.start + value * (each.high - each.low) for each, value in both]

    @property
    def values(self) -> Values:
        """Return the current values, rounded so that the bot accepts them."""
        both = zip(self._tuning.parameters, self.at, strict=True)
        return tuple((each.name, each.rounded(at)) for each, at in both)

    @property
    def open(self) -> range:
        """Return the iterations that can be dealt with the results known so far."""
        return range(self.done, min(self.done + self._tuning.ahead, self._tuning.pairs))

    def trial(self, k: int) -> tuple[Values, Values]:
        """Return the values of both sides in iteration k, which must be in `open`; always the same.

        Both sides use the same random numbers for rounding, so that their values differ. A value is
        rounded up with the probability of its fraction.
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
        """Use the next iteration's result: games won minus games lost by `plus`, from -2 to 2."""
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
        """Return c(k), limited by the range."""
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
        """Yield δ and a random number for rounding, from 0 to 1, for each option."""
        for each in self._tuning.parameters:
            words = f"{self._seed} spsa {k} {each.name}"
            drawn = int.from_bytes(hashlib.sha256(words.encode()).digest()[:7], "big")
            yield (1 if drawn & 1 else -1), (drawn >> 3) / 2**53
