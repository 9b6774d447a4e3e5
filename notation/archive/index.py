"""The index of a file: the places of its records, stored beside the file or in it.

For about every 64 kB, an index has the number of the record that begins there, and its line. The
index of `games.lath` is `games.lath.idx`; a `.lath.zst` written by the arena contains its own.
Other compressed files can only be read from the start.

An index beside a file is valid if the file is unchanged in its size, its time of change to the
nanosecond, and its first and last 64 kB.
"""

from __future__ import annotations

import errno
import io
import json
import os
import stat
import sys
import warnings
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from hashlib import blake2b
from pathlib import Path
from threading import RLock
from typing import Any, BinaryIO, Final, NamedTuple, cast, overload

from lath.notation.files.files import (
    Noted,
    compression_of,
    damage_told,
    is_database,
    open_bytes,
    write_atomically,
)
from lath.notation.files.frames import Frames, table_of
from lath.notation.record.errors import NotationError, RecordError
from lath.notation.record.record import Record
from lath.notation.rules.reading import entry_of, read
from lath.notation.text.splitting import Chunk, Entry, RecordText, chunks, cuts, texts_of
from lath.notation.text.writer import format_records
from lath.notation.tokens import BEGINNING

SUFFIX: Final = ".idx"
"""The suffix of an index, after the name of its file."""

_GROUP: Final = 1 << 16
"""The bytes of text between two entries of the index."""

_ENDS: Final = 1 << 16
"""The bytes at each end of a file by which it is recognised."""

_MAGIC: Final = b"lath index 1\n"
_DIGEST: Final = 16


class StaleIndexWarning(UserWarning):
    """An index beside a file is not used, because the file has changed."""


class NoIndexError(NotationError):
    """An index would not help with such a file."""


class Index(NamedTuple):
    """The places of groups of records, each with at least one record."""

    records: int
    """The number of records, including invalid ones, as `entries` counts them."""
    end: int
    """The bytes of the whole text."""
    numbers: Sequence[int]
    """The number of the first record of each group, from 0."""
    offsets: Sequence[int]
    """The bytes of decompressed text before each group."""
    lines: Sequence[int]
    """The line on which each group begins, from 1."""


def index_of(stream: BinaryIO) -> Index:
    """Return the index of a stream, which is read to its end. Raises any error of the stream."""
    numbers, offsets, lines = array("Q"), array("Q"), array("Q")
    records = end = 0
    for chunk in chunks(stream):
        for line, start, data in cuts(chunk):
            at = chunk.offset + start
            if not offsets or at - offsets[-1] >= _GROUP:
                numbers.append(records)
                offsets.append(at)
                lines.append(line)
            records += _count(Chunk(line, data, at))
            end = at + len(data)
    return Index(records, end, numbers, offsets, lines)


def _count(cut: Chunk) -> int:
    """Return the number of records between two boundaries, as `texts_of` finds them."""
    is_usual = cut.data[:1] == b"[" and cut.data.find(BEGINNING.encode(), 1) < 0
    return 1 if is_usual else sum(1 for _ in texts_of(cut))


def _packed(index: Index, of_file: dict[str, Any]) -> bytes:
    """Return an index as bytes: a line of JSON, three columns of 8 bytes, and a digest of all."""
    columns = (index.numbers, index.offsets, index.lines)
    head = {"records": index.records, "end": index.end, "groups": len(index.numbers), **of_file}
    data = _MAGIC + json.dumps(head).encode() + b"\n" + b"".join(map(_column, columns))
    return data + blake2b(data, digest_size=_DIGEST).digest()


def _column(numbers: Sequence[int]) -> bytes:
    column = array("Q", numbers)
    if sys.byteorder == "big":
        column.byteswap()
    return column.tobytes()


def _unpacked(data: bytes) -> tuple[Index, dict[str, Any]] | None:
    """Return the arguments of `_packed`; None if the bytes are something else, or damaged."""
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if not data.startswith(_MAGIC) or blake2b(body, digest_size=_DIGEST).digest() != digest:
        return None
    line, _, columns = body[len(_MAGIC) :].partition(b"\n")
    try:
        head: dict[str, Any] = json.loads(line)
        many, records, end = head.pop("groups"), head.pop("records"), head.pop("end")
        numbers = array("Q", columns)
    except (ValueError, LookupError, RecursionError):
        return None
    if sys.byteorder == "big":
        numbers.byteswap()
    if many < 1 or len(numbers) != 3 * many or numbers[0]:
        return None
    parts = (numbers[:many], numbers[many : 2 * many], numbers[2 * many :])
    return Index(records, end, *parts), head


def note_for(path: Path) -> Noted | None:
    """Return the `note` argument of `write_atomically` for a file with an index, or None."""
    return _note if path.name.lower().endswith(".lath.zst") else None


def _note(stream: BinaryIO) -> bytes:
    return _packed(index_of(stream), {})


def _state(file: BinaryIO) -> dict[str, Any]:
    """Return the data by which a file is recognised. Raises OSError."""
    about = os.fstat(file.fileno())
    file.seek(0)
    ends = blake2b(file.read(_ENDS), digest_size=_DIGEST)
    if about.st_size > _ENDS:
        file.seek(max(_ENDS, about.st_size - _ENDS))
        ends.update(file.read(_ENDS))
    file.seek(0)
    return {"size": about.st_size, "mtime_ns": about.st_mtime_ns, "ends": ends.hexdigest()}


def write(path: str | Path, records: Iterable[Record]) -> None:
    """Write records as text, completely or not at all, compressed by the suffix.

    The records are not checked; use `check` for that. A `.lath.zst` contains its index. `-` is
    standard output, to which records are written one by one. Raises OSError, and any error of the
    records; the file is then unchanged.
    """
    if str(path) == "-":
        if sys.stdout is None:
            raise OSError(errno.EBADF, "it is closed", "-")
        sys.stdout.flush()
        sys.stdout.buffer.writelines(map(str.encode, format_records(records)))
        sys.stdout.buffer.flush()
        return
    file = Path(path)
    write_atomically(file, map(str.encode, format_records(records)), note=note_for(file))


def write_index(path: str | Path) -> Path:
    """Write the index of a file beside it, completely or not at all, and return its path.

    For a `.zst` with its own index, that is the file itself. Raises OSError, also if the file
    changes meanwhile. Raises NoIndexError for a compressed file that can only be read from the
    start, and if another file has the name of the index.
    """
    file = Path(path)
    with closing(_Source(file)) as source:
        if source.index is not None and source.is_inside:
            return file
        if is_database(file):
            raise NoIndexError(f"{file}: a database finds its records without an index")
        if not source.is_random:
            example = file.with_suffix("") if compression_of(file) else file
            raise NoIndexError(
                f"{file}: an index does not help with a file that can only be read from its start; "
                f"expected text, or a .zst file as `arena select {file} -o {example}.zst` writes it"
            )
        beside = _beside(file)
        if beside.exists() and not _is_index(beside):  # it may be a link to records
            raise NoIndexError(
                f"{beside} already exists and is not an index; it was left unchanged"
            )
        before = source.state()
        with damage_told(file):
            found = index_of(source.stream)
        if source.state() != before:
            raise OSError(errno.EBUSY, "it changed while it was read", str(file))
        write_atomically(beside, [_packed(found, before)])
    return beside


def _is_index(file: Path) -> bool:
    """Return whether a file is empty or begins as an index of any version does."""
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        begun = stream.read(len(_MAGIC))
    return not begun or begun.startswith(b"lath index ")


def _beside(file: Path) -> Path:
    return file.with_name(file.name + SUFFIX)


class _Source:
    """An open file, with its valid index if there is one."""

    def __init__(self, path: Path) -> None:
        about = path.stat()  # raises if the file does not exist
        if not stat.S_ISREG(about.st_mode):
            code = errno.EISDIR if stat.S_ISDIR(about.st_mode) else errno.ESPIPE
            raise OSError(code, os.strerror(code), str(path))
        self.path: Final = path
        self._raw: Final = path.open("rb")
        self.index: Index | None = None
        self.is_inside = False
        """True if the index is in the file itself."""
        self.stale = ""
        """The reason why an existing index is not used."""
        try:
            self._open()
        except BaseException:
            self._raw.close()
            raise

    def _open(self) -> None:
        self._context: Any = None
        self.is_random = not (compression_of(self.path) or is_database(self.path))
        """True if every place can be read as fast as the start."""
        self.stream: BinaryIO = self._raw
        if compression_of(self.path) == ".zst" and (table := table_of(self._raw)):
            frames = Frames(self._raw, table)
            self.stream = cast("BinaryIO", io.BufferedReader(frames))
            self.is_random = True
            inside = _unpacked(frames.note() or b"")
            self.is_inside = inside is not None and inside[0].end == frames.size
            if inside and self.is_inside:
                self.index = inside[0]
        elif not self.is_random:
            self._context = open_bytes(self.path)
            self.stream = self._context.__enter__()
        self._known = self._about()
        if self.index is None and self.is_random:
            self._look_beside()

    def _look_beside(self) -> None:
        beside = _beside(self.path)
        try:
            data = beside.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            self.stale = f"{beside} cannot be read: {error.strerror or error}"
            return
        if (found := _unpacked(data)) is None:
            self.stale = f"{beside} is damaged or was written by another version"
        elif found[1] != self.state():
            self.stale = f"{beside} is older than {self.path.name}"
        else:
            self.index = found[0]

    def state(self) -> dict[str, Any]:
        """Return the data by which the file is recognised."""
        return _state(self._raw)

    def _about(self) -> tuple[int, int]:
        about = os.fstat(self._raw.fileno())
        return about.st_size, about.st_mtime_ns

    def require_same(self) -> None:
        """Raise OSError if the file has changed since it was opened."""
        if self._about() != self._known:
            raise OSError(errno.EBUSY, "it has changed since it was opened", str(self.path))

    def require_there(self) -> None:
        """Raise OSError if the path no longer leads to the opened file."""
        self.require_same()
        there, here = self.path.stat(), os.fstat(self._raw.fileno())
        if (there.st_dev, there.st_ino) != (here.st_dev, here.st_ino):
            raise OSError(errno.EBUSY, "it was replaced since it was opened", str(self.path))

    def close(self) -> None:
        if self._context is not None:
            self._context.__exit__(None, None, None)
        elif self.stream is not self._raw:
            self.stream.close()
        self._raw.close()


class _Window(io.RawIOBase):
    """A limited number of the next bytes of a stream; the stream stays open."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._left = max(0, size)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(min(size, self._left) if size >= 0 else self._left)
        self._left -= len(data)
        return data


class Records(Sequence[Record], AbstractContextManager["Records"]):
    """The records of a file, by index from 0: record N of the commands is `records[N - 1]`.

    With an index file, a record is read alone. Without one, the first access reads the file once to
    find the records. A slice is a list. Iteration works as `read` does, on the file that was
    opened; OSError is raised if another file now has its name. A text that is not a record raises
    RecordError; `entry` returns it with its problems. Threads can share the object. Raises
    ValueError after `close`.
    """

    def __init__(self, path: str | Path) -> None:
        self._source: Final = _Source(Path(path))
        self._index = self._source.index
        self._lock: Final = RLock()
        """Held while a place is sought and read."""
        self._held: tuple[int, list[RecordText]] = (-1, [])
        """The group that was read last."""
        self.has_index: Final = self._index is not None
        """True if there was a valid index, in the file or beside it."""
        self.is_random: Final = self._source.is_random
        """True if any record can be read alone. For `.gz`, `.bz2`, `.xz` and a `.zst` of another
        program, everything before a record is decompressed."""
        self.stale: Final = self._source.stale
        """The reason why an index beside the file is not used; empty without such an index."""

    def _places(self) -> Index:
        """Return the places of the records. Raises OSError if the file cannot be read."""
        with self._lock:
            if self._index is None:
                with damage_told(self._source.path):
                    self._source.stream.seek(0)
                    self._index = index_of(self._source.stream)
            return self._index

    def __repr__(self) -> str:
        return f"<records of {self._source.path}>"

    def __len__(self) -> int:
        return self._places().records

    def __iter__(self) -> Iterator[Record]:
        self._source.require_there()
        yield from read(self._source.path)
        self._source.require_there()

    @overload
    def __getitem__(self, place: int) -> Record: ...
    @overload
    def __getitem__(self, place: slice) -> list[Record]: ...
    def __getitem__(self, place: int | slice) -> Record | list[Record]:
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        entry = self.entry(place)
        if entry.record is None or entry.problems:
            raise RecordError(entry.problems[0])
        return entry.record

    def entry(self, place: int, *, rules: bool = False) -> Entry:
        """Return the record at this index with its text, line and problems.

        With `rules`, its moves are played. Raises OSError if the file cannot be read, and
        IndexError if the record does not exist.
        """
        records = len(self)
        try:
            at = range(records)[place]  # negative numbers count from the end
        except IndexError:
            holds = f"{self._source.path} has {records}, numbered from 0"
            raise IndexError(f"record {place} does not exist: {holds}") from None
        numbers = self._places().numbers
        group = bisect_right(numbers, at) - 1
        with self._lock:
            text = self._texts(group)[at - numbers[group]]
        return entry_of(text, str(self._source.path), at + 1, rules=rules)

    def _texts(self, group: int) -> list[RecordText]:
        self._source.require_same()
        if self._held[0] != group:
            _, end, numbers, offsets, lines = self._places()
            start, first = offsets[group], lines[group]
            size = [*offsets[group + 1 : group + 2], end][0] - start
            with damage_told(self._source.path):
                self._source.stream.seek(start)
                window = cast("BinaryIO", _Window(self._source.stream, size))
                texts = [
                    text
                    for line, data, offset in chunks(window)
                    for text in texts_of(Chunk(first + line - 1, data, start + offset))
                ]
            if len(texts) != [*numbers[group + 1 : group + 2], len(self)][0] - numbers[group]:
                raise OSError(errno.EIO, "its index does not match it", str(self._source.path))
            self._held = (group, texts)
        return self._held[1]

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def open_records(path: str | Path) -> Records:
    """Open a file to read any of its records; `Records` explains the cost.

    If the file has changed since its index was written, the index is not used, and
    StaleIndexWarning is issued. Raises OSError, also for something other than a regular file.

    >>> import tempfile
    >>> from lath import notation
    >>> file = Path(tempfile.mkdtemp()) / "games.lath"
    >>> texts = '[Game "yavalath"] 1. e5 *', '[Game "surikata"] 1. Mc3 *'
    >>> write(file, map(notation.parse, texts))
    >>> print(write_index(file).name)
    games.lath.idx
    >>> with open_records(file) as records:
    ...     len(records), records[1].moves, records[-1].game
    (2, ('Mc3',), 'surikata')
    """
    records = Records(path)
    if records.stale:
        message = (
            f"{records.stale}: the index is ignored; `lath.notation.write_index` writes a new one"
        )
        warnings.warn(message, StaleIndexWarning, stacklevel=2)
    return records
