"""What a disk does that is full or failing, and how its errors are told.

Must not know what is written there.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from lath.arena.errors import DiskError, InUseError, StoreError

ROOM: Final = 100_000_000
"""Bytes that should be free where a tournament begins: some 30,000 games."""

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

_PROBE: Final = 1 << 16
"""Bytes; no file system has that much left of a block."""


def free_bytes(folder: Path) -> int:
    """Return how many bytes may still be written in a folder; raises OSError."""
    return shutil.disk_usage(folder).free


def is_full(folder: Path) -> bool:
    """Return whether nothing can be written in a folder because there is no room."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as probe:
            probe.write(bytes(_PROBE))
            os.fsync(probe.fileno())
    except OSError as error:
        return error.errno in _FULL
    return False


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn the errors of a database into ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise _database_error(path, error) from error


def _database_error(path: Path, error: sqlite3.Error) -> StoreError:
    # The low byte is the kind, the rest says where in SQLite.
    kind = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return InUseError(f"{path.parent} is in use by another run")
    if kind == sqlite3.SQLITE_FULL:
        return DiskError(f"{path}: {error}", is_full=True)
    if kind == sqlite3.SQLITE_IOERR:  # also what SQLite makes of a quota that is used up
        return DiskError(f"{path}: {error}", is_full=is_full(path.parent))
    if kind == sqlite3.SQLITE_CANTOPEN and is_full(path.parent):
        return DiskError(f"{path}: {error}, the disk is full", is_full=True)
    if isinstance(error, sqlite3.OperationalError):
        return StoreError(f"{path}: {error}")
    return StoreError(f"{path} is not a tournament: {error}")


def writing_error(path: Path, error: OSError, what: str = "written") -> StoreError:
    """Return what to raise for a file that cannot be written, or whatever it cannot be."""
    text = f"{path} cannot be {what}: {error.strerror or error}"
    if error.errno in (*_FULL, errno.EIO):
        return DiskError(text, is_full=error.errno in _FULL)
    return StoreError(text)
