"""Live view of a run: the boards in play, and the state of the run.

They are small files in the folder `live` of the tournament's directory. Each worker writes the game
that it plays (`worker.LiveBoard`), and the runner writes the state of the run. Any number of
programs can read them; the run never waits for them. The folder is removed with the run.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from shutil import rmtree
from time import monotonic
from typing import Any, Final
from zlib import crc32

from lath.arena.machine.untrusted_files import plain, read_json, read_small
from lath.arena.tournament.run.events import Event, Listener, Waiting
from lath.arena.tournament.run.progress import Progress

LIVE: Final = "live"
"""The folder's name."""

STATUS: Final = "status.json"

STATUS_S: Final = 1.0
"""The least seconds between two states of a run."""

SHARE: Final = 0.02
"""The largest share of the runner's time that this may take."""

RECENT: Final = 24
"""The number of finished games in the state of a run."""


class _Standing:
    """A listener that writes the state of a run."""

    def __init__(self, folder: Path, progress: Progress) -> None:
        self._path: Final = folder / STATUS
        self._progress: Final = progress
        self._recent: Final[deque[dict[str, Any]]] = deque(maxlen=RECENT)
        self._next_s = 0.0

    def __call__(self, event: Event | Waiting) -> None:
        """Note an event, and write the state if it is due."""
        if getattr(event, "type", "") == "game":
            self._recent.append(asdict(event))
        if (now_s := monotonic()) >= self._next_s:
            progress = self._progress
            outcome = progress.outcome()
            value = {
                **asdict(progress.status()),
                "verdict": outcome.verdict,
                "words": outcome.words,
                "event": progress.config.event,
                "tournament": progress.config.format,
                "running": [asdict(pair) for _, pair in sorted(progress.running.items())],
                "warned": list(progress.warnings),
                "recent": list(self._recent),
                "places": 0 if progress.cluster else progress.config.jobs,
            }
            self._write(json.dumps(value))
            self._next_s = now_s + max(STATUS_S, (monotonic() - now_s) / SHARE)

    def _write(self, text: str) -> None:
        """Write the file whole or not at all: the run itself deals with a full disk."""
        new = self._path.with_suffix(".new")
        with suppress(OSError):
            new.write_text(text, encoding="utf-8")
            new.replace(self._path)


@contextmanager
def shown(folder: Path, tell: Listener) -> Iterator[None]:
    """Show a run in a tournament's directory while it lasts; `tell` is its listener."""
    live = folder / LIVE
    rmtree(live, ignore_errors=True)  # left by a killed run
    with suppress(OSError):
        live.mkdir()
    listeners = tell.listeners if isinstance(tell, Progress) else []
    if isinstance(tell, Progress):
        listeners.append(standing := _Standing(live, tell))
    try:
        yield
    finally:
        if listeners:
            listeners.remove(standing)
        rmtree(live, ignore_errors=True)


def status_in(folder: Path) -> dict[str, Any] | None:
    """Return the state of the run in a tournament's directory, or None if unknown."""
    live = folder / LIVE
    try:
        value = read_json(live / STATUS, MOST_BYTES) if _is_own(live) else None
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def glimpses_in(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the games in play by worker, as `Scorebook.glimpse` gives them."""
    live = folder / LIVE
    names: list[str] = []
    if _is_own(live):
        with suppress(OSError), os.scandir(live) as entries:
            names = [entry.name for entry in islice(entries, MOST_FILES)]
    files = sorted(live / name for name in names if _WORKER.fullmatch(name))
    return {path.stem: seen for path in files if (seen := _glimpse(path)) is not None}


MOST_FILES: Final = 10_000
"""The most files of the folder that are read."""

MOST_BYTES: Final = 4 << 20
"""The most bytes of a file that are read."""

_WORKER: Final = re.compile(r"[0-9]{1,9}\.json")


def _is_own(live: Path) -> bool:
    """Return whether the folder exists and is not a link."""
    try:
        return stat.S_ISDIR(live.lstat().st_mode)
    except OSError:
        return False


def _glimpse(path: Path) -> dict[str, Any] | None:
    """Return what `worker.LiveBoard` has written last, or None."""
    for _ in range(_TRIES):
        with suppress(OSError, ValueError, RecursionError):
            sum_, _, data = read_small(path, MOST_BYTES).partition(b"\n")[0].partition(b" ")
            if int(sum_, 16) == crc32(data):
                value = plain(json.loads(data))
                return value if isinstance(value, dict) else None
    return None


_TRIES: Final = 3
"""Attempts to read a file whose checksum is wrong, because a worker may be writing it."""
