"""How the ratings of bots went, game after game.

Must not know how a line is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lath.reports.ratings.converged import converged
from lath.reports.ratings.counts import count
from lath.reports.ratings.sequential import InOrder
from lath.reports.ratings.values import Rating, Result


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the games up to one of them said."""

    games: int
    """How many of the results had been seen; > 0, rising from snapshot to snapshot."""

    ratings: Mapping[str, Rating]
    """The sequential rating of every bot that had appeared by then."""


def history(
    results: Sequence[Result], points: int = 100, *, draw_rate: float | None = None
) -> tuple[Snapshot, ...]:
    """Return at most `points` snapshots, evenly over the games, the last after all of them.

    Ratings are the sequential ones, in the order of the results; empty without results. Memory is
    bounded by points times bots. `draw_rate` is `Ratings.draw_rate` of the same results where it
    is known already; otherwise it is fitted here. `points` > 0.
    """
    if draw_rate is None:
        counts = count(results)
        draw_rate = converged(counts.names, counts.tallies).draw_rate
    number = min(points, len(results))
    ends = [len(results) * i // number for i in range(number + 1)] if number else []
    sequence = InOrder(draw_rate)
    snapshots = []
    for start, end in pairwise(ends):
        sequence.add(results[start:end])
        snapshots.append(Snapshot(end, sequence.ratings()))
    return tuple(snapshots)
