"""Which processes there are, as far as tests have to know; only on Linux is anything to see."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from pathlib import Path

from arena.referee.trees import MARK

PATIENCE_S = 2.0
"""How long a process that was killed may take to be gone."""


def new_tree() -> str:
    """Return the beginning of the marks of a test's processes."""
    return f"test-{secrets.token_hex(4)}."


def alive_of(tree: str) -> set[int]:
    """Return the processes of a tree that run, zombies not among them."""
    return pids_with(MARK, tree)


def pids_with(variable: str, begins: str) -> set[int]:
    """Return the processes with this environment variable, its value beginning so."""
    wanted = f"\0{variable}={begins}".encode()
    return {pid for pid, variables in _environments() if wanted in b"\0" + variables}


def _environments() -> list[tuple[int, bytes]]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            found.append((int(folder.name), (folder / "environ").read_bytes()))
        except OSError:
            continue
    return found


def workers_of(runner: int) -> list[int]:
    """Return the workers of a run: children that are no bots, nor copies about to become one.

    Python itself may start one that tracks resources.
    """
    return [pid for pid in children_of(runner) if _is_worker(pid, runner)]


def children_of(parent: int) -> list[int]:
    """Return the processes that a process has started, zombies among them."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(stat.parent.name))
    return found


def _is_worker(pid: int, runner: int) -> bool:
    try:
        is_bot = f"\0{MARK}=".encode() in b"\0" + Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    command = _command(pid)  # that of a zombie is empty
    is_other = not command or b"resource_tracker" in command or command == _command(runner)
    return not is_bot and not is_other


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def gone(what: Callable[[], object], within_s: float = PATIENCE_S) -> bool:
    """Return whether `what` is empty or false, or becomes so in this time."""
    until_s = time.monotonic() + within_s
    while what():
        if time.monotonic() > until_s:
            return False
        time.sleep(0.01)
    return True
