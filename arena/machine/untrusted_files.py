"""Safe access to small files from untrusted sources, which never waits and follows no links.

A pipe, a device or a file that is too large is refused.
"""

from __future__ import annotations

import json
import math
import os
import stat
from pathlib import Path
from typing import Any, Final

from lath.games.errors import LathError
from lath.notation.record.errors import printable
from lath.reports.checksums import CheckedFile, checked_bytes

KINDS: Final = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
}
"""Names of files that are not regular ones."""

DEEPEST: Final = 12
"""Levels of lists and objects that are kept of a value."""

LONGEST: Final = 4_000
"""Characters that are kept of a text."""

MOST: Final = 20_000
"""Members that are kept of a list or an object."""


class OddFileError(LathError, OSError):
    """The file cannot be read; the message is the reason, without a path."""


def kind_fault(mode: int) -> str:
    """Return why a file of this mode is refused; empty for a regular file."""
    kind = stat.S_IFMT(mode)
    return "" if kind == stat.S_IFREG else f"it is {KINDS.get(kind, 'not a file')}, not a file"


def opened(path: Path) -> int:
    """Return a descriptor of a regular file, opened to read; raises OSError."""
    if fault := kind_fault(path.lstat().st_mode):  # opening a device can have an effect
        raise OddFileError(fault)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY)
    if fault := kind_fault(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OddFileError(fault)
    return descriptor


def read_small(path: Path, most: int) -> bytes:
    """Return the bytes of a regular file; raises OSError, also if there are more than `most`."""
    with open(opened(path), "rb") as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise OddFileError(f"it is larger than {size_words(most)}")
    return found


def size_words(size: int) -> str:
    """Return a size in bytes as text.

    >>> size_words(1 << 20), size_words(3 << 30)
    ('1 MiB', '3 GiB')
    """
    for shift, unit in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >> shift:
            return f"{size >> shift} {unit}"
    return f"{size} bytes"


def reason_of(error: OSError) -> str:
    """Return why a file cannot be read, without its path."""
    if isinstance(error, OddFileError):
        return str(error)
    return f"it cannot be read: {error.strerror or type(error).__name__}"


def read_json(path: Path, most: int) -> Any:
    """Return the value of a small JSON file, after `plain`; raises OSError and ValueError."""
    try:
        return plain(json.loads(read_small(path, most)))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def read_checked(path: Path, most: int) -> CheckedFile:
    """Return the value of a small file with a checksum, after `plain`.

    Raises OSError and ValueError.
    """
    found = checked_bytes(read_small(path, most))
    return found._replace(value=plain(found.value))


def plain(value: Any, deepest: int = DEEPEST) -> Any:
    r"""Return a value of a JSON file with finite numbers and valid text, cut to a bounded size.

    >>> plain({"a": float("nan"), "b": ["\ud800"], "c": 10**400})
    {'a': None, 'b': ['?'], 'c': None}
    """
    if isinstance(value, str):
        return text_of(value, LONGEST)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return value if -(2**53) <= value <= 2**53 and math.isfinite(value) else None
    if deepest == 0:
        return None
    if isinstance(value, dict):
        first = list(value.items())[:MOST]
        return {text_of(str(name), 200): plain(inner, deepest - 1) for name, inner in first}
    if isinstance(value, list | tuple):
        return [plain(inner, deepest - 1) for inner in value[:MOST]]
    return None


def text_of(value: object, most: int = 200) -> str:
    """Return a text valid in UTF-8, cut to `most` characters; empty if `value` is not a text."""
    return value[:most].encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def name_of(path: Path | str) -> str:
    """Return the printable form of a file name, which may contain any bytes."""
    return printable(os.fsencode(path).decode("utf-8", "replace"))
