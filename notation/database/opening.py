"""Databases of games for who asks by SQL: a connection with functions for positions and keys."""

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
    """Open a database of games for SQL; `lath.open` is this. Raises OSError and DatabaseError."""
    return OpenDatabase(Path(path))


class OpenDatabase(AbstractContextManager["OpenDatabase"]):
    """A database of games that is read by SQL; a context.

    Beside all of DuckDB's functions there are `lath_key(position)`, or `lath_key(game, position)`
    where games of several kinds have such positions: the key of a position by its text; and
    `lath_position(id, ply)`: the text of the position of a game after so many plies, NULL where it
    has none.
    """

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._connection: Final = attached(path)
        self._games: Final = Database(path)
        """Of its own: functions ask while they are asked."""
        self._lock: Final = Lock()
        """Of that: DuckDB calls functions from several threads."""
        self._key: Final = lru_cache(maxsize=4096)(self._key_of)
        add = partial(self._connection.create_function, type=ARROW, null_handling=SPECIAL)
        add("_lath_key", self._keys, ["VARCHAR", "VARCHAR"], "UBIGINT")
        add("_lath_position", self._positions, ["BIGINT", "BIGINT"], "VARCHAR")
        self._connection.execute(_MACROS)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Read no more; what was asked before is answered no more either."""
        self._connection.close()
        self._games.close()

    def query(
        self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None
    ) -> duckdb.DuckDBPyRelation:
        """Return what SQL asks for, as a relation of DuckDB.

        It is worked out when it is read: by `fetchall`, `df` (pandas), `to_arrow_table`, `pl`
        (Polars), or as a part of another query. `?` or `$name` stand for parameters. Raises
        duckdb.Error.
        """
        return self._connection.sql(sql, params=parameters)

    def _keys(self, games: pa.ChunkedArray, positions: pa.ChunkedArray) -> pa.Array:
        pairs = zip(games.to_pylist(), positions.to_pylist(), strict=True)
        with self._lock:
            keys = [None if text is None else self._key(game, text) for game, text in pairs]
        return pa.array(keys, pa.uint64())

    def _key_of(self, game: str | None, text: str) -> int:
        """Return the key of a position; raises DatabaseError."""
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
