"""The kinds of sandbox, and the start of a process in each.

There are three kinds, each with the limits of `limits`: no further sandbox, a separate user, or
bubblewrap.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, Literal

from lath.arena.errors import NOTHING, Obstacle
from lath.arena.sandbox import bubblewrap, cgroups, users
from lath.arena.sandbox.bubblewrap import View
from lath.arena.sandbox.cgroups import ControlGroup
from lath.arena.sandbox.limits import (
    OWN_TASKS,
    environment,
    is_this_python,
    restriction,
    with_modules,
)

Kind = Literal["limits", "user", "bwrap"]

SANDBOXES: Final = ("auto", "none", "user", "bwrap")
"""The valid values: the best available, limits only, and the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotSandbox:
    """The sandbox of a bot; picklable, because workers receive it."""

    kind: Kind = "limits"
    view: View = field(default_factory=View)
    """The files that are visible inside bubblewrap."""

    tree_bytes: int = 0
    """The memory limit for all processes of the bot together, in bytes; 0 for no limit."""

    cores: float = 0
    """The number of cores they can use continuously, together; 0 for no limit."""

    cache_bytes: int = 0
    """The size limit of the files in its cache, in bytes; 0 for no limit."""

    @property
    def is_watched(self) -> bool:
        """Return True if its processes or files have a limit on their total."""
        return bool(self.tree_bytes or self.cores or (self.view.cache and self.cache_bytes))

    @property
    def has_own_user(self) -> bool:
        """Return True if the bot becomes a user of its own.

        In bubblewrap it does so whenever root starts it: no code of a bot runs as root.
        """
        return self.kind == "user" or (self.kind == "bwrap" and users.can_be_given())

    def why_not(self) -> Obstacle:
        """Return the obstacle to this sandbox on this machine, with the command that removes it."""
        if self.is_watched and sys.platform != "linux":
            return Obstacle("only Linux reports what all processes of a bot use together")
        if self.kind == "user" and not users.can_be_given():
            return Obstacle(
                "only the superuser can run bots as other users", "start the arena as root"
            )
        if self.kind == "bwrap":
            why = bubblewrap.why_not(has_own_user=self.has_own_user)
            if not why and users.is_superuser_of_host() and not self.has_own_user:
                return Obstacle(
                    "bots would run as the host's root, because this user namespace has no other "
                    "users",
                    f"map the users {users.FIRST} to {users.LAST} into it",
                    "; ",
                )
            return why
        return NOTHING


NO_WALL: Final = BotSandbox()


@dataclass(slots=True, kw_only=True)
class ProcessStart:
    """The arguments of `subprocess.Popen` for a bot."""

    words: Sequence[str]
    env: Mapping[str, str]
    cwd: str
    restrict: Callable[[], None]
    passed: tuple[int, ...] = ()
    """Descriptors that the process inherits."""

    group: ControlGroup | None = None
    """The control group of its processes, if they have one."""

    user: int | None = None
    """The user that it becomes, to be released after its end."""

    status_fd: int = -1
    """The descriptor from which bubblewrap's report is read; -1 for other sandboxes."""

    inner_pid: int = 0
    """The first process inside bubblewrap, which starts the bot; 0 if not yet known."""

    def bot_pid(self, started: int) -> int:
        """Return the bot's process if it exists by now; otherwise the started process."""
        if self.status_fd < 0:
            return started
        with suppress(OSError, ValueError, LookupError):
            if not self.inner_pid:
                told, *_ = os.read(self.status_fd, 4096).split(b"\n")
                self.inner_pid = json.loads(told)["child-pid"]
            with open(f"/proc/{self.inner_pid}/task/{self.inner_pid}/children", "rb") as file:
                return int(file.read().split()[0])
        return started

    def end(self) -> None:
        """Release what the process needed; none of its processes may be left."""
        if self.status_fd >= 0:
            os.close(self.status_fd)
        if self.user is not None:
            users.release(self.user)


@contextmanager
def beginning(
    wall: BotSandbox,
    words: Sequence[str],
    *,
    own_env: Mapping[str, str],
    mark: Mapping[str, str],
    cwd: str | None,
    scratch: str,
    memory_bytes: int | None,
    held: Collection[int],
) -> Iterator[ProcessStart]:
    """Give the arguments to start a bot's process; what only the start needs is closed at the end.

    The variables in `mark` identify the bot's processes. `scratch` is a folder for this bot alone;
    the bot's user becomes its owner. The signals in `held` stay blocked. Raises OSError.
    """
    user = _claimed(wall)
    becomes = user if wall.kind == "user" else None
    opened: Sequence[int] = ()
    group = cgroups.make(
        os.path.basename(scratch),
        tree_bytes=wall.tree_bytes,
        cores=wall.cores,
        tasks=0 if wall.kind == "limits" else OWN_TASKS,
    )
    try:
        if is_this_python(words[0]):
            own_env = with_modules(own_env)
        env = environment(own_env, scratch)
        restrict = restriction(memory_bytes, held, user=becomes, is_own=user is not None)
        if becomes is not None:
            os.chown(scratch, becomes, becomes)
            env |= {"HOME": scratch, **own_env}
        if wall.view.cache:
            env |= {"XDG_CACHE_HOME": wall.view.cache, **own_env}
        env |= mark
        if wall.kind != "bwrap":
            yield ProcessStart(
                words=words, env=env, cwd=cwd or scratch, restrict=restrict, user=user, group=group
            )
            return
        status_fd, told_fd = os.pipe()
        os.set_blocking(status_fd, False)
        opened = fds = bubblewrap.descriptors(told_fd, user, builds=bool(wall.view.writes))
        inside = {"HOME": bubblewrap.HOME, "TMPDIR": "/tmp"}  # noqa: S108 - inside the sandbox
        if wall.view.cache:
            inside["XDG_CACHE_HOME"] = bubblewrap.CACHE
        # The bot's own variables must not affect setpriv, which runs as root, or its loader. The
        # loader's path is always set, since an empty part of it would mean the bot's folder.
        kept = environment({}, scratch)
        loads = {name: value for name, value in kept.items() if name.startswith("LD_")}
        own = {name: value for name, value in {**loads, **own_env}.items() if name not in mark}
        walled = bubblewrap.command(
            _with_variables(words, own),
            wall.view,
            env={**{name: kept[name] for name in kept.keys() - loads.keys()}, **inside, **mark},
            cwd=cwd,
            fds=fds,
            user=user,
        )
        yield ProcessStart(
            words=walled,
            env={"PATH": os.environ.get("PATH", os.defpath), **mark},
            cwd="/",
            restrict=restrict,
            passed=fds,
            user=user,
            group=group,
            status_fd=status_fd,
        )
    except BaseException:
        if user is not None:
            users.release(user)
        if group is not None:
            group.remove()
        raise
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _with_variables(words: Sequence[str], own: Mapping[str, str]) -> Sequence[str]:
    """Return a command that runs another command with more environment variables."""
    if not own:
        return words
    if "=" in words[0]:  # env(1) would read it as a variable
        words = ["/bin/sh", "-c", 'exec "$0" "$@"', *words]
    return ["/usr/bin/env", "--", *(f"{name}={value}" for name, value in own.items()), *words]


def _claimed(wall: BotSandbox) -> int | None:
    """Return the user that a bot becomes, or None for this user. Raises OSError."""
    if not wall.has_own_user:
        return None
    # A cache is shared with the bot's processes in other games at the same time.
    return users.claim_owner(wall.view.cache) if wall.view.cache else users.claim()
