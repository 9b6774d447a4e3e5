"""Databases of games in DuckDB: writing them.

A database is written in a hidden folder next to its path, and moved there when it is complete. If
the program is stopped, the previous file is unchanged. The same command then resumes from the
folder. A folder in use by a running process is never touched.

Positions are stored in parts that are sorted by key. So memory use does not grow, the file is
small, and a key is found quickly in each part.
"""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from lath import refuse_other_systems
from lath.notation.database.columns import (
    OF_GAMES,
    OF_NOTES,
    OTHER_GAME,
    ColumnBundle,
    GameColumns,
    Refusal,
)
from lath.notation.database.equals import said_in
from lath.notation.database.layers import Flags, Numbers, counted
from lath.notation.database.reading import Database, DatabaseError, first_line
from lath.notation.database.schema import ADDED, SCHEMA
from lath.notation.files.files import sync
from lath.notation.files.locks import lock as lock_file
from lath.notation.tables.tables import NOTED

SEGMENT: Final = 1 << 21
"""The positions that are sorted together; twice as many would save 3 of 440 bytes per game."""

_MEMORY: Final = "256MB"
"""The memory limit of DuckDB; with more it is not faster."""

_LOG: Final = "64MB"
"""The log size after which DuckDB rewrites tables. With its default of 16 MB, a million games leave
free blocks of 21 bytes per game; with this value they leave none."""

_STORED: Final = "STORAGE_VERSION 'v1.4.0', ROW_GROUP_SIZE 245760"
"""The storage version of a file, which every later DuckDB can read. Row groups are twice DuckDB's
default: 200,000 games then take 447 bytes each instead of 490."""

_UNFINISHED: Final = 2
"""The version of incomplete databases; one with another number is started again."""

_EQUAL: Final = """
CREATE TABLE IF NOT EXISTS equal (records UBIGINT);
INSERT INTO equal VALUES (?)
"""
"""The number of records of each command that were equal to a stored game."""

_GOING_ON: Final = """
CREATE TABLE going_on (
    command VARCHAR, mark VARCHAR, read UBIGINT, taken UBIGINT, refused UBIGINT, duplicates UBIGINT,
    richer UBIGINT, lost UBIGINT)
"""
"""The table in an incomplete database with the command that makes it, and the progress."""


@dataclass(slots=True)
class BuildCounts:
    """The counts of the records that were read."""

    read: int = 0
    taken: int = 0
    refused: int = 0
    duplicates: int = 0
    """Records of games that were already stored with at least as many annotations."""

    richer: int = 0
    """Stored records that replaced an equal game with fewer annotations."""

    lost: int = 0
    """Records whose annotations are not, or no longer, in the database; the table `refused` lists
    them."""


class Building:
    """A database that is being written; `building` makes it."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        ((self.mark, *counts),) = connection.execute(
            "SELECT mark, read, taken, refused, duplicates, richer, lost FROM going_on"
        ).fetchall()
        """The place at which an interrupted build continues, as given to `add`; empty at the start.
        """
        self.counts = BuildCounts(*counts)
        self.is_writing = False
        self._bundles: list[ColumnBundle] = []
        self._waiting = 0
        (self._last,) = connection.execute("SELECT coalesce(max(id), 0) FROM games").fetchall()[0]
        (self._steps_before,) = connection.execute("SELECT count(*) FROM steps").fetchall()[0]
        known = connection.execute("SELECT game, move, effect, code FROM moves").fetchall()
        self._codes = {(game, move, effect): code for game, move, effect, code in known}

    def add(self, bundle: ColumnBundle, mark: str = "") -> None:
        """Add a bundle; it is written together with others. The next data begins at the mark."""
        self.mark = mark
        self.counts.read += bundle.read
        self.counts.refused += sum(one.code != OTHER_GAME for one in bundle.refused)
        self._bundles.append(bundle)
        self._waiting += sum(len(of.keys) for of in bundle.of_games)
        if self._waiting >= SEGMENT:
            self.flush()

    def flush(self) -> None:
        """Write the waiting bundles, all or none of them."""
        bundles, self._bundles, self._waiting = self._bundles, [], 0
        self.is_writing = True
        self._connection.begin()
        self._write(bundles)
        self._connection.execute(
            "UPDATE going_on SET mark = ?, read = ?, taken = ?, refused = ?, duplicates = ?,"
            " richer = ?, lost = ?",
            [self.mark, *astuple(self.counts)],
        )
        self._connection.commit()
        self.is_writing = False

    def note_equal(self) -> None:
        """Store the number of records that equal a stored game; call this once, at the end."""
        self._connection.execute(_EQUAL, [self.counts.duplicates + self.counts.richer])

    def _write(self, bundles: Sequence[ColumnBundle]) -> None:
        refused = list(chain.from_iterable(bundle.refused for bundle in bundles))
        if bundles:
            refused += self._write_games(bundles)
        columns = list(zip(*refused, strict=True)) or [()] * len(_REFUSED)
        self._insert("refused", pa.table(list(map(pa.array, columns, _REFUSED.types)), _REFUSED))

    def _write_games(self, bundles: Sequence[ColumnBundle]) -> Sequence[Refusal]:
        """Write games with steps and positions; return the annotations lost among equal games."""
        games = pa.concat_tables([bundle.games for bundle in bundles])
        chosen = self._chosen(games, bundles)
        numbers = chosen.numbers
        if chosen.replacing:
            self._replace(games, bundles, chosen.replacing)
        games = games.append_column("id", pa.array(numbers, pa.uint32()))
        games = games.filter(pa.array(numbers > 0)).sort_by("id")
        ends: Numbers = self._steps_before + np.cumsum(games["plies"].to_numpy())
        self._steps_before = int(ends[-1]) if len(ends) else self._steps_before
        before = pa.array(ends - games["plies"].to_numpy(), pa.uint64())
        self._insert("games", games.append_column("steps_before", before), ADDED)
        for name, rows, by in (("positions", self._positions, "key"), ("steps", self._steps, "id")):
            parts = [rows(of, its) for of, its in _numbered(bundles, numbers)]
            if parts:
                self._insert(name, _sorted(parts, by))
        return chosen.lost

    def _chosen(self, games: pa.Table, bundles: Sequence[ColumnBundle]) -> _Chosen:
        """Return which games are stored, and update the counts."""
        there = self._there(games)
        halves = np.stack([games[name].to_numpy() for name in ("high", "low")], axis=1)
        _, firsts, group, sizes = np.unique(
            halves, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        group = group.reshape(-1)
        is_new: Flags = np.zeros(len(halves), bool)
        is_new[firsts] = True
        is_new[list(there)] = False
        numbers = np.where(is_new, self._last + np.cumsum(is_new), 0)
        taken = int(is_new.sum())
        self._last += taken
        self.counts.taken += taken
        found = _Chosen(numbers, {}, [])
        equal: dict[int, list[int]] = {}
        is_equal: Flags = sizes[group] > 1
        is_equal[list(there)] = True
        for row in np.flatnonzero(is_equal).tolist():
            equal.setdefault(int(group[row]), []).append(row)
        if not equal:
            return found
        said = games.select(["movetext", "tags"]).to_pylist()
        known = self._said_there(list(there.values()))
        for rows in equal.values():
            if (number := there.get(rows[0])) is not None:
                self._settle(_Kept(number, *known[number]), rows, said, bundles, found)
            else:
                kept = _Kept(int(numbers[rows[0]]), **said[rows[0]], row=rows[0])
                self._settle(kept, rows[1:], said, bundles, found)
        return found

    def _settle(
        self,
        kept: _Kept,
        rows: Iterable[int],
        said: Sequence[dict[str, str | None]],
        bundles: Sequence[ColumnBundle],
        found: _Chosen,
    ) -> None:
        """Decide which of several equal games is kept."""
        for row in rows:
            movetext, tags = said[row]["movetext"], said[row]["tags"]
            if (movetext, tags) == (kept.movetext, kept.tags) or movetext is None:
                self.counts.duplicates += 1
                continue
            of_kept, of_row = said_in(kept.movetext), said_in(movetext)
            is_richer = of_row.total() > of_kept.total()
            lost = of_kept - of_row if is_richer else of_row - of_kept
            if lost:
                self.counts.lost += 1
                found.lost.append(_refusal(bundles, row, kept.number, is_richer=is_richer))
            if not is_richer:
                self.counts.duplicates += 1
                continue
            self.counts.taken += 1
            self.counts.richer += 1
            if kept.row is None:
                found.replacing[kept.number] = row
            else:
                found.numbers[kept.row], found.numbers[row] = 0, kept.number
                kept.row = row
            kept.movetext, kept.tags = movetext, tags

    def _there(self, games: pa.Table) -> dict[int, int]:
        """Return the numbers of equal stored games, by the place of the new game."""
        new = games.select(["high", "low"]).append_column(
            "place", pa.array(np.arange(len(games)), pa.uint64())
        )
        return dict(self._with(new, "SELECT place, id FROM new JOIN games USING (high, low)"))

    def _said_there(self, numbers: Sequence[int]) -> dict[int, list[Any]]:
        """Return the movetext and the tags of stored games."""
        wanted = pa.table({"id": pa.array(numbers, pa.uint32())})
        query = "SELECT id, movetext, tags FROM games WHERE id IN (FROM new)"
        return {number: said for number, *said in self._with(wanted, query)}

    def _replace(
        self, games: pa.Table, bundles: Sequence[ColumnBundle], replacing: Mapping[int, int]
    ) -> None:
        """Replace the annotations of stored games, by number.

        Their moves are the same, so the numbers of their rows do not change.
        """
        numbers: Numbers = np.zeros(len(games), np.int64)
        numbers[list(replacing.values())] = list(replacing)
        new = games.append_column("id", pa.array(numbers, pa.uint32()))
        new = new.filter(pa.array(numbers > 0))
        self._update("games", new, OF_GAMES, "games.id = new.id")
        for of, its in _numbered(bundles, numbers):
            if not its.any():
                continue
            by_ply: Numbers = np.repeat(its, of.lengths)
            kept = by_ply > 0
            none = {each.name: pa.nulls(len(by_ply), each.type) for each in OF_NOTES}
            rows = (of.notes if of.notes is not None else pa.table(none)).filter(pa.array(kept))
            rows = rows.append_column("id", pa.array(by_ply[kept], pa.uint32()))
            plies = pa.array(counted(of.lengths)[kept], pa.uint64())
            before = "(SELECT steps_before FROM games WHERE games.id = new.id)"
            where = f"steps.rowid = {before} + new.place"
            self._update("steps", rows.append_column("place", plies), NOTED, where)

    def _update(self, name: str, table: pa.Table, columns: Iterable[str], where: str) -> None:
        """Write columns of a table over those of stored rows."""
        values = ", ".join(f"{column} = new.{column}" for column in columns)
        self._with(table, f"UPDATE {name} SET {values} FROM new WHERE {where}")  # noqa: S608 - names from the schema

    def _steps(self, of: GameColumns, ids: Numbers) -> pa.Table:
        """Return the rows of steps of games by number; games with number 0 are left out."""
        codes = self._codes_of(of.game, of.steps, of.plies)
        by_ply: Numbers = np.repeat(ids, of.lengths)
        kept = by_ply > 0
        columns = {
            "id": pa.array(by_ply[kept], pa.uint32()),
            "code": codes[of.plies[kept]],
            "seat": of.seats[kept],
        }
        if of.notes is not None:
            notes = of.notes.filter(pa.array(kept))
            columns |= dict(zip(notes.column_names, notes.columns, strict=True))
        return pa.table(columns)

    def _positions(self, of: GameColumns, ids: Numbers) -> pa.Table:
        """Return the rows of positions of games by number; games with number 0 are left out."""
        texts = self._codes_of(of.game, [(text, None) for text in of.texts], of.images)
        by_position: Numbers = np.repeat(ids, of.lengths + 1)
        kept = by_position > 0
        codes = texts[of.images[kept]]
        return pa.table(
            {
                "key": of.keys[kept],
                "id": pa.array(by_position[kept], pa.uint32()),
                "ply": pa.array(counted(of.lengths + 1)[kept], pa.uint32()),
                "code": pa.array(codes, pa.uint16(), mask=codes == _NONE),
            }
        )

    def _codes_of(
        self, game: str, moves: Sequence[tuple[str, str | None]], used: Numbers
    ) -> Numbers:
        """Return the codes of the used moves with their effects, by place.

        Unused places have no code. New codes are given in the order of the texts, so that the
        result does not depend on the number of processes.
        """
        count = len(moves)
        places = np.flatnonzero(np.bincount(used[used >= 0], minlength=count)).tolist()
        codes: Numbers = np.full(count + 1, _NONE, np.uint16)
        for place in sorted(places, key=lambda place: (moves[place][0], moves[place][1] or "")):
            codes[place] = self._code(game, *moves[place])
        return codes

    def _code(self, game: str, move: str, effect: str | None) -> int:
        """Return the code of a move with its effect, making a new one if necessary.

        Raises DatabaseError if there are too many codes.
        """
        if (code := self._codes.get((game, move, effect))) is None:
            code = self._codes[game, move, effect] = len(self._codes) + 1
            if code >= _NONE:
                raise DatabaseError(f"the games have more than {_NONE - 1} different moves")
            self._connection.execute(
                "INSERT INTO moves VALUES (?, ?, ?, ?)", [code, game, move, effect]
            )
        return code

    def _insert(self, name: str, table: pa.Table, added: str = "") -> None:
        if table.num_rows:
            self._with(table, f"INSERT INTO {name} BY NAME SELECT *{added} FROM new")  # noqa: S608 - names from the schema

    def _with(self, table: pa.Table, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query that can use a table as `new`."""
        self._connection.register("new", table)
        rows = self._connection.execute(query).fetchall()
        self._connection.unregister("new")
        return rows


_NONE: Final = (1 << 16) - 1
"""The code that means no move."""


_REFUSED: Final = pa.schema(
    [
        ("file", pa.string()),
        ("record", pa.uint32()),
        ("line", pa.uint32()),
        ("code", pa.string()),
        ("reason", pa.string()),
    ]
)


@dataclass(slots=True)
class _Kept:
    """The annotations of a game that is kept so far."""

    number: int
    movetext: str | None
    tags: str | None
    row: int | None = None
    """Its place among the new games; None if it is already stored."""


class _Chosen(NamedTuple):
    """The games to store."""

    numbers: Numbers
    """The number that each game gets; 0 for one that is left out, or replaces another."""

    replacing: dict[int, int]
    """The place of the game with more annotations, by the number of the stored game."""

    lost: list[Refusal]
    """Records whose annotations, or those of the game that they replace, are not all kept."""


def _refusal(bundles: Sequence[ColumnBundle], row: int, number: int, *, is_richer: bool) -> Refusal:
    """Return the refusal of a record whose game loses annotations."""
    firsts = _firsts(bundles)
    place = bisect_right(firsts, row) - 1
    bundle = bundles[place]
    record, line = bundle.places[row - firsts[place]]
    if is_richer:
        code, why = "replaces", f"it replaced game {number}, but lacks some of "
        why += "that game's annotations"
    else:
        code, why = "annotations", f"it duplicates game {number}, which lacks some"
        why += " of its annotations"
    return Refusal(bundle.file, bundle.before + record, line, code, why)


def _firsts(bundles: Sequence[ColumnBundle]) -> list[int]:
    """Return the place of the first game of each bundle among all games."""
    return list(accumulate((len(bundle.games) for bundle in bundles[:-1]), initial=0))


def _numbered(
    bundles: Sequence[ColumnBundle], numbers: Numbers
) -> Iterator[tuple[GameColumns, Numbers]]:
    """Yield the columns of each kind of game, with the numbers of its games."""
    for bundle, first in zip(bundles, _firsts(bundles), strict=True):
        for of in bundle.of_games:
            yield of, numbers[first + of.numbers.astype(np.int64)]


def _sorted(parts: Sequence[pa.Table], by: str) -> pa.Table:
    """Return the rows of all parts, sorted by one column."""
    table = pa.concat_tables(parts, promote_options="default").combine_chunks()
    return table.take(np.argsort(table[by].to_numpy(), kind="stable" if by == "id" else None))


@contextmanager
def building(path: Path, *, append: bool = False, command: str = "") -> Iterator[Building]:
    """Write a database completely or not at all; with `append`, existing games are kept.

    After an interruption, the next build with the same `command` continues; the command must
    describe all inputs. An empty command never continues. Raises DatabaseError, also if another
    process has changed the database meanwhile, and OSError.
    """
    place = Path(os.path.realpath(path))
    before = place.stat() if append and place.exists() else None
    whole = f"{_UNFINISHED} {_state(before)} {command}" if command else ""
    with _folder(place, whole) as folder:
        part = folder / _PART
        if not part.exists() and before:
            shutil.copyfile(place, part)
            Database(part, path).close()
        try:
            with _connected(part, whole, is_new=not before) as connection:
                made = Building(connection)
                try:
                    yield made
                    made.flush()
                except KeyboardInterrupt:
                    if command and not made.is_writing:
                        made.flush()
                    raise
                made.note_equal()
                connection.execute("DROP TABLE going_on; CHECKPOINT")
        except duckdb.Error as error:
            why = first_line(error).replace(str(part), str(path))
            raise DatabaseError(f"{path} cannot be written: {why}") from error
        if place.exists():
            shutil.copymode(place, part)
        sync(part)
        if before and _state(before) != _state(place.stat()):
            raise DatabaseError(f"{path} was changed by another program; nothing was added")
        part.replace(place)
    sync(place.parent)


_PART: Final = "games.duckdb"
_LOCK: Final = "lock"


def _state(about: os.stat_result | None) -> tuple[int, int] | None:
    return (about.st_ino, about.st_mtime_ns) if about else None


@contextmanager
def _connected(part: Path, command: str, *, is_new: bool) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open an incomplete database, which may be one that was interrupted."""
    is_begun = _command_of(part) is not None
    with duckdb.connect() as connection:
        quoted = str(part).replace("'", "''")
        spill = str(part.parent).replace("'", "''")
        connection.execute(f"SET temp_directory = '{spill}'")
        connection.execute(f"SET memory_limit = '{_MEMORY}'")
        connection.execute(f"SET checkpoint_threshold = '{_LOG}'")
        connection.execute(f"ATTACH '{quoted}' AS made ({_STORED}); USE made")
        if not is_begun:
            connection.execute((SCHEMA if is_new else "") + _GOING_ON)
            connection.execute("INSERT INTO going_on VALUES (?, '', 0, 0, 0, 0, 0, 0)", [command])
        yield connection


def _command_of(part: Path) -> str | None:
    """Return the command of an incomplete database; None for any other file."""
    if not part.exists():
        return None
    try:
        with duckdb.connect(str(part)) as connection:
            ((command,),) = connection.execute("SELECT command FROM going_on").fetchall()
    except (duckdb.Error, ValueError):
        return None
    return str(command)


@contextmanager
def _folder(place: Path, command: str) -> Iterator[Path]:
    """Provide a hidden folder next to a path for this process, and remove it at the end.

    After an interruption with a command, the folder is kept. Abandoned folders are removed, but one
    with the same command is reused.
    """
    folder, lock = _left(place, command) or _new(place)
    is_kept = False
    try:
        yield folder
    except KeyboardInterrupt:
        is_kept = bool(command)
        raise
    finally:
        if not is_kept:
            shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _prefix(place: Path) -> str:
    return f".{place.name[:100]}."


def _new(place: Path) -> tuple[Path, int]:
    """Make a folder, and return it with the lock that marks it as in use."""
    while True:
        folder = Path(tempfile.mkdtemp(dir=place.parent, prefix=_prefix(place)))
        (folder / _LOCK).touch()
        if (lock := _locked(folder)) is not None:
            return folder, lock


def _left(place: Path, command: str) -> tuple[Path, int] | None:
    """Return an abandoned folder with this command, and its lock; remove other abandoned folders.

    Folders of running processes are kept.
    """
    found = None
    for folder in sorted(place.parent.glob(f"{glob.escape(_prefix(place))}*")):
        lock = _locked(folder) if folder.is_dir() else None
        if lock is None:
            continue
        if not found and command and _command_of(folder / _PART) == command:
            found = folder, lock
        else:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
    return found


def _locked(folder: Path) -> int | None:
    """Return the lock of a folder, held until it is closed; None if another process holds it.

    The result is also None if the folder does not exist or has another purpose.
    """
    refuse_other_systems()
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR)
    except OSError:
        return None
    with suppress(OSError):
        lock_file(lock)
        if os.path.samestat(os.fstat(lock), (folder / _LOCK).stat()):
            return lock
    os.close(lock)
    return None
