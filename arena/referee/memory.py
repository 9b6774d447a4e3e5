"""What the processes of a bot hold of the machine's memory, as far as /proc tells.

Counted are their own pages and page tables, files in memory that they map or have open, what lies
in the folders that are theirs alone, pipes and sockets. docs/how-to/run-untrusted-bots.md says
what is not.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Final

from lath.arena.sandbox.bubblewrap import IN_MEMORY

_PIPE: Final = 1 << 16
"""Bytes that a pipe takes: the filter of system calls lets nobody make it longer."""

_SENT: Final = 212_992
"""Bytes that wait in a socket, where the system does not say how many may."""

_INODE: Final = 1 << 10
"""Bytes that a file takes of the kernel's memory, whatever is in it."""

_NAMES: Final = ("/memfd:", "/dev/shm/", "/dev/zero", "/SYSV")  # noqa: S108 - what they are called
"""How the names of files in memory begin, to which a bot may write without mapping them."""

_MAPPED: Final = re.compile(
    rb"(\w+)-(\w+) \S+ (\w+) (\w+):(\w+) (\d+) +(?:%b)"
    % b"|".join(re.escape(name).encode() for name in _NAMES)
)
"""How they stand in `maps`: addresses, offset, device and number."""

_File = tuple[int, int]
"""Which file something is: its device and number."""


def reserved(pid: int) -> int:
    """Return the bytes of all addresses of a process, and of its page tables: it holds no more."""
    return sum(_sums(pid, "status", (b"VmSize:", b"VmPTE:"), b"VmSwap:"))


def claimed(pid: int) -> int:
    """Return the bytes that a process has besides files, which the system may drop at any time.

    What it shares with others is counted in each of them (proc(5), `status`).
    """
    return sum(_sums(pid, "status", (b"RssAnon:", b"VmSwap:", b"VmPTE:"), b"RssShmem:"))


def held(pid: int) -> tuple[int, int]:
    """Return its own bytes, and those of files in memory: of shared pages its share.

    Where a process hides that from us, it is what it claims.
    """
    tables, _ = _sums(pid, "status", (b"VmPTE:",), b"-")
    try:
        own, others = _sums(pid, "smaps_rollup", (b"Pss_Anon:", b"SwapPss:"), b"Pss_Shmem:")
    except PermissionError:
        own, others = _sums(pid, "status", (b"RssAnon:", b"VmSwap:"), b"RssShmem:")
    return own + tables, others


def _sums(pid: int, file: str, own: tuple[bytes, ...], shared: bytes) -> tuple[int, int]:
    """Return the sums of lines of a file of a process, in bytes; 0 for one that has ended."""
    try:
        with open(f"/proc/{_living(pid)}/{file}", "rb") as read:
            lines = read.read().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0, 0
    one, other = (
        sum(int(line.split()[1]) for line in lines if line.startswith(names))
        for names in (own, shared)
    )
    return 1024 * one, 1024 * other


def _living(pid: int) -> str:
    """Return where a process is in /proc: if its first thread has ended, by another one."""
    with suppress(OSError):
        with open(f"/proc/{pid}/stat", "rb") as read:
            if read.read().rpartition(b")")[2].split()[0] != b"Z":
                return str(pid)
        for task in os.listdir(f"/proc/{pid}/task"):
            if int(task) != pid:
                return f"{pid}/task/{task}"
    return str(pid)


def descriptors_of(pid: int) -> int:
    """Return how many files a process has open; 0 for one that has ended or hides them."""
    folder = f"/proc/{_living(pid)}/fd"
    with suppress(OSError):
        return os.stat(folder).st_size or len(os.listdir(folder))  # Linux 6.2 says it so
    return 0


def opened(pids: Iterable[int], inner: int) -> int:
    """Return the bytes of files in memory, pipes and sockets that processes have open.

    `inner` is one of those behind bubblewrap, of whose folders in memory all is counted; 0: none.
    """
    folders = _folders_of(inner)
    return _sum(folders, (file for pid in pids for file in _opened(pid, folders)))


def mappings_of(pid: int) -> bytes:
    """Return what a process maps, a line each (proc(5), `maps`); nothing of one that has ended."""
    with suppress(OSError), open(f"/proc/{_living(pid)}/maps", "rb") as read:
        return read.read()
    return b""


def shared(mappings: Mapping[int, bytes], inner: int) -> int:
    """Return what `opened` counts, with files in memory that processes map and may have closed.

    Takes the `mappings_of` each process.
    """
    folders = _folders_of(inner)
    each = (
        file
        for pid, lines in mappings.items()
        for file in (*_opened(pid, folders), *_mapped(pid, lines, folders))
    )
    return _sum(folders, each)


def unlinked(pids: Iterable[int], device: int) -> int:
    """Return the bytes of files on a device that have no name left, but are open somewhere."""
    found: dict[_File, int] = {}
    for pid in pids:
        folder = f"/proc/{_living(pid)}/fd"
        with suppress(OSError):
            for name in os.listdir(folder):
                with suppress(OSError):
                    status = os.stat(f"{folder}/{name}")
                    if status.st_nlink == 0 and status.st_dev == device:
                        found[status.st_dev, status.st_ino] = 512 * status.st_blocks
    return sum(found.values())


def _sum(folders: dict[int, int], files: Iterable[tuple[_File, int]]) -> int:
    found: dict[_File, int] = {}
    for file, bytes_ in files:
        found[file] = max(bytes_, found.get(file, 0))
    return sum(found.values()) + sum(folders.values())


def _folders_of(inner: int) -> dict[int, int]:
    """Return the bytes in each folder in memory, by its device."""
    found: dict[int, int] = {}
    root = f"/proc/{inner}/root"
    with suppress(OSError):
        if not inner or os.path.samefile(root, "/"):  # it is not behind the wall yet
            return found
        for place in IN_MEMORY:
            about = os.statvfs(root + place)
            files = (about.f_files - about.f_ffree) * _INODE
            blocks = (about.f_blocks - about.f_bfree) * about.f_frsize
            found[os.stat(root + place).st_dev] = blocks + files
    return found


def _opened(pid: int, folders: dict[int, int]) -> Iterator[tuple[_File, int]]:
    """Yield the files in memory, pipes and sockets that a process has open, and their bytes."""
    folder = f"/proc/{_living(pid)}/fd"
    with suppress(OSError):  # it has ended, or hides them
        for name in os.listdir(folder):
            with suppress(OSError):
                target = os.readlink(f"{folder}/{name}")
                if target.startswith(_NAMES):
                    status = os.stat(f"{folder}/{name}")
                    if status.st_dev not in folders:
                        yield (status.st_dev, status.st_ino), 512 * status.st_blocks
                elif target.startswith("pipe:["):
                    yield (-1, int(target[6:-1])), _PIPE
                elif target.startswith("socket:["):
                    yield (-2, int(target[8:-1])), _most_sent()


def _mapped(pid: int, lines: bytes, folders: dict[int, int]) -> Iterator[tuple[_File, int]]:
    """Yield the files in memory that a process maps, perhaps without a page, and their bytes.

    Where the system does not tell how much such a file holds, it is as much as is mapped of it.
    """
    for found in _MAPPED.finditer(lines):
        first, last, offset, major, minor = (int(number, 16) for number in found.groups()[:5])
        file = os.makedev(major, minor), int(found[6])
        if file[0] in folders:
            continue
        try:
            bytes_ = 512 * os.stat(f"/proc/{pid}/map_files/{first:x}-{last:x}").st_blocks
        except OSError:
            bytes_ = offset + last - first
        yield file, bytes_


@cache
def _most_sent() -> int:
    """Return how many bytes may wait in a socket that nobody has changed."""
    with suppress(OSError, ValueError), open("/proc/sys/net/core/wmem_default", "rb") as file:
        return int(file.read())
    return _SENT


def size(number: int) -> str:
    """Return bytes in words.

    >>> size(2 << 30), size(100_000_000)
    ('2 GiB', '95.37 MiB')
    """
    amount, unit = (number / (1 << 30), "GiB") if number >= 1 << 30 else (number / (1 << 20), "MiB")
    return f"{round(amount, 2):g} {unit}"
