"""Checks of fake bots in a few parallel worker processes, since they mostly wait.

Must not know the expected findings of any bot.
"""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from processes import calm_s

from lath.arena.botcheck.check import check
from lath.arena.botcheck.lab import Lab
from lath.arena.botcheck.points import CheckPoint, Verdict
from lath.arena.botcheck.steps import HEARD
from lath.arena.referee import process_trees
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.notation.protocol import TimeControl

Result = TypeVar("Result")

AT_THE_SAME_TIME: Final = 8

TRIES: Final = 3
"""The number of tries for a good bot, which may look slow on a busy machine."""

AROUND: Final = frozenset({"banner", "name", "games", "options", "wants", "first", "quit"})
"""Checks that also run for a bad bot, and must find nothing else."""

HASTE: Final = {"hello", "little-time", "stop", "rest", "ping", "leaves-nothing"}
"""Checks in which a busy machine can make a good bot look slow; at worst that is a warning."""


def tried(do: Callable[[], Result], is_fine: Callable[[Result], bool]) -> Result:
    """Return the first good result, or that of the last try."""
    for _ in range(TRIES - 1):
        if is_fine(result := do()):
            return result
    return do()


@dataclass(frozen=True)
class Found:
    """The findings of a check."""

    points: tuple[CheckPoint, ...]
    took_s: float

    def verdicts(self, *wanted: Verdict) -> dict[str, Verdict]:
        """Return the ids of the checks with one of these verdicts."""
        return {point.id: point.verdict for point in self.points if point.verdict in wanted}

    def odd_points(self) -> list[str]:
        """Return the ids of checks that lack an explanation, or explain what needs no fix."""
        heard = {step.id for step in HEARD} | {"starts"}
        wrong = []
        for point in self.points:
            is_bad, is_noted = point.verdict.is_bad, point.verdict is Verdict.NOTE
            is_explained = bool(point.mend) == is_bad or is_noted
            is_shown = bool(point.exchange) == (is_bad and point.id not in heard)
            wrong += [] if point.seen and is_explained and is_shown else [point.id]
        return wrong


@dataclass(frozen=True)
class Check:
    """The settings of a check."""

    command: tuple[str, ...]
    only: frozenset[str] = frozenset()
    """Ids of checks; empty for all."""

    game: str = "yavalath"
    is_patient: bool = False
    """True for a process that answers in time, however busy the machine is."""

    is_hasty: bool = False
    """True for a bot that computes until its time is over."""

    def found(self, log: Path, clock: Callable[[], float] = calm_s) -> Found:
        """Check the bot in this process, with a log file."""
        began_s = clock()
        move_ms = 10_000 if self.is_patient else 50 if self.is_hasty else 400
        time, startup_s = TimeControl(move_ms=move_ms), 20.0 if self.is_patient else 2.0
        limits = Limits(time=time, startup_s=startup_s, hard_limit_s=2.0)
        spec = BotSpec(name="bot", command=self.command, env={"LOG": str(log)})
        points = check(Lab(spec, (self.game,), limits=limits), self.only)
        return Found(tuple(points), clock() - began_s)


def check_all(checks: Mapping[str, Check], folder: Path) -> dict[str, Found]:
    """Return the findings of each bot; their logs go into `folder`."""
    folder.mkdir()
    context = multiprocessing.get_context("fork")  # other methods would load the arena again
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads hold no lock
        with ProcessPoolExecutor(AT_THE_SAME_TIME, context, process_trees.adopt_orphans) as pool:
            logs = [folder / name for name in checks]
            return dict(zip(checks, pool.map(Check.found, checks.values(), logs), strict=True))
