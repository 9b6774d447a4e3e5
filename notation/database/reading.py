"""Databases of games in DuckDB, read: which starts and moves there are, and records again."""

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
"""Of databases; another number is another form."""

_MACRO: Final = """
CREATE TEMP MACRO tags_with_rules(tags) AS if(contains(tags, '"Rules"'), tags, NULL)"""
"""The tags of a game, where they may say by which version of the rules it was played."""

_AT_ONCE: Final = 1 << 14
"""Games that are read at once."""


class DatabaseError(NotationError):
    """A file is no database of games of this form, or one cannot be written."""

    def __init__(self, message: str, why: str = "") -> None:
        super().__init__(message)
        self.why = why or message
        """Why it cannot be read, without its path; else the message."""


class StartTags(NamedTuple):
    """What tags say of where a game begins, by which rules; empty where they are missing."""

    game: str
    rules: str
    setup: str
    position: str

    def record(self, moves: Sequence[str] = ()) -> Record:
        """Return a record of nothing but the start and these moves."""
        tags = zip(("Game", RULES, "Setup", "Position"), self, strict=True)
        return record_as_read(
            tuple((name, value) for name, value in tags if value), bare_plies(moves)
        )


class StoredSteps(NamedTuple):
    """Plies of some games, one game after the other."""

    ids: Numbers
    lengths: Numbers
    """How many plies each game has here."""

    codes: Numbers
    """What was played, by its place in `Database.moves`."""

    seats: Numbers | None = None
    """Who decided on it, where it was asked for."""


class Moves(NamedTuple):
    """The moves that there are, by their code."""

    games: Sequence[str]
    texts: Sequence[str]
    effects: Sequence[str | None]
    """In the words of `lath.notation.rules.effects`; None where they do not tell."""


class _Begun(NamedTuple):
    """The first boards of games of one kind."""

    layers: Layers
    places: Numbers
    """Of the starts that there are."""
    are_known: Flags
    bits: Bits
    """Of those that are known."""


def first_line(error: duckdb.Error) -> str:
    """Return the first line of what DuckDB says, which may show a query below."""
    return str(error).partition("\n")[0]


def attached(path: Path, shown: Path | None = None) -> duckdb.DuckDBPyConnection:
    """Return a connection to a database, which others may read as they like meanwhile.

    Raises OSError, and DatabaseError, which names the path that is `shown`.
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
    except duckdb.Error as error:  # it is damaged, another program writes it, …
        connection.close()
        why = first_line(error)
        raise DatabaseError(f"{shown or path} cannot be read: {why}", why) from error
    if why:
        connection.close()
        expected = "expected one made by `arena convert` of this version"
        raise DatabaseError(f"{shown or path} is not a game database: {why}; {expected}")
    return connection


_MAGIC: Final = slice(8, 12)
"""Where files of DuckDB say that they are."""


class Database(AbstractContextManager["Database"]):
    """A database of games that is read; others may read it, too."""

    def __init__(self, path: Path, shown: Path | None = None) -> None:
        """Open it; raises OSError, and DatabaseError, which names the path that is `shown`."""
        self._connection: Final = attached(path, shown or path)
        self._shown: Final = shown or path
        # nothing that a stranger has written into a database reads another file
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
        """Read no more."""
        self._connection.close()

    def equal(self) -> int:
        """Return how many records were given that are equal to a game that is there once.

        None is known of databases that older versions have made.
        """
        if self.rows("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'equal'") == [(0,)]:
            return 0
        ((records,),) = self.rows("SELECT coalesce(sum(records), 0)::UBIGINT FROM equal")
        return int(records)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query; raises DatabaseError where the database is damaged."""
        with self._told():
            return self._connection.execute(query).fetchall()

    def columns(self, query: str) -> dict[str, Numbers]:
        """Return the columns of a query of numbers that are never missing; raises as `rows`."""
        with self._told():
            return self._connection.execute(query).fetchnumpy()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say in our words why a database cannot be read."""
        try:
            yield
        except duckdb.Error as error:
            raise DatabaseError(f"{self._shown} is damaged: {first_line(error)}") from error

    def flags(self, query: str) -> Flags:
        """Return which games a query of their numbers gives, by number; there is no game 0."""
        flags = self.none()
        flags[self.columns(query)["id"]] = True
        return flags

    def none(self) -> Flags:
        """Return no game."""
        return np.zeros(self.games + 1, bool)

    @contextmanager
    def table(self, name: str, **columns: Any) -> Iterator[None]:
        """Let queries have a table of these columns for a while."""
        self._connection.register(name, pa.table(columns))
        try:
            yield
        finally:
            self._connection.unregister(name)

    @contextmanager
    def one_of(self, column: str, numbers: Numbers) -> Iterator[str]:
        """Give a condition of queries: that a column is one of these numbers."""
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
        """Return the names of players, and by number of a game which first and second have."""
        games = self._connection.sql("SELECT id, first, second FROM games").to_arrow_table()
        both = pa.chunked_array([*games["first"].chunks, *games["second"].chunks], pa.string())
        coded = both.fill_null("").combine_chunks().dictionary_encode()
        ids, halves = games["id"].to_numpy(), np.split(coded.indices.to_numpy(), 2)
        seats: Numbers = np.zeros((2, self.games + 1), np.int32)
        seats[:, ids] = halves
        return coded.dictionary.to_pylist(), (seats[0], seats[1])

    @cached_property
    def rules(self) -> tuple[list[tuple[str, str]], Numbers]:
        """Return by which rules games are played, and which of these each game is, by number.

        That is the game's id, and what the tag Rules says, which is mostly empty.
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
        """Return by which rules nothing can be played here, by their place in `rules`, and why."""
        found = {}
        for place, rules in enumerate(self.rules[0]):
            try:
                game_by(*rules)
            except GameError as error:
                found[place] = self._why_unknown(place) or error
        return found

    def _why_unknown(self, place: int) -> GameError | None:
        """Return what is wrong by the tags of one of these games, such as from which file it is."""
        number = 1 + int(np.argmax(self.rules[1][1:] == place))  # 0 is no game's
        ((game, tags),) = self.rows(f"SELECT game, tags FROM games WHERE id = {number}")  # noqa: S608
        said = tags_of({"game": game, "tags": tags})
        try:
            start_of(record_as_read(tuple(said), ()))
        except GameError as error:
            return error
        return None

    @cached_property
    def known(self) -> Flags:
        """Return the games that can be played here; it is not to be written into."""
        flags: Flags = ~np.isin(self.rules[1], list(self.unknown))
        flags[0] = False
        flags.flags.writeable = False
        return flags

    @property
    def known_rules(self) -> list[tuple[str, str]]:
        """Return by which rules games can be played here."""
        return [by for place, by in enumerate(self.rules[0]) if place not in self.unknown]

    @cached_property
    def starts(self) -> Numbers:
        """Return where each game begins, by its number: as places which `start` knows."""
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
        """Yield what tags say of these places of `starts`."""
        for part in _parts(np.array(list(places), np.int64)):
            with self.table("wanted", place=part):
                found = self.rows(
                    "SELECT place, game, tags, setup, position"
                    " FROM starts JOIN wanted USING (place)"
                )
            yield from ((place, _start(*columns)) for place, *columns in found)

    @cached_property
    def plies(self) -> Numbers:
        """Return by the number of a game how many plies it has."""
        return self._by_game("SELECT id, plies AS value FROM games")

    def steps(
        self, ids: Numbers, most: int | None = None, *, are_seated: bool = False
    ) -> StoredSteps:
        """Return the plies of games, whose numbers rise, as far as ply `most`.

        Only if `are_seated` it is read who decided on them.
        """
        first, last = (int(ids[0]), int(ids[-1])) if len(ids) else (0, 0)
        names = "code, seat" if are_seated else "code"
        whole = self.plies[ids]
        before: Numbers = np.cumsum(whole) - whole
        if len(ids) > _FEW and last - first <= len(ids) * _DENSE:
            part = f"WHERE id BETWEEN {first} AND {last}"
            found = self.columns(f"SELECT {names} FROM steps {part}")  # noqa: S608
            before = self._steps_before[ids] - self._steps_before[first]
        else:
            with self.one_of("id", ids) as is_wanted:
                found = self.some_steps(names, is_wanted)
        lengths = whole if most is None else np.minimum(whole, most)
        rows = np.repeat(before, lengths) + counted(lengths)
        seats = found["seat"][rows] if are_seated else None
        return StoredSteps(ids, lengths, found["code"][rows], seats)

    def steps_of(self, ids: Numbers, codes: Flags) -> StoredSteps:
        """Return no more than the plies with some of the moves, none of which is of other games."""
        part = f"id BETWEEN {ids[0]} AND {ids[-1]}"
        with self.table("chosen", code=np.flatnonzero(codes).astype(np.uint16)):
            found = self.some_steps("code", f"{part} AND code IN (FROM chosen)")
        wanted: Flags = np.zeros(int(ids[-1] - ids[0]) + 1, bool)
        wanted[ids - ids[0]] = True
        here = found["id"] - ids[0]
        lengths = np.bincount(here, minlength=len(wanted))[wanted]
        return StoredSteps(ids, lengths, found["code"][wanted[here]])

    def some_steps(self, names: str, where: str) -> dict[str, Numbers]:
        """Return game by game, in order, some plies: `id`, `ply` and columns of `steps`."""
        query = f"SELECT rowid, id, {names} FROM steps WHERE {where}"  # noqa: S608
        found = self.columns(query)
        rows = found.pop("rowid")
        if (rows[1:] < rows[:-1]).any():  # joins need not keep the order
            places = np.argsort(rows)
            rows, found = rows[places], {name: column[places] for name, column in found.items()}
        return {**found, "ply": rows - self._steps_before[found["id"]] + 1}

    @cached_property
    def _steps_before(self) -> Numbers:
        """Return by the number of a game how many plies the games before it have."""
        return np.cumsum(self.plies) - self.plies

    def begun(self, ids: Numbers) -> Bits:
        """Return the first boards of games of one kind: the cells where each piece lies.

        They are by piece, word of 64 bits and game; cells have the bits of `Board.bit`. Raises
        GameError where the game is not installed.
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
        """Return where games, whose numbers rise, begin, and their moves."""
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
        """Yield numbers of games and their records in canonical text, in order."""
        moves = np.array(self.moves.texts, object)
        for ids in _parts(np.arange(1, self.games + 1) if among is None else np.flatnonzero(among)):
            steps = self.steps(ids)
            played = np.split(moves[steps.codes], np.cumsum(steps.lengths)[:-1])
            with self.table("wanted", id=ids):
                span = f"id BETWEEN {ids[0]} AND {ids[-1]} ORDER BY id"
                query = f"SELECT * FROM games WHERE id IN (FROM wanted) AND {span}"  # noqa: S608
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
    """Return the same error as of any file; of a path that is shown as `it`."""
    return OSError(errno.EIO, error.why, str(path))


class DatabaseText(ReadOnward):
    """The records of a database as a file of text has them, an empty line between two.

    It can be read from any place, by reading all that is before it.
    """

    def __init__(self, path: Path) -> None:
        """Open it; raises OSError, also for a file that is no database."""
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
        """Read into a buffer; raises OSError where the database is damaged."""
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
    """Return what the tag Rules says among a column's tags, if any."""
    return dict(tags_of({"tags": tags})).get(RULES, "") if tags else ""


def _parts(every: Numbers) -> Iterator[Numbers]:
    """Yield numbers, some at a time."""
    return (every[first : first + _AT_ONCE] for first in range(0, len(every), _AT_ONCE))


_FEW: Final = 100
"""Games or keys that are quicker named one by one."""

_DENSE: Final = 20
"""So many times as many games are read that stand between those that are sought."""
