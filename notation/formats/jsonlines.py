"""JSON lines: a record a line, as `json_record.SCHEMA` describes it. Nothing is ever lost in it.

Must not know the rules of any game.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final

from lath.notation.errors import Problem
from lath.notation.formats import Format, Lost
from lath.notation.formats.json_fields import FieldError, Steps, load, offset
from lath.notation.formats.json_record import from_json, to_json

if TYPE_CHECKING:
    from lath.notation.reader import Entry
    from lath.notation.record import Record

_BOM: Final = b"\xef\xbb\xbf"
_BLOCK: Final = 1 << 20


def write(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:  # noqa: ARG001 - nothing is
    """Yield the records, a line each."""
    for record in records:
        line = json.dumps(to_json(record), ensure_ascii=False, separators=(",", ":"))
        yield line.encode() + b"\n"


def read(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield what stands on each line that is not empty; moves are not played."""
    from lath.notation.pieces import MAX_RECORD

    number = 0
    for line, data in enumerate(_lines(stream, MAX_RECORD), 1):
        if data and not data.isspace():
            number += 1
            yield _entry(_Line(name, number, line, data.decode("utf-8", "replace")), data)


def _lines(stream: BinaryIO, limit: int) -> Iterator[bytes]:
    """Yield the lines without their ends; of one of more than `limit` bytes a bit more of it."""
    line = stream.readline(limit + 2).removeprefix(_BOM)
    while line:
        yield line.removesuffix(b"\n").removesuffix(b"\r")
        while not line.endswith(b"\n") and (line := stream.readline(_BLOCK)):
            pass  # the rest of a line that is too long
        line = stream.readline(limit + 2)


@dataclass(frozen=True, slots=True)
class _Line:
    """One line, and where it stands."""

    file: str
    record: int
    line: int
    text: str

    def problem(
        self, code: str, message: str, expected: str, *, at: int = 0, ply: int | None = None
    ) -> Problem:
        return Problem(
            file=self.file,
            line=self.line,
            column=at + 1,
            code=code,
            message=message,
            expected=expected,
            record=self.record,
            ply=ply,
            source=self.text,
        )


def _entry(line: _Line, data: bytes) -> Entry:
    from lath.notation.pieces import MAX_RECORD
    from lath.notation.reader import Entry

    record, problems = None, []
    if len(data) > MAX_RECORD:
        line = _Line(line.file, line.record, line.line, line.text[:200])
        problems = [line.problem("size", f"a record of more than {MAX_RECORD} bytes", "")]
    elif wrong := _not_utf_8(line, data):
        problems = [wrong]
    else:
        try:
            record = from_json(load(line.text))
        except FieldError as error:
            problems = [_field_problem(line, error)]
        except json.JSONDecodeError as error:
            message = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
            problems = [line.problem("syntax", message, "a JSON object", at=error.pos)]
        except RecursionError:
            problems = [line.problem("syntax", "arrays and objects nested too deep", "a record")]
    if record is not None:
        problems = _tag_problems(line, record)
    return Entry(
        number=line.record,
        line=line.line,
        record=record,
        problems=tuple(problems),
        text=line.text,
    )


def _not_utf_8(line: _Line, data: bytes) -> Problem | None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        at = len(data[: error.start].decode())
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        return line.problem("encoding", message, "UTF-8 text", at=at)
    return None


def _field_problem(line: _Line, error: FieldError) -> Problem:
    at = offset(line.text, error.steps)
    return line.problem("field", str(error), error.expected, at=at, ply=_ply(error.steps))


def _ply(steps: Steps) -> int | None:
    """Return the number of the ply of the main line that a path leads into."""
    if len(steps) > 1 and steps[0] == "plies" and isinstance(steps[1], int):
        return steps[1] + 1
    return None


def _tag_problems(line: _Line, record: Record) -> list[Problem]:
    from lath.notation.remarks import tag_faults

    at = offset(line.text, ("tags",))
    return [
        line.problem(fault.code, fault.message, fault.expected, at=at)
        for fault in tag_faults(record)
    ]


FORMAT: Final = Format("jsonlines", "JSON lines", (".jsonl", ".ndjson"), read, write)
