"""Tables for sheets and data frames, a row a game: CSV and Parquet. Only written.

The only module that touches pyarrow, which Parquet needs and the extra `arrow` brings.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from lath.notation.formats import FormatError, Lost, held, remarks
from lath.notation.record import KNOWN_TAGS, date_of

if TYPE_CHECKING:
    from lath.notation.record import Record

_END: Final = ("Result", "Termination")
"""Tags that stand after the number of plies, as the end of the story."""


def column_of(tag: str) -> str:
    """Return the name of a tag's column.

    >>> column_of("TimeControl")
    'time_control'
    """
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", tag).lower()


_TAGS: Final = {column_of(tag): tag for tag in KNOWN_TAGS if tag not in _END}

COLUMNS: Final = (*_TAGS, "plies", *map(column_of, _END))


def _row(record: Record) -> tuple[dict[str, Any], list[str]]:
    """Return the values by column, None for a missing tag; what is besides them and the moves."""
    tags = dict(record.tags)
    row = {
        **{column: tags.get(tag) for column, tag in _TAGS.items()},
        "plies": len(record.plies),
        "result": record.result,
        "termination": tags.get("Termination"),
    }
    unheld = list(remarks(record))
    for name, value in record.tags:
        # the column result has what the moves end in
        if name not in KNOWN_TAGS or (name == "Result" and value != record.result):
            unheld.append(f"tag {name}")
    return row, unheld


_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets read a cell that begins so as a formula (OWASP, CSV injection)."""


def guarded(cell: Any) -> Any:
    """Return a text that no spreadsheet takes for a formula; numbers as they are.

    >>> guarded("=1+1"), guarded(-1.5)
    ("'=1+1", -1.5)
    """
    if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS):
        return f"'{cell}"
    return cell


def write_csv(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:
    """Yield the lines, CRLF after each, as RFC 4180 has it; missing tags are empty cells.

    A text that a spreadsheet would read as a formula has an apostrophe before it.
    """
    yield _line(COLUMNS)
    yield from map(_line, held(records, lost, _text_row))


def _text_row(record: Record) -> tuple[Iterable[Any], list[str]]:
    row, unheld = _row(record)
    return row.values(), ["moves", *unheld] if record.plies else unheld


def _line(cells: Iterable[Any]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow(map(guarded, cells))
    return text.getvalue().encode()


ROWS_PER_GROUP: Final = 10_000
"""Rows of Parquet that are held in memory at once, and that a reader may take alone."""

_UNKNOWN_DATE: Final = "?"


def write_parquet(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:
    """Yield the file, a group of rows at a time; raises FormatError where pyarrow is missing.

    Missing tags are null, and so is a date that is none, which counts as lost unless it is `?`.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        message = "parquet needs pyarrow: pip install 'lath-arena[arrow]'"
        raise FormatError(message) from error
    types = {"date": pa.date32(), "plies": pa.int32()}
    always = ("plies", "result")
    fields = [
        pa.field(name, types.get(name, pa.string()), nullable=name not in always)
        for name in COLUMNS
    ]
    moves = pa.field("moves", pa.list_(pa.string()), nullable=False)
    schema = pa.schema([*fields, moves])
    file = _Written()
    rows = held(records, lost, _typed_row)
    with parquet.ParquetWriter(pa.PythonFile(file, mode="w"), schema) as writer:
        while group := list(islice(rows, ROWS_PER_GROUP)):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
            yield file.take()
    yield file.take()


def _typed_row(record: Record) -> tuple[dict[str, Any], list[str]]:
    row, unheld = _row(record)
    date = date_of(record.tag("Date"))
    if date is None and record.tag("Date", _UNKNOWN_DATE) != _UNKNOWN_DATE:
        unheld.insert(0, "tag Date")
    return {**row, "date": date, "moves": list(record.moves)}, unheld


class _Written(io.BytesIO):
    """What the library takes for a file: it keeps the bytes until they are taken."""

    def __init__(self) -> None:
        super().__init__()
        self._taken = 0

    def tell(self) -> int:
        """Return the bytes written since the beginning."""
        return self._taken + super().tell()

    def take(self) -> bytes:
        """Return what was written since this was last called."""
        taken = self.getvalue()
        self._taken += len(taken)
        self.seek(0)
        self.truncate()
        return taken
