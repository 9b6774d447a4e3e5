"""When a run that goes on writes `games.lath`, which is what others may read of it meanwhile.

Must not know how records are stored. Who follows a tournament asks for it more often by a file in
its directory, and says by touching that file that somebody still looks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from lath.arena.errors import StoreError

EXPORT_S: Final = 30.0
"""How often it is written, at most; less often when it is large."""

SHARE: Final = 20
"""At most so small a part of the runner's time goes into a large file: a twentieth."""

WISH: Final = ".followed.tmp"
"""The file that asks for it more often: seconds as text. A run that begins clears such files away;
whoever still looks writes it again."""

FORGOTTEN_S: Final = 30.0
"""A wish that nobody has touched for so long, and three times its own seconds, is an old one."""


class Exports:
    """Decides when the next export of one run is due, and does it."""

    def __init__(
        self, folder: Path, export: Callable[[], None], warned: Callable[[str], None]
    ) -> None:
        """`export` writes the file or raises StoreError, of which `warned` is told."""
        self._folder: Final = folder
        self._export: Final = export
        self._warned: Final = warned
        self._last_s = time.monotonic()
        self._least_s = 0.0
        """How long to wait whatever is wished: a file may be large, or a disk full."""

        self._games = 0
        self._touched = 0
        """When the wish was touched last, by the clock of its disk."""

        self._noticed_s = 0.0
        """When that was noticed, by ours: the two need not agree."""

    def sometimes(self, games: int) -> None:
        """Export if it is time to, and there are other games than the last time."""
        now_s = time.monotonic()
        if games == self._games or now_s < self._last_s + self._pause_s():
            return
        try:
            self._export()
        except StoreError as error:
            self._warned(str(error))
            self._least_s = EXPORT_S
        else:
            self._least_s = SHARE * (time.monotonic() - now_s)
        self._games = games
        self._last_s = time.monotonic()

    def _pause_s(self) -> float:
        """Return how long to wait between two exports."""
        return max(self._wished_s() or EXPORT_S, self._least_s)

    def _wished_s(self) -> float | None:
        """Return what somebody asks for who still looks."""
        try:
            touched = (self._folder / WISH).stat().st_mtime_ns
        except OSError:
            return None
        if touched != self._touched:
            self._touched, self._noticed_s = touched, time.monotonic()
        every_s = wished_s(self._folder)
        if every_s and time.monotonic() > self._noticed_s + FORGOTTEN_S + 3 * every_s:
            return None
        return every_s


def wish(folder: Path, every_s: float) -> None:
    """Ask a run in `folder`, or the next one there, for an export every so many seconds.

    It is forgotten unless it is said again and again. Where nobody may write, nothing is asked.
    """
    with suppress(OSError):
        (folder / WISH).write_text(f"{every_s:g}\n", encoding="ascii")


def unwish(folder: Path) -> None:
    """Ask no more."""
    with suppress(OSError):
        (folder / WISH).unlink()


def wished_s(folder: Path) -> float | None:
    """Return what somebody asks for, at least 1 and at most EXPORT_S; None if nobody does."""
    try:
        every_s = float((folder / WISH).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
    return min(EXPORT_S, max(1.0, every_s)) if every_s > 0 else None  # nan is not
