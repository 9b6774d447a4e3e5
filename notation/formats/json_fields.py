"""JSON from outside: values checked on the way in, and where in the text a value stands.

Must not know what the objects mean.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from lath.notation.errors import NotationError

Steps = tuple[str | int, ...]
"""The keys and indexes that lead to a value."""


class FieldError(NotationError):
    """A value is missing, of another type or not one of those that may be."""

    def __init__(self, steps: Steps, what: str, expected: str) -> None:
        super().__init__(f"{json_path(steps)} {what}")
        self.steps = steps
        self.expected = expected


def json_path(steps: Steps) -> str:
    """Return the path as people write it.

    >>> json_path(("plies", 2, "move")), json_path(("odd key",))
    ('$.plies[2].move', '$["odd key"]')
    """
    return "$" + "".join(_step(step) for step in steps)


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if step.isidentifier():
        return f".{step}"
    return f"[{json.dumps(_short(step))}]"


def load(text: str) -> Any:
    """Return the value that a text is; raises ValueError (JSONDecodeError) and RecursionError.

    A key that stands twice in an object is refused where its value is looked at.
    """
    # the float of a number of 5000 digits is infinite, the int of it an error of its own
    return json.loads(text, object_pairs_hook=_object, parse_int=float)


class _Twice:
    """Stands in the place of the values of a key that comes twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        told |= {key: _Twice() for key, count in counts.items() if count > 1}
    return told


def as_object(
    value: Any, steps: Steps, required: Mapping[str, str], optional: Collection[str] = ()
) -> dict[str, Any]:
    """Return an object that has the required fields (with what each should be) and no unknown."""
    if type(value) is not dict:
        raise FieldError(steps, f"is {_kind(value)}", "an object")
    for key, expected in required.items():
        if key not in value:
            raise FieldError((*steps, key), "is missing", expected)
    for key, inner in value.items():
        if key not in required and key not in optional:
            known = ", ".join([*required, *optional])
            raise FieldError((*steps, key), "is an unknown field", f"one of {known}")
        if type(inner) is _Twice:
            raise FieldError((*steps, key), "stands there twice", "each field once")
    return value


def as_list(value: Any, steps: Steps) -> list[Any]:
    """Return an array."""
    if type(value) is not list:
        raise FieldError(steps, f"is {_kind(value)}", "an array")
    return value


def as_text(value: Any, steps: Steps, form: re.Pattern[str], expected: str) -> str:
    """Return a text of this form that can be written as UTF-8."""
    if type(value) is not str:
        raise FieldError(steps, f"is {_kind(value)}", expected)
    if not value.isascii() and _has_lone_surrogate(value):
        raise FieldError(steps, "has half a character (a lone surrogate)", "Unicode text")
    if not form.fullmatch(value):
        raise FieldError(steps, f"is {_short(value)!r}", expected)
    return value


def as_one_of(value: Any, steps: Steps, choices: Sequence[str]) -> str:
    """Return one of the texts that may stand there."""
    if type(value) is str and value in choices:
        return value
    found = repr(_short(value)) if type(value) is str else _kind(value)
    raise FieldError(steps, f"is {found}", f"one of {' '.join(choices)}")


def _has_lone_surrogate(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


_KINDS: Final[Mapping[type, str]] = {
    dict: "an object",
    list: "an array",
    str: "text",
    float: "a number",
    bool: "true or false",
    type(None): "null",
    _Twice: "there twice",
}


def _kind(value: Any) -> str:
    return _KINDS[type(value)]


def _short(value: str) -> str:
    return value if len(value) <= 40 else f"{value[:39]}…"


_BLANKS: Final = re.compile(r"[ \t\r\n]*")


def offset(text: str, steps: Steps) -> int:
    """Return where in a JSON text a value begins; of one that is missing, where its parent does."""
    at = _skipped(text, 0)
    with suppress(RecursionError):
        for step in steps:
            inner = next((place for key, place in _members(text, at) if key == step), None)
            if inner is None:
                break
            at = inner
    return at


def _members(text: str, at: int) -> Iterator[tuple[str | int, int]]:
    """Yield key and place of each value in the object or array that begins at `at`."""
    decode = json.JSONDecoder(parse_int=float).raw_decode
    is_object = text[at] == "{"
    at = _skipped(text, at + 1)
    index = 0
    while text[at] not in "]}":
        key: str | int = index
        if is_object:
            key, at = decode(text, at)
            at = _skipped(text, _skipped(text, at) + 1)
        yield key, at
        at = _skipped(text, decode(text, at)[1])
        if text[at] == ",":
            at = _skipped(text, at + 1)
        index += 1


def _skipped(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at
