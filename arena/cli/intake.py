"""Record files as the commands read them: problems are told on standard error, and counted."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import ConfigError

if TYPE_CHECKING:
    from notation.reader import Entry
    from notation.record import Record


class Intake:
    """The sound entries of record files, in order, lazily."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self.bad = 0
        """Entries that were left out because something is wrong with them."""

    def __iter__(self) -> Iterator[tuple[Entry, Record]]:
        """Yield each entry and its record; raises ConfigError for a file that cannot be read."""
        for path in self._files:
            try:
                yield from self._sound(path)
            except OSError as error:
                raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from error

    def _sound(self, path: Path) -> Iterator[tuple[Entry, Record]]:
        from notation.reader import entries

        for entry in entries(path, rules=False):
            if entry.record is None or entry.problems:
                self.bad += 1
                print(*entry.problems, sep="\n", file=sys.stderr)
            else:
                yield entry, entry.record
