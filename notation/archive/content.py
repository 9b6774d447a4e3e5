"""What a record says, apart from its layout, and how two records differ in it.

Must not know files. Spelling, line ends, the order of tags and how a start is written (a `Setup`
or the `Position` that it makes) are layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import zip_longest
from typing import Final

from lath.notation.archive.identity import SIZE, canonical_moves, spellings, start_text
from lath.notation.archive.keys import Key
from lath.notation.record import Comment, Ply, Record

IDENTIFYING: Final = ("Game", "Event", "Site", "Date", "Round", "First", "Second", "Number")
"""Tags that say which game a record is of."""

_ELSEWHERE: Final = frozenset({"Setup", "Position", "Result"})
"""Tags that are compared as the start and the result."""

_TAGS: Final = re.compile(r'(?:\s*\[\s*\w+\s*"(?:[^"\\]|\\.)*+"\s*\])*+')

_REMARK: Final = re.compile(r"[{;(!?]")
"""What every remark begins with; no move, number or result has one of these."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How two records of one game differ, `a` and `b` standing for the two."""

    ply: int | None
    """The first ply whose moves differ, from 1; None where they do not."""

    moves: tuple[str | None, str | None]
    """The moves there; None for a record that has ended before, and where none differ."""

    tags: tuple[tuple[str, str | None, str | None], ...]
    """Names and both values of the tags that differ, None for a missing one. `Result` is the
    result; a start that differs stands here as `Start`, the texts of the two positions."""

    remarks: int | None
    """The first ply whose glyph, comments or variations differ, 0 for what stands before the
    first; None where none do. Plies after the first different move are not looked at."""

    def __bool__(self) -> bool:
        """Return whether there is any difference."""
        return bool(self.tags) or self.ply is not None or self.remarks is not None


def difference(a: Record, b: Record, *, moves_only: bool = False) -> Difference:
    """Return how two records differ; with `moves_only` in start and moves alone.

    >>> from lath.notation import parse
    >>> difference(parse('[Game "yavalath"] e5 d4 *'), parse('[Game "yavalath"] e5 swap 1-0'))
    Difference(ply=2, moves=('d4', 'swap'), tags=(('Result', '*', '1-0'),), remarks=None)
    """
    ply, moves = _first_different_move(canonical_moves(a), canonical_moves(b))
    tags = tuple(_different(_told(a, moves_only), _told(b, moves_only)))
    remarks = None if moves_only else _first_different_remark(a, b, ply)
    return Difference(ply, moves, tags, remarks)


def _first_different_move(
    a: Sequence[str], b: Sequence[str]
) -> tuple[int | None, tuple[str | None, str | None]]:
    for number, moves in enumerate(zip_longest(a, b), 1):
        if moves[0] != moves[1]:
            return number, moves
    return None, (None, None)


def _told(record: Record, moves_only: bool) -> dict[str, str]:
    """Return everything that is said of a game besides its moves and remarks."""
    start = start_text(record.game, record.tag("Setup"), record.tag("Position"))
    told = {"Game": record.game, "Start": start}
    if moves_only:
        return told
    told |= {name: value for name, value in record.tags if name not in _ELSEWHERE}
    return told | {"Result": record.result}


def _different(
    a: dict[str, str], b: dict[str, str]
) -> Iterator[tuple[str, str | None, str | None]]:
    for name in dict.fromkeys((*a, *b)):
        if a.get(name) != b.get(name):
            yield name, a.get(name), b.get(name)


def _first_different_remark(a: Record, b: Record, end: int | None) -> int | None:
    if a.comments != b.comments:
        return 0
    spelled = spellings(a.game)
    for number, plies in enumerate(zip(a.plies, b.plies, strict=False), 1):
        if number == end:
            break
        one, other = ((ply.glyph, *_remarks(ply, spelled)) for ply in plies)
        if one != other:
            return number
    return None


def content(record: Record, text: str | None = None) -> bytes:
    """Return 16 bytes that are equal for records between which there is no difference.

    `text` is the record as it stands in its file; with it, records without remarks are quicker.
    """
    parts = [f"{name} {value}" for name, value in sorted(_told(record, moves_only=False).items())]
    parts += ["", *canonical_moves(record)]
    if text is None or _REMARK.search(text, _end_of_tags(text)):
        parts += _all_remarks(record)
    return _digest(parts)


def _end_of_tags(text: str) -> int:
    tags = _TAGS.match(text)
    return tags.end() if tags else 0


def key_of(record: Record, keys: Sequence[Key] = ()) -> bytes | None:
    """Return 16 bytes that are equal for records with the same values of these keys.

    Without `keys`: IDENTIFYING and the start, and None for a record that has none of those tags
    but `Game`, and so might be any.
    """
    if keys:
        return _digest([key.text(record) for key in keys])
    values = [record.tag(name) for name in IDENTIFYING]
    start = start_text(record.game, record.tag("Setup"), record.tag("Position"))
    return _digest([*values, start]) if any(values[1:]) else None


def _all_remarks(record: Record) -> Iterator[str]:
    """Yield the remarks of a whole record; nothing where there are none."""
    spelled = spellings(record.game)
    yield from _comments(record.comments)
    for number, ply in enumerate(record.plies, 1):
        if ply.comments or ply.glyph or ply.variations:
            yield f" {number}{ply.glyph}"
            yield from _remarks(ply, spelled)


def _remarks(ply: Ply, spelled: Mapping[str, str]) -> Iterator[str]:
    """Yield what is said after a ply's glyph, each thing beginning with a sign of its own."""
    yield from _comments(ply.comments)
    for variation in ply.variations:
        yield "("
        yield from _comments(variation.comments)
        for other in variation.plies:
            yield f" {spelled[other.move]}{other.glyph}"
            yield from _remarks(other, spelled)
        yield ")"


def _comments(comments: Sequence[Comment]) -> list[str]:
    return ["{" + " ".join(map(str, comment)) for comment in comments]


def _digest(parts: Sequence[str]) -> bytes:
    return blake2b("\n".join(parts).encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()
