"""Files of records as bytes: compression by suffix, `-` for the standard streams, atomic writing.

Must not know what stands in them.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, cast

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

COMPRESSIONS: Final = (".gz", ".bz2", ".xz", ".zst")
"""The suffixes by which files are compressed."""

_BLOCK: Final = 1 << 16
"""Bytes that are written at once."""


@contextmanager
def open_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file for reading, decompressed; `-` is standard input.

    Raises OSError, also for a file that is not what its suffix says or ends too early.
    """
    if str(path) == "-":
        if sys.stdin is None:
            raise OSError(errno.EBADF, "it is closed", "-")
        yield sys.stdin.buffer
        return
    file = Path(path)
    if file.suffix in COMPRESSIONS and file.is_file() and not file.stat().st_size:
        raise OSError(errno.EIO, "damaged: it is empty", str(path))
    try:
        with _opened(file, "rb") as stream:
            yield stream
    except OSError:
        raise
    except read_errors() as error:
        raise OSError(errno.EIO, f"damaged: {error}", str(path)) from error


def read_block(stream: BinaryIO, size: int) -> tuple[bytes, Exception | None]:
    """Read up to `size` bytes, fewer only at the end or before a place that cannot be read.

    Returns the bytes and the error, which is for the caller to raise when she has used them.
    """
    read = getattr(stream, "read1", stream.read)
    parts: list[bytes] = []
    try:
        while size > 0 and (part := read(size)):
            parts.append(part)
            size -= len(part)
    except read_errors() as error:
        return b"".join(parts), error
    return b"".join(parts), None


def _opened(path: Path, mode: Literal["rb", "wb"], file: BinaryIO | None = None) -> BinaryIO:
    """Open by suffix what is at `path`, or `file` in its place; a suffix alone opens nothing."""
    where = path if file is None else file
    if path.suffix == ".gz":
        return cast("BinaryIO", gzip.open(where, mode))
    if path.suffix == ".bz2":
        return cast("BinaryIO", bz2.open(where, mode))
    if path.suffix == ".xz":
        return cast("BinaryIO", lzma.open(where, mode))
    if path.suffix == ".zst":
        return _open_zstd(where, mode)
    return path.open(mode) if file is None else file


def _open_zstd(where: Path | BinaryIO, mode: Literal["rb", "wb"]) -> BinaryIO:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return cast("BinaryIO", zstd.open(where, mode))


def read_errors() -> tuple[type[Exception], ...]:
    """Return what reading a file raises: OSError, and more where a compressed one is damaged."""
    import zlib

    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return (OSError, EOFError, zlib.error, lzma.LZMAError, zstd.ZstdError)


def write_atomically(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file whole or not at all: a temporary file, fsync, rename, fsync of the folder.

    What a symbolic link points to is replaced, not the link. What is no regular file, such as a
    pipe, cannot be replaced and is written straight. Raises OSError; the old file, if there is
    one, is then as it was, unless it was the folder that could not be synced: then the new one
    is there, and nobody knows for how long.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            _fill(stream, path, pieces)
        return
    path = Path(os.path.realpath(path))
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp{path.suffix}")
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    try:
        _write_durably(temporary, pieces, mode)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):  # what came first is what people should hear of
            temporary.unlink(missing_ok=True)
        raise
    sync(path.parent)


def write_to_stdout(pieces: Iterable[bytes]) -> None:
    """Write to standard output as the pieces come; raises OSError."""
    for block in _blocks(pieces):
        sys.stdout.buffer.write(block)
    sys.stdout.buffer.flush()


class _NewFile(io.RawIOBase):
    """A file that is made or emptied, and written by `os.write` alone."""

    def __init__(self, path: Path) -> None:
        self._descriptor: Final = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def write(self, data: ReadableBuffer, /) -> int:
        return os.write(self._descriptor, data)

    def close(self) -> None:
        if not self.closed:
            os.close(self._descriptor)
        super().close()


def _write_durably(path: Path, pieces: Iterable[bytes], mode: int | None) -> None:
    """Write a new file that a power cut does not undo; its permissions too, where they are told.

    The sync is of the descriptor that wrote: an earlier error of the disk is told to it for sure.
    """
    with io.BufferedWriter(_NewFile(path), _BLOCK) as file:
        _fill(cast("BinaryIO", file), path, pieces)
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())


def _fill(file: BinaryIO, path: Path, pieces: Iterable[bytes]) -> None:
    """Write pieces, compressed as the suffix of `path` says; the file stays open."""
    if path.suffix in COMPRESSIONS:
        with _opened(path, "wb", file) as stream:
            stream.writelines(_blocks(pieces))
    else:
        file.writelines(_blocks(pieces))
    file.flush()


def _blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in fewer pieces: compressing each record alone is slow."""
    gathered: list[bytes] = []
    size = 0
    for piece in pieces:
        gathered.append(piece)
        size += len(piece)
        if size >= _BLOCK:
            yield b"".join(gathered)
            gathered, size = [], 0
    yield b"".join(gathered)


def sync(path: Path) -> None:
    """Have the disk keep a file, or the names in a folder; raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
