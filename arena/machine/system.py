"""The machine's resources: cores, open files and disks.

A bot and the runner's worker take turns on one core, so that neither waits for a core to wake up.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import resource
import shlex
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from lath.arena.errors import (
    LACKS,
    ConfigError,
    DamagedError,
    DiskError,
    InUseError,
    MachineError,
    MovedError,
    StoreError,
)

_TOPOLOGY: Final = Path("/sys/devices/system/cpu")
_CPUS: Final = Path("/proc/cpuinfo")
_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")

Cores = tuple[int, ...]
"""Numbers of cores, in the system's numbering."""


def available() -> Cores:
    """Return the cores that this process may use, one of each physical core before its siblings.

    The number is limited by a container's quota, but there is at least one.
    """
    allowed = sorted(
        os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    )
    leading: dict[str, int] = {}  # by the name of the physical core
    for core in allowed:
        try:
            siblings = (_TOPOLOGY / f"cpu{core}/topology/thread_siblings_list").read_text().strip()
        except OSError:  # unknown on this system
            siblings = str(core)
        leading.setdefault(siblings, core)
    ordered = sorted(allowed, key=lambda core: core not in leading.values())
    try:
        share, period = _QUOTA.read_text().split()
        most = max(1, int(share) // int(period))
    except (OSError, ValueError):  # no such file, or "max"
        most = len(ordered)
    return tuple(ordered[:most])


def games_at_once(threads: int) -> int:
    """Return for how many games with this many threads there are cores; at least 1."""
    return max(1, len(available()) // threads)


def shares(slots: int, threads: int, cores: Sequence[int]) -> list[Cores] | None:
    """Return separate cores for each slot, or None if there are too few.

    `threads` is the number of cores that a game needs at the same time.

    >>> shares(2, 1, (0, 1, 2))
    [(0,), (1,)]
    """
    if slots * threads > len(cores):
        return None
    return [tuple(cores[slot * threads : (slot + 1) * threads]) for slot in range(slots)]


def machine_bytes() -> int:
    """Return the machine's memory in bytes; 0 if unknown."""
    with suppress(OSError, ValueError):  # names that some systems do not have
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return 0


def machine() -> dict[str, Any]:
    """Return the description of this machine for `reports.background.Machine`."""
    cpu = platform.machine()  # `platform.processor` starts a program
    with suppress(OSError):
        models = re.findall(r"^model name\s*:\s*(.+)$", _CPUS.read_text(), re.MULTILINE)
        cpu = models[0] if models else cpu
    return {
        "cpu": cpu,
        "cores": os.cpu_count() or 1,
        "memory_bytes": machine_bytes(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


_RUNNER: Final = 48
"""Open files of a runner without workers: database, records, terminal, modules being loaded."""

_EACH_SLOT: Final = 4
"""Open files per worker: two pipes, and two more while it starts."""

_WORKER: Final = 64
"""Open files of a worker: four for each bot, and its own."""


def open_files(jobs: int) -> int:
    """Return the open files that a process of a run with so many games at a time may need."""
    return max(_RUNNER + _EACH_SLOT * jobs, _WORKER)


def ensure(jobs: int) -> None:
    """Raise the limit on open files as far as a run with so many games at a time needs it.

    Call this before anything is started, because a later failure would lose bots in the middle of
    games. Raises ConfigError if the system refuses.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = open_files(jobs)
    if soft >= wanted or soft == resource.RLIM_INFINITY:
        return
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise ConfigError(
            f"--jobs: {jobs} games at a time need {wanted} open files, but the limit is {hard}; "
            "lower --jobs or raise the limit",
            hint=f"ulimit -n {wanted}",
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


ROOM: Final = 100_000_000
"""Bytes that should be free when a tournament begins: about 30,000 games."""

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

_PROBE: Final = 1 << 16
"""Bytes to write; more than any file system has left in a block."""


def is_full(folder: Path) -> bool:
    """Return whether a folder's disk or quota is full."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as probe:
            probe.write(bytes(_PROBE))
            os.fsync(probe.fileno())
    except OSError as error:
        return error.errno in _FULL
    return False


_DAMAGED: Final = (0, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_TOOBIG)
"""Kinds of errors that a valid database never gives. 0 is for Python's own errors, such as text
that is not UTF-8."""


_HINDERED: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)
"""Kinds of errors when a file cannot be made, for lack of permission or space."""


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn a database's errors into StoreError."""
    try:
        yield
    except sqlite3.Error as error:
        raise _database_error(path, error) from error


@contextmanager
def reading_database(path: Path) -> Iterator[None]:
    """Turn a database's errors, and errors about invalid values in it, into StoreError."""
    try:
        with database_errors(path):
            yield
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise DamagedError(str(error), path) from error


def primary_code(error: sqlite3.Error) -> int:
    """Return the kind of a database error without its details; 0 if it has none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def in_words(error: Exception) -> str:
    """Return the message of a database error on one line, without the text that it concerns."""
    return "a text is not UTF-8" if "decode to UTF-8" in str(error) else str(error)


MOVED: Final = "moved, removed or replaced during the run"


def _database_error(path: Path, error: sqlite3.Error) -> StoreError:
    whole = getattr(error, "sqlite_errorcode", None)
    is_gone = whole == sqlite3.SQLITE_IOERR_FSTAT and not path.exists()
    if is_gone or whole == sqlite3.SQLITE_READONLY_DBMOVED:
        return MovedError(MOVED, path)
    kind, words = primary_code(error), in_words(error)
    if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return InUseError("locked by another program", path)
    if kind == sqlite3.SQLITE_FULL:
        return DiskError(words, path, ": ", is_full=True)
    if kind == sqlite3.SQLITE_IOERR:  # also SQLite's error for an exhausted quota
        return DiskError(words, path, ": ", is_full=is_full(path.parent))
    if kind in _HINDERED and is_full(path.parent):
        return DiskError(f"{words}, the disk is full", path, ": ", is_full=True)
    if kind == sqlite3.SQLITE_NOTADB:
        return DamagedError(f"not a tournament: {words}", path, ": ")
    return DamagedError(words, path) if kind in _DAMAGED else StoreError(words, path, ": ")


def writing_error(path: Path, error: OSError, what: str = "written") -> StoreError:
    """Return the exception for a file that cannot be written, or cannot be `what`."""
    wrong = f"cannot be {what}: {error.strerror or error}"
    if error.errno in (*_FULL, *LACKS, errno.EIO):
        return DiskError(wrong, path, is_full=error.errno != errno.EIO)
    return StoreError(wrong, path)


class HeldFolder:
    """A folder that must stay in its place; a moved one may be replaced by another."""

    def __init__(self, path: Path) -> None:
        """Hold the folder that is there now; raises StoreError."""
        self._path: Final = path
        self._place: Final = path.absolute()  # a database keeps using this path
        try:
            self._held = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise writing_error(path, error, "opened") from error

    def close(self) -> None:
        """Release the folder; `path` must not be used afterwards."""
        os.close(self._held)
        self._held = -1

    @property
    def path(self) -> Path:
        """Return the path if it still leads to the folder; raises MovedError."""
        self.check()
        return self._path

    def check(self) -> None:
        """Raise MovedError if the path leads elsewhere or nowhere."""
        found = "another one"
        try:
            if os.path.samestat(os.fstat(self._held), os.stat(self._place)):  # noqa: PTH116 - 2 µs
                return
        except OSError as error:
            found = f"none ({error.strerror})"
        raise MovedError(
            f"{MOVED}: the folder of the run is not there; found {found}{self._now_at()}",
            self._path,
        )

    def _now_at(self) -> str:
        """Return a hint with the folder's present path, if the system knows it."""
        try:
            now = os.readlink(f"/proc/self/fd/{self._held}")  # noqa: PTH115 - not a real path
            is_there = os.path.samestat(os.fstat(self._held), os.stat(now))  # noqa: PTH116
        except OSError:
            return ""
        return f"; resume with: arena run --output {shlex.quote(now)}" if is_there else ""


PATIENCE_S: Final = 600.0
"""Seconds to wait for a missing resource, such as space on a full disk."""

FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 10.0
"""Seconds between two tries; each wait is twice as long as the last one."""

ENOUGH: Final = "the machine has enough again"

RETRIES: Final = 3
"""Number of tries after a failure that is not a lack of resources, since waiting does not fix it.
"""


class Patience:
    """Decides when to retry after the machine refuses something, and when to give up."""

    def __init__(self, warn: Callable[[str], None], patience_s: float, *, well: str) -> None:
        """`warn` gets a message when the waiting begins, and one with `well` when it ends."""
        self._warn: Final = warn
        self._patience_s: Final = patience_s
        self._well: Final = well
        self._tries = 0  # failed tries in a row
        self._began_s = 0.0  # time of the first of them
        self._next_s = 0.0

    @property
    def is_waiting(self) -> bool:
        """Return whether the last try failed."""
        return self._tries > 0

    @property
    def is_due(self) -> bool:
        """Return whether it is time for a try."""
        return not self._tries or time.monotonic() >= self._next_s

    def refused(self, warning: str, *, is_failing: bool = False) -> bool:
        """Note a failed try; return whether to try again.

        The first one in a row gives the `warning`. With `is_failing`, only a few more tries are
        allowed.
        """
        now_s = time.monotonic()
        self._tries += 1
        if self._tries == 1:
            self._began_s = now_s
        until_s = self._began_s + self._patience_s
        if (is_failing and self._tries > RETRIES) or now_s >= until_s:
            return False
        if self._tries == 1:
            self._warn(warning)
        wait_s = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (self._tries - 1))
        self._next_s = min(now_s + wait_s, until_s)
        return True

    def lacks(self, error: MachineError) -> None:
        """Note a try that the machine refused; raises MachineError if no try is left."""
        if not self.refused(f"{error}; no new game begins until there is enough; trying again"):
            raise MachineError(f"{error}; no bot has lost a game by it") from error

    def granted(self) -> None:
        """Note a successful try."""
        if self._tries:
            after_s = time.monotonic() - self._began_s
            self._tries = 0
            self._warn(f"after {after_s:.0f} s {self._well}; the run resumes")
