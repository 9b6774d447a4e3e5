"""A bot behind bubblewrap: namespaces of its own, and of the machine's files what it needs.

bwrap(1) has the words; that they wall off what they should is shown attack by attack in the tests.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from lath.arena.errors import NOTHING, Obstacle
from lath.arena.sandbox import seccomp, users
from lath.arena.sandbox.limits import OWN_TASKS

PROGRAM: Final = "bwrap"

_BECOMES: Final = ("setpriv", "--clear-groups", "--inh-caps=-all")
"""What the superuser starts a bot by, so that it is a user of its own besides."""

_BOUNDS: Final = ("prlimit", f"--nproc={OWN_TASKS}", "--")
"""What others start it by: only in its namespace are its processes not counted with theirs."""

HOME: Final = "/home/bot"
"""The bot's own folder behind the wall, in memory: gone with its process."""

IN_MEMORY: Final = (HOME, "/tmp", "/dev/shm")  # noqa: S108 - its own
"""What it may write: folders in memory."""

CACHE: Final = "/home/cache"
"""Where its cache is seen."""

_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""What programs and their libraries are in, as the system has it: folders, or links into /usr."""

_TOOLS: Final = ("/usr/", "/bin/", "/sbin/", "/nix/store/")
"""Where programs are that only root can change."""

_SETTINGS: Final = (
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime"),
    *("/etc/java*", "/etc/fonts", "/etc/mono", "/etc/R", "/nix/store"),
)
"""What programs look up of the system before they are the bot's; none of it is anybody's."""

_DEVICES: Final = ("null", "zero", "full", "random", "urandom")
"""All that there is in /dev, besides the streams: a terminal would count among the machine's."""

_NOBODY: Final = str(users.FIRST)
"""Who a bot is in a user namespace of somebody who is called root, but is not the host's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What of the machine's files a bot sees behind the wall, at the paths they have."""

    reads: tuple[str, ...] = ()
    """Files and folders, absolute, that it may read; nothing may write them."""

    writes: tuple[str, ...] = ()
    """Folders that it may write, too: where it is built."""

    cache: str = ""
    """A folder that it may write, for what it has compiled; empty: none."""

    scratch_bytes: int = 64 << 20
    """How much the files may take of each folder that it may write, in memory."""


class Descriptors(NamedTuple):
    """What bwrap is given, to be closed here once it has started."""

    filter: int
    """Where it reads the filter of system calls."""

    users: int
    """Where it reads who the users are: programs ask for their own name."""

    status: int
    """Where it says, as JSON, which process the bot is in."""


def command(
    words: Sequence[str],
    view: View,
    *,
    env: Mapping[str, str],
    cwd: str | None,
    fds: Descriptors,
    user: int | None = None,
) -> list[str]:
    """Return what starts a program behind the wall.

    `env` is all its environment. It begins in `cwd`, which has to be in what it reads, or in a
    folder of its own. The superuser may have it become another `user`; else there is a namespace of
    users, in which it is who we are.
    """
    room = str(view.scratch_bytes)
    if user is None:
        rights = ["--unshare-user", "--disable-userns", "--cap-drop", "ALL"]
        if os.geteuid() == 0:
            rights += ["--uid", _NOBODY, "--gid", _NOBODY]
        words = [_tool(_BOUNDS[0]), *_BOUNDS[1:], *words]
    else:
        rights = ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        becomes = (_tool(_BECOMES[0]), *_BECOMES[1:], f"--reuid={user}", f"--regid={user}")
        words = [*becomes, "--", *words]
    return [
        _tool(PROGRAM),
        *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        *("--unshare-cgroup-try", *rights),
        *("--die-with-parent", "--new-session", "--hostname", "bot"),
        *("--json-status-fd", str(fds.status), "--seccomp", str(fds.filter), "--clearenv"),
        *(word for name, value in env.items() for word in ("--setenv", name, value)),
        *_system(),
        *("--perms", "0444", "--file", str(fds.users), "/etc/passwd"),
        *("--proc", "/proc"),
        *_devices(),
        *(
            word
            for place in IN_MEMORY
            for word in ("--perms", "1777", "--size", room, "--tmpfs", place)
        ),
        *_visible(view),
        *(("--bind", view.cache, CACHE) if view.cache else ()),
        # The kernel's settings below /proc/sys belong to root, whom no namespace makes another.
        *("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"),
        *("--chdir", cwd or HOME, "--", *words),
    ]


@cache
def _tool(name: str) -> str:
    """Return the path of a program of the system; empty: there is none.

    A PATH that names a bot's folder would have the bot's own program run as root.
    """
    for place in os.get_exec_path():
        found = os.path.realpath(f"{place}/{name}")
        if found.startswith(_TOOLS) and os.access(found, os.X_OK):
            return found
    return ""


@cache
def _system() -> tuple[str, ...]:
    """Return how the system's programs are shown."""
    words: list[str] = []
    for path in _SYSTEM:
        if os.path.islink(path):
            words += ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            words += ("--ro-bind", path, path)
    words += ("--perms", "0755", "--dir", "/etc")
    for pattern in _SETTINGS:
        for path in _matching(pattern):
            if (target := os.path.realpath(path)).startswith("/usr/"):  # a mount costs 0.1 ms
                words += ("--symlink", target, path)
            else:
                words += ("--ro-bind", path, path)
    return tuple(words)


def _devices() -> Iterator[str]:
    """Yield how /dev is made."""
    yield from ("--perms", "0755", "--tmpfs", "/dev")
    for name in _DEVICES:
        yield from ("--dev-bind", f"/dev/{name}", f"/dev/{name}")
    yield from ("--symlink", "/proc/self/fd", "/dev/fd")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        yield from ("--symlink", f"/proc/self/fd/{number}", f"/dev/{name}")


def _matching(pattern: str) -> Iterator[str]:
    """Yield the paths that there are of one whose last part may end in `*`."""
    folder, _, name = pattern.rpartition("/")
    if not name.endswith("*"):
        yield from [pattern] if os.path.exists(pattern) else []
    elif os.path.isdir(folder):
        found = sorted(each for each in os.listdir(folder) if each.startswith(name[:-1]))
        yield from (f"{folder}/{each}" for each in found)


def _visible(view: View) -> Iterator[str]:
    """Yield how paths are shown, those in others after them, and what their links lead to."""
    shown = {path for path in view.reads if not path.startswith(("/usr/", "/proc/", "/dev/"))}
    shown |= {os.path.realpath(path) for path in shown}
    last = "//"  # nothing begins so
    made = {*_SYSTEM, *IN_MEMORY}

    def around(path: str) -> Iterator[str]:
        parts = path.split("/")[1:-1]
        for size in range(1, len(parts) + 1):  # the outermost first, without the root
            if (place := "/" + "/".join(parts[:size])) not in made:
                made.add(place)
                yield from ("--perms", "0755", "--dir", place)

    for path in sorted(shown):
        if path.startswith(f"{last}/"):
            continue
        last = path
        yield from around(path)
        yield from ("--ro-bind", path, path)
    for path in view.writes:
        yield from around(path)
        yield from ("--bind", path, path)


def descriptors(status: int, user: int | None = None, *, builds: bool = False) -> Descriptors:
    """Return what bwrap is given for a bot that becomes `user`; None: that is who we are.

    `status` is the end of a pipe that is written to. What `builds` may lock files.
    """
    number = os.getuid() if user is None else user
    entry = f"bot:x:{number}:{number}:bot:{HOME}:/bin/sh\n"
    rules = seccomp.program(seccomp.BUILDING) if builds else seccomp.program()
    return Descriptors(_file("seccomp", rules), _file("passwd", entry.encode()), status)


def _file(name: str, content: bytes) -> int:
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


@cache
def why_not(*, has_own_user: bool = False) -> Obstacle:
    """Return why no bot can be walled off here, and what to do about it.

    `has_own_user`: the superuser asks for a bot that becomes a user of its own.
    """
    if not _tool(PROGRAM):
        return Obstacle("bwrap is not installed", "install the package bubblewrap")
    starter = (_BECOMES if has_own_user else _BOUNDS)[0]
    if not _tool(starter):
        return Obstacle(f"{starter} is not installed", "install the package util-linux")
    if not seccomp.has_filter():
        return Obstacle(f"the arena has no system call filter for {os.uname().machine}")
    user = users.FIRST if has_own_user else None
    said, status_fd = os.pipe()
    fds = descriptors(status_fd, user)
    try:
        tried = subprocess.run(
            command(
                ["true"],
                View(),
                env={},
                cwd=None,
                fds=fds,
                user=user,
            ),
            pass_fds=fds,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Obstacle(f"bwrap does not start: {error}")
    finally:
        for descriptor in (said, *fds):
            os.close(descriptor)
    if tried.returncode == 0:
        return NOTHING
    words = tried.stderr.decode("utf-8", "replace").strip().splitlines()
    return Obstacle(
        f"bwrap cannot make its sandbox: {words[-1] if words else tried.returncode}",
        _remedy(),
        "; ",
    )


_REMEDIES: Final = (
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
    ("/proc/sys/user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)
"""Settings of the system that forbid user namespaces: file, value, what allows them."""


def _remedy() -> str:
    for path, value, setting in _REMEDIES:
        with suppress(OSError), open(path, encoding="ascii") as file:
            if file.read().strip() == value:
                return f"sysctl -w {setting} allows it"
    return ""
