"""Zstandard files that can be read from any place: many frames, with a table at the end.

The table is that of zstd's seekable format (`contrib/seekable_format`, version 0.1.0). It is in a
frame that other programs skip, so they can read the file like any other `.zst`.
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
"""The bytes that are compressed together, and decompressed together to read any of them."""

_MOST: Final = 1 << 26
"""The most bytes of a frame of another program; a larger one is too slow to read in part."""

_SKIPPED: Final = struct.Struct("<II")
"""The start of a frame that readers skip: its kind and its length in bytes."""

_NOTE: Final = 0x184D2A5D
_TABLE: Final = 0x184D2A5E

_END: Final = struct.Struct("<IBI")
"""The last bytes of a table: number of frames, descriptor, kind of file."""

_SEEKABLE: Final = 0x8F92EAB1
_CHECKSUMS: Final = 0x80
_RESERVED: Final = 0x7C


class Frame(NamedTuple):
    """One entry of a table."""

    size: int
    """The size in the file, in bytes."""
    holds: int
    """The decompressed size in bytes; 0 for a note."""


class FramesWriter(io.RawIOBase):
    """A stream that compresses everything into `file`, which stays open when this is closed.

    Without `finish`, the file has no table. With `frames`, which must be the frames already in the
    file, writing continues after them.
    """

    def __init__(self, file: BinaryIO, frames: Iterable[Frame] = ()) -> None:
        self._file = file
        self._waiting = bytearray()
        self._frames = list(frames)

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        """Accept all of the data."""
        self._waiting += data
        while len(self._waiting) >= FRAME:
            self._write_frame(bytes(self._waiting[:FRAME]))
            del self._waiting[:FRAME]
        return memoryview(data).nbytes

    def _write_frame(self, data: bytes) -> None:
        # the checksum reveals flipped bits, which could otherwise change a game
        options = {zstd().CompressionParameter.checksum_flag: 1}
        self._add(zstd().compress(data, options=options), len(data))

    def _add(self, written: bytes, holds: int) -> None:
        self._file.write(written)
        self._frames.append(Frame(len(written), holds))

    def end_frame(self) -> None:
        """Write the buffered data, so that the file contains everything written so far."""
        if self._waiting:
            self._write_frame(bytes(self._waiting))
            self._waiting.clear()

    def note(self, data: bytes) -> None:
        """Write a note that readers of the content skip; `Frames.note` returns the last one."""
        self.end_frame()
        self._add(_SKIPPED.pack(_NOTE, len(data)) + data, 0)

    def table(self) -> tuple[Frame, ...]:
        """Return the frames written so far."""
        return tuple(self._frames)

    def finish(self) -> None:
        """Write the buffered data and the table."""
        self.end_frame()
        entries = b"".join(_SKIPPED.pack(*frame) for frame in self._frames)
        end = _END.pack(len(self._frames), 0, _SEEKABLE)
        self._file.write(_SKIPPED.pack(_TABLE, len(entries) + len(end)) + entries + end)


class Frames(io.RawIOBase):
    """The content of such a file, readable from any place; `file` is closed with it."""

    def __init__(self, file: BinaryIO, table: tuple[Frame, ...]) -> None:
        self._file = file
        self._table = table
        self._places = [0, *accumulate(frame.size for frame in table)]
        self._starts = [0, *accumulate(frame.holds for frame in table)]
        self._at = 0
        self._held = (-1, b"")
        """The number of the last decompressed frame, and its content."""

    @property
    def size(self) -> int:
        """Return the number of bytes of the content."""
        return self._starts[-1]

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the current place in bytes."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Move to a place in the content, and return it."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read up to the end of a frame.

        Raises OSError, ZstdError or EOFError for a damaged file.
        """
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
            # limited, because an untrusted file may contain more than it declares
            content = zstd().ZstdDecompressor().decompress(self._read_frame(number), holds + 1)
            if len(content) != holds:
                raise EOFError("a frame is not as long as the table at the end says")
            self._held = (number, content)
        return self._held[1]

    def _read_frame(self, number: int) -> bytes:
        self._file.seek(self._places[number])
        return self._file.read(self._table[number].size)

    def note(self) -> bytes | None:
        """Return the note after the content, or None."""
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
    """Return the table of a file; None if it has no useful table.

    The table of joined files covers only the last one, and a table of large frames saves no time.
    Raises OSError.
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
    """Return the module for Zstandard, which is part of Python from 3.14 on."""
    if sys.version_info >= (3, 14):
        from compression import zstd as module  # start-up time
    else:
        from backports import zstd as module  # start-up time
    return module
