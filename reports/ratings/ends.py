"""What the games of a bot alone say: how weak it may be at most, and how strong.

Before any game a field may be wide, and the bot that won all its games is then as strong as that
allows; nobody can say how strong it is. What it is *at least* follows from how likely it is to win
all those games (Clopper and Pearson, 1934), or to score so many points (the score test), and from
the opponents' own errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Final, Literal, NamedTuple

from lath.reports.ratings.counts import ResultCounts
from lath.reports.ratings.numerics import Z95, cdf
from lath.reports.ratings.results import Elo, Rating, score_of
from lath.reports.ratings.skill import MU, NOISE


class Met(NamedTuple):
    """What came of the games of a bot against another, both seats together."""

    place: int
    """Of the other."""

    games: float
    """That are different."""

    points: float
    """Of the bot, of them."""


@dataclass(slots=True)
class Own:
    """The games of a bot."""

    met: list[Met] = field(default_factory=list)
    in_seat: list[float] = field(default_factory=lambda: [0.0, 0.0])
    """How many of them as first and as second."""

    @property
    def side(self) -> int:
        """Return 1 where it won all, -1 where it lost all, else 0."""
        if all(each.points == each.games for each in self.met):
            return 1
        return 0 if any(each.points for each in self.met) else -1

    @property
    def has_both_sides(self) -> bool:
        """Return whether no seat alone may explain the results."""
        return min(self.in_seat) >= _LEAST_IN_SEAT * sum(self.in_seat)

    def of(self, side: int) -> list[Met]:
        """Return the games, of -1 as if won and lost were exchanged."""
        return (
            self.met
            if side > 0
            else [each._replace(points=each.games - each.points) for each in self.met]
        )


_LEAST_IN_SEAT: Final = 0.25
"""The part of its games that a bot must have in each seat: else the seat may have won them."""


def own_games(counts: ResultCounts, group: Sequence[str]) -> list[Own]:
    """Return the games of each bot of a group."""
    places = {name: place for place, name in enumerate(group)}
    found = [Own() for _ in group]
    for seats, tally in counts.weighed().items():
        if seats.first in places:
            first, second = places[seats.first], places[seats.second]
            points = tally.wins + tally.draws / 2
            found[first].met.append(Met(second, tally.games, points))
            found[second].met.append(Met(first, tally.games, tally.games - points))
            found[first].in_seat[0] += tally.games
            found[second].in_seat[1] += tally.games
    return found


def with_ends(own: Sequence[Own], strengths: Sequence[Elo], held: Mapping[int, float]) -> list[Elo]:
    """Return strengths; those of who won all, or lost all, have one end that is known.

    Anchors, which are `held`, are as strong as they are.
    """
    found = list(strengths)
    for place, (one, estimate) in enumerate(zip(own, strengths, strict=True)):
        if not (side := one.side) or place in held:
            continue
        least = side * estimate.value - Z95 * estimate.error
        if one.has_both_sides:
            values = [side * other.value for other in strengths]
            errors = [Z95 * other.error for other in strengths]
            field_ = _Field(place, one.of(side), values, errors, is_held=bool(held))
            least = field_.least(score_of, _won_all)
        unknown: Literal["above", "below"] = "above" if side > 0 else "below"
        found[place] = replace(estimate, unknown=unknown, end=side * least)
    return found


def with_sides(
    own: Sequence[Own], skills: Sequence[Rating], floors: Sequence[float]
) -> list[Rating]:
    """Return ratings of which one side may be known better than the other.

    Who nearly always wins is far away from all others, as far as the field may be wide; but not
    weaker than its results allow. So the weakest come first, whose own bounds the next ones need.
    `floors` are the least sigmas: what is unsure however wide the field is.
    """
    sigmas = {side: [skill.sigma for skill in skills] for side in (1, -1)}
    for side, errors in sigmas.items():
        values = [side * (skill.mu - MU) for skill in skills]
        for place in sorted(range(len(skills)), key=values.__getitem__):
            is_open = floors[place] < _CLEARLY * skills[place].sigma
            if is_open and own[place].has_both_sides:
                three = [3 * error for error in errors]
                field_ = _Field(place, own[place].of(side), values, three, is_held=False)
                known = (values[place] - field_.least(_win, _scored)) / 3
                errors[place] = min(errors[place], max(floors[place], known))
    found = []
    for skill, below, above in zip(skills, sigmas[1], sigmas[-1], strict=True):
        if min(below, above) < _CLEARLY * skill.sigma:
            found.append(replace(skill, sigma=below, above=above))
        else:
            found.append(skill)
    return found


_CLEARLY: Final = 0.97
"""A side that is hardly known better than the other is not told apart."""


def _win(ahead: float) -> float:
    """Return how likely a bot wins that is so many points of TrueSkill ahead."""
    return cdf(ahead / NOISE)


class _Fits(NamedTuple):
    """How well results fit some chances of winning."""

    by: float
    """0 where they are just as unlikely as may be, above where they are likelier."""

    slopes: list[float]
    """By each chance."""


def _won_all(met: Sequence[Met], chances: Sequence[float]) -> _Fits:
    """Return how far above 2.5% it is that a bot wins all games."""
    both = [(each.games, max(p, _NEVER)) for each, p in zip(met, chances, strict=True)]
    logs = math.fsum(games * math.log(p) for games, p in both)
    return _Fits(logs - math.log(0.025), [games / p for games, p in both])


def _scored(met: Sequence[Met], chances: Sequence[float]) -> _Fits:
    """Return by how much less than three deviations the points are above what is expected."""
    both = [(each.games, p) for each, p in zip(met, chances, strict=True)]
    off = math.fsum(each.points for each in met) - math.fsum(games * p for games, p in both)
    error = math.sqrt(math.fsum(games * p * (1 - p) for games, p in both))
    slopes = [games * (1 + (1.5 * (1 - 2 * p) / error if error else 0.0)) for games, p in both]
    return _Fits(3 * error - off, slopes)


_NEVER: Final = 1e-300


@dataclass(frozen=True, slots=True)
class _Field:
    """A bot and those that it met."""

    place: int
    met: Sequence[Met]
    values: Sequence[float]
    errors: Sequence[float]
    """Of all, at the odds that are asked for."""

    is_held: bool
    """Whether anchors hold the scale; else it is around the mean of all."""

    def least(
        self,
        chance: Callable[[float], float],
        fits: Callable[[Sequence[Met], Sequence[float]], _Fits],
    ) -> float:
        """Return the least value at which the results still fit, by the chances of a lead.

        The errors of opponents count as far as it is against them that the bot cannot be weaker.
        """
        size = len(self.values)
        others = -self.values[self.place] / (size - 1)
        if self.is_held:
            others = fmean(value for at, value in enumerate(self.values) if at != self.place)
        leads = [self.values[each.place] - others for each in self.met]
        low, high = -_FARTHEST, _FARTHEST
        for _ in range(60):
            middle = (low + high) / 2
            if fits(self.met, [chance(middle - lead) for lead in leads]).by >= 0:
                high = middle
            else:
                low = middle
        least = others + high if self.is_held else high * (size - 1) / size
        slopes = fits(self.met, [chance(high - lead) for lead in leads]).slopes
        steep = [
            max(0.0, slope * (chance(high - lead + 1) - chance(high - lead)))
            for slope, lead in zip(slopes, leads, strict=True)
        ]
        if size > 2 and (total := math.fsum(steep)):
            error = math.fsum(
                by * self.errors[each.place] for by, each in zip(steep, self.met, strict=True)
            )
            further = max(0.0, self.values[self.place] - least)
            least -= math.hypot(further, error / total) - further
        return least


_FARTHEST: Final = 5000.0
"""Nobody can tell strengths from there on, on either scale."""
