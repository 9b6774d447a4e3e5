"""Puts results into the store; where the disk is full, holds them and tries again for a while.

Must not know where the numbers come from.

Must not know how they are kept safe.

Must not know how results are kept safe, nor how numbers are shown.

A game is in the file once, under its number, before it counts as finished; what a crash or a power
cut leaves behind is a tournament with fewer games, never a wrong one. Must not know how games are
played.

Must not know where results come from. It never sleeps: whoever has results asks it now and then.
"""

from __future__ import annotations

import json
import random
import sqlite3
import time
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from lath.arena.errors import DiskError, InUseError, StoreError
from lath.arena.tournament.system import told, writing_error
from lath.arena.tournament.worker import GameResult, PairJob, PairResult
from lath.notation.reader import write_atomically


class Finished(AbstractSet[int]):
    """Numbers of games, kept as ranges: a million that follow each other cost no more than one.

    Stragglers cost 16 bytes each, where a set of int takes 60 and more.

    >>> finished = Finished([1, 2, 3, 7])
    >>> 3 in finished, 4 in finished, len(finished)
    (True, False, 4)
    >>> finished == {1, 2, 3, 7}
    True
    """

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        """Take numbers that rise; others raise ValueError."""
        self._starts: Final = array("q")
        self._ends: Final = array("q")
        """The first number after each range."""

        self._size = 0
        for number in numbers:
            self._append(number)

    def _append(self, number: int) -> None:
        if self._ends and number < self._ends[-1]:
            raise ValueError(f"{number} after {self._ends[-1] - 1}, expected rising numbers")
        if self._ends and number == self._ends[-1]:
            self._ends[-1] += 1
        else:
            self._starts.append(number)
            self._ends.append(number + 1)
        self._size += 1

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int):
            return False
        place = bisect_right(self._starts, number) - 1
        return place >= 0 and number < self._ends[place]

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[int]:
        for start, end in zip(self._starts, self._ends, strict=True):
            yield from range(start, end)

    def __repr__(self) -> str:
        spans = zip(self._starts, self._ends, strict=True)
        return f"Finished({', '.join(f'{start}-{end - 1}' for start, end in spans)})"

    @classmethod
    def _from_iterable(cls, numbers: Iterable[int]) -> set[int]:  # type: ignore[override]
        """Return what `|` and `-` make of it: a plain set."""
        return set(numbers)


SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS game (
    number INTEGER PRIMARY KEY,
    round INTEGER NOT NULL,
    game TEXT NOT NULL,
    first TEXT NOT NULL,
    second TEXT NOT NULL,
    result TEXT NOT NULL,
    termination TEXT NOT NULL,
    plies INTEGER NOT NULL,
    first_used_s REAL NOT NULL,
    second_used_s REAL NOT NULL,
    first_worst_s REAL NOT NULL,
    second_worst_s REAL NOT NULL,
    stray_lines INTEGER NOT NULL,
    stderr TEXT NOT NULL,
    record TEXT NOT NULL,
    first_moves INTEGER NOT NULL DEFAULT 0,
    second_moves INTEGER NOT NULL DEFAULT 0,
    log TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS walkover (pair INTEGER PRIMARY KEY, loser TEXT);
"""

COLUMNS: Final = (
    *("number", "round", "game", "first", "second", "result", "termination", "plies"),
    *("first_used_s", "second_used_s", "first_worst_s", "second_worst_s"),
    *("stray_lines", "stderr", "record", "first_moves", "second_moves", "log"),
)
"""Of a game, in the order of `row_of`."""


def row_of(result: GameResult) -> tuple[object, ...]:
    """Return what the columns of a game have."""
    return (
        result.number,
        result.round,
        result.game,
        result.first,
        result.second,
        result.result,
        result.termination,
        result.plies,
        *result.used_s,
        *result.worst_s,
        result.stray_lines,
        json.dumps(dict(result.stderr), ensure_ascii=False),
        result.record,
        *result.moves,
        result.log,
    )


FORFEITS: Final = ("crash", "time", "illegal move", "flood")
"""Endings that are one bot's own fault, and lose the game."""


@dataclass(frozen=True, slots=True)
class PairTally:
    """Pairs in which one bot scored the same against the other."""

    one: str
    other: str
    points: float
    """Of `one`, in a pair."""

    games: int
    """Stored games of such a pair: 2, or 1 of a pair half played."""

    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BotTotals:
    """What one bot did in all stored games."""

    name: str
    games: int
    crashes: int
    """Games lost by a crash; likewise the next three."""

    time_losses: int
    illegal_moves: int
    floods: int
    moves: int
    """Moves that it made; 0 where the games were stored without their number."""

    used_s: float
    """Time that it used, in all."""

    worst_s: float
    """Time of its longest move."""

    @property
    def average_s(self) -> float | None:
        """Return the time of a move; None before any."""
        return self.used_s / self.moves if self.moves else None


_PAIRS: Final = """
SELECT one, other, points, games, count(*) FROM (
    SELECT
        CASE number % 2 WHEN 1 THEN first ELSE second END AS one,
        CASE number % 2 WHEN 1 THEN second ELSE first END AS other,
        sum(CASE result WHEN '1-0' THEN number % 2 WHEN '0-1' THEN 1 - number % 2 ELSE 0.5 END)
            AS points,
        count(*) AS games
    FROM game GROUP BY (number + 1) / 2
) GROUP BY 1, 2, 3, 4
"""

_SEAT: Final = """
    SELECT
        {seat} AS name, count(*) AS games,
        total({lost} AND termination = 'crash') AS crashes,
        total({lost} AND termination = 'time') AS late,
        total({lost} AND termination = 'illegal move') AS illegal,
        total({lost} AND termination = 'flood') AS floods,
        sum({seat}_moves) AS moves, sum({seat}_used_s) AS used_s, max({seat}_worst_s) AS worst_s
    FROM game GROUP BY 1
"""

_BOTS: Final = f"""
SELECT
    name, sum(games), sum(crashes), sum(late), sum(illegal), sum(floods), sum(moves), sum(used_s),
    max(worst_s)
FROM (
    {_SEAT.format(seat="first", lost="result = '0-1'")}
    UNION ALL
    {_SEAT.format(seat="second", lost="result = '1-0'")}
) GROUP BY name ORDER BY name
"""  # noqa: S608 - nothing of it comes from outside


def pairs(database: sqlite3.Connection) -> list[PairTally]:
    """Return how often bots scored what in a pair; its size does not grow with the games."""
    return [PairTally(*row) for row in database.execute(_PAIRS)]


def bots(database: sqlite3.Connection) -> list[BotTotals]:
    """Return what each bot did, by name."""
    return [_totals(*row) for row in database.execute(_BOTS)]


def _totals(name: str, *numbers: float) -> BotTotals:
    *counts, used_s, worst_s = numbers
    games, crashes, late, illegal, floods, moves = map(int, counts)
    return BotTotals(
        name=name,
        games=games,
        crashes=crashes,
        time_losses=late,
        illegal_moves=illegal,
        floods=floods,
        moves=moves,
        used_s=used_s,
        worst_s=worst_s,
    )


DATABASE: Final = "tournament.db"
RECORDS: Final = "games.lath"

OUTCOME_STATE: Final = "outcome is current"
"""What is known about the tournament under this key is true or false."""

_FORMAT: Final = "2"
"""Of the tables; another one is refused."""

LOCK_PATIENCE_S: Final = 1.0
"""How long another one may have the file open, such as `arena rate`, that reads it."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Games that ended alike."""

    first: str
    second: str
    result: str
    termination: str
    games: int


class Walkover(NamedTuple):
    """A pair of which the games that were not played are lost."""

    pair: int
    loser: str


def connect(path: Path) -> sqlite3.Connection:
    """Open an SQLite file; transactions begin and end where we say so."""
    return sqlite3.connect(path, timeout=0.0, isolation_level=None)


_GOOD_ENDINGS: Final = ("rules", "resignation", "adjudication", "ply limit")


class Store:
    """The results of one tournament; one process has it open at a time.

    After a DiskError it can be used on: what was told to be kept is, the rest can be tried again.
    """

    def __init__(
        self, folder: Path, *, connect: Callable[[Path], sqlite3.Connection] = connect
    ) -> None:
        """Open or make the store in `folder`; raises StoreError, also when it is in use."""
        self.folder: Final = folder
        self._connect: Final = connect
        self._open_within(LOCK_PATIENCE_S)

    def _open_within(self, patience_s: float) -> None:
        """Open the file; wait so long for somebody else to close it."""
        until_s = time.monotonic() + patience_s
        while True:
            try:
                self._open()
            except InUseError:
                if time.monotonic() > until_s:
                    raise
                time.sleep(random.uniform(0.01, 0.05))  # two that come together part again
            else:
                return

    def _open(self) -> None:
        with self._told():
            self._database = self._connect(self.folder / DATABASE)
            try:
                self._prepare()
            except BaseException:
                self.close()
                raise

    def _prepare(self) -> None:
        # EXCLUSIVE is the lock against a second runner, and keeps the shared memory of the
        # write-ahead log off the disk, where a full file system could turn it into SIGBUS; for
        # that it comes before the first read.
        self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._refuse_foreign()
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        with self._transaction():
            for statement in SCHEMA.split(";"):
                self._database.execute(statement)

    def _refuse_foreign(self) -> None:
        """Leave a database alone that somebody else made."""
        rows = self._database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = {name for (name,) in rows}
        if names and names not in ({"about", "game"}, {"about", "game", "walkover"}):
            tables = ", ".join(sorted(names))
            raise StoreError(
                f"{self.folder / DATABASE} is not a tournament: it has tables {tables}"
            )

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def tournament(self) -> dict[str, object] | None:
        """Return what `begin` was told; None in a new store. Raises StoreError."""
        with self._told():
            rows = dict(self._database.execute("SELECT key, value FROM about").fetchall())
        if not rows:
            return None
        if rows.get("format") != _FORMAT:
            raise StoreError(
                f"{self.folder / DATABASE} has format {rows.get('format')}, expected {_FORMAT}"
            )
        told: dict[str, object] = json.loads(rows["tournament"])
        return told

    def begin(self, tournament: dict[str, object]) -> None:
        """Write down what the tournament is, in place of what was there; raises StoreError."""
        rows = [("format", _FORMAT), ("tournament", json.dumps(tournament))]
        with self._told(), self._transaction():
            self._database.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", rows)

    def files(self) -> dict[str, dict[str, str]]:
        """Return what `keep_files` was told last; empty in a new store."""
        files: dict[str, dict[str, str]] = self._about("files") or {}
        return files

    def keep_files(self, files: Mapping[str, Mapping[str, str]]) -> None:
        """Write down the fingerprints of the bots' files, once `begin` was; raises StoreError."""
        self._keep_about("files", files)

    def rounds(self) -> int | None:
        """Return what `keep_rounds` was told last; None in a new store."""
        rounds: int | None = self._about("rounds")
        return rounds

    def keep_rounds(self, rounds: int) -> None:
        """Write down how many rounds there are, once `begin` was; raises StoreError."""
        self._keep_about("rounds", rounds)

    def keep_outcome_state(self, *, is_current: bool) -> None:
        """Write down whether `outcome.json` is of what is stored, once `begin` was.

        While games are played it is not, and so it stays when a run is killed. Raises StoreError.
        """
        self._keep_about(OUTCOME_STATE, is_current)

    def _about(self, key: str) -> Any:
        with self._told():
            rows = self._database.execute("SELECT value FROM about WHERE key = ?", (key,))
            row = rows.fetchone()
            return json.loads(row[0]) if row else None

    def _keep_about(self, key: str, value: object) -> None:
        with self._told():
            row = (key, json.dumps(value))
            self._database.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", row)

    def finished(self) -> AbstractSet[int]:
        """Return the numbers of the finished games."""
        with self._told():
            rows = self._database.execute("SELECT number FROM game ORDER BY number")
            return Finished(number for (number,) in rows)

    def results(self) -> Iterator[tuple[int, str, str, str]]:
        """Yield number, first, second and result of each finished game, by number."""
        with self._told():
            yield from self._database.execute(
                "SELECT number, first, second, result FROM game ORDER BY number"
            )

    def walkovers(self) -> list[Walkover]:
        """Return the pairs whose games were lost without being played, and by whom, by number."""
        with self._told():
            rows = self._database.execute("SELECT pair, loser FROM walkover ORDER BY pair")
            return [Walkover(*row) for row in rows]

    def add_walkovers(self, walkovers: Iterable[Walkover]) -> None:
        """Keep that what is left of pairs is lost, all or none; a pair that is there stays so.

        Raises StoreError.
        """
        with self._told(), self._transaction():
            self._database.executemany(
                "INSERT INTO walkover VALUES (?, ?) ON CONFLICT (pair) DO NOTHING", walkovers
            )

    def tally(self) -> list[Tally]:
        """Return how many games of each two bots ended how; its size does not grow with them."""
        with self._told():
            rows = self._database.execute(
                "SELECT first, second, result, termination, count(*) FROM game GROUP BY 1, 2, 3, 4"
            )
            return [Tally(*row) for row in rows]

    def pairs(self) -> list[PairTally]:
        """Return how often bots scored what in a pair."""
        with self._told():
            return pairs(self._database)

    def bots(self) -> list[BotTotals]:
        """Return what each bot did in all games, by name."""
        with self._told():
            return bots(self._database)

    def add(self, results: Iterable[GameResult]) -> None:
        """Keep finished games, all or none, safe from a power cut when this returns.

        A number that is there already stays as it is. Raises StoreError.
        """
        columns, marks = ", ".join(COLUMNS), ", ".join("?" * len(COLUMNS))
        with self._told(), self._transaction():
            self._database.executemany(
                # Not OR IGNORE: that would pass over a row that is wrong, too.
                f"INSERT INTO game ({columns}) VALUES ({marks}) "  # noqa: S608
                "ON CONFLICT (number) DO NOTHING",
                [row_of(result) for result in results],
            )

    def records(self) -> Iterator[str]:
        """Yield the text of each finished game's record, by number."""
        with self._told():
            for (record,) in self._database.execute("SELECT record FROM game ORDER BY number"):
                yield record

    def logs(self) -> Iterator[tuple[int, str]]:
        """Yield number and log of each game that ended badly or of which a bot complained."""
        with self._told():
            for number, termination, log, said in self._database.execute(
                "SELECT number, termination, log, stderr FROM game "
                "WHERE stderr <> '{}' OR log <> '' ORDER BY number"
            ):
                if said != "{}" or termination not in _GOOD_ENDINGS:
                    yield number, log or _last_words(said)

    def export(self) -> None:
        """Write `games.lath` whole and atomically; raises StoreError."""
        write_records(self.folder / RECORDS, self.records())

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn the database's errors into ours."""
        with told(self.folder / DATABASE):
            yield

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Keep what is done within, all or none."""
        try:
            self._database.execute("BEGIN IMMEDIATE")
            yield
            self._database.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # what came first is what people should hear of
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
            raise


def _last_words(said: str) -> str:
    parts = (f"-- {name}, standard error --\n{text}\n" for name, text in json.loads(said).items())
    return "\n".join(parts)


def write_records(path: Path, records: Iterable[str]) -> None:
    """Write records with an empty line between them, atomically; raises StoreError."""
    try:
        pieces = (("\n" if number else "") + text for number, text in enumerate(records))
        write_atomically(path, map(str.encode, pieces))
    except OSError as error:
        raise writing_error(path, error) from error


PATIENCE_S: Final = 600.0
"""How long to wait for room on a full disk."""

FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 10.0
"""Between two tries; each wait is twice the one before."""

RETRIES: Final = 3
"""How often to try again where the disk is not full but failing: time will not mend it."""

Stored = tuple[PairJob, PairResult]


class Keeper:
    """Results on their way into the store, in the order in which they came."""

    def __init__(
        self, store: Store, warned: Callable[[str], None], *, patience_s: float = PATIENCE_S
    ) -> None:
        """`warned` is told when the store takes no more, and when it does again."""
        self._store: Final = store
        self._warned: Final = warned
        self._patience_s: Final = patience_s
        self._held: list[Stored] = []
        self._tries = 0
        """That failed, one after the other."""

        self._began_s = 0.0
        """When the first of them did."""

        self._next_s = 0.0

    @property
    def is_waiting(self) -> bool:
        """Return whether the disk refuses what is to be kept; no more should be played then."""
        return self._tries > 0

    def take(self, results: Iterable[Stored]) -> None:
        """Hold results until they are kept."""
        self._held.extend(results)

    def kept(self, *, at_once: bool = False) -> list[Stored]:
        """Store what is held, in one transaction, and return it; empty while it must wait.

        Raises DiskError when the disk has refused it for too long, or refuses it `at_once`.
        """
        games = [game for _, result in self._held for game in result.games]
        if games and not self._takes(partial(self._store.add, games), at_once=at_once):
            return []
        kept, self._held = self._held, []
        return kept

    def keeps_lost(self, lost: Sequence[Walkover], *, at_once: bool = False) -> bool:
        """Store what was lost by walkover; return whether it is stored, False while it must wait.

        Raises DiskError as `kept` does.
        """
        return not lost or self._takes(partial(self._store.add_walkovers, lost), at_once=at_once)

    def _takes(self, store: Callable[[], None], *, at_once: bool) -> bool:
        """Return whether the disk takes something; False also where it is not time to try it."""
        if self.is_waiting and not at_once and time.monotonic() < self._next_s:
            return False
        try:
            store()
        except DiskError as error:
            self._wait(error, at_once=at_once)
            return False
        if self.is_waiting:
            after_s = time.monotonic() - self._began_s
            self._tries = 0
            self._warned(f"after {after_s:.0f} s the disk takes results again; the run goes on")
        return True

    def _wait(self, error: DiskError, *, at_once: bool) -> None:
        """Decide when to try again; raises DiskError for never."""
        now_s = time.monotonic()
        self._tries += 1
        if self._tries == 1:
            self._began_s = now_s
        until_s = self._began_s + self._patience_s
        is_hopeless = not error.is_full and self._tries > RETRIES
        if at_once or is_hopeless or now_s >= until_s:
            raise DiskError(f"{error}; {self._lost_words()}", is_full=error.is_full) from error
        if self._tries == 1:
            what = "waiting for room" if error.is_full else "trying again"
            self._warned(f"{error}; no game begins until results can be kept, {what}")
        wait_s = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (self._tries - 1))
        self._next_s = min(now_s + wait_s, until_s)

    def _lost_words(self) -> str:
        games = sum(len(result.games) for _, result in self._held)
        if not games:
            return "a walkover could not be kept and will be decided again"
        words = f"{games} finished game{'' if games == 1 else 's'}"
        return f"{words} could not be kept and will be played again"
