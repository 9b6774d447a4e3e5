"""The standard streams, filtered so that text from outside cannot control the terminal."""

from __future__ import annotations

import codecs
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TextIO, cast

from lath.arena.machine import signals
from lath.notation.record.errors import printable


def fitted(text: str, stream: TextIO | None = None) -> str:
    """Return text with lines of at most the terminal's width, broken between words only.

    Columns stay below each other. The text is unchanged if the stream, by default standard output,
    is not a terminal. It must not have styles, nor commands to copy.
    """
    if not (stream or sys.stdout).isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(broken for line in text.split("\n") for broken in _broken(line, width))


def _broken(line: str, width: int) -> list[str]:
    column = re.match(r" *\S+(?: \S+)* {2,}", line)  # what stands below it begins at the same place
    below = " " * column.end() if column and column.end() < width // 2 else ""
    whole = textwrap.wrap(
        line,
        width,
        subsequent_indent=below,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )
    return whole if len(line) > width else [line]


class Door:
    """A standard stream for text that removes control characters."""

    def __init__(self, below: TextIO) -> None:
        self.below: Final = below

    def __getattr__(self, name: str) -> Any:
        """Return another attribute of the stream below."""
        return getattr(self.below, name)

    def write(self, text: str) -> int:
        """Write text without control characters other than line ends."""
        self.below.write("\n".join(map(printable, text.split("\n"))))
        return len(text)


class SideDoor(Door):
    """Standard error that ignores errors such as a full disk or a reader that has left.

    The work of a command and its exit status do not depend on its messages.
    """

    def write(self, text: str) -> int:
        """Write text, and discard it if that fails."""
        try:
            return super().write(text)
        except OSError:
            _forget(self.below)
            return len(text)


def _forget(stream: TextIO) -> None:
    """Discard the stream's buffer and all later output."""
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - a device
        os.dup2(nowhere.fileno(), stream.fileno())


@contextmanager
def behind_doors() -> Iterator[None]:
    """Filter standard output and standard error."""
    before = sys.stdout, sys.stderr
    sys.stdout = cast("TextIO", Door(sys.stdout))
    sys.stderr = cast("TextIO", SideDoor(sys.stderr))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def unfiltered(stream: TextIO) -> TextIO:
    """Return a standard stream without the filter, for the arena's own colours."""
    below: TextIO = getattr(stream, "below", stream)
    return below


def tell_over(words: str) -> None:
    """Write text to standard error; on a terminal the next output overwrites it."""
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
    """Return standard output for data: unfiltered, except on a terminal."""
    return sys.stdout if sys.stdout.isatty() else unfiltered(sys.stdout)


BOM: Final = "\N{BYTE ORDER MARK}"
"""The mark by which spreadsheets recognise CSV in UTF-8."""


def write_bytes(pieces: Iterable[bytes]) -> None:
    """Write data to standard output, unchanged except on a terminal. Raises OSError."""
    if sys.stdout.isatty():
        for text in codecs.iterdecode(pieces, "utf-8", "replace"):
            sys.stdout.write(text)
    else:
        sys.stdout.buffer.writelines(pieces)
        sys.stdout.buffer.flush()
    sys.stdout.flush()


class Steadfast:
    """A stream whose first error ends its output, while the games continue."""

    def __init__(self, stream: TextIO) -> None:
        self.failure: OSError | None = None
        """The error that ended the output; None without one, or if the reader closed a pipe."""
        self._stream: Final = stream

    def __getattr__(self, name: str) -> Any:
        """Return another attribute of the stream."""
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write text, unless the output has ended."""
        self._tried(self._stream.write, text)
        return len(text)

    def flush(self) -> None:
        """Write the buffer, unless the output has ended."""
        self._tried(self._stream.flush)

    def close(self) -> None:
        """Write the buffer, unless the output has ended, and close the stream."""
        self.flush()
        self._stream.close()

    def _tried(self, action: Callable[..., object], *given: str) -> None:
        try:
            with signals.raising(2):  # the reader may be suspended
                action(*given)
        except KeyboardInterrupt:
            _forget(self._stream)
            raise
        except OSError as error:
            if not isinstance(error, BrokenPipeError):
                self.failure = error
            _forget(self._stream)
