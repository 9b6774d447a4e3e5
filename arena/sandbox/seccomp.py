"""A filter of system calls for sandboxed programs, which refuses calls that no bot needs.

bubblewrap loads it just before it starts the bot. The numbers are those of Linux's tables
(seccomp(2), bpf(2), linux/filter.h) for two types of machine; others have no filter.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Callable
from functools import cache
from typing import ClassVar, Final, NamedTuple

CALLS: Final[dict[str, tuple[int | None, int | None]]] = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "setsockopt": (54, 208),
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    "sendfile": (40, 71),
    "splice": (275, 76),
    "tee": (276, 77),
    "close_range": (436, 436),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_setup": (206, 0),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "unshare": (272, 97),
    "setns": (308, 268),
    "clone": (56, 220),
    "clone3": (435, 435),
    "mount": (165, 40),
    "umount2": (166, 39),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "lookup_dcookie": (212, 18),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "syslog": (103, 116),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "sync": (162, 81),
    "syncfs": (306, 267),
    "sched_setaffinity": (203, 122),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "landlock_create_ruleset": (444, 444),
    "vmsplice": (278, 75),
    "fcntl": (72, 25),
    "flock": (73, 32),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "fadvise64": (221, 223),
    "madvise": (28, 233),
    "mincore": (27, 232),
    "cachestat": (451, 451),
    "preadv2": (327, 286),
    "pwritev2": (328, 287),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "open": (2, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "creat": (85, None),
    "mknod": (133, None),
    "mknodat": (259, 33),
}
"""Numbers of system calls on x86_64 and aarch64; None if the machine does not have the call."""

_MACHINES: Final = {"x86_64": (0, 0xC000003E, 0x40000000), "aarch64": (1, 0xC00000B7, 0)}
"""For each machine: its column in `CALLS`, its AUDIT_ARCH_… and the first number of another table
(x32), or 0."""

_NEWEST: Final = 467
"""First number that is not in this table. The filter says that such calls do not exist, which
programs can handle."""


class ArgumentTest(NamedTuple):
    """A test of the lower half of a call's argument."""

    argument: int
    mask: int
    value: int | None = None
    """Required value of the bits in the mask; None if at least one of them must be set."""

    is_not: bool = False
    """True if the bits must not have the value."""


class CallRule(NamedTuple):
    """A call that fails with `error` if all tests are true."""

    name: str
    tests: tuple[ArgumentTest, ...] = ()
    error: int = errno.EPERM


def _is(argument: int, *values: int) -> list[tuple[ArgumentTest, ...]]:
    return [(ArgumentTest(argument, 0xFFFFFFFF, value),) for value in values]


_SET_IDS: Final = 0o6000
_MAKES_FILE: Final = 0o100 | 0o20000000
"""O_CREAT and the bits of O_TMPFILE beyond O_DIRECTORY; without them, a call has no mode."""

_LOCKS: Final = (5, 6, 7, 36, 37, 38)
"""F_GETLK to F_SETLKW, and the same for open file descriptions."""

_ADVICE: Final = (12, 20, 21)
"""MADV_MERGEABLE, MADV_COLD and MADV_PAGEOUT, which affect pages shared with other processes."""

_OWN_FILES: Final = ArgumentTest(0, 0x10400, 0x10000)
"""CLONE_THREAD without CLONE_FILES: a thread whose open files are not listed for its process."""

_NAMESPACES: Final = 0x7E020000
"""CLONE_NEW…, which `clone` must not use. The filter cannot see the flags of `clone3`, so that call
does not exist for bots, and programs use `clone` instead."""

RULES: Final[dict[str, tuple[CallRule, ...]]] = {
    "others": (
        *map(
            CallRule,
            (
                # reading other processes
                *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise"),
                *("pidfd_getfd", "kcmp", "perf_event_open"),
                # bypassing the filter, or loading code into the kernel
                *("io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "userfaultfd"),
                *("kexec_load", "kexec_file_load", "init_module", "finit_module"),
                *("delete_module", "iopl", "ioperm", "modify_ldt"),
                # the user's keys, which namespaces do not separate
                *("keyctl", "add_key", "request_key"),
                # making namespaces, which could undo the sandbox
                *("unshare", "setns", "mount", "umount2", "move_mount", "open_tree", "fsopen"),
                *("fsconfig", "fsmount", "fspick", "mount_setattr", "pivot_root", "chroot"),
                *("open_by_handle_at", "name_to_handle_at", "lookup_dcookie"),
                # the whole machine
                *("acct", "swapon", "swapoff", "reboot", "syslog", "quotactl", "quotactl_fd"),
                # objects that outlive their process
                *("shmget", "msgget", "semget", "mq_open"),
            ),
        ),
        CallRule("clone3", error=errno.ENOSYS),
        CallRule("clone", (ArgumentTest(0, _NAMESPACES),)),
    ),
    "rights": (
        # programs that would later run with the rights of the bot or its group
        *(
            CallRule(name, (ArgumentTest(1, _SET_IDS),))
            for name in ("chmod", "fchmod", "creat", "mknod")
        ),
        *(
            CallRule(name, (ArgumentTest(2, _SET_IDS),))
            for name in ("fchmodat", "fchmodat2", "mknodat")
        ),
        CallRule("open", (ArgumentTest(1, _MAKES_FILE), ArgumentTest(2, _SET_IDS))),
        CallRule("openat", (ArgumentTest(2, _MAKES_FILE), ArgumentTest(3, _SET_IDS))),
        CallRule("openat2", error=errno.ENOSYS),  # the filter cannot see its mode
        # devices
        *(CallRule("mknod", (ArgumentTest(1, 0o170000, kind),)) for kind in (0o020000, 0o060000)),
        *(CallRule("mknodat", (ArgumentTest(2, 0o170000, kind),)) for kind in (0o020000, 0o060000)),
    ),
    "network": (
        CallRule("socket"),
        CallRule("socketpair", (ArgumentTest(0, 0xFFFFFFFF, 1, is_not=True),)),  # AF_UNIX
    ),
    "cores": (CallRule("sched_setaffinity"),),
    "memory": (
        # memory outside of any process, or in no process's statistics
        CallRule("clone", (_OWN_FILES,)),
        CallRule("close_range", (ArgumentTest(2, 2),)),  # CLOSE_RANGE_UNSHARE
        CallRule("socketpair", (ArgumentTest(1, 0xF, 1, is_not=True),)),  # SOCK_STREAM
        # descriptors that are passed on
        CallRule("sendmsg"),
        CallRule("sendmmsg"),
        # pages that only a pipe holds
        *(CallRule(name, error=errno.ENOSYS) for name in ("sendfile", "splice", "tee")),
        CallRule("memfd_create", error=errno.ENOSYS),
        CallRule("memfd_secret", error=errno.ENOSYS),
        CallRule("landlock_create_ruleset", error=errno.ENOSYS),
        CallRule("io_setup", error=errno.ENOSYS),
        CallRule("vmsplice"),
        *(CallRule("fcntl", tests) for tests in _is(1, 1031)),  # F_SETPIPE_SZ
        # SO_SNDBUF, SO_RCVBUF, and their variants for root
        *(
            CallRule("setsockopt", (ArgumentTest(1, 0xFFFFFFFF, 1), *tests))
            for tests in _is(2, 7, 8, 32, 33)
        ),
    ),
    "channels": (
        # the disks of the whole machine
        CallRule("sync"),
        CallRule("syncfs"),
        # changes when another process reads the same file, also by F_SETLEASE and F_NOTIFY
        CallRule("inotify_init"),
        CallRule("inotify_init1"),
        CallRule("fanotify_init"),
        *(CallRule("fcntl", tests) for tests in _is(1, 1024, 1026)),
        # files that the system caches in memory for all processes
        CallRule("mincore"),
        CallRule("cachestat", error=errno.ENOSYS),
        *(CallRule("fadvise64", tests) for tests in _is(3, 4)),  # POSIX_FADV_DONTNEED
        *(CallRule("madvise", tests) for tests in _is(2, *_ADVICE)),
        *(
            CallRule(name, (ArgumentTest(5, 0xFFFFFFFF),), errno.EOPNOTSUPP)
            for name in ("preadv2", "pwritev2")
        ),
    ),
    "locks": (
        # like a file system without locks, which programs can handle
        CallRule("flock", error=errno.ENOSYS),
        *(CallRule("fcntl", tests, errno.ENOSYS) for tests in _is(1, *_LOCKS)),
    ),
}
"""Refused calls, by purpose."""

UNASKED: Final = ("others", "rights")
"""Groups that are refused to a bot that is sandboxed by default."""

BUILDING: Final = tuple(group for group in RULES if group not in ("locks", "memory"))
"""Groups that are refused to a build; compilers need file locks."""


def has_filter() -> bool:
    """Return whether there is a filter for this type of machine."""
    return os.uname().machine in _MACHINES


@cache
def program(groups: tuple[str, ...] = tuple(RULES)) -> bytes:
    """Return the filter in the kernel's format, a sequence of `sock_filter`.

    It refuses the calls in these groups of `RULES`. Raises KeyError if this type of machine has no
    filter.
    """
    column, audit, other_table = _MACHINES[os.uname().machine]
    code = [
        _one(_LOAD, _ARCH),
        _one(_EQUAL, audit, 1, 0),
        _one(_RETURN, _KILL),  # 32-bit programs use other numbers
        _one(_LOAD, _NUMBER),
    ]
    if other_table:
        code += [_one(_AT_LEAST, other_table, 0, 1), _one(_RETURN, _ERROR | errno.EPERM)]
    code += [_one(_AT_LEAST, _NEWEST, 0, 1), _one(_RETURN, _ERROR | errno.ENOSYS)]
    for group in groups:
        for rule in RULES[group]:
            if (number := CALLS[rule.name][column]) is not None:
                code += _instructions(number, rule)
    return b"".join([*code, _one(_RETURN, _ALLOW)])


class _Program(ctypes.Structure):
    """The structure `sock_fprog`."""

    _fields_: ClassVar = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


_PR_SET_SECCOMP, _MODE_FILTER, _BYTES = 22, 2, 8


@cache
def loader() -> Callable[[], None]:
    """Return a function that loads the filter for `UNASKED` into a process, between fork and exec.

    The process must have set `PR_SET_NO_NEW_PRIVS`. If this type of machine has no filter, the
    function does nothing.
    """
    if not has_filter():
        return lambda: None
    code = program(UNASKED)
    given = _Program(len(code) // _BYTES, code)
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def load() -> None:
        if prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(given), 0, 0):
            raise OSError(ctypes.get_errno(), "no filter of system calls")

    return load


_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_EQUAL, _AT_LEAST, _ANY = 0x15, 0x35, 0x45
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16
"""Offsets in seccomp_data; an argument's lower half comes first on both types of machine."""

_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000


def _one(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return an instruction; a jump gives the number of instructions to skip."""
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _instructions(number: int, rule: CallRule) -> list[bytes]:
    """Return instructions that apply a rule; before and after them, the number is loaded."""
    code = [_one(_RETURN, _ERROR | rule.error)]
    if rule.tests:
        code.append(_one(_LOAD, _NUMBER))
    for test in reversed(rule.tests):
        out = len(code) - 1  # jumps to the reload of the number
        if test.value is None:
            check = [_one(_ANY, test.mask, 0, out)]
        else:
            jumps = (out, 0) if test.is_not else (0, out)
            check = [_one(_AND, test.mask), _one(_EQUAL, test.value, *jumps)]
        code[:0] = [_one(_LOAD, _ARGUMENTS + 8 * test.argument), *check]
    return [_one(_EQUAL, number, 0, len(code)), *code]
