"""JSON lines: one complete record per line, in the form of `lath.notation.tables.data`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import BinaryIO

from lath.notation.formats import Lost
from lath.notation.formats.json_text import load, offset, placed
from lath.notation.record.errors import Fault
from lath.notation.record.record import Record, tag_faults
from lath.notation.rules.reading import entries_from
from lath.notation.tables.data import FieldError, from_json, to_json
from lath.notation.text.splitting import Entry, RecordText, texts_by_line


def write(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:  # noqa: ARG001 - nothing is lost
    """Yield the records, one per line."""
    for record in records:
        line = json.dumps(to_json(record), ensure_ascii=False, separators=(",", ":"))
        yield line.encode() + b"\n"


def read(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield the entry of each line that is not empty; moves are not played."""
    return entries_from(texts_by_line(stream, lambda _: True), name, _read)


def _read(text: RecordText) -> tuple[Record, list[Fault]]:
    try:
        record = from_json(load(text.text))
    except FieldError as error:
        raise placed(error.fault, text.text, error.steps) from error
    faults = list(tag_faults(record))
    at = offset(text.text, ("tags",)) if faults else 0
    return record, [replace(fault, at=at) for fault in faults]
