"""More attacks for `attacker.py`: on kernel settings, on permissions and on shared resources.

Most are published escapes from bubblewrap, runc, nsjail, isolate, DMOJ and Firejail; `attacks.py`
has their sources. Imports only the standard library.
"""

import ctypes
import errno
import fcntl
import mmap
import os
import resource
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial

LIBC = ctypes.CDLL(None, use_errno=True)

NUMBERS: dict[str, int] = {
    "x86_64": {
        "mknod": 133,
        "clone": 56,
        "openat2": 437,
        "fchmodat2": 452,
        "name_to_handle_at": 303,
        "process_vm_readv": 310,
        "mount": 165,
        "setns": 308,
        "ioprio_set": 251,
        "sched_setattr": 314,
        "pidfd_open": 434,
        "pidfd_getfd": 438,
        "preadv2": 327,
        "cachestat": 451,
        "fanotify_init": 300,
        "memfd_secret": 447,
        "io_setup": 206,
        "perf_event_open": 298,
    },
    "aarch64": {
        "clone": 220,
        "openat2": 437,
        "fchmodat2": 452,
        "name_to_handle_at": 264,
        "process_vm_readv": 270,
        "mount": 40,
        "setns": 268,
        "ioprio_set": 30,
        "sched_setattr": 274,
        "pidfd_open": 434,
        "pidfd_getfd": 438,
        "preadv2": 286,
        "cachestat": 451,
        "fanotify_init": 262,
        "memfd_secret": 447,
        "io_setup": 0,
        "perf_event_open": 241,
    },
}[os.uname().machine]

RLIMIT_SIGPENDING = getattr(resource, "RLIMIT_SIGPENDING", 11)

Goal = dict[str, object]
Attack = Callable[[Goal], object]
ESCAPES: dict[str, Attack] = {
    "kernel_memory": lambda _: opens(
        ["/proc/kcore", "/dev/mem", "/dev/kmem", "/dev/port", "/proc/kpageflags"]
    ),
    "kernel_messages": lambda _: (
        opens(["/dev/kmsg", "/proc/kmsg"])
        or LIBC.klogctl(3, ctypes.create_string_buffer(9), 9) >= 0
    ),
    "release_agent": lambda _: opens(files_below("/sys/fs/cgroup"), os.O_WRONLY),
    "tiocsti": lambda _: any_of(partial(fcntl.ioctl, where, 0x5412, b"x") for where in (0, 1, 2)),
    "device_files": lambda _: os.mknod(own("memory"), 0o020600, os.makedev(1, 1)),
    "other_users": lambda _: in_child(
        lambda: any_of([lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0])])
    ),
    "remount": lambda _: system("mount", b"none", b"/", None, 32 | 4096, None),
    "machine_name": lambda _: os.uname().nodename != "bot",
    "merged_pages": lambda _: mmap.mmap(-1, 4096).madvise(mmap.MADV_MERGEABLE),
    "statistics_of_all": lambda _: opens(
        ["/proc/stat", "/proc/loadavg", "/proc/meminfo", "/proc/vmstat"]
    ),
    "requests_of_all": lambda _: system("io_setup", 1, ctypes.byref(ctypes.c_ulong())),
    "disk_priority": lambda _: system("ioprio_set", 1, 0, 1 << 13),
    "terminals": lambda _: os.openpty(),
    "long_pipes": lambda _: fcntl.fcntl(os.pipe()[1], fcntl.F_SETPIPE_SZ, 1 << 20),
    "long_sockets": lambda _: socket.socketpair()[0].setsockopt(
        socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20
    ),
    "descriptors_that_travel": lambda _: (
        (pair := socket.socketpair()) and socket.send_fds(pair[0], [b"x"], [0])
    ),
    "datagrams": lambda _: socket.socketpair(type=socket.SOCK_DGRAM),
    "hidden_memory": lambda _: any_of(
        [lambda: os.memfd_create("hidden"), lambda: system("memfd_secret", 0)]
    ),
    "locked_memory": lambda _: resource.getrlimit(resource.RLIMIT_MEMLOCK)[1] > 64 << 20,
    "waiting_signals": lambda _: resource.getrlimit(RLIMIT_SIGPENDING)[1] > 1024,
    # set to the current time, so that a success has no effect
    "clock": lambda _: time.clock_settime(
        time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME)
    ),
    "enter_namespaces": lambda _: in_child(
        lambda: any_of(partial(enter, name) for name in ("user", "mnt", "pid", "net", "ipc"))
    ),
    "namespaces_by_clone": lambda _: in_child(
        lambda: system("clone", 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0) >= 0
    ),
}


def escape(what: Attack) -> Attack:
    """Register a function as an attack, which fails if it returns False or raises OSError."""
    ESCAPES[what.__name__] = what
    return what


def system(name: str, *arguments: object) -> int:
    """Make a system call; raises OSError."""
    ctypes.set_errno(0)
    result = int(LIBC.syscall(NUMBERS[name], *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


def opens(paths: Iterable[str], flags: int = os.O_RDONLY) -> bool:
    """Return whether one of the paths can be opened."""
    for path in paths:
        try:
            os.close(os.open(path, flags | os.O_NONBLOCK))
        except OSError:
            continue
        return True
    return False


def any_of(tries: Iterable[Callable[[], object]]) -> bool:
    """Return whether one of the functions raises no OSError."""
    for each in tries:
        try:
            each()
        except (OSError, AttributeError):
            continue
        return True
    return False


def in_child(what: Callable[[], bool]) -> bool:
    """Return the result of a function in a child process; False if the child is killed."""
    child = os.fork()
    if not child:
        through = False
        try:
            through = bool(what())
        except OSError:
            pass
        finally:
            os._exit(0 if through else 1)
    return os.waitpid(child, 0)[1] == 0


def enter(name: str) -> None:
    """Enter a namespace of the first process."""
    system("setns", os.open(f"/proc/1/ns/{name}", os.O_RDONLY), 0)


def own(name: str) -> str:
    return os.path.join(os.environ.get("TMPDIR", "/tmp"), name)


def files_below(folder: str) -> Iterable[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if not os.path.islink(os.path.join(place, each))]
        yield from (os.path.join(place, name) for name in names)


# The kernel's settings, and its memory


@escape
def core_pattern(_goal: Goal) -> None:
    with open("/proc/sys/kernel/core_pattern", "rb") as read:
        before = read.read()
    with open("/proc/sys/kernel/core_pattern", "wb", buffering=0) as file:
        file.write(before)


@escape
def kernel_settings(_goal: Goal) -> bool:
    # Only opened, because a successful write would change the machine.
    folders = ("/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi")
    files = (path for folder in folders for path in files_below(folder))
    more = ("/proc/sysrq-trigger", "/proc/timer_list", "/proc/sys/kernel/modprobe")
    return opens([*files, *more], os.O_WRONLY)


@escape
def devices(_goal: Goal) -> bool:
    harmless = {"null", "zero", "full", "random", "urandom", "tty", "fd", "stdin", "stdout"}
    harmless |= {"stderr", "shm", "core", "ptmx", "pts", "mqueue"}
    return bool({*os.listdir("/dev")} - harmless)


@escape
def mail_of_audit(_goal: Goal) -> bool:
    families = (f for f in range(1, 46) if f != socket.AF_UNIX)
    kinds = (socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_STREAM, socket.SOCK_SEQPACKET)
    strange = [f for f in families if f not in (socket.AF_INET, socket.AF_INET6)]
    return any_of(partial(socket.socket, f, k) for f in strange for k in kinds)


# Rights that stay


@escape
def set_user_id(_goal: Goal) -> bool:
    path = own("set-user-id")
    with open(path, "wb") as file:
        os.fchmod(file.fileno(), 0o755)
        tries = (
            lambda: os.chmod(path, 0o4755),
            lambda: os.fchmod(file.fileno(), 0o6755),
            lambda: os.close(os.open(f"{path}-2", os.O_CREAT | os.O_WRONLY, 0o4755)),
            lambda: os.mknod(f"{path}-3", 0o104755),
            lambda: os.chmod(os.path.basename(path), 0o2755, dir_fd=os.open(own(""), os.O_RDONLY)),
            lambda: system("fchmodat2", -100, path.encode(), 0o4755, 0),
            lambda: system(
                "openat2", -100, f"{path}-4".encode(), struct.pack("=3Q", 0o101, 0o4755, 0), 24
            ),
            lambda: os.close(os.open(own(""), os.O_TMPFILE | os.O_WRONLY, 0o6755)),
        )
        return any_of(tries)


@escape
def mount_options(_goal: Goal) -> bool:
    """Return whether set-id programs or devices work in the bot's writable folders."""
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        lines = [line.split() for line in file]
    places = [os.path.realpath(each) for each in (os.path.expanduser("~"), own(""), "/dev/shm")]
    if cache := os.environ.get("XDG_CACHE_HOME"):
        places.append(cache)
    for place in places:
        over = [line for line in lines if (place + "/").startswith(line[4].rstrip("/") + "/")]
        options = max(over, key=lambda line: len(line[4]))[5].split(",")
        if not {"nosuid", "nodev"} <= {*options}:
            return True
    return False


@escape
def capabilities(_goal: Goal) -> bool:
    with open("/proc/self/status", encoding="ascii") as file:
        told = dict(line.split(":", 1) for line in file)
    return any(int(told[name], 16) for name in ("CapEff", "CapPrm", "CapInh", "CapAmb"))


@escape
def is_root(_goal: Goal) -> bool:
    with open("/proc/self/uid_map", encoding="ascii") as file:
        spans = [tuple(map(int, line.split())) for line in file]
    uids = {*os.getresuid(), *os.getresgid(), *os.getgroups()}
    nobody = 65534  # the user for unmapped ids
    outside = {out + uid - low for low, out, many in spans for uid in uids if 0 <= uid - low < many}
    return 0 in outside or 0 in uids - {nobody}


# Ways out


@escape
def own_interpreter(_goal: Goal) -> bool:
    paths = (
        "/proc/self/exe",
        sys.executable,
        os.__file__,
        "/bin/sh",
        "/etc/passwd",
        "/usr/bin/env",
    )
    return opens(paths, os.O_WRONLY | os.O_APPEND)


@escape
def first_process(_goal: Goal) -> bool:
    """Return whether the bot can change the sandbox's own process or use its permissions."""
    own = {os.readlink(f"/proc/self/fd/{number}") for number in (0, 1, 2)}
    found = False
    for process in {1, os.getppid()} - {0}:
        found |= opens([f"/proc/{process}/mem"], os.O_RDWR)
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                found |= b"TOURNAMENT_SECRET" in file.read()
            names = os.listdir(f"/proc/{process}/fd")
            held = {os.readlink(f"/proc/{process}/fd/{name}") for name in names}
            found |= bool(held - own - {"anon_inode:[eventfd]", "/dev/null"})
        except OSError:
            continue
    return found


@escape
def folders_up(_goal: Goal) -> bool:
    up = "/".join([".."] * 40)
    hidden = ("etc/shadow", "etc/hosts", "var/log", "run", "sys/kernel", "boot", "srv", "var/lib")
    starts = ("/", "/proc/self/root", "/proc/self/cwd", "/proc/1/root", "/proc/1/cwd")
    return opens(f"{start}/{up}/{name}" for start in starts for name in hidden)


@escape
def file_handles(_goal: Goal) -> None:
    handle = struct.pack("=Ii", 128, 0) + bytes(128)
    system("name_to_handle_at", -100, b"/", handle, ctypes.byref(ctypes.c_int()), 0)


@escape
def old_calls(_goal: Goal) -> bool:
    """Return whether 32-bit or x32 system calls bypass the filter."""
    if os.uname().machine != "x86_64":
        return False

    def by_interrupt() -> bool:
        code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # getpid by int 0x80
        address = ctypes.addressof(ctypes.c_char.from_buffer(code))
        return int(ctypes.CFUNCTYPE(ctypes.c_int)(address)()) > 0

    return in_child(by_interrupt) or in_child(lambda: LIBC.syscall(0x40000000 | 39) > 0)


@escape
def memory_of_others(goal: Goal) -> None:
    class Span(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))

    here = ctypes.create_string_buffer(8)
    mine = Span(ctypes.addressof(here), 8)
    theirs = Span(0x400000, 8)
    system("process_vm_readv", goal["runner"], ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)


@escape
def descriptors_of_others(goal: Goal) -> None:
    handle = system("pidfd_open", goal["runner"], 0)
    system("pidfd_getfd", handle, 1, 0)


@escape
def performance_counters(_goal: Goal) -> bool:
    event = struct.pack("=IIQ", 1, 112, 0) + bytes(96)
    return any_of(
        [
            lambda: system("perf_event_open", event, 0, -1, -1, 0),
            lambda: system("perf_event_open", event, -1, 0, -1, 0),
        ]
    )


@escape
def machine_files(_goal: Goal) -> bool:
    paths = ("/etc/machine-id", "/etc/hosts", "/etc/shadow", "/etc/ssh", "/etc/resolv.conf")
    places = ("/var/lib", "/var/log", "/run", "/sys/class", "/boot", "/srv", "/root/.bashrc")
    return opens((*paths, *places)) or bool({*os.listdir("/home")} - {"bot", "cache"})


# What is shared with other bots, and with the organiser


@escape
def file_locks(_goal: Goal) -> bool:
    with open("/usr/bin/env", "rb") as file:
        return any_of(
            [
                lambda: fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB),
                lambda: fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB),
                lambda: fcntl.fcntl(file, 37, struct.pack("=hhqqi4x", 0, 0, 0, 1, 0)),
                lambda: fcntl.fcntl(file, 5, struct.pack("=hhqqi4x", 1, 0, 0, 1, 0)),
                lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
            ]
        )


@escape
def notices_of_files(_goal: Goal) -> bool:
    folder = os.open("/usr/bin", os.O_RDONLY)

    def inotify() -> None:
        if LIBC.inotify_init1(0) < 0:
            raise OSError

    return any_of(
        [
            inotify,
            lambda: fcntl.fcntl(folder, fcntl.F_NOTIFY, fcntl.DN_ACCESS),
            lambda: system("fanotify_init", 0x200, 0),
        ]
    )


@escape
def page_cache(_goal: Goal) -> bool:
    """Return whether a bot can see or change the page cache of a file shared by bots."""
    with open("/usr/bin/env", "rb") as file:
        size = os.fstat(file.fileno()).st_size
        view = mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ)
        address = ctypes.c_void_p(0)
        LIBC.mmap.restype = ctypes.c_void_p
        place = LIBC.mmap(address, ctypes.c_size_t(size), 1, 1, file.fileno(), ctypes.c_long(0))
        pages = ctypes.create_string_buffer(size // 4096 + 1)

        def resident() -> None:
            if LIBC.mincore(ctypes.c_void_p(place), ctypes.c_size_t(size), pages):
                raise OSError

        def statistics() -> None:
            span = struct.pack("=2Q", 0, size)
            system("cachestat", file.fileno(), span, ctypes.create_string_buffer(40), 0)

        found = any_of(
            [
                resident,
                statistics,
                lambda: os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED),
                lambda: os.preadv(file.fileno(), [bytearray(16)], 0, os.RWF_NOWAIT),
                lambda: view.madvise(21),  # MADV_PAGEOUT
            ]
        )
        view.close()
        return found


@escape
def all_disks(_goal: Goal) -> bool:
    before_s = time.thread_time()
    folder = os.open(own(""), os.O_RDONLY)
    LIBC.sync()  # has no error result
    return LIBC.syncfs(folder) == 0 and time.thread_time() >= before_s


@escape
def pages_in_pipes(_goal: Goal) -> bool:
    class Span(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))

    end, start = os.pipe()
    kept = ctypes.create_string_buffer(4096)
    span = Span(ctypes.addressof(kept), 4096)
    went = bool(LIBC.vmsplice(start, ctypes.byref(span), ctypes.c_ulong(1), 0) > 0)
    os.close(end)
    return went


@escape
def descriptors_of_threads(_goal: Goal) -> bool:
    """Return whether a thread can have open files that its process does not list."""
    stack = mmap.mmap(-1, 1 << 16)
    top = ctypes.addressof(ctypes.c_char.from_buffer(stack)) + (1 << 16)
    flags = 0x100 | 0x200 | 0x800 | 0x10000  # VM, FS, SIGHAND, THREAD

    def clone() -> bool:
        code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        code.write(b"\xb8\x3c\x00\x00\x00\x31\xff\x0f\x05")  # exit(0), on x86_64
        entry = ctypes.addressof(ctypes.c_char.from_buffer(code))
        function = ctypes.CFUNCTYPE(ctypes.c_int)(entry)
        if LIBC.clone(function, ctypes.c_void_p(top), flags, None) < 0:
            raise OSError
        time.sleep(0.01)
        return True

    def unshare() -> None:
        if LIBC.close_range(900, 901, 2) < 0:
            raise OSError

    return in_child(clone) or any_of([unshare])


@escape
def pages_of_files_in_pipes(_goal: Goal) -> bool:
    end, start = os.pipe()
    with open("/usr/bin/env", "rb") as file:
        tries = [lambda: os.sendfile(start, file.fileno(), 0, 1)]
        if hasattr(os, "splice"):
            tries.append(lambda: os.splice(file.fileno(), start, 1))
        found = any_of(tries)
    os.close(end)
    return found


@escape
def deadline(_goal: Goal) -> bool:
    wants = struct.pack("=IIQiIQQQ", 48, 6, 0, 0, 0, 10**6, 10**7, 10**7)
    return in_child(lambda: system("sched_setattr", 0, wants, 0) == 0)


@escape
def slow_runner(goal: Goal) -> None:
    runner = int(str(goal["runner"]))
    os.setpriority(os.PRIO_PROCESS, runner, os.getpriority(os.PRIO_PROCESS, runner))


@escape
def last_to_be_killed(_goal: Goal) -> bool:
    with open("/proc/self/oom_score_adj", "r+b", buffering=0) as file:
        return file.write(b"-900") > 0


@escape
def kernel_threads_of_code(_goal: Goal) -> bool:
    """Return whether a kernel module or another kernel can be loaded."""
    refused = {errno.EPERM, errno.ENOSYS}
    numbers = {"x86_64": (175, 313, 246, 320), "aarch64": (105, 273, 104, 294)}
    through = False
    for number in numbers[os.uname().machine]:
        ctypes.set_errno(0)
        LIBC.syscall(number, 0, 0, 0, 0, 0)
        through |= ctypes.get_errno() not in refused
    return through
