"""A record as one row of a table: the columns, and what they do not hold.

Must not know how a table is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from lath.notation.record import KNOWN_TAGS, Ply, Record

_LAST: Final = ("Result", "Termination")
"""Tags that stand after the number of plies, as the end of the story."""

_TAGS: Final = tuple(tag for tag in KNOWN_TAGS if tag not in _LAST)


def column_of(tag: str) -> str:
    """Return the name of a tag's column.

    >>> column_of("TimeControl")
    'time_control'
    """
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", tag).lower()


COLUMNS: Final = (*map(column_of, _TAGS), "plies", *map(column_of, _LAST))


def row(record: Record) -> dict[str, str | int | None]:
    """Return the values by column; None for a tag that is missing."""
    tags = dict(record.tags)
    return {
        **{column_of(tag): tags.get(tag) for tag in _TAGS},
        "plies": len(record.plies),
        "result": record.result,
        "termination": tags.get("Termination"),
    }


def not_held(record: Record) -> Iterator[str]:
    """Yield the names of what a record has besides its row and its moves, each once."""
    if any(ply.glyph for ply in _all_plies(record.plies)):
        yield "glyphs"
    if _has_comments(record):
        yield "comments"
    if any(ply.variations for ply in record.plies):
        yield "variations"
    for name, value in record.tags:
        # the column result has what the moves end in
        if name not in KNOWN_TAGS or (name == "Result" and value != record.result):
            yield f"tag {name}"


def _has_comments(record: Record) -> bool:
    plies = list(_all_plies(record.plies))
    return bool(
        record.comments
        or any(ply.comments for ply in plies)
        or any(variation.comments for ply in plies for variation in ply.variations)
    )


def _all_plies(plies: Sequence[Ply]) -> Iterator[Ply]:
    """Yield the plies and those of the variations."""
    for ply in plies:
        yield ply
        for variation in ply.variations:
            yield from _all_plies(variation.plies)
