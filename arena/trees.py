"""Whose processes are whose: the marks of bots' trees, and the end of all that a tree leaves.

Must not know pipes or the protocol. Only Linux tells the marks of other processes; elsewhere
process groups have to do.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

MARK: Final = "LATH_ARENA_TREE"
"""Environment variable that tells whose tree a process belongs to."""

_SCRATCH: Final = "lath-bot-"

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36

_ON_LINUX: Final = sys.platform == "linux"

_LIBC: Final = ctypes.CDLL(None, use_errno=True) if _ON_LINUX else None

own: Final[set[int]] = set()
"""The processes that this one started and waits for itself; other children are orphans."""

_adopts = False


def new_mark(tree: str) -> str:
    """Return a mark that no other process has, beginning with `tree`."""
    return f"{tree}{secrets.token_hex(8)}"


def new_scratch(mark: str) -> Path:
    """Make a folder for the process with this mark; `sweep` takes it away. Raises OSError."""
    return Path(tempfile.mkdtemp(prefix=f"{_SCRATCH}{mark}-"))


def die_with(parent: int) -> None:
    """Make this process end when `parent`, which started it, does."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)  # it ended before it could be watched


def adopt_orphans() -> None:
    """Make this process the parent of its descendants' orphans, so that `sweep` can end them.

    Only for a process that starts nothing but bots.
    """
    global _adopts  # noqa: PLW0603 - it is a fact about the process
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1)
        _adopts = True


def reap_orphans() -> None:
    """Let go of adopted orphans that have ended; cheap enough for every pair of games."""
    if not _adopts:
        return
    with suppress(ChildProcessError):
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid in own:
                return
            os.waitpid(ended.si_pid, 0)


def sweep(mark: str, spare: Sequence[str] = ()) -> int:
    """End every process whose mark begins with `mark`; return how many there were.

    Those whose mark begins with one of `spare` live on. Adopted orphans that dropped their mark end
    too, and scratch folders of the mark go.
    """
    killed: set[int] = set()
    while found := [pid for pid in _strays(mark, spare) if pid not in killed]:
        for pid in found:
            _kill(pid)
            killed.add(pid)
    _clear_scratch(mark, spare)
    return len(killed)


def _strays(mark: str, spare: Sequence[str]) -> list[int]:
    if not _ON_LINUX:
        return []
    wanted = f"{MARK}={mark}".encode()
    unwanted = tuple(f"{MARK}={other}".encode() for other in spare)
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or (pid := int(folder.name)) == os.getpid():
            continue
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
            marks = [v for v in variables if v.startswith(f"{MARK}=".encode())]
            if marks:
                is_stray = marks[0].startswith(wanted) and not marks[0].startswith(unwanted)
            else:
                is_stray = _adopts and pid not in own and _parent(folder) == os.getpid()
        except OSError:
            continue
        if is_stray:
            found.append(pid)
    return found


def _parent(folder: Path) -> int:
    """Return the parent of a process; the name before it may hold anything, but ends in `)`."""
    return int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError, ChildProcessError, PermissionError):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _clear_scratch(mark: str, spare: Sequence[str]) -> None:
    unwanted = tuple(f"{_SCRATCH}{other}" for other in spare)
    for folder in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}{mark}*"):
        if not folder.name.startswith(unwanted):
            shutil.rmtree(folder, ignore_errors=True)
