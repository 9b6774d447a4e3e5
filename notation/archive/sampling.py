"""Random samples of records, and random splits by shares.

The choice depends only on the seed and the content of the records, not on their order or their
files.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from lath.notation.archive.archive import MEMORY, least_of, temporary_database
from lath.notation.record.record import Record

if TYPE_CHECKING:
    import sqlite3


class SampledRecord(NamedTuple):
    """A record on its way through `arena select`."""

    order: bytes
    """The bytes by which it is sorted; empty without sorting."""

    value: str
    """The value by which it is split; empty without splitting."""

    text: str
    """The text in its file."""


_TABLES: Final = (
    "CREATE TABLE copy (content INTEGER PRIMARY KEY, times INTEGER)",
    "CREATE TABLE item (place INTEGER PRIMARY KEY, draw BLOB, sort BLOB, value TEXT, text TEXT)",
    "CREATE INDEX by_draw ON item (draw)",
)


def sample(
    rows: Iterable[SampledRecord], size: int, seed: int, memory: int = MEMORY
) -> Iterator[SampledRecord]:
    """Yield `size` of the rows in their order, or all if there are fewer.

    Every set of this size is equally likely. Each row gets a number that depends on the seed, its
    text and the number of equal rows before it; the rows with the lowest numbers are taken. So the
    order of the rows does not change which texts are chosen, or how often. `memory` is in bytes;
    more data goes to the disk. Raises OSError if the disk is full.

    >>> rows = [SampledRecord(b"", "", f"game {number}") for number in range(9)]
    >>> sorted(sample(rows, 3, seed=1)) == sorted(sample(rows[::-1], 3, seed=1))
    True
    """
    with temporary_database(*_TABLES, memory=memory // 2) as database:
        _draw(database, rows, size, seed)
        for _, _, order, value, text in database.execute(
            "SELECT * FROM (SELECT * FROM item ORDER BY draw LIMIT ?) ORDER BY place", (size,)
        ):
            yield SampledRecord(order, value, text.decode())


def _draw(
    database: sqlite3.Connection, rows: Iterable[SampledRecord], size: int, seed: int
) -> None:
    """Keep the rows with the `size` lowest numbers, and not many more."""
    worst, kept, most = b"\xff" * 17, 0, 2 * size + 1000
    for place, row in enumerate(rows):
        text = row.text.encode()
        if (draw := _digest(seed, _copies(database, text), text)) > worst:
            continue
        database.execute(
            "INSERT INTO item VALUES (?, ?, ?, ?, ?)", (place, draw, row.order, row.value, text)
        )
        kept += 1
        if kept == most:
            (worst,) = database.execute(
                "SELECT draw FROM item ORDER BY draw LIMIT 1 OFFSET ?", (size - 1,)
            ).fetchone()
            database.execute("DELETE FROM item WHERE draw > ?", (worst,))
            kept = size


def _copies(database: sqlite3.Connection, text: bytes) -> int:
    """Return how often a text was added, including this time."""
    content = int.from_bytes(blake2b(text, digest_size=8).digest(), "big", signed=True)
    if database.execute("INSERT OR IGNORE INTO copy VALUES (?, 1)", (content,)).rowcount:
        return 1
    database.execute("UPDATE copy SET times = times + 1 WHERE content = ?", (content,))
    found = database.execute("SELECT times FROM copy WHERE content = ?", (content,))
    return int(found.fetchone()[0])


def _digest(seed: int, number: int, content: bytes) -> bytes:
    return blake2b(b"%d %d\n%b" % (seed, number, content), digest_size=16).digest()


class Shares:
    """The parts of a random split, each with its share of the records."""

    def __init__(self, shares: Mapping[str, float], seed: int) -> None:
        """Take the shares, which must be positive.

        Only their ratios matter: 9 and 1 equal 0.9 and 0.1.
        """
        whole = sum(shares.values())
        self._names: Final = tuple(shares)
        self._ends: Final = [end / whole for end in accumulate(shares.values())][:-1]
        self._seed: Final = seed

    def part_of(self, record: Record) -> str:
        """Return the name of the part that a record belongs to.

        Records of one game belong to one part, even if one is rotated or reflected: they have the
        same id, start and moves up to the game's symmetries. Tags, results and comments are
        ignored. Text that the game cannot read is compared unchanged.
        """
        drawn = int.from_bytes(_digest(self._seed, 0, _least(record).encode())[:8], "big")
        return self._names[bisect(self._ends, drawn / 2**64)]


def _least(record: Record) -> str:
    """Return a text that is equal for records that are symmetric to each other."""
    start, line = least_of(record)
    return "\n".join((record.game, start, *line)).encode("utf-8", "replace").decode()
