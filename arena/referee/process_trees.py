"""Whose processes are whose: the marks of bots' trees, and the end of all that a tree leaves.

Only Linux tells the marks of other processes; elsewhere process groups have to do. Every worker has
this in its memory: no pathlib, tempfile or shutil here (PTH), which would cost it two megabytes.
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
"""Environment variable that tells whose tree a process belongs to."""

_SCRATCH: Final = "lath-bot-"

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
"""How a folder is opened, and never what a link leads to."""

_PR_SET_CHILD_SUBREAPER: Final = 36

_ON_LINUX: Final = sys.platform == "linux"

_LIBC: Final = ctypes.CDLL(None, use_errno=True) if _ON_LINUX else None

SWEEP_S: Final = 10.0
"""How long a sweep goes after processes that start others as fast as they are killed."""

FEW_MISSES, MANY_MISSES = 3, 1000
"""Looks for orphans in a row that find none, after which there is none: where other children are
known, and where there must be one. The system promises to show all only of those that stand."""

BURIAL_S: Final = 1.0
"""How long who was killed is waited for: a process that is traced stays as long as its tracer."""

NEEDED: Final = 1 << 20
"""Bytes that should be free for a bot's scratch folder."""

own: Final[set[int]] = set()
"""The processes that this one started and waits for itself; other children are orphans."""

_inherited: Final[set[int]] = set()
"""Children that this process had before it adopted any: of the program that it was."""

_adopts = False
_root = ""


def new_scratch(mark: str) -> str:
    """Make a folder for the process with this mark; `sweep` takes it away. Raises MachineError."""
    folder = f"{scratch_root()}/{_SCRATCH}{mark}"
    try:
        os.mkdir(folder, mode=0o700)
    except OSError as error:
        raise lacking(f"no scratch folder can be made in {_root}", error.errno) from error
    return folder


def new_file(mark: str, content: bytes) -> str:
    """Make a file for everybody to read, which `sweep` takes away, too. Raises MachineError."""
    path = f"{scratch_root()}/{_SCRATCH}{mark}{os.urandom(8).hex()}"
    try:
        with open(path, "xb") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(content)
    except OSError as error:
        raise lacking(f"{_root}: no file can be made there", error.errno) from error
    return path


def lacking(event: str, code: int | None) -> MachineError:
    """Return what to raise where the system refuses something with an error that is nobody's."""
    words, lack = os.strerror(code or 0), LACKS.get(code or 0, "")
    return MachineError(f"{event}: {words}{lack and f' (the machine needs more {lack})'}")


def refuse_if_lacking(mark: str) -> None:
    """Raise MachineError where a bot would have no room for what it writes, or no process.

    It is tried with a file of this mark.
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
        if error.errno != errno.EFBIG:  # a limit of the user's own
            raise lacking(f"{_root}: bots have no room for files there", error.errno) from error
    try:  # the system counts it as it does a process
        trial = threading.Thread(target=int)
        trial.start()
        trial.join()
    except RuntimeError as error:
        raise lacking("bots: cannot start a process", errno.EAGAIN) from error


def without_scratch(text: str, mark: str) -> str:
    """Return what a process has said without the path of its scratch folder, which nobody wrote."""
    # Only from where a word begins: else a long word is searched again from each of its letters.
    return re.sub(rf"(?<![^\s'\"])[^\s'\"]*/{_SCRATCH}{re.escape(mark)}/", "", text)


def settle(scratch_root: str) -> None:
    """Have scratch folders made in this folder; else they are where the system has such."""
    global _root  # noqa: PLW0603 - it is a fact about the process
    _root = scratch_root


def scratch_root() -> str:
    """Return the folder of scratch folders; raises MachineError where none can be written."""
    if not _root:
        from tempfile import gettempdir  # costs a worker a megabyte: `settle` says it

        try:
            settle(gettempdir())
        except OSError as error:
            raise MachineError(
                f"TMPDIR: no folder can hold scratch folders: {error.strerror}"
            ) from error
    return _root


def adopt_orphans() -> None:
    """Make this process the parent of its descendants' orphans, so that `sweep` can end them.

    Only for a process that starts nothing but bots, and what it puts into `own`.
    """
    global _adopts  # noqa: PLW0603 - it is a fact about the process
    if _LIBC is not None:
        if not _adopts:
            _inherited.update(_orphans())
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1)
        _adopts = True


def reap_orphans() -> None:
    """Let go of adopted orphans that have ended; cheap enough for every pair of games."""
    if not _adopts:
        return
    with suppress(ChildProcessError):
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid in own | _inherited:
                return
            os.waitpid(ended.si_pid, 0)


def sweep(mark: str, spare: Sequence[str] = ()) -> int:
    """End every process whose mark begins with `mark`; return how many there were.

    Those whose mark begins with one of `spare` live on. Adopted orphans that dropped their mark end
    too, where no bot runs whose they may be; and scratch folders of the mark go, as far as they
    can: `scratches` tells what is left.
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
    """End adopted processes until there is none; return which there were.

    Who forks and exits at once is another process at each look, and some looks miss it.
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
    """Kill processes and their groups, and let go of children; return those that are held."""
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
    """Return whether who has no mark and is a child of this process is no running bot's."""
    # Of a copy: the other thread lets go of bots that this one has just ended.
    return _adopts and all(_state(pid)[0] in "ZX" for pid in tuple(own))


def _orphans() -> list[int]:
    """Return the children of this process that it has not started itself, or most of them."""
    return [pid for pid in _children("self") if pid not in own | _inherited]


def _children(process: int | str) -> list[int]:
    """Return the children of a process, or most of them; raises OSError."""
    found: list[int] = []
    for task in os.listdir(f"/proc/{process}/task"):
        # A kernel without CONFIG_PROC_CHILDREN: `_strays` has to do.
        with suppress(OSError), open(f"/proc/{process}/task/{task}/children", "rb") as file:
            found += map(int, file.read().split())
    return found


def is_alone(process: int) -> bool:
    """Return whether a process has no children, as far as the system tells."""
    with suppress(OSError):
        return not _children(process)
    return False


def _bury(pid: int, until_s: float) -> bool:
    """Let go of a child that was killed; return whether it is gone, or another's.

    One that somebody traces stays as long as who traces it: `reap_orphans` comes back to it.
    """
    with suppress(ChildProcessError):
        while os.waitpid(pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > until_s:
                return False
            time.sleep(0.001)
    return True


def cores() -> int:
    """Return how many cores this process and what it starts may use."""
    return len(os.sched_getaffinity(0)) if _ON_LINUX else os.cpu_count() or 1


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process and its descendants, in seconds; 0 where nobody tells.

    What its children had used when they ended counts as its own.
    """
    return used_s(descendants(pid))


def used_s(pids: Iterable[int]) -> float:
    """Return the CPU time of processes and of their children that have ended, in seconds."""
    total_s = 0.0
    for pid in pids:
        with suppress(OSError):  # it has ended
            total_s += _own_cpu_s(pid)
            with open(f"/proc/{pid}/stat", "rb") as file:
                ended = sum(map(int, file.read().rpartition(b")")[2].split()[13:15]))
            total_s += ended / os.sysconf("SC_CLK_TCK")
    return total_s


def is_running(pid: int) -> bool:
    """Return whether a process is on a core, or waits for one, at this moment."""
    return _state(pid)[0] == "R"


def descendants(pid: int) -> list[int]:
    """Return a process and all that come from it, as far as the system tells."""
    found, waiting = [pid], [pid]
    while waiting:
        with suppress(OSError):  # it has ended
            children = _children(waiting.pop())
            found += children
            waiting += children
    return found


def family(pid: int, mark: str, user: int | None = None) -> list[int]:
    """Return the processes of a bot: its first one, what comes from it, and what we have adopted.

    Adopted ones are known by their mark, or by the user that only this bot is.
    """
    found = descendants(pid)
    for orphan in _orphans() if _adopts else ():
        if _is_of(orphan, mark, user):
            found += descendants(orphan)
    return found


_STOPS: Final = 5
"""Looks for processes to stop: each may have started others before it was stopped itself."""


def stop(pid: int, mark: str, user: int | None = None) -> None:
    """Stop the processes of a bot, as far as they are found; see `family`."""
    stopped: set[int] = set()
    for _ in range(_STOPS):
        if not (found := {*family(pid, mark, user)} - stopped):
            return
        _signal(found, signal.SIGSTOP)
        stopped |= found


def resume(pid: int, mark: str, user: int | None = None) -> None:
    """Let the processes of a bot go on that were stopped."""
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
    """Return what a process has used itself, exactly: many that use little use much together."""
    try:  # clock_getcpuclockid(3) of the process, which the standard library does not have
        return time.clock_gettime(~pid << 3 | 2)
    except OSError:  # it has ended, and nobody has waited for it
        with open(f"/proc/{pid}/schedstat", "rb") as file:
            return int(file.read().split()[0]) / 1e9


def scratches(mark: str, spare: Sequence[str] = ()) -> list[str]:
    """Return the scratch folders that there are of a mark: after `sweep`, what it had to leave."""
    unwanted = tuple(f"{_SCRATCH}{other}" for other in spare)
    try:
        root = scratch_root()
        names = os.listdir(root)
    except (OSError, MachineError):  # whoever needs one is told
        return []
    return [
        f"{root}/{name}"
        for name in names
        if name.startswith(f"{_SCRATCH}{mark}") and not name.startswith(unwanted)
    ]


def remove(folder: str) -> None:
    """Remove a folder and all in it; nothing that a link leads to. What cannot go stays.

    However deep folders lie in each other, this takes no recursion and two descriptors: each is
    moved up into the first one before it is looked into.
    """
    with suppress(OSError):
        try:
            os.rmdir(folder)  # nearly all are empty
        except NotADirectoryError:
            os.unlink(folder)  # its bot has put a link in its place
        except OSError:
            empty(folder)
            os.rmdir(folder)


def empty(folder: str) -> None:
    """Remove all in a folder, as far as it can go; raises OSError where it cannot be opened."""
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
    """Remove the files of an open folder; return the folders in it, which anybody may move."""
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
    """Let this user look into a folder and change it, whatever its bot has forbidden."""
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
    """Return the letter of a process's state, and its parent; an `X`, the dead, and 0 without it.

    The name that stands before them may hold anything, but ends in `)`.
    """
    with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        state, parent = file.read().rpartition(b")")[2].split()[:2]
        return state.decode(), int(parent)
    return "X", 0
