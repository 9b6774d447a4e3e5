"""Streams for what is told beside a run: they may fail or their reader go away, the games go on."""

from __future__ import annotations

import io
import os
from typing import Final, TextIO


class Steadfast(io.TextIOBase):
    """A stream that may fail: the games go on, and nobody is told any more."""

    def __init__(self, stream: TextIO) -> None:
        self.failure: OSError | None = None
        """Why nothing is written any more; None while all is well, or when the reader has left."""
        self._stream: Final = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a plain attribute of its base
        """Return how letters are written."""
        return self._stream.encoding

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """Return the number of the system's stream."""
        return self._stream.fileno()

    def write(self, text: str) -> int:
        """Write, as long as somebody reads."""
        try:
            self._stream.write(text)
        except OSError as error:
            self._let_go(error)
        return len(text)

    def flush(self) -> None:
        """Write what is in the buffer, as long as somebody reads."""
        try:
            self._stream.flush()
        except OSError as error:
            self._let_go(error)

    def _let_go(self, error: OSError) -> None:
        """Send what is still in the stream's buffer, and all that follows, nowhere."""
        if not isinstance(error, BrokenPipeError):
            self.failure = error
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - a device
            os.dup2(nowhere.fileno(), self._stream.fileno())
