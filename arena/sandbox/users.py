"""A separate user for each running bot, so that the system protects other files and processes.

Only the superuser can run bots as other users. The user numbers are those that systemd gives to
users who exist as long as their service (61184 to 65519, systemd.exec(5) DynamicUser). So they
belong to no person and no package. A process that has claimed a user holds a lock on one byte of a
file, and the system releases the lock when the process ends.
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
"""The range of users to claim, both included."""

_CLAIMS: Final = ("/run/lath-users", "/var/tmp/lath-users")  # noqa: S108 - only for the superuser
"""Possible paths of the lock file, which has a locked byte for each claimed user. The first one in
an existing folder is used."""

_claimed: Final[Counter[int]] = Counter()
"""How often this process has claimed each user."""

_file = -1


def can_be_given() -> bool:
    """Return whether this process can run other processes as another user."""
    return hasattr(os, "geteuid") and os.geteuid() == 0 and _is_mapped()


def is_superuser_of_host() -> bool:
    """Return whether this process runs as the host's user 0, not just a user namespace's."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return False
    return next((outside == 0 for low, outside, _ in _spans() if low == 0), True)


def _is_mapped() -> bool:
    """Return whether all users of the range exist here; a user namespace may lack them."""
    spans = _spans()
    return not spans or any(low <= FIRST and low + many > LAST for low, _, many in spans)


def _spans() -> list[tuple[int, int, int]]:
    """Return the mapped ranges of users: first inside, first outside, size. Empty if unknown."""
    with suppress(OSError, ValueError), open("/proc/self/uid_map", encoding="ascii") as file:
        return [(int(low), int(outside), int(many)) for low, outside, many in map(str.split, file)]
    return []


def claim() -> int:
    """Return a user that no other process on this machine has claimed.

    The claim lasts until `release`, or until this process ends. Raises OSError if all are claimed.
    """
    locks = _locks()
    # The choice is random, so that a new bot hardly ever gets the remains of an earlier one.
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
    """Return the user who owns a folder; all processes that claim the folder share that user.

    If another bot has claimed that user, the folder and its contents get a new owner. Raises
    OSError.
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
"""Claimed users that other processes can claim, too."""


def _share(user: int) -> bool:
    """Claim a user together with the others who share it; return whether that was possible."""
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
    """Give up one claim of this process; the user's processes must have ended."""
    _claimed[user] -= 1
    if _claimed[user] <= 0:
        del _claimed[user]
        _shared.discard(user)
        fcntl.lockf(_locks(), fcntl.LOCK_UN, 1, user)


def _locks() -> int:
    """Return the lock file, which has a locked byte for each claimed user; raises OSError."""
    global _file  # noqa: PLW0603 - locks belong to the whole process
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
    """Give a folder and its contents to a user, and remove set-user-ID and set-group-ID bits.

    Links are not followed. Raises OSError.
    """
    for place, folders, names in os.walk(folder):
        for path in (place, *(os.path.join(place, name) for name in (*folders, *names))):
            os.lchown(path, user, user)
            status = os.lstat(path)
            if not stat.S_ISLNK(status.st_mode) and status.st_mode & _SET_IDS:
                os.chmod(path, stat.S_IMODE(status.st_mode) & ~_SET_IDS)


_SET_IDS: Final = stat.S_ISUID | stat.S_ISGID


def become(user: int) -> None:
    """Make this process run as a user for good, between fork and exec."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def processes_of(user: int) -> list[int]:
    """Return the processes of a user."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                if os.stat(f"/proc/{name}").st_uid == user:
                    found.append(int(name))
    return found


def closed_to(user: int, paths: Iterable[str]) -> str:
    """Return the first path that blocks a user's access to one of `paths`; empty if none does.

    All links on the way are followed. For a folder, the right to enter it is enough.
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
"""Number of links that the system follows."""


def _steps(path: str) -> list[str]:
    """Return a path and all folders on the way to it, including those of links."""
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
