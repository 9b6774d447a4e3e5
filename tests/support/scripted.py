"""Bad bots without processes: a child that answers from a script, and a clock that need not wait.

A kind of bad_bots.py is the script. What the arena writes it hears at once; what it writes comes
through a real pipe when the clock of this module says so: nothing here takes time, and nothing
depends on how busy the machine is.

Must not know the protocol.
"""

from __future__ import annotations

import io
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from unittest import mock

import bad_bots
from bad_bots import Good

from lath.arena import signals
from lath.arena.referee import conversation, process, trees
from lath.arena.referee.process import MAX_OUTPUT, STDERR_KEPT, Child, Watch
from lath.arena.walls.wall import Start

NOBODY: Final = 1 << 22
"""No process has this number."""

_LINE_S: Final = 0.001
"""How long a script takes over a line."""

_CHUNK: Final = 1 << 15
"""Bytes that a pipe surely takes at a time."""


class Clock:
    """Stands in for the module `time`: only who waits makes it go on."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def monotonic(self) -> float:
        return self.now_s

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)


class _Stops(BaseException):
    """The script does nothing more."""


class Script:
    """One bot of a kind: what it was told goes in, what it does when comes out."""

    def __init__(self, kind: type[Good], clock: Clock, env: Mapping[str, str]) -> None:
        self.clock: Final = clock
        self.deeds: Final[deque[tuple[float, bytes | int | None]]] = deque()
        """What it does, and when: it writes, exits with a status, or closes its output (None)."""
        self.stderr: Final = io.StringIO()
        self._env: Final = env
        self._busy_until_s = 0.0
        self._written = 0
        self._heard = b""
        self._has_stopped = False
        self._bot: Final = kind()
        self._act(self._bot.run)  # what it does before it reads anything
        self._has_stopped = any(isinstance(deed, int) for _, deed in self.deeds)

    def hear(self, data: bytes) -> None:
        *lines, self._heard = (self._heard + data).split(b"\n")
        self._written = 0
        for line in lines:
            words = line.decode().split()
            self._act(lambda words=words: self._bot.take(words))  # type: ignore[misc]

    def _act(self, act: Callable[[], None]) -> None:
        """Let it do something, with nothing of the system in its hands."""
        if self._has_stopped:
            return
        self._busy_until_s = max(self._busy_until_s, self.clock.now_s) + _LINE_S
        system = SimpleNamespace(
            environ=self._env, getpid=lambda: NOBODY, kill=self._kill, close=self._close
        )
        streams = SimpleNamespace(
            stderr=self.stderr, exit=self._exit, stdin=SimpleNamespace(buffer=())
        )
        with mock.patch.multiple(
            bad_bots,
            os=system,
            sys=streams,
            time=SimpleNamespace(sleep=self._sleep),
            signal=SimpleNamespace(signal=lambda *_: None, SIGSEGV=11, SIGTERM=15, SIG_IGN=1),
            write=self._write,
            hang=self._hang,
        ):
            try:
                act()
            except _Stops:
                self._has_stopped = True

    def _do(self, deed: bytes | int | None) -> None:
        self.deeds.append((self._busy_until_s, deed))

    def _write(self, data: bytes) -> None:
        self._do(data)
        self._written += len(data)
        if self._written > 2 * MAX_OUTPUT:
            raise _Stops  # for ever is long enough

    def _sleep(self, seconds: float) -> None:
        self._busy_until_s += seconds

    def _close(self, descriptor: int) -> None:
        assert descriptor == 1
        self._do(None)

    def _exit(self, status: int = 0) -> None:
        self._do(status)
        raise _Stops

    def _kill(self, _pid: int, number: int) -> None:
        self._exit(-number)

    def _hang(self) -> None:
        raise _Stops


class _Process:
    """What a Child knows of a process."""

    pid = NOBODY

    def __init__(self) -> None:
        self.status: int | None = None
        self.ends: Final = [*os.pipe(), *os.pipe(), *os.pipe()]
        self.stdin = os.fdopen(self.ends[1], "wb", buffering=0)
        self.stdout = os.fdopen(self.ends[2], "rb", buffering=0)
        self.stderr = os.fdopen(self.ends[4], "rb", buffering=0)

    def poll(self) -> int | None:
        return self.status


class ScriptedChild(Child):
    """A child whose process is a script."""

    def __init__(self, script: Script) -> None:
        self._script: Final = script
        self._fake: Final = _Process()
        with mock.patch.object(os, "pidfd_open", return_value=-1, create=True):
            start = Start(words=(), env={}, cwd="/", restrict=lambda: None)
            super().__init__(self._fake, "scripted", start)  # type: ignore[arg-type]
        self._output: int | None = self._fake.ends[3]

    def write(self, data: bytes) -> None:
        if self._fake.status is not None:
            self.in_closed = True
        else:
            self._script.hear(data)

    def next_s(self) -> float | None:
        """Return when it does something next; None: never, as where nobody reads it any more."""
        return self._script.deeds[0][0] if self._script.deeds and not self.flooded else None

    def put_off(self, seconds: float) -> None:
        """Do all that is to be done so much later."""
        deeds = self._script.deeds
        later = [(at_s + seconds, deed) for at_s, deed in deeds]
        deeds.clear()
        deeds.extend(later)

    def act(self) -> None:
        """Do what is to be done by now."""
        deeds = self._script.deeds
        while deeds and deeds[0][0] <= self._script.clock.now_s and not self.flooded:
            _, deed = deeds.popleft()
            if isinstance(deed, bytes):
                self._say(deed)
                continue
            if deed is not None:
                self._fake.status, self.has_ended = deed, True
            self._close_output()

    def _say(self, data: bytes) -> None:
        assert self._output is not None
        for at in range(0, len(data), _CHUNK):
            os.write(self._output, data[at : at + _CHUNK])
            self.take_output()

    def _close_output(self) -> None:
        if self._output is not None:
            os.close(self._output)
            self._output = None
            self.take_output()

    def stderr_text(self) -> str:
        return self._script.stderr.getvalue()[-STDERR_KEPT:]

    def wait(self, until_s: float) -> bool:
        clock = self._script.clock
        while not self.has_ended and (at_s := self.next_s()) is not None and at_s <= until_s:
            clock.now_s = max(clock.now_s, at_s)
            self.act()
        if not self.has_ended:
            clock.now_s = max(clock.now_s, until_s)
        return self.has_ended

    def kill(self) -> None:
        trees.own.discard(self.pid)
        if self._output is not None:
            os.close(self._output)
        for stream in (self._fake.stdin, self._fake.stdout, self._fake.stderr):
            stream.close()
        os.close(self._fake.ends[0])
        os.close(self._fake.ends[5])


class ScriptedWatch(Watch):
    """Waits for scripts: the clock goes on to what one of them does next."""

    clock: Clock

    def __init__(self) -> None:
        super().__init__()
        self.children: list[ScriptedChild] = []

    def add(self, child: Child) -> None:
        assert isinstance(child, ScriptedChild)
        self.children.append(child)

    def drop(self, child: Child) -> None:
        assert isinstance(child, ScriptedChild)
        self.children.remove(child)

    def ask(self, child: Child, request: bytes, within_s: float) -> bytes | None:
        child.asked_s = child.send(request)
        self.wait(child.asked_s + within_s)
        return None

    def wait(self, until_s: float) -> None:
        clock = self.clock
        until_s = max(until_s, clock.now_s)
        due = [at_s for child in self.children if (at_s := child.next_s()) is not None]
        clock.now_s = max(clock.now_s, min([until_s, *due]))
        for child in self.children:
            child.act()


Make = Callable[[str, Clock], Any]
"""Makes a script, or what has the same names, of the last word of a command."""


@contextmanager
def scripted(make: Make | None = None, **variables: str) -> Iterator[Clock]:
    """Have bad bots be scripts, with these environment variables, wherever the arena starts one.

    `make` makes something else of a command.
    """
    clock = Clock()

    class Start:
        @staticmethod
        def start(command: Sequence[str], **_how: object) -> Child:
            if not Path(command[0]).exists():
                raise FileNotFoundError(2, os.strerror(2), command[0])
            if make:
                return ScriptedChild(make(command[-1], clock))
            return ScriptedChild(Script(getattr(bad_bots, command[-1]), clock, variables))

    watch = type("Watching", (ScriptedWatch,), {"clock": clock})
    with ExitStack() as stack:
        for target, name, value in (
            (conversation, "Child", Start),
            (signals, "time", clock),
            (process, "time", clock),
            (process, "Watch", watch),
            (trees, "adopt_orphans", lambda: None),
        ):
            stack.enter_context(mock.patch.object(target, name, value))
        yield clock
