"""The live view of a tournament: its standing, and the boards of the games in play.

One watcher reads for all spectators. Each spectator gets all values that changed since the last
message, so a slow reader skips steps and holds up nobody.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from lath.arena.directory import DATABASE
from lath.arena.machine.untrusted_files import text_of
from lath.arena.site.boards import boards_of
from lath.arena.site.rendering import sheet_of
from lath.arena.site.standing import last_glimpses
from lath.arena.tournament.run.live import glimpses_in
from lath.arena.tournament.store.database import Stamp, stamp_of
from lath.games.core import RESULTS, Move, Position
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

MOST_BOARDS: Final = 64

NO_BOARDS: Final[dict[str, Any]] = {"part": "boards", "slots": [], "are_last": False}


@dataclass(slots=True)
class _Seen:
    """The game of one worker at the last look."""

    start: tuple[object, ...] = ()
    moves: list[str] = field(default_factory=list)
    position: Position | None = None
    before: Position | None = None

    def follow(self, glimpse: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the board of a glimpse; None if it cannot be drawn."""
        names, moves = glimpse.get("names"), glimpse.get("moves")
        if not (_is_texts(names) and len(names) == 2 and _is_texts(moves)):
            return None
        start = tuple(glimpse.get(name) for name in ("number", "game", "setup", "position"))
        try:
            if start != self.start or [*moves[: len(self.moves)]] != self.moves:
                game, setup, position = (str(value or "") for value in start[1:])
                self.start, self.moves, self.before = start, [], None
                self.position = start_from(game, setup, position, "")
            for move in moves[len(self.moves) :]:
                assert self.position is not None
                self.before, self.position = self.position, self.position.play(Move(move))
                self.moves.append(move)
        except (GameError, KeyError, ValueError, TypeError):
            self.start, self.moves, self.position = (), [], None
        if self.position is None:
            return None
        return {
            "number": number_of(str(glimpse.get("number"))),
            "game": text_of(glimpse.get("game")),
            "names": [text_of(name) for name in names],
            "evals": _pair(glimpse.get("evals")),
            "left_s": _pair(glimpse.get("left_s")),
            "ply": len(moves),
            "last": moves[-1] if moves else "",
            **_ended(boards_of(self.position, self.before), glimpse),
        }


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
        self._last: tuple[Stamp, dict[str, dict[str, Any]]] = ((), {})
        """The last stored games, with the stamp of their database."""
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
            parts["status"] = json.dumps({"part": "status", **standing, **self._run(standing)})
            parts |= self._sheet(standing, now_s)
        glimpses = glimpses_in(self.item.path)
        are_last = not glimpses
        if are_last:
            glimpses = self._last_glimpses()
        self._seen = {worker: self._seen.get(worker, _Seen()) for worker in glimpses}
        boards = []
        for worker, glimpse in [*glimpses.items()][:MOST_BOARDS]:
            if (board := self._seen[worker].follow(glimpse)) is not None:
                boards.append(worker)
                parts[f"board {worker}"] = json.dumps({"part": "board", "slot": worker, **board})
        parts["boards"] = json.dumps({**NO_BOARDS, "slots": boards, "are_last": are_last})
        return parts

    def _sheet(self, standing: Mapping[str, Any], now_s: float) -> dict[str, str]:
        """Return the sheet or bracket, if it is due; the last one is always sent."""
        if standing["is_playing"] and now_s < self._next_sheet_s:
            return {}
        html = sheet_of(standing, self.item.key)
        self._next_sheet_s = now_s + len(html) / SHEET_RATE
        return {"sheet": json.dumps({"part": "sheet", "html": html})}

    def _last_glimpses(self) -> dict[str, dict[str, Any]]:
        """Return the last stored games, which are shown when none is in play."""
        stamp = stamp_of(self.item.path / DATABASE)
        if self._last[0] != stamp:
            fault = self.item.fault()
            self._last = (stamp, {} if fault else last_glimpses(self.item.path))
        return self._last[1]
