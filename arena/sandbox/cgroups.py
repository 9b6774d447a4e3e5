"""A control group for each bot, if possible, which counts and ends all its processes.

The limits of a group depend on the controllers that the machine delegates; ending all its processes
needs none (cgroups(7), cgroup-v2.rst). If version 2 lacks the memory controller, version 1's is
used (cgroup-v1/memory.rst). This module switches on no controller and moves only bots. Every worker
has it in memory, so it does not import pathlib (PTH).
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, NamedTuple

from lath.arena.errors import NOTHING, Obstacle

_BOUNDS: Final = {"memory": "memory.max", "cpu": "cpu.max", "pids": "pids.max"}
"""The controllers that limit a bot, and the file that shows each."""

_PERIOD_US: Final = 100_000
"""The period for a group's share of the cores, in microseconds: the kernel's default."""

_EMPTY_S: Final = 1.0
"""The time to wait for the processes of a killed group, in seconds."""

_CLONE3: Final = 435
"""The number of clone3(2), the same on all machines."""

_CLONE_PARENT, _CLONE_INTO_CGROUP = 0x8000, 0x200000000

_PID: Final = struct.Struct("=q")
"""The format of a process's number; negative for an error number."""

_LIBC: Final = ctypes.PyDLL(None, use_errno=True) if sys.platform == "linux" else None
"""The C library, called with Python's lock held: a clone has no other thread to return it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRights:
    """The permissions of this process for control groups."""

    home: str = ""
    """The folder in which it can make groups and move its children there; empty if impossible."""

    controllers: frozenset[str] = frozenset()
    """The controllers of `memory`, `cpu` and `pids` that limit such a group.

    The watchdog enforces the other limits.
    """

    memory_home: str = ""
    """The folder in which it can make groups of version 1's memory controller.

    Empty if that is impossible, or if version 2 has the controller.
    """

    can_kill: bool = False
    """True if all processes of a group can be ended at once (Linux 5.14)."""

    why_not: Obstacle = NOTHING
    """The obstacle to groups, with the command that removes it."""


@cache
def what_is_here() -> GroupRights:
    """Return this process's permissions for control groups, tested by making a group.

    It takes the nearest group, from this process's own upwards, that allows new groups and has the
    `memory` controller. Default: the nearest that allows new groups.
    """
    if sys.platform != "linux":
        return GroupRights(why_not=Obstacle("only Linux has control groups"))
    try:
        with open("/proc/self/mountinfo", encoding="utf-8") as file:
            mounts = file.read()
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            own = file.read()
    except OSError as error:
        return GroupRights(
            why_not=Obstacle(f"/proc does not list control groups: {error.strerror}")
        )
    homes = candidates(mounts, own)
    why_not = Obstacle("control groups of version 2 are not mounted", "mount -t cgroup2")
    if homes:
        command = f"systemd-run{'' if os.geteuid() == 0 else ' --user'} --scope -p Delegate=yes"
        why_not = Obstacle(
            f"no control group can be made in {homes[0]}, the group of this process",
            f"start the arena by {command}",
        )
    found = [here for home in homes if (here := _tried(home))]
    here = next((one for one in found if "memory" in one.controllers), None)
    here = here or (found[0] if found else GroupRights(why_not=why_not))
    if "memory" not in here.controllers:
        (nearest, *_) = (*candidates(mounts, own, "memory"), "")
        if nearest and _can_bound_memory_in(nearest):
            return replace(here, memory_home=nearest, controllers=here.controllers | {"memory"})
    return here


def candidates(mounts: str, own: str, controller: str = "") -> list[str]:
    """Return the folder of this process's group and of its parents, the nearest first.

    `mounts` and `own` are the contents of /proc/self/mountinfo and cgroup (proc(5)). With the name
    of a `controller` the folders are version 1's.
    """
    lines = [line.split(":", 2) for line in own.splitlines()]
    path = next((where for _, names, where in lines if controller in names.split(",")), "")
    kind = "cgroup " if controller else "cgroup2 "
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        has_it = not controller or controller in after.rpartition(" ")[2].split(",")
        if path.startswith("/") and after.startswith(kind) and has_it:
            root, mount = (_unescaped(field) for field in before.split()[3:5])
            inside = path if root == "/" else path.removeprefix(root)
            if root not in ("/", path[: len(root)]) or ".." in inside.split("/"):
                continue  # this process's group is not visible there
            parts = [part for part in inside.split("/") if part]
            return ["/".join([mount, *parts[:many]]) for many in range(len(parts), -1, -1)]
    return []


def _unescaped(field: str) -> str:
    """Return a path of mountinfo with its octal escapes, such as spaces, decoded."""
    return (
        field.encode().decode("unicode_escape").encode("latin-1").decode()
        if "\\" in field
        else field
    )


def _tried(home: str) -> GroupRights | None:
    """Return the permissions in a folder; None if groups or processes cannot be made there."""
    trial = f"{home}/lath-trial-{os.urandom(8).hex()}"
    try:
        os.mkdir(trial)
    except OSError:
        return None
    try:
        files = os.listdir(trial)
        folder = os.open(trial, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            can_start = _can_start_in(folder)
        finally:
            os.close(folder)
        if not can_start:
            return None
    except OSError:
        return None
    finally:
        _remove(trial)
    has = frozenset(name for name, bound in _BOUNDS.items() if bound in files)
    return GroupRights(home=home, controllers=has, can_kill="cgroup.kill" in files)


def _can_bound_memory_in(home: str) -> bool:
    """Return True if groups can be made in a folder of version 1's memory controller."""
    trial = _MemoryGroup(f"{home}/lath-trial-{os.urandom(8).hex()}")
    try:
        trial.make(1 << 30)
    except OSError:
        return False
    finally:
        _remove(trial.path)
    return os.access(f"{home}/tasks", os.W_OK)


class _MemoryGroup(NamedTuple):
    """A group of version 1's memory controller."""

    path: str

    def make(self, most_bytes: int) -> None:
        """Make the group and set its limit; raises OSError."""
        os.mkdir(self.path)
        _write(f"{self.path}/memory.limit_in_bytes", str(most_bytes))
        with suppress(OSError):  # some systems do not count swapped memory
            _write(f"{self.path}/memory.memsw.limit_in_bytes", str(most_bytes))

    def enter(self) -> None:
        """Join the group, between fork and exec; raises OSError.

        A thread that moves itself does not wait for all cores, unlike one that is moved.
        """
        tasks = os.open(f"{self.path}/tasks", os.O_WRONLY | os.O_CLOEXEC)
        os.write(tasks, b"0")
        os.close(tasks)


def _write(path: str, value: str) -> None:
    with open(path, "w", encoding="ascii") as setting:
        setting.write(value)


def _can_start_in(folder: int) -> bool:
    """Return True if a process can be started in the group of an open folder.

    Uses Popen to fork: a direct clone could wait for another thread, which does not exist in it.
    """

    def enter() -> None:
        if (pid := _clone_into(folder, signal.SIGCHLD)) > 0:
            os.waitpid(pid, 0)
        os._exit(int(pid < 0))

    return subprocess.Popen([sys.executable], preexec_fn=enter).wait() == 0  # noqa: PLW1509


def _clone_into(folder: int, exit_signal: int, flags: int = 0) -> int:
    """Fork into the group of an open folder; return the new process, 0 in it, or -1 on failure.

    Moving an existing process waits until every core has been idle or switched, for 10 ms or more.
    A process that starts in a group takes no longer than any fork.
    """
    assert _LIBC is not None
    arguments = struct.pack(
        "=11Q", flags | _CLONE_INTO_CGROUP, 0, 0, 0, exit_signal, 0, 0, 0, 0, 0, folder
    )
    return int(_LIBC.syscall(_CLONE3, arguments, ctypes.c_size_t(len(arguments))))


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """The control group of one bot."""

    path: str
    """Its folder among those of version 2; empty if it has none."""

    bounds: frozenset[str] = frozenset()
    """The controllers whose limits the system enforces."""

    memory: str = ""
    """Its folder among those of version 1's memory controller; empty if it has none."""

    def start(
        self,
        words: Sequence[str],
        *,
        preexec_fn: Callable[[], None],
        start_new_session: bool,
        **how: Any,
    ) -> subprocess.Popen[bytes]:
        """Start a program as `subprocess.Popen` does, in the group from its first instruction."""

        def begin() -> None:
            if self.memory:
                _MemoryGroup(self.memory).enter()
            preexec_fn()

        if self.path:
            return self._start_inside(words, begin, start_new_session=start_new_session, **how)
        return subprocess.Popen(
            words,
            preexec_fn=begin,  # noqa: PLW1509 - the caller's function
            start_new_session=start_new_session,
            **how,
        )

    def _start_inside(
        self,
        words: Sequence[str],
        begin: Callable[[], None],
        *,
        start_new_session: bool,
        **how: Any,
    ) -> subprocess.Popen[bytes]:
        """Start a program in a group of version 2.

        The process forked by Popen forks again into the group, as a child of this process, and
        ends.
        """
        told = mmap.mmap(-1, _PID.size)  # shared; a pipe would use more descriptors
        folder = os.open(self.path, os.O_DIRECTORY | os.O_CLOEXEC)

        def enter() -> None:
            pid = _clone_into(folder, 0, _CLONE_PARENT)
            if pid > 0:
                os._exit(0)
            _PID.pack_into(told, 0, os.getpid() if pid == 0 else -ctypes.get_errno())
            if pid < 0:
                os._exit(1)
            if start_new_session:
                os.setsid()
            begin()

        try:
            process = subprocess.Popen(
                words,
                preexec_fn=enter,  # noqa: PLW1509 - the caller's function
                start_new_session=start_new_session,
                **how,
            )
        except BaseException:
            (pid,) = _PID.unpack_from(told)
            if pid > 0:  # the program could not be started
                os.waitpid(pid, 0)
            raise
        finally:
            os.close(folder)
        (pid,) = _PID.unpack_from(told)
        process.wait()
        if pid < 0:
            with process:
                raise OSError(-pid, os.strerror(-pid))
        process.pid, process.returncode = pid, None
        return process

    def processes(self) -> list[int]:
        """Return the processes in the group that are visible from here."""
        told = _read(f"{self.path or self.memory}/cgroup.procs")
        return [pid for pid in map(int, told.split()) if pid]

    @property
    def cpu_s(self) -> float:
        """Return the CPU time of all present and former processes of the group, in seconds.

        Only for version 2; otherwise 0.
        """
        return _number(_read(f"{self.path}/cpu.stat"), "usage_usec") / 1e6

    @property
    def was_over_memory(self) -> bool:
        """Return True if the system has ended processes of the group for lack of memory."""
        if self.memory:
            return _number(_read(f"{self.memory}/memory.oom_control"), "oom_kill") > 0
        events = _read(f"{self.path}/memory.events")
        return "memory" in self.bounds and _number(events, "oom_kill") > 0

    def kill(self) -> None:
        """End all processes in the group at once, with their new children if the system can."""
        with suppress(OSError):
            self.hold("cgroup.kill", "1")
            return
        for pid in self.processes():
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    def freeze(self, *, on: bool) -> bool:
        """Stop all processes in the group, or let them run; return True if the system can (5.2)."""
        try:
            self.hold("cgroup.freeze", str(int(on)))
        except OSError:
            return False
        return True

    def remove(self) -> None:
        """Remove the group if all its processes have ended."""
        for path in filter(None, (self.path, self.memory)):
            _remove(path)

    def hold(self, file: str, value: str) -> None:
        """Set a limit; raises OSError."""
        _write(f"{self.path}/{file}", value)


def _read(path: str) -> str:
    """Return the contents of a file; empty if it does not exist."""
    with suppress(OSError), open(path, encoding="ascii") as file:
        return file.read()
    return ""


def _number(text: str, key: str) -> int:
    """Return one number of a text of names and numbers; 0 if the name is missing."""
    words = text.split()
    return int(words[words.index(key) + 1]) if key in words else 0


def make(
    name: str, *, tree_bytes: int = 0, cores: float = 0, tasks: int = 0
) -> ControlGroup | None:
    """Return a new group with as many of these limits as the system supports.

    The limits are bytes of all processes together, cores, and processes with threads; 0 for no
    limit. Returns None if groups cannot be made.
    """
    here = what_is_here()
    wanted = {
        "memory": {"memory.max": str(tree_bytes), "memory.oom.group": "1"} if tree_bytes else {},
        "cpu": {"cpu.max": f"{round(cores * _PERIOD_US)} {_PERIOD_US}"} if cores else {},
        "pids": {"pids.max": str(tasks)} if tasks else {},
    }
    kept = frozenset(name for name in here.controllers if wanted[name])
    memory = f"{here.memory_home}/{name}" if here.memory_home and "memory" in kept else ""
    if not (here.home or memory):
        return None
    group = ControlGroup(f"{here.home}/{name}" if here.home else "", kept, memory)
    try:
        if group.path:
            os.mkdir(group.path)
        if memory:
            _MemoryGroup(memory).make(tree_bytes)
        for controller in kept - ({"memory"} if memory else set()):
            for file, value in wanted[controller].items():
                group.hold(file, value)
    except OSError:  # for example, too many groups
        group.remove()
        return None
    with suppress(OSError):  # the file does not exist on a system without swap
        if "memory" in kept and not memory:
            group.hold("memory.swap.max", "0")
    return group


def leftovers(beginning: str, spare: tuple[str, ...] = ()) -> list[ControlGroup]:
    """Return existing groups by the beginning of their name, without those in `spare`."""
    here = what_is_here()
    found: list[ControlGroup] = []
    for home in filter(None, (here.home, here.memory_home)):
        with suppress(OSError):
            found += [
                ControlGroup(f"{home}/{name}")
                if home == here.home
                else ControlGroup("", memory=f"{home}/{name}")
                for name in os.listdir(home)
                if name.startswith(beginning) and not name.startswith(spare)
            ]
    return found


def _remove(path: str) -> None:
    until_s = time.monotonic() + _EMPTY_S
    while True:
        try:
            os.rmdir(path)
        except OSError as error:
            if error.errno == errno.EBUSY and time.monotonic() < until_s:
                time.sleep(0.0005)
                continue
        return
