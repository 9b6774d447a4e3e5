"""Locks on open files and folders, which keep processes from disturbing each other."""

from __future__ import annotations

import random
import time
from typing import Protocol


class HasFileno(Protocol):
    """An open file."""

    def fileno(self) -> int:
        """Return its descriptor."""


def lock(file: int | HasFileno, *, shared: bool = False, waits: bool = False) -> None:
    """Lock an open file or folder until it is closed.

    Several processes can have a shared lock. Raises OSError if another process has a lock that
    excludes this one; with `waits`, it waits until that process has released the lock.
    """
    import fcntl  # start-up time

    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    fcntl.flock(file, kind if waits else kind | fcntl.LOCK_NB)


def lock_within(descriptor: int, within_s: float) -> None:
    """Lock as `lock` does, with new attempts for a time in seconds. Raises OSError after it."""
    until_s = time.monotonic() + within_s
    while True:
        try:
            lock(descriptor)
        except OSError:
            if time.monotonic() > until_s:
                raise
            time.sleep(
                random.uniform(0.01, 0.05)
            )  # random, so that two processes do not collide again
        else:
            return
