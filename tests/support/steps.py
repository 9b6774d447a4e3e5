"""Programs that are killed, or get a full disk, at a step of their work on a folder and a database.

A fork of this process does the work. Python reports which files it writes, renames and removes, and
SQLite which statements it runs. So every step is a possible place for a kill.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import sqlite3
import sys
import warnings
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

_CHANGES: Final = {"os.mkdir": "make", "os.rename": "put", "os.remove": "remove", "os.rmdir": "end"}
_SQL: Final = re.compile(
    r"(?:INSERT|REPLACE)\b.*? INTO (\w+)|UPDATE (\w+)|(COMMIT)|DELETE FROM (\w+)"
)


class Ended(NamedTuple):
    """The end of a program."""

    steps: list[str]
    status: int
    """-9 after a kill."""

    said: str


def in_a_copy(
    folder: Path, do: Callable[[], tuple[int, str]], *, kill: int = 0, full: range = range(0)
) -> Ended:
    """Call a function, which returns a status and a text, in a fork of this process.

    The fork is killed before the step with the number `kill`, from 1; in the steps `full` its disk
    is full.
    """
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads hold no lock
        child = os.fork()
    if not child:
        status = 99
        try:
            os.close(reading)
            _Steps(folder, writing, kill, full).begin()
            status, said = do()
            os.write(writing, b"\n" + said.encode())
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        steps, _, said = f"\n{pipe.read()}".partition("\n\n")
    _, how = os.waitpid(child, 0)
    return Ended(steps.strip().splitlines(), os.waitstatus_to_exitcode(how), said)


class _Steps:
    """Handles each step before it is done, in a short-lived process."""

    def __init__(self, folder: Path, told: int, kill: int, full: range) -> None:
        self._folder = str(folder)
        self._told = told
        self._kill = kill
        self._full = full
        self._numbers = count(1)
        self._tables: set[str] = set()

    def begin(self) -> None:
        sys.addaudithook(self._hear)
        connect = sqlite3.connect

        def traced(path: Any, *given: Any, **more: Any) -> sqlite3.Connection:
            database: sqlite3.Connection = connect(path, *given, **more)
            if str(path).startswith(self._folder):
                database.set_trace_callback(self._run)
            return database

        sqlite3.connect = traced  # type: ignore[assignment]

    def _step(self, name: str) -> bool:
        """Count the next step; return whether the disk has space for it."""
        number = next(self._numbers)
        if number == self._kill:
            os.kill(os.getpid(), signal.SIGKILL)
        os.write(self._told, f"{name}\n".encode())
        return number not in self._full

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if event in _CHANGES:
            self._change(_CHANGES[event], args[event == "os.rename"])
        elif event == "open":
            path, mode, flags = args
            follows = mode is not None and "tmp-" in str(path)  # `os.open` opens it again
            if not follows and flags & (os.O_CREAT | os.O_WRONLY):
                self._change("write", path)

    def _change(self, what: str, path: Any) -> None:
        if isinstance(path, int) or not os.fsdecode(path).startswith(self._folder):
            return
        name = re.sub(r"^\.(.*?)(\.?\d+)?\.tmp.*$", r"\1", Path(os.fsdecode(path)).name)
        if not self._step(f"{what} {name or 'half'}"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _run(self, sql: str) -> None:
        found = _SQL.match(sql)
        if found and found[3]:
            self._step(f"commit {' '.join(sorted(self._tables)) or 'nothing'}")
            self._tables.clear()
        elif found:
            self._tables.add(found[1] or found[2] or found[4])
