"""The memory that the processes of a bot hold, as far as /proc shows.

It counts their own pages and page tables, memory files that they map or have open, pipes, sockets,
and the contents of folders that only they use. See docs/how-to/run-untrusted-bots.md for the gaps.
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
"""The bytes that a pipe holds; the system call filter does not allow longer ones."""

_SENT: Final = 212_992
"""The bytes that can wait in a socket if the system does not report the limit."""

_INODE: Final = 1 << 10
"""The bytes of kernel memory that a file takes besides its contents."""

_NAMES: Final = ("/memfd:", "/dev/shm/", "/dev/zero", "/SYSV")  # noqa: S108 - what they are called
"""The prefixes of names of memory files, to which a bot can write without mapping them."""

_MAPPED: Final = re.compile(
    rb"(\w+)-(\w+) \S+ (\w+) (\w+):(\w+) (\d+) +(?:%b)"
    % b"|".join(re.escape(name).encode() for name in _NAMES)
)
"""The pattern of these files in `maps`: addresses, offset, device and number."""

_File = tuple[int, int]
"""The device and number that identify a file."""


def reserved(pid: int) -> int:
    """Return the size of a process's address space and page tables, in bytes."""
    return sum(_sums(pid, "status", (b"VmSize:", b"VmPTE:"), b"VmSwap:"))


def claimed(pid: int) -> int:
    """Return the memory of a process without files that the system can drop, in bytes.

    Shared memory counts in full for each process (proc(5), `status`).
    """
    return sum(_sums(pid, "status", (b"RssAnon:", b"VmSwap:", b"VmPTE:"), b"RssShmem:"))


def held(pid: int) -> tuple[int, int]:
    """Return the bytes of a process's own memory and its share of memory files.

    If the process hides this, the values are those that it claims.
    """
    tables, _ = _sums(pid, "status", (b"VmPTE:",), b"-")
    try:
        own, others = _sums(pid, "smaps_rollup", (b"Pss_Anon:", b"SwapPss:"), b"Pss_Shmem:")
    except PermissionError:
        own, others = _sums(pid, "status", (b"RssAnon:", b"VmSwap:"), b"RssShmem:")
    return own + tables, others


def _sums(pid: int, file: str, own: tuple[bytes, ...], shared: bytes) -> tuple[int, int]:
    """Return the sums of lines of a process's file, in bytes; 0 after its end."""
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
    """Return a process's path in /proc, or a living thread's if the first has ended."""
    with suppress(OSError):
        with open(f"/proc/{pid}/stat", "rb") as read:
            if read.read().rpartition(b")")[2].split()[0] != b"Z":
                return str(pid)
        for task in os.listdir(f"/proc/{pid}/task"):
            if int(task) != pid:
                return f"{pid}/task/{task}"
    return str(pid)


def descriptors_of(pid: int) -> int:
    """Return the number of files that a process has open; 0 if it has ended or hides them."""
    folder = f"/proc/{_living(pid)}/fd"
    with suppress(OSError):
        return os.stat(folder).st_size or len(os.listdir(folder))  # 0 before Linux 6.2
    return 0


def opened(pids: Iterable[int], inner: int) -> int:
    """Return the bytes of memory files, pipes and sockets that processes have open.

    `inner` is a process inside bubblewrap, whose folders in memory count in full; 0 for none.
    """
    folders = _folders_of(inner)
    return _sum(folders, (file for pid in pids for file in _opened(pid, folders)))


def mappings_of(pid: int) -> bytes:
    """Return a process's mappings, one per line (proc(5), `maps`); empty after its end."""
    with suppress(OSError), open(f"/proc/{_living(pid)}/maps", "rb") as read:
        return read.read()
    return b""


def shared(mappings: Mapping[int, bytes], inner: int) -> int:
    """Return the bytes of `opened`, with memory files that are mapped and maybe closed.

    `mappings` are the `mappings_of` each process.
    """
    folders = _folders_of(inner)
    each = (
        file
        for pid, lines in mappings.items()
        for file in (*_opened(pid, folders), *_mapped(pid, lines, folders))
    )
    return _sum(folders, each)


def unlinked(pids: Iterable[int], device: int) -> int:
    """Return the bytes of files on a device that have no name but are still open."""
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
        if not inner or os.path.samefile(root, "/"):  # it is not in the sandbox yet
            return found
        for place in IN_MEMORY:
            about = os.statvfs(root + place)
            files = (about.f_files - about.f_ffree) * _INODE
            blocks = (about.f_blocks - about.f_bfree) * about.f_frsize
            found[os.stat(root + place).st_dev] = blocks + files
    return found


def _opened(pid: int, folders: dict[int, int]) -> Iterator[tuple[_File, int]]:
    """Yield the memory files, pipes and sockets that a process has open, and their bytes."""
    folder = f"/proc/{_living(pid)}/fd"
    with suppress(OSError):  # it has ended or hides them
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
    """Yield the memory files that a process maps, and their bytes.

    If the system does not report the size of a file, its mapped size is used.
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
    """Return the bytes that can wait in a socket with the default settings."""
    with suppress(OSError, ValueError), open("/proc/sys/net/core/wmem_default", "rb") as file:
        return int(file.read())
    return _SENT


def size(number: int) -> str:
    """Return a size as text.

    >>> size(2 << 30), size(100_000_000)
    ('2 GiB', '95.37 MiB')
    """
    amount, unit = (number / (1 << 30), "GiB") if number >= 1 << 30 else (number / (1 << 20), "MiB")
    return f"{round(amount, 2):g} {unit}"
