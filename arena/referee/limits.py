"""What a bot's process may use, and what becomes of it when the arena is gone.

Hygiene, not a wall: limits keep a careless bot from taking the machine with it. They are set
between fork and exec.
"""

from __future__ import annotations

import os
import re
import resource
import signal
from collections.abc import Callable
from functools import cache
from typing import Final

from lath.arena.referee import trees

DESCRIPTORS: Final = 1024
"""Open files that a bot may have."""

MORE_TASKS: Final = 4096
"""Processes and threads by which a user's bots may outgrow what the user ran before them; the
system does not hold the superuser to it."""

_OUT_OF_MEMORY: Final = re.compile(
    r"MemoryError|bad_alloc|out of memory|OutOfMemory|cannot allocate memory|memory allocation of",
    re.IGNORECASE,
)
"""What programs of several languages write before they die of it."""


def restriction(memory_bytes: int | None) -> Callable[[], None]:
    """Return what a child does between fork and exec: die with its parent, keep its limits.

    `memory_bytes` limits the data of the process; None: nothing does.
    """
    parent = os.getpid()
    tasks = tasks_before()

    def restrict() -> None:
        trees.die_with(parent)
        _lower(resource.RLIMIT_CORE, 0)
        _lower(resource.RLIMIT_NOFILE, DESCRIPTORS)
        _lower(resource.RLIMIT_NPROC, tasks + MORE_TASKS)
        if memory_bytes is not None:
            _lower(resource.RLIMIT_DATA, memory_bytes)
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    return restrict


def _lower(what: int, value: int) -> None:
    """Lower a limit for good; one that is lower already stays."""
    hard = resource.getrlimit(what)[1]
    limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (limit, limit))


@cache
def tasks_before() -> int:
    """Return how many processes and threads there were when this process first asked.

    All users' together: more than enough, and cheap to count.
    """
    try:
        with open("/proc/loadavg", encoding="ascii") as file:
            return int(file.read().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def out_of_memory(memory_bytes: int | None, last_words: str) -> str:
    """Return in words that a bot died of its limit, as far as it says so itself; else empty."""
    if memory_bytes is None or not _OUT_OF_MEMORY.search(last_words):
        return ""
    return f" out of memory ({memory_bytes / (1 << 20):g} MiB allowed)"
