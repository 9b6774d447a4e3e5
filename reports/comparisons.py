"""With what bots are compared: anchors, one bot, their opponents, who is next, the last event.

Must not know how any of it is shown.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from lath.reports.ranking import Members, Rule
from lath.reports.ratings.results import ALL_AT_ONCE, Method, Ratings, score_of

if TYPE_CHECKING:
    from lath.reports.outcome import Outcome
    from lath.reports.standings import Meeting, Row, Standings, Table

MOST_ELO: Final = 10_000.0
"""What no anchor is beyond, to either side."""

MOST_APART: Final = 4_000.0
"""Elo points between two anchors: beyond, no number of games tells anything of who is between."""


# What is asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """On which scale ratings are, what ranks follow, and with what bots are compared."""

    ranked_by: Method = ALL_AT_ONCE
    """The rating that is shown as such."""

    rule: Rule | None = None
    """What ranks go by, whatever the games are; None: `reports.ranking` says what decides."""

    outcome: Outcome | None = None
    """What a tournament came to by the rules of its format, which may decide ranks."""

    members: Members = field(default_factory=dict)
    """The versions of each member, which are one in tables."""

    anchors: Mapping[str, float] = field(default_factory=dict)
    """Bots whose Elo is given; without any, the mean of a group is 0."""

    relative_to: str = ""
    """The bot to which differences are shown; empty: none."""

    until: int = 0
    """The number of the last game before the last event of a pool; 0: nothing is compared."""

    @property
    def of_one_game(self) -> Scale:
        """Return it for one game of several, of which a swiss or a knockout says nothing."""
        data = self.outcome.data if self.outcome else {}
        is_of_all = data.get("swiss") or data.get("bracket")
        return replace(self, outcome=None) if is_of_all else self

    def checked(self, names: Iterable[str]) -> Scale:
        """Return it; raises ValueError where it names a bot that is none of `names`."""
        known = sorted(names)
        for flag, name in (
            *(("--anchor", anchor) for anchor in self.anchors),
            *((("--relative-to", self.relative_to),) if self.relative_to else ()),
        ):
            if name not in known:
                raise ValueError(f"{flag} {name!r}: {unknown_words(name, known)}")
        return self


PLAIN_SCALE: Final = Scale()


def unknown_words(name: str, known: Sequence[str]) -> str:
    """Return what is wrong with the name of a bot that is none of those that are known."""
    close = get_close_matches(name, known, 1)
    listed = ", ".join(known[:12]) + (f" and {len(known) - 12} more" if len(known) > 12 else "")
    hint = f"\nhint: did you mean {close[0]!r}?" if close else ""
    return f"no such bot; expected one of {listed or 'none: there are no games'}{hint}"


def anchor_of(text: str) -> tuple[str, float]:
    """Return the bot and the Elo of a text such as `mine=1500`; raises ValueError.

    >>> anchor_of("mine v2=1500"), anchor_of("a=b=-20.5")
    (('mine v2', 1500.0), ('a=b', -20.5))
    """
    name, equals, number = text.rpartition("=")
    if not equals or not name.strip():
        raise ValueError(f"{text!r}: expected BOT=ELO, such as mine=1500")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not abs(value) <= MOST_ELO:
        wanted = f"expected a number from {-MOST_ELO:.0f} to {MOST_ELO:.0f}, such as {name}=1500"
        raise ValueError(f"{text!r}: {number!r} is not an Elo rating; {wanted}")
    return name.strip(), value


def anchors_of(texts: Iterable[str]) -> dict[str, float]:
    """Return the anchors that such texts name; raises ValueError, also for what `refuse` says."""
    found: dict[str, float] = {}
    for name, value in map(anchor_of, texts):
        if found.setdefault(name, value) != value:
            raise ValueError(f"{name!r} has two values: {found[name]:g} and {value:g}")
    refuse_far_apart(found)
    return found


def refuse_far_apart(anchors: Mapping[str, float]) -> None:
    """Raise ValueError where anchors are too far apart for games to tell anything between."""
    if not anchors:
        return
    low, high = (end(anchors, key=anchors.__getitem__) for end in (min, max))
    if anchors[high] - anchors[low] > MOST_APART:
        raise ValueError(
            f"{low}={anchors[low]:g} and {high}={anchors[high]:g} are more than {MOST_APART:.0f} "
            "points apart; expected anchors of one scale"
        )


# What is compared


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What changed for a bot since the last event."""

    rank: int
    """By how many ranks it has risen; below 0 where it has fallen."""

    rating: float
    """By how much its rating, mu - 3 sigma, has risen."""

    elo: float
    """By how many Elo points it has risen; without anchors 0 is the mean of the field, which those
    who come move."""


def compared(standings: Standings, scale: Scale, before: Standings | None) -> Standings:
    """Return standings with all comparisons; `before` are those of before the last event."""
    tables = {table.game: table for table in before.per_game} if before else {}
    met = {*standings.overall.ratings.strengths}
    playing = {row.name: row.plays_as for row in standings.overall.rows}
    relative_to = playing.get(scale.relative_to, scale.relative_to)
    scale = replace(scale, relative_to=relative_to)
    return replace(
        standings,
        overall=_compared(standings.overall, scale, before.overall if before else None),
        per_game=tuple(
            _compared(table, scale, tables.get(table.game)) for table in standings.per_game
        ),
        anchors={name: scale.anchors[name] for name in sorted(met & scale.anchors.keys())},
        relative_to=scale.relative_to if scale.relative_to in met else "",
        games_before=before.overall.games if before else 0,
    )


def _compared(table: Table, scale: Scale, before: Table | None) -> Table:
    ratings, rows = table.ratings, table.rows
    former = {row.name: row for row in before.rows} if before else {}
    sections = defaultdict[tuple[int, str], list[str]](list)
    for row in rows:
        sections[_section(table, row)].append(row.plays_as)
    found = []
    for place, (row, meetings) in enumerate(zip(rows, table.crosstable, strict=True)):
        against = [
            (rows[other].strength.elo.value, one)
            for other, one in enumerate(meetings)
            if one.games and other != place
        ]
        section = sections[_section(table, row)]
        above, below = _apart(ratings, row.plays_as, section)
        low, high = 1 + above, len(section) - below
        is_last = row.plays_as == section[-1]
        following = "" if is_last else rows[place + 1].plays_as
        found.append(
            replace(
                row,
                average_opponent=_average(against),
                performance=performance([(elo, one.games, one.points) for elo, one in against]),
                better_than_next=ratings.superiority(row.plays_as, following)
                if following
                else None,
                rank_low=min(low, row.rank),
                rank_high=max(high, row.rank),
                relative=ratings.difference(row.plays_as, scale.relative_to)
                if scale.relative_to in ratings.strengths
                else None,
                moved=_moved(row, former.get(row.name)),
            )
        )
    cross = tuple(
        tuple(
            one if a is b else replace(one, apart=ratings.difference(a.plays_as, b.plays_as))
            for b, one in zip(rows, meetings, strict=True)
        )
        for a, meetings in zip(rows, table.crosstable, strict=True)
    )
    return replace(table, rows=tuple(found), crosstable=cross)


def _average(against: Iterable[tuple[float, Meeting]]) -> float | None:
    """Return the mean Elo of opponents, each as often as it was met; None without any."""
    games, total = 0, 0.0
    for elo, one in against:
        games += one.games
        total += one.games * elo
    return total / games if games else None


def performance(against: Sequence[tuple[float, int, float]]) -> float | None:
    """Return the Elo at which just the points are expected that a bot has scored.

    `against` has an opponent's Elo, games and points. None where it has won all or lost all: no
    number is large or small enough.

    >>> round(performance([(0.0, 10, 5.0), (400.0, 10, 5.0)]))
    200
    >>> performance([(0.0, 10, 10.0)])
    """
    points, games = sum(one[2] for one in against), sum(one[1] for one in against)
    if not 0 < points < games:
        return None
    # The score of the whole moves each end past what is looked for.
    apart = 400 * math.log10(games / min(points, games - points))
    low, high = (end(elo for elo, _, _ in against) for end in (min, max))
    low, high = low - apart, high + apart
    for _ in range(60):
        middle = (low + high) / 2
        expected = math.fsum(number * score_of(middle - elo) for elo, number, _ in against)
        low, high = (middle, high) if expected < points else (low, middle)
    return middle


def _section(table: Table, row: Row) -> tuple[int, str]:
    """Return among whom a bot has its rank."""
    return row.group if table.rule in ("rating", "method") else 1, row.role


def _apart(ratings: Ratings, name: str, group: Iterable[str]) -> tuple[int, int]:
    """Return how many bots are stronger and weaker than one, as far as 95 % intervals tell."""
    above = below = 0
    for other in group:
        apart = ratings.difference(name, other) if other != name else None
        if apart is not None:
            above += apart.high is not None and apart.high < 0
            below += apart.low is not None and apart.low > 0
    return above, below


def _moved(row: Row, before: Row | None) -> Moved | None:
    if before is None:
        return None
    now, then = row.strength, before.strength
    return Moved(
        rank=before.rank - row.rank,
        rating=now.trueskill.exposed - then.trueskill.exposed,
        elo=now.elo.value - then.elo.value,
    )
