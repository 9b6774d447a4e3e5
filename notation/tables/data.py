"""A record as JSON-like data: one table of its fields defines both reading and the schema.

It does not use pydantic, because importing that takes too long.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, NamedTuple, cast

from lath.games.capabilities import extras_of
from lath.games.core import RESULTS, Position
from lath.games.errors import count_of
from lath.notation.record.errors import Fault, RecordSyntaxError
from lath.notation.record.record import (
    GLYPHS,
    MAX_NESTING,
    Ply,
    Record,
    Variation,
    annotation,
    comment,
    ply_as_read,
    record_as_read,
    variation_as_read,
)
from lath.notation.tokens import MOVE, TAG_NAME, plain


def to_json(record: Record) -> dict[str, Any]:
    """Return the record in the form of SCHEMA; empty fields of plies are left out."""
    tags = [list(tag) for tag in record.tags]
    return {"tags": tags, **_line_to_json(record), "result": record.result}


def extras_to_json(position: Position) -> dict[str, Any]:
    """Return `extras`, the state beside the cells, as a part of a JSON object, or nothing."""
    extras = extras_of(position)
    return {"extras": dict(extras)} if extras else {}


def _line_to_json(line: Record | Variation) -> dict[str, Any]:
    return {
        "comments": _comments_to_json(line),
        "plies": [_ply_to_json(ply) for ply in line.plies],
    }


def _ply_to_json(ply: Ply) -> dict[str, Any]:
    fields: dict[str, Any] = {"move": ply.move}
    if ply.glyph:
        fields["glyph"] = ply.glyph
    if ply.comments:
        fields["comments"] = _comments_to_json(ply)
    if ply.variations:
        fields["variations"] = list(map(_line_to_json, ply.variations))
    return fields


def _comments_to_json(of: Record | Variation | Ply) -> list[list[Any]]:
    return [
        [
            part if isinstance(part, str) else {"name": part.name, "value": part.value}
            for part in comment
        ]
        for comment in of.comments
    ]


Steps = tuple[str | int, ...]
"""The keys and indexes that lead to a value."""


class FieldError(RecordSyntaxError):
    """A value is missing or invalid; `steps` lead to it."""

    def __init__(self, fault: Fault, steps: Steps) -> None:
        super().__init__(fault)
        self.steps = steps


def _refused(steps: Steps, what: str, expected: str) -> FieldError:
    """Return the error of a value, with the ply of the main line that it belongs to."""
    is_of_ply = len(steps) > 1 and steps[0] == "plies"
    ply = steps[1] + 1 if is_of_ply and isinstance(steps[1], int) else None
    return FieldError(Fault("field", f"{json_path(steps)} {what}", expected, ply=ply), steps)


def json_path(steps: Steps) -> str:
    """Return the path in the usual notation.

    >>> json_path(("plies", 2, "move")), json_path(("odd key",))
    ('$.plies[2].move', '$["odd key"]')
    """
    parts = (
        f".{step}"
        if isinstance(step, str) and step.isidentifier()
        else f"[{step if isinstance(step, int) else json.dumps(_short(step))}]"
        for step in steps
    )
    return f"${''.join(parts)}"


def _short(value: str) -> str:
    return value if len(value) <= 40 else f"{value[:39]}…"


class Twice:
    """A marker that replaces the values of a key that appears twice in an object."""


_KINDS: Final[Mapping[type, str]] = {
    dict: "an object",
    list: "an array",
    str: "text",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


class Shape(NamedTuple):
    """The allowed values of a field."""

    expected: str
    """The expected value in words, for messages."""
    schema: dict[str, Any]
    """The JSON Schema of the field."""
    read: Callable[[Any, Steps], Any]
    """The function that converts a value, given the steps to it; it raises FieldError."""


def _is_a(kind: type, value: Any, steps: Steps, expected: str) -> None:
    """Raise FieldError if a value has another type."""
    if type(value) is not kind:
        raise _refused(steps, f"is {_KINDS[type(value)]}", expected)


def _text(expected: str, pattern: str = "(?s:.*)") -> Shape:
    form = re.compile(pattern)

    def read(value: Any, steps: Steps) -> str:
        _is_a(str, value, steps, expected)
        if not value.isascii() and re.search("[\ud800-\udfff]", value):
            raise _refused(steps, "has half a character (a lone surrogate)", "Unicode text")
        if not form.fullmatch(value):
            raise _refused(steps, f"is {_short(value)!r}", expected)
        return str(value)

    return Shape(expected, {"type": "string", "pattern": f"^{pattern}$"}, read)


def _one_of(choices: Collection[str]) -> Shape:
    return _text(f"one of {' '.join(choices)}", "|".join(map(re.escape, choices)))._replace(
        schema={"enum": list(choices)}
    )


def _array(item: Shape, make: Callable[[list[Any]], Any] = tuple, lacks: str = "") -> Shape:
    """Return the shape of an array; `lacks` is the expected text if an empty one is invalid."""

    def read(value: Any, steps: Steps) -> Any:
        _is_a(list, value, steps, "an array")
        if lacks and not value:
            raise _refused(steps, "is empty", lacks)
        found = []
        for index, inner in enumerate(value):
            # a comprehension would add a call frame, and a hundred variations can be nested
            found.append(item.read(inner, (*steps, index)))
        return make(found)

    least = {"minItems": 1} if lacks else {}
    return Shape("an array", {"type": "array", "items": item.schema, **least}, read)


def _object(make: Callable[..., Any], required: _Shapes, optional: _Shapes | None = None) -> Shape:
    """Return the shape of an object; `make` receives its fields as keyword arguments."""
    shapes = {**required, **(optional or {})}

    def read(value: Any, steps: Steps) -> Any:
        _is_a(dict, value, steps, "an object")
        for name, shape in required.items():
            if name not in value:
                raise _refused((*steps, name), "is missing", shape.expected)
        fields = {}
        for name, inner in value.items():
            path = (*steps, name)
            if name not in shapes:
                raise _refused(path, "is an unknown field", f"one of {', '.join(shapes)}")
            if type(inner) is Twice:
                raise _refused(path, "appears twice", "each field once")
            fields[name] = shapes[name].read(inner, path)
        return make(**fields)

    schema = {
        "type": "object",
        "required": list(required),
        "additionalProperties": False,
        "properties": {name: shape.schema for name, shape in shapes.items()},
    }
    return Shape("an object", schema, read)


_Shapes = Mapping[str, Shape]

_NAME: Final = _text("a name of letters, digits and _", plain(TAG_NAME))
_VALUE: Final = _text("text without line ends", r"[^\n\r]*")
_MOVE: Final = _text("a move such as e5", plain(MOVE))

_NOTE: Final = _object(
    lambda name, value: str(annotation(name, value)),
    {"name": _NAME, "value": _text("text without square brackets", r"[^\[\]]*")},
)
_WORDS: Final = _text("text, or an object of name and value")


_PART: Final = Shape(
    _WORDS.expected,
    {"anyOf": [{"type": "string"}, _NOTE.schema]},
    lambda value, steps: (_NOTE if type(value) is dict else _WORDS).read(value, steps),
)


def _read_tag(value: Any, steps: Steps) -> tuple[str, str]:
    _is_a(list, value, steps, "an array")
    if len(value) != 2:
        raise _refused(steps, f"has {count_of(len(value), 'value')}", "a name and a value")
    return _NAME.read(value[0], (*steps, 0)), _VALUE.read(value[1], (*steps, 1))


_TAG: Final = Shape(
    "a name and a value",
    {"type": "array", "prefixItems": [_NAME.schema, _VALUE.schema], "minItems": 2, "maxItems": 2},
    _read_tag,
)

# Runs of spaces in comments become one space, as in text; empty comments are removed.
_COMMENT: Final = _array(_PART, lambda parts: comment(" ".join(parts)))
_COMMENTS: Final = _array(
    _COMMENT._replace(schema={"$ref": "#/$defs/comment"}), lambda found: tuple(filter(None, found))
)


def _read_ply(value: Any, steps: Steps) -> Ply:
    if len(steps) > 4 * MAX_NESTING + 2:
        what = f"starts variations nested more than {MAX_NESTING} deep"
        raise _refused(steps[:-3], what, "fewer inside each other")
    return cast("Ply", _PLY.read(value, steps))


_ANY_PLY: Final = Shape("an object", {"$ref": "#/$defs/ply"}, _read_ply)
_LINE: Final = _object(
    variation_as_read, {"comments": _COMMENTS, "plies": _array(_ANY_PLY, lacks="at least one move")}
)
_PLY: Final = _object(
    ply_as_read,
    {"move": _MOVE},
    {"glyph": _one_of(GLYPHS), "comments": _COMMENTS, "variations": _array(_LINE)},
)


def _described(shape: Shape, description: str, expected: str = "an array") -> Shape:
    return Shape(expected, {"description": description, **shape.schema}, shape.read)


_RESULT: Final = _one_of(RESULTS)

_RECORD: Final = _object(
    record_as_read,
    {
        "tags": _described(
            _array(_TAG),
            "Names and values in order; Game comes first, no name appears twice.",
            "an array of names and values",
        ),
        "comments": _described(_COMMENTS, "The comments before the first move."),
        "plies": _described(_array(_ANY_PLY), "The main line."),
        "result": _RESULT._replace(read=lambda value, steps: RESULTS[_RESULT.read(value, steps)]),
    },
)

SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Game record",
    **_RECORD.schema,
    "$defs": {
        "comment": {"description": "Texts and annotations in order.", **_COMMENT.schema},
        "ply": _PLY.schema,
    },
}
"""The published JSON Schema of a record."""


def from_json(value: Any) -> Record:
    """Return the record of a JSON value. Raises FieldError for values that SCHEMA refuses."""
    return cast("Record", _RECORD.read(value, ()))
