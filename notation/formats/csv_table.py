"""CSV: a header line and a line a game, for sheets. Only written."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from lath.notation.formats import Format, Lost
from lath.notation.formats.columns import COLUMNS, not_held, row

if TYPE_CHECKING:
    from lath.notation.record import Record

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


def write(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:
    """Yield the lines, CRLF after each, as RFC 4180 has it; missing tags are empty cells.

    A text that a spreadsheet would read as a formula has an apostrophe before it.
    """
    yield _line(COLUMNS)
    for number, record in enumerate(records, 1):
        if record.plies:
            lost(number, "moves")
        for field in not_held(record):
            lost(number, field)
        yield _line(row(record).values())


def _line(cells: Iterable[Any]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow([guarded(cell) for cell in cells])
    return text.getvalue().encode()


FORMAT: Final = Format("csv", "CSV", (".csv",), None, write)
