"""A tournament from start to end: the schedule minus what is stored, workers, the store.

Must not know the screen: it tells an `Observer`. The seam to the workers is
`concurrent.futures.Executor` with a `PairJob` and a text (`jobs.py`).
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, wait
from contextlib import suppress
from functools import partial
from typing import Final

from lath.arena.errors import StoreError
from lath.arena.referee.trees import sweep
from lath.arena.schedule.core import Openings
from lath.arena.tournament import cores
from lath.arena.tournament.agenda import Agenda, Tags
from lath.arena.tournament.config import Config
from lath.arena.tournament.exporting import Exports
from lath.arena.tournament.jobs import PairJob, PairResult, read_result
from lath.arena.tournament.keeper import PATIENCE_S, Keeper
from lath.arena.tournament.observer import Observer, Stage, Summary
from lath.arena.tournament.outcomes import keep, outcome_of
from lath.arena.tournament.pace import Pace
from lath.arena.tournament.signals import on_signals
from lath.arena.tournament.slots import Slot, Worker, end
from lath.arena.tournament.store import Store

WAKE_S: Final = 0.1
"""How long a signal waits at most."""

MAX_BREAKS: Final = 3
"""Times that a job may take its worker with it before its pairing is stopped."""

PARTING_S: Final = 5.0
"""Time that the workers have in the end, together: their bots may take a second to quit."""


class Runner:
    """Plays what is left of a tournament."""

    def __init__(
        self,
        config: Config,
        store: Store,
        observer: Observer,
        *,
        tree: str = "",
        tags: Tags = (),
        openings: Openings | None = None,
        executor: Callable[[str, cores.Cores], Executor] = Worker,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`tree` begins the marks of all processes that the run starts.

        `executor` makes a worker, told that mark and the cores that are its alone, none if any
        will do; it must end its bots when the runner is gone. `tags` stand in every record;
        without `openings` setups are drawn. `patience_s` is how long to wait for room on a full
        disk. Raises StoreError.
        """
        self._executor: Final = executor
        self._config: Final = config
        self._store: Final = store
        self._keeper: Final = Keeper(store, observer.warned, patience_s=patience_s)
        self._observer: Final = observer
        self._tree: Final = f"{tree}{secrets.token_hex(8)}."
        self._agenda: Final = Agenda(config, store, tree=self._tree, openings=openings, tags=tags)
        self._breaks: dict[int, int] = {}
        self._pace: Final = Pace(config.jobs)
        self._workers: list[Slot] = []
        self._stage: Final = Stage(observer)
        self._notes: Counter[str] = Counter()
        self._interrupted = False
        self._exports: Final = Exports(store.folder, self._export, observer.warned)

    def run(self) -> Summary:
        """Play until all is done or a signal comes; then write `games.lath`.

        Raises StoreError when results cannot be kept; what was kept stays.
        """
        store = self._store
        self._observer.started(store.tally(), store.pairs(), self._agenda.total)
        try:
            with on_signals(self._interrupt):
                self._play()
        except BaseException:
            with suppress(StoreError):  # what came first is what people should hear of
                self._store.export()
            raise
        self._store.export()
        return self.summary()

    def summary(self) -> Summary:
        """Return how it stands; what is complete was not interrupted."""
        agenda = self._agenda
        return Summary(
            done=agenda.done,
            total=agenda.total,
            stopped=agenda.stopped,
            interrupted=self._interrupted and agenda.done < agenda.total,
            outcome=agenda.standing(),
            notes=self._notes,
        )

    def _interrupt(self) -> None:
        """Take the first signal as the wish to stop, the second as an order."""
        if self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = True

    def _play(self) -> None:
        slots = self._workers = self._slots()
        try:
            self._feed(slots)
            self._stage.show(slots)
            while not self._interrupted and self._is_busy(slots):
                self._collect(slots, WAKE_S)
                if not self._keeper.is_waiting:
                    self._feed(slots)
                self._stage.show(slots)
                self._observer.waited(self._agenda.total, self._agenda.standing)
            self._collect(slots, 0.0, at_once=True)  # what is finished when a signal comes counts
            if not self._interrupted:
                for slot in slots:
                    slot.close()
                end(slots, within_s=PARTING_S)
        except KeyboardInterrupt:  # an order to stop, not to forget
            for _, result in self._keeper.kept(at_once=True):
                self._agenda.report(result.games)
            self._keep_lost(at_once=True)
            raise
        finally:
            for slot in slots:  # whoever still works ends its bots now
                slot.abandon()
            end(slots, within_s=2.0)
            sweep(self._tree)
        for slot in slots:
            if slot.worker:
                self._note(slot.worker.notes)

    def _is_busy(self, slots: list[Slot]) -> bool:
        """Return whether games are played, or what is decided is still to be stored."""
        return self._keeper.is_waiting or bool(self._agenda.lost) or any(s.jobs for s in slots)

    def _slots(self) -> list[Slot]:
        config = self._config
        count = config.jobs
        threads = max(bot.threads for bot in config.bots)
        shares = cores.shares(count, threads, cores.available()) if config.pin == "auto" else None
        if config.pin == "auto" and shares is None:
            needed = count * threads
            games = "1 game needs" if count == 1 else f"{count} games at a time need"
            self._observer.warned(f"{games} {needed} cores: nothing is pinned")
        return [
            Slot(partial(self._executor, self._tree, share)) for share in shares or [()] * count
        ]

    def _note(self, notes: Iterable[str]) -> None:
        """Count what is odd, and tell of it when it comes for the first time."""
        for note in notes:
            if note not in self._notes:
                self._observer.warned(note)
            self._notes[note] += 1

    def _feed(self, slots: list[Slot]) -> None:
        """Keep every worker's window full; the emptiest first."""
        for depth in range(self._pace.window):
            for slot in slots:
                if len(slot.jobs) > depth or self._interrupted:
                    continue
                job = self._agenda.next()
                if job is None:
                    return
                self._hand(slot, job)

    def _hand(self, slot: Slot, job: PairJob) -> None:
        """Give a worker a job, or its successor, where it died without being noticed."""
        try:
            slot.submit(job)
        except BrokenExecutor:
            self._take_back(slot)
            slot.submit(job)

    def _collect(self, slots: list[Slot], within_s: float, *, at_once: bool = False) -> None:
        """Store what is ready, in one transaction, and put it on the screen.

        On a full disk it waits for a later call. Raises DiskError where that never comes.
        """
        futures = [future for slot in slots for future in slot.jobs]
        done, _ = wait(futures, within_s, FIRST_COMPLETED)
        time.sleep(within_s if self._keeper.is_waiting and not futures else self._pace.gather_s)
        results = []
        for number, slot in enumerate(slots):
            for future in [future for future in slot.jobs if done and future.done()]:
                try:
                    result = read_result(future.result())
                except BrokenExecutor:
                    self._take_back(slot)
                    break
                job = slot.jobs.pop(future)
                self._stage.leave(number, job)
                results.append((job, result))
        self._pace.count(len(results))
        self._keeper.take(results)
        for job, result in self._keeper.kept(at_once=at_once):
            self._judge(job, result)
        self._keep_lost(at_once=at_once)
        if not self._keeper.is_waiting:
            self._exports.sometimes(self._agenda.done)

    def _keep_lost(self, *, at_once: bool) -> None:
        """Store what was lost by walkover: it counts then. Raises DiskError as `_collect` does."""
        if self._keeper.keeps_lost(self._agenda.lost, at_once=at_once):
            self._agenda.lose()

    def _take_back(self, slot: Slot) -> None:
        """Replace a worker that died; play its pair again, and the one it had not begun."""
        lost = slot.replace()
        self._agenda.put_back(lost)
        self._stage.forget(lost)
        self._sweep_lost()
        if not lost or self._interrupted:
            return
        broken = lost[0]
        breaks = self._breaks[broken.pair] = self._breaks.get(broken.pair, 0) + 1
        self._observer.warned(f"a worker died in pair {broken.pair}; the pair is played again")
        if breaks >= MAX_BREAKS:
            self._stop(broken, f"pair {broken.pair} ended its worker {breaks} times", None)

    def _sweep_lost(self) -> None:
        """End what dead workers have left, and spare what belongs to the living."""
        pids = [slot.worker.pid for slot in self._workers if slot.worker]
        sweep(self._tree, spare=[f"{self._tree}{pid}." for pid in pids])

    def _judge(self, job: PairJob, result: PairResult) -> None:
        if result.voided:
            self._observer.warned(
                f"{' - '.join(sorted(job.pairing))}: {result.voided} void, played again"
            )
        self._note(result.notes)
        self._agenda.report(result.games)
        if result.void:
            self._stop(job, result.void, result.void_bot or None)
        self._observer.finished(result)

    def _stop(self, job: PairJob, why: str, loser: str | None) -> None:
        if self._agenda.stop(job, why, loser):
            self._observer.stopped(job.pairing, why)

    def _export(self) -> None:
        """Write for others how far it is; raises StoreError."""
        self._store.export()
        keep(self._store.folder, outcome_of(self._config, self.summary()))
