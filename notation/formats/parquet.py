"""Parquet: a row a game with its moves, for data frames and databases. Only written.

The only module that touches pyarrow, which the extra `arrow` brings.
"""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from lath.notation.formats import Format, FormatError, Lost
from lath.notation.formats.columns import COLUMNS, not_held, row

if TYPE_CHECKING:
    from lath.notation.record import Record

ROWS_PER_GROUP: Final = 10_000
"""Rows that are held in memory at once, and that a reader may take alone."""

_UNKNOWN_DATE: Final = "?"


def write(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:
    """Yield the file, a group of rows at a time; raises FormatError where pyarrow is missing.

    Missing tags are null, and so is a date that is none, which counts as lost unless it is `?`.
    """
    arrow, parquet = _libraries()
    schema = _schema(arrow)
    file = _File()
    rows = (_row(number, record, lost) for number, record in enumerate(records, 1))
    with parquet.ParquetWriter(arrow.PythonFile(file, mode="w"), schema) as writer:
        while group := list(islice(rows, ROWS_PER_GROUP)):
            writer.write_table(arrow.Table.from_pylist(group, schema=schema))
            yield file.taken()
    yield file.taken()


def _libraries() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        message = "parquet needs pyarrow: pip install 'lath-arena[arrow]'"
        raise FormatError(message) from error
    return pa, pq


def _schema(arrow: Any) -> Any:
    types = {"date": arrow.date32(), "plies": arrow.int32()}
    always = ("plies", "result")
    return arrow.schema(
        [
            *(
                arrow.field(name, types.get(name, arrow.string()), nullable=name not in always)
                for name in COLUMNS
            ),
            arrow.field("moves", arrow.list_(arrow.string()), nullable=False),
        ]
    )


def _row(number: int, record: Record, lost: Lost) -> dict[str, Any]:
    date = _date(record.tag("Date"))
    if date is None and record.tag("Date", _UNKNOWN_DATE) != _UNKNOWN_DATE:
        lost(number, "tag Date")
    for field in not_held(record):
        lost(number, field)
    return {**row(record), "date": date, "moves": list(record.moves)}


def _date(text: str) -> dt.date | None:
    with suppress(ValueError):
        date = dt.date.fromisoformat(text)
        return date if date.isoformat() == text else None  # not 20261120, nor 2026-W47-5
    return None


class _File(io.RawIOBase):
    """What the library takes for a file: the bytes since they were last taken."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the bytes written since the beginning."""
        return self._size

    def write(self, data: Any) -> int:
        """Keep the bytes."""
        piece = bytes(data)
        self._pieces.append(piece)
        self._size += len(piece)
        return len(piece)

    def taken(self) -> bytes:
        """Return what was written since this was last called."""
        taken = b"".join(self._pieces)
        self._pieces.clear()
        return taken


FORMAT: Final = Format("parquet", "Parquet", (".parquet",), None, write)
