"""Bots that won all their games, or lost them all: what such a bot is at least, or at most.

How strong a bot is that never lost, nobody can say. What it is at least follows from how likely it
is to win all those games (Clopper and Pearson, 1934), and from the opponents' own errors. Must not
know how either scale is fitted.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Final, Literal

from lath.reports.ratings.numerics import Z95, cdf
from lath.reports.ratings.results import Counts, Elo, Rating, score_of
from lath.reports.ratings.skill import MU, NOISE


@dataclass(slots=True)
class OneSided:
    """The games of a bot that all ended alike."""

    scores: set[float] = field(default_factory=set)
    met: list[tuple[int, float]] = field(default_factory=list)
    """The places of opponents, and how many different games there were."""
    in_seat: list[float] = field(default_factory=lambda: [0.0, 0.0])
    """How many of them as first and as second."""

    @property
    def side(self) -> int:
        """Return 1 where it won them all, -1 where it lost them."""
        return 1 if 1.0 in self.scores else -1

    @property
    def has_both_seats(self) -> bool:
        """Return whether no seat alone may explain it."""
        return min(self.in_seat) >= _LEAST_IN_SEAT * sum(self.in_seat)


_LEAST_IN_SEAT: Final = 0.25
"""The part of its games that a bot must have in each seat: else the seat may have won them."""


def one_sided(counts: Counts, group: Sequence[str]) -> dict[int, OneSided]:
    """Return by their places those of a group who won all, or lost all; equal games count once."""
    places = {name: place for place, name in enumerate(group)}
    played: defaultdict[int, OneSided] = defaultdict(OneSided)
    for seats, tally in counts.tallies.items():
        if seats.first not in places:
            continue
        both = places[seats.first], places[seats.second]
        games = counts.weight(seats) * tally.games
        for seat, (wins, losses) in enumerate(
            ((tally.wins, tally.losses), (tally.losses, tally.wins))
        ):
            one = played[both[seat]]
            one.scores.add(wins / tally.games if wins + losses == tally.games else 0.5)
            one.met.append((both[1 - seat], games))
            one.in_seat[seat] += games
    return {place: one for place, one in played.items() if one.scores in ({0.0}, {1.0})}


def with_end(one: OneSided, place: int, strengths: Sequence[Elo], held: Mapping[int, float]) -> Elo:
    """Return the Elo of such a bot with the end of its interval that is known."""
    estimate, side = strengths[place], one.side
    least = side * estimate.value - Z95 * estimate.error
    if one.has_both_seats:
        values = [side * other.value for other in strengths]
        errors = [Z95 * other.error for other in strengths]
        least = _at_least(one, place, values, errors, (score_of, _UNLIKELY), is_held=bool(held))
    unknown: Literal["above", "below"] = "above" if side > 0 else "below"
    return replace(estimate, unknown=unknown, end=side * least)


def with_sides(one: OneSided, place: int, skills: Sequence[Rating]) -> Rating:
    """Return the rating of such a bot, of which one side is known better than the other."""
    rating, side = skills[place], one.side
    if not one.has_both_seats:
        return rating
    values = [side * (other.mu - MU) for other in skills]
    errors = [3 * other.sigma for other in skills]
    least = _at_least(one, place, values, errors, (_win, _VERY_UNLIKELY), is_held=False)
    known = min(rating.sigma, max(0.0, values[place] - least) / 3)
    if side > 0:
        return replace(rating, sigma=known, above=rating.sigma)
    return replace(rating, above=known)


def _win(ahead: float) -> float:
    """Return how likely a bot wins that is so many points of TrueSkill ahead."""
    return cdf(ahead / NOISE)


_UNLIKELY: Final = 0.025
"""Of a result at the end of an interval of 95 %."""

_VERY_UNLIKELY: Final = cdf(-3.0)
"""Of one at mu - 3 sigma."""


def _at_least(
    one: OneSided,
    place: int,
    values: Sequence[float],
    errors: Sequence[float],
    seen: tuple[Callable[[float], float], float],
    *,
    is_held: bool,
) -> float:
    """Return the least value of a bot at which it may have won all, by the chances of a lead.

    It is around the mean of all, unless the scale `is_held` by anchors. `seen` is how likely a lead
    wins, and how unlikely that it won all may be; `errors` are those at the same odds. Those of
    opponents count as far as it is against them that the bot could not be weaker.
    """
    chance, unlikely = seen
    size = len(values)
    others = -values[place] / (size - 1)
    if is_held:
        others = fmean(value for at, value in enumerate(values) if at != place)
    leads = [(values[other] - others, games) for other, games in one.met]

    def likely(value: float) -> list[float]:
        return [games * math.log(max(chance(value - lead), _NEVER)) for lead, games in leads]

    low, high = -_FARTHEST, _FARTHEST
    for _ in range(60):
        middle = (low + high) / 2
        if math.fsum(likely(middle)) < math.log(unlikely):
            low = middle
        else:
            high = middle
    least = others + high if is_held else high * (size - 1) / size
    weights = [weaker - at for weaker, at in zip(likely(high - 1), likely(high), strict=True)]
    total = math.fsum(weights)
    if size > 2 and total:
        error = math.fsum(
            weight * errors[other] for weight, (other, _) in zip(weights, one.met, strict=True)
        )
        further = max(0.0, values[place] - least)
        least -= math.hypot(further, error / total) - further
    return least


_FARTHEST: Final = 5000.0
"""Nobody can tell strengths from there on, on either scale."""

_NEVER: Final = 1e-300
