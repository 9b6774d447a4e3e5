"""Tournaments that the site starts and stops, each as a separate `arena run`.

The site starts only served tournaments, with the bots of their own configuration. Closing the site
stops them as Ctrl-C would. If a site is killed, its runs continue. A note of each run, writable
only for this user, lets the next site find and stop them.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lath.arena.directory import DATABASE
from lath.arena.errors import ConfigError
from lath.arena.machine.untrusted_files import opened, read_small
from lath.arena.sandbox.limits import with_modules
from lath.arena.tournament.store.database import is_being_played
from lath.notation.files.folders import user_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lath.arena.site.shelf import Item

LINES: Final = 200
"""The number of lines shown of a run's output: the last ones."""

TAIL: Final = 1 << 16
"""The number of bytes read for them."""

PATIENCE_S: Final = 90.0
"""The time limit for a stopped run to write its files, in seconds, as in service managers."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process of this machine, identified by number and start time."""

    pid: int
    began: str
    """The start time, in the system's format."""

    @property
    def goes_on(self) -> bool:
        """Return True if the process has not ended."""
        return process_of(self.pid) == self

    def interrupt(self) -> None:
        """Send the signal of Ctrl-C, if the process has not ended."""
        if not hasattr(os, "pidfd_open"):
            if self.goes_on:
                os.kill(self.pid, signal.SIGINT)
            return
        with suppress(ProcessLookupError):
            handle = os.pidfd_open(self.pid)
            try:
                if self.goes_on:  # the handle belongs to this process, not to a later one
                    signal.pidfd_send_signal(handle, signal.SIGINT)
            finally:
                os.close(handle)


def process_of(pid: int) -> Process | None:
    """Return the process of a number; None if it does not exist or has ended."""
    if not Path("/proc/self/stat").exists():
        asked = ["ps", "-o", "lstart=", "-p", str(pid)]
        told = subprocess.run(asked, capture_output=True, check=False, env={"LC_ALL": "C"}).stdout
        return Process(pid, told.decode().strip()) if told.strip() else None
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        state, *rest = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except (OSError, ValueError):
        return None
    return None if state in (b"Z", b"X") else Process(pid, f"{boot} {int(rest[18])}")


class _Notes:
    """Notes of runs, in a folder of this user."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        with suppress(OSError, RuntimeError):  # RuntimeError: no home folder
            folder = user_folder("state") / "runs"
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = folder.lstat()
            is_own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
            if folder.is_absolute() and is_own and not found.st_mode & 0o022:
                self._folder = folder

    def log(self, folder: Path) -> BinaryIO:
        """Return the file for the output of a run in a directory."""
        with suppress(OSError):
            if (path := self._path(folder, "log")) is not None:
                return path.open("wb+")
        return tempfile.TemporaryFile()

    def write(self, folder: Path, run: Process, site: Process) -> None:
        """Note that a site has started a run."""
        text = json.dumps({"folder": str(folder), "run": asdict(run), "site": asdict(site)})
        with suppress(OSError):
            if (path := self._path(folder, "json")) is not None:
                new = path.with_suffix(".new")
                new.write_text(text, encoding="utf-8")
                new.replace(path)

    def read(self, folder: Path) -> tuple[Process, Process] | None:
        """Return the noted run of a directory, and the site that started it."""
        if (path := self._path(folder, "json")) is None:
            return None
        try:
            found = json.loads(read_small(path, TAIL))
            return Process(**found["run"]), Process(**found["site"])
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def left(self, folder: Path) -> BinaryIO | None:
        """Return the output file of a noted run, opened for reading."""
        path = self._path(folder, "log")
        try:
            return None if path is None else os.fdopen(opened(path), "rb")
        except OSError:
            return None

    def _path(self, folder: Path, suffix: str) -> Path | None:
        if self._folder is None:
            return None
        digest = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:32]
        return self._folder / f"{digest}.{suffix}"


class _Run:
    """A run that this site has started, ended or not."""

    def __init__(self, item: Item, notes: _Notes) -> None:
        self.said: Final = notes.log(item.path)
        is_begun = (item.path / DATABASE).is_file()
        is_inside = item.config is not None and item.config.parent == item.path
        what = [item.path] if is_begun or is_inside else [item.config, "--output", item.path]
        self.process: Final = subprocess.Popen(
            [sys.executable, "-P", "-m", "lath.arena", "run", *map(str, what)],
            stdin=subprocess.DEVNULL,
            stdout=self.said,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # the site handles Ctrl-C and stops the run
            env={**with_modules(os.environ), "NO_COLOR": "1"},
        )
        run, site = process_of(self.process.pid), process_of(os.getpid())
        if run and site:
            notes.write(item.path, run, site)

    @property
    def goes_on(self) -> bool:
        return self.process.poll() is None


class Runs:
    """The runs of this site, by the directory of their tournament."""

    def __init__(self) -> None:
        self._runs: Final[dict[Path, _Run]] = {}
        self._lock: Final = threading.Lock()

    @cached_property
    def _notes(self) -> _Notes:
        return _Notes()

    def start(self, item: Item) -> None:
        """Start or resume a tournament; raises ConfigError if that is not possible."""
        folder = item.path
        with self._lock:
            if fault := item.fault():
                raise ConfigError(f"{item.name}: {fault}")
            known = self._runs.get(folder)
            if (known and known.goes_on) or is_being_played(folder):
                raise ConfigError("the tournament is already running")
            if item.config is None and not (folder / DATABASE).is_file():
                raise ConfigError("the folder has records but no configuration to run")
            self._runs[folder] = _Run(item, self._notes)

    def stop(self, item: Item) -> None:
        """Ask a run to write its files and end; raises ConfigError if the site did not start it."""
        folder = item.path
        with self._lock:
            if (known := self._runs.get(folder)) is not None and known.goes_on:
                known.process.send_signal(signal.SIGINT)
            elif (left := self._left_in(folder)) is not None:
                left.interrupt()
            else:
                raise ConfigError(
                    "the tournament was started in another terminal. Stop it there with Ctrl-C"
                    if is_being_played(folder)
                    else "the tournament is not running"
                )

    def is_ours(self, folder: Path) -> bool:
        """Return True if this site can stop the run in a directory."""
        known = self._runs.get(folder)
        return (known is not None and known.goes_on) or self._left_in(folder) is not None

    def _left_in(self, folder: Path) -> Process | None:
        """Return the run that another site has left running in a directory, if there is one."""
        if not is_being_played(folder) or (found := self._notes.read(folder)) is None:
            return None
        run, site = found
        return run if run.goes_on and not site.goes_on else None

    def log(self, folder: Path) -> list[str]:
        """Return the last lines of a run's output, for this site's run or a killed site's."""
        if (known := self._runs.get(folder)) is not None:
            return _lines(known.said)
        found = self._notes.read(folder)
        if found is None or found[1].goes_on or (said := self._notes.left(folder)) is None:
            return []
        with said:
            return _lines(said)

    def view(self, item: Item, standing: Mapping[str, Any]) -> dict[str, Any]:
        """Return the lines of a tournament's run, and whether an order to start or stop can work.

        A tournament whose games are all played cannot be started.
        """
        is_playing = standing["is_playing"]
        is_over = 0 < standing["total"] <= standing["done"]
        is_known = item.config is not None or (item.path / DATABASE).is_file()
        return {
            "log": self.log(item.path),
            "can_start": is_known and not (is_playing or is_over),
            "can_stop": is_playing and self.is_ours(item.path),
        }

    def close(self) -> None:
        """Stop all runs, and wait until they have written their files."""
        going = [run.process for run in self._runs.values() if run.goes_on]
        for process in going:
            process.send_signal(signal.SIGINT)
        for process in going:
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:  # The next run resumes from the stored games.
                process.kill()
                process.wait()
        for run in self._runs.values():
            run.said.close()


def _lines(said: BinaryIO) -> list[str]:
    """Return the last lines of a run's output."""
    descriptor = said.fileno()
    size = os.fstat(descriptor).st_size
    text = os.pread(descriptor, TAIL, max(0, size - TAIL)).decode("utf-8", "replace")
    return [line.rstrip()[:1000] for line in text.splitlines()[-LINES:]]
