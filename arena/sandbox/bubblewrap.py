"""The bubblewrap sandbox: separate namespaces, with only the files that a bot needs.

bwrap(1) explains the options; the tests show attack by attack that they isolate the bot.
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
"""The command with which the superuser starts a bot as a user of its own."""

_BOUNDS: Final = ("prlimit", f"--nproc={OWN_TASKS}", "--")
"""The command with which other users start it, so that its processes are counted separately."""

HOME: Final = "/home/bot"
"""The bot's home folder in the sandbox, in memory, which is lost with its process."""

IN_MEMORY: Final = (HOME, "/tmp", "/dev/shm")  # noqa: S108 - inside the sandbox
"""The folders in memory that the bot can write."""

CACHE: Final = "/home/cache"
"""The path of its cache in the sandbox."""

_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""The system's folders of programs and libraries, or links into /usr."""

_TOOLS: Final = ("/usr/", "/bin/", "/sbin/", "/nix/store/")
"""The folders of programs that only root can change."""

_SETTINGS: Final = (
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime"),
    *("/etc/java*", "/etc/fonts", "/etc/mono", "/etc/R", "/nix/store"),
)
"""System files that programs read at their start; none of them is private."""

_DEVICES: Final = ("null", "zero", "full", "random", "urandom")
"""The devices in /dev, besides the streams; a terminal would belong to the machine."""

_NOBODY: Final = str(users.FIRST)
"""The user of a bot in a namespace whose creator is root there, but not on the host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The machine's files that a bot sees in the sandbox, under their own paths."""

    reads: tuple[str, ...] = ()
    """The absolute paths of files and folders that it can read, but not write."""

    writes: tuple[str, ...] = ()
    """The folders that it can also write, to build in them."""

    cache: str = ""
    """A folder that it can write for compiled code; empty without a cache."""

    scratch_bytes: int = 64 << 20
    """The size limit of each writable folder in memory, in bytes."""


class Descriptors(NamedTuple):
    """The descriptors given to bwrap, to close here after its start."""

    filter: int
    """The descriptor from which it reads the filter of system calls."""

    users: int
    """The descriptor from which it reads the users, for programs that ask for their name."""

    status: int
    """The descriptor to which it writes the process of the bot, as JSON."""


def command(
    words: Sequence[str],
    view: View,
    *,
    env: Mapping[str, str],
    cwd: str | None,
    fds: Descriptors,
    user: int | None = None,
) -> list[str]:
    """Return the command that starts a program in the sandbox.

    `env` is its whole environment. It starts in `cwd`, which must be a readable path or a folder of
    its own. The superuser can have it become another `user`. Default: this user, in a user
    namespace.
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
        # Root could change the kernel settings below /proc/sys from any namespace.
        *("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"),
        *("--chdir", cwd or HOME, "--", *words),
    ]


@cache
def _tool(name: str) -> str:
    """Return the path of a system program; empty if it is not installed.

    Searching PATH further could run a bot's own program as root.
    """
    for place in os.get_exec_path():
        found = os.path.realpath(f"{place}/{name}")
        if found.startswith(_TOOLS) and os.access(found, os.X_OK):
            return found
    return ""


@cache
def _system() -> tuple[str, ...]:
    """Return the options that show the system's programs."""
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
    """Yield the options that create /dev."""
    yield from ("--perms", "0755", "--tmpfs", "/dev")
    for name in _DEVICES:
        yield from ("--dev-bind", f"/dev/{name}", f"/dev/{name}")
    yield from ("--symlink", "/proc/self/fd", "/dev/fd")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        yield from ("--symlink", f"/proc/self/fd/{number}", f"/dev/{name}")


def _matching(pattern: str) -> Iterator[str]:
    """Yield the existing paths of a pattern whose last part may end in `*`."""
    folder, _, name = pattern.rpartition("/")
    if not name.endswith("*"):
        yield from [pattern] if os.path.exists(pattern) else []
    elif os.path.isdir(folder):
        found = sorted(each for each in os.listdir(folder) if each.startswith(name[:-1]))
        yield from (f"{folder}/{each}" for each in found)


def _visible(view: View) -> Iterator[str]:
    """Yield the options that show paths and the targets of their links, outer paths first."""
    shown = {path for path in view.reads if not path.startswith(("/usr/", "/proc/", "/dev/"))}
    shown |= {os.path.realpath(path) for path in shown}
    last = "//"  # no path begins like this
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
    """Return the descriptors for a bot that becomes `user`. Default: this user.

    `status` is the writing end of a pipe. A bot that `builds` can lock files.
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
    """Return the obstacle to this sandbox on this machine, with the command that removes it.

    `has_own_user`: the superuser asks for a bot with a user of its own.
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
"""System settings that forbid user namespaces: the file, the value, and the setting to use."""


def _remedy() -> str:
    for path, value, setting in _REMEDIES:
        with suppress(OSError), open(path, encoding="ascii") as file:
            if file.read().strip() == value:
                return f"sysctl -w {setting} allows it"
    return ""
