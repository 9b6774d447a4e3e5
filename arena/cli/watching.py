"""`arena report --watch`: the page is written again and again until the tournament is over."""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path
from typing import Final

from lath.arena.cli.rendering import Job
from lath.arena.errors import ArenaError, ConfigError
from lath.arena.tournament.following import Following, Sight
from lath.arena.tournament.signals import on_signals

SHARE: Final = 4
"""At most so small a part of the time goes into rendering: a fifth."""

LOOK_S: Final = 1.0
"""How long it may take to notice that a run is over."""

INTERRUPTED: Final = 3


def watch(job: Job, *, every_s: float) -> int:
    """Write what `job` is while tournaments run, and once more in the end; return a status.

    0 when all is over; 3 after Ctrl-C. The last page refreshes no more. Raises ConfigError where
    nothing can be written; other faults are told of, and mended by a later look.
    """
    following = Following(job.sources, every_s=every_s, others=job.others)
    watcher = _Watcher(job, following, every_s)
    try:
        with on_signals(_interrupt):
            watcher.follow()
    except KeyboardInterrupt:
        _part(job, following)
        return INTERRUPTED
    finally:
        following.stop()
    return 0


def _interrupt() -> None:
    raise KeyboardInterrupt


def _part(job: Job, following: Following) -> None:
    """Write the page once more, without refreshing; another Ctrl-C does without."""
    readable = following.look().readable
    if readable:
        job.write(readable)
    print("arena: watching no more; the page stays as it stands", file=sys.stderr)


class _Watcher:
    """Renders again when something has changed, and not too often."""

    def __init__(self, job: Job, following: Following, every_s: float) -> None:
        self._job: Final = job
        self._following: Final = following
        self._every_s: Final = every_s
        self._due_s = 0.0
        self._told = ""
        self._waits_for: tuple[Path, ...] = ()

    def follow(self) -> None:
        """Return when all is over and written."""
        while True:
            sight = self._following.look()
            self._tell_of_waiting(sight)
            if self._job.ends and sight.is_over:
                self._job.write(sight.readable)
                return
            if sight.has_changed and time.monotonic() >= self._due_s:
                self._render(sight)
            time.sleep(min(LOOK_S, self._every_s))

    def _render(self, sight: Sight) -> None:
        began_s = time.monotonic()
        try:
            self._job.write(sight.readable, refresh_s=math.ceil(self._every_s))
        except ConfigError:
            raise
        except ArenaError as error:  # half a record that somebody writes, a template at work
            self._tell(f"warning: {error}")
        else:
            self._told = ""
        self._following.rendered()
        now_s = time.monotonic()
        self._due_s = now_s + max(self._every_s, SHARE * (now_s - began_s))

    def _tell(self, words: str) -> None:
        """Say it unless it was said just before."""
        if words != self._told:
            print(words, file=sys.stderr)
        self._told = words

    def _tell_of_waiting(self, sight: Sight) -> None:
        """Say, once, what is not there yet."""
        absent = tuple(one for one in self._job.sources() if one not in sight.readable)
        if absent and absent != self._waits_for:
            print(f"waiting for games in {', '.join(map(str, absent))}", file=sys.stderr)
        self._waits_for = absent
