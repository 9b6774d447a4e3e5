"""What was to be expected of each game: ratings and advantages that all games fit, and their doubt.

The scale is that of the ratings: a first player that is ahead by x expects logistic(x) points. Its
parts are the strength of each bot, the first-move advantage of each game type and opening, what a
bot's strength at one game type has beyond that, and effects that all players share, such as that of
a swap. All have normal priors, so that nothing is divided by what few games tell.

A *contrast* is a number for each game, such as 1 where the bot that is looked at plays first from
one opening. Its score test (Rao, 1948) asks how far the residuals lean its way, after all that the
other parts would take of it: nothing is fitted to the games under test but those parts. Games of a
pair hang together, and so do games that begin alike with the same players on the same sides.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from lath.reports.ratings.elo import ELO, logistic
from lath.reports.ratings.numerics import Matrix, Vector, cholesky, dot, inverse_of, solve, zeros
from lath.reports.ratings.results import DecidedGame

ANY: Final = 400.0
"""Elo points, the standard deviation of strengths before any game."""

ADVANTAGE: Final = 200.0
"""That of first-move advantages."""

SOME: Final = 100.0
"""That of effects that all players share."""

BEGIN: Final = 60.0
"""That of what an opening gives to first, and a game type to a bot, before games tell it."""

LITTLE: Final = 20.0
"""The least that the deviation of openings and of bots at game types is taken to be."""

ROUNDS: Final = 4
"""In which these deviations are learnt from the games, beginning with `BEGIN`."""

COMMON: Final = 16
"""Games that must have an opening for it to have a part of its own."""

OPENINGS: Final = 60
"""Openings that have one, at most."""

TOGETHER: Final = 40
"""Games that begin alike of which each is compared with each; of more, so many."""

ENOUGH: Final = 100
"""Two games of others that hang together, of which so many tell how much."""

SEVERAL: Final = 4
"""Openings that there must be for games that begin alike to be more alike than others."""

SIGNIFICANT: Final = 2.0
"""Standard errors by which games that begin alike must be alike for that to count."""

_LEAST: Final = 1e-9
"""The weight of a game whose result is all but sure."""

_LEAST_VARIANCE: Final = 0.2
"""Of a score, over that of independent games: how alike games are is an estimate."""

_TOLERANCE: Final = 1e-6
_STEPS: Final = 30
"""Of Newton's method, at most; five are many."""

_LONGEST: Final = 2.0
"""The longest step of a coefficient."""

Numbers = Mapping[int, float]
"""A number for each of some games, by their places; of the others it is 0."""


class Effect(NamedTuple):
    """Something besides strengths on which results depend."""

    of: Numbers
    """By how much, for first."""

    deviation: float
    """Of its coefficient before any game, in Elo points."""


@dataclass(frozen=True, slots=True)
class Leaning:
    """How far the residuals of the games lean the way of a contrast."""

    score: float
    """The sum of residuals times the contrast; below 0 where who is looked at scores too little."""

    information: float
    """How fast the score's mean rises with the coefficient, all other parts being unknown."""

    variance: float
    """Of the score."""

    skewness: float
    """Of the score."""

    taken: Vector
    """What the parts have in common with the contrast."""

    by_parts: Vector
    """The coefficients by which the parts take the place of the contrast."""

    @property
    def z(self) -> float:
        """Return the score in standard errors, as far from 0 as if it were not skewed."""
        z = self.score / math.sqrt(self.variance) if self.variance > 0 else 0.0
        return z - self.skewness * (z * z - 1) / 6  # Cornish and Fisher's first term


class Expectation:
    """All parts, fitted to games."""

    def __init__(
        self,
        results: Sequence[DecidedGame],
        effects: Sequence[Effect] = (),
        *,
        bot: str = "",
        learns: bool = True,
    ) -> None:
        """Fit them; the strength of `bot` is the same at every game type.

        With `learns` the games tell how much openings differ, and bots at game types.
        """
        self.results: Final = results
        self._columns: Final[list[list[tuple[int, float]]]] = [[] for _ in results]
        self._precisions: Final[Vector] = []
        self._parts: Final[dict[Hashable, int]] = {}
        """Which coefficient is what: of a bot, a game type, a bot at one, and an opening."""
        self._families: Final[list[list[int]]] = []
        """Coefficients that are alike before any game."""
        self._add_parts(bot)
        for effect in effects:
            self._add(effect.of.items(), effect.deviation)
        self.values: Vector
        self.expected: Vector
        self.values, self.expected, self._lower = self._fitted()
        if learns and self._families:
            for left in range(ROUNDS, 0, -1):
                self._learn_deviations()
                steps = 1 if left > 1 else _STEPS
                self.values, self.expected, self._lower = self._fitted(self.values, steps)
        self.weights: Final = [max(_LEAST, each * (1 - each)) for each in self.expected]
        self.residuals: Final = [
            one.score - each for one, each in zip(results, self.expected, strict=True)
        ]
        squares = math.fsum(each * each for each in self.residuals)
        free = 1 - min(0.5, len(self._precisions) / max(1, len(results)))
        self._dispersion: Final = squares / (math.fsum(self.weights) or 1.0) / free or 1.0
        """The variance of a result over that of one without draws."""
        self._alike: Final = self._correlations(bot)

    def _add(self, column: Iterable[tuple[int, float]], deviation: float) -> int:
        number = len(self._precisions)
        self._precisions.append((ELO / deviation) ** 2)
        for at, value in column:
            self._columns[at].append((number, value))
        return number

    def _add_parts(self, bot: str) -> None:
        parts: defaultdict[Hashable, list[tuple[int, float]]] = defaultdict(list)
        at_games: defaultdict[Hashable, list[tuple[int, float]]] = defaultdict(list)
        openings: defaultdict[Hashable, list[tuple[int, float]]] = defaultdict(list)
        for at, one in enumerate(self.results):
            parts[None, one.game].append((at, 1.0))
            if one.opening is not None:
                openings[None, one.game, one.opening].append((at, 1.0))
            for name, sign in ((one.first, 1.0), (one.second, -1.0)):
                parts[name].append((at, sign))
                if name != bot:
                    at_games[name, one.game].append((at, sign))
        for part, column in parts.items():
            self._parts[part] = self._add(column, ANY if isinstance(part, str) else ADVANTAGE)
        ids = {one.game for one in self.results}
        often = sorted(openings.items(), key=lambda each: -len(each[1]))[:OPENINGS]
        often = [each for each in often if len(each[1]) >= COMMON]
        is_some = len(ids) > 1, bool(often) and len(openings) > len(ids)
        for family, is_one in zip((at_games.items(), often), is_some, strict=True):
            if is_one:
                numbers = {part: self._add(column, BEGIN) for part, column in family}
                self._parts.update(numbers)
                self._families.append([*numbers.values()])

    def _learn_deviations(self) -> None:
        """Take the deviation of coefficients that are alike from what they are: a step of EM."""
        covariance = inverse_of(self._lower)
        for family in self._families:
            squares = math.fsum(self.values[k] ** 2 + covariance[k][k] for k in family)
            variance = max((LITTLE / ELO) ** 2, squares / len(family))
            for k in family:
                self._precisions[k] = 1 / variance

    def _fitted(
        self, values: Vector | None = None, steps: int = _STEPS
    ) -> tuple[Vector, Vector, Matrix]:
        """Return the likeliest coefficients, what they expect, and the root of their curvature."""
        values = values or [0.0] * len(self._precisions)
        expected, lower = list[float](), Matrix()
        for _ in range(steps + 1):
            expected = [logistic(_along(column, values)) for column in self._columns]
            gradient, curved = self._slopes(values, expected)
            lower = cholesky(curved)
            step = solve(lower, gradient)
            longest = max(map(abs, step), default=0.0)
            if longest < _TOLERANCE:
                break
            length = min(1.0, _LONGEST / longest)
            values = [value + length * by for value, by in zip(values, step, strict=True)]
        return values, expected, lower

    def _slopes(self, values: Vector, expected: Vector) -> tuple[Vector, Matrix]:
        """Return how the logarithm of the posterior rises with the coefficients, and bends."""
        pulled = zip(self._precisions, values, strict=True)
        gradient = [-precision * value for precision, value in pulled]
        curved = zeros(len(values))
        for column, one, each in zip(self._columns, self.results, expected, strict=True):
            left, weight = one.score - each, max(_LEAST, each * (1 - each))
            for k, by in column:
                gradient[k] += by * left
                row, heavy = curved[k], by * weight
                for m, other in column:
                    if m <= k:
                        row[m] += heavy * other
        for k, precision in enumerate(self._precisions):
            curved[k][k] += precision
        return gradient, curved

    def _value(self, part: Hashable) -> float:
        number = self._parts.get(part)
        return 0.0 if number is None else self.values[number]

    def ahead(self, one: DecidedGame) -> float:
        """Return by how much first is stronger, in units of the model; unknown bots are average."""
        of_game = self._value((one.first, one.game)) - self._value((one.second, one.game))
        return self._value(one.first) - self._value(one.second) + of_game

    def share(self, one: DecidedGame) -> float:
        """Return what first was to expect of any game, but for effects."""
        advantage = self._value((None, one.game)) + self._value((None, one.game, one.opening))
        return logistic(self.ahead(one) + advantage)

    def _correlations(self, bot: str) -> list[tuple[float, list[list[int]]]]:
        """Return groups of games that are alike, and how much: pairs, and those that begin alike.

        How alike games are is told by those of others, if there are enough: what is wrong with the
        bot makes its own games alike. Those that begin alike count if that is significant: bots
        without chance repeat themselves.
        """
        pairs: defaultdict[Hashable, list[int]] = defaultdict(list)
        alike: defaultdict[Hashable, list[int]] = defaultdict(list)
        for at, one in enumerate(self.results):
            if one.pair is not None:
                pairs[one.game, min(one[:2]), max(one[:2]), one.pair].append(at)
            if one.opening is not None:
                alike[one.game, one.first, one.second, one.opening].append(at)
        if len({one.opening for one in self.results}) < SEVERAL:
            alike.clear()  # that is how some players do against others
        found = []
        for groups, least in ((pairs, -math.inf), (alike, SIGNIFICANT)):
            several = [of for of in groups.values() if len(of) > 1]
            others = [of for of in several if bot not in self.results[of[0]][:2]]
            total, many = self._alikeness(others)
            if many < ENOUGH:
                total, many = self._alikeness(several)
            if many >= COMMON and total / math.sqrt(many) > least:
                found.append((max(-0.9, min(0.9, total / many)), several))
        return found

    def _alikeness(self, groups: Iterable[Sequence[int]]) -> tuple[float, int]:
        """Return the sum of products of the residuals of each two games, and how many."""
        total, many = 0.0, 0
        for of in groups:
            some = [
                self.residuals[at] / math.sqrt(self.weights[at] * self._dispersion)
                for at in of[:TOGETHER]
            ]
            total += _products(some)
            many += len(some) * (len(some) - 1) // 2
        return total, many

    def leaning(self, contrast: Numbers) -> Leaning:
        """Return how far the residuals lean the way of a contrast, for who plays first."""
        taken = [0.0] * len(self._precisions)
        score = own = 0.0
        for at, value in contrast.items():
            heavy = value * self.weights[at]
            score += value * self.residuals[at]
            own += value * heavy
            for k, by in self._columns[at]:
                taken[k] += by * heavy
        by_parts = solve(self._lower, taken)
        information = own - dot(taken, by_parts)
        left = [-_along(column, by_parts) for column in self._columns]
        for at, value in contrast.items():
            left[at] += value
        roots = [each * math.sqrt(weight) for each, weight in zip(left, self.weights, strict=True)]
        variance = information
        for correlation, groups in self._alike:
            shared = math.fsum(_products([roots[at] for at in of]) for of in groups)
            variance += 2 * correlation * shared
        variance = self._dispersion * max(_LEAST_VARIANCE * information, variance)
        cubes = self._dispersion**2 * math.fsum(
            each**3 * weight * (1 - 2 * share)
            for each, weight, share in zip(left, self.weights, self.expected, strict=True)
        )
        skewness = cubes / variance**1.5 if variance > 0 else 0.0
        return Leaning(score, information, variance, skewness, taken, by_parts)

    def together(self, one: Numbers, other: Numbers, by: Leaning, by_other: Leaning) -> float:
        """Return the covariance of the scores of two contrasts over the dispersion."""
        if len(other) < len(one):
            one, other = other, one
        own = math.fsum(
            value * other[at] * self.weights[at] for at, value in one.items() if at in other
        )
        return own - dot(by.taken, by_other.by_parts)


def _along(column: Sequence[tuple[int, float]], values: Vector) -> float:
    """Return what coefficients come to in one game."""
    total = 0.0
    for number, by in column:
        total += values[number] * by
    return total


def _products(values: Sequence[float]) -> float:
    """Return the sum of the products of each two."""
    return (math.fsum(values) ** 2 - math.fsum(each * each for each in values)) / 2
