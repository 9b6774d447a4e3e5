"""Record files as the commands read them: problems are told on standard error, and counted."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lath.arena.errors import ConfigError

if TYPE_CHECKING:
    from lath.notation.reader import Entry
    from lath.notation.record import Record


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
        for entry in entries(path):
            if entry.record is None or entry.problems:
                self.bad += 1
                print(*entry.problems, sep="\n", file=sys.stderr)
            else:
                yield entry, entry.record


def entries(path: Path) -> Iterator[Entry]:
    """Yield the entries of a file of any format that its suffix names, else of our text.

    The text of an entry is ours, whatever the format. The moves are not played. Raises OSError.
    """
    from lath.notation import formats, reader
    from lath.notation.files import open_bytes
    from lath.notation.writer import format_record

    if not formats.is_other(path):
        yield from reader.entries(path, rules=False)
        return
    try:
        read = formats.reader(formats.name_for(path))
    except formats.FormatError as error:
        raise ConfigError(f"{path}: {error}") from error
    with open_bytes(path) as stream:
        for entry in read(stream, str(path)):
            text = format_record(entry.record).rstrip() if entry.record else ""
            yield replace(entry, text=text)
