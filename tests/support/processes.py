"""The processes of a test, and a clock for time limits; only Linux shows all processes."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from lath.arena.referee.process_trees import MARK

PATIENCE_S = 60.0
"""The longest wait for the end of a killed process, in seconds, on a busy machine."""

SHORTEST_S = 0.005
LONGEST_S = 0.04
"""The longest pause between two looks for processes, because looking costs more than waiting."""

_PRESSURE = Path("/proc/pressure/cpu")


def calm_s() -> float:
    """Return a clock, in seconds, that stands still while a process here waits for a core.

    A limit measured with it shows waiting, and not how busy the machine was. If the system does not
    report this, it is the monotonic clock.
    """
    try:  # "some avg10=0.00 avg60=0.00 avg300=0.00 total=MICROSECONDS"
        waited = _PRESSURE.read_text().splitlines()[0].rpartition("=")[2]
    except (OSError, IndexError):
        waited = "0"
    return time.monotonic() - int(waited) / 1e6


def new_tree() -> str:
    """Return a new mark for a test's processes."""
    return f"test-{secrets.token_hex(4)}."


def alive_of(tree: str) -> set[int]:
    """Return the running processes of a tree, without zombies."""
    return pids_with(MARK, tree)


def pids_with(variable: str, begins: str) -> set[int]:
    """Return the processes with an environment variable whose value begins with `begins`."""
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
    """Return the workers of a run: its children without bots and their forks before `exec`.

    Python itself may start a child that tracks resources, which is left out.
    """
    return [pid for pid in children_of(runner) if _is_worker(pid, runner)]


def children_of(parent: int) -> list[int]:
    """Return the children of a process, with zombies; empty if it has ended."""
    found: list[int] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{parent}/task").iterdir():
            with suppress(OSError):
                found += map(int, (thread / "children").read_bytes().split())
    return found


def _is_worker(pid: int, runner: int) -> bool:
    try:
        is_bot = f"\0{MARK}=".encode() in b"\0" + Path(f"/proc/{pid}/environ").read_bytes()
    except PermissionError:  # only root can read workers
        is_bot = False
    except OSError:
        return False
    command = _command(pid)  # empty for a zombie
    is_other = not command or b"resource_tracker" in command or command == _command(runner)
    return not is_bot and not is_other


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def still_running(pids: Iterable[int | str]) -> list[int]:
    """Return the running ones of these processes, without zombies."""
    return [int(pid) for pid in pids if _runs(int(pid))]


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in b"ZX"
    except OSError:
        return False


def gone(what: Callable[[], object], within_s: float = PATIENCE_S) -> bool:
    """Return whether `what` returns an empty or false value within this time."""
    until_s = time.monotonic() + within_s
    pause_s = SHORTEST_S
    while what():
        if time.monotonic() > until_s:
            return False
        time.sleep(pause_s)
        pause_s = min(1.5 * pause_s, LONGEST_S)
    return True
