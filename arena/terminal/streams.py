"""The standard streams: nothing that comes from outside commands the terminal behind them."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TextIO, cast

from lath.arena.machine import signals
from lath.notation.record.errors import printable


class Door:
    """A standard stream for words: whatever is in them, nothing commands a terminal."""

    def __init__(self, below: TextIO) -> None:
        self.below: Final = below

    def __getattr__(self, name: str) -> Any:
        """Be for the rest the stream below."""
        return getattr(self.below, name)

    def write(self, text: str) -> int:
        """Write words; lines end where they did."""
        self.below.write("\n".join(map(printable, text.split("\n"))))
        return len(text)


class SideDoor(Door):
    """Standard error: where nobody reads it, or its disk is full, all else goes on.

    What a command does and how it ends does not hang on whether people hear of it.
    """

    def write(self, text: str) -> int:
        """Write words, if that can be."""
        try:
            return super().write(text)
        except OSError:
            _forget(self.below)
            return len(text)


def _forget(stream: TextIO) -> None:
    """Let what is still in a stream's buffer, and all that follows, go nowhere."""
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - a device
        os.dup2(nowhere.fileno(), stream.fileno())


@contextmanager
def behind_doors() -> Iterator[None]:
    """Let what is printed go through doors."""
    before = sys.stdout, sys.stderr
    sys.stdout = cast("TextIO", Door(sys.stdout))
    sys.stderr = cast("TextIO", SideDoor(sys.stderr))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def unfiltered(stream: TextIO) -> TextIO:
    """Return a standard stream for what is our own: its colours pass."""
    below: TextIO = getattr(stream, "below", stream)
    return below


def tell_over(words: str) -> None:
    """Write words to standard error: on a terminal what is written next stands over them."""
    if not sys.stderr.isatty():
        sys.stderr.write(f"{words}\n")
        return
    below = unfiltered(sys.stderr)
    try:
        below.write(f"{printable(words)}\r")
        below.flush()
    except OSError:
        _forget(below)


def data_output() -> TextIO:
    """Return standard output for what programs read: it stays as it is, but on a terminal."""
    return sys.stdout if sys.stdout.isatty() else unfiltered(sys.stdout)


BOM: Final = "\N{BYTE ORDER MARK}"
"""What spreadsheets know CSV in UTF-8 by; without it they take it for a local encoding."""


def write_bytes(pieces: Iterable[bytes]) -> None:
    """Write data to standard output: bytes as they are, but on a terminal. Raises OSError."""
    if sys.stdout.isatty():
        for text in codecs.iterdecode(pieces, "utf-8", "replace"):
            sys.stdout.write(text)
    else:
        sys.stdout.buffer.writelines(pieces)
        sys.stdout.buffer.flush()
    sys.stdout.flush()


class Steadfast:
    """A stream that may fail: the games go on, and nobody is told any more."""

    def __init__(self, stream: TextIO) -> None:
        self.failure: OSError | None = None
        """Why nothing is written any more; None while all is well, or when the reader has left."""
        self._stream: Final = stream

    def __getattr__(self, name: str) -> Any:
        """Be for the rest the stream."""
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write, as long as somebody reads."""
        self._tried(self._stream.write, text)
        return len(text)

    def flush(self) -> None:
        """Write what is in the buffer, as long as somebody reads."""
        self._tried(self._stream.flush)

    def close(self) -> None:
        """Write what is in the buffer, as long as somebody reads, and close the stream."""
        self.flush()
        self._stream.close()

    def _tried(self, action: Callable[..., object], *given: str) -> None:
        try:
            with signals.raising(2):  # whoever should read may have fallen asleep
                action(*given)
        except KeyboardInterrupt:
            _forget(self._stream)
            raise
        except OSError as error:
            if not isinstance(error, BrokenPipeError):
                self.failure = error
            _forget(self._stream)
