"""What happens in a worker process: a pair of games in, its result as text out.

`PairJob` and the text of `play_pair` are the seam between schedule and workers: any
`concurrent.futures.Executor` that carries them will do. Must not know the store or the screen.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from typing import Any, Final

from arena.bot import Bot, BotSpec
from arena.clock import Limits
from arena.errors import GameVoidError
from arena.match import play_game
from arena.process import start_no_more
from arena.scorebook import GamePlan, Played
from arena.trees import adopt_orphans, reap_orphans, sweep
from arena.watch import Watch
from notation.writer import format_record

KEPT_BOTS: Final = 4
"""Bots that a worker keeps running between pairs; the longest unused are ended first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairJob:
    """The games of one pair that are still to be played, one after the other."""

    pair: int
    """Unique in its tournament, from 1."""

    games: tuple[GamePlan, ...]
    bots: tuple[BotSpec, BotSpec]
    limits: Limits
    tree: str
    """Marks the processes that the job starts."""

    @property
    def pairing(self) -> frozenset[str]:
        """Return who plays whom."""
        return frozenset(bot.name for bot in self.bots)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """One finished game as the store keeps it."""

    number: int
    round: int
    game: str
    first: str
    second: str
    result: str
    termination: str
    plies: int
    record: str
    """The record in canonical text."""

    used_s: tuple[float, float]
    worst_s: tuple[float, float]
    stray_lines: int
    stderr: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """What became of a job."""

    pair: int
    games: tuple[GameResult, ...]
    void: str = ""
    """Why the pairing must stop: a game was void twice in a row; else empty."""

    voided: int = 0
    """Games that were void once and played again."""

    def as_text(self) -> str:
        """Return the result as JSON on one line."""
        rows = [{name: getattr(game, name) for name in _FIELDS} for game in self.games]
        told = {"pair": self.pair, "games": rows, "void": self.void, "voided": self.voided}
        return json.dumps(told, ensure_ascii=False)


_FIELDS: Final = tuple(GameResult.__dataclass_fields__)


def read_result(text: str) -> PairResult:
    """Return what `PairResult.as_text` wrote."""
    told: dict[str, Any] = json.loads(text)
    results = tuple(
        GameResult(**{**row, "used_s": tuple(row["used_s"]), "worst_s": tuple(row["worst_s"])})
        for row in told["games"]
    )
    return PairResult(pair=told["pair"], games=results, void=told["void"], voided=told["voided"])


class _Team:
    """The bots that this process keeps running."""

    def __init__(self) -> None:
        self.watch = Watch()
        self._bots: dict[tuple[str, str], Bot] = {}
        self._stubborn: set[str] = set()
        """Names of bots that did not end when told to; they are not waited for again."""

    def get(self, spec: BotSpec, tree: str, against: BotSpec | None = None) -> Bot:
        """Return the bot, which may not run yet; a bot against itself is two processes."""
        key = (spec.name, "twin" if against == spec else "")
        bot = self._bots.pop(key, None)
        if bot is None or bot.spec != spec:
            if bot is not None:
                self._end([bot])
            bot = Bot(spec, self.watch, tree=tree)
        self._bots[key] = bot
        return bot

    def trim(self) -> None:
        """End the bots that were not used for longest."""
        spare = list(self._bots)[: max(0, len(self._bots) - KEPT_BOTS)]
        self._end([self._bots.pop(key) for key in spare])

    def quit(self) -> None:
        """End all bots, politely."""
        self._end(list(self._bots.values()))
        self._bots.clear()

    def _end(self, bots: list[Bot]) -> None:
        """Tell bots to end, all at once, so that they have the same second for it."""
        untils = [bot.ask_to_leave() for bot in bots]
        for bot, until_s in zip(bots, untils, strict=True):
            if not bot.leave(0.0 if bot.name in self._stubborn else until_s):
                self._stubborn.add(bot.name)


_team: _Team | None = None


def _own_team() -> _Team:
    global _team  # noqa: PLW0603 - bots outlive a job, and a process has one team
    if _team is None:
        _team = _Team()
        Finalize(None, _team.quit, exitpriority=10)
    return _team


def prepare(alive: Connection, tree: str) -> None:
    """Set a worker process up: it leaves Ctrl-C to the runner and ends when the runner does.

    `alive` is the reading end of a pipe that the runner holds open; `tree` marks what the worker
    starts.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    adopt_orphans()
    threading.Thread(target=_end_with_runner, args=(alive, tree), daemon=True).start()


def _end_with_runner(alive: Connection, tree: str) -> None:
    """Wait until the runner lets go of the pipe, then end all processes of this worker."""
    try:
        with contextlib.suppress(EOFError, OSError):
            alive.recv_bytes()
        start_no_more()  # the other thread would put new bots in the place of dead ones
        sweep(_own_tree(tree))
    finally:
        os._exit(1)


def _own_tree(tree: str) -> str:
    """Return the mark of what this process starts for the run that is marked `tree`."""
    return f"{tree}{os.getpid()}."


def play_pair(job: PairJob) -> str:
    """Play the games of a job and return a PairResult as text.

    A void game is played again once with fresh processes; a second void in a row ends the pair.
    """
    team = _own_team()
    bots = (
        team.get(job.bots[0], _own_tree(job.tree)),
        team.get(job.bots[1], _own_tree(job.tree), job.bots[0]),
    )
    results: list[GameResult] = []
    voided = 0
    void = ""
    for plan in job.games:
        try:
            played, tries = _play_twice(plan, _seated(plan, bots), job.limits, team.watch)
        except GameVoidError as error:
            void = str(error)
            break
        voided += tries
        results.append(_result(plan, played))
    team.trim()
    reap_orphans()
    return PairResult(pair=job.pair, games=tuple(results), void=void, voided=voided).as_text()


def _seated(plan: GamePlan, bots: tuple[Bot, Bot]) -> tuple[Bot, Bot]:
    one, other = bots
    swapped = one.name != plan.names[0]
    return (other, one) if swapped else (one, other)


def _play_twice(
    plan: GamePlan, bots: tuple[Bot, Bot], limits: Limits, watch: Watch
) -> tuple[Played, int]:
    """Return the game and how often it was void before; raises GameVoidError the second time."""
    try:
        return play_game(plan, bots, limits, watch), 0
    except GameVoidError:
        for bot in bots:
            bot.kill()
    try:
        return play_game(plan, bots, limits, watch), 1
    except GameVoidError:
        for bot in bots:
            bot.kill()
        raise


def _result(plan: GamePlan, played: Played) -> GameResult:
    record = played.record
    return GameResult(
        number=plan.number,
        round=plan.round,
        game=plan.game,
        first=plan.names[0],
        second=plan.names[1],
        result=record.result,
        termination=record.termination,
        plies=len(record.plies),
        record=format_record(record),
        used_s=played.used_s,
        worst_s=played.worst_s,
        stray_lines=played.stray_lines,
        stderr=played.stderr,
    )
