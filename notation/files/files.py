"""Files as bytes: compressed or not, read in blocks, written completely or not at all."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import re
import shutil
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from lath.games.errors import LathError
from lath.notation.extras import EXTRAS
from lath.notation.files.frames import Frames, FramesWriter, zstd
from lath.notation.files.locks import lock
from lath.notation.hooks import DATABASE_TEXT

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from _typeshed import ReadableBuffer

COMPRESSIONS: Final = (".gz", ".bz2", ".xz", ".zst")
"""The suffixes of compressed files."""


DATABASE: Final = ".duckdb"
"""The suffix of databases of games."""


def is_database(path: str | Path) -> bool:
    """Return whether the name of a file is that of a database of games, in any case."""
    return Path(path).suffix.lower() == DATABASE


def compression_of(path: str | Path) -> str:
    """Return the suffix of COMPRESSIONS in a file's name, in any case; empty for other names.

    >>> compression_of("games.lath.GZ"), compression_of("games.lath")
    ('.gz', '')
    """
    suffix = Path(path).suffix.lower()
    return suffix if suffix in COMPRESSIONS else ""


_WRITTEN: Final = 1 << 16  # bytes that are written at once

_LONGEST: Final = 160
"""The most bytes of a name that its temporary file contains; systems limit names to 255 bytes."""

HALF: Final = ".tmp-arena"
"""The suffix of hidden files and folders that are not complete yet. Records and other programs do
not use it."""

_FORMER_HALF: Final = re.compile(r"\.[0-9]+\.tmp(?:\.[a-z0-9]{1,7})?")
"""The suffix of temporary files until version 0.2.0, after the name of the file."""


@cache
def folder_of(package: str, name: str = "") -> Path:
    """Return a folder with files of a package; a temporary copy if the package is in an archive."""
    from importlib import resources  # start-up time

    found = resources.files(package).joinpath(*name.split())
    if isinstance(found, Path):
        return found
    import atexit  # start-up time
    import shutil
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="lath-files-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _copy(found, folder)
    return folder


def _copy(source: Traversable, folder: Path) -> None:
    for each in source.iterdir():
        if each.is_file():
            (folder / each.name).write_bytes(each.read_bytes())
        else:
            (folder / each.name).mkdir()
            _copy(each, folder / each.name)


@contextmanager
def open_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file for reading, decompressed; `-` is standard input.

    For a database of games, the stream is the text of its records, in order. Raises OSError if the
    file cannot be read, if it does not match its suffix or is truncated, and if its reader is not
    installed. A database without its suffix is refused too.
    """
    if str(path) == "-":
        if sys.stdin is None:
            raise OSError(errno.EBADF, "it is closed", "-")
        _refuse_database(sys.stdin.buffer, path)
        yield sys.stdin.buffer
        return
    file = Path(path)
    compression = compression_of(file)
    if compression and file.is_file() and not file.stat().st_size:
        raise OSError(errno.EIO, "damaged: it is empty", str(path))
    if compression and is_database(file.stem) and file.is_file():
        raise OSError(errno.EINVAL, "a database is not compressed; decompress it", str(path))
    with ExitStack() as stack:
        stack.enter_context(damage_told(path))
        if is_database(file):
            yield stack.enter_context(io.BufferedReader(_text_of(file), _READ))
        elif compression in _DECOMPRESSORS:
            members = _Members(stack.enter_context(file.open("rb", 0)), _DECOMPRESSORS[compression])
            yield stack.enter_context(io.BufferedReader(members, _READ))
        else:
            module = _compression(compression)
            stream = stack.enter_context(module.open(file, "rb") if module else file.open("rb"))
            _refuse_database(stream, path)
            yield stream


def _refuse_database(stream: BinaryIO, path: str | Path) -> None:
    """Raise OSError if a stream is a database, which cannot be read as a stream of records."""
    if isinstance(stream, io.BufferedReader):
        head = stream.peek(20)
        # a checksum of 8 bytes, this word, the format version, whose upper half is zero
        if head[8:12] == b"DUCK" and head[16:20] == bytes(4):
            words = f"it is a database; give it the suffix {DATABASE}"
            raise OSError(errno.EINVAL, words, str(path))


def _text_of(database: Path) -> io.RawIOBase:
    try:
        of = DATABASE_TEXT.load()
    except ImportError as error:
        raise OSError(errno.ENOTSUP, needed_words(error), str(database)) from error
    return cast("io.RawIOBase", of(database))


def needed_words(error: ImportError) -> str:
    """Return the message for an import that databases need and that is missing."""
    return f"a database needs {error.name}: {EXTRAS['duckdb'].install}"


_READ: Final = 1 << 17  # bytes that are read at once


class ReadOnward(io.RawIOBase):
    """A stream without random access: `seek` reads everything before the place."""

    at = 0
    """The number of bytes read."""

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def begin_anew(self) -> None:
        """Go to the beginning."""
        raise NotImplementedError

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a place, by reading everything before it."""
        if whence == io.SEEK_END:
            while self.read(_READ):
                pass
        to = offset if whence == io.SEEK_SET else self.at + offset
        if to < self.at:
            self.begin_anew()
            self.at = 0
        while self.at < to and self.read(min(_READ, to - self.at)):
            pass
        return self.at

    def tell(self) -> int:
        """Return the current place in bytes."""
        return self.at

    def put(self, data: bytes, buffer: Any) -> int:
        """Copy data into a buffer, and return its length."""
        buffer[: len(data)] = data
        self.at += len(data)
        return len(data)


class _Members(ReadOnward):
    """The joined content of the members of a `.bz2` or `.xz`, without the zeros after each.

    Python's own readers treat a member with a damaged start as the end of the file. They report
    neither the damage nor the members after it.
    """

    def __init__(self, file: BinaryIO | io.FileIO, begin: Callable[[], Any]) -> None:
        self._file: Final = file
        self._begin: Final = begin
        self._member = begin()

    def seekable(self) -> bool:
        return self._file.seekable()

    def begin_anew(self) -> None:
        self._file.seek(0)
        self._member = self._begin()

    def readinto(self, buffer: Any, /) -> int:
        data = b""
        while not data:
            if self._member.eof:
                rest = (self._member.unused_data or self._file.read(_READ)).lstrip(b"\0")
                while not rest and (block := self._file.read(_READ)):
                    rest = block.lstrip(b"\0")
                if not rest:
                    return 0
                self._member = self._begin()
            else:
                rest = self._file.read(_READ) if self._member.needs_input else b""
                if self._member.needs_input and not rest:
                    raise EOFError("it ends too early")
            data = self._member.decompress(rest, len(buffer))
        return self.put(data, buffer)


_DECOMPRESSORS: Final[Mapping[str, Callable[[], Any]]] = {
    ".bz2": bz2.BZ2Decompressor,
    ".xz": lzma.LZMADecompressor,
}


@contextmanager
def damage_told(path: str | Path) -> Iterator[None]:
    """Raise OSError for any exception of reading a damaged compressed file."""
    try:
        yield
    except read_errors() as error:
        if isinstance(error, OSError) and error.errno is not None:  # an error of the system
            raise
        raise OSError(errno.EIO, f"damaged: {error}", str(path)) from error


def read_block(stream: BinaryIO, size: int) -> tuple[bytes, Exception | None]:
    """Return up to `size` bytes, and the error that ended reading early, or None.

    Fewer bytes are returned only at the end of the stream or before an unreadable place. The caller
    must raise the error after using the bytes.
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


def _compression(suffix: str) -> Any:
    """Return the module of one of COMPRESSIONS; None for another suffix."""
    return zstd() if suffix == ".zst" else {".gz": gzip, ".bz2": bz2, ".xz": lzma}.get(suffix)


def compressed(data: bytes, suffix: str) -> bytes:
    """Return the data as one member of a compressed file; a file can have any number of them."""
    if suffix == ".gz":
        return gzip.compress(data, mtime=0)  # without the time, equal data give equal bytes
    module = _compression(suffix)
    return module.compress(data) if module else data


def read_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of reading: OSError, and those of damaged compressed files."""
    return (OSError, EOFError, zlib.error, lzma.LZMAError, zstd().ZstdError)


Noted = Callable[[BinaryIO], bytes]
"""A function that reads the written content and returns a note about it."""


def write_atomically(path: Path, content: Iterable[bytes], *, note: Noted | None = None) -> None:
    """Write a file completely or not at all: temporary file, fsync, rename, fsync of the folder.

    A `.zst` file can be read from any place (see `lath.notation.files.frames`), and has the `note`
    after its content. Other files have no note.

    If the path is a symbolic link, its target is replaced. Something other than a regular file,
    such as a pipe, is written directly. Raises OSError, also for the name of a database of games.
    After an error, an existing file is unchanged, with one exception: if the folder cannot be
    synced, the new file exists but may be lost in a crash.
    """
    if is_database(path):
        raise OSError(errno.EINVAL, "only `arena convert` makes databases", str(path))
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            _fill(stream, compression_of(path), content)
        return
    named, path = path, Path(os.path.realpath(path))
    temporary = half_of(path)
    try:
        # the sync uses the descriptor that wrote, so that it reports earlier errors of the disk
        with io.BufferedWriter(_new_file(temporary), _WRITTEN) as file:
            _fill(cast("BinaryIO", file), compression_of(path), content, note, temporary)
            if path.exists():
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        with suppress(OSError):  # the first error is the one to report
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (temporary, str(temporary)):
            error.filename, error.filename2 = (
                str(named),
                None,
            )  # the caller does not know the temporary name
        raise
    sync(path.parent)


def half_of(path: Path) -> Path:
    """Return the hidden name next to a file or folder that this process uses until it is complete.

    >>> half_of(Path("results/games.lath")).name.startswith(".games.lath.")
    True
    """
    own = os.fsdecode(os.fsencode(path.name)[:_LONGEST])
    return path.with_name(f".{own}.{os.getpid()}{HALF}")


def remove_halves(folder: Path, name: str = "") -> None:
    """Remove the incomplete files and folders of killed processes from a folder.

    `name` is the name of the complete file. Files that a running process is writing stay, and so do
    files of other programs.
    """
    with suppress(OSError):
        for entry in os.scandir(folder):
            if entry.name.startswith(".") and (
                entry.name.endswith(HALF) or _is_former_half(entry.name, name)
            ):
                with suppress(OSError):
                    _remove_unless_held(Path(entry.path))


def _is_former_half(entry: str, name: str) -> bool:
    begins = f".{os.fsdecode(os.fsencode(name)[:_LONGEST])}"
    rest = entry.removeprefix(begins) if name and entry.startswith(begins) else ""
    return _FORMER_HALF.fullmatch(rest) is not None and not _is_alive(int(rest.split(".")[1][:18]))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _remove_unless_held(path: Path) -> None:
    about = path.lstat()
    if about.st_uid != os.geteuid() or not (stat.S_ISREG(about.st_mode) or path.is_dir()):
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        lock(descriptor)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _hold(descriptor: int, path: Path) -> bool:
    """Lock a file so that others see its writer; return whether it still exists.

    Some file systems do not support this.
    """
    with suppress(OSError):
        lock(descriptor)
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _new_file(path: Path) -> _NewFile:
    while not _hold((file := _NewFile(path)).fileno(), path):
        file.close()
    return file


def _new_folder(path: Path) -> int:
    """Make a folder; return the descriptor that locks it."""
    while True:
        path.mkdir(parents=True)
        descriptor = os.open(path, os.O_RDONLY)
        if _hold(descriptor, path):
            return descriptor
        os.close(descriptor)


@contextmanager
def half_folder(path: Path) -> Iterator[Path]:
    """Provide a hidden folder next to the path, which is removed at the end. Raises OSError.

    If the process is killed, the folder stays until `remove_halves` is called.
    """
    half = half_of(path)
    remove_halves(half.parent)
    descriptor = _new_folder(half)
    try:
        yield half
    finally:
        shutil.rmtree(half, ignore_errors=True)
        os.close(descriptor)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Provide a hidden folder that is renamed to the path at the end of the block.

    An existing empty folder is replaced. If the block fails or is killed, the path does not exist.
    Raises OSError, and FileExistsError if the path exists at the end.
    """
    real = Path(os.path.realpath(path))
    with half_folder(real) as half:
        yield half
        for place, _, names in os.walk(half):
            for name in names:
                sync(Path(place, name))
            sync(Path(place))
        try:
            half.rename(real)  # also replaces an empty folder
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.ENOTDIR):
                raise FileExistsError(errno.EEXIST, "already exists", str(path)) from error
            raise
    sync(real.parent)


class _NewFile(io.FileIO):
    """A file that is made or emptied, and written only by `os.write`."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "w", opener=partial(os.open, mode=0o666))

    def write(self, data: ReadableBuffer, /) -> int:
        return os.write(self.fileno(), data)


def _fill(
    file: BinaryIO,
    suffix: str,
    content: Iterable[bytes],
    note: Noted | None = None,
    name: Path | None = None,
) -> None:
    """Write bytes, compressed as one of COMPRESSIONS; the file with this name stays open."""
    if suffix == ".zst":
        _fill_frames(file, content, note, name)
    elif module := _compression(suffix):
        # with a buffer, because compressing each record alone is slow
        with io.BufferedWriter(module.open(file, "wb"), _WRITTEN) as stream:
            stream.writelines(content)
    else:
        file.writelines(content)
    file.flush()


def _fill_frames(
    file: BinaryIO, content: Iterable[bytes], note: Noted | None, name: Path | None
) -> None:
    frames = FramesWriter(file)
    with io.BufferedWriter(frames, _WRITTEN) as stream:
        stream.writelines(content)
        stream.flush()
        if note is not None and name is not None:
            frames.end_frame()
            file.flush()
            with io.BufferedReader(Frames(name.open("rb"), frames.table())) as written:
                frames.note(note(cast("BinaryIO", written)))
        frames.finish()


class TemporaryFileError(LathError, OSError):
    """A temporary file cannot be written, for example because the disk is full.

    Neither the file that is read nor the one that is written is at fault.
    """

    def __init__(self, why: object) -> None:
        words = f"temporary files cannot be written: {why}; set TMPDIR to another folder"
        super().__init__(errno.ENOSPC, words)


class _Temporary(io.FileIO):
    """A temporary file, whose errors are TemporaryFileErrors."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise TemporaryFileError(error.strerror) from error


def temporary_file() -> BinaryIO:
    """Open a file that is deleted when the process ends. Raises TemporaryFileError."""
    import tempfile  # only needed by callers that write temporary files

    try:
        with tempfile.TemporaryFile() as file:
            return io.BufferedRandom(_Temporary(os.dup(file.fileno()), "r+"), _WRITTEN)
    except OSError as error:
        raise TemporaryFileError(error.strerror) from error


def sync(path: Path) -> None:
    """Make the disk store a file, or the names in a folder. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
