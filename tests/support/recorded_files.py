"""Files under a program: a record of its instructions to the system, some of which fail.

Replaces functions of `os`, for one folder and one test.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recorded_disk import Step

if TYPE_CHECKING:
    import pytest

Refusal = Callable[[Step], OSError | None]
"""Returns the error of a step, or None if it succeeds."""


class Recorder:
    """Records the changes in a folder, and ignores other folders."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.steps: list[Step] = []
        self.refusal: Refusal = lambda _step: None
        self.most = 1 << 30
        """The maximum of bytes in one write."""

        self._folder = folder
        self._names: dict[int, str] = {}
        self._sizes: dict[str, int] = {}
        self._real = {name: getattr(os, name) for name in ("open", "write", "fsync", "replace")}
        for name in self._real:
            patch.setattr(os, name, getattr(self, name))

    def told(self, step: Step) -> None:
        """Record a step, or fail; raises OSError."""
        error = self.refusal(step)
        if error is not None:
            raise error
        self.steps.append(step)

    def open(self, path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
        where = Path(os.fsdecode(path))
        if where.parent == self._folder and flags & os.O_CREAT:
            self.told(Step("truncate" if where.exists() else "open", where.name))
            self._sizes[where.name] = 0
        descriptor: int = self._real["open"](path, flags, mode, **more)
        self._names.pop(descriptor, None)
        if self._folder in (where.parent, where):
            self._names[descriptor] = "" if where == self._folder else where.name
        return descriptor

    def write(self, descriptor: int, data: Any) -> int:
        name = self._names.get(descriptor)
        if name is None:
            return int(self._real["write"](descriptor, data))
        taken = bytes(data[: self.most])
        self.told(Step("write", name, self._sizes[name], taken))
        self._sizes[name] += len(taken)
        return int(self._real["write"](descriptor, taken))

    def fsync(self, descriptor: int) -> None:
        name = self._names.get(descriptor)
        if name is not None:
            self.told(Step("sync", name) if name else Step("sync folder"))
        self._real["fsync"](descriptor)

    def replace(self, old: Any, new: Any) -> None:
        old, new = Path(old), Path(new)
        if new.parent == self._folder:
            self.told(Step("rename", old.name, data=new.name.encode()))
        self._real["replace"](old, new)
