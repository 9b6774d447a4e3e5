"""SQLite over a disk that records its instructions and fails when a test wants it.

`apsw` makes Python the disk (a VFS of SQLite); a `Store` uses its connection like that of the
standard library.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self, cast

import apsw

_NUMBERS: Final = itertools.count(1)

_NO_DIRECTORY_SYNC: Final = 0x80000 | 0x800
"""SQLITE_OPEN_WAL and SQLITE_OPEN_MAIN_JOURNAL, whose first sync also syncs the folder."""


class Step(NamedTuple):
    """One instruction to the disk."""

    kind: str
    """One of `open` (of a new file), `write`, `truncate`, `sync`, `failed sync`, `sync folder`,
    `delete`, `rename` (`data` has the new name), and `kept`, which comes from the test."""

    file: str = ""
    offset: int = 0
    """The position of a write, or the size after a truncation."""

    data: bytes = b""
    numbers: frozenset[int] = frozenset()
    """The games that the store has promised to keep, for `kept`."""


Fault = Callable[[Step], apsw.Error | None]
"""Returns the error of a step, or None if it succeeds."""

Failure = Callable[[Step], apsw.Error]


def full(_step: Step) -> apsw.Error:
    """Return the error of a full disk."""
    return _with_code(apsw.FullError("database or disk is full"), apsw.SQLITE_FULL)


def failing(step: Step) -> apsw.Error:
    """Return the error of a disk that fails at this step."""
    codes = {"sync": apsw.SQLITE_IOERR_FSYNC, "truncate": apsw.SQLITE_IOERR_TRUNCATE}
    error = apsw.IOError("disk I/O error")
    return _with_code(error, codes.get(step.kind, apsw.SQLITE_IOERR_WRITE))


def _with_code(error: Any, code: int) -> apsw.Error:
    error.result, error.extendedresult = code & 0xFF, code
    return cast("apsw.Error", error)


class Disk(apsw.VFS):
    """A real folder under SQLite, with the `steps` recorded there."""

    def __init__(
        self,
        fault: Fault = lambda _step: None,
        *,
        instead: Mapping[str, str] | None = None,
        checkpoint: int = 40,
    ) -> None:
        """`instead` has replacements for texts in the store's SQL.

        `checkpoint` is the number of pages at which the log is emptied; SQLite's default would make
        tests long.
        """
        self.name: Final = f"disk-{next(_NUMBERS)}"
        self.steps: list[Step] = []
        self.fault: Final = fault
        self.checkpoint: Final = checkpoint
        self.instead: Final = dict(instead or {})
        self.replaced: set[str] = set()
        """The texts of `instead` that were found."""

        super().__init__(self.name, "")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: object, _trace: TracebackType | None
    ) -> None:
        self.unregister()
        assert kind or self.replaced == set(self.instead), "a control has controlled nothing"

    def connect(self, path: Path) -> sqlite3.Connection:
        """Open a database here, for `Store(connect=...)`."""
        with _as_sqlite3():
            return cast("sqlite3.Connection", Connection(self, path))

    def told(self, step: Step) -> None:
        """Record a step, or fail; raises apsw.Error."""
        error = self.fault(step)
        if error is None:
            self.steps.append(step)
            return
        if step.kind == "sync":
            self.steps.append(step._replace(kind="failed sync"))
        raise error

    def keep(self, numbers: Iterable[int]) -> None:
        """Record that a store has promised to keep these games."""
        self.steps.append(Step("kept", numbers=frozenset(numbers)))

    def count(self, *kinds: str) -> int:
        """Return the number of steps of these kinds."""
        return sum(step.kind in kinds for step in self.steps)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's name
        path = Path(name if isinstance(name, str) else name.filename())
        if not path.exists():
            self.told(Step("open", path.name))
        return File(self, path, name, flags)

    def xDelete(self, name: str, syncdir: bool) -> None:  # noqa: N802 - SQLite's name
        self.told(Step("delete", Path(name).name))
        super().xDelete(name, syncdir)
        if syncdir:
            self.steps.append(Step("sync folder"))


class File(apsw.VFSFile):
    """An open file of a `Disk`."""

    def __init__(self, disk: Disk, path: Path, name: Any, flags: list[int]) -> None:
        self._disk: Final = disk
        self._name: Final = path.name
        self._is_new = not path.exists() and bool(flags[0] & _NO_DIRECTORY_SYNC)
        super().__init__("", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802 - SQLite's name
        written = bytes(data)
        try:
            self._disk.told(Step("write", self._name, offset, written))
        except apsw.Error:  # a failed write has written half of its data
            super().xWrite(written[: len(written) // 2], offset)
            raise
        super().xWrite(written, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - SQLite's name
        self._disk.told(Step("truncate", self._name, newsize))
        super().xTruncate(newsize)

    def xSync(self, _flags: int) -> None:  # noqa: N802 - SQLite's name
        self._disk.told(Step("sync", self._name))
        if self._is_new:
            self._is_new = False
            self._disk.steps.append(Step("sync folder"))
        # The real disk need not sync, because no test cuts its power.


class Connection:
    """The part of `sqlite3.Connection` that a store uses."""

    def __init__(self, disk: Disk, path: Path) -> None:
        self._disk: Final = disk
        self._connection: Final = apsw.Connection(str(path), vfs=disk.name)
        self._connection.execute(f"PRAGMA wal_autocheckpoint = {disk.checkpoint}")

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    def execute(self, sql: str, parameters: Any = ()) -> Rows:
        with _as_sqlite3():
            return Rows(self._connection.execute(self._altered(sql), parameters))

    def executemany(self, sql: str, rows: Any) -> Rows:
        with _as_sqlite3():
            return Rows(self._connection.executemany(self._altered(sql), rows))

    def close(self) -> None:
        with suppress(apsw.Error):  # like the standard library
            self._connection.close()

    def _altered(self, sql: str) -> str:
        for text, other in self._disk.instead.items():
            if text in sql:
                self._disk.replaced.add(text)
                sql = sql.replace(text, other)
        return sql


class Rows(list[Any]):
    """The rows that a statement returned."""

    def fetchall(self) -> list[Any]:
        return self

    def fetchone(self) -> Any:
        return self[0] if self else None


@contextmanager
def _as_sqlite3() -> Iterator[None]:
    """Turn the errors of apsw into those of the standard library."""
    try:
        yield
    except apsw.Error as error:
        code = getattr(error, "extendedresult", getattr(error, "result", 0))
        kinds = {
            apsw.SQLITE_CONSTRAINT: sqlite3.IntegrityError,
            apsw.SQLITE_CORRUPT: sqlite3.DatabaseError,
            apsw.SQLITE_NOTADB: sqlite3.DatabaseError,
        }
        other = kinds.get(code & 0xFF, sqlite3.OperationalError)(str(error))
        other.sqlite_errorcode = code
        raise other from error
