"""Runs without games: a test reports the events, and moves the clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from results import a_config, a_result

from lath.arena.errors import Cause
from lath.arena.schedule.budget import UNLIMITED, Budget
from lath.arena.tournament.run.events import (
    GameEnded,
    PairBegan,
    PairEnded,
    PairingStopped,
    RunBegan,
    Waiting,
    Warned,
)
from lath.arena.tournament.run.progress import Progress
from lath.arena.tournament.store.totals import EndingTally, PairTally
from lath.reports.notes.outcome import EventOutcome


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class Told:
    """A run whose events come from a test."""

    def __init__(self, total: int = 12, **config: Any) -> None:
        self.clock = Clock()
        self.progress = Progress(a_config(**config), self.clock)
        self.total = total
        self.pair = 0

    def start(
        self,
        *stored: EndingTally,
        pairs: tuple[PairTally, ...] = (),
        budget: Budget = UNLIMITED,
        members: Mapping[str, str] | None = None,
    ) -> None:
        config = self.progress.config
        self.progress(RunBegan.of(config, stored, pairs, self.total, budget, members=members))

    def begin(self, pair: int, slot: int, names: tuple[str, str] = ("ann", "bob")) -> None:
        self.progress(
            PairBegan(
                pair=pair,
                slot=slot,
                game="yavalath",
                round=1,
                bots=names,
                numbers=(2 * pair - 1, 2 * pair),
            )
        )

    def play(self, *results: str, names: tuple[str, str] = ("ann", "bob"), **more: Any) -> None:
        """Report a pair with these results, with sides swapped after each game."""
        self.pair += 1
        for number, result in enumerate(results):
            seats = (names[1], names[0]) if number % 2 else names
            game = a_result(2 * self.pair - 1 + number, names=seats, result=result, **more)
            self.progress(GameEnded.of(self.pair, game))
        self.progress(PairEnded(pair=self.pair, games=len(results)))

    def warn(self, text: str, cause: Cause | None = None) -> None:
        bot, what = (cause.bot, cause.event) if cause else ("", "")
        self.progress(Warned(text=text, bot=bot, what=what))

    def stop(self, pairing: set[str], why: Cause) -> None:
        self.progress(PairingStopped.of(pairing, why))

    def wait(self, seconds: float = 0.0, **outcome: Any) -> None:
        self.clock.now_s += seconds
        self.progress(Waiting(self.total, lambda: EventOutcome(**{"format": "match", **outcome})))
