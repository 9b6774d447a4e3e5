"""Who is told what happens in a run: the observer, what it is told in the end, who plays where.

Must not know the screen, nor how games are played.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from lath.arena.schedule.core import Standing
from lath.arena.tournament.jobs import PairJob, PairResult
from lath.arena.tournament.slots import Slot
from lath.arena.tournament.store import Tally
from lath.arena.tournament.totals import BotTotals, PairTally

if TYPE_CHECKING:
    from lath.reports.standings.values import Standings


class Observer(Protocol):
    """Who is told what happens."""

    def started(self, stored: Sequence[Tally], pairs: Sequence[PairTally], total: int) -> None:
        """Be told how the games and pairs that are stored ended, and how many games there are."""

    def began(self, job: PairJob, slot: int) -> None:
        """Be told which pair a slot plays now; slots are counted from 0."""

    def finished(self, result: PairResult) -> None:
        """Be told of games that are stored now."""

    def warned(self, text: str) -> None:
        """Be told of something that people should know."""

    def stopped(self, pairing: Collection[str], why: str) -> None:
        """Be told of two bots that play no more in this run."""

    def waited(self, total: int, standing: Callable[[], Standing]) -> None:
        """Be called now and then; told how many games there are by now, and how it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """How a run ended."""

    done: int
    """Games in the store now."""

    total: int
    stopped: dict[frozenset[str], str]
    """Pairings that were stopped, and why."""

    interrupted: bool
    outcome: Standing = field(default_factory=Standing)
    """How it stands by the rules of its format."""

    bots: tuple[BotTotals, ...] = ()
    """What each bot did in all games stored, by name; empty until the run is over."""

    notes: Mapping[str, int] = field(default_factory=dict)
    """What workers noticed in this run, and in how many pairs."""

    standings: Standings | None = None
    """Of all games stored, once they are published; None before."""

    unreported: Exception | None = None
    """Why there is no report of them: a bug, ours or a game's; None where there is one."""

    @property
    def is_complete(self) -> bool:
        """Return whether every game of the tournament is played."""
        return self.done == self.total


class Stage:
    """What each slot plays, as the observer knows it."""

    def __init__(self, observer: Observer) -> None:
        self._observer: Final = observer
        self._told: list[PairJob] = []
        """What was told and is not over."""

    def show(self, slots: Sequence[Slot]) -> None:
        """Tell of each slot that plays another pair than before."""
        for number, slot in enumerate(slots):
            for job in slot.begun():
                self._enter(number, job)

    def leave(self, slot: int, job: PairJob) -> None:
        """Forget a pair that is over; tell of it before where nobody had looked."""
        self._enter(slot, job)
        self.forget([job])

    def forget(self, jobs: Iterable[PairJob]) -> None:
        """Forget pairs whose worker died; they are told of again when they begin again."""
        for job in jobs:
            self._told = [told for told in self._told if told is not job]

    def _enter(self, slot: int, job: PairJob) -> None:
        if all(told is not job for told in self._told):
            self._told.append(job)
            self._observer.began(job, slot)
