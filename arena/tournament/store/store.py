"""Storage of results: each game once, by its number, before it counts as finished.

After a crash or a power cut games may be missing, but none is wrong. Only the process that holds
the lock file writes; any process can read at the same time. If the disk is full, results are held
in memory, and the store tries again for a while.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from lath.arena.directory import DATABASE, LOCK, RECORDS
from lath.arena.errors import DamagedError, DiskError, InUseError, MovedError, StoreError
from lath.arena.machine import signals
from lath.arena.machine.system import (
    PATIENCE_S,
    HeldFolder,
    Patience,
    database_errors,
    reading_database,
    writing_error,
)
from lath.arena.referee.record import GameResult
from lath.arena.schedule.core import PlayedGame, pair_of
from lath.arena.tournament.store.database import (
    IDENTITY,
    PROVENANCE,
    SCHEMA,
    SEAL,
    SPENT,
    TOURNAMENT,
    Stamp,
    StoredGames,
    Walkover,
    connect,
    seal_of,
    stamp_of,
)
from lath.arena.tournament.store.exports import Known, keep, write_records
from lath.arena.tournament.store.jobs import PairJob, PairResult
from lath.arena.tournament.store.rows import (
    CHECKSUM,
    RECORD,
    Row,
    checksum,
    moves_of,
    row_of,
    shown,
    total_of,
)
from lath.arena.tournament.store.totals import (
    BOT_TOTALS,
    NAMES,
    PAIR_TALLIES,
    BotTotals,
    EndingTally,
    PairTally,
)
from lath.games.core import Result
from lath.games.errors import count_of
from lath.notation.files.bounds import read_json
from lath.notation.files.files import sync
from lath.notation.files.locks import lock_within
from lath.notation.record.tags import FORFEITS, Termination

_INSERT: Final = (
    # Not OR IGNORE, which would also skip a row that breaks a constraint.
    f"INSERT INTO game ({', '.join(NAMES)}) VALUES ({', '.join('?' * len(NAMES))}) "  # noqa: S608
    "ON CONFLICT (number) DO NOTHING"
)


_FORMAT: Final = 2
"""The format of the tables; a store refuses any other."""

LOCK_PATIENCE_S: Final = 1.0
"""Seconds to wait for the lock, which an ending run or a reader may hold for a moment."""


def _locked(folder: Path) -> int:
    """Lock a folder against a second run, and return the descriptor; raises StoreError."""
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise writing_error(folder / LOCK, error, "opened") from error
    try:
        lock_within(lock, LOCK_PATIENCE_S)
    except OSError as error:
        os.close(lock)
        raise InUseError("in use by another run", folder) from error
    return lock


LOGS: Final = "logs"
"""The folder of game logs in a tournament's directory."""


def log_of(game: GameResult) -> str:
    """Return the text of a game's log file; empty for none."""
    return _log_text(game.log, game.stderr)


def _log_text(log: str, said: Mapping[str, str]) -> str:
    parts = (f"-- {name}, standard error --\n{text}\n" for name, text in said.items())
    return log or "\n".join(parts)


_GOOD_ENDINGS: Final = ("rules", "resignation", "adjudication", "ply limit")


class Store:
    """The results of one tournament, open in one process at a time; others can read.

    The store stays usable after a DiskError: what it confirmed is kept, and the rest can be tried
    again.
    """

    def __init__(
        self, folder: Path, *, connect: Callable[[Path], sqlite3.Connection] = connect
    ) -> None:
        """Open or make the store in `folder`; raises StoreError, also if it is in use.

        All stored games are read once. If they are damaged, or if `games.lath` holds games that the
        store lacks, it raises DamagedError with the remedy and changes nothing.
        """
        self._path: Final = folder / DATABASE
        self._written: Stamp | None = None
        """The stamp of `games.lath` when the store last had all its games; None if never."""
        self.exported = ""
        """The SHA-256 of `games.lath` after the last export; empty before."""
        with ExitStack() as undo:
            self._home: Final = HeldFolder(folder)
            undo.callback(self._home.close)
            self._lock: Final = _locked(folder)
            undo.callback(os.close, self._lock)
            if not self._path.exists() or not self._path.stat().st_size:
                self._refuse_to_lose(Known())  # before SQLite makes the file
            with database_errors(self._path):
                self._database = connect(self._path)
                undo.callback(self._database.close)
                with signals.interruptible():
                    self._verify()
                self._prepare()
            undo.pop_all()  # from here on `close` releases both

    @property
    def folder(self) -> Path:
        """Return the folder of the store; raises MovedError if it was moved."""
        return self._home.path

    def _verify(self) -> None:
        """Read and check all that is stored, without a change; raises DamagedError."""
        # Set EXCLUSIVE before the first read, and only while opening. A killed run of 0.1.0
        # leaves a write-ahead log. EXCLUSIVE keeps its shared memory off the disk, where a full
        # file system could raise SIGBUS.
        self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
        with reading_database(self._path):
            rows = self._database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not (names := {name for (name,) in rows}):
                return
            if names not in ({"about", "game"}, {"about", "game", "walkover"}):
                tables = ", ".join(sorted(names))
                raise DamagedError(f"not a tournament: it has tables {tables}", self._path, ": ")
            known = Known()
            games = StoredGames(self._database, self._path)
            for row in games:
                known.add(row)
            if wrong := games.wrong_besides():
                raise DamagedError(wrong, self._path)
        self._refuse_to_lose(known)

    def _refuse_to_lose(self, known: Known) -> None:
        """Raise DamagedError if `games.lath` holds games that are not stored here."""
        path = self.folder / RECORDS
        stamp = stamp_of(path)
        unknown = known.compared(path)
        if unknown.lacking:
            raise DamagedError(
                f"holds {count_of(unknown.lacking, 'game')} that {DATABASE} lacks, which has "
                f"{len(known.numbers) or 'none'}",
                path,
                ": ",
            )
        if not unknown.others:
            self._written = stamp

    def _prepare(self) -> None:
        self._database.execute("PRAGMA journal_mode = PERSIST")
        self._database.execute("PRAGMA synchronous = FULL")
        with self._transaction():  # it also secures what is already there
            for statement in SCHEMA.split(";"):
                self._database.execute(statement)
            games = StoredGames(self._database, self._path)
            total = games.total()
            if total is None:  # from an old version; `_verify` has parsed the records
                self._database.execute(f"ALTER TABLE game ADD COLUMN {CHECKSUM} INTEGER")
                sums = [(checksum(row[:-1]), row[0]) for row in games]
                question = f"UPDATE game SET {CHECKSUM} = ? WHERE number = ?"  # noqa: S608
                self._database.executemany(question, sums)
                total = total_of(sum_ for sum_, _ in sums)
            self._keep_total(total)
            if self.note(SEAL) is None:
                self._keep_notes({})
        self._database.execute("PRAGMA locking_mode = NORMAL")
        self._database.execute("SELECT 1 FROM sqlite_master").fetchone()  # releases the lock

    def close(self) -> None:
        """Close the database, delete its journal, and release the lock."""
        with suppress(sqlite3.Error, MovedError):
            self._home.check()  # or the journal at its path may be another's
            self._database.execute("PRAGMA journal_mode = DELETE")
        self._database.close()
        os.close(self._lock)
        self._home.close()

    def tournament(self) -> dict[str, object] | None:
        """Return the value given to `begin`, or None in a new store; raises StoreError."""
        if not list(self._rows("SELECT 1 FROM about WHERE key <> ?", SEAL)):
            return None
        if (format_ := self.note("format")) != _FORMAT:
            raise StoreError(f"has format {shown(format_)}; expected {_FORMAT}", self._path)
        tournament = self.note(TOURNAMENT)
        if not isinstance(tournament, dict):
            raise DamagedError("it does not name what is played", self._path)
        return tournament

    def begin(
        self, tournament: dict[str, object], notes: Mapping[str, object] | None = None
    ) -> None:
        """Store what the tournament is, with `notes`, over earlier values; raises StoreError."""
        # A tournament that was begun before may have copies, which must share its identity.
        is_known = self.note(IDENTITY) is not None or self.note(PROVENANCE) is not None
        own = {} if is_known else {IDENTITY: secrets.token_hex(16)}
        self.keep_notes({"format": _FORMAT, TOURNAMENT: tournament, **own, **(notes or {})})

    def note(self, key: str) -> Any:
        """Return the note under a key, or None."""
        rows = list(self._rows("SELECT value FROM about WHERE key = ?", key))
        with reading_database(self._path):
            return read_json(rows[0][0]) if rows else None

    def keep_notes(self, notes: Mapping[str, object]) -> None:
        """Store notes by their keys, all or none; raises StoreError."""
        with self._transaction():
            self._keep_notes(notes)

    def _keep_notes(self, notes: Mapping[str, object]) -> None:
        question = "INSERT OR REPLACE INTO about VALUES (?, ?)"
        texts = [(key, json.dumps(value)) for key, value in notes.items()]
        self._database.executemany(question, texts)
        self._database.execute(question, (SEAL, str(seal_of(self._database))))

    def has_games(self) -> bool:
        """Return whether any game is stored."""
        return bool(list(self._rows("SELECT 1 FROM game LIMIT 1")))

    def last_number(self) -> int:
        """Return the number of the last stored game; 0 without games."""
        return self._one("SELECT ifnull(max(number), 0) FROM game")

    def last_pair(self) -> int:
        """Return the number of the last pair with a stored game; 0 without games."""
        return pair_of(self.last_number())

    def results(self) -> Iterator[PlayedGame]:
        """Yield each finished game, by number."""
        question = (
            "SELECT number, first, second, result, game, round, termination, plies, record "
            "FROM game ORDER BY number"
        )
        for *place, termination, plies, record in self._rows(question):
            played = PlayedGame(*place)
            moves = moves_of(played[1:5], termination, plies, record)
            yield played._replace(result=Result(played.result), moves=moves)

    def last_games(self, bot: str, most: int, after: int = 0) -> list[tuple[int, bool]]:
        """Return the numbers of a bot's last games over `after`, each with whether it crashed.

        The list has at most `most` games, the last one first.
        """
        crashed = "termination = ? AND result = CASE first WHEN ? THEN '0-1' ELSE '1-0' END"
        rows = self._rows(
            f"SELECT number, {crashed} FROM game WHERE (first = ? OR second = ?) "  # noqa: S608
            "AND number > ? ORDER BY number DESC LIMIT ?",
            *(Termination.CRASH, bot, bot, bot, after, most),
        )
        return [(number, bool(is_crash)) for number, is_crash in rows]

    def records_of(self, game: str, most: int) -> list[str]:
        """Return the records of the last games of a game type, at most `most`."""
        question = "SELECT record FROM game WHERE game = ? ORDER BY number DESC LIMIT ?"
        return [record for (record,) in self._rows(question, game, most)]

    def seats(self, number: int) -> list[tuple[str, str, str, int]]:
        """Return first, second, game type and round of games from `number` on, each once."""
        question = "SELECT DISTINCT first, second, game, round FROM game WHERE number >= ?"
        return [tuple(row) for row in self._rows(question, number)]

    def walkovers(self) -> list[Walkover]:
        """Return the pairs with unplayed games that count as lost, by number."""
        return [
            Walkover(*row) for row in self._rows("SELECT pair, loser FROM walkover ORDER BY pair")
        ]

    def add_walkovers(self, walkovers: Iterable[Walkover]) -> None:
        """Store walkovers, all or none; a pair that has one keeps it."""
        with self._transaction():
            self._database.executemany(
                "INSERT INTO walkover VALUES (?, ?) ON CONFLICT (pair) DO NOTHING", walkovers
            )
            self._keep_notes({})

    def tally(self) -> list[EndingTally]:
        """Return the number of games by players, result and termination.

        Its size does not grow with the number of games.
        """
        rows = self._rows(
            "SELECT first, second, result, termination, count(*) FROM game GROUP BY 1, 2, 3, 4"
        )
        return [EndingTally(*row) for row in rows]

    def pairs(self) -> list[PairTally]:
        """Return the number of pairs by players and points.

        Its size does not grow with the number of games.
        """
        return [PairTally(*row) for row in self._rows(PAIR_TALLIES)]

    def bots(self) -> list[BotTotals]:
        """Return the totals of each bot over all games, by name."""
        return [
            BotTotals(
                name=name,
                games=games,
                moves=moves,
                average_s=round(used_s / moves, 6) if moves else None,
                worst_s=round(worst_s, 6),
                lost_by=dict(zip(map(str, FORFEITS), lost, strict=True)),
            )
            for name, moves, used_s, worst_s, games, *lost in self._rows(BOT_TOTALS)
        ]

    def add(self, results: Iterable[GameResult], spent: Collection[str] = ()) -> None:
        """Store finished games, all or none, safe from a power cut when this returns.

        A number that is stored already keeps its game. `spent` names bots to note under `SPENT`.
        Raises StoreError.
        """
        rows = [row_of(result) for result in results]
        with self._transaction():
            before, total = self._one("SELECT total_changes()"), self._one("PRAGMA user_version")
            self._database.executemany(_INSERT, rows)
            if self._one("SELECT total_changes()") - before == len(rows):
                total = total_of((total, *(row[-1] for row in rows)))
            else:  # some games were stored already
                sums = self._rows(f"SELECT {CHECKSUM} FROM game")  # noqa: S608
                total = total_of(sum_ for (sum_,) in sums)
            self._keep_total(total)
            if spent:
                self._keep_notes({SPENT: sorted({*spent, *(self.note(SPENT) or ())})})

    def _one(self, question: str) -> int:
        ((number,),) = self._rows(question)
        return int(number)

    def _keep_total(self, total: int) -> None:
        # Each transaction writes the first page anyway, so this costs nothing. It must write even
        # without new games. If the last sync of an earlier transaction failed, its games are
        # visible but may be lost in a power cut. When the caller adds them again, only a successful
        # sync may confirm them.
        self._database.execute(f"PRAGMA user_version = {total}")

    def _games(self) -> Iterator[Row]:
        """Yield all games by number, checked.

        Raises StoreError. Raises DamagedError at a row that differs from what was stored, and at
        the end if games are missing.
        """
        with reading_database(self._path):
            yield from StoredGames(self._database, self._path)

    def copy_to(self, folder: Path) -> None:
        """Copy the database into another folder; raises StoreError."""
        path = folder / DATABASE
        with database_errors(path), closing(sqlite3.connect(path)) as copy:
            self._database.backup(copy)

    def logs(self) -> Iterator[tuple[int, str]]:
        """Yield number and log of each game that ended badly or has text on standard error."""
        rows = self._rows(
            "SELECT number, termination, log, stderr FROM game "
            "WHERE stderr <> '{}' OR log <> '' ORDER BY number"
        )
        yield from (
            (number, _log_text(log, read_json(said)))
            for number, termination, log, said in rows
            if said != "{}" or termination not in _GOOD_ENDINGS
        )

    def export(self, warn: Callable[[str], None] = lambda _: None) -> None:
        """Write `games.lath` whole and atomically; raises StoreError.

        The old file is kept beside the new one if it was changed and holds games that differ from
        the stored ones. `warn` then gets a message.
        """
        path = self.folder / RECORDS
        with closing(self._pieces(path, warn)) as records:  # or it may outlive the database
            self.exported = write_records(path, records)
        self._written = stamp_of(path)

    def _pieces(self, path: Path, warn: Callable[[str], None]) -> Generator[str]:
        """Yield all records; then keep the old file if it holds games that are not stored."""
        is_ours = stamp_of(path) == self._written
        known = Known()
        for row in self._games():
            if not is_ours:
                known.add(row)
            yield row[RECORD]
        if not is_ours and (unknown := sum(known.compared(path))):
            held = f"{path} held {count_of(unknown, 'game')} that {DATABASE} has not, or not so"
            warn(f"{held}: it is kept as {keep(path).name}")

    def _rows(self, question: str, *values: object) -> Iterator[Any]:
        """Yield the rows that the database answers; raises StoreError."""
        with database_errors(self._path):
            yield from self._database.execute(question, values)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Run the body in a transaction, all or none; raises StoreError."""
        self._home.check()  # SQLite would notice only after it has begun a journal
        with database_errors(self._path):
            try:
                self._database.execute("BEGIN IMMEDIATE")
                yield
                self._database.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # the first error is the one to report
                    if self._database.in_transaction:
                        self._database.execute("ROLLBACK")
                raise


Stored = tuple[PairJob, PairResult]


class BufferedWriter:
    """A queue of results for the store, in the order in which they came."""

    def __init__(
        self, store: Store, warn: Callable[[str], None], *, patience_s: float = PATIENCE_S
    ) -> None:
        """Call `warn` when the disk refuses results, and when it takes them again."""
        self._store: Final = store
        self._patience: Final = Patience(warn, patience_s, well="the disk takes results again")
        self.held: list[Stored] = []
        """Results that are not stored yet."""

    @property
    def is_waiting(self) -> bool:
        """Return whether the disk refuses results, so that no new game should begin."""
        return self._patience.is_waiting

    def store(self, *, at_once: bool = False) -> list[Stored]:
        """Store the held results in one transaction and return them; empty while it must wait.

        Raises DiskError if the disk has refused for too long, or refuses with `at_once`.
        """
        games = [game for _, result in self.held for game in result.games]
        spent = {name for _, result in self.held for name in result.spent}
        add = partial(self._store.add, games, spent)
        if (games or spent) and not self.takes(add, at_once=at_once):
            return []
        stored, self.held = self.held, []
        return stored

    def takes(self, write: Callable[[], None], *, at_once: bool) -> bool:
        """Call `write` if it is time to, and return whether the disk took it.

        Raises DiskError as `store` does.
        """
        if not (at_once or self._patience.is_due):
            return False
        try:
            write()
        except (DiskError, InUseError) as error:
            self._wait(error, at_once=at_once)
            return False
        self._patience.granted()
        return True

    def _wait(self, error: DiskError | InUseError, *, at_once: bool) -> None:
        """Wait for the next try, or raise DiskError after too many."""
        is_full = isinstance(error, DiskError) and error.is_full
        is_failing = isinstance(error, DiskError) and not is_full
        what = "waiting for room" if is_full else "trying again"
        warning = f"{error}; no new game begins until results can be stored; {what}"
        if not at_once and self._patience.refused(warning, is_failing=is_failing):
            return
        games = sum(len(result.games) for _, result in self.held)
        words = (
            f"{count_of(games, 'finished game')} could not be stored and will be played again"
            if games
            else "a walkover could not be stored and will be decided again"
        )
        raise DiskError(f"{error}; {words}", is_full=is_full) from error


def prepare_folder(folder: Path) -> None:
    """Make the tournament's directory so that it survives a power cut; raises StoreError."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        (folder / LOGS).mkdir(parents=True, exist_ok=True)
        for path in new:
            sync(path.parent)
    except OSError as error:
        raise writing_error(folder, error, "made") from error
