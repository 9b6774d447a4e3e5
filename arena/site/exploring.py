"""The explorer: statistics of the games in a tournament, file or database for a position.

The games that match a query stay in memory while their file is unchanged, as in
`lath.reports.exploring`. Games of a database stay in the database.
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
"""The number of games kept in memory for all requests: 200 MB.

A request with more games gets an error, which suggests a query or a database.
"""

OF_DATABASE: Final = 50
"""The number of a database's games that take as much memory as one kept game."""


_Made = TypeVar("_Made")


class ExploredPosition(Asked):
    """A position in the games of a tournament or file, and a query that selects games."""

    key: Name
    """The key of the tournament, file or database in addresses."""

    where: Text = ""
    """A query; empty for all games."""

    game: str = Field(default="", max_length=200)
    """A game id; empty for the one with the most games."""

    setup: Text = ""
    position: Text = ""
    moves: list[Name] = Field(default=[], max_length=LONGEST)


class Archive(Protocol):
    """The games that match a query."""

    @property
    def counts(self) -> dict[str, int]:
        """Return the number of games by game id, the largest first."""

    @property
    def left_out(self) -> int:
        """Return the number of invalid records, and records of unknown games."""

    @property
    def room(self) -> int:
        """Return the memory it takes, as a number of kept games."""

    def source(self, game: str) -> Source:
        """Return the games of one game id."""

    def text(self, number: int) -> str | None:
        """Return the record of this number; None if it is not among the games."""

    def close(self) -> None:
        """Free the games."""


@dataclass(slots=True)
class GamesInMemory:
    """Games in memory."""

    by_game: dict[str, ExploredGames] = field(default_factory=dict)
    records: dict[int, Record] = field(default_factory=dict)
    """The records by their number in the file, from 1."""

    left_out: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """Return the number of games by game id, the largest first."""
        return _most_first({name: len(of) for name, of in self.by_game.items()})

    @property
    def room(self) -> int:
        """Return the number of records."""
        return len(self.records)

    def source(self, game: str) -> Source:
        """Return the games of one game id."""
        return self.by_game.get(game) or ExploredGames()

    def text(self, number: int) -> str | None:
        """Return the record of this number; None if it is not among the games."""
        record = self.records.get(number)
        return None if record is None else format_record(record)

    def close(self) -> None:
        """Do nothing: the memory is freed with the object."""

    def add(self, number: int, record: Record) -> None:
        """Add a record, or count it as left out."""
        try:
            known = self.by_game.get(record.game) or ExploredGames()
            known.add(record, "", number)
        except GameError:
            self.left_out += 1
            return
        self.by_game[record.game] = known
        self.records[number] = record


class InDatabase:
    """Games of a database, which answers one question at a time."""

    left_out = 0

    def __init__(self, path: Path, where: str) -> None:
        """Open the database; raises ConfigError, DatabaseError, GameError and QueryError."""
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
        """Return the memory it takes, as a number of kept games."""
        return 1 + int(self._database.games) * max(1, len(self._by_game)) // OF_DATABASE

    def source(self, game: str) -> Source:
        """Return the games of one game id."""
        from lath.reports.exploring.databases import DatabaseGames  # start-up time

        with self._lock:
            if game not in self._by_game:
                self._by_game[game] = _OneByOne(
                    DatabaseGames(self._database, game, "", self._among), self._lock
                )
            return self._by_game[game]

    def text(self, number: int) -> str | None:
        """Return the record of this number; None if it is not among the games."""
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
        """Return the statistics of a position."""
        with self.lock:
            return self.games.node(asked)


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(Counter(counts).most_common())


class Explorer:
    """Answers to the explorer pages about the games of a shelf."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf: Final = shelf
        self._archives: Final[OrderedDict[tuple[object, ...], Archive]] = OrderedDict()
        self._lock: Final = threading.Lock()
        """A lock, because only one file is read at a time."""
        self._threads: Final = ThreadPoolExecutor(2, "explorer")
        """Threads of the explorer, so that large requests hold up nothing else."""

    def routes(self) -> list[Route]:
        """Return the routes of the explorer's requests."""
        return [
            Route("/api/explore", self._explore, methods=["POST"]),
            Route("/api/records/{key}/{number}", self._record),
        ]

    async def _explore(self, request: Request) -> Response:
        return JSONResponse(
            await self._done(request, self.node, await body_of(request, ExploredPosition))
        )

    async def _done(self, request: Request, work: Callable[..., _Made], *values: object) -> _Made:
        """Return the result of `work` in a thread, which stops if the visitor leaves.

        Raises GoneError.
        """
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
            raise HTTPException(404, "game not found")
        where = request.query_params.get("where", "")
        archive = await self._done(request, self.archive, key, where)
        if (text := await self._done(request, lambda _: archive.text(int(number)))) is None:
            raise HTTPException(404, "game not found")
        return JSONResponse({"text": text})

    def node(self, place: ExploredPosition, stop: threading.Event) -> dict[str, Any]:
        """Return the statistics of a position, with further values for the page.

        `of_games` has the number of games by id, and `left_out` the number of records that do not
        count. `start` is the start of the line. By default it is the start of the first game, if no
        game begins in the usual position. Raises ArenaError, GameError and NotationError.
        """
        archive = self.archive(place.key, place.where, stop)
        game = place.game or next(iter(archive.counts), "")
        if not game:
            raise ConfigError("no games found" + (" that match" if place.where else ""))
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
        """Return the games of an item that match a query; raises GoneError."""
        if (item := self._shelf.get(key)) is None or item.kind == "unreadable":
            raise HTTPException(404, "tournament or file not found")
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
                    f"more than {MOST:,} games; filter them, for example with date >= 2026-11, or "
                    "make a database with arena convert"
                )
    refuse_damage(doubts)  # Otherwise games would be missing without a message.
    return found
