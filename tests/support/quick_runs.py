"""Runs of the real runner over a real store without playing: every game is won at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

from results import a_config, a_result

from lath.arena.flows import matches, runs
from lath.arena.referee import process_trees
from lath.arena.referee.record import GamePlan, GameResult
from lath.arena.tournament.run import folder as directory
from lath.arena.tournament.run import worker
from lath.arena.tournament.run.events import Event, GameEnded, Waiting, Warned
from lath.arena.tournament.run.progress import RunSummary
from lath.arena.tournament.run.runner import Runner
from lath.arena.tournament.store.jobs import PairJob, PairResult
from lath.arena.tournament.store.store import Store

if TYPE_CHECKING:
    import pytest


class AtOnce(Executor):
    """Gives a job's result at once, and remembers the games."""

    def __init__(self, played: list[int]) -> None:
        self._played = played

    def submit(self, _play: Callable[..., Any], /, *jobs: Any, **_: Any) -> Future[Any]:
        (job,) = jobs
        future: Future[Any] = Future()
        future.set_result(won(job))
        self._played.extend(plan.number for plan in job.games)
        return future


def won(job: PairJob) -> str:
    """Return a first-player win in each game of a job."""
    games = tuple(
        _tagged(a_result(plan.number, names=plan.names, game=plan.game, round=plan.round), plan)
        for plan in job.games
    )
    return PairResult(pair=job.pair, games=games).as_text()


def _tagged(game: GameResult, plan: GamePlan) -> GameResult:
    """Return a game with its tournament's tags, such as its match day."""
    more = [(name, value) for name, value in plan.tags if f'[{name} "' not in game.record]
    lines = "".join(f'[{name} "{value}"]\n' for name, value in more)
    return replace(game, record=game.record.replace("[Number", f"{lines}[Number", 1))


class InThisProcess(Executor):
    """Plays a job at once with bots of its own, as a worker does."""

    def __init__(self) -> None:
        self._team: Final = worker._Team()  # that of this process stays for ever

    def submit(self, play: Callable[..., Any], /, *jobs: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with mock.patch.object(worker, "_own_team", return_value=self._team):
            future.set_result(play(*jobs))
        return future

    def shutdown(self, *_: object, **__: object) -> None:
        self._team.trim(0)


def play_here(patch: pytest.MonkeyPatch) -> None:
    """Let `arena run` play in this process without workers; starting one takes 0.1 s."""
    patch.setattr(
        process_trees, "reap_orphans", lambda: None
    )  # the children of this process are not bots
    patch.setattr(directory, "Runner", partial(Runner, executors=lambda *_: InThisProcess()))


class Watcher:
    """Remembers the runner's events about games and failures."""

    def __init__(self) -> None:
        self.stored: list[int] = []
        self.warnings: list[str] = []
        self.on_warning: Callable[[], None] = lambda: None
        self.on_wait: Callable[[], None] = lambda: None

    def __call__(self, event: Event | Waiting) -> None:
        match event:
            case GameEnded():
                self.stored.append(event.number)
            case Warned():
                self.warnings.append(event.text)
                self.on_warning()
            case Waiting():
                self.on_wait()


def play_nothing(patch: pytest.MonkeyPatch) -> None:
    """Let every game of `arena run` in this process be won at once, without bots."""
    runner = partial(Runner, executors=lambda *_: AtOnce([]))
    patch.setattr(directory, "Runner", runner)
    patch.setattr(directory, "greet_bots", lambda *_, **__: {})
    patch.setattr(runs, "refuse_newcomers", lambda *_: None)


class Wins(AtOnce):
    """Lets the bot of this name win every game, by default the first player."""

    def __init__(self, name: str, **more: Any) -> None:
        super().__init__([])
        self._name = name
        self._more = more

    def submit(self, _play: Callable[..., Any], /, *given: Any, **_: Any) -> Future[Any]:
        (job,) = given
        assert isinstance(job, PairJob)
        future: Future[Any] = Future()
        results = ["0-1" if plan.names[1] == self._name else "1-0" for plan in job.games]
        played = [
            a_result(plan.number, names=plan.names, result=result, **self._more)
            for plan, result in zip(job.games, results, strict=True)
        ]
        future.set_result(PairResult(pair=job.pair, games=tuple(played)).as_text())
        return future


def won_by(monkeypatch: pytest.MonkeyPatch, name: str, **more: Any) -> None:
    """Let a bot win all games of a match in this process, without starting bots.

    `more` are fields of each result.
    """
    play_nothing(monkeypatch)
    runner = partial(Runner, executors=lambda *_: Wins(name, **more))
    monkeypatch.setattr(directory, "Runner", runner)
    monkeypatch.setattr(matches, "both_play", lambda *_, **__: ["yavalath"])
    monkeypatch.setattr(runs, "play", partial(directory.run, with_report=False))


class QuickRun:
    """A tournament of six games per round, which can be run several times over one store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.watcher = Watcher()
        self.played: list[int] = []

    def run(self, *, rounds: int, jobs: int = 2, patience_s: float = 600.0) -> RunSummary:
        runner = Runner(
            a_config(rounds=rounds, jobs=jobs),
            self.store,
            self.watcher,
            executors=lambda *_: AtOnce(self.played),
            patience_s=patience_s,
        )
        return runner.run()
