"""JSON files with a checksum of their own content."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from lath.notation.files.bounds import BoundsError, read_json
from lath.reports.schema import Schema

CHECKSUM: Final = "checksum"
"""The key of the checksum, which is the last one of the file."""


_SUM: Final = re.compile("[0-9a-f]{64}")


class CheckedFile(NamedTuple):
    """The content of a file and its checksum."""

    value: dict[str, Any]
    checksum: str
    """Empty if the file was written by a version without checksums."""


def checksum_of(value: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a JSON object in its written form, as hexadecimal digits."""
    return hashlib.sha256(_written(value)).hexdigest()


def with_checksum(value: Mapping[str, Any]) -> bytes:
    """Return the bytes of a JSON file with its checksum."""
    return _written({**value, CHECKSUM: checksum_of(value)})


def _written(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def checked_bytes(content: bytes) -> CheckedFile:
    """Return the content of a file; raises ValueError if the file does not match its checksum."""
    value = read_json(content)
    if not isinstance(value, dict):
        raise BoundsError("it is not a JSON object")
    if CHECKSUM not in value:
        last = next(reversed(value.values()), None)
        if isinstance(last, str) and _SUM.fullmatch(last):
            raise BoundsError("its checksum has another name")
        return CheckedFile(value, "")
    plain = {key: inner for key, inner in value.items() if key != CHECKSUM}
    if with_checksum(plain) != content:
        raise ValueError("it does not match its checksum")
    return CheckedFile(plain, value[CHECKSUM])


def in_schema(schema: Schema) -> Schema:
    """Return the schema of a file with a checksum, from the schema of its content."""
    words = "SHA-256 of the file without this key; files of version 0.1.0 do not have it."
    found = {CHECKSUM: {"description": words, "type": "string", "pattern": f"^{_SUM.pattern}$"}}
    return {**schema, "properties": schema["properties"] | found}
