"""The rated games: their duplicates, their pairs and their counts.

Memory does not grow with the number of games: each game is a row of a temporary database, of which
a part is in memory. The scores of the two games of a pair are dependent, because both begin alike.
Duplicate games share one line. This module must not depend on the computation of ratings.
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
"""The part of the database that is in memory, in bytes."""

_SIGNED: Final = 1 << 63
"""Subtracted from digests, because the database has signed integers."""

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
"""The `key` is a digest of what the games of a pair share, and `number` the arena's number of the
pair, or 0. The `opening` is a digest of the game's start. The `seat` is 0 if the first player's
name comes before the second's, 1 if after it, and 2 if both are equal. The `cell` is the kind of
result, and `of` the game type. The flag `again` is 1 for a duplicate of an earlier game, and null
if the game cannot be one. The table `line` has the digests of games that can be duplicates, and
`paired` has the game of seat 1 of each pair, with that of seat 0."""

_ADD: Final = "INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

_NOTE: Final = "INSERT OR IGNORE INTO line VALUES (?)"

_Left = tuple[int, bytes, int, int, int | None]
"""A game that has no pair by number: its key, digest, place, seat and `again`."""

_IN_ORDER: Final = """
SELECT cell FROM game WHERE (:of < 0 OR of = :of) AND forfeited <= :forfeited ORDER BY place
"""
"""Games of one type or of all types, with or without forfeited games."""

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
    """Return 16 bytes that are equal for duplicate games.

    `seats` are the bots and `why` is the `Termination` of the record.

    Deterministic bots repeat games. If these counted as new games, intervals would be too narrow:
    with five copies of each game, 95% intervals cover the true value in 62% of cases. A game is a
    duplicate if it has the same game id, sides, start, canonical moves, result and ending. Crashes,
    illegal moves and floods are responses of a program to its input, so they count like moves.
    """
    # A name can contain any character, so no separator is safe; Python literals are unambiguous.
    words = ascii((seats, record.result.value, why)).encode()
    return blake2b(identity(record) + words, digest_size=SIZE).digest()


@contextmanager
def _with_room() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise TemporaryFileError(error) from error


class RatedGames:
    """The rated games, in order of arrival.

    The games of a pair share the game id, both bots, `Event`, `Round`, `Opening` and the start in
    canonical form. The arena numbers the games of its n-th pair 2n - 1 and 2n (`Number`). Other
    games, or games whose partner is missing, are paired in the order of digests, because games with
    the same start are interchangeable. Games with equal digests that have no moves or ended by time
    stay single. A record with a result only and without a number also stays single, because its
    start is unknown.

    All methods raise TemporaryFileError if the disk is full.
    """

    def __init__(self) -> None:
        with _with_room():
            # The garbage collector may close it in any thread.
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
        """Add a game with the `Termination` `why`; return whether it duplicates an earlier one."""
        seats = first, second = cell[0], cell[1]
        digest = digest_of(record, seats, why)
        key, number, opening = place_of(record, seats)
        if record.is_result_only and not number:
            key = self._games  # unlike any other game's
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
        """Return the number of rated games."""
        return self._games

    def results(self) -> Iterator[DecidedGame]:
        """Yield the games in their order, each with its pair, opening and line."""
        self._pair_off()
        question = (
            "SELECT cell, coalesce(pair, game.place), opening, "
            "CASE WHEN again IS NULL THEN NULL ELSE digest END FROM game "
            "LEFT JOIN paired USING (place) ORDER BY game.place"
        )
        for cell, pair, opening, line in self._rows(question, {}):
            yield DecidedGame(*self._cells[cell], pair, opening, line)

    def only(self, game: str, *, fair: bool) -> Iterator[DecidedGame]:
        """Yield the games of one type or of all types, in order, without pairs and openings.

        With `fair`, forfeited games are left out.
        """
        plain = [DecidedGame(*cell) for cell in self._cells]
        for (cell,) in self._rows(_IN_ORDER, self._which(game, fair=fair)):
            yield plain[cell]

    def cells(self, game: str, *, fair: bool) -> dict[Cell, int]:
        """Return the number of such games of each kind of result."""
        rows = self._rows(_CELLS, self._which(game, fair=fair))
        return {self._cells[cell]: times for cell, times in rows}

    def pairs(self, game: str, *, fair: bool) -> Together:
        """Return the number of such pairs with each two results."""
        self._pair_off()
        found = Counter[tuple[Cell, ...]]()
        for one, other, times in self._rows(_PAIRS, self._which(game, fair=fair)):
            found[tuple(sorted((self._cells[one], self._cells[other])))] += times
        return found

    def begun(self, game: str, *, fair: bool) -> dict[str, Begun]:
        """Return, by game type, the results of each opening and the number of equal ones."""
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
        """Return the number of unique games of each pairing that has duplicates."""
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
        """Find the pairs, if games were added since the last call."""
        if self._are_paired:
            return
        with _with_room():
            self._database.execute("DELETE FROM single")
            self._database.execute("DELETE FROM paired")
            self._database.executemany("INSERT INTO single VALUES (?, ?, ?, ?, ?)", self._left())
            self._database.executemany("INSERT INTO paired VALUES (?, ?)", self._of_single())
        self._are_paired = True

    def _left(self) -> Iterator[_Left]:
        """Pair games by the arena's numbers; yield the remaining ones."""
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
        """Yield pairs of the remaining games with equal keys, in order of digests."""
        question = "SELECT key, digest, place, seat, again FROM single ORDER BY 1, 2, 3"
        for _, of_key in groupby(self._database.execute(question), itemgetter(0)):
            waiting: tuple[deque[list[int]], deque[list[int]]] = deque(), deque()
            for _, same in groupby(of_key, itemgetter(1)):
                games = list(same)
                *_, seat, again = games[0]
                # Games without moves and with equal results have equal digests, so pairing them
                # would favour equal results. A duplicate game is paired as often as it occurs.
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
    """A selection of the rated games, in order; each game is created when it is read."""

    games: RatedGames
    game: str = ""
    """The id of the only game type; empty for all types."""
    fair: bool = False
    """True to leave out forfeited games."""

    def __iter__(self) -> Iterator[DecidedGame]:
        """Yield the games without pairs and openings."""
        return self.games.only(self.game, fair=self.fair)

    def cells(self) -> dict[Cell, int]:
        """Return the number of games of each kind of result."""
        return self.games.cells(self.game, fair=self.fair)

    def pairs(self) -> Together:
        """Return the number of pairs with each two results."""
        return self.games.pairs(self.game, fair=self.fair)

    def begun(self) -> dict[str, Begun]:
        """Return, by game type, the results of each opening and the number of equal ones."""
        return self.games.begun(self.game, fair=self.fair)

    def different(self) -> dict[SidesOfPair, int]:
        """Return the number of unique games of each pairing that has duplicates."""
        return self.games.different(self.game, fair=self.fair)


def place_of(record: Record, seats: tuple[str, str]) -> tuple[int, int, int]:
    """Return the digest of what a pair's games share, the pair's number, and the opening's digest.

    An opening consists of the start and its name, for example from a book.
    """
    tags = dict(record.tags)  # faster, because several tags are looked up
    game, setup, position = (tags.get(name, "") for name in ("Game", "Setup", "Position"))
    begun = ascii((game, start_text(game, setup, position), tags.get("Opening", ""))).encode()
    more = (min(seats), max(seats), tags.get("Event", ""), tags.get("Round", ""))
    key, opening = (
        int.from_bytes(blake2b(words, digest_size=8).digest()) - _SIGNED
        for words in (begun + ascii(more).encode(), begun)
    )
    number = tags.get("Number", "")
    # 18 digits always fit into 64 bits.
    is_one = number.isascii() and number.isdecimal() and len(number) <= 18
    return key, (int(number) + 1) // 2 if is_one else 0, opening
