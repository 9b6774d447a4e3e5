"""Which records of two archives belong together, kept in a temporary database on the disk.

Must not know records: what is alike is decided by digests. Memory stays flat, at the size of the
database's cache.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final, Self

CACHE: Final = 64 << 20
"""Bytes of the database that stay in memory."""

A, B = 0, 1
"""The two sides."""

_TABLES: Final = """
CREATE TABLE whole (digest BLOB, number INTEGER, PRIMARY KEY (digest, number)) WITHOUT ROWID;
CREATE TABLE leftover (side INTEGER, number INTEGER, line INTEGER, k0 BLOB, k1 BLOB, k2 BLOB,
    PRIMARY KEY (side, number)) WITHOUT ROWID;
CREATE TABLE text (place INTEGER PRIMARY KEY, text BLOB);
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


@dataclass(frozen=True, slots=True)
class Leftover:
    """A record for which the other archive has none that is equal."""

    side: int
    """A or B."""

    number: int
    """In its file, from 1."""

    line: int
    """On which it begins."""

    text: str
    """As it stands there."""


class Pairing:
    """Pairs equal records first, then what is left by one key after the other."""

    def __init__(self) -> None:
        # An unnamed database is a temporary file that vanishes with the process.
        self._database: Final = sqlite3.connect("", isolation_level=None)
        self._database.execute(f"PRAGMA cache_size = -{CACHE >> 10}")
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.executescript(_TABLES)
        self._database.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

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

    def leave(self, leftover: Leftover, keys: Sequence[bytes | None]) -> None:
        """Keep a record that has no equal, with up to three keys, the closest first."""
        k0, k1, k2 = (*keys, None, None, None)[:3]
        row = (leftover.side, leftover.number, leftover.line, k0, k1, k2)
        self._database.execute("INSERT INTO leftover VALUES (?, ?, ?, ?, ?, ?)", row)
        text = zlib.compress(leftover.text.encode(), 1)
        place = 2 * leftover.number + leftover.side
        self._database.execute("INSERT INTO text VALUES (?, ?)", (place, text))

    def pairs(self) -> Generator[tuple[Leftover | None, Leftover | None], None, None]:
        """Yield the leftovers, paired where a key is the same: by their numbers in A, then in B.

        Where a key is there several times, the first of A belongs to the first of B, and so on.
        """
        for k in ("k0", "k1", "k2"):
            self._database.execute(_JOIN.format(k=k))
        with closing(self._database.cursor()) as cursor:
            for number, other in cursor.execute(
                "SELECT number, b FROM leftover LEFT JOIN pair ON a = number "
                "WHERE side = 0 ORDER BY number"
            ):
                yield self._leftover(A, number), None if other is None else self._leftover(B, other)
        with closing(self._database.cursor()) as cursor:
            for (number,) in cursor.execute(
                "SELECT number FROM leftover WHERE side = 1 "
                "AND number NOT IN (SELECT b FROM pair) ORDER BY number"
            ):
                yield None, self._leftover(B, number)

    def _leftover(self, side: int, number: int) -> Leftover:
        line, text = self._database.execute(
            "SELECT line, text FROM leftover JOIN text ON place = 2 * number + side "
            "WHERE side = ? AND number = ?",
            (side, number),
        ).fetchone()
        return Leftover(side, number, line, zlib.decompress(text).decode())
