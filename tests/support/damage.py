"""Damage by disks, programs and people to the files of a tournament's directory.

Must not know which program reads the files later.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Final

DATABASE: Final = "tournament.db"
RECORDS: Final = "games.lath"
PAGE: Final = 4096
"""Bytes of a page of a database."""

Damage = Callable[[Path, Random], None]
"""Changes a file; the same random numbers give the same change."""


def flip(path: Path, chance: Random) -> None:
    """Flip one bit."""
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def truncate(path: Path, chance: Random) -> None:
    """Cut off the end."""
    content = path.read_bytes()
    path.write_bytes(content[: chance.randrange(len(content))])


def zero_a_page(path: Path, chance: Random) -> None:
    """Fill a page with zeros."""
    content = bytearray(path.read_bytes())
    at = chance.randrange(0, len(content), PAGE)
    content[at : at + PAGE] = bytes(len(content[at : at + PAGE]))
    path.write_bytes(content)


def double_a_page(path: Path, chance: Random) -> None:
    """Overwrite a page by another one."""
    content = bytearray(path.read_bytes())
    one, other = (chance.randrange(0, len(content), PAGE) for _ in range(2))
    page = content[one : one + PAGE]
    content[other : other + len(page)] = page
    path.write_bytes(content)


def exchange(path: Path, chance: Random) -> None:
    """Replace a file by other content."""
    path.unlink()
    match chance.randrange(4):
        case 0:
            path.touch()
        case 1:
            path.write_bytes(chance.randbytes(20_000))
        case 2:
            path.write_text("I was a tournament.\n" * 400)
        case 3:
            with closing(sqlite3.connect(path)) as database:
                database.executescript("CREATE TABLE song (name TEXT); INSERT INTO song VALUES(1)")


BYTES: Final[tuple[Damage, ...]] = (flip, truncate, zero_a_page, double_a_page, exchange)
"""Damage to any file."""

VALUES: Final = (
    *("result = '7-7'", "result = x'00ff'", "record = x'00'", "record = ''", "record = '[Game'"),
    *("record = replace(record, '[First', '[Fist')", "termination = 'boredom'", "first = 7"),
    *("number = -number", "number = number + 1000000000000", "stderr = '{'", "stderr = '[1]'"),
    *("plies = 'many'", "first_used_s = 'long'", "record = CAST(x'c328' AS TEXT)", "game = 'go'"),
    *("first = CAST(x'c328' AS TEXT)", "log = x'ff'", "second = first", "record = log"),
    *("record = replace(record, '1-0', '0-1')", "record = substr(record, 1, 300)", "round = 1e99"),
)
"""SQL that changes a row of `game` to a value that the table accepts."""

NOTES: Final = (
    *("value = x'ff'", "value = '{'", "value = '[]'", "value = '7'", "value = 'null'"),
    *("value = '[[[['", "key = key || 'x'", "value = CAST(x'c328' AS TEXT)"),
)
"""SQL that changes a row of `about`."""


def write_values(path: Path, chance: Random) -> None:
    """Write foreign values into a database."""
    question = chance.choice(
        [
            *(f"UPDATE game SET {value} WHERE number = 2" for value in VALUES),
            *(f"UPDATE about SET {value}" for value in NOTES),
            *("DELETE FROM game WHERE number = 2", "DELETE FROM about", "DROP TABLE game"),
            *("DROP TABLE about", "ALTER TABLE game DROP COLUMN log"),
            "INSERT INTO walkover VALUES (x'ff', x'ff')",
        ]
    )
    with closing(sqlite3.connect(path)) as database, suppress(sqlite3.Error), database:
        database.execute(question)


def damages(seed: int, number: int) -> Iterator[Callable[[Path], str]]:
    """Yield functions that damage a directory and describe it; equal numbers give equal damage."""
    for case in range(number):

        def damage(folder: Path, case: int = case) -> str:
            chance = Random(f"{seed} {case}")
            file = chance.choice([DATABASE] * 4 + [RECORDS])
            kind = chance.choice([*BYTES, write_values] if file == DATABASE else BYTES)
            kind(folder / file, chance)
            return f"case {case}: {kind.__name__} of {file}"

        yield damage
