"""The project's own text of records as one of the formats: nothing is ever lost in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, BinaryIO, Final

from lath.notation.formats import Format, Lost

if TYPE_CHECKING:
    from lath.notation.reader import Entry
    from lath.notation.record import Record


def read(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield what stands in a stream; only the syntax is looked at."""
    from lath.notation.reader import entries_of

    return entries_of(stream, name, rules=False)


def write(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:  # noqa: ARG001 - nothing is
    """Yield the records in the canonical form."""
    from lath.notation.replay import canonical
    from lath.notation.writer import format_records

    return map(str.encode, format_records(canonical(record) for record in records))


FORMAT: Final = Format("lath", "our own text", (".lath",), read, write)
