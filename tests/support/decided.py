"""Runs of the real runner with results from a test instead of bots."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

from quick_runs import AtOnce, play_nothing

from lath.arena.referee.record import GamePlan, GameResult
from lath.arena.tournament.run import folder as directory
from lath.arena.tournament.run.runner import Runner
from lath.arena.tournament.store.jobs import PairJob, PairResult

if TYPE_CHECKING:
    import pytest

Decide = Callable[[GamePlan, PairJob], GameResult]


class _Decided(AtOnce):
    """An executor that gives each job's result at once, from a function."""

    def __init__(self, decide: Decide) -> None:
        super().__init__([])
        self._decide = decide

    def submit(self, _play: Callable[..., Any], /, *jobs: Any, **_: Any) -> Future[Any]:
        (job,) = jobs
        future: Future[Any] = Future()
        games = tuple(self._decide(plan, job) for plan in job.games)
        future.set_result(PairResult(pair=job.pair, games=games).as_text())
        return future


def decide_games(patch: pytest.MonkeyPatch, decide: Decide) -> None:
    """Let runs in this process use the results of a function."""
    play_nothing(patch)
    patch.setattr(directory, "Runner", partial(Runner, executors=lambda *_: _Decided(decide)))
