"""What games of a tournament, file or database made of a position, for who walks through them.

The games that match a query are kept in memory, as `lath.reports.exploring` has them, for as long
as their file stays as it is; those of a database stay there.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections import Counter, OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lath import games
from lath.arena.directory import DATABASE
from lath.arena.errors import ConfigError, reading
from lath.arena.site.boards import played
from lath.arena.site.playing import LONGEST, Asked, Name, Text, body_of
from lath.arena.site.visitors import GoneError, unless_gone
from lath.arena.tournament.outcome.sources import Doubt, records_of, refuse_damage
from lath.arena.tournament.store.database import stamp_of
from lath.games.errors import GameError
from lath.notation import format_record
from lath.notation.archive.given import GivenGames
from lath.notation.files.files import needed_words
from lath.notation.query.operators import And
from lath.notation.query.query import compile_query, plan_of
from lath.notation.record.record import Record
from lath.reports.exploring.explorer import ExploredGames, Node, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from starlette.requests import Request

    from lath.arena.site.shelf import Item, Shelf
    from lath.games.core import Position

MOST: Final = 100_000
"""Games that are kept in memory, of all that is asked about: 200 MB. Who asks about more at once is
told so, and that a query or a database makes them fewer."""

OF_DATABASE: Final = 50
"""Games of a database that take as much memory as one that is kept."""


_Made = TypeVar("_Made")


class ExploredPosition(Asked):
    """A position of a tournament's or file's games, and which of these count."""

    key: Name
    """What addresses name the tournament, file or database by."""

    where: Text = ""
    """A query; empty: all."""

    game: str = Field(default="", max_length=200)
    """An id; empty: that of which there are most games."""

    setup: Text = ""
    position: Text = ""
    moves: list[Name] = Field(default=[], max_length=LONGEST)


class Archive(Protocol):
    """The games that match a query."""

    @property
    def counts(self) -> dict[str, int]:
        """Return how many there are of each game id, the most first."""

    @property
    def left_out(self) -> int:
        """Return how many records are unsound, or of a game that is not installed."""

    @property
    def room(self) -> int:
        """Return as how many games in memory it counts."""

    def source(self, game: str) -> Source:
        """Return the games of one id."""

    def text(self, number: int) -> str | None:
        """Return the record of a number; None where it is not among them."""

    def close(self) -> None:
        """Forget them."""


@dataclass(slots=True)
class GamesInMemory:
    """Games in memory."""

    by_game: dict[str, ExploredGames] = field(default_factory=dict)
    records: dict[int, Record] = field(default_factory=dict)
    """By their place among all, from 1."""

    left_out: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """Return how many there are of each game id, the most first."""
        return _most_first({name: len(of) for name, of in self.by_game.items()})

    @property
    def room(self) -> int:
        """Return how many there are."""
        return len(self.records)

    def source(self, game: str) -> Source:
        """Return the games of one id."""
        return self.by_game.get(game) or ExploredGames()

    def text(self, number: int) -> str | None:
        """Return the record of a number; None where it is not among them."""
        record = self.records.get(number)
        return None if record is None else format_record(record)

    def close(self) -> None:
        """Forget them."""

    def add(self, number: int, record: Record) -> None:
        """Add one, or count it as left out."""
        try:
            known = self.by_game.get(record.game) or ExploredGames()
            known.add(record, "", number)
        except GameError:
            self.left_out += 1
            return
        self.by_game[record.game] = known
        self.records[number] = record


class InDatabase:
    """Games of a database, which are asked one question at a time."""

    left_out = 0

    def __init__(self, path: Path, where: str) -> None:
        """Open it; raises ConfigError, DatabaseError, GameError and QueryError."""
        try:
            from lath.notation.database.asking import matching  # start-up time
            from lath.notation.database.reading import Database
            from lath.reports.exploring.databases import counts_by_game
        except ImportError as error:
            raise ConfigError(needed_words(error)) from error
        with reading(path):
            self._database: Final = Database(path)
        is_any = bool(where) or self._database.unknown
        asked = plan_of(where) if where else And(())
        self._among: Final = matching(self._database, asked) if is_any else None
        self.counts: Final = _most_first(counts_by_game(self._database, self._among))
        self._by_game: Final[dict[str, Source]] = {}
        self._lock: Final = threading.Lock()

    @property
    def room(self) -> int:
        """Return as how many games in memory they count."""
        return 1 + int(self._database.games) * max(1, len(self._by_game)) // OF_DATABASE

    def source(self, game: str) -> Source:
        """Return the games of one id."""
        from lath.reports.exploring.databases import DatabaseGames  # start-up time

        with self._lock:
            if game not in self._by_game:
                self._by_game[game] = _OneByOne(
                    DatabaseGames(self._database, game, "", self._among), self._lock
                )
            return self._by_game[game]

    def text(self, number: int) -> str | None:
        """Return the record of a number; None where it is not among them."""
        wanted = self._database.none()
        if not 0 < number < len(wanted) or (self._among is not None and not self._among[number]):
            return None
        wanted[number] = True
        with self._lock:
            return next((text for _, text in self._database.texts(wanted)), None)

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._database.close()


@dataclass(frozen=True, slots=True)
class _OneByOne:
    """Games that answer one question at a time."""

    games: Source
    lock: threading.Lock

    def node(self, asked: Position) -> Node:
        """Return what they tell of a position."""
        with self.lock:
            return self.games.node(asked)


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(Counter(counts).most_common())


class Explorer:
    """Answers what pages ask about the games of a shelf."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf: Final = shelf
        self._archives: Final[OrderedDict[tuple[object, ...], Archive]] = OrderedDict()
        self._lock: Final = threading.Lock()
        """Of these: one is read at a time."""
        self._threads: Final = ThreadPoolExecutor(2, "explorer")
        """Of its own: whoever asks about many games holds up nothing else."""

    def routes(self) -> list[Route]:
        """Return what pages ask for."""
        return [
            Route("/api/explore", self._explore, methods=["POST"]),
            Route("/api/records/{key}/{number}", self._record),
        ]

    async def _explore(self, request: Request) -> Response:
        return JSONResponse(
            await self._done(request, self.node, await body_of(request, ExploredPosition))
        )

    async def _done(self, request: Request, work: Callable[..., _Made], *values: object) -> _Made:
        """Do something in a thread, which hears when the visitor has gone; raises GoneError."""
        stop = threading.Event()

        async def done() -> _Made:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, lambda: work(*values, stop))

        try:
            return await unless_gone(request, done())
        finally:
            stop.set()

    async def _record(self, request: Request) -> Response:
        key, number = request.path_params["key"], request.path_params["number"]
        if not re.fullmatch("[0-9]{1,15}", number):
            raise HTTPException(404, "this game does not exist here")
        where = request.query_params.get("where", "")
        archive = await self._done(request, self.archive, key, where)
        if (text := await self._done(request, lambda _: archive.text(int(number)))) is None:
            raise HTTPException(404, "this game does not exist here")
        return JSONResponse({"text": text})

    def node(self, place: ExploredPosition, stop: threading.Event) -> dict[str, Any]:
        """Return the node of a position, and what the page needs besides.

        `of_games`: how many games there are by id; `left_out`: records that do not count; `start`:
        where the moves begin. If nothing is said of that, and no game begins there, it is where the
        first one does. Raises ArenaError, GameError and NotationError.
        """
        archive = self.archive(place.key, place.where, stop)
        game = place.game or next(iter(archive.counts), "")
        if not game:
            raise ConfigError("no game found here" + (" that matches" if place.where else ""))
        source = archive.source(game)
        start = {"game": game, "setup": place.setup, "position": place.position}
        node = source.node(played(**start, moves=place.moves)[-1])
        is_plain = not (place.setup or place.position or place.moves)
        if is_plain and node.begins and not node.here.times:
            start["position"] = node.begins
            node = source.node(games.get(game).position(node.begins))
        more = {"of_games": archive.counts, "left_out": archive.left_out, "start": start}
        return {**node.to_json(), **more}

    def archive(self, key: str, where: str, stop: threading.Event) -> Archive:
        """Return the games of what has this key that match a query; raises GoneError."""
        if (item := self._shelf.get(key)) is None or item.kind == "unreadable":
            raise HTTPException(404, "this tournament or file does not exist here")
        if fault := item.fault():
            raise ConfigError(f"{item.name}: {fault}")
        files = [item.path / DATABASE, item.path] if item.kind == "tournament" else [item.path]
        name = (key, where.strip(), *map(stamp_of, files))
        with self._lock:
            found = self._archives.get(name) or _read(item, where.strip(), stop)
            self._archives[name] = found
            self._archives.move_to_end(name)
            kept = self._archives.values()
            while sum(each.room for each in kept) > MOST and len(kept) > 1:
                self._archives.popitem(last=False)[1].close()
            return found


def _read(item: Item, where: str, stop: threading.Event) -> Archive:
    if stop.is_set():
        raise GoneError
    if item.kind == "database":
        return InDatabase(item.path, where)
    matches = compile_query(where) if where else None
    found = GamesInMemory()
    doubts: list[Doubt] = []
    given = GivenGames()
    for number, record in enumerate(records_of([item.path], doubts), 1):
        if stop.is_set():
            raise GoneError
        if not isinstance(record, Record) or given.is_left_out(record):
            found.left_out += 1
        elif matches is None or matches(record):
            found.add(number, record)
            if len(found.records) > MOST:
                raise ConfigError(
                    f"more than {MOST:,} games: select fewer with a query such as date >= 2026-11, "
                    "or make a database with arena convert"
                )
    refuse_damage(doubts)  # else games would be missing without a word
    return found
