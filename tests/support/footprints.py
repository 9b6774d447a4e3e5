"""What a run takes of the machine while it goes on, and whether that grows with its games.

Linux tells it in /proc. Memory is what a process has of its own (`RssAnon`): pages of files, which
the system may take back, do not count.
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
"""Of a slope: its work goes with their square."""


class Footprint(NamedTuple):
    """What the runner, all its workers and their bots take at one moment."""

    games: int
    """That are stored by then."""

    runner_kib: int
    workers_kib: int
    bots_kib: int
    descriptors: int
    """Open ones of runner and workers."""

    threads: int
    """Of runner and workers."""

    processes: int
    """Workers and bots, and whatever else they have started, zombies among them."""


def footprint(runner: int, games: int) -> Footprint:
    """Return what a run takes now; processes that end meanwhile count as nothing."""
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
    """Return what processes have started, and what those have."""
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
    """Return by how much the second value grows with the first: the median over all pairs.

    Theil and Sen: a quarter of the points may be anything.
    """
    step = max(1, len(points) // MOST_POINTS)
    few = points[::step]
    return statistics.median(
        (later[1] - earlier[1]) / (later[0] - earlier[0])
        for earlier, later in combinations(few, 2)
        if later[0] != earlier[0]
    )
