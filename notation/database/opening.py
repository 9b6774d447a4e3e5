"""Databases of games for SQL: a connection with functions for positions and keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
from duckdb.func import ARROW, SPECIAL

from lath.games.core import Move
from lath.games.errors import GameError
from lath.notation.database.keys import keys_of
from lath.notation.database.reading import Database, DatabaseError, attached
from lath.notation.record.errors import shortened
from lath.notation.rules.replay import game_by, start_of

if TYPE_CHECKING:
    import duckdb

_MACROS: Final = """
CREATE TEMP MACRO lath_key(position) AS _lath_key(NULL, position),
    (game, position) AS _lath_key(game, position);
CREATE TEMP MACRO lath_position(game, ply) AS _lath_position(game::BIGINT, ply::BIGINT);
"""


def open_database(path: str | Path) -> OpenDatabase:
    """Open a database of games for SQL, also available as `lath.open`.

    Raises OSError if the file cannot be read, and DatabaseError if it is not a database of games.
    """
    return OpenDatabase(Path(path))


class OpenDatabase(AbstractContextManager["OpenDatabase"]):
    """A database of games that is queried with SQL; a context manager.

    SQL has two additional functions. `lath_key(position)` is the key of a position by its text. If
    several game types of the database have such positions, use `lath_key(game, position)`. The
    function `lath_position(id, ply)` returns the text of the position of a game after a ply, or
    NULL if the game has no such ply.
    """

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._connection: Final = attached(path)
        self._games: Final = Database(path)
        """A separate connection, because functions are called during a query."""
        self._lock: Final = Lock()
        """A lock for that connection: DuckDB calls functions from several threads."""
        self._key: Final = lru_cache(maxsize=4096)(self._key_of)
        add = partial(self._connection.create_function, type=ARROW, null_handling=SPECIAL)
        add("_lath_key", self._keys, ["VARCHAR", "VARCHAR"], "UBIGINT")
        add("_lath_position", self._positions, ["BIGINT", "BIGINT"], "VARCHAR")
        self._connection.execute(_MACROS)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; relations that were not read yet become invalid."""
        self._connection.close()
        self._games.close()

    def query(
        self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None
    ) -> duckdb.DuckDBPyRelation:
        """Return the result of an SQL query as a relation of DuckDB.

        It is computed when it is read: by `fetchall`, `df` (pandas), `to_arrow_table`, `pl`
        (Polars), or as a part of another query. Write `?` or `$name` for parameters. Raises
        duckdb.Error for invalid SQL.
        """
        return self._connection.sql(sql, params=parameters)

    def _keys(self, games: pa.ChunkedArray, positions: pa.ChunkedArray) -> pa.Array:
        pairs = zip(games.to_pylist(), positions.to_pylist(), strict=True)
        with self._lock:
            keys = [None if text is None else self._key(game, text) for game, text in pairs]
        return pa.array(keys, pa.uint64())

    def _key_of(self, game: str | None, text: str) -> int:
        """Return the key of a position. Raises DatabaseError for an invalid or ambiguous text."""
        found: dict[int, tuple[str, str]] = {}
        refusals = []
        for kind in self._games.rules[0] if game is None else [(game, "")]:
            try:
                found[keys_of(*kind).key(game_by(*kind).position(text))] = kind
            except GameError as error:
                refusals.append(error)
        if not found:
            why = str(refusals[0]) if len(refusals) == 1 else f"{shortened(text)} is not a position"
            raise DatabaseError(
                f"lath_key: {why}" + " of any game in this database" * (len(refusals) != 1)
            )
        if len(found) > 1:
            names = [game for game, _ in found.values()]
            if len(set(names)) == len(names):
                ways = " or ".join(f"lath_key('{game}', …)" for game in names)
                words = f"may be a position of {' or '.join(names)}; expected {ways}"
            else:
                words = "is a position under several rules versions"
            raise DatabaseError(f"lath_key: {shortened(text)} {words}")
        (key,) = found
        return key

    def _positions(self, games: pa.ChunkedArray, plies: pa.ChunkedArray) -> pa.Array:
        """Return the texts of positions by games' numbers and plies."""
        wanted: dict[int, list[tuple[int, int]]] = {}
        for place, (number, ply) in enumerate(
            zip(games.to_pylist(), plies.to_pylist(), strict=True)
        ):
            if number is not None and ply is not None and ply >= 0:
                wanted.setdefault(number, []).append((ply, place))
        numbers = [number for number in sorted(wanted) if 0 < number <= self._games.games]
        with self._lock:
            lines = self._games.lines(np.array(numbers, np.int64))
        texts: list[str | None] = [None] * len(games)
        for number, (start, line) in lines.items():
            position = start_of(start.record())
            at = 0
            for ply, place in sorted(wanted[number]):
                for move in line[at:ply]:
                    position = position.play(Move(move))
                at = max(at, min(ply, len(line)))
                texts[place] = position.text() if ply <= len(line) else None
        return pa.array(texts, pa.string())
