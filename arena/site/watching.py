"""The live view of a tournament: its standing, and the boards of the games in play.

One watcher reads for all spectators. Each spectator gets all values that changed since the last
message, so a slow reader skips steps and holds up nobody.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from lath.arena.directory import DATABASE
from lath.arena.machine.untrusted_files import text_of
from lath.arena.site.boards import boards_of
from lath.arena.site.rendering import sheet_of
from lath.arena.site.standing import MOST_PLACES, last_glimpses
from lath.arena.tournament.run.live import glimpses_in
from lath.arena.tournament.store.database import stamp_of
from lath.games.core import RESULTS, Move, Position, Side
from lath.games.errors import GameError
from lath.notation.record.tags import number_of
from lath.notation.rules.replay import start_from

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from lath.arena.site.shelf import Item
    from lath.arena.site.standing import SiteStandings

EVERY_S: Final = 0.1
"""The time between two looks at the boards while there are spectators, in seconds."""

STATUS_S: Final = 1.0
"""The time between two looks at the standing, in seconds."""

SHEET_RATE: Final = 20_000
"""Characters per second of the sheet of a running swiss or knockout: a large one is drawn less
often."""

IDLE_S: Final = 15.0
"""The time without news after which a message is sent anyway, to detect dead connections."""

MOST_PLIES: Final = 600
"""The number of last plies to which a spectator can step back."""

RECENT_MOVES: Final = 4
"""The number of last moves that are shown beside a board."""

NO_BOARDS: Final[dict[str, Any]] = {"part": "boards", "slots": [], "are_last": False}


@dataclass(slots=True)
class _Seen:
    """The game of one worker at the last look."""

    start: tuple[object, ...] = ()
    moves: list[str] = field(default_factory=list)
    movers: list[Side] = field(default_factory=list)
    positions: deque[Position] = field(default_factory=lambda: deque(maxlen=MOST_PLIES + 1))
    """The last positions; empty if the game cannot be drawn."""

    values: list[float | None] = field(default_factory=list)
    """The first player's expected score in -1..1 after each move, as the mover reported it."""

    number: float | None = None

    def follow(self, glimpse: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the board of a glimpse; None if it cannot be drawn."""
        names, moves = glimpse.get("names"), glimpse.get("moves")
        if not (_is_texts(names) and len(names) == 2 and _is_texts(moves)):
            return None
        start = tuple(glimpse.get(name) for name in ("number", "game", "setup", "position"))
        try:
            if start != self.start or [*moves[: len(self.moves)]] != self.moves:
                game, setup, position = (str(value or "") for value in start[1:])
                first = start_from(game, setup, position, "")
                self.start, self.moves, self.movers, self.values = start, [], [], []
                self.positions.clear()
                self.positions.append(first)
            for move in moves[len(self.moves) :]:
                before = self.positions[-1]
                self.positions.append(before.play(Move(move)))
                self.moves.append(move)
                self.movers.append(before.to_move)
        except (GameError, KeyError, ValueError, TypeError, IndexError):
            self.start, self.moves = (), []
            self.positions.clear()
        if not self.positions:
            return None
        self.number = number_of(str(glimpse.get("number")))
        said = glimpse.get("said")
        self.values = [*map(_value, self.movers, said if isinstance(said, list | tuple) else ())]
        told = [value for value in self.values if value is not None]
        return {
            "number": self.number,
            "game": text_of(glimpse.get("game")),
            "names": [text_of(name) for name in names],
            "left_s": _pair(glimpse.get("left_s")),
            "ply": len(moves),
            "recent": self.moves[-RECENT_MOVES:],
            "value": told[-1] if told else None,
            **_ended(boards_of(*[*self.positions][-1:-3:-1]), glimpse),
        }

    def history(self) -> dict[str, Any]:
        """Return the moves so far, the values after them, and the boards from the ply `from` on."""
        return {
            "moves": [*self.moves],
            "movers": [int(mover) for mover in self.movers],
            "values": self.values,
            "from": len(self.moves) + 1 - len(self.positions),
            "boards": [*map(boards_of, self.positions, (None, *self.positions))],
        }


def _value(mover: Side, said: object) -> float | None:
    """Return the first player's expected score by what the mover of a ply has said."""
    value = number_of(str(said))
    return value and max(-1.0, min(1.0, value if mover is Side.FIRST else -value))


def _ended(board: dict[str, Any], glimpse: Mapping[str, Any]) -> dict[str, Any]:
    """Return a board with the ending of a stored game that did not end by the rules."""
    result = RESULTS.get(str(glimpse.get("result")))
    if board["is_over"] or result is None:
        return board
    winner = {1.0: 0, 0.0: 1}.get(result.points[0])
    ending = text_of(glimpse.get("termination"))
    return board | {"is_over": True, "winner": winner, "is_loss": True, "ending": ending}


def _is_texts(value: object) -> TypeGuard[Sequence[str]]:
    return isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)


def _pair(value: object) -> list[float | None]:
    """Return a number for each player; None if a bot's value is not a number."""
    pair = value if isinstance(value, list | tuple) and len(value) == 2 else (None, None)
    return [number_of(str(one)) for one in pair]


class Watcher:
    """A watcher of one tournament, which works only while there are spectators."""

    def __init__(
        self,
        item: Item,
        standings: SiteStandings,
        run: Callable[[Mapping[str, Any]], dict[str, Any]] = lambda _: {},
        every_s: float = EVERY_S,
    ) -> None:
        """Watch a tournament; `run` returns the values of `Runs.view` for a standing."""
        self.item: Final = item
        self._standings: Final = standings
        self._run: Final = run
        self._every_s: Final = every_s
        self._parts: dict[str, tuple[int, str]] = {}
        """The parts of the view by name, as JSON, with the number of the look that changed each."""
        self._looks = 0
        self._seen: dict[str, _Seen] = {}
        self._lock: Final = threading.Lock()
        """Held while games are followed, and while one of them is read."""
        self._live: dict[str, float | None] = {}
        """The games last seen in play, by worker."""
        self._kept: set[int] = set()
        """The numbers of the last games that a run has stored: only these are in the report."""
        self._places = 1
        """The number of boards that have room on the page."""
        self._last: tuple[object, list[dict[str, Any]]] = ((), [])
        """The last stored games, with the stamp of their database and their number."""
        self._next_status_s = self._next_sheet_s = 0.0
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_over = False
        self.spectators = 0

    async def stream(self) -> AsyncIterator[str]:
        """Yield the view as server-sent events, until the spectator leaves."""
        self.spectators += 1
        if self._task is None or self._task.done():
            self._parts.clear()  # they may be old
            self._next_status_s = self._next_sheet_s = 0.0
            self._task = asyncio.create_task(self._look_on())
        sent = 0
        try:
            while not self._is_over:
                news, now = self._news, self._looks
                fresh = [text for at, text in self._parts.values() if at > sent]
                sent = now
                if fresh:
                    yield f"data: [{','.join(fresh)}]\n\n"
                elif self._looks == 0:
                    yield ": nothing yet\n\n"
                try:
                    await asyncio.wait_for(news.wait(), IDLE_S)
                except TimeoutError:
                    yield ": nothing new\n\n"
        finally:
            self.spectators -= 1

    def end(self) -> None:
        """End all streams, because the site ends."""
        self._is_over = True
        self._news.set()

    async def _look_on(self) -> None:
        while self.spectators:
            parts = await asyncio.to_thread(self._look)
            for gone in self._parts.keys() - parts.keys() - {"status", "sheet"}:
                del self._parts[gone]
            shown = {name: text for name, (_, text) in self._parts.items()}
            if changed := {name: text for name, text in parts.items() if shown.get(name) != text}:
                self._looks += 1
                self._parts |= {name: (self._looks, text) for name, text in changed.items()}
                self._news.set()
                self._news = asyncio.Event()
            await asyncio.sleep(self._every_s)

    def _look(self) -> dict[str, str]:
        """Return the parts of the view, as JSON by name."""
        parts = {}
        if (now_s := time.monotonic()) >= self._next_status_s:
            self._next_status_s = now_s + STATUS_S
            if fault := self.item.fault():
                gone = {"part": "status", "is_playing": False, "words": [fault]}
                return {"status": json.dumps(gone), "boards": json.dumps(NO_BOARDS)}
            standing = self._standings.of(self.item.path)
            told = {**standing, **self._standings.planned(self.item, standing)}
            parts["status"] = json.dumps({"part": "status", **told, **self._run(standing)})
            self._places = told["places"]
            self._kept = {game["number"] for game in told.get("recent", ())}
            parts |= self._sheet(standing, now_s)
        glimpses = glimpses_in(self.item.path)
        are_last = not glimpses
        if are_last:
            glimpses = self._last_glimpses()
        else:
            self._live = {}
        self._seen = {worker: self._seen.get(worker, _Seen()) for worker in glimpses}
        boards: list[str] = []
        parts["boards"] = ""  # pages must hear first which places are free
        for worker, glimpse in [*glimpses.items()][:MOST_PLACES]:
            with self._lock:
                board = self._seen[worker].follow(glimpse)
            if board is not None:
                boards.append(worker)
                if not are_last:
                    self._live[worker] = board["number"]
                board |= {"slot": worker, "is_kept": are_last or board["number"] in self._kept}
                parts[f"board {worker}"] = json.dumps({"part": "board", **board})
        parts["boards"] = json.dumps({**NO_BOARDS, "slots": boards, "are_last": are_last})
        return parts

    def _sheet(self, standing: Mapping[str, Any], now_s: float) -> dict[str, str]:
        """Return the sheet or bracket, if it is due; the last one is always sent."""
        if standing["is_playing"] and now_s < self._next_sheet_s:
            return {}
        html = sheet_of(standing, self.item.key)
        self._next_sheet_s = now_s + len(html) / SHEET_RATE
        return {"sheet": json.dumps({"part": "sheet", "html": html})} if html else {}

    def _last_glimpses(self) -> dict[str, dict[str, Any]]:
        """Return the last stored games, which are shown when none is in play.

        A game stays at the place where it was played.
        """
        places = len(self._live) or self._places
        stamp = stamp_of(self.item.path / DATABASE), places
        if self._last[0] != stamp:
            fault = self.item.fault()
            found = [] if fault else last_glimpses(self.item.path, places)
            self._last = (stamp if found else (), found)  # a run may have locked the database
        workers = {number: worker for worker, number in self._live.items()}
        games = self._last[1]
        free = iter(set(self._live) - {workers.get(game["number"]) for game in games})
        return {
            workers.get(game["number"]) or next(free, f"last {at}"): game
            for at, game in enumerate(games)
        }

    def history(self, number: float | None) -> dict[str, Any] | None:
        """Return the moves and boards of a game that is shown; None for other games."""
        with self._lock:
            shown = (seen for seen in self._seen.values() if seen.positions)
            found = next((seen for seen in shown if seen.number == number), None)
            return found.history() if found else None
