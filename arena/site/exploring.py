"""What games of a tournament or file made of a position, for who walks through them on a page.

The games that match a query are kept in memory, as `lath.reports.explorer` has them, for as long as
their file stays as it is. Must not know pages.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lath import games
from lath.arena.errors import ConfigError
from lath.arena.site.boards import played
from lath.arena.site.playing import LONGEST, Asked, Name, Text, body_of
from lath.arena.tournament.database import DATABASE, stamp_of
from lath.arena.tournament.sources import records_of
from lath.games.errors import GameError
from lath.notation import format_record
from lath.notation.query import compile_query
from lath.notation.record import Record
from lath.reports.explorer import Games

if TYPE_CHECKING:
    from starlette.requests import Request

    from lath.arena.site.shelf import Item, Shelf

MOST: Final = 100_000
"""Games that are kept in memory, of all that is asked about: 200 MB. Who asks about more at once is
told so, and that a query makes them fewer."""


class Place(Asked):
    """A position of a tournament's or file's games, and which of these count."""

    key: Name
    """What addresses name the tournament or file by."""

    where: Text = ""
    """A query; empty: all."""

    game: str = Field(default="", max_length=200)
    """An id; empty: that of which there are most games."""

    setup: Text = ""
    position: Text = ""
    moves: list[Name] = Field(default=[], max_length=LONGEST)


@dataclass(slots=True)
class Archive:
    """The games that match a query."""

    by_game: dict[str, Games] = field(default_factory=dict)
    records: dict[int, Record] = field(default_factory=dict)
    """By their place among all, from 1."""

    left_out: int = 0
    """Records that are unsound, or of a game that is not installed."""

    @property
    def counts(self) -> dict[str, int]:
        """Return how many there are of each game id, the most first."""
        return dict(Counter({name: len(of) for name, of in self.by_game.items()}).most_common())

    def add(self, number: int, record: Record) -> None:
        """Add one, or count it as left out."""
        try:
            known = self.by_game.get(record.game) or Games()
            known.add(record, "", number)
        except GameError:
            self.left_out += 1
            return
        self.by_game[record.game] = known
        self.records[number] = record


class Explorer:
    """Answers what pages ask about the games of a shelf."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf: Final = shelf
        self._archives: Final[OrderedDict[tuple[object, ...], Archive]] = OrderedDict()
        self._lock: Final = threading.Lock()
        """Of these: one is read at a time."""

    def routes(self) -> list[Route]:
        """Return what pages ask for."""
        return [
            Route("/api/explore", self._explore, methods=["POST"]),
            Route("/api/records/{key}/{number:int}", self._record),
        ]

    async def _explore(self, request: Request) -> Response:
        place = await body_of(request, Place)
        return JSONResponse(await asyncio.to_thread(self.node, place))

    async def _record(self, request: Request) -> Response:
        key, number = request.path_params["key"], request.path_params["number"]
        where = request.query_params.get("where", "")
        archive = await asyncio.to_thread(self.archive, key, where)
        if number not in archive.records:
            raise HTTPException(404, "there is no such game here")
        return JSONResponse({"text": format_record(archive.records[number])})

    def node(self, place: Place) -> dict[str, Any]:
        """Return the node of a position as docs/explore.md has it, and what the page needs besides.

        `of_games`: how many games there are by id; `left_out`: records that do not count; `start`:
        where the moves begin. If nothing is said of that, and no game begins there, it is where the
        first one does. Raises ArenaError, GameError and NotationError.
        """
        archive = self.archive(place.key, place.where)
        game = place.game or next(iter(archive.counts), "")
        if not game:
            raise ConfigError("there is no game here" + (" that matches" if place.where else ""))
        source = archive.by_game.get(game) or Games()
        start = {"game": game, "setup": place.setup, "position": place.position}
        node = source.node(played(**start, moves=place.moves)[-1])
        is_plain = not (place.setup or place.position or place.moves)
        if is_plain and node.begins and not node.here.times:
            start["position"] = node.begins
            node = source.node(games.get(game).position(node.begins))
        more = {"of_games": archive.counts, "left_out": archive.left_out, "start": start}
        return {**node.to_json(), **more}

    def archive(self, key: str, where: str) -> Archive:
        """Return the games of what has this key that match a query."""
        item = self._shelf.get(key)
        if item is None:
            raise HTTPException(404, "there is no such tournament or file here")
        files = [item.path / DATABASE, item.path] if item.kind == "tournament" else [item.path]
        name = (key, where.strip(), *map(stamp_of, files))
        with self._lock:
            found = self._archives.get(name) or _read(item, where.strip())
            self._archives[name] = found
            self._archives.move_to_end(name)
            while sum(len(one.records) for one in self._archives.values()) > MOST:
                self._archives.popitem(last=False)
            return found


def _read(item: Item, where: str) -> Archive:
    matches = compile_query(where) if where else None
    found = Archive()
    for number, record in enumerate(records_of([item.path], []), 1):
        if not isinstance(record, Record):
            found.left_out += 1
        elif matches is None or matches(record):
            found.add(number, record)
            if len(found.records) > MOST:
                raise ConfigError(
                    f"there are more than {MOST:,} games: a query such as date >= 2026-11 makes "
                    "them fewer, and arena explore takes any number"
                )
    return found
