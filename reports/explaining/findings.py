"""Findings about where a bot loses points, with their costs and ranks.

There are three kinds of evidence. A *group* of games, such as those from one opening, costs the
points that are missing from the score that its other games predict. An *excess* is about events
that happen to both players, such as missing a win: it counts how much more often they happen to the
bot. A *fact*, such as a game lost on time, needs no test. Costs overlap and do not add up.

`family` decides which findings are significant: a bot without weaknesses has a finding in 5% of
cases. The finding with the highest certain cost comes first.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, NamedTuple

from lath.reports.counting.estimates import RATE, wilson
from lath.reports.ratings.numerics import Z95

LEAST: Final = 8
"""The least number of games in a group and outside it: with fewer, a test could hardly be
significant."""


LEAST_ERRORS: Final = 1.645
"""The rest of a group must cost more than this many standard errors, or only a part is reported:
95%."""


class PlyInFile(NamedTuple):
    """A ply of a record in a file."""

    file: str
    number: int
    """The record's number in its file, from 1."""
    ply: int
    """From 1; 0 is the start."""


class Cost(NamedTuple):
    """The cost of a weakness in points."""

    points: float
    low: float
    """The 95% interval of this cost alone."""
    high: float
    p_value: float | None
    """The chance of a cost at least as high if the true cost were 0; None for a fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A weakness that costs points."""

    WRITTEN: ClassVar = (
        *("kind", "side", "game", "says", "because", "games"),
        *("cost.points", "cost.low", "cost.high", "cost.p_value"),
        *("adjusted", "alternative_to", "where", "position", "places"),
    )
    """The fields in JSON, as docs/reference/json-output.md describes them."""

    kind: str
    """The topic, such as `opening`, and after a full stop the variant."""

    says: str
    """The finding in a few words."""

    because: str
    """The figures behind it, in a sentence without a full stop."""

    games: int
    """The number of games behind it."""

    cost: Cost
    side: Literal["", "first", "second"] = ""
    """The side that the finding is about; empty for both."""

    game: str = ""
    """The id of the game type that it is about; empty for all."""

    where: str = ""
    """The query that selects its games, for `arena select`; empty without a query."""

    position: str = ""
    """The text of the position that it is about; empty without a position."""

    places: tuple[PlyInFile, ...] = ()
    """The plies that show it."""

    members: frozenset[int] = frozenset()
    """The indices of its games. If two findings of a kind have mostly the same games, only one is
    reported."""

    adjusted: float = 1.0
    """The p-value adjusted for the number of tests; 0 for facts."""

    alternative_to: str = ""
    """The words of another finding that would explain the same points; empty if no other does."""

    @property
    def is_believed(self) -> bool:
        """Return whether the finding is significant, with a family error rate of 5%."""
        return self.adjusted <= RATE

    @property
    def topic(self) -> str:
        """Return the topic of its kind, such as `opening` for `opening.first`."""
        return topic_of(self.kind)


def topic_of(kind: str) -> str:
    """Return the first part of a finding's kind."""
    return kind.partition(".")[0]


def ranked(findings: Iterable[Finding]) -> list[Finding]:
    """Return all tested findings by rank: the significant ones, then the others.

    The highest certain cost comes first, by the lower end of the interval, and the first finding of
    each topic precedes all others. The best alternative of a finding follows it; further
    alternatives come later. Findings without a cost are left out, and near-duplicates of a kind
    too.
    """
    told = [each for each in findings if each.cost.points > 0]
    sure = _one_a_topic(
        _unlike([each for each in told if each.is_believed and not each.alternative_to])
    )
    alternatives: defaultdict[str, list[Finding]] = defaultdict(list)
    kept = [*sure]
    for each in sorted(told, key=lambda one: one.cost.p_value or 0.0):
        is_one = each.is_believed and each.alternative_to
        if is_one and not any(_is_same(one, each) for one in kept):
            kept.append(each)
            alternatives[each.alternative_to].append(each)
    best = [each for one in sure for each in (one, *alternatives[one.says][:1])]
    rest = [each for one in sure for each in alternatives[one.says][1:]]
    unsure = sorted((each for each in told if not each.is_believed), key=lambda one: one.adjusted)
    return [*best, *rest, *unsure]


def _unlike(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings without those that a surer one of the same kind includes.

    If one group contains the other, the whole stays if its rest costs points too, and the part
    stays if not.
    """
    kept: list[Finding] = []
    for each in sorted(findings, key=lambda one: one.cost.p_value or 0.0):
        rival = next((one for one in kept if _is_same(one, each)), None)
        if rival is None:
            kept.append(each)
        elif rival.members > each.members or rival.members < each.members:
            part, whole = sorted((rival, each), key=lambda one: len(one.members))
            kept[kept.index(rival)] = whole if _is_everywhere(part, whole) else part
    return sorted(kept, key=lambda one: -one.cost.low)


def _is_same(one: Finding, other: Finding) -> bool:
    """Return whether two findings are of a kind and share half of the games of one."""
    if (one.kind, one.side) != (other.kind, other.side):
        return False
    return 2 * len(one.members & other.members) > min(len(one.members), len(other.members))


def _is_everywhere(part: Finding, whole: Finding) -> bool:
    """Return whether the games of the whole cost points outside the part too."""
    wide, narrow = (one.cost.high - one.cost.low for one in (whole, part))
    variance = max(0.0, wide * wide - narrow * narrow) / (2 * Z95) ** 2
    return whole.cost.points - part.cost.points > LEAST_ERRORS * math.sqrt(variance)


def _one_a_topic(findings: Sequence[Finding]) -> list[Finding]:
    """Return the first finding of each topic, then the others, both in their order."""
    met: set[str] = set()
    first: list[Finding] = []
    others: list[Finding] = []
    for each in findings:
        (others if each.topic in met else first).append(each)
        met.add(each.topic)
    return [*first, *others]


def excess(own: int, others: int, worth: float) -> Cost:
    """Return the cost of an event that happened `own` times to a bot, `others` to opponents.

    Both had the same number of occasions, so without a difference the bot would have half of the
    events. Each surplus event costs `worth` points.

    >>> cost = excess(12, 2, 0.5)
    >>> cost.points, round(cost.p_value, 4)
    (5.0, 0.0065)
    """
    points = worth * (own - others)
    half = Z95 * worth * math.sqrt(own + others)
    return Cost(points, points - half, points + half, _binomial_tail(own, own + others))


def _binomial_tail(least: int, tries: int, chance: float = 0.5) -> float:
    """Return the probability of at least `least` successes in `tries` trials.

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
    """Return the cost of events that are more, and a larger share, for a bot than for opponents.

    It is None if either has too few events. A share of `usual` costs nothing. The lowest of these
    costs counts, with the highest p-value; the p-value of the shares is Fisher's.

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
    chance = _fisher(own, of_own, others, of_others)  # with Newcombe's interval below
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
    """Return the probability of at least `own` such events, if both draw from one urn."""
    both, every = own + others, of_own + of_others
    ways = (
        math.comb(of_own, of) * math.comb(of_others, both - of)
        for of in range(own, min(both, of_own) + 1)
    )
    return min(1.0, float(sum(ways) / math.comb(every, both)))


def fact(worths: Iterable[float]) -> Cost:
    """Return the cost of lost games, given the expected points of each.

    The interval covers the random variation of the expected points.

    >>> cost = fact([0.5] * 4)
    >>> cost.points, round(cost.low, 2), round(cost.high, 2)
    (2.0, 0.04, 3.96)
    """
    each = list(worths)
    points = math.fsum(each)
    half = Z95 * math.sqrt(math.fsum(worth * (1 - worth) for worth in each))
    low, high = max(0.0, points - half), min(float(len(each)), points + half)
    return Cost(points, low, high, None)
