"""What costs a bot points: things that are tested on its games, and findings, ranked.

Three kinds of evidence. A *group* of games, such as those from one opening, costs how many more
points the bot would have if it scored there as in its other games, each by what was expected of it.
An *excess* is of what both players may do, such as to miss a win: how much more often the bot does.
A *fact*, such as a game lost on time, needs no test. Costs overlap, and do not add up.

Of all that is tested those findings are believed that the rule of Benjamini and Hochberg takes
(`lath.reports.estimates`). First comes the dearest of each kind, for one weakness shows in several
ways, and what is said twice helps nobody; then the others. Must not know where groups come from.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from lath.reports.estimates import RATE, adjusted, student_tails, wilson
from lath.reports.ratings.numerics import Z95, student

LEAST: Final = 8
"""Games of a group, and of those outside of it, that are compared: fewer could hardly be believed,
whatever came of them."""


LEAST_ERRORS: Final = 1.645
"""Standard errors above 0 that the rest of a group must cost for all of it to be told: 95 %."""


class Place(NamedTuple):
    """A ply of a record of a file."""

    file: str
    number: int
    """The record's in its file, from 1."""
    ply: int
    """From 1; 0 is the start."""


class Cost(NamedTuple):
    """What something costs in points."""

    points: float
    low: float
    """The 95 % interval, of this alone."""
    high: float
    p_value: float | None
    """The chance of as much or more if it cost nothing; None of a fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Where points go."""

    kind: str
    """What it is about, in a word such as `opening`; what follows a point tells it apart."""

    says: str
    """The finding in a few words."""

    because: str
    """The figures behind it, in a sentence without an end."""

    games: int
    """How many it is about."""

    cost: Cost
    game: str = ""
    """The id of the game that it is about; empty: of all."""

    where: str = ""
    """The query that selects its games, for `arena select`; empty where there is none."""

    position: str = ""
    """The text of the position that it is about; empty where it is about none."""

    places: tuple[Place, ...] = ()
    """Where it shows."""

    members: frozenset[int] = frozenset()
    """Numbers of its games; of two findings of a kind with mostly the same games one is told."""

    adjusted: float = 1.0
    """The p-value by Benjamini and Hochberg, who are not asked about facts; of these 0."""

    @property
    def is_believed(self) -> bool:
        """Return whether it is, the false discovery rate being 5 %."""
        return self.adjusted <= RATE

    def to_json(self) -> dict[str, Any]:
        """Return it as docs/explain.md describes it."""
        return {
            "kind": self.kind,
            "game": self.game,
            "says": self.says,
            "because": self.because,
            "games": self.games,
            "points": self.cost.points,
            "low": self.cost.low,
            "high": self.cost.high,
            "p_value": self.cost.p_value,
            "adjusted": self.adjusted,
            "where": self.where,
            "position": self.position,
            "places": [place._asdict() for place in self.places],
        }


def ranked(findings: Iterable[Finding]) -> list[Finding]:
    """Return all that was tested as it ranks: the believed, and those that are not behind them.

    Whatever costs nothing is left out, and of one kind what another one tells already.
    """
    every = list(findings)
    chances = adjusted([each.cost.p_value for each in every if each.cost.p_value is not None])
    left = iter(chances)
    told = [
        replace(each, adjusted=0.0 if each.cost.p_value is None else next(left)) for each in every
    ]
    told = [each for each in told if each.cost.points > 0]
    sure = _unlike([each for each in told if each.is_believed])
    unsure = sorted((each for each in told if not each.is_believed), key=lambda one: one.adjusted)
    return [*_one_a_kind(sure), *unsure]


def _unlike(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings but those of which a surer one of their kind tells already.

    Of one that is part of another the whole stays where the rest of it costs, too, else the part.
    """
    kept: list[Finding] = []
    for each in sorted(findings, key=lambda one: one.cost.p_value or 0.0):
        same = (one for one in kept if _topic(one) == _topic(each) and _overlap(one, each))
        rival = next(same, None)
        if rival is None:
            kept.append(each)
        elif rival.members > each.members or rival.members < each.members:
            part, whole = sorted((rival, each), key=lambda one: len(one.members))
            kept[kept.index(rival)] = whole if _is_everywhere(part, whole) else part
    return sorted(kept, key=lambda one: -one.cost.points)


def _overlap(one: Finding, other: Finding) -> bool:
    """Return whether half of the games of one are those of another."""
    least = min(len(one.members), len(other.members))
    return 2 * len(one.members & other.members) > least


def _is_everywhere(part: Finding, whole: Finding) -> bool:
    """Return whether the games of a whole cost something, too, that are not of a part."""
    wide, narrow = (one.cost.high - one.cost.low for one in (whole, part))
    variance = max(0.0, wide * wide - narrow * narrow) / (2 * Z95) ** 2
    return whole.cost.points - part.cost.points > LEAST_ERRORS * math.sqrt(variance)


def _topic(finding: Finding) -> str:
    return finding.kind.partition(".")[0]


def _one_a_kind(findings: Sequence[Finding]) -> list[Finding]:
    """Return the first of each kind, then the others, both in their order."""
    met: set[str] = set()
    first: list[Finding] = []
    others: list[Finding] = []
    for each in findings:
        (others if _topic(each) in met else first).append(each)
        met.add(_topic(each))
    return [*first, *others]


class Spread:
    """How much the points of a bot's games differ from what was expected of them.

    Of each game `values` has the difference, `clusters` the number of those with which it hangs
    together, such as a pair, and `strata` that of those with which it is compared, such as all with
    one seat.
    """

    def __init__(
        self, values: Sequence[float], clusters: Sequence[int], strata: Sequence[int]
    ) -> None:
        self._values: Final = values
        self._strata: Final = strata
        self._of: Final[defaultdict[int, list[float]]] = defaultdict(list)
        for value, stratum in zip(values, strata, strict=True):
            self._of[stratum].append(value)
        means = {stratum: math.fsum(of) / len(of) for stratum, of in self._of.items()}
        sums: defaultdict[int, float] = defaultdict(float)
        for value, cluster, stratum in zip(values, clusters, strata, strict=True):
            sums[cluster] += value - means[stratum]
        self._degrees: Final = max(1, len(sums) - len(means))
        squares = math.fsum(each * each for each in sums.values())
        self._of_one: Final = squares / len(values) * len(sums) / self._degrees if values else 0.0

    def cost(self, group: Iterable[int], more: float = 0.0) -> Cost | None:
        """Return what a group costs; None where it, or what is outside of it, is too small.

        `more` is the variance of what was expected of the group, in points.
        """
        within: defaultdict[int, list[float]] = defaultdict(list)
        for game in group:
            within[self._strata[game]].append(self._values[game])
        games, outside, points, variance = 0, 0, 0.0, 0.0
        for stratum, of in within.items():
            many, others = len(of), len(self._of[stratum]) - len(of)
            if others < LEAST:  # nothing to compare with
                continue
            total = math.fsum(of)
            points += many * (math.fsum(self._of[stratum]) - total) / others - total
            variance += many * (1 + many / others)
            games, outside = games + many, outside + others
        if min(games, outside) < LEAST or not self._of_one:
            return None
        error = math.sqrt(self._of_one * variance + more)
        half = student(Z95, self._degrees) * error
        least = max(0.0, points - 0.5)  # points come in whole and halves
        chance = student_tails(least / error, self._degrees) / 2 if points > 0 else 1.0
        return Cost(points, points - half, points + half, chance)


def excess(own: int, others: int, worth: float) -> Cost:
    """Return what it costs that something happened to a bot so often, and so often to others.

    Both had as many occasions: were there no difference, half of all would be its own. Each that is
    too many costs `worth` points.

    >>> cost = excess(12, 2, 0.5)
    >>> cost.points, round(cost.p_value, 4)
    (5.0, 0.0065)
    """
    points = worth * (own - others)
    half = Z95 * worth * math.sqrt(own + others)
    return Cost(points, points - half, points + half, _binomial_tail(own, own + others))


def _binomial_tail(least: int, tries: int, chance: float = 0.5) -> float:
    """Return how likely it is that so many of some tries succeed, or more.

    >>> [round(_binomial_tail(*each), 4) for each in ((2, 2), (0, 3), (3, 4, 0.25))]
    [0.25, 1.0, 0.0508]
    """
    ways = math.lgamma(tries + 1)
    logs = (
        ways
        - math.lgamma(of + 1)
        - math.lgamma(tries - of + 1)
        + of * math.log(chance)
        + (tries - of) * math.log1p(-chance)
        for of in range(least, tries + 1)
    )
    return min(1.0, math.fsum(map(math.exp, logs)))


def shares(
    own: int, of_own: int, others: int, of_others: int, *, worth: float, usual: float = 0.0
) -> Cost | None:
    """Return what it costs that more, and a larger part, of a bot's than others' are of some kind.

    None where there are too few of either. A part that is `usual` costs nothing. Of all this what
    costs least counts, and the greatest chance; that of the parts is Fisher's.

    >>> cost = shares(9, 10, 2, 20, worth=0.5)
    >>> cost.points, round(cost.p_value, 4)
    (3.5, 0.0327)
    """
    if min(of_own, of_others) < LEAST:
        return None
    share, other = own / of_own, others / of_others
    low, high = wilson(share, of_own)
    low_2, high_2 = wilson(other, of_others)
    unit, part = worth * of_own, share - other
    below, above = math.hypot(share - low, high_2 - other), math.hypot(high - share, other - low_2)
    chance = _fisher(own, of_own, others, of_others)  # and Newcombe's interval
    costs = [
        Cost(unit * part, unit * (part - below), unit * (part + above), chance),
        excess(own, others, worth),
    ]
    if usual:
        chance = _binomial_tail(own, of_own, usual)
        ends = unit * (low - usual), unit * (high - usual)
        costs.append(Cost(unit * (share - usual), *ends, chance))
    greatest = max(each.p_value or 0.0 for each in costs)
    return min(costs, key=lambda each: each.points)._replace(p_value=greatest)


def _fisher(own: int, of_own: int, others: int, of_others: int) -> float:
    """Return how likely as many or more of both are own, if all are drawn from one urn."""
    both, every = own + others, of_own + of_others
    ways = (
        math.comb(of_own, of) * math.comb(of_others, both - of)
        for of in range(own, min(both, of_own) + 1)
    )
    return min(1.0, float(sum(ways) / math.comb(every, both)))


def fact(worths: Iterable[float]) -> Cost:
    """Return what it costs to lose games that would have been worth so much each.

    The interval is how far chance would have led from what was expected of them.

    >>> cost = fact([0.5] * 4)
    >>> cost.points, round(cost.low, 2), round(cost.high, 2)
    (2.0, 0.04, 3.96)
    """
    each = list(worths)
    points = math.fsum(each)
    half = Z95 * math.sqrt(math.fsum(worth * (1 - worth) for worth in each))
    low, high = max(0.0, points - half), min(float(len(each)), points + half)
    return Cost(points, low, high, None)
