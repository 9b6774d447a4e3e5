"""What the arena says, read while the bot thinks, so that `stop` and `quit` reach it at once.

A thread waits in a read, without the interpreter's lock: that costs a search nothing.
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
"""How long a bot may think on after `quit` or the end of the input; then its process is ended.

The arena waits a second.
"""

SWITCH_S: Final = 0.001
"""How long a thread that computes in Python may keep this one waiting; else Python takes 5 ms."""

_READ: Final = 1 << 16

_STACK: Final = 1 << 18
"""Bytes of the thread's stack, which count as data of the bot: usually 8 MiB."""

_STOPS: Final = frozenset((wire.STOP, "new", "result", wire.QUIT))
"""First words of lines after which nobody waits for the answer to `go`."""


class Thinking:
    """What is going on while a bot thinks: whether it is to stop, what it would play."""

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
        """Whether the other side is to move: any line ends it."""
        self.began_s: Final = time.monotonic()
        """When its line was heard, on the monotonic clock: the bot's time runs since then."""
        self.stopped = False
        self.best = ""
        """The move that the bot would play now; empty without one."""
        self.infos = 0
        """How often it has told something."""
        self.held: dict[str, object] = {}
        """What it has told since the last line of `info`."""
        self.quiet_until_s = 0.0
        """Until when it is only kept what the bot tells."""


class _Ear:
    """Tells of each line which thought it begins, and stops the one before where it should."""

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
"""A line, and what is thought about after it."""


def listen(source: TextIO, *, is_own: bool) -> Iterator[Heard]:
    """Yield the lines up to `quit` or the end; of a source without a descriptor as they are asked.

    `is_own` says that it is the input of this process, which is ended where the bot thinks on.
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
    except RuntimeError:  # no more threads for it: it hears nothing while it thinks, and plays
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
    """Reads a descriptor to its end, and is asked for the lines by another thread."""

    def __init__(self, descriptor: int, *, is_own: bool) -> None:
        super().__init__(name="arena", daemon=True)
        self._descriptor: Final = descriptor
        self._is_own: Final = is_own
        self._read: Final[SimpleQueue[list[Heard]]] = SimpleQueue()
        """What came in one piece; an empty list at the end."""
        self._has_left: Final = threading.Event()
        """Whether the other thread knows of the end."""

    def __iter__(self) -> Iterator[Heard]:
        while heard := self._read.get():
            yield from heard
        self._has_left.set()

    def run(self) -> None:
        """Read to the end; end the process where the bot does not take notice."""
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
        """Yield the lines that come in one read, none of them empty lists."""
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
