"""Operating-system processes that talk in lines: pipes, waiting, and ending whole trees.

Must not know the protocol. The move path is raw: one `poll` over all descriptors, `os.read`,
`os.write`, absolute deadlines on the monotonic clock (see benchmarks/ for why).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from notation.wire import MAX_LINE

MARK: Final = "LATH_ARENA_TREE"
"""Environment variable that tells whose tree a process belongs to."""

MAX_OUTPUT: Final = 8 << 20
"""Bytes that a bot may write for one move."""

STDERR_KEPT: Final = 16 << 10
"""Bytes of standard error that are kept: the end of it."""

_READ: Final = 1 << 16

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36

_ON_LINUX: Final = sys.platform == "linux"

_LIBC: Final = ctypes.CDLL(None, use_errno=True) if _ON_LINUX else None


class Child:
    """One process with pipes to its standard streams, in a session of its own.

    A `Watch` fills `lines` and drains standard error; `send` never blocks.
    """

    def __init__(self, process: subprocess.Popen[bytes], mark: str, scratch: Path) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self._process: Final = process
        self._mark: Final = mark
        self._scratch: Final = scratch
        self.pid: Final = process.pid
        self.in_fd: Final = process.stdin.fileno()
        self.out_fd: Final = process.stdout.fileno()
        self.err_fd: Final = process.stderr.fileno()
        for descriptor in (self.in_fd, self.out_fd, self.err_fd):
            os.set_blocking(descriptor, False)
        self.pid_fd: Final = os.pidfd_open(self.pid) if hasattr(os, "pidfd_open") else -1
        self.lines: Final[deque[bytes]] = deque()
        """Lines that came and were not taken yet, without their ends."""
        self.arrived_s = 0.0
        """When the newest of them came."""
        self.output_bytes = 0
        """Bytes of standard output since `expect`."""
        self.flooded = False
        self.has_ended = False
        """Whether the watch was told of its end; without pidfds the closed output tells."""
        self.out_closed = False
        self.in_closed = False
        self._partial = b""
        self._unsent = b""
        self._stderr = b""

    @classmethod
    def start(
        cls,
        command: Sequence[str],
        *,
        tree: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        memory_bytes: int | None = None,
    ) -> Child:
        """Start a program; raises OSError where the system cannot.

        `tree` begins the mark of it and of all that it starts; without `cwd` it runs in a scratch
        directory of its own, which goes with it. `memory_bytes` limits its data.
        """
        mark = f"{tree}{secrets.token_hex(8)}"
        scratch = Path(tempfile.mkdtemp(prefix="lath-bot-"))
        try:
            process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=cwd or scratch,
                env={**os.environ, **(env or {}), "TMPDIR": str(scratch), MARK: mark},
                start_new_session=True,
                # The one other thread of a worker waits in a read: nothing it holds is needed.
                preexec_fn=_restrict(memory_bytes),  # noqa: PLW1509
            )
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise
        return cls(process, mark, scratch)

    def expect(self) -> None:
        """Begin to count the output of a move."""
        self.output_bytes = 0

    def send(self, data: bytes) -> None:
        """Write now what the pipe takes; `Watch` writes the rest when there is room."""
        if self._unsent:
            self._unsent += data
            return
        try:
            written = os.write(self.in_fd, data)
        except BlockingIOError:
            written = 0
        except OSError:
            self.in_closed = True
            return
        if written < len(data):
            self._unsent = data[written:]

    @property
    def wants_room(self) -> bool:
        """Return whether something waits to be written."""
        return bool(self._unsent) and not self.in_closed

    def send_rest(self) -> None:
        """Write what waits, for as far as the pipe takes it."""
        rest, self._unsent = self._unsent, b""
        self.send(rest)

    def take_output(self) -> None:
        """Read what the process has written into `lines`."""
        try:
            data = os.read(self.out_fd, _READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.arrived_s = time.monotonic()
        if not data:
            self.out_closed = True
            return
        self.output_bytes += len(data)
        if self.output_bytes > MAX_OUTPUT:
            self.flooded = True
        joined = self._partial + data
        *whole, self._partial = joined.split(b"\n")
        self.lines.extend(whole)
        if len(joined) > MAX_LINE and any(len(line) > MAX_LINE for line in (*whole, self._partial)):
            self.flooded = True
            self._partial = b""

    def take_errors(self) -> bool:
        """Read standard error and keep the end of it; return whether it is still open."""
        try:
            data = os.read(self.err_fd, _READ)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._stderr = (self._stderr + data)[-STDERR_KEPT:]
        return bool(data)

    @property
    def is_gone(self) -> bool:
        """Return whether the process has ended or can no longer talk or listen."""
        return self.has_ended or self.out_closed or self.in_closed

    def end_words(self) -> str:
        """Return how the process ended, in words."""
        if self.is_gone:
            self.wait(time.monotonic() + 0.1)  # a process closes its pipes just before it ends
        status = self._process.poll()
        if status is None:
            which = "output" if self.out_closed else "input"
            return f"closed its standard {which}"
        if status < 0:
            return f"was ended by signal {_signal_name(-status)}"
        return f"exited with status {status}"

    def stderr_text(self) -> str:
        """Return the end of what it wrote to standard error; what is not UTF-8 is replaced."""
        for _ in range(STDERR_KEPT // 1024):
            self.take_errors()
        return self._stderr.decode("utf-8", "replace")

    def wait(self, until_s: float) -> bool:
        """Return whether the process has ended by `until_s` on the monotonic clock."""
        try:
            self._process.wait(max(0.0, until_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """End the process and everything that it started, at once, and forget it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        sweep(self._mark)
        if self.pid_fd >= 0:
            os.close(self.pid_fd)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                stream.close()
        shutil.rmtree(self._scratch, ignore_errors=True)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _restrict(memory_bytes: int | None) -> Callable[[], None]:
    """Return what a child does between fork and exec: die with its parent, keep its limits."""

    def restrict() -> None:
        if _LIBC is not None:
            _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory_bytes is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    return restrict


class Watch:
    """Waits for several children at once."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._all: list[Child] = []
        self._children: dict[int, Child] = {}
        """Whose each registered descriptor is."""

    def add(self, child: Child) -> None:
        """Begin to listen to a child."""
        self._all.append(child)
        for descriptor in (child.out_fd, child.err_fd, child.pid_fd):
            if descriptor >= 0:
                self._poll.register(descriptor, select.POLLIN)
                self._children[descriptor] = child

    def drop(self, child: Child) -> None:
        """Listen to a child no longer; call it before `Child.kill`."""
        self._all.remove(child)
        for descriptor in (child.out_fd, child.err_fd, child.pid_fd, child.in_fd):
            if self._children.pop(descriptor, None) is not None:
                self._poll.unregister(descriptor)

    def wait(self, until_s: float) -> None:
        """Handle what the children do next; return at `until_s` if they do nothing."""
        for child in self._all:
            if child.wants_room and child.in_fd not in self._children:
                self._poll.register(child.in_fd, select.POLLOUT)
                self._children[child.in_fd] = child
        left_ms = max(0.0, (until_s - time.monotonic()) * 1000)
        for descriptor, event in self._poll.poll(left_ms):
            if descriptor in self._children:
                self._handle(self._children[descriptor], descriptor, event)

    def _handle(self, child: Child, descriptor: int, event: int) -> None:
        if descriptor == child.out_fd:
            child.take_output()
            done = child.out_closed
        elif descriptor == child.err_fd:
            done = not child.take_errors()
        elif descriptor == child.in_fd:
            child.send_rest()
            done = not child.wants_room
        else:
            done = child.has_ended = bool(event)  # the pidfd
        if done:
            self._poll.unregister(descriptor)
            del self._children[descriptor]


def adopt_orphans() -> None:
    """Make this process the parent of its descendants' orphans, so that `sweep` can reap them."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1)


def sweep(mark: str, spare: Sequence[str] = ()) -> int:
    """End every process whose mark begins with `mark`; return how many there were.

    Those whose mark begins with one of `spare` live on. Only Linux tells the marks of other
    processes; elsewhere process groups have to do.
    """
    if not _ON_LINUX:
        return 0
    killed: set[int] = set()
    while found := [pid for pid in _marked(mark, spare) if pid not in killed]:
        for pid in found:
            _kill(pid)
            killed.add(pid)
    return len(killed)


def _marked(mark: str, spare: Sequence[str]) -> list[int]:
    wanted = f"{MARK}={mark}".encode()
    unwanted = tuple(f"{MARK}={other}".encode() for other in spare)
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(v.startswith(wanted) and not v.startswith(unwanted) for v in variables):
            found.append(int(folder.name))
    return found


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError, PermissionError):
        pass
