"""Bots that analyse or play for a page, and their messages while they do.

Only bots given to the site. A thread listens to each bot until the page stops reading.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from contextlib import closing, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from lath.arena.engine.analysing import USUAL_BOT, USUAL_NODES, Analyst, AnswerCache
from lath.arena.engine.engine import Engine, EngineError
from lath.arena.engine.reviewing import reviewed
from lath.arena.engine.solving import Solved, said, solve
from lath.arena.errors import ArenaError, ConfigError
from lath.arena.referee.answers import Limit
from lath.arena.site.visitors import GoneError
from lath.games.errors import GameError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence

    from lath.arena.referee.bots import BotSpec
    from lath.games.core import Position
    from lath.notation import Record

    Tell = Callable[[dict[str, Any]], None]
    """A function that sends a message to the page."""

LEVEL: Final = "level"
"""The option for a bot's playing strength, the only one that the site sets."""

MOST: Final = 4
"""The number of bots that think at once; further requests wait."""

LONGEST_WAIT_S: Final = 60.0
"""The time limit of that wait, in seconds."""

IDLE: Final = 6
"""The number of idle bots kept for the next question, each with its last game."""

KEPT_S: Final = 600.0
"""The time they are kept, in seconds: a tree of minutes of search takes hundreds of megabytes."""

LONGEST_REVIEW_S: Final = 600.0
"""The time limit of the review of a game, in seconds."""

EVERY_S: Final = 0.1
"""The shortest time between two messages of a bot to a page, in seconds."""

PATIENCE_S: Final = 5.0
"""The time limit for a bot to stop; later it is ended with this process."""


class BotQuestion(NamedTuple):
    """The question to a bot."""

    bot: str
    level: int | None
    start: Position
    moves: Sequence[str]
    """The moves played from `start`."""

    asked: Position
    """The position after these moves."""

    limit: Limit


class _Player(NamedTuple):
    bot: str
    level: int | None


class _Hands:
    """Threads that stay: the system ends a process with the thread that has started it."""

    def __init__(self) -> None:
        self._jobs: Final[queue.SimpleQueue[Callable[[], None] | None]] = queue.SimpleQueue()
        self._change: Final = threading.Condition()
        self._busy = 0
        self._all = 0

    def do(self, job: Callable[[], None]) -> None:
        """Run the job now, in an idle thread or a new one."""
        with self._change:
            self._busy += 1
            if self._busy > self._all:
                self._all += 1
                threading.Thread(target=self._work, daemon=True).start()
        self._jobs.put(job)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            finally:
                with self._change:
                    self._busy -= 1
                    self._change.notify_all()

    def rest(self, within_s: float) -> None:
        """Wait until all jobs are done, at most for the given time, and end the threads."""
        with self._change:
            self._change.wait_for(lambda: self._busy == 0, within_s)
            for _ in range(self._all):
                self._jobs.put(None)


class Thinkers:
    """The bots of a site by name, with their running processes."""

    def __init__(self, specs: Mapping[str, BotSpec]) -> None:
        """Prepare the bots; each starts with the first question to it."""
        self._specs: Final = dict(specs)
        self._idle: Final[list[tuple[_Player, Engine]]] = []
        self._since_s: Final = WeakKeyDictionary[Engine, float]()
        """The time of each engine's last answer, on the monotonic clock."""
        self._lock: Final = threading.Lock()
        self._places: Final = threading.BoundedSemaphore(MOST)
        self._is_closed: Final = threading.Event()
        self._hands: Final = _Hands()
        threading.Thread(target=self._tidy, daemon=True).start()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the bots."""
        return tuple(self._specs)

    def about(self, bot: str) -> dict[str, Any]:
        """Return a bot's description of itself; raises ConfigError and EngineError.

        `games` has the ids of its games, `level` the lowest, highest and usual level or null.
        """
        with self._engine(_Player(bot, None)) as engine:
            level = engine.options.get(LEVEL)
            return {
                "name": bot,
                "author": engine.author,
                "games": list(engine.games),
                "level": level
                and {"lowest": level.minimum, "highest": level.maximum, "usual": level.initial},
            }

    def solved(self, bot: str, position: Position, limit: Limit) -> Solved:
        """Return a bot's value of a position; raises ConfigError and EngineError."""
        stop = threading.Event()
        if not self._has_place(stop, lambda _: None):
            raise ConfigError("the site is stopping")
        try:
            with self._engine(_Player(bot, None)) as engine:
                return solve(engine, position, limit)
        finally:
            self._places.release()

    def thoughts(self, question: BotQuestion) -> AsyncIterator[dict[str, Any]]:
        """Yield the messages of the bot, and its answer at the end; stops if they are not read.

        Each has a `part`: `info`, `answer` or `error`, see `_thought`. Before them come `waits`
        while too many other bots think, and `begins` when the bot is asked. An error has a `why`,
        such as `crash`, which is empty if the bot is not at fault.
        """
        return self._parts(partial(self._ask, question))

    def reviews(self, record: Record) -> AsyncIterator[dict[str, Any]]:
        """Yield the progress of a review of a game, and the `Review` at the end, like `thoughts`.

        `judged` has the number of plies that are `done`; `review` has the `review`.
        """
        return self._parts(partial(self._review, record))

    async def _parts(
        self, job: Callable[[threading.Event, Tell], None]
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the messages of a job, which stops if they are not read."""
        loop = asyncio.get_running_loop()
        said_so_far: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        stop = threading.Event()

        def tell(part: dict[str, Any] | None) -> None:
            with suppress(RuntimeError):  # the site has ended
                loop.call_soon_threadsafe(said_so_far.put_nowait, part)

        self._hands.do(lambda: self._think(job, stop, tell))
        try:
            while (part := await said_so_far.get()) is not None:
                yield part
        finally:
            stop.set()

    def close(self) -> None:
        """End all bots, and wait until they have stopped thinking."""
        self._is_closed.set()
        self._hands.rest(PATIENCE_S)
        self.dismiss(0.0)

    def _tidy(self) -> None:
        while not self._is_closed.wait(KEPT_S / 10):
            self.dismiss(KEPT_S)

    def dismiss(self, after_s: float) -> None:
        """End the bots that have been idle for `after_s` seconds."""
        with self._lock:
            until_s = time.monotonic() - after_s
            gone = [one for one in self._idle if self._since_s[one[1]] <= until_s]
            for one in gone:
                self._idle.remove(one)
        for _, engine in gone:
            engine.close()

    def _think(
        self,
        job: Callable[[threading.Event, Tell], None],
        stop: threading.Event,
        tell: Callable[[dict[str, Any] | None], None],
    ) -> None:
        try:
            if not self._has_place(stop, tell):
                return
            try:
                job(stop, tell)
            finally:
                self._places.release()
        except (ArenaError, GameError) as error:
            why = error.why if isinstance(error, EngineError) else None
            tell({"part": "error", "error": str(error), "why": str(why or "")})
        finally:
            tell(None)

    def _has_place(self, stop: threading.Event, tell: Tell) -> bool:
        """Wait until fewer bots think; return False if the request was withdrawn."""
        if self._places.acquire(blocking=False):
            return True
        tell({"part": "waits"})
        until_s = time.monotonic() + LONGEST_WAIT_S
        while not (stop.is_set() or self._is_closed.is_set()):
            if self._places.acquire(timeout=EVERY_S):
                return True
            if time.monotonic() > until_s:
                raise ConfigError(f"{MOST} bots are already thinking. Wait until one has answered")
        return False

    def _ask(self, question: BotQuestion, stop: threading.Event, tell: Tell) -> None:
        with self._engine(_Player(question.bot, question.level)) as engine:
            began_s = heard_s = time.monotonic()
            told = None
            with engine.analysis(question.start, question.limit, moves=question.moves) as analysis:
                tell({"part": "begins"})
                while not analysis.is_over:
                    analysis.poll(EVERY_S / 2)
                    if stop.is_set() or self._is_closed.is_set():
                        analysis.stop()
                    now_s = time.monotonic()
                    if analysis.info != told and now_s - heard_s >= EVERY_S:
                        told, heard_s = analysis.info, now_s
                        found = said(told, question.asked, now_s - began_s)
                        tell({"part": "info", **_thought(found)})
                answer = analysis.wait()
            found = said(answer.info, question.asked, answer.used_s)
            tell({"part": "answer", "move": answer.move, **_thought(found)})

    def _review(self, record: Record, stop: threading.Event, tell: Tell) -> None:
        until_s = time.monotonic() + LONGEST_REVIEW_S

        def heed() -> None:
            if stop.is_set() or self._is_closed.is_set():
                raise GoneError
            if time.monotonic() > until_s:
                raise ConfigError("the review exceeds its time limit. Use arena analyze")

        limit = Limit(nodes=USUAL_NODES)
        with (
            suppress(GoneError),
            closing(AnswerCache(None)) as kept,
            self._engine(_Player(USUAL_BOT, None)) as engine,
        ):
            tell({"part": "begins"})
            analyst = Analyst(engine, f"{USUAL_BOT} {limit.time}", limit, kept, heed)
            review = reviewed(record, analyst, lambda done: tell({"part": "judged", "done": done}))
            tell({"part": "review", "review": review})

    @contextmanager
    def _engine(self, player: _Player) -> Iterator[Engine]:
        """Lend an idle process of a bot, or start one; raises ConfigError and EngineError."""
        if player.bot not in self._specs:
            known = ", ".join(self._specs) or "none"
            raise ConfigError(f"bot {player.bot!r} not found; the site has: {known}")
        engine = self._taken(player) or Engine.of(self._specs[player.bot])
        try:
            if player.level not in (None, engine.settings.get(LEVEL)):
                engine.configure({LEVEL: player.level})
        except BaseException:
            engine.close()
            raise
        try:
            yield engine
        finally:
            self._put_back(player, engine)

    def _taken(self, player: _Player) -> Engine | None:
        """Return the bot's idle engine asked last, preferably at this level.

        None if none is idle.
        """
        with self._lock:
            mine = [at for at, (one, _) in enumerate(self._idle) if one.bot == player.bot]
            same = [at for at in mine if self._idle[at][0] == player]
            found = same or ([] if player.level is None else mine)
            return self._idle.pop(found[-1])[1] if found else None

    def _put_back(self, player: _Player, engine: Engine) -> None:
        with self._lock:
            self._idle.append((player, engine))
            self._since_s[engine] = time.monotonic()
            left = len(self._idle) if self._is_closed.is_set() else len(self._idle) - IDLE
            gone = [self._idle.pop(0)[1] for _ in range(max(0, left))]
        for one in gone:
            one.close()


def _thought(found: Solved) -> dict[str, Any]:
    """Return the bot's evaluation, for the side to move.

    The keys are `value`, `words`, `expected` (in -1..1 or null), `depth`, `nodes`, `seconds` and
    `line` (the expected moves).
    """
    return {
        "value": found.value,
        "words": found.words,
        "expected": found.expected,
        "depth": found.depth,
        "nodes": found.nodes,
        "seconds": round(found.seconds, 3),
        "line": list(found.line),
    }
