"""The process of a bot: its limits, its pipes and its exchange with the arena.

The move path uses one wait for all descriptors (epoll if available, which keeps its list between
waits), `os.read` and `os.write`. Deadlines are absolute, on the clock of `signals.awake_s`. See
benchmarks/ for the measurements.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import sys
import termios
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Final

from lath.arena.machine import signals
from lath.arena.referee import process_trees
from lath.arena.referee.process_trees import MARK, sweep
from lath.arena.referee.watchdog import Watchdog, Watched, trim_cache
from lath.arena.sandbox.kinds import NO_WALL, BotSandbox, ProcessStart, beginning
from lath.notation.protocol import MAX_LINE

MOST_PIECES: Final = 2000
"""The number of writes and reads of a bot that are kept: the last ones."""

MOST_OF_A_PIECE: Final = 2048
"""The number of bytes kept of a write or a read: its beginning and its end."""

MAX_OUTPUT: Final = 8 << 20
"""The bytes that a bot may write for one move, standard output and standard error together."""

MAX_GAME: Final = 64 << 20
"""The bytes that a bot may write in one game."""

_LINE, _LINE_UNASKED = 80, 4000
"""The bytes that a line counts besides its own, asked for or not."""

STDERR_KEPT: Final = 16 << 10
"""The bytes of standard error that are kept: the end of it."""

_READ: Final = 1 << 16

READ_OF_A_PLY: Final = 1024
"""The bytes of the first read for an answer: nearly all answers are a line of twenty bytes."""


_MARK: Final = b"\xef\xbb\xbf"
"""A byte order mark, which some run-time systems write before the first line."""


# Exchanges are kept as bytes, within bounds; conversation.py converts them to text on demand.

Piece = tuple[float, bool, bytes]
"""One write or read: its time by `signals.awake_s`, True if sent to the bot, and the bytes."""


def shortened(data: bytes) -> bytes:
    """Return the data, or only its beginning and end if it is too long to keep."""
    if len(data) <= MOST_OF_A_PIECE:
        return data
    half = MOST_OF_A_PIECE // 2
    return b"%b [... %d bytes ...] %b" % (data[:half], len(data) - 2 * half, data[-half:])


_INTERRUPTS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_CAN_WATCH: Final = sys.platform == "linux"

may_start: Final = threading.Lock()
"""A lock for making anything that a `sweep` must find: a process or a scratch file."""

_watchdog: Final = Watchdog(may_start)


def start_no_more() -> None:
    """Let this process start no more children; other threads that try wait for ever."""
    may_start.acquire()


_PAGE: Final = os.sysconf("SC_PAGE_SIZE")

_COPIED: Final = 1.1
"""The memory of a child as a multiple of this process's, above which the child's own counts."""


def _held_bytes() -> int:
    """Return the memory that this process holds, in bytes."""
    with contextlib.suppress(OSError, IndexError), open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * _PAGE
    return sys.maxsize


class Child:
    """A process with pipes to its standard streams, in a session of its own.

    A `Watch` fills `lines` and drains standard error; `send` never blocks.
    """

    data_bytes = 0
    """The highest amount of data that the process was seen to hold, in bytes; see `note_data`."""

    peak_bytes = 0
    """The peak memory in bytes, which the system reports at its end; 0 if unknown."""

    ends_input = False
    """True if its input ends after all waiting bytes are written."""

    _has_said = False
    """True if it has written anything besides a byte order mark."""

    _copied_bytes = 0
    """The memory of this process when it started a child with a memory limit; otherwise 0."""

    def __init__(self, process: subprocess.Popen[bytes], mark: str, start: ProcessStart) -> None:
        assert process.stdin
        assert process.stdout
        self._process: Final = process
        self._mark: Final = mark
        self._start: Final = start
        self._watched: Watched | None = None
        self.pid: Final = process.pid
        self._bot_pid = process.pid
        self.in_fd: Final = process.stdin.fileno()
        self.out_fd: Final = process.stdout.fileno()
        self.err_fd: Final = process.stderr.fileno() if process.stderr else -1
        """The descriptor of standard error; -1 if the arena does not read it."""
        for descriptor in (self.in_fd, self.out_fd, self.err_fd):
            if descriptor >= 0:
                os.set_blocking(descriptor, False)
        self.pid_fd: Final = os.pidfd_open(self.pid) if hasattr(os, "pidfd_open") else -1
        glance = select.poll()
        glance.register(self.out_fd, select.POLLIN)
        self.glance: Final = glance.poll
        """A function to call with 0, which returns unread output or the end, if any."""
        self.has_spoken: Final = [(self.out_fd, select.POLLIN)]
        """The events of a watch if the process has written and nothing else happened."""
        self.lines: Final[deque[bytes]] = deque()
        """The lines that were read and not taken yet, without line ends."""
        self.asked_s = 0.0
        """The time of the newest request, by `signals.awake_s`."""
        self.arrived_s = 0.0
        """The time of the newest line, by `signals.awake_s`."""
        self.output_bytes = 0
        """The bytes of output and errors since the last answer; the caller sets it to 0."""
        self.game_bytes = 0
        """The bytes of output and errors since the game began; the caller sets it to 0."""
        self.flooded = False
        self.has_ended = False
        """True if the watch has seen its end; without pidfds the closed output shows it."""
        self.out_closed = False
        self.in_closed = False
        self.exchange: Final = deque[Piece](maxlen=MOST_PIECES)
        """The latest exchange between the arena and the process."""
        self.unsent = b""
        """The bytes that the pipe has no room for yet."""
        self.may_speak: Callable[[], bool] = lambda: True
        """A function that returns True if the bot may think now."""
        self.on_full: Callable[[Child], None] = lambda _child: None
        """A function to call when the pipe becomes full."""
        self.begun = b""
        """The beginning of a line that is not complete yet."""
        self._stderr = b""
        process_trees.own.add(self.pid)
        self._part = signals.stopping_too(signals.Companion(self._pause, self._go_on))

    @classmethod
    def start(
        cls,
        command: Sequence[str],
        *,
        tree: str,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        memory_bytes: int | None = None,
        wall: BotSandbox = NO_WALL,
        at_terminal: bool = False,
    ) -> Child:
        """Start a program and return its process.

        `tree` begins the mark of the process and of its descendants. Without `cwd` it runs in a
        scratch directory, which is removed with it. `memory_bytes` limits its data. With
        `at_terminal` it shares this process's session and standard error.

        Raises OSError if the system cannot start it, and MachineError without scratch space.
        """
        mark, scratch, process = f"{tree}{os.urandom(8).hex()}", "", None
        with signals.starting(), may_start:
            try:
                # An interrupt between fork and exec would leave an unknown process without a mark.
                # Therefore signals that ask to stop wait; the child does not block them.
                held = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
                try:
                    if _CAN_WATCH:
                        _watchdog.wake()
                    if wall.view.cache and wall.cache_bytes:
                        trim_cache(wall.view.cache, wall.cache_bytes)
                    scratch = process_trees.new_scratch(mark)
                    with beginning(
                        wall,
                        command,
                        own_env=env or {},
                        mark={MARK: mark},
                        cwd=cwd,
                        scratch=scratch,
                        memory_bytes=memory_bytes,
                        held=held,
                    ) as start:
                        process = (start.group.start if start.group else subprocess.Popen)(
                            start.words,
                            bufsize=0,
                            stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE,
                            stderr=None if at_terminal else subprocess.PIPE,
                            cwd=start.cwd,
                            env=start.env,
                            pass_fds=start.passed,
                            start_new_session=not at_terminal,
                            # A worker's only other thread waits in a read and holds nothing that is
                            # needed.
                            preexec_fn=start.restrict,
                        )
                finally:
                    signal.pthread_sigmask(signal.SIG_SETMASK, held)
                child = cls(process, mark, start)
                child._copied_bytes = _held_bytes() if memory_bytes else 0
                if _CAN_WATCH:
                    child._watched = Watched(child.pid, mark, wall, start)
                    _watchdog.add(child._watched)
            except BaseException:  # perhaps too few descriptors, which a sweep also needs
                if process is not None:
                    process.kill()
                    with process:
                        pass
                with contextlib.suppress(OSError):
                    os.rmdir(scratch)
                raise
        return child

    def send(self, data: bytes) -> float:
        """Write what the pipe takes now; `Watch` writes the rest when there is room.

        Returns the time of the write, by `signals.awake_s`.
        """
        at_s = signals.awake_s()
        self.exchange.append((at_s, True, shortened(data)))
        if self.unsent:
            self.unsent += data
        else:
            self.write(data)
        return at_s

    def write(self, data: bytes) -> None:
        """Write what the pipe takes, and keep the rest; no bytes may be waiting already."""
        try:
            written = os.write(self.in_fd, data)
        except BlockingIOError:
            written = 0
        except OSError:
            self.in_closed = True
            return
        if written < len(data):
            self.unsent = data[written:]
            self.on_full(self)

    def end_input(self) -> None:
        """End its input after all waiting bytes are written."""
        self.ends_input = True
        if not self.unsent:
            self.close_input()

    def close_input(self) -> None:
        """End its input, as it would end with its parent."""
        self.exchange.append((signals.awake_s(), True, b"(end of the input)\n"))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.in_fd)  # this object still has to close the descriptor
        os.close(nowhere)

    def forget_output(self) -> None:
        """Drop all output so far: untaken lines, a partial line and the bytes in the pipe."""
        while self.glance(0) and not (self.out_closed or self.flooded):
            self.take_output()
        self.lines.clear()
        self.begun = b""

    def take_output(self) -> None:
        """Read the output of the process into `lines`."""
        try:
            data = os.read(self.out_fd, _READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.arrived_s = signals.awake_s()
        self.take(data)

    def take(self, data: bytes) -> None:
        """Split the bytes of a read into `lines`; no bytes mean that its output has ended."""
        if not data:
            self.out_closed = True
            return
        self.exchange.append((self.arrived_s, False, shortened(data)))
        joined = self.begun + data if self.begun else data
        if not self._has_said:
            joined = joined.removeprefix(_MARK)
            self._has_said = not _MARK.startswith(joined)
        *whole, self.begun = joined.split(b"\n")
        # Many empty lines count, too: reading them takes time from the side to move.
        weight = _LINE if self.may_speak() else _LINE_UNASKED
        self._count(len(data) + weight * len(whole))
        if len(joined) > MAX_LINE and any(len(line) > MAX_LINE for line in (*whole, self.begun)):
            # Neither this line nor a later one is an answer, in however many reads they came.
            self.flooded = True
            self.begun = b""
            whole = [*takewhile(lambda line: len(line) <= MAX_LINE, whole)]
        self.lines.extend(whole)

    def _count(self, written: int) -> None:
        self.output_bytes += written
        self.game_bytes += written
        if self.output_bytes > MAX_OUTPUT or self.game_bytes > MAX_GAME:
            self.flooded = True

    def take_errors(self) -> bool:
        """Read standard error and keep the end of it; return True if it is still open."""
        read = self._read_errors()
        self._count(read or 0)
        return read != 0

    def _read_errors(self) -> int | None:
        """Return the number of bytes read from standard error; 0 at its end, None if none wait."""
        try:
            data = os.read(self.err_fd, _READ)
        except BlockingIOError:
            return None
        except OSError:
            return 0
        self._stderr = (self._stderr + data)[-STDERR_KEPT:]
        return len(data)

    def end_last_line(self) -> None:
        """Take a last line without a line end as a line, if the output has ended."""
        if self.out_closed and self.begun:
            self.lines.append(self.begun)
            self.begun = b""

    @property
    def unfinished(self) -> str:
        """Return the beginning of a line that is not complete yet."""
        return self.begun[:200].decode("utf-8", "replace")

    @property
    def has_unread_input(self) -> bool:
        """Return True if the process has not read all of its input."""
        if self.unsent:
            return True
        with contextlib.suppress(OSError):
            return any(fcntl.ioctl(self.in_fd, termios.FIONREAD, bytes(4)))
        return False

    def heed(
        self,
        own_time: Callable[[], float],
        threads: int,
        alarm: Callable[[], object],
        excess_s: float = 0.0,
    ) -> None:
        """Start to measure CPU time beyond the bot's own turns; see `watchdog.Turns`.

        `excess_s` is the CPU time beyond its turns of its earlier processes.
        """
        if self._watched is not None:
            turns = self._watched.turns
            turns.own_time, turns.threads, turns.alarm = own_time, threads, alarm
            turns.excess_s = excess_s

    @property
    def tree_cpu_s(self) -> float:
        """Return the CPU time of all its processes, in seconds; 0 if unknown."""
        group = self._start.group
        return group.cpu_s if group and group.path else process_trees.cpu_s(self.pid)

    @property
    def runs(self) -> bool:
        """Return True if one of its processes runs or is ready to run now."""
        group = self._start.group
        members = group.processes() if group else process_trees.descendants(self.pid)
        return any(map(process_trees.is_running, members))

    @property
    def excess_s(self) -> float:
        """Return the known CPU time beyond its own turns, in seconds."""
        return 0.0 if self._watched is None else self._watched.turns.excess_s

    def stop(self) -> None:
        """Stop all its processes from computing, until `resume` or `kill`."""
        if self._watched is None or self._watched.turns.is_stopped:
            return
        self._watched.turns.is_stopped = True
        self._watched.turns.changes += 1
        self._freeze(on=True)

    def _freeze(self, *, on: bool) -> None:
        """Stop all its processes, or let them run again."""
        group = self._start.group
        if not _CAN_WATCH:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGSTOP if on else signal.SIGCONT)
        elif group is None or not group.freeze(on=on):
            hold = process_trees.stop if on else process_trees.resume
            hold(self.pid, self._mark, self._start.user)

    def _pause(self) -> None:
        """Stop the bot because this process is about to stop, perhaps during `stop` or `resume`."""
        if self._process.returncode is None:
            self._freeze(on=True)

    def _go_on(self) -> None:
        """Let the bot run again with this process, unless `stop` has stopped it."""
        is_stopped = self._watched is not None and self._watched.turns.is_stopped
        if self._process.returncode is None and not is_stopped:
            self._freeze(on=False)

    def resume(self) -> None:
        """Let the processes run again that `stop` has stopped."""
        if self._watched is None or not self._watched.turns.is_stopped:
            return
        self._watched.turns.is_stopped = False
        self._watched.turns.changes += 1
        self._freeze(on=False)

    @property
    def bot_pid(self) -> int:
        """Return the process id of the bot: inside bubblewrap it is not the started process."""
        if self._bot_pid == self.pid:
            self._bot_pid = self._start.bot_pid(self.pid)
        return self._bot_pid

    @property
    def cpu_s(self) -> float:
        """Return the CPU time of the process in seconds; 0 after its end, or if not on Linux."""
        if self.pid_fd < 0:
            return 0.0
        try:  # clock_getcpuclockid(3), which the standard library lacks
            return time.clock_gettime(~self.bot_pid << 3 | 2)
        except OSError:
            return 0.0

    @property
    def waited_s(self) -> float:
        """Return the seconds that the first thread has waited for a core; 0 if unknown."""
        try:  # called in every longer wait: a file object takes twice as long
            descriptor = os.open(f"/proc/{self.bot_pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
            try:
                return int(os.read(descriptor, 200).split()[1]) / 1e9
            finally:
                os.close(descriptor)
        except (OSError, IndexError):
            return 0.0

    def note_data(self) -> None:
        """Read how much data the process holds, which `memory_bytes` limits (proc(5))."""
        with contextlib.suppress(OSError, IndexError):
            descriptor = os.open(f"/proc/{self.bot_pid}/statm", os.O_RDONLY | os.O_CLOEXEC)
            try:
                pages = int(os.read(descriptor, 200).split()[5])
            finally:
                os.close(descriptor)
            self.data_bytes = max(self.data_bytes, pages * _PAGE)

    def _note_peak(self, until_s: float) -> None:
        """Wait for the end of the process until `until_s`, and note its peak memory.

        A process begins as a copy of this one, which counts: a lower value means nothing.
        """
        pid, status, usage = self.pid, 0, None
        while self._process.returncode is None:
            try:
                pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            except ChildProcessError:
                return
            if pid or time.monotonic() >= until_s:
                break
            time.sleep(0.001)
        if usage is not None and pid:
            self._process.returncode = os.waitstatus_to_exitcode(status)
            peak_bytes = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
            self.peak_bytes = peak_bytes if peak_bytes > _COPIED * self._copied_bytes else 0

    @property
    def is_gone(self) -> bool:
        """Return True if the process has ended or closed its input or output."""
        return self.has_ended or self.out_closed or self.in_closed

    def end_words(self) -> str:
        """Return a description of how the process ended."""
        if self.is_gone:  # a process closes its pipes just before it ends
            until_s = time.monotonic() + 0.1
            if self._copied_bytes:
                self._note_peak(until_s)
            self.wait(until_s)
        if self._watched is not None and (over := self._watched.over):
            return f"was ended: {over}"
        if (status := self._process.poll()) is None:
            return f"closed its standard {'output' if self.out_closed else 'input'}"
        if (
            status > 128 and self._start.status_fd >= 0
        ):  # bubblewrap's status for a bot ended by a signal
            status = 128 - status
        if status >= 0:
            return f"exited with status {status}"
        with contextlib.suppress(ValueError):  # a real-time signal has no name
            return f"was ended by signal {signal.Signals(-status).name}"
        return f"was ended by signal {-status}"

    def stderr_text(self) -> str:
        """Return the end of its standard error, without its scratch folder's path."""
        for _ in range(STDERR_KEPT // 1024):
            self._read_errors()
        return process_trees.without_scratch(self._stderr.decode("utf-8", "replace"), self._mark)

    def wait(self, until_s: float) -> bool:
        """Return True if the process has ended by `until_s` on the monotonic clock."""
        try:
            self._process.wait(max(0.0, until_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """End the process and all its descendants at once, and forget it."""
        self._part()
        if self._watched is not None:
            _watchdog.drop(self._watched)
        if self._start.group is not None:
            self._start.group.kill()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        if self._process.poll() is None:
            self._process.kill()
        if not self.wait(time.monotonic() + process_trees.BURIAL_S / 2):
            sweep(self._mark)  # a traced process stays as long as its tracer, perhaps its child
            if not self.wait(time.monotonic() + process_trees.BURIAL_S / 2):
                self._process.returncode = -signal.SIGKILL  # `trees.reap_orphans` waits for it
        process_trees.own.discard(self.pid)
        if self.pid_fd >= 0:
            os.close(self.pid_fd)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                stream.close()
        sweep(self._mark)
        self._start.end()
