"""Other formats of game records, a module each, and the table of all of them.

A format reads a stream into entries, writes records as pieces of bytes, or both. What a format
cannot hold it names through `lost`, so that nothing is dropped in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from notation.reader import Entry
    from notation.record import Record

Lost = Callable[[int, str], None]
"""Is told of what the target cannot hold: the record's number from 1, and the field's name, such
as `comments` or `tag Annotator`."""

Reader = Callable[[BinaryIO, str], "Iterator[Entry]"]
"""From a stream and what problems call it to its entries, lazily. A record that cannot be read is
an entry with a problem, and reading goes on at the next."""

Writer = Callable[["Iterable[Record]", Lost], Iterator[bytes]]
"""From records to the pieces of a file, lazily."""


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write game records."""

    name: str
    """What `--from` and `--to` call it, such as `jsonlines`."""

    title: str
    """For people."""

    suffixes: tuple[str, ...]
    """Of files, such as `.jsonl`; the first is the usual one."""

    read: Reader | None
    """None where the format is only written."""

    write: Writer | None
    """None where the format is only read."""
