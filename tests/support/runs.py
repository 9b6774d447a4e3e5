"""Runs without games: what a runner would tell, told by hand, with a clock that tests move."""

from __future__ import annotations

from typing import Any

from results import a_config, a_result

from lath.arena.referee.record import GamePlan
from lath.arena.schedule.core import Standing
from lath.arena.tournament.events import Progress
from lath.arena.tournament.worker import PairJob, PairResult


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class Told:
    """A run of which a test tells what happens."""

    def __init__(self, total: int = 12, **config: Any) -> None:
        self.clock = Clock()
        self.progress = Progress(a_config(**config), self.clock)
        self.total = total
        self.pair = 0

    def start(self) -> None:
        self.progress.started([], [], self.total)

    def begin(self, pair: int, slot: int, names: tuple[str, str] = ("ann", "bob")) -> None:
        specs = {bot.name: bot for bot in self.progress.config.bots}
        plans = tuple(
            GamePlan(number=number, round=1, game="yavalath", setup=None, names=seats, seeds=(1, 2))
            for number, seats in ((2 * pair - 1, names), (2 * pair, names[::-1]))
        )
        one, other = names
        self.progress.began(
            PairJob(
                pair=pair,
                games=plans,
                bots=(specs[one], specs[other]),
                limits=self.progress.config.limits,
                tree="",
            ),
            slot,
        )

    def play(self, *results: str, names: tuple[str, str] = ("ann", "bob"), **more: Any) -> None:
        """Tell of a pair with these results, the seats changing after each game."""
        self.pair += 1
        games = tuple(
            a_result(
                2 * self.pair - 1 + number,
                names=(names[1], names[0]) if number % 2 else names,
                result=result,
                **more,
            )
            for number, result in enumerate(results)
        )
        self.progress.finished(PairResult(pair=self.pair, games=games))

    def wait(self, seconds: float = 0.0, standing: Standing | None = None) -> None:
        self.clock.now_s += seconds
        self.progress.waited(self.total, lambda: standing or Standing())
