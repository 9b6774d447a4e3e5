"""The input of a bot, read while it thinks, so that `stop` and `quit` take effect at once.

A thread waits in a read without the interpreter's lock, which does not slow down a search.
"""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Final, TextIO

from lath.notation import protocol as wire

QUIT_GRACE_S: Final = 0.3
"""The seconds a bot may think after `quit` or the end of the input; then its process is ended.

The arena waits for one second.
"""

SWITCH_S: Final = 0.001
"""The longest time in seconds that computing threads keep this one waiting; Python's default is 5
ms."""

_READ: Final = 1 << 16

_STACK: Final = 1 << 18
"""The bytes of the thread's stack, which count as memory of the bot; the usual size is 8 MiB."""

_STOPS: Final = frozenset((wire.STOP, "new", "result", wire.QUIT))
"""The first words of lines that make an answer to `go` useless."""


class Thinking:
    """The state of one thought: whether to stop, and the move to play."""

    __slots__ = (
        "began_s",
        "best",
        "held",
        "infos",
        "is_pondering",
        "quiet_until_s",
        "stopped",
    )

    def __init__(self, *, is_pondering: bool = False) -> None:
        self.is_pondering: Final = is_pondering
        """True if the opponent is to move: any line ends the thought."""
        self.began_s: Final = time.monotonic()
        """The time when its line was read, on the monotonic clock; the bot's time runs from then
        on."""
        self.stopped = False
        self.best = ""
        """The move that the bot would play now; empty without one."""
        self.infos = 0
        """The number of `info` calls so far."""
        self.held: dict[str, object] = {}
        """The values of `info` calls that were not written yet."""
        self.quiet_until_s = 0.0
        """The time until which `info` values are only stored."""


class _Ear:
    """Finds the thought that each line begins, and stops the one before if necessary."""

    def __init__(self) -> None:
        self._last = Thinking()

    def hear(self, line: str) -> Thinking:
        word = line.split(None, 1)[:1]
        if word in (["go"], ["ponder"]):
            self.stop()
            self._last = Thinking(is_pondering=word == ["ponder"])
        elif word and (self._last.is_pondering or word[0] in _STOPS):
            self.stop()
        return self._last

    def stop(self) -> None:
        self._last.stopped = True


Heard = tuple[str, Thinking]
"""A line, with the thought that it begins."""


def listen(source: TextIO, *, is_own: bool) -> Iterator[Heard]:
    """Yield the lines up to `quit` or the end; without a descriptor, lines are read when needed.

    With `is_own`, the source is the input of this process, which is ended if the bot does not stop.
    """
    try:
        descriptor = source.fileno()
    except (io.UnsupportedOperation, AttributeError):
        yield from _one_by_one(source)
        return
    listener = _Listener(descriptor, is_own=is_own)
    usual = threading.stack_size(_STACK)
    try:
        listener.start()
    except RuntimeError:  # no thread is available: lines are read only between thoughts
        yield from _one_by_one(source)
        return
    finally:
        threading.stack_size(usual)
    if is_own:
        sys.setswitchinterval(SWITCH_S)
    yield from listener


def _one_by_one(source: TextIO) -> Iterator[Heard]:
    ear = _Ear()
    for line in source:
        if line.split()[:1] == [wire.QUIT]:
            return
        yield line, ear.hear(line)


class _Listener(threading.Thread):
    """A thread that reads a descriptor to its end, and passes the lines to another thread."""

    def __init__(self, descriptor: int, *, is_own: bool) -> None:
        super().__init__(name="arena", daemon=True)
        self._descriptor: Final = descriptor
        self._is_own: Final = is_own
        self._read: Final[SimpleQueue[list[Heard]]] = SimpleQueue()
        """The lines of each read; an empty list at the end."""
        self._has_left: Final = threading.Event()
        """Set when the other thread knows of the end."""

    def __iter__(self) -> Iterator[Heard]:
        while heard := self._read.get():
            yield from heard
        self._has_left.set()

    def run(self) -> None:
        """Read to the end; end the process if the bot does not react."""
        ear, is_over = _Ear(), False
        for lines in self._pieces():
            heard = []
            for line in lines:
                if is_over := line.split()[:1] == [wire.QUIT]:
                    break
                heard.append((line, ear.hear(line)))
            if heard:
                self._read.put(heard)
            if is_over:
                break
        ear.stop()
        self._read.put([])
        if self._is_own and not self._has_left.wait(QUIT_GRACE_S):
            os._exit(0)

    def _pieces(self) -> Iterator[list[str]]:
        """Yield the lines of each read that has any."""
        rest = b""
        while data := self._piece():
            *whole, rest = (rest + data).split(b"\n")
            if whole:
                yield [line.decode("utf-8", "replace") for line in whole]
        if rest:
            yield [rest.decode("utf-8", "replace")]

    def _piece(self) -> bytes:
        try:
            return os.read(self._descriptor, _READ)
        except OSError:
            return b""
