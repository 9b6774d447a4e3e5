"""Operating-system processes that talk in lines: pipes, limits, waiting for several at once.

Must not know the protocol. The move path is raw: one `poll` over all descriptors, `os.read`,
`os.write`, absolute deadlines on the monotonic clock (see benchmarks/ for why).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import signal
import subprocess
import termios
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from arena import trees
from arena.trees import MARK, sweep
from notation.wire import MAX_LINE

MAX_OUTPUT: Final = 8 << 20
"""Bytes that a bot may write for one move."""

STDERR_KEPT: Final = 16 << 10
"""Bytes of standard error that are kept: the end of it."""

_READ: Final = 1 << 16

_gate: Final = threading.Lock()


def start_no_more() -> None:
    """Let this process start no other child; who tries to, in another thread, waits for ever."""
    _gate.acquire()


class Child:
    """One process with pipes to its standard streams, in a session of its own.

    A `Watch` (watch.py) fills `lines` and drains standard error; `send` never blocks.
    """

    def __init__(self, process: subprocess.Popen[bytes], mark: str) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self._process: Final = process
        self._mark: Final = mark
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
        trees.own.add(self.pid)

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
        with _gate:
            return cls._start(command, trees.new_mark(tree), cwd, env or {}, memory_bytes)

    @classmethod
    def _start(
        cls,
        command: Sequence[str],
        mark: str,
        cwd: Path | None,
        env: Mapping[str, str],
        memory_bytes: int | None,
    ) -> Child:
        scratch = trees.new_scratch(mark)
        process = None
        try:
            process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=cwd or scratch,
                env={**os.environ, "TMPDIR": str(scratch), **env, MARK: mark},
                start_new_session=True,
                # The one other thread of a worker waits in a read: nothing it holds is needed.
                preexec_fn=_restrict(memory_bytes),  # noqa: PLW1509
            )
            return cls(process, mark)
        except BaseException:  # perhaps for want of descriptors, which a sweep needs too
            if process is not None:
                process.kill()
                with process:
                    pass
            with contextlib.suppress(OSError):
                scratch.rmdir()
            raise

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
    def has_unread_input(self) -> bool:
        """Return whether something was written that the process has not read."""
        if self._unsent:
            return True
        with contextlib.suppress(OSError):
            return any(fcntl.ioctl(self.in_fd, termios.FIONREAD, bytes(4)))
        return False

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
        trees.own.discard(self.pid)
        if self.pid_fd >= 0:
            os.close(self.pid_fd)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                stream.close()
        sweep(self._mark)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _restrict(memory_bytes: int | None) -> Callable[[], None]:
    """Return what a child does between fork and exec: die with its parent, keep its limits."""
    parent = os.getpid()

    def restrict() -> None:
        trees.die_with(parent)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory_bytes is not None:
            hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
            limit = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    return restrict
