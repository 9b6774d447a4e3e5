"""A record as JSON: every field, without loss, one object a record.

`SCHEMA` describes it. Must not know files or rules.
"""

from __future__ import annotations

from typing import Any, Final

from notation.record import (
    GLYPHS,
    RESULTS,
    Annotation,
    Comment,
    Ply,
    Record,
    Variation,
    annotation,
)


def to_json(record: Record) -> dict[str, Any]:
    """Return the record as SCHEMA describes it; empty fields of plies are left out."""
    return {
        "tags": [list(tag) for tag in record.tags],
        "comments": [_comment_to_json(comment) for comment in record.comments],
        "plies": [_ply_to_json(ply) for ply in record.plies],
        "result": record.result,
    }


def from_json(told: dict[str, Any]) -> Record:
    """Return the record that `to_json` told of; raises KeyError or TypeError on other objects."""
    return Record(
        tags=tuple((name, value) for name, value in told["tags"]),
        plies=tuple(_ply_from_json(ply) for ply in told["plies"]),
        result=told["result"],
        comments=_comments_from_json(told["comments"]),
    )


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


def _ply_from_json(told: dict[str, Any]) -> Ply:
    variations = tuple(
        Variation(
            tuple(_ply_from_json(ply) for ply in variation["plies"]),
            _comments_from_json(variation["comments"]),
        )
        for variation in told.get("variations", [])
    )
    comments = _comments_from_json(told.get("comments", []))
    return Ply(told["move"], told.get("glyph", ""), comments, variations)


def _comment_to_json(comment: Comment) -> list[Any]:
    return [
        {"name": part.name, "value": part.value} if isinstance(part, Annotation) else part
        for part in comment
    ]


def _comments_from_json(told: list[list[Any]]) -> tuple[Comment, ...]:
    return tuple(
        tuple(
            part if isinstance(part, str) else annotation(part["name"], part["value"])
            for part in comment
        )
        for comment in told
    )


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
            "description": "Names and values in order; Game comes first.",
            "type": "array",
            "items": {
                "type": "array",
                "prefixItems": [
                    {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_]*$"},
                    {"type": "string"},
                ],
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
                        "properties": {"name": {"type": "string"}, "value": {"type": "string"}},
                    },
                ]
            },
        },
        "ply": {
            "type": "object",
            "required": ["move"],
            "additionalProperties": False,
            "properties": {
                "move": {"type": "string", "minLength": 1},
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
