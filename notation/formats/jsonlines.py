"""JSON lines: a record a line, as `json_record.SCHEMA` describes it. Nothing is ever lost in it.

`SCHEMA` describes it. Must not know files or rules.

Must not know the rules of any game.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lath.notation.errors import Problem
from lath.notation.formats import Format, Lost
from lath.notation.formats.foreign import (
    FieldError,
    Steps,
    as_list,
    as_object,
    as_one_of,
    as_text,
    load,
    offset,
)
from lath.notation.record import (
    GLYPHS,
    RESULTS,
    Annotation,
    Comment,
    Ply,
    Record,
    Variation,
    annotation,
    comment,
)

if TYPE_CHECKING:
    from lath.notation.reader import Entry


MAX_NESTING: Final = 100
"""Variations inside variations, as in the text."""


def to_json(record: Record) -> dict[str, Any]:
    """Return the record as SCHEMA describes it; empty fields of plies are left out."""
    return {
        "tags": [list(tag) for tag in record.tags],
        "comments": [_comment_to_json(comment) for comment in record.comments],
        "plies": [_ply_to_json(ply) for ply in record.plies],
        "result": record.result,
    }


def _ply_to_json(ply: Ply) -> dict[str, Any]:
    told: dict[str, Any] = {"move": ply.move}
    if ply.glyph:
        told["glyph"] = ply.glyph
    if ply.comments:
        told["comments"] = [_comment_to_json(comment) for comment in ply.comments]
    if ply.variations:
        told["variations"] = [
            {
                "comments": [_comment_to_json(comment) for comment in variation.comments],
                "plies": [_ply_to_json(inner) for inner in variation.plies],
            }
            for variation in ply.variations
        ]
    return told


def _comment_to_json(comment: Comment) -> list[Any]:
    return [
        {"name": part.name, "value": part.value} if isinstance(part, Annotation) else part
        for part in comment
    ]


_NAME: Final = "[A-Za-z][A-Za-z0-9_]*"
_VALUE: Final = r"[^\n\r]*"
_MOVE: Final = "[A-Za-z][A-Za-z0-9+=:@/-]*"
_NO_BRACKETS: Final = r"[^\[\]]*"

_NAME_FORM: Final = re.compile(_NAME)
_VALUE_FORM: Final = re.compile(_VALUE)
_MOVE_FORM: Final = re.compile(_MOVE)
_NO_BRACKETS_FORM: Final = re.compile(_NO_BRACKETS)
_ANY_FORM: Final = re.compile("(?s:.*)")

_A_MOVE: Final = "a move such as e5"
_ARRAY: Final = "an array"
_RECORD_FIELDS: Final = {
    "tags": "an array of names and values",
    "comments": _ARRAY,
    "plies": _ARRAY,
    "result": f"one of {' '.join(RESULTS)}",
}
_LINE_FIELDS: Final = {"comments": _ARRAY, "plies": _ARRAY}
_NOTE_FIELDS: Final = {"name": "text", "value": "text"}


def from_json(told: Any) -> Record:
    """Return the record that an object tells of; blanks in comments run together.

    Raises FieldError for what SCHEMA refuses.
    """
    fields = as_object(told, (), _RECORD_FIELDS)
    return Record(
        tags=tuple(
            _tag(tag, ("tags", index))
            for index, tag in enumerate(as_list(fields["tags"], ("tags",)))
        ),
        plies=_plies(fields["plies"], ("plies",)),
        result=as_one_of(fields["result"], ("result",), RESULTS),
        comments=_comments(fields["comments"], ("comments",)),
    )


def _tag(told: Any, steps: Steps) -> tuple[str, str]:
    pair = as_list(told, steps)
    if len(pair) != 2:
        raise FieldError(steps, f"has {len(pair)} values", "a name and a value")
    name = as_text(pair[0], (*steps, 0), _NAME_FORM, "a name of letters, digits and _")
    return name, as_text(pair[1], (*steps, 1), _VALUE_FORM, "text without line ends")


def _plies(told: Any, steps: Steps) -> tuple[Ply, ...]:
    return tuple(
        _ply(ply, (*steps, index), len(steps) // 4)
        for index, ply in enumerate(as_list(told, steps))
    )


def _ply(told: Any, steps: Steps, nesting: int) -> Ply:
    fields = as_object(told, steps, {"move": _A_MOVE}, ("glyph", "comments", "variations"))
    move = as_text(fields["move"], (*steps, "move"), _MOVE_FORM, _A_MOVE)
    if len(fields) == 1:
        return Ply(move)
    glyph = as_one_of(fields["glyph"], (*steps, "glyph"), GLYPHS) if "glyph" in fields else ""
    comments = _comments(fields.get("comments", []), (*steps, "comments"))
    lines = (*steps, "variations")
    variations = as_list(fields.get("variations", []), lines)
    if variations and nesting >= MAX_NESTING:
        message = f"is the beginning of variations more than {MAX_NESTING} deep"
        raise FieldError(lines, message, "fewer inside each other")
    return Ply(
        move,
        glyph=glyph,
        comments=comments,
        variations=tuple(_variation(line, (*lines, i)) for i, line in enumerate(variations)),
    )


def _variation(told: Any, steps: Steps) -> Variation:
    fields = as_object(told, steps, _LINE_FIELDS)
    plies = _plies(fields["plies"], (*steps, "plies"))
    if not plies:
        raise FieldError((*steps, "plies"), "is empty", "a move at least")
    return Variation(plies, _comments(fields["comments"], (*steps, "comments")))


def _comments(told: Any, steps: Steps) -> tuple[Comment, ...]:
    """Return the comments as reading them in the text gives them: none of them is empty."""
    comments = (
        _comment(parts, (*steps, index)) for index, parts in enumerate(as_list(told, steps))
    )
    return tuple(found for found in comments if found)


def _comment(told: Any, steps: Steps) -> Comment:
    parts = (_part(part, (*steps, index)) for index, part in enumerate(as_list(told, steps)))
    return comment(" ".join(parts))


def _part(told: Any, steps: Steps) -> str:
    if type(told) is not dict:
        return as_text(told, steps, _ANY_FORM, "text, or an object of name and value")
    fields = as_object(told, steps, _NOTE_FIELDS)
    name = as_text(fields["name"], (*steps, "name"), _NAME_FORM, "a name of letters, digits and _")
    value = as_text(
        fields["value"], (*steps, "value"), _NO_BRACKETS_FORM, "text without square brackets"
    )
    return str(annotation(name, value))


def _text(form: str) -> dict[str, Any]:
    return {"type": "string", "pattern": f"^{form}$"}


_COMMENTS: Final[dict[str, Any]] = {"type": "array", "items": {"$ref": "#/$defs/comment"}}
_PLIES: Final[dict[str, Any]] = {"type": "array", "items": {"$ref": "#/$defs/ply"}}

SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Game record",
    "type": "object",
    "required": ["tags", "comments", "plies", "result"],
    "additionalProperties": False,
    "properties": {
        "tags": {
            "description": "Names and values in order; Game comes first, no name comes twice.",
            "type": "array",
            "items": {
                "type": "array",
                "prefixItems": [_text(_NAME), _text(_VALUE)],
                "minItems": 2,
                "maxItems": 2,
            },
        },
        "comments": {**_COMMENTS, "description": "What stands before the first move."},
        "plies": {**_PLIES, "description": "The main line."},
        "result": {"enum": list(RESULTS)},
    },
    "$defs": {
        "comment": {
            "description": "Texts and annotations in order.",
            "type": "array",
            "items": {
                "anyOf": [
                    {"type": "string"},
                    {
                        "type": "object",
                        "required": ["name", "value"],
                        "additionalProperties": False,
                        "properties": {"name": _text(_NAME), "value": _text(_NO_BRACKETS)},
                    },
                ]
            },
        },
        "ply": {
            "type": "object",
            "required": ["move"],
            "additionalProperties": False,
            "properties": {
                "move": _text(_MOVE),
                "glyph": {"enum": list(GLYPHS)},
                "comments": _COMMENTS,
                "variations": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["comments", "plies"],
                        "additionalProperties": False,
                        "properties": {"comments": _COMMENTS, "plies": {**_PLIES, "minItems": 1}},
                    },
                },
            },
        },
    },
}


_BOM: Final = b"\xef\xbb\xbf"
_BLOCK: Final = 1 << 20


def write(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:  # noqa: ARG001 - nothing is
    """Yield the records, a line each."""
    for record in records:
        line = json.dumps(to_json(record), ensure_ascii=False, separators=(",", ":"))
        yield line.encode() + b"\n"


def read(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield what stands on each line that is not empty; moves are not played."""
    from lath.notation.reader import MAX_RECORD

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
    from lath.notation.reader import MAX_RECORD, Entry

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
    return line.problem("field", str(error), error.expected, at=at, ply=_ply_jsonlines(error.steps))


def _ply_jsonlines(steps: Steps) -> int | None:
    """Return the number of the ply of the main line that a path leads into."""
    if len(steps) > 1 and steps[0] == "plies" and isinstance(steps[1], int):
        return steps[1] + 1
    return None


def _tag_problems(line: _Line, record: Record) -> list[Problem]:
    from lath.notation.replay import tag_faults

    at = offset(line.text, ("tags",))
    return [
        line.problem(fault.code, fault.message, fault.expected, at=at)
        for fault in tag_faults(record)
    ]


FORMAT: Final = Format("jsonlines", "JSON lines", (".jsonl", ".ndjson"), read, write)
