"""Databases of games in DuckDB: reading their starts, moves and records."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from lath.games.errors import GameError
from lath.notation.database.layers import Bits, Flags, Layers, Numbers, counted
from lath.notation.files.files import ReadOnward
from lath.notation.record.errors import NotationError
from lath.notation.record.record import Record, bare_plies, record_as_read
from lath.notation.record.tags import RULES
from lath.notation.rules.replay import game_by, start_of
from lath.notation.tables.tables import tags_of, text_of
from lath.notation.text.scanner import parse
from lath.notation.text.writer import filled, format_record, tag_lines

FORM: Final = 2
"""The format version of databases."""

_MACRO: Final = """
CREATE TEMP MACRO tags_with_rules(tags) AS if(contains(tags, '"Rules"'), tags, NULL)"""
"""The tags of a game if they can contain a rules version."""

_AT_ONCE: Final = 1 << 14
"""The number of games that are read at once."""


class DatabaseError(NotationError):
    """A file is not a database of games of this version, or cannot be written."""

    def __init__(self, message: str, why: str = "") -> None:
        super().__init__(message)
        self.why = why or message
        """The reason why it cannot be read, without its path; or else the message."""


class StartTags(NamedTuple):
    """The tags about the start and the rules of a game; empty if they are missing."""

    game: str
    rules: str
    setup: str
    position: str

    def record(self, moves: Sequence[str] = ()) -> Record:
        """Return a record with only this start and these moves."""
        tags = zip(("Game", RULES, "Setup", "Position"), self, strict=True)
        return record_as_read(
            tuple((name, value) for name, value in tags if value), bare_plies(moves)
        )


class StoredSteps(NamedTuple):
    """The plies of some games, one game after the other."""

    ids: Numbers
    lengths: Numbers
    """The number of these plies for each game."""

    codes: Numbers
    """The moves, as places in `Database.moves`."""

    seats: Numbers | None = None
    """The side of each move, if it was requested."""


class Moves(NamedTuple):
    """All moves, by code."""

    games: Sequence[str]
    texts: Sequence[str]
    effects: Sequence[str | None]
    """The effects as in `lath.notation.rules.effects`; None if these words cannot express it."""


class _Begun(NamedTuple):
    """The first boards of games of one kind."""

    layers: Layers
    places: Numbers
    """The places of the starts."""
    are_known: Flags
    bits: Bits
    """The boards of these starts."""


def first_line(error: duckdb.Error) -> str:
    """Return the first line of a message of DuckDB; further lines can contain the query."""
    return str(error).partition("\n")[0]


def attached(path: Path, shown: Path | None = None) -> duckdb.DuckDBPyConnection:
    """Return a connection to a database, which other processes can read at the same time.

    Raises OSError if the file cannot be read, and DatabaseError if it is not a database of games.
    Its message has the path `shown`.
    """
    with path.open("rb") as file:
        is_duckdb = file.read(_MAGIC.stop)[_MAGIC] == b"DUCK"
    why = "" if is_duckdb else "it is not a DuckDB file"
    connection = duckdb.connect()
    quoted = str(path).replace("'", "''")
    try:
        if is_duckdb:
            connection.execute(f"ATTACH '{quoted}' AS lath (READ_ONLY); USE lath")
            found = connection.execute("SELECT form FROM about").fetchall()
            why = "" if found == [(FORM,)] else "another version made it"
    except (duckdb.CatalogException, duckdb.BinderException):
        why = "it has other tables"
    except duckdb.Error as error:  # for example it is damaged, or another program writes it
        connection.close()
        why = first_line(error)
        raise DatabaseError(f"{shown or path} cannot be read: {why}", why) from error
    if why:
        connection.close()
        expected = "expected one made by `arena convert` of this version"
        raise DatabaseError(f"{shown or path} is not a game database: {why}; {expected}")
    return connection


_MAGIC: Final = slice(8, 12)
"""The place of the marker in files of DuckDB."""


class Database(AbstractContextManager["Database"]):
    """An open database of games; other processes can read it too."""

    def __init__(self, path: Path, shown: Path | None = None) -> None:
        """Open it. Raises OSError and DatabaseError; the message has the path `shown`."""
        self._connection: Final = attached(path, shown or path)
        self._shown: Final = shown or path
        # so that an untrusted database cannot make DuckDB read other files
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute(_MACRO)
        try:
            ((self.games,),) = self.rows("SELECT coalesce(max(id), 0) FROM games")
            """How many games there are: their numbers go from 1 to this one."""
        except DatabaseError:
            self.close()
            raise
        self._begun: Final[dict[int, _Begun]] = {}

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def equal(self) -> int:
        """Return the number of records that were equal to a stored game when they were added.

        It is 0 for databases from older versions.
        """
        if self.rows("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'equal'") == [(0,)]:
            return 0
        ((records,),) = self.rows("SELECT coalesce(sum(records), 0)::UBIGINT FROM equal")
        return int(records)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query. Raises DatabaseError if the database is damaged."""
        with self._told():
            return self._connection.execute(query).fetchall()

    def columns(self, query: str) -> dict[str, Numbers]:
        """Return the columns of a query of numbers without missing values.

        Raises as `rows` does.
        """
        with self._told():
            return self._connection.execute(query).fetchnumpy()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Raise DatabaseError for errors of DuckDB in the `with` block."""
        try:
            yield
        except duckdb.Error as error:
            raise DatabaseError(f"{self._shown} is damaged: {first_line(error)}") from error

    def flags(self, query: str) -> Flags:
        """Return the games in a query of game numbers, as flags by number, of which 0 is unused."""
        flags = self.none()
        flags[self.columns(query)["id"]] = True
        return flags

    def none(self) -> Flags:
        """Return flags with no game."""
        return np.zeros(self.games + 1, bool)

    @contextmanager
    def table(self, name: str, **columns: Any) -> Iterator[None]:
        """Provide a table with these columns to queries in the `with` block."""
        self._connection.register(name, pa.table(columns))
        try:
            yield
        finally:
            self._connection.unregister(name)

    @contextmanager
    def one_of(self, column: str, numbers: Numbers) -> Iterator[str]:
        """Provide an SQL condition that a column is one of these numbers."""
        if len(numbers) <= _FEW:
            yield f"{column} IN ({','.join(map(str, numbers.tolist())) or 'NULL'})"
        else:
            with self.table("wanted", **{column: numbers}):
                yield f"{column} IN (FROM wanted)"

    @cached_property
    def moves(self) -> Moves:
        """Return the moves of all games."""
        rows = self.rows("SELECT code, game, move, effect FROM moves")
        table: list[tuple[str, str, str | None]] = [("", "", None)] * (len(rows) + 1)
        for code, *row in rows:
            table[code] = row[0], row[1], row[2]
        return Moves(*zip(*table, strict=True))

    @cached_property
    def names(self) -> tuple[list[str], tuple[Numbers, Numbers]]:
        """Return the names of players, and the names of both players by game number."""
        games = self._connection.sql("SELECT id, first, second FROM games").to_arrow_table()
        both = pa.chunked_array([*games["first"].chunks, *games["second"].chunks], pa.string())
        coded = both.fill_null("").combine_chunks().dictionary_encode()
        ids, halves = games["id"].to_numpy(), np.split(coded.indices.to_numpy(), 2)
        seats: Numbers = np.zeros((2, self.games + 1), np.int32)
        seats[:, ids] = halves
        return coded.dictionary.to_pylist(), (seats[0], seats[1])

    @cached_property
    def rules(self) -> tuple[list[tuple[str, str]], Numbers]:
        """Return the rules of games, and the place of each game's rules, by game number.

        Rules are the game's id and the value of the tag Rules, which is usually empty.
        """
        rules: dict[tuple[str, str], int] = {}
        found = self.rows("SELECT DISTINCT game, tags_with_rules(tags) FROM games")
        places = [rules.setdefault((game, _rules_in(tags)), len(rules)) for game, tags in found]
        columns = [list(column) for column in zip(*found, strict=True)] or [[], []]
        with self.table(
            "kinds", game=columns[0], tags=pa.array(columns[1], pa.string()), place=places
        ):
            return list(rules), self._by_game(
                "SELECT id, place AS value FROM games JOIN kinds ON games.game = kinds.game"
                " AND kinds.tags IS NOT DISTINCT FROM tags_with_rules(games.tags)"
            )

    @cached_property
    def unknown(self) -> dict[int, GameError]:
        """Return the rules that cannot be played here, by place in `rules`, with the reasons."""
        found = {}
        for place, rules in enumerate(self.rules[0]):
            try:
                game_by(*rules)
            except GameError as error:
                found[place] = self._why_unknown(place) or error
        return found

    def _why_unknown(self, place: int) -> GameError | None:
        """Return the error from the tags of one of these games, such as its unknown file."""
        number = 1 + int(np.argmax(self.rules[1][1:] == place))  # game 0 does not exist
        ((game, tags),) = self.rows(f"SELECT game, tags FROM games WHERE id = {number}")  # noqa: S608 - only a number
        said = tags_of({"game": game, "tags": tags})
        try:
            start_of(record_as_read(tuple(said), ()))
        except GameError as error:
            return error
        return None

    @cached_property
    def known(self) -> Flags:
        """Return the games that can be played here; the array must not be changed."""
        flags: Flags = ~np.isin(self.rules[1], list(self.unknown))
        flags[0] = False
        flags.flags.writeable = False
        return flags

    @property
    def known_rules(self) -> list[tuple[str, str]]:
        """Return the rules that can be played here."""
        return [by for place, by in enumerate(self.rules[0]) if place not in self.unknown]

    @cached_property
    def starts(self) -> Numbers:
        """Return the start of each game, by its number, as a place for `start`."""
        self.rows(
            "CREATE TEMP TABLE starts AS SELECT row_number() OVER () - 1 AS place, * FROM"
            " (SELECT DISTINCT game, setup, position, tags_with_rules(tags) AS tags FROM games)"
        )
        return self._by_game(
            "SELECT id, place AS value FROM games JOIN starts ON games.game = starts.game"
            " AND games.setup IS NOT DISTINCT FROM starts.setup"
            " AND games.position IS NOT DISTINCT FROM starts.position"
            " AND starts.tags IS NOT DISTINCT FROM tags_with_rules(games.tags)"
        )

    def _by_game(self, query: str) -> Numbers:
        """Return a value of each game by its number."""
        found = self.columns(query)
        values: Numbers = np.zeros(self.games + 1, np.int64)
        values[found["id"]] = found["value"]
        return values

    def start(self, places: Iterable[int]) -> Iterator[tuple[int, StartTags]]:
        """Yield the tags of these places of `starts`."""
        for part in _parts(np.array(list(places), np.int64)):
            with self.table("wanted", place=part):
                found = self.rows(
                    "SELECT place, game, tags, setup, position"
                    " FROM starts JOIN wanted USING (place)"
                )
            yield from ((place, _start(*columns)) for place, *columns in found)

    @cached_property
    def plies(self) -> Numbers:
        """Return the number of plies, by game number."""
        return self._by_game("SELECT id, plies AS value FROM games")

    def steps(
        self, ids: Numbers, most: int | None = None, *, are_seated: bool = False
    ) -> StoredSteps:
        """Return the plies of games, with increasing numbers, up to ply `most`.

        The sides are read only if `are_seated`.
        """
        first, last = (int(ids[0]), int(ids[-1])) if len(ids) else (0, 0)
        names = "code, seat" if are_seated else "code"
        whole = self.plies[ids]
        before: Numbers = np.cumsum(whole) - whole
        if len(ids) > _FEW and last - first <= len(ids) * _DENSE:
            part = f"WHERE id BETWEEN {first} AND {last}"
            found = self.columns(f"SELECT {names} FROM steps {part}")  # noqa: S608 - constant names
            before = self._steps_before[ids] - self._steps_before[first]
        else:
            with self.one_of("id", ids) as is_wanted:
                found = self.some_steps(names, is_wanted)
        lengths = whole if most is None else np.minimum(whole, most)
        rows = np.repeat(before, lengths) + counted(lengths)
        seats = found["seat"][rows] if are_seated else None
        return StoredSteps(ids, lengths, found["code"][rows], seats)

    def steps_of(self, ids: Numbers, codes: Flags) -> StoredSteps:
        """Return only the plies with some of the moves, which must be moves of these games."""
        part = f"id BETWEEN {ids[0]} AND {ids[-1]}"
        with self.table("chosen", code=np.flatnonzero(codes).astype(np.uint16)):
            found = self.some_steps("code", f"{part} AND code IN (FROM chosen)")
        wanted: Flags = np.zeros(int(ids[-1] - ids[0]) + 1, bool)
        wanted[ids - ids[0]] = True
        here = found["id"] - ids[0]
        lengths = np.bincount(here, minlength=len(wanted))[wanted]
        return StoredSteps(ids, lengths, found["code"][wanted[here]])

    def some_steps(self, names: str, where: str) -> dict[str, Numbers]:
        """Return some plies in order of games: `id`, `ply` and columns of `steps`."""
        query = f"SELECT rowid, id, {names} FROM steps WHERE {where}"  # noqa: S608 - constant names
        found = self.columns(query)
        rows = found.pop("rowid")
        if (rows[1:] < rows[:-1]).any():  # joins need not keep the order
            places = np.argsort(rows)
            rows, found = rows[places], {name: column[places] for name, column in found.items()}
        return {**found, "ply": rows - self._steps_before[found["id"]] + 1}

    @cached_property
    def _steps_before(self) -> Numbers:
        """Return the number of plies before each game, by its number."""
        return np.cumsum(self.plies) - self.plies

    def begun(self, ids: Numbers) -> Bits:
        """Return the first boards of games of one kind: the cells of each piece.

        The axes are piece, word of 64 bits and game; cells are bits of `Board.bit`. Raises
        GameError if the game is not installed.
        """
        rules, rules_of = self.rules
        kind = int(rules_of[ids[0]])
        if kind not in self._begun:
            game = game_by(*rules[kind])
            places = np.unique(self.starts[rules_of == kind])
            layers = Layers(
                game, {name: bit.bit_length() - 1 for name, bit in game.board.bit.items()}
            )
            bits: Bits = np.zeros((len(layers.codes), layers.words, len(places)), np.uint64)
            self._begun[kind] = _Begun(layers, places, np.zeros(len(places), bool), bits)
        layers, places, are_known, bits = self._begun[kind]
        needed: Numbers = np.searchsorted(places, self.starts[ids])
        missing: Numbers = np.unique(needed[~are_known[needed]])
        for part in _parts(missing):
            found = dict(self.start(places[part]))
            bits[:, :, part] = layers.of(
                [start_of(found[place].record()) for place in places[part].tolist()]
            )
            are_known[part] = True
        return bits[:, :, needed]

    def lines(self, ids: Numbers) -> dict[int, tuple[StartTags, Sequence[str]]]:
        """Return the starts and the moves of games with increasing numbers."""
        if not len(ids):
            return {}
        steps = self.steps(ids)
        moves = np.array(self.moves.texts, object)[steps.codes]
        played = np.split(moves, np.cumsum(steps.lengths)[:-1])
        line_of = dict(zip(ids.tolist(), played, strict=True))
        with self.table("wanted", id=ids):
            rows = self.rows(
                "SELECT id, game, tags, setup, position FROM games WHERE id IN (FROM wanted)"
            )
        return {
            number: (_start(game, tags, setup, position), line_of[number].tolist())
            for number, game, tags, setup, position in rows
        }

    def texts(self, among: Flags | None = None) -> Iterator[tuple[int, str]]:
        """Yield the numbers of games and their records in canonical text, in order."""
        moves = np.array(self.moves.texts, object)
        for ids in _parts(np.arange(1, self.games + 1) if among is None else np.flatnonzero(among)):
            steps = self.steps(ids)
            played = np.split(moves[steps.codes], np.cumsum(steps.lengths)[:-1])
            with self.table("wanted", id=ids):
                span = f"id BETWEEN {ids[0]} AND {ids[-1]} ORDER BY id"
                query = f"SELECT * FROM games WHERE id IN (FROM wanted) AND {span}"  # noqa: S608 - only numbers
                with self._told():
                    cursor = self._connection.execute(query)
                    rows = cursor.fetchall()
            names = [name for name, *_ in cursor.description or ()]
            for row, line in zip(rows, played, strict=True):
                columns = dict(zip(names, row, strict=True))
                yield columns["id"], _text(columns, line.tolist())


def _start(game: str, tags: str | None, setup: str | None, position: str | None) -> StartTags:
    return StartTags(game, _rules_in(tags), setup or "", position or "")


def _text(row: Mapping[str, Any], line: Sequence[str]) -> str:
    """Return the canonical text of a game."""
    if row["movetext"] is not None:
        return format_record(parse(text_of(row)))
    words = [f"{number}. {move}" for number, move in enumerate(line, 1)]
    result: str = row["result"]
    return f"{tag_lines(tags_of(row))}\n{filled(' '.join([*words, result]))}\n"


def _unreadable(error: DatabaseError, path: Path) -> OSError:
    """Return the error as an OSError, as for any file; its path is shown as `it`."""
    return OSError(errno.EIO, error.why, str(path))


class DatabaseText(ReadOnward):
    """The records of a database as a text file, with an empty line between two of them.

    Any place can be read, by reading everything before it.
    """

    def __init__(self, path: Path) -> None:
        """Open the database. Raises OSError, also if the file is not a database."""
        try:
            self._database: Final = Database(path, Path("it"))
        except DatabaseError as error:
            raise _unreadable(error, path) from error
        self._path: Final = path
        self.begin_anew()

    def begin_anew(self) -> None:
        """Go to the first record."""
        self._texts = self._database.texts()
        self._rest = b""

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer. Raises OSError if the database is damaged."""
        try:
            while len(self._rest) < len(buffer):
                number, text = next(self._texts)
                self._rest += (b"\n" if number > 1 else b"") + text.encode()
        except StopIteration:
            pass
        except DatabaseError as error:
            raise _unreadable(error, self._path) from error
        data, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        return self.put(data, buffer)

    def close(self) -> None:
        """Close the database, too."""
        if not self.closed:
            self._database.close()
        super().close()


def _rules_in(tags: str | None) -> str:
    """Return the tag Rules in a column of tags; empty if it is missing."""
    return dict(tags_of({"tags": tags})).get(RULES, "") if tags else ""


def _parts(every: Numbers) -> Iterator[Numbers]:
    """Yield numbers in parts."""
    return (every[first : first + _AT_ONCE] for first in range(0, len(every), _AT_ONCE))


_FEW: Final = 100
"""The most games or keys that are listed in a query."""

_DENSE: Final = 20
"""The most games that are read for each sought one, instead of selecting them."""
