"""A check that a bot's files stay unchanged during a run, so that every process is the same bot.

A worker compares sizes and times; it reads a file only if these differ. Every worker has this
module in memory, so it imports neither pathlib (PTH) nor, before they are needed, hashes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

Stamp = tuple[int, ...]
"""The metadata of a file that shows a change without reading the file."""


@dataclass(frozen=True, slots=True)
class Original:
    """The state of one of the bot's files, or of a folder that belongs to the bot."""

    path: str
    stamp: Stamp = ()
    """The file's metadata; empty for a folder, whose `names` must not change."""

    sha256: str = ""
    names: frozenset[str] = frozenset()
    """The paths of all files in a folder."""

    passed_by: str = ""
    """A file name; inner folders that contain it do not belong to the bot."""


def file_as_it_is(path: str) -> Original:
    """Return the present state of a file; raises OSError."""
    stamp = _stamp(path)  # Before reading, so that the next check notices a write meanwhile.
    return Original(path, stamp, _sha256(path))


def folder_as_it_is(path: str, passed_by: str) -> Original:
    """Return the present state of a folder and its file names."""
    return Original(path, names=frozenset(files_below(path, passed_by)), passed_by=passed_by)


def change_in(originals: Iterable[Original]) -> str:
    """Return a description of the first changed file, or an empty string."""
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
    """Yield the files in a folder and below it, without those that change during play.

    Leaves out hidden files, Python's caches and folders that contain a file `passed_by`.
    """
    for place, folders, names in os.walk(folder):
        if passed_by in names and place != folder:
            folders.clear()
            continue
        folders[:] = [name for name in folders if name[0] != "." and name != "__pycache__"]
        yield from (f"{place}/{name}" for name in names if name[0] != ".")


def entries_below(folder: str, *passed_by: type[OSError]) -> Iterator[os.DirEntry[str]]:
    """Yield all entries in a folder and below it, however deep, without following links.

    If reading a folder fails with an error `passed_by`, the rest of that folder is left out.
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
