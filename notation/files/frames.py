"""Zstandard files that can be read from any place: many frames, and a table of them at the end.

The table is that of zstd's seekable format (`contrib/seekable_format`, version 0.1.0), which stands
in a frame that other programs pass over: to them it is a `.zst` like any other.
"""

from __future__ import annotations

import io
import struct
import sys
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

FRAME: Final = 1 << 20
"""Bytes that are compressed together: so many have to be decompressed to see one of them."""

_MOST: Final = 1 << 26
"""Bytes of a frame of others; of a larger one no part comes soon."""

_SKIPPED: Final = struct.Struct("<II")
"""The beginning of a frame that is passed over: which kind, how many bytes follow."""

_NOTE: Final = 0x184D2A5D
_TABLE: Final = 0x184D2A5E

_END: Final = struct.Struct("<IBI")
"""The last bytes of a table: how many frames, what else is said of each, what kind of file."""

_SEEKABLE: Final = 0x8F92EAB1
_CHECKSUMS: Final = 0x80
_RESERVED: Final = 0x7C


class Frame(NamedTuple):
    """One entry of a table."""

    size: int
    """In the file."""
    holds: int
    """Bytes when decompressed; 0 of a note."""


class FramesWriter(io.RawIOBase):
    """What is written to it is compressed into `file`, which stays open when this is closed.

    Without a `finish` the file has no table. With `frames` that stand in the file already it goes
    on behind them.
    """

    def __init__(self, file: BinaryIO, frames: Iterable[Frame] = ()) -> None:
        self._file = file
        self._waiting = bytearray()
        self._frames = list(frames)

    def writable(self) -> bool:
        """Return that it is."""
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        """Take all of the data."""
        self._waiting += data
        while len(self._waiting) >= FRAME:
            self._write_frame(bytes(self._waiting[:FRAME]))
            del self._waiting[:FRAME]
        return memoryview(data).nbytes

    def _write_frame(self, data: bytes) -> None:
        # with a checksum: a bit that flips is told, and no other game is read
        options = {zstd().CompressionParameter.checksum_flag: 1}
        self._add(zstd().compress(data, options=options), len(data))

    def _add(self, written: bytes, holds: int) -> None:
        self._file.write(written)
        self._frames.append(Frame(len(written), holds))

    def end_frame(self) -> None:
        """Write what waits for more: the file then holds all that was written."""
        if self._waiting:
            self._write_frame(bytes(self._waiting))
            self._waiting.clear()

    def note(self, data: bytes) -> None:
        """Write what readers of the content pass over; `Frames.note` finds the last one."""
        self.end_frame()
        self._add(_SKIPPED.pack(_NOTE, len(data)) + data, 0)

    def table(self) -> tuple[Frame, ...]:
        """Return the frames that were written up to now."""
        return tuple(self._frames)

    def finish(self) -> None:
        """Write what is left, and the table."""
        self.end_frame()
        entries = b"".join(_SKIPPED.pack(*frame) for frame in self._frames)
        end = _END.pack(len(self._frames), 0, _SEEKABLE)
        self._file.write(_SKIPPED.pack(_TABLE, len(entries) + len(end)) + entries + end)


class Frames(io.RawIOBase):
    """The content of such a file from any place on; `file` is closed with it."""

    def __init__(self, file: BinaryIO, table: tuple[Frame, ...]) -> None:
        self._file = file
        self._table = table
        self._places = [0, *accumulate(frame.size for frame in table)]
        self._starts = [0, *accumulate(frame.holds for frame in table)]
        self._at = 0
        self._held = (-1, b"")
        """The frame that was decompressed last, and what it holds."""

    @property
    def size(self) -> int:
        """Return how many bytes it holds."""
        return self._starts[-1]

    def readable(self) -> bool:
        """Return that it is."""
        return True

    def seekable(self) -> bool:
        """Return that it is."""
        return True

    def tell(self) -> int:
        """Return how many bytes stand before the next one."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go on after so many bytes of the content."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read on, at most to the end of a frame; raises OSError, ZstdError, EOFError."""
        if self._at >= self.size:
            return 0
        number = bisect_right(self._starts, self._at) - 1
        begin = self._at - self._starts[number]
        view = memoryview(buffer).cast("B")
        part = self._content(number)[begin : begin + len(view)]
        view[: len(part)] = part
        self._at += len(part)
        return len(part)

    def _content(self, number: int) -> bytes:
        if self._held[0] != number:
            holds = self._table[number].holds
            # bounded: what a stranger has written may hold more than it says
            content = zstd().ZstdDecompressor().decompress(self._read_frame(number), holds + 1)
            if len(content) != holds:
                raise EOFError("a frame is not as long as the table at the end says")
            self._held = (number, content)
        return self._held[1]

    def _read_frame(self, number: int) -> bytes:
        self._file.seek(self._places[number])
        return self._file.read(self._table[number].size)

    def note(self) -> bytes | None:
        """Return the note behind the content; None where there is none."""
        if not self._table or self._table[-1].holds:
            return None
        written = self._read_frame(len(self._table) - 1)
        if len(written) < _SKIPPED.size:
            return None
        kind, size = _SKIPPED.unpack_from(written)
        data = written[_SKIPPED.size :]
        return data if kind == _NOTE and size == len(data) else None

    def close(self) -> None:
        """Close the file, too."""
        if not self.closed:
            self._file.close()
        super().close()


def table_of(file: BinaryIO) -> tuple[Frame, ...] | None:
    """Return the table of a file; None where it has none that helps.

    One of files that were joined is not of the whole file; one of large frames helps nobody. Raises
    OSError.
    """
    size = file.seek(0, io.SEEK_END)
    if size < _SKIPPED.size + _END.size:
        return None
    file.seek(size - _END.size)
    frames, says, kind = _END.unpack(file.read(_END.size))
    if kind != _SEEKABLE or says & _RESERVED:
        return None
    entry = 12 if says & _CHECKSUMS else 8
    length = frames * entry + _END.size
    start = size - length - _SKIPPED.size
    if start < 0:
        return None
    file.seek(start)
    if _SKIPPED.unpack(file.read(_SKIPPED.size)) != (_TABLE, length):
        return None
    sizes = struct.iter_unpack("<II4x" if says & _CHECKSUMS else "<II", file.read(frames * entry))
    table = tuple(map(Frame._make, sizes))
    is_whole = sum(frame.size for frame in table) == start
    return table if is_whole and all(frame.holds <= _MOST for frame in table) else None


def zstd() -> Any:
    """Return the module for Zstandard, which Python has from 3.14 on."""
    if sys.version_info >= (3, 14):
        from compression import zstd as module  # start-up time
    else:
        from backports import zstd as module  # start-up time
    return module
