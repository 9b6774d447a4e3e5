"""Files as bytes: compressed or not, read in blocks, written whole or not at all."""

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
"""The suffixes by which files are compressed."""


DATABASE: Final = ".duckdb"
"""The suffix of databases of games."""


def is_database(path: str | Path) -> bool:
    """Return whether a file is a database of games by its name, in any case."""
    return Path(path).suffix.lower() == DATABASE


def compression_of(path: str | Path) -> str:
    """Return which of COMPRESSIONS a file's name ends in, in any case; empty for none of them.

    >>> compression_of("games.lath.GZ"), compression_of("games.lath")
    ('.gz', '')
    """
    suffix = Path(path).suffix.lower()
    return suffix if suffix in COMPRESSIONS else ""


_WRITTEN: Final = 1 << 16  # bytes that are written at once

_LONGEST: Final = 160
"""Bytes of a name that are in that of its temporary file: systems take 255, maybe all of them."""

HALF: Final = ".tmp-arena"
"""What the hidden names of files and folders end in that are not whole yet: no record's name does,
and nobody else's."""

_FORMER_HALF: Final = re.compile(r"\.[0-9]+\.tmp(?:\.[a-z0-9]{1,7})?")
"""What they ended in until 0.2.0, behind the name of the file."""


@cache
def folder_of(package: str, name: str = "") -> Path:
    """Return a folder of files that are in a package; a copy where that lies in an archive."""
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

    Of a database of games it is the text of its records, in order. Raises OSError, also for a file
    that is not what its suffix says or ends too early, where what reads it is not installed, and
    for a database by another name.
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
    """Raise OSError where a stream is seen to be a database, which is no stream of records."""
    if isinstance(stream, io.BufferedReader):
        head = stream.peek(20)
        # a checksum of 8 bytes, this word, the number of the form, whose upper half is zero
        if head[8:12] == b"DUCK" and head[16:20] == bytes(4):
            words = f"it is a database, which is read from a file with the suffix {DATABASE}"
            raise OSError(errno.EINVAL, words, str(path))


def _text_of(database: Path) -> io.RawIOBase:
    try:
        of = DATABASE_TEXT.load()
    except ImportError as error:
        raise OSError(errno.ENOTSUP, needed_words(error), str(database)) from error
    return cast("io.RawIOBase", of(database))


def needed_words(error: ImportError) -> str:
    """Return what to install where what databases need is missing."""
    return f"a database needs {error.name}: {EXTRAS['duckdb'].install}"


_READ: Final = 1 << 17  # bytes that are read at once


class ReadOnward(io.RawIOBase):
    """A stream that is read onward: to go to a place it reads all before it, if need be anew."""

    at = 0
    """How many bytes were read."""

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def seekable(self) -> bool:
        """Return whether one can go to any place."""
        return True

    def begin_anew(self) -> None:
        """Go to the beginning."""
        raise NotImplementedError

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a place, by reading all that is before it."""
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
        """Return at which byte it is."""
        return self.at

    def put(self, data: bytes, buffer: Any) -> int:
        """Put what was read into a buffer, and return how much that is."""
        buffer[: len(data)] = data
        self.at += len(data)
        return len(data)


class _Members(ReadOnward):
    """What the members of a `.bz2` or `.xz` hold, one after the other, with zeros behind each.

    Python's own readers take a member whose beginning is damaged for the end of the file, and say
    nothing of it, nor of all that follow.
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
    """Raise OSError for whatever reading a damaged compressed file raises."""
    try:
        yield
    except read_errors() as error:
        if isinstance(error, OSError) and error.errno is not None:  # of the system
            raise
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


def _compression(suffix: str) -> Any:
    """Return the module of one of COMPRESSIONS; None for another suffix."""
    return zstd() if suffix == ".zst" else {".gz": gzip, ".bz2": bz2, ".xz": lzma}.get(suffix)


def compressed(data: bytes, suffix: str) -> bytes:
    """Return the data as one member of a compressed file, which may have any number of them."""
    if suffix == ".gz":
        return gzip.compress(data, mtime=0)  # the same at any time
    module = _compression(suffix)
    return module.compress(data) if module else data


def read_errors() -> tuple[type[Exception], ...]:
    """Return what reading a file raises: OSError, and more where a compressed one is damaged."""
    return (OSError, EOFError, zlib.error, lzma.LZMAError, zstd().ZstdError)


Noted = Callable[[BinaryIO], bytes]
"""Returns a note about content that was written, which is opened for it to be read."""


def write_atomically(path: Path, content: Iterable[bytes], *, note: Noted | None = None) -> None:
    """Write a file whole or not at all: a temporary file, fsync, rename, fsync of the folder.

    A `.zst` can be read from any place, as `lath.notation.files.frames` does, and has the `note`
    behind its content; other files have none.

    What a symbolic link points to is replaced, not the link. What is no regular file, such as a
    pipe, cannot be replaced and is written straight. Raises OSError, also for the name of a
    database of games; the old file, if there is one, is then as it was, unless it was the folder
    that could not be synced: then the new one is there, and nobody knows for how long.
    """
    if is_database(path):
        raise OSError(errno.EINVAL, "`arena convert` alone makes databases", str(path))
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            _fill(stream, compression_of(path), content)
        return
    named, path = path, Path(os.path.realpath(path))
    temporary = half_of(path)
    try:
        # the sync is of the descriptor that wrote: an earlier error of the disk is told to it
        with io.BufferedWriter(_new_file(temporary), _WRITTEN) as file:
            _fill(cast("BinaryIO", file), compression_of(path), content, note, temporary)
            if path.exists():
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        with suppress(OSError):  # what came first is what people should hear of
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (temporary, str(temporary)):
            error.filename, error.filename2 = str(named), None  # who asked has never heard of it
        raise
    sync(path.parent)


def half_of(path: Path) -> Path:
    """Return the hidden name beside a file or folder that it has in this process until it is whole.

    >>> half_of(Path("results/games.lath")).name.startswith(".games.lath.")
    True
    """
    own = os.fsdecode(os.fsencode(path.name)[:_LONGEST])
    return path.with_name(f".{own}.{os.getpid()}{HALF}")


def remove_halves(folder: Path, name: str = "") -> None:
    """Remove what was written half into a folder by who was killed; `name` is of what is written.

    What somebody alive is writing stays, and so does all that is not ours.
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
    """Let others see that somebody alive writes it; return whether nobody has removed it before.

    Not every file system can tell them.
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
    """Make a folder; return what holds it."""
    while True:
        path.mkdir(parents=True)
        descriptor = os.open(path, os.O_RDONLY)
        if _hold(descriptor, path):
            return descriptor
        os.close(descriptor)


@contextmanager
def half_folder(path: Path) -> Iterator[Path]:
    """Give a hidden folder, beside the path, that goes in the end; raises OSError.

    Who is killed leaves it, and `remove_halves` takes it away.
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
    """Give a hidden folder that gets the name of one that is not there yet once it is filled.

    One that is there and empty gives way. Whoever fails, or is killed, leaves nothing that has the
    name. Raises OSError, FileExistsError where there is something of this name by then.
    """
    real = Path(os.path.realpath(path))
    with half_folder(real) as half:
        yield half
        for place, _, names in os.walk(half):
            for name in names:
                sync(Path(place, name))
            sync(Path(place))
        try:
            half.rename(real)  # also over an empty one
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.ENOTDIR):
                raise FileExistsError(errno.EEXIST, "exists already", str(path)) from error
            raise
    sync(real.parent)


class _NewFile(io.FileIO):
    """A file that is made or emptied, and written by `os.write` alone."""

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
    """Write bytes, compressed as one of COMPRESSIONS; the file, of this name, stays open."""
    if suffix == ".zst":
        _fill_frames(file, content, note, name)
    elif module := _compression(suffix):
        # buffered: compressing each record alone is slow
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
    """A temporary file cannot be written, be it for want of room: what is written is not at fault.

    Nor is what is read.
    """

    def __init__(self, why: object) -> None:
        words = f"temporary files cannot be written: {why}; TMPDIR names another folder for them"
        super().__init__(errno.ENOSPC, words)


class _Temporary(io.FileIO):
    """A temporary file, whose errors say that they are of one."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise TemporaryFileError(error.strerror) from error


def temporary_file() -> BinaryIO:
    """Open a file that vanishes with the process, however that ends; raises TemporaryFileError."""
    import tempfile  # who writes none does not wait for it

    try:
        with tempfile.TemporaryFile() as file:
            return io.BufferedRandom(_Temporary(os.dup(file.fileno()), "r+"), _WRITTEN)
    except OSError as error:
        raise TemporaryFileError(error.strerror) from error


def sync(path: Path) -> None:
    """Have the disk keep a file, or the names in a folder; raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
