"""A comparison of two archives: records that are equal, that differ, or that only one has.

Some differences are ignored: spelling, line ends, the order of tags, `Rules` of the first version,
and whether a start is a `Setup` or its `Position`. Both archives are read once, in parallel.
Records without an equal one so far wait in a temporary database, so memory use does not grow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, Final

from lath.games.core import FIRST_VERSION
from lath.notation import parse
from lath.notation.archive.archive import (
    Key,
    canonical_moves,
    digest_of,
    identity,
    start_text_of,
    temporary_database,
)
from lath.notation.record.record import Comment, Ply, Record
from lath.notation.record.tags import RULES
from lath.notation.rules.replay import spellings
from lath.notation.text.splitting import Entry

if TYPE_CHECKING:
    import sqlite3

IDENTIFYING: Final = ("Game", "Event", "Site", "Date", "Round", "First", "Second", "Number")
"""Tags that identify the game of a record."""

_ELSEWHERE: Final = frozenset({"Setup", "Position", "Result", RULES})
"""Tags that are compared as the start, the result and the rules version."""


@dataclass(frozen=True, slots=True)
class RecordDifference:
    """The differences between two records of one game, `a` and `b`."""

    ply: int | None
    """The first ply with different moves, from 1; None if the moves are equal."""

    moves: tuple[str | None, str | None]
    """The moves there; None for a record that has ended before, and if the moves are equal."""

    tags: tuple[tuple[str, str | None, str | None], ...]
    """The names and both values of the tags that differ; None for a missing tag. `Result` is the
    result. A different start is called `Start`, with the texts of the two positions."""

    remarks: int | None
    """The first ply with a different glyph, comment or variation; 0 for the comments before the
    first ply, None without a difference. Plies after the first different move are ignored."""

    def __bool__(self) -> bool:
        """Return whether there is any difference."""
        return bool(self.tags) or self.ply is not None or self.remarks is not None


def difference(a: Record, b: Record, *, moves_only: bool = False) -> RecordDifference:
    """Return the differences between two records; with `moves_only`, only of start and moves.

    >>> from lath.notation import parse
    >>> difference(parse('[Game "yavalath"] e5 d4 *'), parse('[Game "yavalath"] e5 swap 1-0'))
    RecordDifference(ply=2, moves=('d4', 'swap'), tags=(('Result', '*', '1-0'),), remarks=None)
    """
    lines = zip_longest(canonical_moves(a), canonical_moves(b))
    same: tuple[int | None, tuple[str | None, str | None]] = (None, (None, None))
    ply, moves = next((at for at in enumerate(lines, 1) if at[1][0] != at[1][1]), same)
    one, other = _facts(a, moves_only), _facts(b, moves_only)
    tags = tuple(
        (name, one.get(name), other.get(name))
        for name in {**one, **other}
        if one.get(name) != other.get(name)
    )
    remarks = None
    if not moves_only:
        of_a, of_b = dict(_remarks(a)), dict(_remarks(b))
        differing = (n for n in {**of_a, **of_b} if of_a.get(n) != of_b.get(n))
        remarks = min((n for n in differing if ply is None or n < ply), default=None)
    return RecordDifference(ply, moves, tags, remarks)


def _facts(record: Record, moves_only: bool) -> dict[str, str]:
    """Return the compared facts of a game besides its moves and remarks."""
    facts = {"Game": record.game, "Start": start_text_of(record)}
    if (rules := record.tag(RULES)) not in ("", FIRST_VERSION):
        facts[RULES] = rules
    if moves_only:
        return facts
    facts |= {name: value for name, value in record.tags if name not in _ELSEWHERE}
    return facts | {"Result": record.result.value}


def content(record: Record) -> bytes:
    """Return 16 bytes that are equal for records without a difference."""
    parts = [f"{name} {value}" for name, value in sorted(_facts(record, moves_only=False).items())]
    parts += ["", *canonical_moves(record)]
    for number, remarks in _remarks(record):
        parts += [f" {number}", *remarks]
    return digest_of(parts)


def key_of(record: Record, keys: Sequence[Key] = ()) -> bytes | None:
    """Return 16 bytes that are equal for records with the same values of these keys.

    Default for `keys`: IDENTIFYING and the start. Without keys, the result is None for a record
    that has none of these tags except `Game`, because it could be any game.
    """
    if keys:
        return digest_of([key.text(record) for key in keys])
    values = [record.tag(name) for name in IDENTIFYING]
    return digest_of([*values, start_text_of(record)]) if any(values[1:]) else None


def _remarks(record: Record) -> Iterator[tuple[int, list[str]]]:
    """Yield each ply with remarks, and the remarks; ply 0 is for comments before the first ply."""
    if record.comments:
        yield 0, _comments(record.comments)
    for number, ply in enumerate(record.plies, 1):
        if ply.comments or ply.glyph or ply.variations:
            yield number, [ply.glyph, *_remarks_of(ply, spellings(record.game, record.tag(RULES)))]


def _remarks_of(ply: Ply, spelled: Mapping[str, str]) -> Iterator[str]:
    """Yield the remarks after a ply's glyph, each with a different first character."""
    yield from _comments(ply.comments)
    for variation in ply.variations:
        yield "("
        yield from _comments(variation.comments)
        for other in variation.plies:
            yield f" {spelled[other.move]}{other.glyph}"
            yield from _remarks_of(other, spelled)
        yield ")"


def _comments(comments: Sequence[Comment]) -> list[str]:
    return ["{" + " ".join(map(str, comment)) for comment in comments]


_TABLES: Final = (
    "CREATE TABLE waiting (place INTEGER PRIMARY KEY, line INTEGER, whole BLOB, text TEXT)",
    "CREATE INDEX by_whole ON waiting (whole)",
    "CREATE TABLE keyed (place INTEGER PRIMARY KEY, k0 BLOB, k1 BLOB, k2 BLOB)",
    "CREATE TABLE pair (a INTEGER PRIMARY KEY, b INTEGER UNIQUE)",
)
"""A record's place is twice its number in its file, plus one in B."""

_FIRST: Final = "SELECT place FROM waiting WHERE whole = ? ORDER BY place LIMIT 1"

_FREE: Final = """
SELECT {k}, place FROM keyed WHERE {k} IS NOT NULL AND place % 2 = {side}
AND place NOT IN (SELECT a FROM pair UNION ALL SELECT b FROM pair) ORDER BY {k}, place
"""

_PAIRS: Final = """
SELECT one.place, one.line, one.text, other.place, other.line, other.text
FROM waiting one LEFT JOIN pair ON a = one.place LEFT JOIN waiting other ON other.place = b
WHERE one.place % 2 = 0 ORDER BY one.place
"""

_ONLY_IN_B: Final = """
SELECT NULL, NULL, NULL, place, line, text FROM waiting
WHERE place % 2 = 1 AND place NOT IN (SELECT b FROM pair) ORDER BY place
"""


@dataclass(frozen=True, slots=True)
class Stands:
    """One record with its place in its file."""

    number: int
    """The number in the file, from 1."""

    line: int
    """The line on which it begins."""

    record: Record


Sound = Iterable[tuple[Entry, Record]]
"""Entries without problems, and their records."""


@dataclass(frozen=True, slots=True)
class ComparisonFinding:
    """Two records that belong together and differ, or one without a counterpart."""

    a: Stands | None
    """None for a record that is only in B."""

    b: Stands | None
    """None for a record that is only in A."""

    difference: RecordDifference | None
    """None for a record without a counterpart."""


class Comparison:
    """A comparison of two archives; consume `findings` first, then read `equal`."""

    def __init__(self, *, key: Sequence[Key] = (), moves_only: bool = False) -> None:
        """Take the keys by which records belong together.

        By default, records with the same IDENTIFYING tags and start belong together, and then
        remaining records with the same moves.
        """
        self._key: Final = key
        self._moves_only: Final = moves_only
        self.equal = 0
        """The number of pairs of equal records."""

    def findings(self, a: Sound, b: Sound) -> Iterator[ComparisonFinding]:
        """Yield the records that differ or are only in A, in A's order, then those only in B.

        Each side is read once. Equal records are paired first, then the rest by one key after the
        other. Among several equal keys, the first of A is paired with the first of B.
        """
        with temporary_database(*_TABLES) as database:
            self._gather(database, a, b)
            for k in ("k0", "k1", "k2"):
                free = [database.execute(_FREE.format(k=k, side=side)) for side in (0, 1)]
                database.executemany("INSERT INTO pair VALUES (?, ?)", _mates(*free))
            for found in chain(database.execute(_PAIRS), database.execute(_ONLY_IN_B)):
                one, other, differs = _stands(*found[:3]), _stands(*found[3:]), None
                if one and other:
                    differs = difference(one.record, other.record, moves_only=self._moves_only)
                    if not differs:
                        self.equal += 1
                        continue
                yield ComparisonFinding(one, other, differs)

    def _gather(self, database: sqlite3.Connection, a: Sound, b: Sound) -> None:
        """Count equal records; records without an equal one wait in the database."""

        def first_of(whole: bytes) -> Any:
            return database.execute(_FIRST, (whole,)).fetchone()

        for pair in zip_longest(a, b):
            wholes = [self._whole(found[1]) if found else b"" for found in pair]
            if wholes[0] == wholes[1] and not first_of(wholes[0]):
                self.equal += 1  # the usual case, for which the database is not needed
                continue
            for side, found in enumerate(pair):
                if not found:
                    continue
                first = first_of(wholes[side])
                if first and first[0] % 2 != side:
                    self.equal += 1
                    database.execute("DELETE FROM waiting WHERE place = ?", first)
                    database.execute("DELETE FROM keyed WHERE place = ?", first)
                else:
                    entry, record = found
                    place = 2 * entry.number + side
                    row = (place, entry.line, wholes[side], entry.text)
                    database.execute("INSERT INTO waiting VALUES (?, ?, ?, ?)", row)
                    database.execute(
                        "INSERT INTO keyed VALUES (?, ?, ?, ?)", (place, *self._keys(record))
                    )

    def _keys(self, record: Record) -> tuple[bytes | None, bytes | None, bytes | None]:
        """Return the keys by which records belong together, the strictest one first."""
        key, moves = key_of(record, self._key), identity(record)
        return key and key + moves, key, None if self._key else moves

    def _whole(self, record: Record) -> bytes:
        """Return bytes that are equal only for records that belong together and are equal."""
        return (
            (key_of(record, self._key) or b"") + identity(record)
            if self._moves_only
            else content(record)
        )


def _stands(place: int | None, line: int, text: str) -> Stands | None:
    return None if place is None else Stands(place // 2, line, parse(text))


def _mates(
    a: Iterator[tuple[bytes, int]], b: Iterator[tuple[bytes, int]]
) -> Iterator[tuple[int, int]]:
    """Yield the places of the first record with a key in A and in B, then of the second, and so on.

    Both must be sorted by key and place; each record is read once.
    """
    one, other = next(a, None), next(b, None)
    while one and other:
        order = (one[0] > other[0]) - (one[0] < other[0])
        if not order:
            yield one[1], other[1]
        if order <= 0:
            one = next(a, None)
        if order >= 0:
            other = next(b, None)
