"""Which cores there are, and which of them each slot has for itself.

A bot and the runner's worker take turns: pinned to one core they never wait for another to wake.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_TOPOLOGY: Final = Path("/sys/devices/system/cpu")
_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")

Cores = tuple[int, ...]
"""Numbers of cores, as the system counts them."""


def available() -> Cores:
    """Return the cores that this process may use, one of each physical core before its siblings.

    No more than a container's quota pays for, and never none.
    """
    if hasattr(os, "sched_getaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
    else:
        allowed = list(range(os.cpu_count() or 1))
    return _siblings_last(allowed)[: _quota(len(allowed))]


def _siblings_last(cores: Sequence[int]) -> Cores:
    """Return the cores, those last that share their physical core with one that came before."""
    first: dict[str, int] = {}
    for core in cores:
        first.setdefault(_siblings(core), core)
    leading = list(first.values())
    return (*leading, *(core for core in cores if core not in leading))


def _siblings(core: int) -> str:
    """Return what names the physical core; the core itself where the system does not say."""
    try:
        return (_TOPOLOGY / f"cpu{core}/topology/thread_siblings_list").read_text().strip()
    except OSError:
        return str(core)


def _quota(most: int) -> int:
    """Return how many whole cores the container may use at a time, from 1 to `most`."""
    try:
        share, period = _QUOTA.read_text().split()
        return max(1, min(most, math.floor(int(share) / int(period))))
    except (OSError, ValueError):  # no such file, or "max"
        return most


def shares(slots: int, threads: int, cores: Sequence[int]) -> list[Cores] | None:
    """Return for each slot the cores that are its alone; None where there are too few.

    `threads` is how many cores a game needs at the same time.

    >>> shares(2, 1, (0, 1, 2))
    [(0,), (1,)]
    """
    if slots * threads > len(cores):
        return None
    return [tuple(cores[slot * threads : (slot + 1) * threads]) for slot in range(slots)]
