"""Comparisons of bots: with anchors, one bot, opponents, the next bot and the last event."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lath.reports.counting.ranking import BY_GAMES
from lath.reports.counting.scale import Moved, Scale
from lath.reports.ratings.numerics import by_key
from lath.reports.ratings.results import Ratings, score_of

if TYPE_CHECKING:
    from lath.reports.counting.table import Meeting, Row, Standings, Table


# Comparisons of tables


def compared(standings: Standings, scale: Scale, before: Standings | None) -> Standings:
    """Return standings with all comparisons; `before` are the standings before the last event."""
    tables = {table.game: table for table in before.per_game} if before else {}
    met = {*standings.overall.ratings.strengths}
    playing = {row.name: row.plays_as for row in standings.overall.rows}
    scale = replace(scale, relative_to=playing.get(scale.relative_to, scale.relative_to))
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
    sections = by_key((_section(table, row), row.plays_as) for row in rows)
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
    """Return the mean Elo of the opponents, weighted by games; None without opponents."""
    games, total = 0, 0.0
    for elo, one in against:
        games += one.games
        total += one.games * elo
    return total / games if games else None


def performance(against: Sequence[tuple[float, int, float]]) -> float | None:
    """Return the Elo whose expected points equal the points that a bot scored.

    `against` has an Elo, games and points for each opponent. Returns None if the bot won or lost
    all games, because no finite number fits.

    >>> round(performance([(0.0, 10, 5.0), (400.0, 10, 5.0)]))
    200
    >>> performance([(0.0, 10, 10.0)])
    """
    points, games = sum(one[2] for one in against), sum(one[1] for one in against)
    if not 0 < points < games:
        return None
    # The total score gives bounds on both sides of the result.
    apart = 400 * math.log10(games / min(points, games - points))
    low, high = (end(elo for elo, _, _ in against) for end in (min, max))
    low, high = low - apart, high + apart
    for _ in range(60):
        middle = (low + high) / 2
        expected = math.fsum(number * score_of(middle - elo) for elo, number, _ in against)
        low, high = (middle, high) if expected < points else (low, middle)
    return middle


def _section(table: Table, row: Row) -> tuple[int, str]:
    """Return the group and role of the bots that a bot is ranked among."""
    return row.group if table.rule in BY_GAMES else 1, row.role


def _apart(ratings: Ratings, name: str, group: Iterable[str]) -> tuple[int, int]:
    """Return the numbers of clearly stronger and clearly weaker bots, by 95% intervals."""
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
