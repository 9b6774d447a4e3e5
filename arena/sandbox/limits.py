"""The limits and environment variables of every bot, in any sandbox.

Limits are not a sandbox: they keep a careless bot from exhausting the machine. Every worker has
this module in memory, so it does not import pathlib (PTH).
"""

from __future__ import annotations

import ctypes
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import cache
from typing import Final

import lath
from lath.arena.sandbox import seccomp, users

DESCRIPTORS: Final = 1024
"""Maximum number of open files of a bot."""

FILE_BYTES: Final = 1 << 28
"""Maximum size of a file that a bot writes, in bytes."""

MORE_TASKS: Final = 4096
"""Processes and threads that a user's bots may add to those that ran before. The system does not
enforce this limit for the superuser."""

OWN_TASKS: Final = 256
"""Maximum number of processes and threads of a bot with its own user."""

OWN_DESCRIPTORS: Final = 8192
"""Maximum number of open files of all processes of such a bot; each takes kernel memory."""

LOCKED_BYTES: Final = 64 << 20
"""Maximum memory that a process can lock against swapping, in bytes."""

SIGNALS: Final = 1024
"""Maximum number of pending signals and timers of a process; each timer takes one signal."""

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38

_LIBC: Final = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

_KEPT: Final = re.compile(
    r"PATH|HOME|LANG|LANGUAGE|LC_[A-Z]+|TZ|LD_LIBRARY_PATH|LATH_GAMES|LATH_BOT_.+"
)
"""The arena's variables that a bot receives: paths, language, time zone, games and `LATH_BOT_…`.

Other variables may contain keys or passwords, or show where the tournament is.
"""

_OUT_OF_MEMORY: Final = re.compile(
    r"MemoryError|bad_alloc|out of memory|OutOfMemory|cannot allocate memory|memory allocation of"
    r"|failed to allocate",
    re.IGNORECASE,
)
"""The messages of programs in several languages before they end for lack of memory."""

_SANITIZER: Final = re.compile(
    r"(Address|Thread|Memory|Leak)Sanitizer:? (failed|CHECK failed|.*allocate|.*memory mapping)"
)
"""The messages of a build with sanitizers that cannot reserve its addresses."""

_NEAR: Final = 0.5
"""The part of its limit that counts as near, because a growing table doubles in size."""

_FIRST_TO_END: Final = b"1000"
"""The highest score (proc(5), oom_score_adj), so that the system ends bots first if memory runs
out."""


def environment(own: Mapping[str, str], scratch: str) -> dict[str, str]:
    """Return a bot's environment variables: its own and the arena's that it needs."""
    kept = {name: value for name, value in os.environ.items() if _KEPT.fullmatch(name)}
    return {**kept, "TMPDIR": scratch, **own}


_PLACES: Final = "import sys; print(*sys.path, sep='\\0', end='')"
"""A program that prints the paths on which a Python looks for modules."""


@cache
def launched() -> tuple[str, ...]:
    """Return the module paths of this process that a new Python would not use.

    A launcher adds them: a wrapper, or an archive of zipapp, pex or shiv. Empty if the arena is
    installed.
    """
    import sysconfig  # start-up time

    ours = os.path.dirname(os.path.dirname(os.path.abspath(lath.__file__)))
    if ours in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):
        return ()
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    try:
        ran = subprocess.run(
            (sys.executable, "-P", "-c", _PLACES), env=alone, capture_output=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return (ours,)
    own = os.fsdecode(ran.stdout).split("\0")
    if ours in own:
        return ()
    found = dict.fromkeys(os.path.abspath(place) for place in (ours, *filter(None, sys.path)))
    return tuple(place for place in found if place not in own and os.path.exists(place))


def with_modules(variables: Mapping[str, str]) -> dict[str, str]:
    """Return environment variables with which a new Python finds the modules of this one."""
    places = os.pathsep.join(filter(None, (*launched(), variables.get("PYTHONPATH", ""))))
    return {**variables, "PYTHONPATH": places} if launched() else dict(variables)


def is_this_python(program: str) -> bool:
    """Return whether a program is the Python that runs the arena."""
    is_named = "python" in program and "/" not in program
    return sys.executable in (program, is_named and shutil.which(program))


def restriction(
    memory_bytes: int | None,
    held: Collection[int] = (),
    *,
    user: int | None = None,
    is_own: bool = False,
) -> Callable[[], None]:
    """Return the function that a child runs between fork and exec to set its limits.

    It also ends the child with its parent. `memory_bytes` limits the data of the process. Default:
    no limit, because programs reserve more addresses than they use (terabytes with sanitizers). The
    signals in `held` are blocked. `user` is the user to become. Default: this user. `is_own` states
    that this user has no other processes.
    """
    parent = os.getpid()
    load = seccomp.loader()
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: DESCRIPTORS,
        resource.RLIMIT_FSIZE: FILE_BYTES,
        resource.RLIMIT_NPROC: OWN_TASKS if is_own else tasks_before() + MORE_TASKS,
        **_kernels(),
        **({resource.RLIMIT_DATA: memory_bytes} if memory_bytes else {}),
    }

    def restrict() -> None:
        for what, value in limits.items():
            hard = resource.getrlimit(what)[1]  # keep a lower limit
            limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(what, (limit, limit))
        _end_first()
        if user is not None:
            users.become(user)
            if _LIBC is not None:
                _LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
                load()
        die_with(parent)  # changing the user resets it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, held)

    return restrict


def _end_first() -> None:
    """Make the system end this process and its children first if memory runs out."""
    with suppress(OSError):  # not Linux
        file = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        try:
            os.write(file, _FIRST_TO_END)
        finally:
            os.close(file)


@cache
def _kernels() -> dict[int, int]:
    """Return limits for kernel resources of a process, as far as this system has them."""
    bounds = {
        "RLIMIT_MEMLOCK": LOCKED_BYTES,
        "RLIMIT_SIGPENDING": SIGNALS,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_NICE": 0,
        "RLIMIT_RTPRIO": 0,
    }
    return {
        getattr(resource, name): most for name, most in bounds.items() if hasattr(resource, name)
    }


def die_with(parent: int) -> None:
    """Make this process end when `parent`, which started it, ends."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)  # the parent had already ended


def close_to_others() -> None:
    """Keep other processes of this user from tracing this one and from reading its memory.

    They cannot look at its environment, working folder and open files either (`ptrace(2)`).
    """
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


@cache
def tasks_before() -> int:
    """Return the number of processes and threads when this process first asked.

    It includes all users, since that is cheap to count and more than enough.
    """
    with suppress(OSError, ValueError, IndexError), open("/proc/loadavg", encoding="ascii") as file:
        return int(file.read().split()[3].partition("/")[2])
    return 0


def out_of_memory(memory_bytes: int | None, last_words: str, held_bytes: int = 0) -> str:
    """Return a message that a bot exceeded its memory limit; empty without evidence.

    The evidence is its own last message, or `held_bytes` close to the limit.
    """
    if memory_bytes is None:
        return ""
    allowed = f"{memory_bytes / (1 << 20):g} MiB allowed"
    if _SANITIZER.search(last_words):
        return f" out of memory ({allowed}; a build with sanitizers starts without `memory`)"
    if _OUT_OF_MEMORY.search(last_words):
        return f" out of memory ({allowed})"
    if held_bytes < _NEAR * memory_bytes:
        return ""
    return f" near its memory limit: it held {held_bytes / (1 << 20):.0f} MiB ({allowed})"
