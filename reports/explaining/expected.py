"""The expected result of each game, from ratings and other effects fitted to all games.

The scale is that of the ratings: a first player with a lead of x expects logistic(x) points. The
lead is the sum of several effects. They are the strength of each bot, the first-move advantage of
each game type and opening, and a bot's extra strength at a game type. Others are shared by all
players, such as that of a swap. All have normal priors, so that few games do not give extreme
estimates.

A *contrast* is a number for each game, such as 1 if the tested bot plays first from one opening.
Its score test (Rao, 1948) sums the residuals along the contrast, beside all other effects. Only
those effects are fitted to the games under test. Games of a pair are dependent, and so are games
with the same opening and the same players on the same sides.
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
"""The prior standard deviation of strengths, in Elo points."""

ADVANTAGE: Final = 200.0
"""The prior standard deviation of first-move advantages."""

SOME: Final = 100.0
"""The prior standard deviation of effects that all players share."""

BEGIN: Final = 60.0
"""The initial standard deviation of the effects of openings, and of bots at game types."""

LITTLE: Final = 20.0
"""The least standard deviation of these effects."""

ROUNDS: Final = 4
"""The number of rounds that estimate these standard deviations, starting from `BEGIN`."""

COMMON: Final = 16
"""The least number of games of an opening with its own effect."""

OPENINGS: Final = 60
"""The most openings with their own effects."""

TOGETHER: Final = 40
"""The most games of a group that are compared with each other."""

ENOUGH: Final = 100
"""The least number of dependent pairs of games between other bots that determines the
correlation."""

SEVERAL: Final = 4
"""The least number of openings for estimating a correlation within openings."""

SIGNIFICANT: Final = 2.0
"""The least correlation within openings that counts, in standard errors."""

_LEAST: Final = 1e-9
"""The least weight of a game, for nearly certain results."""

_LEAST_VARIANCE: Final = 0.2
"""The least variance of a score, relative to independent games, because the correlation is an
estimate."""

_TOLERANCE: Final = 1e-6
_STEPS: Final = 30
"""The limit of steps in Newton's method; it rarely needs more than five."""

_LONGEST: Final = 2.0
"""The longest step of a coefficient."""

Numbers = Mapping[int, float]
"""A number for some of the games, by index; it is 0 for all others."""


class Effect(NamedTuple):
    """An effect on results besides strengths."""

    of: Numbers
    """Its amount for the first player."""

    deviation: float
    """The prior standard deviation of its coefficient, in Elo points."""


@dataclass(frozen=True, slots=True)
class Leaning:
    """The score test of a contrast."""

    score: float
    """The sum of residuals times the contrast; negative if the tested bot scores too little."""

    information: float
    """The derivative of the expected score by the coefficient, beside all other effects."""

    variance: float
    """The variance of the score."""

    skewness: float
    """The skewness of the score."""

    taken: Vector
    """The common information of each effect and the contrast."""

    by_parts: Vector
    """The coefficients with which the effects replace the contrast."""

    @property
    def z(self) -> float:
        """Return the score in standard errors, corrected for skewness."""
        z = self.score / math.sqrt(self.variance) if self.variance > 0 else 0.0
        return z - self.skewness * (z * z - 1) / 6  # the first term of Cornish and Fisher


class Expectation:
    """All effects, fitted to games."""

    def __init__(
        self,
        results: Sequence[DecidedGame],
        effects: Sequence[Effect] = (),
        *,
        bot: str = "",
        learns: bool = True,
    ) -> None:
        """Fit the effects; the strength of `bot` is the same at every game type.

        With `learns`, the games determine the standard deviations of the effects of openings, and
        of bots at game types.
        """
        self.results: Final = results
        self._columns: Final[list[list[tuple[int, float]]]] = [[] for _ in results]
        self._precisions: Final[Vector] = []
        self._parts: Final[dict[Hashable, int]] = {}
        """The number of the coefficient of each bot, game type, bot at a game type, and opening."""
        self._families: Final[list[list[int]]] = []
        """Groups of coefficients with a common prior."""
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
        """The variance of a result, relative to that of a game without draws."""
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
        """Update the standard deviation of coefficients with a common prior by a step of EM."""
        covariance = inverse_of(self._lower)
        for family in self._families:
            squares = math.fsum(self.values[k] ** 2 + covariance[k][k] for k in family)
            variance = max((LITTLE / ELO) ** 2, squares / len(family))
            for k in family:
                self._precisions[k] = 1 / variance

    def _fitted(
        self, values: Vector | None = None, steps: int = _STEPS
    ) -> tuple[Vector, Vector, Matrix]:
        """Return the likeliest coefficients, the expected scores, and the root of the curvature."""
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
        """Return the gradient and the curvature of the log-posterior."""
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
        """Return the first player's lead in units of the model; unknown bots are average."""
        of_game = self._value((one.first, one.game)) - self._value((one.second, one.game))
        return self._value(one.first) - self._value(one.second) + of_game

    def share(self, one: DecidedGame) -> float:
        """Return the first player's expected score, without shared effects."""
        advantage = self._value((None, one.game)) + self._value((None, one.game, one.opening))
        return logistic(self.ahead(one) + advantage)

    def _correlations(self, bot: str) -> list[tuple[float, list[list[int]]]]:
        """Return groups of dependent games with their correlations: pairs, and equal openings.

        Games between other bots determine the correlation, if there are enough, because a weakness
        of the bot makes its own games similar. The correlation within openings counts only if it is
        significant, because deterministic bots repeat themselves.
        """
        pairs: defaultdict[Hashable, list[int]] = defaultdict(list)
        alike: defaultdict[Hashable, list[int]] = defaultdict(list)
        for at, one in enumerate(self.results):
            if one.pair is not None:
                pairs[one.game, min(one[:2]), max(one[:2]), one.pair].append(at)
            if one.opening is not None:
                alike[one.game, one.first, one.second, one.opening].append(at)
        if len({one.opening for one in self.results}) < SEVERAL:
            alike.clear()  # too few: these are properties of the opponents
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
        """Return the sum of residual products over all pairs of games, and the number of pairs."""
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
        """Return the score test of a contrast, from the first player's view."""
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
        """Return the covariance of the scores of two contrasts, divided by the dispersion."""
        if len(other) < len(one):
            one, other = other, one
        own = math.fsum(
            value * other[at] * self.weights[at] for at, value in one.items() if at in other
        )
        return own - dot(by.taken, by_other.by_parts)


def _along(column: Sequence[tuple[int, float]], values: Vector) -> float:
    """Return the lead that coefficients give in one game."""
    total = 0.0
    for number, by in column:
        total += values[number] * by
    return total


def _products(values: Sequence[float]) -> float:
    """Return the sum of the products of each two values."""
    return (math.fsum(values) ** 2 - math.fsum(each * each for each in values)) / 2
