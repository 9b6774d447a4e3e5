"""Tables for spreadsheets, data frames and databases: CSV and Parquet, by game or by ply.

`lath.notation.tables.tables` defines the columns. A table of games holds complete records and can
be read; a table of plies can only be written. Only this module uses pyarrow, which Parquet needs
and the extra `arrow` installs.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Self

from lath.games.errors import GameError, count_of
from lath.notation.extras import EXTRAS
from lath.notation.files.files import temporary_file
from lath.notation.formats import FormatError, Lost, Numbered, UnheldError, held
from lath.notation.record.errors import Fault, RecordSyntaxError
from lath.notation.record.record import all_comments, tag_faults
from lath.notation.record.tags import date_of
from lath.notation.rules.reading import entries_from
from lath.notation.tables.tables import (
    GAMES,
    Column,
    RowError,
    ahead,
    game_row,
    moves_of,
    ply_columns,
    ply_rows,
    result_text_of,
    rows_of_plies,
    text_of,
)
from lath.notation.text.scanner import parse, size_fault
from lath.notation.text.splitting import (
    MAX_RECORD,
    Entry,
    RecordText,
    encoding_fault,
    without_escapes,
)

if TYPE_CHECKING:
    from lath.notation.record.record import Record

Row = Sequence[Any]
"""The values of a table's columns, in their order."""


# Writing


def write_csv(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:  # noqa: ARG001 - nothing is lost
    """Yield one row per game, with CRLF after each (RFC 4180); missing tags are empty cells.

    A text that a spreadsheet would read as a formula gets an apostrophe before it.
    """
    return _csv(GAMES, map(game_row, records))


def write_parquet(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:  # noqa: ARG001 - nothing is lost
    """Yield a Parquet file in groups of rows; missing tags are null.

    Raises FormatError if pyarrow is missing.
    """
    return _parquet(GAMES, map(game_row, records), ROWS_PER_GROUP)


def csv_of_plies(records: Iterable[Numbered], lost: Lost) -> Iterator[bytes]:
    """Yield one row per ply, as `write_csv` does."""
    yield from _csv(*_plies(records, lost))


def parquet_of_plies(records: Iterable[Numbered], lost: Lost) -> Iterator[bytes]:
    """Yield one row per ply, as `write_parquet` does."""
    yield from _parquet(*_plies(records, lost), PLIES_PER_GROUP)


def json_of_plies(records: Iterable[Numbered], lost: Lost) -> Iterator[bytes]:
    """Yield one object per ply and line; missing values are null, and `extras` is an object."""
    columns, found = _plies(records, lost)
    names = [column.name for column in columns]
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode
    for row in found:
        value = dict(zip(names, row, strict=True))
        if text := value.get("extras"):
            value["extras"] = json.loads(text)
        yield encode(value).encode() + b"\n"


def _plies(records: Iterable[Numbered], lost: Lost) -> tuple[tuple[Column, ...], Iterator[Row]]:
    """Return the columns of a table of plies and its rows.

    A record with an illegal move is left out and reported.
    """
    found = iter(records)
    begun = list(islice(found, 1))
    columns = ply_columns(record for _, record in begun)

    def hold(numbered: Numbered) -> tuple[list[Row], Iterator[str]]:
        number, record = numbered
        if record.is_result_only:
            raise UnheldError("a result without moves")
        try:
            return list(ply_rows(record, number, columns)), _untold(record, columns)
        except GameError as error:
            raise UnheldError("the position before an illegal move") from error

    return columns, chain.from_iterable(held(chain(begun, found), lost, hold))


def _untold(record: Record, columns: Sequence[Column]) -> Iterator[str]:
    """Yield the fields of a record that have no column in a table of plies."""
    if len(ply_columns([record])) > len(columns):
        yield "extras"
    for name, value in record.tags:
        is_part = name == "Date" and value.strip("?-. ") and date_of(value) is None
        if name not in _OF_PLIES or is_part:
            yield f"tag {name}"
    said = chain.from_iterable(all_comments(record))
    if any(isinstance(part, str) or part.name not in _TOLD for part in said):
        yield "comments"
    if any(ply.variations for ply in record.plies):
        yield "variations"


_OF_PLIES: Final = frozenset(
    {
        *("Game", "Event", "Date", "Round", "First", "Second", "TimeControl"),
        *("Result", "Termination", "Setup", "Position"),
    }
)
"""Tags with a column in a table of plies; the last two are part of the position."""

_TOLD: Final = frozenset({"eval", "depth", "nodes", "emt", "clk"})
"""Annotations with a column in a table of plies."""


ROWS_PER_GROUP: Final = 10_000
"""The number of games in memory at once, and in one group of a Parquet file."""

PLIES_PER_GROUP: Final = 50_000
"""The number of plies in memory at once, and in one group of a Parquet file."""

_ROWS_AT_ONCE: Final = 500
"""The number of rows of CSV that are written at once."""

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")
"""The first characters of a cell that spreadsheets read as a formula (OWASP, CSV injection)."""

_DOUBTFUL: Final = "".join(("'", *_FORMULA_STARTS))

_GUARDED: Final = re.compile(r"'++[=+\-@\t\r]")
"""The start of a guarded text, and of a text that could be mistaken for one."""


def guarded(cell: Any) -> Any:
    """Return a text that no spreadsheet reads as a formula; other values are unchanged.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded(-1.5)
    ("'=1+1", "''=1+1", -1.5)
    """
    if isinstance(cell, str) and (cell.startswith(_FORMULA_STARTS) or _GUARDED.match(cell)):
        return f"'{cell}"
    return cell


def unguarded(cell: str) -> str:
    """Return the original of a text from `guarded`.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if _GUARDED.match(cell) else cell


def _csv(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[bytes]:
    yield _lines([[column.name for column in columns]])
    rows = iter(rows)
    while some := list(islice(rows, _ROWS_AT_ONCE)):
        yield _lines([[_cell(cell) for cell in row] for row in some])


def _cell(cell: Any) -> Any:
    """Return a value in the form of a cell."""
    if cell.__class__ is str:
        return guarded(cell) if cell[:1] in _DOUBTFUL else cell
    return " ".join(cell) if cell.__class__ is tuple else cell


def _lines(rows: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def arrow() -> tuple[Any, Any]:
    """Return pyarrow and its module for Parquet. Raises FormatError if they are missing."""
    try:
        import pyarrow as pa  # from an extra
        from pyarrow import parquet
    except ImportError as error:
        raise FormatError(f"Parquet and Arrow need pyarrow: {EXTRAS['arrow'].install}") from error
    return pa, parquet


def arrow_games(records: Iterable[Record]) -> Any:
    """Return the rows of GAMES as a `pyarrow.RecordBatchReader`, which can be read once.

    `read_all()` makes a table of it; pandas, polars and DuckDB accept the reader. Raises
    FormatError if pyarrow is missing.
    """
    return _reader(GAMES, map(game_row, records), ROWS_PER_GROUP)


def arrow_plies(records: Iterable[Record], *, first: int = 1) -> Any:
    """Return the rows of plies as a `pyarrow.RecordBatchReader`, which can be read once.

    The columns are those of `plies_table`. `first` is the number of the first record. Reading
    raises GameError for an illegal move.
    """
    columns, records = ahead(records)
    return _reader(columns, rows_of_plies(records, first, columns), PLIES_PER_GROUP)


def _reader(columns: Sequence[Column], rows: Iterable[Row], most: int) -> Any:
    pa, _ = arrow()
    schema = _schema(pa, columns)
    return pa.RecordBatchReader.from_batches(schema, _batches(pa, schema, rows, most))


def _schema(pa: Any, columns: Sequence[Column]) -> Any:
    types = {
        "text": pa.string(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "date": pa.date32(),
        "texts": pa.list_(pa.string()),
    }
    return pa.schema(
        [
            pa.field(column.name, types[column.kind], nullable=not column.is_always_there)
            for column in columns
        ]
    )


def _batches(pa: Any, schema: Any, rows: Iterable[Row], most: int) -> Iterator[Any]:
    """Yield the rows as record batches of at most `most` rows."""
    rows = iter(rows)
    while group := list(islice(rows, most)):
        values = zip(*group, strict=True)
        yield pa.RecordBatch.from_arrays(
            [pa.array(some, kind.type) for some, kind in zip(values, schema, strict=True)],
            schema=schema,
        )


def _parquet(columns: Sequence[Column], rows: Iterable[Row], most: int) -> Iterator[bytes]:
    pa, parquet = arrow()
    schema = _schema(pa, columns)
    file = Written()
    with parquet.ParquetWriter(pa.PythonFile(file, mode="w"), schema) as writer:
        for batch in _batches(pa, schema, rows, most):
            writer.write_batch(batch)
            yield file.take()
    yield file.take()


class Written(io.RawIOBase):
    """A write-only file for a library, without random access: bytes wait until `take` is called."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Any) -> int:
        """Keep bytes, whatever their type in the library."""
        self._pieces.append(bytes(data))
        self._size += len(self._pieces[-1])
        return len(self._pieces[-1])

    def tell(self) -> int:
        """Return the number of bytes written since the beginning."""
        return self._size

    def take(self) -> bytes:
        """Return the bytes written since the last call."""
        taken = b"".join(self._pieces)
        self._pieces.clear()
        return taken


# Reading


def read_csv(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield the records of a table of games; moves are not played.

    The columns can have any order, with commas, semicolons or tabs between them. Missing columns
    are empty, but `game` and `moves` or `movetext` must exist. A table of results has none of the
    last two, but `first`, `second` and `result`; its games need not be installed.
    """
    return entries_from(_texts_of_csv(stream), name, _read)


def read_parquet(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield the records of a table of games, as `read_csv` does; lines are row numbers.

    Raises FormatError if pyarrow is missing.
    """
    return entries_from(_texts_of_parquet(stream), name, _read)


class _SheetLines:
    """The lines of a stream as text, and those of the current row."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._size = 0
        self.row: list[str] = []
        self.number = 1
        """The number of the first line of the row, from 1."""

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        """Return the next line.

        Raises csv.Error for a row that is too long; reading can continue.
        """
        if not (line := self._stream.readline(MAX_RECORD + 2)):
            raise StopIteration
        self._size += len(line)
        text = line.decode("utf-8", "surrogateescape")
        self.row.append(text)
        if self._size > MAX_RECORD:
            while line and not line.endswith(b"\n"):
                line = self._stream.readline(MAX_RECORD)
            raise csv.Error(f"a row of more than {MAX_RECORD} bytes")
        return text

    def next_row(self) -> None:
        """Continue with the next row."""
        self.number += len(self.row)
        self._size = 0
        self.row = []


def _texts_of_csv(stream: BinaryIO) -> Iterator[RecordText]:
    lines = _SheetLines(stream)
    try:
        head = next(lines, "").removeprefix("\N{BYTE ORDER MARK}")
    except csv.Error as error:
        yield _row_text(lines, _no_csv(error))
        return
    names = _names_in(head)
    fault = encoding_fault(head) or _fault_of_columns(names)
    if fault:
        yield RecordText(1, without_escapes(head.rstrip("\r\n")), fault)
        return
    csv.field_size_limit(MAX_RECORD)
    rows = csv.reader(lines, delimiter=_delimiter(head), strict=True)
    while True:
        lines.next_row()
        try:
            row = next(rows, None)
        except csv.Error as error:  # the next row begins on the next line, if at all
            yield _row_text(lines, _no_csv(error))
            continue
        if row is None:
            return
        if not row:
            continue
        fault = encoding_fault("".join(lines.row))
        if not fault and len(row) != len(names):
            message = f"the row has {count_of(len(row), 'cell')}"
            fault = Fault("syntax", message, f"{len(names)}, one per column", at=0)
        yield _row_text(lines, fault, {} if fault else dict(zip(names, row, strict=True)))


def _no_csv(error: csv.Error) -> Fault:
    return Fault("syntax", f"not valid CSV: {error}", "one row per game", at=0)


def _row_text(lines: _SheetLines, fault: Fault | None, row: Any = None) -> RecordText:
    text = without_escapes("".join(lines.row).rstrip("\r\n"))
    values = {column: unguarded(cell) for column, cell in row.items()} if row else None
    return RecordText(lines.number, text, fault, value=values)


def _delimiter(head: str) -> str:
    """Return the separator of columns: a comma, or the one that spreadsheets use instead."""
    return max(",;\t", key=head.count)


def _names_in(head: str) -> list[str]:
    try:
        rows = list(csv.reader([head], delimiter=_delimiter(head), strict=True))
    except csv.Error:
        return []
    return [name.strip().lower() for row in rows for name in row]


_NAMES: Final = tuple(column.name for column in GAMES)


def _fault_of_columns(names: Sequence[str]) -> Fault | None:
    """Return why columns with these names are not a table of games; None if they are."""
    expected = "columns such as game, moves and result, or first, second and result"

    if {"ply", "position"} <= set(names):
        message = "this table has one row per position and cannot be read as records"
        return Fault("field", message, "one row per game", at=0)
    for name in names:
        if name not in _NAMES:
            return Fault("field", f"unknown column {name[:40]!r}", expected, at=0)
        if names.count(name) > 1:
            return Fault("field", f"the column {name} appears twice", "each column once", at=0)
    if _is_of_results(names):
        return None
    if "game" not in names or not _MOVES & set(names):
        missing = "game" if "game" not in names else "moves"
        if not _MOVES & set(names) and {"first", "second"} & set(names):
            missing = next(each for each in ("first", "second", "result") if each not in names)
        return Fault("field", f"the column {missing} is missing", expected, at=0)
    return None


_MOVES: Final = frozenset({"moves", "movetext"})
_RESULTS: Final = frozenset({"first", "second", "result"})


def _is_of_results(names: Iterable[str]) -> bool:
    """Return whether columns with these names are a table of results."""
    return set(names) >= _RESULTS and not _MOVES & set(names)


_BATCH: Final = 1000
"""The number of rows of Parquet that are read at once."""


def _texts_of_parquet(stream: BinaryIO) -> Iterator[RecordText]:
    pa, parquet = arrow()
    with ExitStack() as stack:
        is_file = isinstance(stream, io.BufferedReader | io.BytesIO) and stream.seekable()
        if not is_file:  # the table of contents is at the end
            whole = stack.enter_context(temporary_file())
            while block := stream.read(1 << 20):
                whole.write(block)
            whole.seek(0)
            stream = whole
        number = 1
        try:
            file = stack.enter_context(parquet.ParquetFile(pa.PythonFile(stream, mode="r")))
            if fault := _fault_of_columns(file.schema_arrow.names):
                yield RecordText(1, "", fault)
                return
            for batch in file.iter_batches(batch_size=_BATCH):
                for row in batch.to_pylist():
                    yield RecordText(number, "", None, value=row)
                    number += 1
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # an error of the file itself
            words = " ".join(str(error).split())
            fault = Fault("syntax", f"not valid Parquet: {words}", "a table of games", at=0)
            yield RecordText(number, "", fault)


def _read(text: RecordText) -> tuple[Record, list[Fault]]:
    """Return the record of a row, and its faults, which are placed at the start of the row."""
    row = text.value
    for cell in row.values():
        if isinstance(cell, str) and (fault := size_fault(cell)):
            raise _at_row(fault)
    try:
        record = parse(result_text_of(row) if _is_of_results(row) else text_of(row))
    except RowError as error:
        fault = Fault("field", error.message, error.expected, meant=error.meant)
        raise _at_row(fault) from error
    except RecordSyntaxError as error:
        raise _at_row(error.fault) from error
    faults = list(tag_faults(record))
    if row.get("moves") and row.get("movetext") and moves_of(row) != record.moves:
        message = "the columns moves and movetext contain different moves"
        faults.append(Fault("field", message, "the same moves, or one column empty"))
    return record, [replace(fault, at=0) for fault in faults]


def _at_row(fault: Fault) -> RecordSyntaxError:
    return RecordSyntaxError(replace(fault, at=0))
