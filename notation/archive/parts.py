"""The files of a divided archive, written side by side and named only when all of them are whole.

Must not know what divides the records. One file is open at a time, whatever the number of parts:
what belongs to a part is gathered in memory, and added to its file when there is much of it.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from lath.notation.files import sync

MEMORY: Final = 32 << 20
"""Bytes of records that wait to be written; all are written when there are more."""

COMPRESSIONS: Final = ("gz", "bz2", "xz", "zst")


_SYNCING: Final = 16
"""Files that are made safe on the disk at the same time."""


@dataclass(slots=True)
class Part:
    """One file of an archive that is being divided."""

    path: Path
    """Where it will be."""

    records: int = 0

    gathered: list[bytes] = field(default_factory=list, repr=False)
    """What is not in its temporary file yet."""


class Parts:
    """The files that records are divided into; a context, at whose end they get their names.

    Where it ends with an exception, nothing is left. Raises OSError: FileExistsError for a file
    that is there already, unless it may be replaced.
    """

    def __init__(
        self, folder: Path, *, compression: str = "", replace: bool = False, memory: int = MEMORY
    ) -> None:
        """`compression` is one of COMPRESSIONS, or empty; `memory` is in bytes."""
        self._folder: Final = folder
        self._compression: Final = compression
        self._suffix: Final = f".lath.{compression}" if compression else ".lath"
        self._replace: Final = replace
        self._memory: Final = memory
        self._size = 0
        self._parts: Final[dict[str, Part]] = {}

    def __enter__(self) -> Self:
        self._was_there = self._folder.is_dir()
        self._folder.mkdir(parents=True, exist_ok=True)
        self._hidden = Path(tempfile.mkdtemp(prefix=".arena-split-", dir=self._folder))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self._write_gathered()
                self._name_all()
        finally:
            shutil.rmtree(self._hidden, ignore_errors=True)
            if not (self._was_there or any(self._folder.iterdir())):
                self._folder.rmdir()

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def parts(self) -> list[Part]:
        """Return the parts in the order in which they began."""
        return list(self._parts.values())

    def add(self, name: str, text: str) -> None:
        """Add a record to the part of this name, which is a file's without its suffix."""
        part = self._parts.get(name)
        if part is None:
            part = self._parts[name] = Part(self._folder / (name + self._suffix))
            self._refuse_existing(part)
        data = (b"\n" if part.records else b"") + text.encode() + b"\n"
        part.records += 1
        part.gathered.append(data)
        self._size += len(data)
        if self._size >= self._memory:
            self._write_gathered()

    def _refuse_existing(self, part: Part) -> None:
        if part.path.exists() and not (self._replace and part.path.is_file()):
            raise FileExistsError(17, "exists already", str(part.path))

    def _write_gathered(self) -> None:
        for number, part in enumerate(self._parts.values()):
            if part.gathered:
                with (self._hidden / str(number)).open("ab") as stream:
                    stream.write(_compressed(b"".join(part.gathered), self._compression))
                part.gathered.clear()
        self._size = 0

    def _name_all(self) -> None:
        """Give every file its name: first all are safe on the disk, then all are renamed."""
        for part in self._parts.values():
            self._refuse_existing(part)
        hidden = [self._hidden / str(number) for number in range(len(self._parts))]
        with ThreadPoolExecutor(_SYNCING) as pool:  # most of it is waiting for the disk
            list(pool.map(sync, hidden))
        for path, part in zip(hidden, self._parts.values(), strict=True):
            path.replace(part.path)
        sync(self._folder)


def _compressed(data: bytes, compression: str) -> bytes:
    """Return the data as one member of a compressed file, which may have any number of them."""
    if compression == "gz":
        return gzip.compress(data, mtime=0)
    if compression == "bz2":
        return bz2.compress(data)
    if compression == "xz":
        return lzma.compress(data)
    if compression == "zst":
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        compressed: bytes = zstd.compress(data)
        return compressed
    return data
