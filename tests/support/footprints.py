"""The resources that a run uses, and their growth with the number of games.

Linux shows them in /proc. Memory is that of the process alone (`RssAnon`), without pages of files,
which the system can drop.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from processes import children_of, workers_of

MOST_POINTS = 300
"""The maximum of points for a slope, whose time grows with their square."""


class Footprint(NamedTuple):
    """The resources of the runner, all its workers and their bots at one moment."""

    games: int
    """The number of stored games."""

    runner_kib: int
    workers_kib: int
    bots_kib: int
    descriptors: int
    """The open descriptors of runner and workers."""

    threads: int
    """The threads of runner and workers."""

    processes: int
    """Workers, bots and all other descendants, with zombies."""


def footprint(runner: int, games: int) -> Footprint:
    """Return the current resources of a run; processes that end meanwhile count as nothing."""
    workers = workers_of(runner)
    bots = descendants(workers)
    ours = [runner, *workers]
    return Footprint(
        games=games,
        runner_kib=_told(runner, "RssAnon"),
        workers_kib=sum(_told(pid, "RssAnon") for pid in workers),
        bots_kib=sum(_told(pid, "RssAnon") for pid in bots),
        descriptors=sum(map(_descriptors, ours)),
        threads=sum(_told(pid, "Threads") for pid in ours),
        processes=len(descendants([runner])),
    )


def descendants(parents: Sequence[int]) -> list[int]:
    """Return the descendants of processes."""
    children = [child for parent in parents for child in children_of(parent)]
    return [*children, *descendants(children)] if children else []


def _told(pid: int, name: str) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1])
    return 0


def _descriptors(pid: int) -> int:
    with suppress(OSError):
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return 0


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Return the growth of the second value per unit of the first: the median over all pairs.

    This is the estimator of Theil and Sen: a quarter of the points may be outliers.
    """
    step = max(1, len(points) // MOST_POINTS)
    few = points[::step]
    return statistics.median(
        (later[1] - earlier[1]) / (later[0] - earlier[0])
        for earlier, later in combinations(few, 2)
        if later[0] != earlier[0]
    )
