"""Bad bots without processes: a child that answers from a script, and a clock without waiting.

A class of bad_bots.py is the script. It gets the arena's lines at once, and its output passes
through a real pipe at the time of this module's clock. So nothing takes time or depends on how busy
the machine is.

Must not know the protocol.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from types import SimpleNamespace
from typing import Any, Final
from unittest import mock

import bad_bots
import odd_bots
from bad_bots import Good

from lath.arena.botcheck import lab
from lath.arena.machine import signals
from lath.arena.referee import conversation, process, process_trees
from lath.arena.referee import watch as watching
from lath.arena.referee.process import MAX_OUTPUT, STDERR_KEPT, Child
from lath.arena.referee.watch import Watch
from lath.arena.sandbox.kinds import ProcessStart
from lath.arena.tournament.run import beginning, worker
from lath.bots import sdk

NOBODY: Final = 1 << 22
"""A number that no process has."""

_LINE_S: Final = 0.001
"""The time of a script for one line, in seconds."""

_CHUNK: Final = 1 << 15
"""Bytes that a pipe can always take at once."""


class Clock:
    """A replacement for the module `time`; only waiting advances it."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        self.starts: Final = Counter[str]()
        """The number of simulated process starts, by kind."""

    def monotonic(self) -> float:
        return self.now_s

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)


class _StopsError(BaseException):
    """The script does nothing more."""


class Stage:
    """The system as scripts see it; calls apply to the script that is running."""

    script: Script

    def __init__(self) -> None:
        busy = SimpleNamespace(sleep=self._sleep, monotonic=self._look, process_time=self._look)
        streams = SimpleNamespace(
            stderr=self,
            exit=self._exit,
            executable=sys.executable,
            stdin=SimpleNamespace(buffer=()),
        )
        system = SimpleNamespace(
            path=os.path,
            getpid=lambda: NOBODY,
            kill=lambda _, number: self._exit(-number),
            close=self._close,
            write=self._write,
        )
        numbers = SimpleNamespace(signal=lambda *_: None, SIGSEGV=11, SIGTERM=15, SIG_IGN=1)
        self.modules: Final[dict[str, Any]] = {
            "os": system,
            "sys": streams,
            "time": busy,
            "hang": self._hang,
        }
        self.more: Final[dict[str, Any]] = {"signal": numbers}

    def write(self, text: str) -> None:
        """Write to standard error."""
        self.script.stderr.write(text)

    def flush(self) -> None:
        """Do nothing."""

    def _write(self, descriptor: int, data: bytes) -> int:
        if descriptor == 2:
            self.write(data.decode())
        else:
            self.script.do(data)
        self.script.written += len(data)
        if self.script.written > 2 * MAX_OUTPUT:
            raise _StopsError  # an endless sleep ends the script
        return len(data)

    def _sleep(self, seconds: float) -> None:
        self.script.busy_until_s += seconds

    def _look(self) -> float:
        self.script.busy_until_s += _LINE_S
        return self.script.busy_until_s

    def _close(self, descriptor: int) -> None:
        assert descriptor == 1
        self.script.do(None)

    def _exit(self, status: int = 0) -> None:
        self.script.do(status)
        raise _StopsError

    def _hang(self) -> None:
        raise _StopsError


class Script:
    """A script of a bot, which takes its input and stores its timed actions."""

    def __init__(
        self,
        kind: type[Good],
        clock: Clock,
        stage: Stage,
        env: Mapping[str, str],
        line_s: float = _LINE_S,
    ) -> None:
        self.clock: Final = clock
        self.deeds: Final[deque[tuple[float, bytes | int | None]]] = deque()
        """The actions with their times: output, an exit status, or None for closing the output."""
        self.stderr: Final = io.StringIO()
        self.busy_until_s = 0.0
        self.written = 0
        self._stage: Final = stage
        self._env: Final = env
        self._line_s: Final = line_s
        self._heard = b""
        self._has_stopped = False
        self._bot: Final = kind()
        self._act(self._bot.run)  # before it reads anything
        self._has_stopped = any(isinstance(deed, int) for _, deed in self.deeds)

    def hear(self, data: bytes) -> None:
        *lines, self._heard = (self._heard + data).split(b"\n")
        self.written = 0
        for line in lines:
            self._act(lambda line=line: self._bot.hear(line + b"\n"))  # type: ignore[misc]

    def end(self) -> None:
        """Handle the end of its input."""
        self._act(self._bot.run)
        self._act(self._stage.modules["sys"].exit)

    def _act(self, act: Callable[[], None]) -> None:
        """Run it with simulated system calls."""
        if self._has_stopped:
            return
        self.busy_until_s = max(self.busy_until_s, self.clock.now_s) + self._line_s
        self._stage.script = self
        self._stage.modules["os"].environ = self._env
        try:
            act()
        except _StopsError:
            self._has_stopped = True
        except Exception as error:  # noqa: BLE001 - as Python ends where nobody handles one
            self.stderr.write(f"{type(error).__name__}: {error}\n")
            self.do(1)
            self._has_stopped = True

    def do(self, deed: bytes | int | None) -> None:
        self.deeds.append((self.busy_until_s, deed))


class Bundled:
    """A bundled bot as a script, named by its module, which takes no time."""

    def __init__(self, module: str, clock: Clock) -> None:
        self.clock: Final = clock
        self.deeds: Final[deque[tuple[float, bytes | int | None]]] = deque()
        self.stderr: Final = io.StringIO()
        self._heard = b""
        self._lines: Final[SimpleQueue[str | None]] = SimpleQueue()
        self._asks: Final[SimpleQueue[None]] = SimpleQueue()
        """One item per request for a line, and one at its end."""
        self._has_ended = False
        streams: Any = {"source": self._source(), "out": self}
        speaks = partial(sdk.run, **streams)
        with (
            mock.patch.object(sdk, "run", speaks),
            mock.patch.object(sdk, "redirect_stdout", nullcontext),
        ):
            Thread(target=self._run, args=(module,), daemon=True).start()
            self._asks.get()

    def _run(self, module: str) -> None:
        found = find_spec(module)
        assert found
        code = found.loader.get_code(module)  # type: ignore[union-attr]
        try:
            exec(code, {"__name__": "__main__", "__spec__": found})
        finally:
            self._has_ended = True
            self._asks.put(None)

    def _source(self) -> Iterator[str]:
        while True:
            self._asks.put(None)
            if (line := self._lines.get()) is None:
                return
            yield line

    def hear(self, data: bytes) -> None:
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            if self._has_ended:
                break
            self._lines.put(line.decode() + "\n")
            self._asks.get()
            if self._has_ended:
                self.deeds.append((self.clock.now_s, 0))

    def end(self) -> None:
        """Handle the end of its input."""
        if not self.deeds:
            self._lines.put(None)
            self.deeds.append((self.clock.now_s, 0))

    def write(self, text: str) -> None:
        self.deeds.append((self.clock.now_s, text.encode()))

    def flush(self) -> None:
        """Do nothing."""


class _Process:
    """The attributes of a process that `Child` uses."""

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
            start = ProcessStart(words=(), env={}, cwd="/", restrict=lambda: None)
            super().__init__(self._fake, "scripted", start)  # type: ignore[arg-type]
        self._output: int | None = self._fake.ends[3]

    def write(self, data: bytes) -> None:
        if self._fake.status is not None:
            self.in_closed = True
        else:
            self._script.hear(data)

    def close_input(self) -> None:
        super().close_input()
        self._script.end()

    def next_s(self) -> float | None:
        """Return the time of its next action; None without one or without a reader."""
        return self._script.deeds[0][0] if self._script.deeds and not self.flooded else None

    def put_off(self, seconds: float) -> None:
        """Delay all its actions."""
        deeds = self._script.deeds
        later = [(at_s + seconds, deed) for at_s, deed in deeds]
        deeds.clear()
        deeds.extend(later)

    def act(self) -> None:
        """Perform all actions that are due."""
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
        process_trees.own.discard(self.pid)
        if self._output is not None:
            os.close(self._output)
        for stream in (self._fake.stdin, self._fake.stdout, self._fake.stderr):
            stream.close()
        os.close(self._fake.ends[0])
        os.close(self._fake.ends[5])


class ScriptedWatch(Watch):
    """A watch of scripts, which advances the clock to the next action."""

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
"""Makes a script, or an object with the same methods, from the last word of a command."""


@contextmanager
def scripted(
    make: Make | None = None, *, line_s: float = _LINE_S, **variables: str
) -> Iterator[Clock]:
    """Replace bad bots by scripts with these environment variables, wherever the arena starts one.

    `make` makes other scripts; a script takes `line_s` per line.
    """
    clock, stage = Clock(), Stage()
    kinds = {**vars(odd_bots), **vars(bad_bots)}

    class Start:
        @staticmethod
        def start(command: Sequence[str], *, env: Mapping[str, str], **_how: object) -> Child:
            clock.starts[command[-1]] += 1
            if not Path(command[0]).exists():
                raise FileNotFoundError(2, os.strerror(2), command[0])
            if make:
                return ScriptedChild(make(command[-1], clock))
            return ScriptedChild(
                Script(kinds[command[-1]], clock, stage, {**variables, **env}, line_s)
            )

    watch = type("Watching", (ScriptedWatch,), {"clock": clock})
    with ExitStack() as stack:
        stack.enter_context(mock.patch.multiple(bad_bots, **stage.modules, **stage.more))
        stack.enter_context(mock.patch.multiple(odd_bots, **stage.modules))
        for target, name, value in (
            (conversation, "Child", Start),
            (signals, "time", clock),
            (process, "time", clock),
            (watching, "Watch", watch),
            (lab, "Watch", watch),
            (worker, "Watch", watch),
            (beginning, "Watch", watch),
            (process_trees, "adopt_orphans", lambda: None),
            (process_trees, "reap_orphans", lambda: None),
        ):
            stack.enter_context(mock.patch.object(target, name, value))
        yield clock


@contextmanager
def a_team() -> Iterator[Callable[[], tuple[str, ...]]]:
    """Play pairs in this process, with bots that are new to each test.

    Gives a function that ends these bots and returns the notes on their ends.
    """
    team = worker._Team()  # that of this process stays for ever

    def left() -> tuple[str, ...]:
        team.trim(0)
        return team.take_notes()

    with mock.patch.object(worker, "_own_team", return_value=team):
        try:
            yield left
        finally:
            left()
