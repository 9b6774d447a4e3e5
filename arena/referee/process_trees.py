"""The process trees of bots: marks that identify them, and sweeps that end all of their processes.

Only Linux shows the marks of other processes; other systems use process groups. Every worker has
this module in memory: it avoids pathlib, tempfile and shutil (PTH), which take two megabytes.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import count
from typing import Final

from lath.arena.errors import LACKS, MachineError
from lath.arena.sandbox import cgroups

MARK: Final = "LATH_ARENA_TREE"
"""The environment variable with the mark of the process's tree."""

_SCRATCH: Final = "lath-bot-"

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
"""The flags that open a folder, and fail for a link."""

_PR_SET_CHILD_SUBREAPER: Final = 36

_ON_LINUX: Final = sys.platform == "linux"

_LIBC: Final = ctypes.CDLL(None, use_errno=True) if _ON_LINUX else None

SWEEP_S: Final = 10.0
"""The time limit of a sweep in seconds: processes may keep starting others."""

FEW_MISSES, MANY_MISSES = 3, 1000
"""The number of looks in a row without an orphan after which the search ends.

The first is used if other children are known, the second if a child must exist. The system promises
a complete list only for stopped processes.
"""

BURIAL_S: Final = 1.0
"""The time to wait for the end of a killed process: a traced one stays as long as its tracer."""

NEEDED: Final = 1 << 20
"""The bytes that must be free for a bot's scratch folder."""

own: Final[set[int]] = set()
"""The processes that this one started and waits for itself; other children are orphans."""

_inherited: Final[set[int]] = set()
"""Children that this process had before it adopted any, from the program that it was before."""

_adopts = False
_root = ""


def new_scratch(mark: str) -> str:
    """Make and return a folder for the process with this mark, which `sweep` removes.

    Raises MachineError.
    """
    folder = f"{scratch_root()}/{_SCRATCH}{mark}"
    try:
        os.mkdir(folder, mode=0o700)
    except OSError as error:
        raise lacking(f"no scratch folder can be made in {_root}", error.errno) from error
    return folder


def new_file(mark: str, content: bytes) -> str:
    """Make and return a file that every user can read and `sweep` removes; raises MachineError."""
    path = f"{scratch_root()}/{_SCRATCH}{mark}{os.urandom(8).hex()}"
    try:
        with open(path, "xb") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(content)
    except OSError as error:
        raise lacking(f"{_root}: no file can be made there", error.errno) from error
    return path


def lacking(event: str, code: int | None) -> MachineError:
    """Return the MachineError for a system error that no bot caused."""
    words, lack = os.strerror(code or 0), LACKS.get(code or 0, "")
    return MachineError(f"{event}: {words}{lack and f' (the machine needs more {lack})'}")


def refuse_if_lacking(mark: str) -> None:
    """Raise MachineError if a new bot would have no disk space or no process.

    The check writes a file of this mark.
    """
    path = f"{scratch_root()}/{_SCRATCH}{mark}{os.urandom(8).hex()}"
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            left = NEEDED
            while left:
                left -= os.write(file, bytes(left))
        finally:
            os.close(file)
            os.unlink(path)
    except OSError as error:
        if error.errno != errno.EFBIG:  # a limit of this user
            raise lacking(f"{_root}: bots have no room for files there", error.errno) from error
    try:  # a thread counts like a process
        trial = threading.Thread(target=int)
        trial.start()
        trial.join()
    except RuntimeError as error:
        raise lacking("bots: cannot start a process", errno.EAGAIN) from error


def without_scratch(text: str, mark: str) -> str:
    """Return a text of a process without the path of its scratch folder."""
    # Only at the start of a word; otherwise a long word is searched from each of its characters.
    return re.sub(rf"(?<![^\s'\"])[^\s'\"]*/{_SCRATCH}{re.escape(mark)}/", "", text)


def settle(scratch_root: str) -> None:
    """Set the folder for scratch folders. Default: the system's folder for temporary files."""
    global _root  # noqa: PLW0603 - it is a fact about the process
    _root = scratch_root


def scratch_root() -> str:
    """Return the folder for scratch folders; raises MachineError if none is writable."""
    if not _root:
        from tempfile import gettempdir  # a worker avoids this megabyte by calling `settle`

        try:
            settle(gettempdir())
        except OSError as error:
            raise MachineError(
                f"TMPDIR: no folder can hold scratch folders: {error.strerror}"
            ) from error
    return _root


def adopt_orphans() -> None:
    """Make this process the parent of its descendants' orphans, so that `sweep` can end them.

    Only for a process that starts nothing besides bots and the processes in `own`.
    """
    global _adopts  # noqa: PLW0603 - it is a fact about the process
    if _LIBC is not None:
        if not _adopts:
            _inherited.update(_orphans())
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1)
        _adopts = True


def reap_orphans() -> None:
    """Release adopted orphans that have ended; fast enough to call after every pair of games."""
    if not _adopts:
        return
    with suppress(ChildProcessError):
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid in own | _inherited:
                return
            os.waitpid(ended.si_pid, 0)


def sweep(mark: str, spare: Sequence[str] = ()) -> int:
    """End every process whose mark begins with `mark`; return their number.

    Processes whose mark begins with one of `spare` survive. Adopted orphans without a mark end too,
    if no running bot can own them. Scratch folders of the mark are removed; `scratches` lists those
    that remain.
    """
    killed: set[int] = set()
    groups = cgroups.leftovers(f"{_SCRATCH}{mark}", tuple(f"{_SCRATCH}{each}" for each in spare))
    for group in groups:
        found = group.processes()
        group.kill()
        _end(found)
        killed.update(found)
    while found := [pid for pid in _strays(mark, spare) if pid not in killed]:
        _end(found)
        killed.update(found)
    killed.update(_end_orphans())
    for group in groups:
        group.remove()
    for folder in scratches(mark, spare):
        remove(folder)
    return len(killed)


def _end_orphans() -> set[int]:
    """End adopted processes until none is left; return the ended ones.

    A process that forks and exits at once is a different one at each look, and some looks miss it.
    """
    killed: set[int] = set()
    held: set[int] = set()
    misses, until_s = 0, time.monotonic() + SWEEP_S
    while _may_adopt() and _has_children() and time.monotonic() < until_s:
        found = [pid for pid in _orphans() if pid not in held]
        killed.update(pid for pid in found if _state(pid)[0] not in "ZX")
        held.update(_end(found))
        misses = 0 if found else misses + 1
        if misses > (FEW_MISSES if own or _inherited or held else MANY_MISSES):
            break
    return killed


def _end(pids: Sequence[int]) -> list[int]:
    """Kill processes and their groups, and release children; return the remaining ones."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            group = os.getpgid(pid)
            os.kill(pid, signal.SIGKILL)
            if group != os.getpgrp():
                os.killpg(group, signal.SIGKILL)
    until_s = time.monotonic() + BURIAL_S
    return [pid for pid in pids if not _bury(pid, until_s)]


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _may_adopt() -> bool:
    """Return True if a child without a mark cannot belong to a running bot."""
    # A copy, because another thread removes bots that have just ended.
    return _adopts and all(_state(pid)[0] in "ZX" for pid in tuple(own))


def _orphans() -> list[int]:
    """Return the children of this process that it has not started itself; some may be missing."""
    return [pid for pid in _children("self") if pid not in own | _inherited]


def _children(process: int | str) -> list[int]:
    """Return the children of a process; some may be missing. Raises OSError."""
    found: list[int] = []
    for task in os.listdir(f"/proc/{process}/task"):
        # A kernel without CONFIG_PROC_CHILDREN: `_strays` is used instead.
        with suppress(OSError), open(f"/proc/{process}/task/{task}/children", "rb") as file:
            found += map(int, file.read().split())
    return found


def is_alone(process: int) -> bool:
    """Return True if a process has no children, as far as the system shows."""
    with suppress(OSError):
        return not _children(process)
    return False


def _bury(pid: int, until_s: float) -> bool:
    """Wait for the end of a killed child; return True if it has ended or is not a child.

    A traced process stays as long as its tracer; `reap_orphans` releases it later.
    """
    with suppress(ChildProcessError):
        while os.waitpid(pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > until_s:
                return False
            time.sleep(0.001)
    return True


def cores() -> int:
    """Return the number of cores that this process and its children can use."""
    return len(os.sched_getaffinity(0)) if _ON_LINUX else os.cpu_count() or 1


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process and its descendants, in seconds; 0 if unknown.

    The time of ended children counts for their parent.
    """
    return used_s(descendants(pid))


def used_s(pids: Iterable[int]) -> float:
    """Return the CPU time of processes and of their ended children, in seconds."""
    total_s = 0.0
    for pid in pids:
        with suppress(OSError):  # it has ended
            total_s += _own_cpu_s(pid)
            with open(f"/proc/{pid}/stat", "rb") as file:
                ended = sum(map(int, file.read().rpartition(b")")[2].split()[13:15]))
            total_s += ended / os.sysconf("SC_CLK_TCK")
    return total_s


def is_running(pid: int) -> bool:
    """Return True if a process runs or is ready to run now."""
    return _state(pid)[0] == "R"


def descendants(pid: int) -> list[int]:
    """Return a process and its descendants, as far as the system shows."""
    found, waiting = [pid], [pid]
    while waiting:
        with suppress(OSError):  # it has ended
            children = _children(waiting.pop())
            found += children
            waiting += children
    return found


def family(pid: int, mark: str, user: int | None = None) -> list[int]:
    """Return the processes of a bot: the first one, its descendants and adopted orphans.

    Adopted ones are known by their mark, or by a user id that only this bot has.
    """
    found = descendants(pid)
    for orphan in _orphans() if _adopts else ():
        if _is_of(orphan, mark, user):
            found += descendants(orphan)
    return found


_STOPS: Final = 5
"""The number of looks for processes to stop: each may start others before it stops."""


def stop(pid: int, mark: str, user: int | None = None) -> None:
    """Stop the processes of a bot that can be found; see `family`."""
    stopped: set[int] = set()
    for _ in range(_STOPS):
        if not (found := {*family(pid, mark, user)} - stopped):
            return
        _signal(found, signal.SIGSTOP)
        stopped |= found


def resume(pid: int, mark: str, user: int | None = None) -> None:
    """Let the stopped processes of a bot run again."""
    _signal(family(pid, mark, user), signal.SIGCONT)


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _is_of(pid: int, mark: str, user: int | None) -> bool:
    try:
        if user is not None and os.stat(f"/proc/{pid}").st_uid == user:
            return True
        with open(f"/proc/{pid}/environ", "rb") as file:
            return f"{MARK}={mark}".encode() in file.read().split(b"\0")
    except OSError:  # it has ended
        return False


def _own_cpu_s(pid: int) -> float:
    """Return the exact CPU time of one process: small amounts of many add up."""
    try:  # clock_getcpuclockid(3), which the standard library lacks
        return time.clock_gettime(~pid << 3 | 2)
    except OSError:  # it has ended, and its parent has not waited for it
        with open(f"/proc/{pid}/schedstat", "rb") as file:
            return int(file.read().split()[0]) / 1e9


def scratches(mark: str, spare: Sequence[str] = ()) -> list[str]:
    """Return the existing scratch folders of a mark: after `sweep`, those it could not remove."""
    unwanted = tuple(f"{_SCRATCH}{other}" for other in spare)
    try:
        root = scratch_root()
        names = os.listdir(root)
    except (OSError, MachineError):  # an error is reported when a scratch folder is needed
        return []
    return [
        f"{root}/{name}"
        for name in names
        if name.startswith(f"{_SCRATCH}{mark}") and not name.startswith(unwanted)
    ]


def remove(folder: str) -> None:
    """Remove a folder and its contents, as far as possible, without following links.

    Works for any depth without recursion and with two descriptors: it moves each inner folder up
    into the first one before it looks into it.
    """
    with suppress(OSError):
        try:
            os.rmdir(folder)  # nearly all folders are empty
        except NotADirectoryError:
            os.unlink(folder)  # the bot has replaced it by a link
        except OSError:
            empty(folder)
            os.rmdir(folder)


def empty(folder: str) -> None:
    """Remove the contents of a folder, as far as possible; raises OSError if it cannot open it."""
    _unlock(folder)
    top = os.open(folder, _FOLDER)
    try:
        new = os.urandom(8).hex()
        numbers = count()
        inside = _without_files(top)
        while inside:
            name = inside.pop()
            with suppress(OSError):
                here = os.open(name, _FOLDER, dir_fd=top)
                try:
                    for deeper in _without_files(here):
                        above = f"{new}.{next(numbers)}"
                        with suppress(OSError):
                            os.rename(deeper, above, src_dir_fd=here, dst_dir_fd=top)
                            inside.append(above)
                finally:
                    os.close(here)
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)


def _without_files(folder: int) -> list[str]:
    """Remove the files of an open folder; return its folders, which any user can then move."""
    with os.scandir(folder) as found:
        entries = list(found)
    folders = []
    for entry in entries:
        with suppress(OSError):
            if entry.is_dir(follow_symlinks=False):
                _unlock(entry.name, folder)
                folders.append(entry.name)
            else:
                os.unlink(entry.name, dir_fd=folder)
    return folders


def _unlock(name: str, folder: int | None = None) -> None:
    """Give this user full rights on a folder, whatever its bot has set."""
    if os.chmod in os.supports_follow_symlinks:
        os.chmod(name, 0o700, dir_fd=folder, follow_symlinks=False)
        return
    place = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    try:
        os.chmod(f"/proc/self/fd/{place}", 0o700)
    finally:
        os.close(place)


def _strays(mark: str, spare: Sequence[str]) -> list[int]:
    if not _ON_LINUX:
        return []
    wanted = f"{MARK}={mark}".encode()
    unwanted = tuple(f"{MARK}={other}".encode() for other in spare)
    may_adopt = _may_adopt()
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or (pid := int(name)) == os.getpid():
            continue
        with suppress(OSError):  # it has ended
            with open(f"/proc/{pid}/environ", "rb") as file:
                variables = file.read().split(b"\0")
            if marks := [v for v in variables if v.startswith(f"{MARK}=".encode())]:
                is_stray = marks[0].startswith(wanted) and not marks[0].startswith(unwanted)
            else:
                is_stray = may_adopt and _state(pid)[1] == os.getpid() and pid not in _inherited
            if is_stray:
                found.append(pid)
    return found


def _state(pid: int) -> tuple[str, int]:
    """Return the letter of a process's state and its parent; `X` and 0 if it does not exist.

    The name before these fields may contain anything, but ends with `)`.
    """
    with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        state, parent = file.read().rpartition(b")")[2].split()[:2]
        return state.decode(), int(parent)
    return "X", 0
