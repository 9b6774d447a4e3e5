"""A control group a bot, where version 2 has any: all its processes in one, counted and ended.

What a group can hold to its bounds depends on the controllers that this machine has handed down to
us; to end all processes of a group at once takes none (cgroups(7), and the kernel's cgroup-v2.rst).
Nothing is taken from others: no controller is switched on, no process but a bot is moved. Must not
know who watches, nor the protocol. Every worker has this in its memory: no pathlib here (PTH).
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Final

_BOUNDS: Final = {"memory": "memory.max", "cpu": "cpu.max", "pids": "pids.max"}
"""Controllers that bound a bot, and the file that says a group has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """What this process may do with control groups."""

    home: str = ""
    """The folder in which it may make groups, and move its children there; empty: there is none."""

    controllers: frozenset[str] = frozenset()
    """Which of `memory`, `cpu` and `pids` bound such a group; the watchdog sees to the others."""

    can_kill: bool = False
    """Whether all processes of a group can be ended at once (Linux 5.14)."""

    why_not: str = ""
    """Why there is no home, and what to do about it; empty: there is one."""


@cache
def what_is_here() -> Here:
    """Return what this process may do with control groups, found by making one and removing it.

    Of the groups above ours, and ours, in which we may make others, the nearest is taken whose
    groups have the `memory` controller; else the nearest.
    """
    if sys.platform != "linux":
        return Here(why_not="only Linux has control groups")
    try:
        with open("/proc/self/mountinfo", encoding="utf-8") as file:
            mounts = file.read()
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            own = file.read()
    except OSError as error:
        return Here(why_not=f"/proc does not tell of control groups: {error.strerror}")
    homes = candidates(mounts, own)
    if not homes:
        return Here(why_not="control groups of version 2 are not mounted: mount -t cgroup2")
    found = [here for home in homes if (here := _tried(home))]
    if not found:
        return Here(
            why_not=f"no control group can be made in {homes[0]}, where we are: start the arena by "
            f"systemd-run{'' if os.geteuid() == 0 else ' --user'} --scope -p Delegate=yes"
        )
    return next((here for here in found if "memory" in here.controllers), found[0])


def candidates(mounts: str, own: str) -> list[str]:
    """Return the folder of our group and of those around it, the nearest first.

    Takes what mountinfo and cgroup of /proc say of this process (proc(5)).
    """
    path = next((line[3:] for line in own.splitlines() if line.startswith("0::/")), "")
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        if path and after.startswith("cgroup2 "):
            root, mount = (_unescaped(field) for field in before.split()[3:5])
            inside = path if root == "/" else path.removeprefix(root)
            if root not in ("/", path[: len(root)]) or ".." in inside.split("/"):
                continue  # our group is not seen there
            parts = [part for part in inside.split("/") if part]
            return ["/".join([mount, *parts[:many]]) for many in range(len(parts), -1, -1)]
    return []


def _unescaped(field: str) -> str:
    """Return a path as it is: mountinfo has three octal digits where it has a blank."""
    return (
        field.encode().decode("unicode_escape").encode("latin-1").decode()
        if "\\" in field
        else field
    )


def _tried(home: str) -> Here | None:
    """Return what groups in a folder can do; None: we may make none, or move no child there."""
    if not os.access(f"{home}/cgroup.procs", os.W_OK):
        return None
    trial = f"{home}/lath-trial-{os.urandom(8).hex()}"
    try:
        os.mkdir(trial)
    except OSError:
        return None
    try:
        files = os.listdir(trial)
        with open(f"{trial}/cgroup.type", encoding="ascii") as file:
            if file.read().strip() != "domain":
                return None  # threads of ours are spread over groups there
    except OSError:
        return None
    finally:
        with suppress(OSError):
            os.rmdir(trial)
    has = frozenset(name for name, bound in _BOUNDS.items() if bound in files)
    return Here(home=home, controllers=has, can_kill="cgroup.kill" in files)
