"""What is seen of a tournament now: how it stands, and the boards of the games that are played.

One watcher looks, however many spectators there are; each is sent what is new to him since he was
sent something last, so that who reads slowly misses steps and holds up nobody. Must not know how
anything is drawn, nor who may look.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lath.arena.errors import ArenaError
from lath.arena.site.boards import boards_of
from lath.arena.tournament.database import is_being_played
from lath.arena.tournament.live import glimpses_in, status_in
from lath.arena.tournament.sources import outcome_in
from lath.games.core import Move, Position
from lath.games.errors import GameError
from lath.notation.replay import start_from

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from pathlib import Path

EVERY_S: Final = 0.1
"""How often one looks at boards, while somebody watches."""

STATUS_S: Final = 1.0
"""How often one looks at how it stands."""

IDLE_S: Final = 15.0
"""After so long without news something is sent all the same, so that a dead line is found out."""

MOST_BOARDS: Final = 64


@dataclass(slots=True)
class _Seen:
    """The game of one worker, as it was looked at last."""

    start: tuple[object, ...] = ()
    moves: list[str] = field(default_factory=list)
    position: Position | None = None
    before: Position | None = None

    def follow(self, glimpse: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the board of a glimpse; None where nothing can be drawn of it."""
        moves = [str(move) for move in glimpse.get("moves", ())]
        start = tuple(glimpse.get(name) for name in ("number", "game", "setup", "position"))
        try:
            if start != self.start or moves[: len(self.moves)] != self.moves:
                game, setup, position = (str(value or "") for value in start[1:])
                self.start, self.moves, self.before = start, [], None
                self.position = start_from(game, setup, position, "")
            for move in moves[len(self.moves) :]:
                assert self.position is not None
                self.before, self.position = self.position, self.position.play(Move(move))
                self.moves.append(move)
        except (GameError, KeyError, ValueError):
            self.start, self.moves, self.position = (), [], None
        if self.position is None:
            return None
        return {
            **{name: glimpse.get(name) for name in ("number", "round", "game")},
            **{name: glimpse.get(name) for name in ("names", "evals", "left_s")},
            "ply": len(moves),
            "last": moves[-1] if moves else "",
            **boards_of(self.position, self.before),
        }


def standing_in(folder: Path, *, is_playing: bool) -> dict[str, Any]:
    """Return how a tournament stands: as its run tells, or as was written when that ended."""
    status = status_in(folder) if is_playing else None
    if status is not None:
        return {**status, "is_playing": True}
    value: dict[str, Any] = {"is_playing": is_playing, "event": "", "tournament": "", "words": []}
    try:
        if outcome := outcome_in([folder]):
            value |= {"event": outcome.event, "tournament": outcome.format, "done": outcome.done}
            value |= {"total": outcome.total, "format": outcome.data, "verdict": outcome.verdict}
            value["words"] = list(outcome.words)
    except ArenaError as error:
        value["words"] = [str(error)]
    value["standings"] = _standings_in(folder)
    return value


def _standings_in(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of the standings that a run has written, the best first."""
    try:
        rows = json.loads((folder / "standings.json").read_bytes())["overall"]["rows"]
        return [
            {
                **{name: row[name] for name in ("name", "games", "points", "wins", "draws")},
                "losses": row["losses"],
                "score": row["score_rate"],
                "elo": {name: row["elo"][name] for name in ("value", "low", "high")},
            }
            for row in rows
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return []


class Watcher:
    """Looks at one tournament while somebody watches it."""

    def __init__(
        self, folder: Path, log: Callable[[], list[str]], every_s: float = EVERY_S
    ) -> None:
        """Take the directory, and what tells the lines that a run of ours has written."""
        self.folder: Final = folder
        self._log: Final = log
        self._every_s: Final = every_s
        self._parts: dict[str, tuple[int, str]] = {}
        """What was seen, by name: the number of the look at which it became so, and JSON."""
        self._looks = 0
        self._seen: dict[str, _Seen] = {}
        self._next_status_s = 0.0
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_over = False
        self.spectators = 0

    async def stream(self) -> AsyncIterator[str]:
        """Yield what there is to see as server-sent events, for as long as somebody reads."""
        self.spectators += 1
        if self._task is None or self._task.done():
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
        """Send nobody anything any more: the site ends."""
        self._is_over = True
        self._news.set()

    async def _look_on(self) -> None:
        while self.spectators:
            parts = await asyncio.to_thread(self._look)
            for gone in self._parts.keys() - parts.keys() - {"status"}:
                del self._parts[gone]
            changed = {name: text for name, text in parts.items() if self._is_new(name, text)}
            if changed:
                self._looks += 1
                self._parts |= {name: (self._looks, text) for name, text in changed.items()}
                self._news.set()
                self._news = asyncio.Event()
            await asyncio.sleep(self._every_s)

    def _is_new(self, name: str, text: str) -> bool:
        return name not in self._parts or self._parts[name][1] != text

    def _look(self) -> dict[str, str]:
        """Return what there is to see, as JSON by name."""
        parts = {}
        now_s = time.monotonic()
        if now_s >= self._next_status_s:
            self._next_status_s = now_s + STATUS_S
            is_playing = is_being_played(self.folder)
            status = standing_in(self.folder, is_playing=is_playing)
            status.pop("time_s", None)
            parts["status"] = json.dumps({"part": "status", **status, "log": self._log()})
        glimpses = glimpses_in(self.folder)
        self._seen = {worker: self._seen.get(worker, _Seen()) for worker in glimpses}
        boards = []
        for worker, glimpse in [*glimpses.items()][:MOST_BOARDS]:
            if (board := self._seen[worker].follow(glimpse)) is not None:
                boards.append(worker)
                parts[f"board {worker}"] = json.dumps({"part": "board", "slot": worker, **board})
        parts["boards"] = json.dumps({"part": "boards", "slots": boards})
        return parts
