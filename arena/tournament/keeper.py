"""Puts results into the store; where the disk is full, holds them and tries again for a while.

Must not know where results come from. It never sleeps: whoever has results asks it now and then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from lath.arena.errors import DiskError
from lath.arena.tournament.jobs import PairJob, PairResult
from lath.arena.tournament.store import Store, Walkover

PATIENCE_S: Final = 600.0
"""How long to wait for room on a full disk."""

FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 10.0
"""Between two tries; each wait is twice the one before."""

RETRIES: Final = 3
"""How often to try again where the disk is not full but failing: time will not mend it."""

Finished = tuple[PairJob, PairResult]


class Keeper:
    """Results on their way into the store, in the order in which they came."""

    def __init__(
        self, store: Store, warned: Callable[[str], None], *, patience_s: float = PATIENCE_S
    ) -> None:
        """`warned` is told when the store takes no more, and when it does again."""
        self._store: Final = store
        self._warned: Final = warned
        self._patience_s: Final = patience_s
        self._held: list[Finished] = []
        self._tries = 0
        """That failed, one after the other."""

        self._began_s = 0.0
        """When the first of them did."""

        self._next_s = 0.0

    @property
    def is_waiting(self) -> bool:
        """Return whether the disk refuses what is to be kept; no more should be played then."""
        return self._tries > 0

    def take(self, results: Iterable[Finished]) -> None:
        """Hold results until they are kept."""
        self._held.extend(results)

    def kept(self, *, at_once: bool = False) -> list[Finished]:
        """Store what is held, in one transaction, and return it; empty while it must wait.

        Raises DiskError when the disk has refused it for too long, or refuses it `at_once`.
        """
        games = [game for _, result in self._held for game in result.games]
        if games and not self._takes(partial(self._store.add, games), at_once=at_once):
            return []
        kept, self._held = self._held, []
        return kept

    def keeps_lost(self, lost: Sequence[Walkover], *, at_once: bool = False) -> bool:
        """Store what was lost by walkover; return whether it is stored, False while it must wait.

        Raises DiskError as `kept` does.
        """
        return not lost or self._takes(partial(self._store.add_walkovers, lost), at_once=at_once)

    def _takes(self, store: Callable[[], None], *, at_once: bool) -> bool:
        """Return whether the disk takes something; False also where it is not time to try it."""
        if self.is_waiting and not at_once and time.monotonic() < self._next_s:
            return False
        try:
            store()
        except DiskError as error:
            self._wait(error, at_once=at_once)
            return False
        if self.is_waiting:
            after_s = time.monotonic() - self._began_s
            self._tries = 0
            self._warned(f"after {after_s:.0f} s the disk takes results again; the run goes on")
        return True

    def _wait(self, error: DiskError, *, at_once: bool) -> None:
        """Decide when to try again; raises DiskError for never."""
        now_s = time.monotonic()
        self._tries += 1
        if self._tries == 1:
            self._began_s = now_s
        until_s = self._began_s + self._patience_s
        is_hopeless = not error.is_full and self._tries > RETRIES
        if at_once or is_hopeless or now_s >= until_s:
            raise DiskError(f"{error}; {self._lost_words()}", is_full=error.is_full) from error
        if self._tries == 1:
            what = "waiting for room" if error.is_full else "trying again"
            self._warned(f"{error}; no game begins until results can be kept, {what}")
        wait_s = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (self._tries - 1))
        self._next_s = min(now_s + wait_s, until_s)

    def _lost_words(self) -> str:
        games = sum(len(result.games) for _, result in self._held)
        if not games:
            return "a walkover could not be kept and will be decided again"
        words = f"{games} finished game{'' if games == 1 else 's'}"
        return f"{words} could not be kept and will be played again"
