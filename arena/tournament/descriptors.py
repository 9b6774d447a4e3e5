"""How many files a run has open, and whether it may."""

from __future__ import annotations

import resource
from typing import Final

from lath.arena.errors import ConfigError

_RUNNER: Final = 48
"""Open files of a runner without workers: database, records, terminal, modules while they load."""

_EACH_SLOT: Final = 4
"""Both pipes of a worker, and two more while it starts."""

_WORKER: Final = 64
"""Open files of a worker: four for each bot that it keeps or starts, and its own."""


def needed(jobs: int) -> int:
    """Return how many open files a run of so many games at a time needs."""
    return max(_RUNNER + _EACH_SLOT * jobs, _WORKER)


def ensure(jobs: int) -> None:
    """Raise the limit of this process as far as needed; raises ConfigError where that is refused.

    Before anything is started: a run that finds out later loses bots in the middle of games.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = needed(jobs)
    if soft >= wanted or soft == resource.RLIM_INFINITY:
        return
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise ConfigError(
            f"this process may have {hard} files open, and {jobs} games at a time need {wanted}: "
            f"raise the limit (ulimit -n {wanted}) or lower --jobs"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
