"""The files of a bot as a run has begun with them: a process that is started later is of the same.

A worker only looks at sizes and times; it reads a file whose times are others. Every worker has
this in its memory: no pathlib here (PTH), and hashes only where one is needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

Stamp = tuple[int, ...]
"""What tells a file from what it was, short of reading it."""


@dataclass(frozen=True, slots=True)
class Original:
    """A file of a bot, or a folder of which all files are the bot's."""

    path: str
    stamp: Stamp = ()
    """Empty: it is a folder, whose `names` may not be others."""

    sha256: str = ""
    names: frozenset[str] = frozenset()
    """The paths of all files of a folder."""

    passed_by: str = ""
    """Folders in it that hold a file of this name are not the bot's."""


def file_as_it_is(path: str) -> Original:
    """Return a file as it is now; raises OSError."""
    stamp = _stamp(path)  # before it is read: who writes to it meanwhile is noticed
    return Original(path, stamp, _sha256(path))


def folder_as_it_is(path: str, passed_by: str) -> Original:
    """Return a folder with the files that are in it now."""
    return Original(path, names=frozenset(files_below(path, passed_by)), passed_by=passed_by)


def change_in(originals: Iterable[Original]) -> str:
    """Return in words which of these is another file by now; empty: none."""
    for one in originals:
        if not one.stamp:
            found = frozenset(files_below(one.path, one.passed_by))
            if other := min(found ^ one.names, default=""):
                return f"{other} {'is new' if other in found else 'was removed'}"
            continue
        try:
            if _stamp(one.path) != one.stamp and _sha256(one.path) != one.sha256:
                return f"{one.path} has changed"
        except OSError:
            return f"{one.path} was removed"
    return ""


def files_below(folder: str, passed_by: str) -> Iterator[str]:
    """Yield the files in a folder and in those below, but for what changes when a bot plays.

    That is what is hidden, what Python keeps for itself, and folders that hold a file `passed_by`.
    """
    for place, folders, names in os.walk(folder):
        if passed_by in names and place != folder:
            folders.clear()
            continue
        folders[:] = [name for name in folders if name[0] != "." and name != "__pycache__"]
        yield from (f"{place}/{name}" for name in names if name[0] != ".")


def entries_below(folder: str, *passed_by: type[OSError]) -> Iterator[os.DirEntry[str]]:
    """Yield all that is in a folder and in those below, however deep; no link is followed.

    A folder of which the system refuses the rest by an error `passed_by` is left there.
    """
    waiting = [folder]
    while waiting:
        with suppress(*passed_by), os.scandir(waiting.pop()) as found:
            for entry in found:
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)


def _stamp(path: str) -> Stamp:
    status = os.stat(path)
    return (
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def _sha256(path: str) -> str:
    from hashlib import file_digest  # start-up time

    with open(path, "rb") as file:
        return file_digest(file, "sha256").hexdigest()
