"""Power cuts: possible contents of a disk whose last writes were not all stored.

Synced data is stored. Any part of other writes may be stored, in any order, by sectors that may be
torn. A new file is certain to exist only after a sync of its folder. After a failed sync the data
may be lost although the next sync reports success, as on Linux.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from recorded_disk import Step

SECTOR: Final = 512


class _File:
    """The certain content of a file, and the changes since."""

    def __init__(self) -> None:
        self.sure = bytearray()
        self.since: list[Step] = []

    def sync(self) -> None:
        for step in self.since:
            _do(self.sure, step)
        self.since.clear()

    def after_cut(self, chance: random.Random, share: float) -> bytes:
        """Return the content after a cut; each sector was written with the probability `share`."""
        found = bytearray(self.sure)
        for step in self.since:
            if step.kind == "write":
                for piece in _sectors(step):
                    if chance.random() < share:
                        _do(found, _torn(piece, chance))
            elif chance.random() < share:
                _do(found, step)
        return bytes(found)


def _do(content: bytearray, step: Step) -> None:
    if step.kind == "truncate":
        del content[step.offset :]
        return
    end = step.offset + len(step.data)
    content.extend(bytes(max(0, end - len(content))))
    content[step.offset : end] = step.data


def _sectors(step: Step) -> Iterator[Step]:
    """Yield a write sector by sector."""
    start, end = step.offset, step.offset + len(step.data)
    while start < end:
        stop = min(end, (start // SECTOR + 1) * SECTOR)
        data = step.data[start - step.offset : stop - step.offset]
        yield step._replace(offset=start, data=data)
        start = stop


def _torn(piece: Step, chance: random.Random) -> Step:
    """Return a piece of a write, one in twenty cut short."""
    if chance.random() < 0.95:
        return piece
    return piece._replace(data=piece.data[: chance.randrange(len(piece.data) + 1)])


_Names = dict[str, _File | None]
"""The files that get names in one step; None removes the name."""


class Remembered:
    """The certain content of a folder, and the changes since."""

    def __init__(self) -> None:
        self._now: dict[str, _File] = {}
        self._sure: dict[str, _File] = {}
        self._since: list[_Names] = []
        """The changes to names since the folder was synced, in order."""

        self.promised: set[int] = set()
        """Games that a store has promised to keep."""

    def do(self, step: Step) -> None:
        """Take the next instruction to the disk."""
        if step.kind == "kept":
            self.promised |= step.numbers
        elif step.kind == "open":
            self._name({step.file: _File()})
        elif step.kind == "delete":
            self._name({step.file: None})
        elif step.kind == "rename":
            self._name({step.file: None, step.data.decode(): self._now[step.file]})
        elif step.kind == "sync":
            self._now[step.file].sync()
        elif step.kind == "failed sync":
            self._now[step.file].since.clear()
        elif step.kind == "sync folder":
            self._sure = dict(self._now)
            self._since.clear()
        else:
            self._now[step.file].since.append(step)

    def _name(self, names: _Names) -> None:
        self._since.append(names)
        self._now = _named(self._now, [names])

    def after_cut(self, chance: random.Random) -> dict[str, bytes]:
        """Return the files with their content after a power cut now."""
        named = self._since[: chance.randint(0, len(self._since))]
        share = chance.choice([0.0, 0.5, 0.9, 1.0, chance.random()])
        files = _named(self._sure, named)
        return {name: file.after_cut(chance, share) for name, file in files.items()}

    def as_told(self) -> dict[str, bytes]:
        """Return the files without any loss, as after a kill."""
        files = {name: bytearray(file.sure) for name, file in self._now.items()}
        for name, content in files.items():
            for step in self._now[name].since:
                _do(content, step)
        return {name: bytes(content) for name, content in files.items()}


def _named(files: dict[str, _File], changes: Sequence[_Names]) -> dict[str, _File]:
    after: _Names = {**files}
    for names in changes:
        after.update(names)
    return {name: file for name, file in after.items() if file is not None}


def put(files: dict[str, bytes], folder: Path) -> None:
    """Create the files in a folder."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
