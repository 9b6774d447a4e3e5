"""Tournaments that the site starts and stops: each is an `arena run` of its own, as typed.

Only those that are served, with the bots of their own configuration; who closes the site stops them
as Ctrl-C would. Must not know pages.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import deque
from typing import IO, TYPE_CHECKING, Final

from lath.arena.errors import ConfigError
from lath.arena.tournament.database import DATABASE, is_being_played

if TYPE_CHECKING:
    from pathlib import Path

    from lath.arena.site.shelf import Item

LINES: Final = 200
"""Of what a run says, the last that are kept."""

PATIENCE_S: Final = 90.0
"""How long a run may take to write its files when it is stopped, as service managers have it."""


class _Run:
    """One that goes on, or did."""

    def __init__(self, item: Item) -> None:
        self.lines: Final[deque[str]] = deque(maxlen=LINES)
        is_begun = (item.path / DATABASE).is_file()
        what = [item.path] if is_begun else [item.config, "--out", item.path]
        self.process: Final = subprocess.Popen(
            [sys.executable, "-m", "lath.arena", "run", *map(str, what)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a Ctrl-C is the site's, which then stops it
            env={**os.environ, "NO_COLOR": "1"},
        )
        assert self.process.stdout
        threading.Thread(target=self._hear, args=(self.process.stdout,), daemon=True).start()

    def _hear(self, said: IO[bytes]) -> None:
        with said:
            for line in said:
                self.lines.append(line.decode("utf-8", "replace").rstrip()[:1000])

    @property
    def goes_on(self) -> bool:
        return self.process.poll() is None


class Runs:
    """The runs of this site, by the directory of their tournament."""

    def __init__(self) -> None:
        self._runs: Final[dict[Path, _Run]] = {}
        self._lock: Final = threading.Lock()

    def start(self, item: Item) -> None:
        """Begin a tournament or go on with it; raises ConfigError where that is not possible."""
        folder = item.path
        with self._lock:
            known = self._runs.get(folder)
            if (known and known.goes_on) or is_being_played(folder):
                raise ConfigError("it is being played already")
            if item.config is None and not (folder / DATABASE).is_file():
                raise ConfigError("there is no configuration to play by, only records")
            self._runs[folder] = _Run(item)

    def stop(self, folder: Path) -> None:
        """Ask a run to write its files and end; raises ConfigError for one that is not ours."""
        with self._lock:
            known = self._runs.get(folder)
            if known is None or not known.goes_on:
                raise ConfigError(
                    "it was started elsewhere: stop it there, with Ctrl-C"
                    if is_being_played(folder)
                    else "nobody plays it"
                )
            known.process.send_signal(signal.SIGINT)

    def is_ours(self, folder: Path) -> bool:
        """Return whether it is being played by a run of this site."""
        known = self._runs.get(folder)
        return known is not None and known.goes_on

    def log(self, folder: Path) -> list[str]:
        """Return the last lines that a run of ours has said of it."""
        known = self._runs.get(folder)
        return [*known.lines] if known else []

    def close(self) -> None:
        """Stop all, and wait until they have written their files."""
        going = [run.process for run in self._runs.values() if run.goes_on]
        for process in going:
            process.send_signal(signal.SIGINT)
        for process in going:
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:  # the next run goes on from what is stored
                process.kill()
                process.wait()
