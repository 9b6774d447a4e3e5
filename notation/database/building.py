"""Databases of games in DuckDB: which tables they have, and how they are written.

A database is written beside its place, and moved there when it is whole: whoever is stopped leaves
what was there before. Positions are kept in parts that are sorted by their keys, so that memory
stays flat, few bytes are needed, and a key is found in each part at once. Must not know files of
records, nor how parcels come to be made.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa

from lath.notation.database.layers import Flags, Numbers
from lath.notation.database.parcels import NOTES, OF_GAMES, OfGame, Parcel
from lath.notation.database.reading import FORM, Database, DatabaseError
from lath.notation.files import sync
from lath.notation.tables import GAMES, PLIES

_TYPES: Final = {
    "text": ("VARCHAR", pa.string()),
    "integer": ("UBIGINT", pa.uint64()),
    "number": ("DOUBLE", pa.float64()),
    "date": ("DATE", pa.date32()),
}
"""By the kind of a column: its types in DuckDB and in tables that are inserted."""

_BY_NAME: Final = {column.name: column for column in (*GAMES, *PLIES)}


def _declared(names: Iterable[str]) -> str:
    return ", ".join(f"{name} {_TYPES[_BY_NAME[name].kind][0]}" for name in names)


SCHEMA: Final = f"""
CREATE TABLE about (form UINTEGER);
INSERT INTO about VALUES ({FORM});
CREATE TABLE games (
    id UINTEGER, {_declared(OF_GAMES)}, ending VARCHAR, to_move VARCHAR,
    high UBIGINT, low UBIGINT, pair UBIGINT, elo DOUBLE);
CREATE TABLE moves (code USMALLINT, game VARCHAR, move VARCHAR, effect VARCHAR);
CREATE TABLE steps (
    id UINTEGER, ply UINTEGER, code USMALLINT, seat UTINYINT, {_declared(NOTES)});
CREATE TABLE positions (key UBIGINT, id UINTEGER, ply UINTEGER, code USMALLINT);
CREATE TABLE refused (file VARCHAR, record UINTEGER, line UINTEGER, code VARCHAR, reason VARCHAR);
CREATE VIEW plies AS
    SELECT id, ply, if(seat = 0, 'first', 'second') AS seat, move, {", ".join(NOTES)}
    FROM steps JOIN moves USING (code);
"""  # noqa: S608 - names of ours
"""What makes the tables of a new database."""

_SHARED: Final = (
    "game",
    "coalesce(position, setup)",
    "opening",
    "least(coalesce(first, ''), coalesce(second, ''))",
    "greatest(coalesce(first, ''), coalesce(second, ''))",
    "event",
    "round",
    """(coalesce(TRY_CAST(regexp_extract(tags, '\\["Number","([0-9]{1,18})"\\]', 1) AS BIGINT), 0)
        + 1) // 2""",
)
"""What the two games of a pair have in common."""


def _number(tag: str) -> str:
    digits = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
    return f"""TRY_CAST(regexp_extract(tags, '\\["{tag}","({digits})"\\]', 1) AS DOUBLE)"""


_ADDED: Final = f""",
    md5_number_lower(concat({", chr(10), ".join(_SHARED)})) AS pair,
    {_number("FirstElo")} + {_number("SecondElo")} AS elo"""
"""Columns of games that are made of others."""

SEGMENT: Final = 1 << 21
"""Positions that are sorted together. With it 120,000 games took 590 MB, 240,000 took 650."""


@dataclass(slots=True)
class Counts:
    """What became of the records that were read."""

    read: int = 0
    taken: int = 0
    refused: int = 0
    duplicates: int = 0
    """Records of the same tags and moves as one that was there already."""


class Building:
    """A database that is being written, as `building` does."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self.counts = Counts()
        self._parcels: list[Parcel] = []
        self._waiting = 0
        (self._last,) = connection.execute("SELECT coalesce(max(id), 0) FROM games").fetchall()[0]
        known = connection.execute("SELECT game, move, effect, code FROM moves").fetchall()
        self._codes = {(game, move, effect): code for game, move, effect, code in known}

    def add(self, parcel: Parcel) -> None:
        """Take what a parcel has; it is written with others."""
        self.counts.read += parcel.read
        self.counts.refused += len(parcel.refused)
        self._parcels.append(parcel)
        self._waiting += sum(len(of.keys) for of in parcel.of_games)
        if self._waiting >= SEGMENT:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        parcels, self._parcels, self._waiting = self._parcels, [], 0
        self._insert("refused", _table(_REFUSED, chain.from_iterable(p.refused for p in parcels)))
        numbers = self._numbers([each for parcel in parcels for each in parcel.identities])
        steps, positions = [], []
        first = 0
        for parcel in parcels:
            ids = numbers[first : first + len(parcel.rows)]
            first += len(parcel.rows)
            for of in parcel.of_games:
                step, position = self._rows(of, ids[of.numbers], parcel)
                steps.append(step)
                positions.append(position)
        if not first:
            return
        self._write_games(parcels, numbers)
        self._insert("positions", _sorted(positions, "key"))
        self._insert("steps", _sorted(steps, "id"))

    def _numbers(self, identities: Sequence[bytes]) -> Numbers:
        """Return the number that each game gets; 0 for those that are there already."""
        halves = np.frombuffer(b"".join(identities), np.uint64).reshape(-1, 2)
        new = pa.table({"high": halves[:, 0].copy(), "low": halves[:, 1].copy()})
        new = new.append_column("place", pa.array(np.arange(len(halves))))
        self._connection.register("new", new)
        there = self._connection.execute(
            "SELECT place FROM new SEMI JOIN games USING (high, low)"
        ).fetchnumpy()["place"]
        self._connection.unregister("new")
        _, firsts = np.unique(halves, axis=0, return_index=True)
        is_new: Flags = np.zeros(len(halves), bool)
        is_new[firsts] = True
        is_new[there] = False
        taken = int(is_new.sum())
        numbers = np.where(is_new, self._last + np.cumsum(is_new), 0)
        self._last += taken
        self.counts.taken += taken
        self.counts.duplicates += len(halves) - taken
        return numbers

    def _rows(
        self, of: OfGame, ids: Numbers, parcel: Parcel
    ) -> tuple[dict[str, Numbers], dict[str, Numbers]]:
        """Return the rows of steps and of positions of games by their numbers; 0 is left out."""
        codes = np.array([self._code(of.game, *step) for step in of.steps], np.uint16)
        texts = np.array([self._code(of.game, text, None) for text in of.texts] + [_NONE])
        by_ply: Numbers = np.repeat(ids, of.lengths)
        ply = _counted(of.lengths)
        kept = by_ply > 0
        steps = {
            "id": by_ply[kept],
            "ply": ply[kept] + 1,
            "code": codes[of.plies[kept]],
            "seat": of.seats[kept],
        }
        if parcel.notes:
            empty = (None,) * len(NOTES)
            notes = chain.from_iterable(
                parcel.notes.get(number, [empty] * length)
                for number, length in zip(of.numbers.tolist(), of.lengths.tolist(), strict=True)
            )
            chosen = [note for note, is_kept in zip(notes, kept.tolist(), strict=True) if is_kept]
            for name, values in zip(NOTES, zip(*chosen, strict=True), strict=False):
                steps[name] = np.array(values, object)
        by_position: Numbers = np.repeat(ids, of.lengths + 1)
        kept = by_position > 0
        return steps, {
            "key": of.keys[kept],
            "id": by_position[kept],
            "ply": _counted(of.lengths + 1)[kept],
            "code": texts[of.images[kept]],
        }

    def _code(self, game: str, move: str, effect: str | None) -> int:
        """Return the code of a move and what it does; a new one where it has none.

        Raises DatabaseError where there are too many.
        """
        code = self._codes.get((game, move, effect))
        if code is None:
            code = self._codes[game, move, effect] = len(self._codes) + 1
            if code >= _NONE:
                raise DatabaseError(f"the games have more than {_NONE - 1} different moves")
            self._connection.execute(
                "INSERT INTO moves VALUES (?, ?, ?, ?)", [code, game, move, effect]
            )
        return code

    def _write_games(self, parcels: Sequence[Parcel], numbers: Numbers) -> None:
        every = chain.from_iterable(
            zip(parcel.rows, parcel.identities, strict=True) for parcel in parcels
        )
        rows = [
            (number, *row, *_halves(identity))
            for number, (row, identity) in zip(numbers.tolist(), every, strict=True)
            if number
        ]
        self._insert("games", _table(_GAMES, rows), _ADDED)

    def _insert(self, name: str, table: pa.Table, added: str = "") -> None:
        if table.num_rows:
            self._connection.register("new", table)
            self._connection.execute(f"INSERT INTO {name} BY NAME SELECT *{added} FROM new")  # noqa: S608 - ours
            self._connection.unregister("new")


_NONE: Final = (1 << 16) - 1
"""The code of no move."""


def _counted(lengths: Numbers) -> Numbers:
    """Return 0, 1, 2, … for each length."""
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _halves(identity: bytes) -> tuple[int, int]:
    return int.from_bytes(identity[:8], "little"), int.from_bytes(identity[8:], "little")


_REFUSED: Final = {
    "file": pa.string(),
    "record": pa.uint32(),
    "line": pa.uint32(),
    "code": pa.string(),
    "reason": pa.string(),
}

_GAMES: Final = {
    "id": pa.uint32(),
    **{name: _TYPES[_BY_NAME[name].kind][1] for name in OF_GAMES},
    "ending": pa.string(),
    "to_move": pa.string(),
    "high": pa.uint64(),
    "low": pa.uint64(),
}


def _table(kinds: Mapping[str, Any], rows: Iterable[Sequence[Any]]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
    return pa.table(
        {
            name: pa.array(values, kind)
            for (name, kind), values in zip(kinds.items(), columns, strict=True)
        }
    )


_OF_PLIES: Final = {
    "key": pa.uint64(),
    "id": pa.uint32(),
    "ply": pa.uint32(),
    "code": pa.uint16(),
    "seat": pa.uint8(),
    **{name: _TYPES[_BY_NAME[name].kind][1] for name in NOTES},
}


def _sorted(parts: Sequence[Mapping[str, Numbers]], by: str) -> pa.Table:
    """Return the rows of all parts in the order of one column."""
    names = list(dict.fromkeys(chain.from_iterable(parts)))
    columns = {
        name: np.concatenate(
            [part[name] if name in part else np.full(len(part["id"]), None) for part in parts]
        )
        for name in names
    }
    order = np.argsort(columns[by], kind="stable")
    return pa.table(
        {
            name: pa.array(
                column[order],
                _OF_PLIES[name],
                mask=column[order] == _NONE if name == "code" else None,
                from_pandas=False,
            )
            for name, column in columns.items()
        }
    )


@contextmanager
def building(path: Path, *, append: bool = False) -> Iterator[Building]:
    """Write a database, whole or not at all; with `append` what is there goes before.

    It is written in a hidden folder of its own beside `path`, which only who is killed leaves
    behind. Raises DatabaseError, also where somebody else has written what was to be added to, and
    OSError.
    """
    place = Path(os.path.realpath(path))
    with TemporaryDirectory(dir=place.parent, prefix=f".{place.name[:100]}.") as folder:
        part = Path(folder, "games.duckdb")
        before = place.stat() if append and place.exists() else None
        if before:
            shutil.copyfile(place, part)
            Database(part, path).close()
        try:
            with duckdb.connect(str(part)) as connection:
                if not before:
                    connection.execute(SCHEMA)
                made = Building(connection)
                yield made
                made.flush()
        except duckdb.Error as error:
            why = str(error).partition("\n")[0].replace(str(part), str(path))
            raise DatabaseError(f"{path} cannot be written: {why}") from error
        if place.exists():
            shutil.copymode(place, part)
        sync(part)
        if before and _is_other(before, place.stat()):
            raise DatabaseError(f"{path} was changed by somebody else meanwhile; nothing is added")
        part.replace(place)
    sync(place.parent)


def _is_other(before: os.stat_result, now: os.stat_result) -> bool:
    return (before.st_ino, before.st_mtime_ns) != (now.st_ino, now.st_mtime_ns)
