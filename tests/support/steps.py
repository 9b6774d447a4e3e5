"""Programs that are killed, or refused room, at a step: what they do to a folder and its database.

A copy of this process does it; Python itself says which files it writes, renames and removes, and
SQLite which statements it runs. So every step is a place to be killed at, whoever takes it.
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
    """What became of a program."""

    steps: list[str]
    status: int
    """-9 where it was killed."""

    said: str


def in_a_copy(
    folder: Path, do: Callable[[], tuple[int, str]], *, kill: int = 0, full: range = range(0)
) -> Ended:
    """Do something in a copy of this process: it returns a status, and what it says.

    It is killed before the step of the number `kill`, from 1; its steps in `full` have no room.
    """
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads hold no lock of it
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
    """Hears of each step before it is done, in a process that ends soon."""

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
        """Take the next step; return whether there is room for it."""
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
            follows = mode is not None and "tmp-" in str(path)  # what opens it again by `os.open`
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
