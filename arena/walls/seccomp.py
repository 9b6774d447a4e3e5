"""A filter of system calls for programs behind a wall: what no bot needs is refused.

bubblewrap loads it just before it starts the bot. Must not know who starts whom. The numbers are
those of Linux's tables (seccomp(2), bpf(2), linux/filter.h); other machines than these two have
none here, and are told so.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import ClassVar, Final, NamedTuple


class _Machine(NamedTuple):
    audit: int
    """AUDIT_ARCH_…: which table a call's number is of."""
    clone: int
    clone3: int
    refused: tuple[int, ...]
    """Numbers of `REFUSED`, in its order."""
    x32: int = 0
    """From here on numbers are those of another table; 0: there is none."""


REFUSED: Final = (
    # to talk to anybody but the arena
    "socket",
    # to look into other processes
    *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "perf_event_open"),
    # to do any of this past the filter, or to load code into the kernel
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "userfaultfd"),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"),
    # keys of the user, which no namespace holds
    *("keyctl", "add_key", "request_key"),
    # to make walls of its own, and so to take these down
    *("unshare", "setns", "mount", "umount2", "move_mount", "open_tree", "fsopen", "fsconfig"),
    *("fsmount", "fspick", "mount_setattr", "pivot_root", "chroot"),
    *("open_by_handle_at", "name_to_handle_at"),
    # the machine's own
    *("acct", "swapon", "swapoff", "reboot", "syslog", "quotactl"),
    # to leave the cores of its game
    "sched_setaffinity",
    # what lives on without a process, and so is nobody's
    *("shmget", "msgget", "semget", "mq_open"),
)
"""The system calls that fail with EPERM; `clone` does where it asks for namespaces, too."""

HARMLESS: Final = ("socket", "sched_setaffinity")
"""Those of them that a bot may need that is walled off without having been asked."""

_MACHINES: Final = {
    "x86_64": _Machine(
        audit=0xC000003E,
        clone=56,
        clone3=435,
        refused=(
            *(41, 101, 310, 311, 438, 312, 298, 425, 426, 427, 321, 323, 246, 320, 175, 313, 176),
            *(250, 248, 249, 272, 308, 165, 166, 429, 428, 430, 431, 432, 433, 442, 155, 161),
            *(304, 303, 163, 167, 168, 169, 103, 179, 203, 29, 68, 64, 240),
        ),
        x32=0x40000000,
    ),
    "aarch64": _Machine(
        audit=0xC00000B7,
        clone=220,
        clone3=435,
        refused=(
            *(198, 117, 270, 271, 438, 272, 241, 425, 426, 427, 280, 282, 104, 294, 105, 273, 106),
            *(219, 217, 218, 97, 268, 40, 39, 429, 428, 430, 431, 432, 433, 442, 41, 51),
            *(265, 264, 89, 224, 225, 142, 116, 60, 122, 194, 186, 190, 180),
        ),
    ),
}

NAMESPACES: Final = 0x7E020000
"""CLONE_NEW…: what `clone` may not ask for. `clone3` hides it, and is not there: who uses it falls
back to `clone`."""

_LOAD, _EQUAL, _AT_LEAST, _ANY, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16
"""Where seccomp_data has them; an argument's lower half comes first on both machines."""

_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000


def has_filter() -> bool:
    """Return whether there is a filter for this machine."""
    return os.uname().machine in _MACHINES


def program(*, allowed: Collection[str] = ()) -> bytes:
    """Return the filter as the kernel takes it: `sock_filter`s one after the other.

    The names in `allowed` it lets pass. Raises KeyError for a machine without one.
    """
    table = _MACHINES[os.uname().machine]
    refused = [
        number for name, number in zip(REFUSED, table.refused, strict=True) if name not in allowed
    ]
    return b"".join(_instructions(table._replace(refused=tuple(refused))))


class _Program(ctypes.Structure):
    """`sock_fprog`."""

    _fields_: ClassVar = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


_PR_SET_SECCOMP, _MODE_FILTER, _BYTES = 22, 2, 8


@cache
def loader() -> Callable[[], None]:
    """Return what loads the filter into a process, between fork and exec, but for `HARMLESS`.

    The process must have given up new rights (`PR_SET_NO_NEW_PRIVS`). Where there is no filter
    nothing is loaded.
    """
    if not has_filter():
        return lambda: None
    code = program(allowed=HARMLESS)
    given = _Program(len(code) // _BYTES, code)
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def load() -> None:
        if prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(given), 0, 0):
            raise OSError(ctypes.get_errno(), "no filter of system calls")

    return load


def _instructions(table: _Machine) -> Iterator[bytes]:
    def one(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
        return struct.pack("=HBBI", code, if_true, if_false, value)

    refuse = one(_RETURN, _ERROR | errno.EPERM)
    yield one(_LOAD, _ARCH)
    yield one(_EQUAL, table.audit, 1, 0)
    yield one(_RETURN, _KILL)  # 32-bit programs have other numbers
    yield one(_LOAD, _NUMBER)
    if table.x32:
        yield one(_AT_LEAST, table.x32, 0, 1)
        yield refuse
    yield one(_EQUAL, table.clone3, 0, 1)
    yield one(_RETURN, _ERROR | errno.ENOSYS)
    for number in table.refused:
        yield one(_EQUAL, number, 0, 1)
        yield refuse
    yield one(_EQUAL, table.clone, 1, 0)
    yield one(_RETURN, _ALLOW)
    yield one(_LOAD, _FIRST_ARGUMENT)
    yield one(_ANY, NAMESPACES, 0, 1)
    yield refuse
    yield one(_RETURN, _ALLOW)
