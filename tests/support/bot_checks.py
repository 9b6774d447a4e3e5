"""Checks of fake bots in worker processes, a few at a time: they wait more than they compute.

Must not know what must be found in which bot.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import bad_bots
import odd_bots
from bad_bots import Good
from processes import calm_s

from lath.arena.botcheck.check import check
from lath.arena.botcheck.lab import Lab
from lath.arena.botcheck.points import Point, Verdict
from lath.arena.referee import trees
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.notation.protocol import TimeControl

Result = TypeVar("Result")

AT_THE_SAME_TIME: Final = 8

TRIES: Final = 3
"""How often a good bot may look slow because the machine was busy; a fault is found each time."""

TIME: Final = TimeControl(move_ms=400)

SHORT_TIME: Final = TimeControl(move_ms=50)
"""For who computes until its time is over."""

HASTE: Final = {"hello", "little-time", "stop", "rest", "ping", "leaves-nothing"}
"""Points at which a busy machine may make a good bot look slow; that is a warning at worst."""

MAMMALATH_ONLY: Final = (odd_bots.DiesOfSetups, odd_bots.WritesLinesBackwards)


def tried(do: Callable[[], Result], is_fine: Callable[[Result], bool]) -> Result:
    """Return the first result that is fine, or that of the last try."""
    for _ in range(TRIES - 1):
        if is_fine(result := do()):
            return result
    return do()


@dataclass(frozen=True)
class Found:
    """What a check has found in a bot."""

    points: tuple[Point, ...]
    took_s: float
    """On the calm clock."""

    def verdicts(self, *wanted: Verdict) -> dict[str, Verdict]:
        """Return the ids of the points that have one of these verdicts."""
        return {point.id: point.verdict for point in self.points if point.verdict in wanted}


def check_one(name: str, log: Path, only: frozenset[str]) -> Found:
    """Return what is found in one kind of bot at these points; all of them where there are none."""
    began_s = calm_s()
    module = bad_bots if hasattr(bad_bots, name) else odd_bots
    kind: type[Good] = getattr(module, name)
    game = "mammalath" if kind in MAMMALATH_ONLY else "yavalath"
    time = SHORT_TIME if kind is bad_bots.ComputesTooLong else TIME
    limits = Limits(time=time, startup_s=2.0, hard_limit_s=2.0)
    spec = BotSpec(name=name, command=module.command(kind), env={"LOG": str(log)})
    points = check(Lab(spec, (game,), limits=limits), only)
    return Found(tuple(points), calm_s() - began_s)


def check_all(
    kinds: Mapping[str, frozenset[str]], folder: Path, at_the_same_time: int = AT_THE_SAME_TIME
) -> dict[str, Found]:
    """Return what is found in each kind of bot that there is, at its points; see `check_one`.

    Their logs go into the folder.
    """
    from unittest.mock import patch  # takes as long as all else that a worker process loads

    folder.mkdir()
    names = [name for name in kinds if hasattr(bad_bots, name) or hasattr(odd_bots, name)]
    context = multiprocessing.get_context("spawn")
    # Else each process would load the program that runs the tests, too.
    no_program = patch.multiple(sys.modules["__main__"], __file__=None, __spec__=None, create=True)
    with ProcessPoolExecutor(at_the_same_time, context, trees.adopt_orphans) as pool:
        logs = [folder / name for name in names]
        with no_program:
            found = pool.map(check_one, names, logs, [kinds[name] for name in names])
        return dict(zip(names, found, strict=True))
