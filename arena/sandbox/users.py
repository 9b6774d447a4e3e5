"""A user of its own for each bot that runs: what it may not reach, the system keeps from it.

Only the superuser can give users away. Their numbers are of the range that systemd uses for users
that live as long as their service (61184 to 65519, systemd.exec(5) DynamicUser), so no person and
no package has them. A process that has claimed one holds a lock on a byte of a file, which the
system takes back when the process ends.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

FIRST, LAST = 61184, 65519
"""The users that may be claimed, both included."""

_CLAIMS: Final = ("/run/lath-users", "/var/tmp/lath-users")  # noqa: S108 - the superuser's
"""The file of which each claimed user has a byte locked: the first whose folder is there."""

_claimed: Final[Counter[int]] = Counter()
"""How often this process has claimed each user."""

_file = -1


def can_be_given() -> bool:
    """Return whether this process may run others as another user."""
    return hasattr(os, "geteuid") and os.geteuid() == 0 and _is_mapped()


def is_superuser_of_host() -> bool:
    """Return whether this process is user 0, and no user namespace makes it another one outside."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return False
    return next((outside == 0 for low, outside, _ in _spans() if low == 0), True)


def _is_mapped() -> bool:
    """Return whether this user namespace, if it is one, has the users of the range."""
    spans = _spans()
    return not spans or any(low <= FIRST and low + many > LAST for low, _, many in spans)


def _spans() -> list[tuple[int, int, int]]:
    """Return which users are mapped: first here, first outside, how many; nothing if unknown."""
    with suppress(OSError, ValueError), open("/proc/self/uid_map", encoding="ascii") as file:
        return [(int(low), int(outside), int(many)) for low, outside, many in map(str.split, file)]
    return []


def claim() -> int:
    """Return a user that nobody else on this machine has claimed.

    It stays this process's until `release`, or until it ends. Raises OSError if all are claimed.
    """
    locks = _locks()
    # Any of them: what another bot has left, dying or lying about, is hardly ever the next one's.
    many = LAST + 1 - FIRST
    start = int.from_bytes(os.urandom(4))
    for step in range(many):
        if (user := FIRST + (start + step) % many) not in _claimed:
            with suppress(BlockingIOError, PermissionError):
                fcntl.lockf(locks, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, user)
                _claimed[user] += 1
                return user
    raise OSError(errno.EAGAIN, f"the users {FIRST} to {LAST} are all in use")


def claim_owner(folder: str) -> int:
    """Return the user who owns a folder: all processes that claim it so share that user.

    If another bot is that user meanwhile, the folder and all in it get a new one. Raises OSError.
    """
    with _alone():
        owner = os.lstat(folder).st_uid
        if FIRST <= owner <= LAST and _share(owner):
            return owner
        user = claim()
        try:
            give(folder, user)
        except OSError:
            release(user)
            raise
        fcntl.lockf(_locks(), fcntl.LOCK_SH, 1, user)
        _shared.add(user)
        return user


_shared: Final[set[int]] = set()
"""Those of `_claimed` that others may claim, too."""


def _share(user: int) -> bool:
    """Return whether a user is claimed now, together with those who share it."""
    if user in _claimed and user not in _shared:
        return False
    try:
        fcntl.lockf(_locks(), fcntl.LOCK_SH | fcntl.LOCK_NB, 1, user)
    except (BlockingIOError, PermissionError):
        return False
    _claimed[user] += 1
    _shared.add(user)
    return True


def release(user: int) -> None:
    """Let others claim a user of which no process is left, as far as this process is concerned."""
    _claimed[user] -= 1
    if _claimed[user] <= 0:
        del _claimed[user]
        _shared.discard(user)
        fcntl.lockf(_locks(), fcntl.LOCK_UN, 1, user)


def _locks() -> int:
    """Return the open file of which each claimed user has a byte locked; raises OSError."""
    global _file  # noqa: PLW0603 - the locks are the process's
    if _file < 0:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        path = next((each for each in _CLAIMS if os.path.isdir(os.path.dirname(each))), _CLAIMS[-1])
        _file = os.open(path, flags, 0o600)
    return _file


@contextmanager
def _alone() -> Iterator[None]:
    """Keep other processes from changing the owner of a folder at the same time."""
    locks = _locks()
    fcntl.lockf(locks, fcntl.LOCK_EX, 1, 0)
    try:
        yield
    finally:
        fcntl.lockf(locks, fcntl.LOCK_UN, 1, 0)


def give(folder: str, user: int) -> None:
    """Make a folder and all in it a user's own, without rights that programs in it would hand on.

    No link is followed. Raises OSError.
    """
    for place, folders, names in os.walk(folder):
        for path in (place, *(os.path.join(place, name) for name in (*folders, *names))):
            os.lchown(path, user, user)
            status = os.lstat(path)
            if not stat.S_ISLNK(status.st_mode) and status.st_mode & _SET_IDS:
                os.chmod(path, stat.S_IMODE(status.st_mode) & ~_SET_IDS)


_SET_IDS: Final = stat.S_ISUID | stat.S_ISGID


def become(user: int) -> None:
    """Make this process one of the user's, between fork and exec, for good."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def processes_of(user: int) -> list[int]:
    """Return the processes that a user has."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                if os.stat(f"/proc/{name}").st_uid == user:
                    found.append(int(name))
    return found


def closed_to(user: int, paths: Iterable[str]) -> str:
    """Return the first path on the way to one of these that another user cannot go or read.

    Empty: it can read them all. Every link on the way is followed as the system follows it, and a
    folder counts as read where it may be gone through.
    """
    for path in paths:
        for step in _steps(path):
            try:
                status = os.stat(step)
            except OSError:
                return step
            needed = stat.S_IXOTH if stat.S_ISDIR(status.st_mode) else stat.S_IROTH
            if status.st_uid != user and not status.st_mode & needed:
                return step
    return ""


_MOST_LINKS: Final = 40
"""As many as the system follows."""


def _steps(path: str) -> list[str]:
    """Return all folders, links' targets included, that are gone through to a path, and itself."""
    steps: list[str] = []
    here, left, links = "/", [part for part in path.split("/") if part][::-1], 0
    while left:
        part = left.pop()
        here = os.path.normpath(os.path.join(here, part))
        if os.path.islink(here) and links < _MOST_LINKS:
            links += 1
            target = os.readlink(here)
            left += [part for part in target.split("/") if part][::-1]
            here = "/" if target.startswith("/") else os.path.dirname(here)
        else:
            steps.append(here)
    return steps
