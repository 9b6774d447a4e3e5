"""The games that are rated: which repeat another, which are a pair, what all of them come to.

Millions of them take no more memory than thousands: what is known of each is a row of a temporary
database, of which a part is in memory (`archive.temporary_database`). What two games of a pair
score hangs together, since they begin alike, and games that repeat each other are one line. Must
not know how a rating is made.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from typing import Final

from lath.notation.archive.archive import SIZE, identity, start_text
from lath.notation.files.files import TemporaryFileError
from lath.notation.record.record import Record
from lath.reports.ratings.counts import Begun, Cell, SidesOfPair, Together
from lath.reports.ratings.results import DecidedGame

_MEMORY: Final = 4 << 20
"""Bytes of the database that are in memory."""

_SIGNED: Final = 1 << 63
"""What digests are made less by: the database has signed numbers."""

_SCHEMA: Final = """
CREATE TABLE game (
    place INTEGER PRIMARY KEY, digest BLOB NOT NULL, again INTEGER,
    key INTEGER NOT NULL, number INTEGER NOT NULL, opening INTEGER NOT NULL,
    seat INTEGER NOT NULL, cell INTEGER NOT NULL, of INTEGER NOT NULL, forfeited INTEGER NOT NULL
);
CREATE TABLE line (digest BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE single (
    key INTEGER NOT NULL, digest BLOB NOT NULL, place INTEGER, seat INTEGER, again INTEGER
);
CREATE TABLE paired (place INTEGER PRIMARY KEY, pair INTEGER NOT NULL);
"""
"""`key` is what the games of a pair have in common, as a digest; `number` the arena's of the pair,
0 where there is none; `opening` from where the game begins, as a digest; `seat` 0 where first comes
before second by name, 1 where after, 2 where they are the same; `cell` which kind of result it is,
`of` which game id's. `again` says that it repeats an earlier one, or null that it could not;
`line` has the digests of games that may.
`paired` has of each pair the game of seat 1, with that of seat 0."""

_ADD: Final = "INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

_NOTE: Final = "INSERT OR IGNORE INTO line VALUES (?)"

_Left = tuple[int, bytes, int, int, int | None]
"""A game that no number pairs off: its key, digest, place and seat, and whether it came again."""

_IN_ORDER: Final = """
SELECT cell FROM game WHERE (:of < 0 OR of = :of) AND forfeited <= :forfeited ORDER BY place
"""
"""Of one game's id, or of all; none that was forfeited, or also those."""

_CELLS: Final = """
SELECT cell, count(*) FROM game WHERE (:of < 0 OR of = :of) AND forfeited <= :forfeited
GROUP BY cell
"""

_BEGUN: Final = """
SELECT opening, cell, count(*) FROM game WHERE (:of < 0 OR of = :of) AND forfeited <= :forfeited
GROUP BY 1, 2 ORDER BY 1
"""

_PAIRS: Final = """
SELECT min(one.cell, other.cell), max(one.cell, other.cell), count(*)
FROM paired JOIN game one ON one.place = paired.place JOIN game other ON other.place = paired.pair
WHERE (:of < 0 OR one.of = :of) AND max(one.forfeited, other.forfeited) <= :forfeited
GROUP BY 1, 2
"""

_AGAIN: Final = """
SELECT cell, count(*), total(again) FROM game
WHERE (:of < 0 OR of = :of) AND forfeited <= :forfeited GROUP BY 1
"""


def digest_of(record: Record, seats: tuple[str, str], why: str) -> bytes:
    """Return 16 bytes that are equal for games of which one may repeat the other.

    `seats` and `why` are the bots and the `Termination` of the record.

    Two bots that are deterministic play one game again and again. Taken for new ones, such games
    make intervals too narrow: with each game five times, 95% intervals hold the truth in 62% of
    cases. A game repeats another where the game's id, both seats, the start, the canonical moves,
    the result and the ending are the same; a crash, an illegal move and a flood are what a program
    does with what it was sent, and count as moves do.
    """
    # A name may hold any letter, so that none can stand between two; the literals tell them apart.
    words = ascii((seats, record.result.value, why)).encode()
    return blake2b(identity(record) + words, digest_size=SIZE).digest()


@contextmanager
def _with_room() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise TemporaryFileError(error) from error


class RatedGames:
    """The games that are rated, in the order in which they come.

    Games belong together by game id, both bots, `Event`, `Round`, `Opening` and the start, however
    it is spelled. The arena numbers the games of its n-th pair 2n - 1 and 2n (`Number`): those are
    one. What has no such number, or lost its partner, is paired off in the order of digests: games
    that all begin alike are as good as each other. Games of one digest, which have no moves or
    ended by time, stay alone, and so does a result alone without a number: where its game began is
    unknown.

    All methods raise TemporaryFileError where there is no room.
    """

    def __init__(self) -> None:
        with _with_room():
            # What is garbage may be collected, and so closed, by any thread.
            database = sqlite3.connect("", check_same_thread=False, isolation_level=None)
            weakref.finalize(self, database.close)
            database.execute(f"PRAGMA cache_size = -{_MEMORY >> 10}")
            database.execute("PRAGMA journal_mode = OFF")
            database.executescript(_SCHEMA)
            database.execute("BEGIN")
        self._database: Final = database
        self._games = 0
        self._cells: Final[list[Cell]] = []
        self._numbers: Final[dict[Cell, int]] = {}
        self._games_of: Final[dict[str, int]] = {}
        self._are_paired = False

    def add(
        self, record: Record, cell: Cell, why: str, *, may_repeat: bool, is_forfeit: bool
    ) -> bool:
        """Note a game, whose `Termination` is `why`; return whether it repeats an earlier one."""
        seats = first, second = cell[0], cell[1]
        digest = digest_of(record, seats, why)
        key, number, opening = place_of(record, seats)
        if record.is_result_only and not number:
            key = self._games  # like no other's
        known = self._numbers.get(cell)
        if known is None:
            known = self._numbers[cell] = len(self._cells)
            self._cells.append(cell)
        seat = 2 if first == second else int(first > second)
        self._are_paired = False
        with _with_room():
            again = None
            if may_repeat:
                again = not self._database.execute(_NOTE, (digest,)).rowcount
            row = (
                *(self._games, digest, again, key, number, opening),
                *(seat, known, self._games_of.setdefault(cell[3], len(self._games_of)), is_forfeit),
            )
            self._database.execute(_ADD, row)
        self._games += 1
        return bool(again)

    def __len__(self) -> int:
        """Return how many games are rated."""
        return self._games

    def results(self) -> Iterator[DecidedGame]:
        """Yield them in their order, each with its pair, opening and line."""
        self._pair_off()
        question = (
            "SELECT cell, coalesce(pair, game.place), opening, "
            "CASE WHEN again IS NULL THEN NULL ELSE digest END FROM game "
            "LEFT JOIN paired USING (place) ORDER BY game.place"
        )
        for cell, pair, opening, line in self._rows(question, {}):
            yield DecidedGame(*self._cells[cell], pair, opening, line)

    def only(self, game: str, *, fair: bool) -> Iterator[DecidedGame]:
        """Yield those of a game's id, or of all, in their order, without pair and opening.

        With `fair` none that was forfeited.
        """
        plain = [DecidedGame(*cell) for cell in self._cells]
        for (cell,) in self._rows(_IN_ORDER, self._which(game, fair=fair)):
            yield plain[cell]

    def cells(self, game: str, *, fair: bool) -> dict[Cell, int]:
        """Return how many of the same games there are of each kind of result."""
        rows = self._rows(_CELLS, self._which(game, fair=fair))
        return {self._cells[cell]: times for cell, times in rows}

    def pairs(self, game: str, *, fair: bool) -> Together:
        """Return of how many pairs among them the two games came out as any two."""
        self._pair_off()
        found = Counter[tuple[Cell, ...]]()
        for one, other, times in self._rows(_PAIRS, self._which(game, fair=fair)):
            found[tuple(sorted((self._cells[one], self._cells[other])))] += times
        return found

    def begun(self, game: str, *, fair: bool) -> dict[str, Begun]:
        """Return by game id how often the games of one opening came out just so."""
        found: defaultdict[str, Counter[tuple[tuple[Cell, int], ...]]] = defaultdict(Counter)
        for _, rows in groupby(self._rows(_BEGUN, self._which(game, fair=fair)), key=itemgetter(0)):
            games: defaultdict[str, list[tuple[Cell, int]]] = defaultdict(list)
            for _, number, times in rows:
                cell = self._cells[number]
                if cell[0] != cell[1]:
                    games[cell[3]].append((cell, times))
            for game_id, alike in games.items():
                found[game_id][tuple(sorted(alike))] += 1
        return dict(found)

    def different(self, game: str, *, fair: bool) -> dict[SidesOfPair, int]:
        """Return how many games of some seats are different, where one came again."""
        games, repeats = Counter[SidesOfPair](), Counter[SidesOfPair]()
        for number, times, again in self._rows(_AGAIN, self._which(game, fair=fair)):
            first, second, _, game_id = self._cells[number]
            games[SidesOfPair(game_id, first, second)] += times
            repeats[SidesOfPair(game_id, first, second)] += int(again)
        return {
            seats: games[seats] - again
            for seats, again in repeats.items()
            if again and seats.first != seats.second
        }

    def _which(self, game: str, *, fair: bool) -> dict[str, int]:
        return {
            "of": self._games_of.get(game, len(self._cells)) if game else -1,
            "forfeited": not fair,
        }

    def _rows(self, question: str, which: Mapping[str, int]) -> Iterator[tuple[int, ...]]:
        with _with_room():
            yield from self._database.execute(question, which)

    def _pair_off(self) -> None:
        """Find which games are pairs, unless that is known."""
        if self._are_paired:
            return
        with _with_room():
            self._database.execute("DELETE FROM single")
            self._database.execute("DELETE FROM paired")
            self._database.executemany("INSERT INTO single VALUES (?, ?, ?, ?, ?)", self._left())
            self._database.executemany("INSERT INTO paired VALUES (?, ?)", self._of_single())
        self._are_paired = True

    def _left(self) -> Iterator[_Left]:
        """Pair off by the arena's numbers; yield who is left."""
        question = "SELECT key, number, digest, place, seat, again FROM game ORDER BY 1, 2, 3, 4"
        write = "INSERT INTO paired VALUES (?, ?)"
        for (key, number), rows in groupby(self._database.execute(question), itemgetter(0, 1)):
            games = ((key, *row[2:]) for row in rows)
            if not number:
                yield from games
                continue
            seats: tuple[list[_Left], ...] = [], [], []
            for game in games:
                seats[game[3]].append(game)
            one, other, alone = seats
            pairs = [(partner[2], game[2]) for game, partner in zip(one, other, strict=False)]
            self._database.executemany(write, pairs)
            yield from (*one[len(pairs) :], *other[len(pairs) :], *alone)

    def _of_single(self) -> Iterator[tuple[int, int]]:
        """Yield pairs of those that are left, by what they have in common, in order of digests."""
        question = "SELECT key, digest, place, seat, again FROM single ORDER BY 1, 2, 3"
        for _, of_key in groupby(self._database.execute(question), itemgetter(0)):
            waiting: tuple[deque[list[int]], deque[list[int]]] = deque(), deque()
            for _, same in groupby(of_key, itemgetter(1)):
                games = list(same)
                *_, seat, again = games[0]
                # Games without a move are alike if their results are: like would meet like. One
                # that came again meets as often as it came.
                if seat == 2 or (len(games) > 1 and again is None):
                    continue
                places = [game[2] for game in games]
                if not waiting[1 - seat]:
                    waiting[seat].append(places)
                    continue
                for pair in zip(waiting[1 - seat].popleft(), places, strict=False):
                    yield pair[::-1] if seat else pair


@dataclass(frozen=True, slots=True)
class Rated:
    """Some of the games that are rated, in their order: each is made anew when it is its turn."""

    games: RatedGames
    game: str = ""
    """Only those of this game's id; empty: of all."""
    fair: bool = False
    """Only those that were not forfeited."""

    def __iter__(self) -> Iterator[DecidedGame]:
        """Yield them without pair and opening."""
        return self.games.only(self.game, fair=self.fair)

    def cells(self) -> dict[Cell, int]:
        """Return how many there are of each kind of result."""
        return self.games.cells(self.game, fair=self.fair)

    def pairs(self) -> Together:
        """Return of how many pairs the two games came out as any two."""
        return self.games.pairs(self.game, fair=self.fair)

    def begun(self) -> dict[str, Begun]:
        """Return by game id how often the games of one opening came out just so."""
        return self.games.begun(self.game, fair=self.fair)

    def different(self) -> dict[SidesOfPair, int]:
        """Return how many games of some seats are different, where one came again."""
        return self.games.different(self.game, fair=self.fair)


def place_of(record: Record, seats: tuple[str, str]) -> tuple[int, int, int]:
    """Return the digest of what the games of a pair share, the pair's number, the opening's digest.

    An opening is the start and its name: a book's line has one.
    """
    tags = dict(record.tags)  # looked up often enough to pay
    game, setup, position = (tags.get(name, "") for name in ("Game", "Setup", "Position"))
    begun = ascii((game, start_text(game, setup, position), tags.get("Opening", ""))).encode()
    more = (min(seats), max(seats), tags.get("Event", ""), tags.get("Round", ""))
    key, opening = (
        int.from_bytes(blake2b(words, digest_size=8).digest()) - _SIGNED
        for words in (begun + ascii(more).encode(), begun)
    )
    number = tags.get("Number", "")
    # 18 digits are what 64 bits hold for sure.
    is_one = number.isascii() and number.isdecimal() and len(number) <= 18
    return key, (int(number) + 1) // 2 if is_one else 0, opening
