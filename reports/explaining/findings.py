"""What costs a bot points: things that are tested on its games, and findings, ranked.

Three kinds of evidence. A *group* of games, such as those from one opening, costs how many more
points the bot would have if it scored there what its rating by all other games expects. An *excess*
is of what both players may do, such as to miss a win: how much more often the bot does. A *fact*,
such as a game lost on time, needs no test. Costs overlap, and do not add up.

Of all that is tested those findings are believed that `family` takes: where nothing is wrong, there
is one in 5 % of cases. What costs most for sure comes first.
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
"""Games of a group, and of those outside of it, that are compared: fewer could hardly be believed,
whatever came of them."""


LEAST_ERRORS: Final = 1.645
"""Standard errors above 0 that the rest of a group must cost for all of it to be told: 95 %."""


class PlyInFile(NamedTuple):
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

    WRITTEN: ClassVar = (
        *("kind", "side", "game", "says", "because", "games"),
        *("cost.points", "cost.low", "cost.high", "cost.p_value"),
        *("adjusted", "alternative_to", "where", "position", "places"),
    )
    """As docs/how-to/find-where-a-bot-loses.md describes it."""

    kind: str
    """What it is about, in a word such as `opening`; what follows a point tells it apart."""

    says: str
    """The finding in a few words."""

    because: str
    """The figures behind it, in a sentence without an end."""

    games: int
    """How many it is about."""

    cost: Cost
    side: Literal["", "first", "second"] = ""
    """On which side it is so, of findings about one."""

    game: str = ""
    """The id of the game that it is about; empty: of all."""

    where: str = ""
    """The query that selects its games, for `arena select`; empty where there is none."""

    position: str = ""
    """The text of the position that it is about; empty where it is about none."""

    places: tuple[PlyInFile, ...] = ()
    """Where it shows."""

    members: frozenset[int] = frozenset()
    """Numbers of its games; of two findings of a kind with mostly the same games one is told."""

    adjusted: float = 1.0
    """The p-value that counts how many things were tested; of facts 0."""

    alternative_to: str = ""
    """What another finding says that would explain the same points; empty where none would."""

    @property
    def is_believed(self) -> bool:
        """Return whether it is, the error rate of the whole family being 5 %."""
        return self.adjusted <= RATE

    @property
    def topic(self) -> str:
        """Return what its kind is about, such as `opening` of `opening.first`."""
        return topic_of(self.kind)


def topic_of(kind: str) -> str:
    """Return the first part of a finding's kind."""
    return kind.partition(".")[0]


def ranked(findings: Iterable[Finding]) -> list[Finding]:
    """Return all that was tested as it ranks: the believed, and those that are not behind them.

    What costs most for sure comes first, by the lower end of its interval, and of each topic the
    first one before others. The best alternative of each follows it; other alternatives come
    behind. What costs nothing is left out, and of one kind what another one reports.
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
    """Return findings but those of which a surer one of their kind tells already.

    Of one that is part of another the whole stays where the rest of it costs, too, else the part.
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
    """Return whether findings are of a kind, and half of the games of one are those of another."""
    if (one.kind, one.side) != (other.kind, other.side):
        return False
    return 2 * len(one.members & other.members) > min(len(one.members), len(other.members))


def _is_everywhere(part: Finding, whole: Finding) -> bool:
    """Return whether the games of a whole cost something, too, that are not of a part."""
    wide, narrow = (one.cost.high - one.cost.low for one in (whole, part))
    variance = max(0.0, wide * wide - narrow * narrow) / (2 * Z95) ** 2
    return whole.cost.points - part.cost.points > LEAST_ERRORS * math.sqrt(variance)


def _one_a_topic(findings: Sequence[Finding]) -> list[Finding]:
    """Return the first of each topic, then the others, both in their order."""
    met: set[str] = set()
    first: list[Finding] = []
    others: list[Finding] = []
    for each in findings:
        (others if each.topic in met else first).append(each)
        met.add(each.topic)
    return [*first, *others]


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
