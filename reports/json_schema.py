"""The words that JSON Schemas (draft 2020-12) are put together from.

Must not know what they describe. Where a description is empty there is none.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def told(schema: Schema, description: str) -> Schema:
    """Return a schema with a description, in place of the one that it may have.

    >>> told({"type": "null"}, "nothing")
    {'type': 'null', 'description': 'nothing'}
    """
    return {**schema, "description": description} if description else schema


def whole(description: str = "", least: int = 0) -> Schema:
    """Return a whole number's schema."""
    return told({"type": "integer", "minimum": least}, description)


def number(description: str = "", **limits: float) -> Schema:
    """Return a number's schema, with limits such as `minimum`."""
    return {**told({"type": "number"}, description), **limits}


def text(description: str = "") -> Schema:
    """Return a text's schema."""
    return told({"type": "string"}, description)


def list_of(items: Schema, description: str = "") -> Schema:
    """Return a list's schema."""
    return told({"type": "array", "items": items}, description)


def or_null(schema: Schema, description: str) -> Schema:
    """Return the schema of what may be missing."""
    return told({"anyOf": [schema, {"type": "null"}]}, description)


def exactly(properties: Schema) -> Schema:
    """Return the schema of an object that has exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def document(title: str, schema: Schema) -> Schema:
    """Return a schema as one that stands by itself."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **schema}


def part_of(document: Schema, description: str) -> Schema:
    """Return the schema of what elsewhere is a document, as that of a part."""
    kept = {key: value for key, value in document.items() if key not in ("$schema", "title")}
    return told(kept, description)
