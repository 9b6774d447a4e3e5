"""An attacking bot: a program that reports for each attack whether it succeeded.

    python3 attacker.py GOAL

GOAL is JSON with paths, processes and ports, which a real attacker would have to find out. Prints a
line of JSON per attack. A bot can import this module to try GOAL["attacks"] before it plays. The
program runs in every sandbox, so it imports only the standard library.
"""

import ctypes
import errno
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from attacker_escapes import ESCAPES

GOAL = json.loads(sys.argv[1])
LIBC = ctypes.CDLL(None, use_errno=True)
ATTACKS: dict[str, Callable[[], object]] = {
    "secret": lambda: reads(GOAL["secret"]),
    "public": lambda: reads(GOAL["public"]),
    "own_environment": lambda: "TOURNAMENT_SECRET" in os.environ,
    "runners_environment": lambda: environment_of(GOAL["runner"]),
    "runners_folder": lambda: bool(os.readlink(f"/proc/{GOAL['runner']}/cwd")),
    "runners_pipes": lambda: bool(os.listdir(f"/proc/{GOAL['runner']}/fd")),
    "signal_runner": lambda: os.kill(GOAL["runner"], 0),
    "others": lambda: b"sleep" in commands(str(GOAL["victim"])),
    "opponents_environment": lambda: environment_of(GOAL["opponent"]),
    "signal_opponent": lambda: os.kill(GOAL["opponent"], 0),
    "port": lambda: socket.create_connection(("127.0.0.1", GOAL["port"]), 1).close(),
    "opponents_limits": lambda: resource.prlimit(
        GOAL["opponent"], resource.RLIMIT_NOFILE, (1024, 1024)
    ),
    "priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
    "real_time": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "affinity": lambda: os.sched_setaffinity(0, range(os.cpu_count() or 1)),
    "core_dump": lambda: resource.getrlimit(resource.RLIMIT_CORE)[1] > 0,
}

MANY = 400
"""The number of processes; more than a bot with its own user can have."""

MIB = 1 << 20


def attack(what: Callable[[], object]) -> Callable[[], object]:
    """Register a function as an attack, which fails if it returns False or raises OSError."""
    ATTACKS[what.__name__] = what
    return what


def reads(path: str) -> bool:
    with open(path, "rb") as file:
        return bool(file.read(1 << 16))


# Files


@attack
def tournament() -> None:
    with open(GOAL["database"], "r+b") as file:
        file.write(b"forged")


@attack
def own_program() -> None:
    with open(__file__, "ab") as file:
        file.write(b"# forged\n")


@attack
def leftovers() -> bool:
    left = False
    for place in GOAL["places"]:
        try:
            with open(place, "wb") as file:
                left = bool(file.write(b"left"))
        except OSError:
            continue
    return left


@attack
def disk() -> None:
    for number in range(3):
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"big-{number}")
        with open(path, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, 100 * MIB)


@attack
def long_file() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), "long")
    with open(path, "wb") as file:
        file.truncate(300 * MIB)


# Other processes


def environment_of(process: int) -> bool:
    return reads(f"/proc/{process}/environ")


@attack
def runners_memory() -> bool:
    with open(f"/proc/{GOAL['runner']}/mem", "rb"):
        return True


@attack
def kill() -> None:
    os.kill(GOAL["victim"], signal.SIGSTOP)
    os.kill(GOAL["victim"], signal.SIGKILL)


@attack
def opponents_pipes() -> None:
    with open(f"/proc/{GOAL['opponent']}/fd/1", "wb", buffering=0) as file:
        file.write(b"resign\n")


def commands(process: str) -> bytes:
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""


@attack
def descriptors() -> bool:
    # `listdir` opens one itself
    return len(os.listdir("/proc/self/fd")) > 4


# The network


@attack
def unix_socket() -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(GOAL["unix"])


@attack
def abstract_socket() -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect("\0" + GOAL["mark"])


# More than is allowed


@attack
def processes() -> None:
    children = []
    try:
        for _ in range(MANY):
            child = os.fork()
            if not child:
                signal.pause()
                os._exit(0)
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


@attack
def memory() -> bool:
    try:
        return len(bytearray(GOAL["memory"] + 64 * MIB)) > 0
    except MemoryError:
        return False


@attack
def limits() -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most + 1, most + 1))


# The wall itself


def called(result: int) -> None:
    """Raise OSError if a call of the C library was refused."""
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")


@attack
def setuid_programs() -> bool:
    with open("/proc/self/status", encoding="ascii") as file:
        return "NoNewPrivs:\t0" in file.read()


@attack
def namespaces() -> bool:
    child = os.fork()
    if not child:
        os._exit(0 if LIBC.unshare(0x10000000) == 0 else 1)
    return os.waitpid(child, 0)[1] == 0


@attack
def mount() -> None:
    # In a folder of its own and briefly, because the whole system sees a successful mount.
    place = os.path.join(os.environ.get("TMPDIR", "/tmp"), "mounted")
    os.mkdir(place)
    called(LIBC.mount(b"none", place.encode(), b"tmpfs", 0, None))
    LIBC.umount2(place.encode(), 2)


@attack
def kernel() -> bool:
    # bpf, keyctl, io_uring_setup and perf_event_open, each with any result but a refusal
    numbers = {"x86_64": (321, 250, 425, 298), "aarch64": (280, 219, 425, 241)}
    through = False
    for number in numbers.get(os.uname().machine, ()):
        ctypes.set_errno(0)
        LIBC.syscall(number, -1, None, -1, -1, -1)
        through |= ctypes.get_errno() != errno.EPERM
    return through


@attack
def trace() -> bool:
    went = bool(LIBC.ptrace(16, GOAL["opponent"], 0, 0) == 0)
    if went:
        os.waitpid(GOAL["opponent"], 0)
        LIBC.ptrace(17, GOAL["opponent"], 0, 0)
    return went


@attack
def terminal() -> bool:
    with open("/dev/tty", "rb"):
        return True


@attack
def shared_memory() -> None:
    # The test looks for leftovers from outside; for a queue its creation is enough.
    LIBC.shmget(GOAL["key"], 4096, 0o1600)
    LIBC.semget(GOAL["key"], 1, 0o1600)
    name = f"/{GOAL['mark']}".encode()
    called(LIBC.mq_open(name, os.O_CREAT | os.O_RDWR, 0o600, None))
    LIBC.mq_unlink(name)


@attack
def daemon() -> bool:
    if not os.fork():
        os.setsid()
        if not os.fork():
            quiet = os.open("/dev/null", os.O_RDWR)
            for number in range(3):
                os.dup2(quiet, number)
            words = ["sh", "-c", f"while :; do sleep 1; done; : {GOAL['mark']}"]
            os.execve("/bin/sh", words, {})
        os._exit(0)
    os.wait()
    return False  # the test looks from outside whether it survives its bot


def hog() -> None:
    """Use more memory than allowed, with less than the limit in each process."""
    for _ in range(4):
        if not os.fork():
            held = bytearray(GOAL["memory"] // 2)
            held[::4096] = b"x" * len(held[::4096])
            signal.pause()
    signal.pause()


def tried() -> Iterator[tuple[str, bool]]:
    """Try each attack; yield its name and whether it succeeded."""
    escapes = {name: partial(what, GOAL) for name, what in ESCAPES.items()}
    attacks: dict[str, Callable[[], object]] = {**ATTACKS, **escapes}
    for name in GOAL.get("attacks", attacks):
        try:
            through = attacks[name]() is not False
        except (OSError, ValueError):
            through = False
        yield name, through


def main() -> None:
    for told in chain(tried(), [("done", True)]):
        print(json.dumps(told), flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    if GOAL.get("hogs"):
        hog()
    main()
