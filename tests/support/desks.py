"""Runs of the real runner over a real store, in which a test decides each pair."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING, Any

from results import a_config, a_result

from lath.arena.schedule.budget import UNLIMITED, Budget
from lath.arena.tournament.run import slots
from lath.arena.tournament.run.events import (
    BotBenched,
    Event,
    PairBegan,
    PairEnded,
    PairingStopped,
    RunBegan,
    Waiting,
    Warned,
)
from lath.arena.tournament.run.progress import RunSummary
from lath.arena.tournament.run.runner import Runner
from lath.arena.tournament.store.jobs import PairJob, PairResult
from lath.arena.tournament.store.store import Store

if TYPE_CHECKING:
    import pytest

Play = Callable[[PairJob], str]


class Watcher:
    """Remembers the runner's events."""

    def __init__(self) -> None:
        self.starts: list[tuple[int, int]] = []
        self.running: list[tuple[int, int]] = []
        """Pairs with their slots."""
        self.results: list[PairEnded] = []
        self.warnings: list[str] = []
        self.signals: list[signal.Signals] = []
        """Signals that follow the next results."""

    def __call__(self, event: Event | Waiting) -> None:
        match event:
            case RunBegan():
                games = sum(pair.games * pair.pairs for pair in event.stored_pairs)
                assert games == sum(tally.games for tally in event.stored)
                self.starts.append((games, event.total))
            case PairBegan():
                self.running.append((event.pair, event.slot))
            case PairEnded():
                self.results.append(event)
                while self.signals:
                    os.kill(os.getpid(), self.signals.pop())
            case Warned():
                self.warnings.append(event.text)
            case BotBenched():
                self.warnings.append(event.words)
            case PairingStopped():
                self.warnings.append(f"{' - '.join(event.bots)}: {event.why}")


class Inline(Executor):
    """Plays at once in this process; BrokenProcessPool breaks it."""

    def __init__(self) -> None:
        self.is_broken = False

    def submit(self, play: Callable[..., Any], /, *jobs: Any, **_: Any) -> Future[Any]:
        if self.is_broken:
            raise BrokenProcessPool
        future: Future[Any] = Future()
        try:
            future.set_result(play(*jobs))
        except BrokenProcessPool as error:
            self.is_broken = True
            future.set_exception(error)
        except ValueError as error:
            future.set_exception(error)
        return future


def all_won(job: PairJob) -> str:
    """Return a first-player win in each game of a job, without playing."""
    games = tuple(a_result(plan.number, names=plan.names) for plan in job.games)
    return PairResult(pair=job.pair, games=games).as_text()


class Desk:
    """A store and runs that play nothing."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.store = Store(folder)
        self.patch = patch
        self.watcher = Watcher()
        self.played: Counter[int] = Counter()
        self.worker: Callable[[], Executor] = Inline

    def run(
        self,
        play: Play = all_won,
        *,
        patience_s: float = 600.0,
        budget: Budget = UNLIMITED,
        clock: Callable[[], float] = time.monotonic,
        unbench: Sequence[str] = (),
        **config: Any,
    ) -> RunSummary:
        def counted(job: PairJob) -> str:
            text = play(job)
            self.played.update(plan.number for plan in job.games)
            return text

        self.patch.setattr(slots, "play_pair", counted)
        runner = Runner(
            a_config(**config),
            self.store,
            self.watcher,
            executors=lambda *_: self.worker(),
            patience_s=patience_s,
            budget=budget,
            clock=clock,
        )
        for name in unbench:
            runner.unbench(name)
        return runner.run()
