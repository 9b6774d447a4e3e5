"""The bound on a bot's strength from its own games: at least this strong, or at most.

If a bot won all its games, its strength has no upper bound but the prior. Its lower bound follows
from the probability of winning all these games (Clopper and Pearson, 1934) or of scoring so many
points (the score test). The errors of the opponents are taken into account.
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
    """A bot's results against one opponent, with both sides taken together."""

    place: int
    """The index of the opponent."""

    games: float
    """The number of unique games."""

    points: float
    """The bot's points in these games."""


@dataclass(slots=True)
class Own:
    """The games of a bot."""

    met: list[Met] = field(default_factory=list)
    in_seat: list[float] = field(default_factory=lambda: [0.0, 0.0])
    """The number of games as first and as second player."""

    @property
    def side(self) -> int:
        """Return 1 if the bot won all games, -1 if it lost all, 0 if neither."""
        if all(each.points == each.games for each in self.met):
            return 1
        return 0 if any(each.points for each in self.met) else -1

    @property
    def has_both_sides(self) -> bool:
        """Return whether the bot played each side often enough for a bound."""
        return min(self.in_seat) >= _LEAST_IN_SEAT * sum(self.in_seat)

    def of(self, side: int) -> list[Met]:
        """Return the games; for side -1 with wins and losses exchanged."""
        return (
            self.met
            if side > 0
            else [each._replace(points=each.games - each.points) for each in self.met]
        )


_LEAST_IN_SEAT: Final = 0.25
"""The least share of games that a bot must play on each side. With less, the side alone could
explain its results."""


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
    """Return strengths, with a one-sided bound for each bot that won all or lost all its games.

    Anchors, listed in `held`, keep their ratings.
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
    """Return ratings, with separate sigmas below and above the mean if these differ clearly.

    The rating of a bot that nearly always wins depends on the prior width of the field, but its
    results bound the rating on one side. Weak bots come first, because the bounds of the next bots
    use theirs. `floors` are the least sigmas, which do not depend on the prior width.
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
"""Two sides with a larger ratio of sigmas share one sigma."""


def _win(ahead: float) -> float:
    """Return the probability that a bot with this lead in TrueSkill points wins."""
    return cdf(ahead / NOISE)


class _Fits(NamedTuple):
    """How well results fit given chances of winning."""

    by: float
    """0 at the limit of plausible results, positive if they are more likely."""

    slopes: list[float]
    """The derivatives by each chance."""


def _won_all(met: Sequence[Met], chances: Sequence[float]) -> _Fits:
    """Return the logarithm of the probability of winning all games, relative to 2.5%."""
    both = [(each.games, max(p, _NEVER)) for each, p in zip(met, chances, strict=True)]
    logs = math.fsum(games * math.log(p) for games, p in both)
    return _Fits(logs - math.log(0.025), [games / p for games, p in both])


def _scored(met: Sequence[Met], chances: Sequence[float]) -> _Fits:
    """Return three standard deviations minus the points above expectation."""
    both = [(each.games, p) for each, p in zip(met, chances, strict=True)]
    off = math.fsum(each.points for each in met) - math.fsum(games * p for games, p in both)
    error = math.sqrt(math.fsum(games * p * (1 - p) for games, p in both))
    slopes = [games * (1 + (1.5 * (1 - 2 * p) / error if error else 0.0)) for games, p in both]
    return _Fits(3 * error - off, slopes)


_NEVER: Final = 1e-300


@dataclass(frozen=True, slots=True)
class _Field:
    """A bot, its opponents and the ratings of its group."""

    place: int
    met: Sequence[Met]
    values: Sequence[float]
    errors: Sequence[float]
    """The errors of all bots, at the chosen confidence."""

    is_held: bool
    """True if anchors fix the scale; without anchors, it is centred on the mean of all bots."""

    def least(
        self,
        chance: Callable[[float], float],
        fits: Callable[[Sequence[Met], Sequence[float]], _Fits],
    ) -> float:
        """Return the least value of the bot at which its results still fit.

        `chance` gives the probability of a win from a lead. The errors of opponents lower the
        bound.
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
"""The limit of the search on both scales."""
