"""Two archives side by side: which records are in both, in both but different, or in one alone.

Spelling, line ends, the order of tags and how a start is written (a `Setup` or the `Position` that
it makes) are layout. One side is read twice, unless all of it was found in the other; memory stays
flat. Must not know files, nor how people are told of the outcome.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from itertools import zip_longest
from typing import Final

from lath.notation import parse
from lath.notation.archive import (
    SIZE,
    Key,
    canonical_moves,
    identity,
    start_text,
    temporary_database,
)
from lath.notation.reader import Entry
from lath.notation.record import Comment, Ply, Record
from lath.notation.replay import spellings

IDENTIFYING: Final = ("Game", "Event", "Site", "Date", "Round", "First", "Second", "Number")
"""Tags that say which game a record is of."""

_ELSEWHERE: Final = frozenset({"Setup", "Position", "Result"})
"""Tags that are compared as the start and the result."""


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
    pairs = enumerate(zip_longest(canonical_moves(a), canonical_moves(b)), 1)
    ply, moves = next(((ply, moves) for ply, moves in pairs if moves[0] != moves[1]), _NO_PLY)
    said, other = _said_of(a, moves_only), _said_of(b, moves_only)
    tags = tuple(
        (name, said.get(name), other.get(name))
        for name in {**said, **other}
        if said.get(name) != other.get(name)
    )
    remarks = None if moves_only else _first_different_remark(a, b, ply)
    return Difference(ply, moves, tags, remarks)


_NO_PLY: Final[tuple[int | None, tuple[str | None, str | None]]] = (None, (None, None))
"""What is said of moves that are the same."""


def _said_of(record: Record, moves_only: bool) -> dict[str, str]:
    """Return everything that is said of a game besides its moves and remarks."""
    start = start_text(record.game, record.tag("Setup"), record.tag("Position"))
    said = {"Game": record.game, "Start": start}
    if moves_only:
        return said
    said |= {name: value for name, value in record.tags if name not in _ELSEWHERE}
    return said | {"Result": record.result}


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


def content(record: Record) -> bytes:
    """Return 16 bytes that are equal for records between which there is no difference."""
    said = sorted(_said_of(record, moves_only=False).items())
    parts = [f"{name} {value}" for name, value in said]
    return _digest([*parts, "", *canonical_moves(record), *_all_remarks(record)])


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


A, B = 0, 1
"""The two sides."""

_TABLES: Final = """
CREATE TABLE whole (digest BLOB, number INTEGER, PRIMARY KEY (digest, number)) WITHOUT ROWID;
CREATE TABLE leftover (side INTEGER, number INTEGER, k0 BLOB, k1 BLOB, k2 BLOB,
    PRIMARY KEY (side, number)) WITHOUT ROWID;
CREATE TABLE text (place INTEGER PRIMARY KEY, line INTEGER, text BLOB);
CREATE TABLE pair (a INTEGER PRIMARY KEY, b INTEGER UNIQUE);
"""

_JOIN: Final = """
INSERT INTO pair SELECT one.number, other.number FROM
    (SELECT number, {k} AS k, row_number() OVER (PARTITION BY {k} ORDER BY number) AS nth
     FROM leftover WHERE side = 0 AND {k} IS NOT NULL AND number NOT IN (SELECT a FROM pair)) one
JOIN
    (SELECT number, {k} AS k, row_number() OVER (PARTITION BY {k} ORDER BY number) AS nth
     FROM leftover WHERE side = 1 AND {k} IS NOT NULL AND number NOT IN (SELECT b FROM pair)) other
USING (k, nth)
"""
"""Pairs the first of a key in A with the first of it in B, the second with the second."""

_PAIRS: Final = (
    "SELECT number, b FROM leftover LEFT JOIN pair ON a = number WHERE side = 0 ORDER BY number",
    """SELECT NULL, number FROM leftover WHERE side = 1 AND number NOT IN (SELECT b FROM pair)
    ORDER BY number""",
)


@dataclass(frozen=True, slots=True)
class Stands:
    """One record and where it stands."""

    number: int
    """In its file, from 1."""

    line: int
    """On which it begins."""

    record: Record


class Pairing:
    """Pairs equal records first, then what is left by one key after the other."""

    def __init__(self, database: sqlite3.Connection) -> None:
        """`database` is an empty one."""
        self._database: Final = database
        for table in _TABLES.split(";"):
            database.execute(table)

    def index(self, digest: bytes, number: int) -> None:
        """Keep the digest of a record of one side."""
        self._database.execute("INSERT INTO whole VALUES (?, ?)", (digest, number))

    def take(self, digest: bytes) -> bool:
        """Pair a record of the other side with the first one of this digest, if one is left."""
        found = self._database.execute(
            "SELECT min(number) FROM whole WHERE digest = ?", (digest,)
        ).fetchone()[0]
        if found is None:
            return False
        self._database.execute("DELETE FROM whole WHERE digest = ? AND number = ?", (digest, found))
        return True

    def unpaired(self) -> Generator[int, None, None]:
        """Yield the numbers of what was kept by `index` and not taken, rising."""
        with closing(self._database.cursor()) as cursor:
            for (number,) in cursor.execute("SELECT number FROM whole ORDER BY number"):
                yield number

    def leave(self, side: int, entry: Entry, keys: Sequence[bytes | None]) -> None:
        """Keep a record that has no equal, with up to three keys, the closest first."""
        row = (side, entry.number, *(*keys, None, None, None)[:3])
        self._database.execute("INSERT INTO leftover VALUES (?, ?, ?, ?, ?)", row)
        text = zlib.compress(entry.text.encode(), 1)
        place = 2 * entry.number + side
        self._database.execute("INSERT INTO text VALUES (?, ?, ?)", (place, entry.line, text))

    def pairs(self) -> Generator[tuple[Stands | None, Stands | None], None, None]:
        """Yield the leftovers, paired where a key is the same: by their numbers in A, then in B.

        Where a key is there several times, the first of A belongs to the first of B, and so on.
        """
        for k in ("k0", "k1", "k2"):
            self._database.execute(_JOIN.format(k=k))
        for query in _PAIRS:
            with closing(self._database.execute(query)) as cursor:
                for a, b in cursor:
                    yield self._stands(A, a), self._stands(B, b)

    def _stands(self, side: int, number: int | None) -> Stands | None:
        if number is None:
            return None
        line, text = self._database.execute(
            "SELECT line, text FROM text WHERE place = ?", (2 * number + side,)
        ).fetchone()
        return Stands(number, line, parse(zlib.decompress(text).decode()))


Sound = Iterable[tuple[Entry, Record]]
"""Entries with nothing wrong with them, and their records."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Records that belong together and differ, or one that stands alone."""

    a: Stands | None
    """None for a record that is only in B."""

    b: Stands | None
    """None for a record that is only in A."""

    difference: Difference | None
    """None for a record that stands alone."""


class Comparison:
    """What two archives have in common; `findings` reads them, and then `equal` is right."""

    def __init__(self, *, key: Sequence[Key] = (), moves_only: bool = False) -> None:
        """`key`: what says which records belong together.

        Without it those with the same IDENTIFYING tags and start do, and, of the rest, those with
        the same moves.
        """
        self._key: Final = key
        self._moves_only: Final = moves_only
        self.equal = 0
        """Pairs of records between which there is no difference."""

    def findings(
        self, a: Callable[[], Sound], b: Callable[[], Sound], *, twice: int = A
    ) -> Iterator[Finding]:
        """Yield what is not equal, in the order of A, and what is only in B in that of B.

        Both return a side from its beginning; the side `twice` is asked again where not all of
        it has an equal.
        """
        indexed, streamed = (a, b) if twice == A else (b, a)
        with temporary_database() as database:
            pairing = Pairing(database)
            for entry, record in indexed():
                pairing.index(self._whole(record), entry.number)
            for entry, record in streamed():
                if pairing.take(self._whole(record)):
                    self.equal += 1
                else:
                    pairing.leave(B if twice == A else A, entry, self._keys(record))
            with closing(pairing.unpaired()) as unpaired:
                self._leave_unpaired(pairing, twice, unpaired, indexed)
            with closing(pairing.pairs()) as pairs:
                for one, other in pairs:
                    differs = None
                    if one and other:
                        moves_only = self._moves_only
                        differs = difference(one.record, other.record, moves_only=moves_only)
                        if not differs:
                            self.equal += 1
                            continue
                    yield Finding(one, other, differs)

    def _leave_unpaired(
        self, pairing: Pairing, side: int, wanted: Iterator[int], read: Callable[[], Sound]
    ) -> None:
        number = next(wanted, None)
        if number is None:
            return
        for entry, record in read():
            if entry.number == number:
                pairing.leave(side, entry, self._keys(record))
                number = next(wanted, None)
                if number is None:
                    return
        raise OSError("changed while it was read")

    def _whole(self, record: Record) -> bytes:
        """Return what only records have in common that belong together and are equal."""
        if self._moves_only:
            return (key_of(record, self._key) or b"") + identity(record)
        return content(record)

    def _keys(self, record: Record) -> tuple[bytes | None, ...]:
        """Return what a leftover is paired by: key and moves, key, and moves without a key."""
        key, moves = key_of(record, self._key), identity(record)
        both = None if key is None else key + moves
        return (both, key) if self._key else (both, key, moves)
