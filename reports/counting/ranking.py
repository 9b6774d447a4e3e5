"""The order of bots and its rule, shared by every table, podium and page.

The rule follows from the games or from the tournament's format. Points decide if all bots have met
equally often. The format's own result decides in a Swiss tournament, a knockout and a gauntlet. If
bots met different opponents, the conservative rating decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from lath.reports.ratings.numerics import by_key, shared_ranks
from lath.reports.ratings.results import connected

if TYPE_CHECKING:
    from lath.reports.notes.notes import Version
    from lath.reports.notes.outcome import EventOutcome

Rule = Literal["points", "season", "score", "swiss", "knockout", "gauntlet", "rating", "method"]
"""The rule that decides ranks."""

Role = Literal["", "challenger", "opponent"]
"""The role of a bot in a gauntlet; empty elsewhere."""

SAYS: Final[Mapping[Rule, str]] = {
    "points": "Ranked by points, because all bots have met equally often. "
    "Bots with equal points share a rank.",
    "season": "Ranked by points, as in every season of a league. "
    "Bots with equal points share a rank.",
    "score": "Ranked by points per game, because some bots have met more often than others.",
    "swiss": "Ranked by Swiss points, then by tie-breaks.",
    "knockout": "Ranked by the last round that each bot reached.",
    "gauntlet": "Challengers are ranked by points per game, and opponents by points per game "
    "against the challengers.",
    "rating": "Ranked by conservative rating (mu - 3 sigma), because the bots have not all met "
    "equally often.",
    "method": "Ranked by conservative rating (mu - 3 sigma), as requested.",
}
"""Each rule in a sentence, for pages and terminals."""

SO_FAR: Final = "Ranked by points per game for now, and by conservative rating after the last game."
"""The sentence for tables whose ranks ratings will decide."""

COLUMNS: Final[Mapping[Rule, str]] = {
    "points": "points",
    "season": "points",
    "score": "score",
    "swiss": "swiss-points",
    "knockout": "rounds",
    "gauntlet": "score",
    "rating": "rating",
    "method": "rating",
}
"""The column of a table that shows the number which decides."""

BY_GAMES: Final = frozenset({"points", "score", "rating", "method"})
"""The rules under which bots are comparable only if games connect them. Other rules are those of a
format, which ranks all its bots together."""

EVEN: Final = frozenset({"round-robin", "match"})
"""Formats in which all bots meet equally often by the end."""

LACKING: Final = 0.1
"""Points per game still decide if at most this share of the games between two bots is missing, for
example void ones; one missing game is always allowed."""


class RankedScore(NamedTuple):
    """The score of a bot, or of all versions of a member together."""

    points: float
    games: int

    @property
    def rate(self) -> float:
        """Return points per game; 0 before any game."""
        return self.points / self.games if self.games else 0.0


class RankedRating(NamedTuple):
    """The conservative rating of a bot, and its group."""

    group: int
    """The number of its group; no games connect two groups."""

    value: float
    """The conservative rating."""


class RankingPlace(NamedTuple):
    """The rank of a bot."""

    name: str
    rank: int
    """From 1 in its section; bots that are equal share a rank."""

    number: float
    """The number that decides the rank."""

    role: Role = ""
    section: int = 0
    """Bots of different sections are not ranked against each other: unconnected groups, and the two
    roles of a gauntlet."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ranks of all bots and their rule."""

    rule: Rule
    places: tuple[RankingPlace, ...]
    """Section by section, by rank, then by name."""

    without_ratings: bool = False
    """True if points per game replace ratings, which exist only after the last game."""

    @property
    def says(self) -> str:
        """Return the rule in a sentence."""
        return SO_FAR if self.without_ratings else SAYS[self.rule]


Met = Mapping[tuple[str, str], int]
"""The number of games of two bots, with their names in either order."""


def rule_of(names: Iterable[str], met: Met, outcome: EventOutcome | None = None) -> Rule:
    """Return the rule that ranks bots after these games, given the tournament's `outcome`.

    >>> rule_of("abc", {("a", "b"): 2, ("b", "c"): 2, ("c", "a"): 2})
    'points'
    >>> rule_of("abc", {("a", "b"): 2, ("b", "c"): 2, ("c", "a"): 1})
    'score'
    >>> rule_of("abc", {("a", "b"): 2, ("b", "c"): 2})
    'rating'
    """
    data = outcome.data if outcome else {}
    if data.get("swiss"):
        return "swiss"
    if data.get("bracket"):
        return "knockout"
    if data.get("gauntlet"):
        return "gauntlet"
    games = [
        met.get((one, other), 0) + met.get((other, one), 0)
        for one, other in combinations(sorted(names), 2)
    ]
    least, most = min(games, default=1), max(games, default=1)
    if least == most and most:
        return "points"
    is_nearly_even = least > 0 and most - least <= max(1, LACKING * most)
    return "score" if is_nearly_even or (outcome and outcome.format in EVEN) else "rating"


def ranking(
    scores: Mapping[str, RankedScore],
    met: Met,
    outcome: EventOutcome | None = None,
    ratings: Mapping[str, RankedRating] | None = None,
    rule: Rule | None = None,
) -> Ranking:
    """Return the ranking; `rule` defaults to that of `rule_of`.

    Without `ratings`, as during a tournament, points per game replace them.

    >>> both = {("ann", "bob"): 8}
    >>> scores = {"ann": RankedScore(1, 8), "bob": RankedScore(7, 8)}
    >>> [place[:3] for place in ranking(scores, both).places]
    [('bob', 1, 7), ('ann', 2, 1)]
    """
    rule = rule or rule_of(scores, met, outcome)
    if without_ratings := ratings is None and rule in ("rating", "method"):
        rule = "score"
    data: Mapping[str, Any] = outcome.data if outcome else {}
    sections = dict.fromkeys(scores, 0)
    if rule in BY_GAMES:
        sections = groups_of(scores, met, ratings)
    roles = dict[str, Role]()
    order: dict[str, tuple[float, ...]]
    numbers = {name: score.rate for name, score in scores.items()}
    if rule == "swiss":
        table = {row["name"]: row for row in data["swiss"]}
        last = 1 + len(table)
        numbers = {name: table[name]["points"] if name in table else 0.0 for name in scores}
        order = {name: (table[name]["rank"] if name in table else last,) for name in scores}
    elif rule == "knockout":
        went, out = _rounds(data["bracket"])
        numbers = {name: went.get(name, 0) for name in scores}
        order = {name: (-numbers[name], name in out or name not in went) for name in scores}
    elif rule == "gauntlet":
        challengers = {*data["gauntlet"]["challengers"]}
        roles = {name: "challenger" if name in challengers else "opponent" for name in scores}
        sections = {name: int(name not in challengers) for name in scores}
        order = {name: (-round(score.rate, 9),) for name, score in scores.items()}
    elif ratings is not None and rule in ("rating", "method"):
        numbers = {name: ratings[name].value for name in scores}
        # Rounded, because the last bits of a rating depend on the order of the records.
        order = {name: (-round(ratings[name].value, 6),) for name in scores}
    else:
        if rule in ("points", "season"):
            numbers = {name: score.points for name, score in scores.items()}
        order = {name: (-round(number, 9),) for name, number in numbers.items()}
    places = []
    names = sorted(scores, key=lambda name: (sections[name], order[name], name))
    for section, alike in groupby(names, key=sections.__getitem__):
        members = [*alike]
        ranks = shared_ranks(order[name] for name in members)
        if rule == "swiss":  # a bot that had only byes has a rank, but no row
            ranks = [round(order[name][0]) for name in members]
        places += [
            RankingPlace(name, rank, numbers[name], roles.get(name, ""), section)
            for name, rank in zip(members, ranks, strict=True)
        ]
    return Ranking(rule, tuple(places), without_ratings)


def groups_of(
    names: Iterable[str], met: Met, ratings: Mapping[str, RankedRating] | None = None
) -> dict[str, int]:
    """Return the number of each bot's group, from 0; no games connect two groups.

    The groups are those of `ratings`, if there are any.

    >>> groups_of("abcd", {("a", "c"): 2, ("c", "d"): 0})
    {'a': 0, 'c': 0, 'b': 1, 'd': 2}
    """
    if ratings is not None:
        return {name: ratings[name].group for name in names}
    known = {*names}
    pairs = (pair for pair, games in met.items() if games and known.issuperset(pair))
    return {name: at for at, group in enumerate(connected(known, pairs)) for name in group}


def _rounds(bracket: Sequence[Mapping[str, Any]]) -> tuple[dict[str, int], set[str]]:
    """Return the number of knockout rounds in which each bot advanced, and the eliminated bots."""
    went, out = dict[str, int](), set[str]()
    for number, each in enumerate(bracket):
        for tie in each["ties"]:
            for name in filter(None, tie["bots"]):
                went[name] = number
                if tie["winner"]:
                    went[name] += name == tie["winner"]
                    out.update({name} - {tie["winner"]})
    return went, out


# Members

Members = Mapping[str, tuple[str, ...]]
"""The versions of each member by its name; the version whose rating counts comes last."""


def members_of(versions: Iterable[Version]) -> dict[str, tuple[str, ...]]:
    """Return the versions of each member, with the current version last, or the newest one."""
    return {
        bot: tuple(one.name for one in sorted(ours, key=lambda one: (not one.retired, one.number)))
        for bot, ours in by_key((one.bot, one) for one in versions).items()
    }


def member_of(members: Members) -> dict[str, str]:
    """Return the member of each version's name."""
    return {version: member for member, versions in members.items() for version in versions}
