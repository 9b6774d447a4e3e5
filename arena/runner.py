"""A tournament from start to end: the schedule minus what is stored, workers, the store.

Must not know the screen: it tells an `Observer`. The seam to the workers is
`concurrent.futures.Executor` with a `PairJob` and a text (`worker.py`).
"""

from __future__ import annotations

import multiprocessing
import secrets
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Final, Protocol

from arena import schedule
from arena.config import Config
from arena.errors import StoreError
from arena.signals import on_signals
from arena.slots import Slot, end, own_process
from arena.store import Store, Tally
from arena.trees import sweep
from arena.worker import PairJob, PairResult, read_result

if TYPE_CHECKING:
    from reports.standings import Standings

WINDOW: Final = 2
"""Jobs that a worker has or will have next: short games do not wait for the runner."""

EXPORT_S: Final = 30.0
"""How often `games.lath` is written during a run, at most; less often when it is large."""

WAKE_S: Final = 0.1
"""How long a signal waits at most."""

MAX_BREAKS: Final = 3
"""Times that a job may take its worker with it before its pairing is stopped."""

PARTING_S: Final = 5.0
"""Time that the workers have in the end, together: their bots may take a second to quit."""


class Observer(Protocol):
    """Who is told what happens."""

    def started(self, stored: Sequence[Tally], total: int) -> None:
        """Be told how the games that are stored already ended, and how many there will be."""

    def finished(self, result: PairResult) -> None:
        """Be told of games that are stored now."""

    def warned(self, text: str) -> None:
        """Be told of something that people should know."""

    def waited(self) -> None:
        """Be called now and then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """How a run ended."""

    done: int
    """Games in the store now."""

    total: int
    stopped: dict[frozenset[str], str]
    """Pairings that were stopped, and why."""

    interrupted: bool
    standings: Standings | None = None
    """Of all games stored, once they are published; None before."""

    @property
    def is_complete(self) -> bool:
        """Return whether every game of the tournament is played."""
        return self.done == self.total


class Runner:
    """Plays what is left of a tournament."""

    def __init__(
        self,
        config: Config,
        store: Store,
        observer: Observer,
        *,
        tree: str = "",
        executor: Callable[[Connection, str], Executor] = own_process,
    ) -> None:
        """`tree` begins the marks of all processes that the run starts; `executor` makes a worker.

        A worker must end its bots when the other end of the connection is closed.
        """
        self._executor: Final = executor
        self._config: Final = config
        self._store: Final = store
        self._observer: Final = observer
        self._tree: Final = f"{tree}{secrets.token_hex(8)}."
        self._stopped: dict[frozenset[str], str] = {}
        self._breaks: dict[int, int] = {}
        self._again: deque[PairJob] = deque()
        self._interrupted = False
        self._next_export_s = time.monotonic() + EXPORT_S

    def run(self, tags: tuple[tuple[str, str], ...] = ()) -> Summary:
        """Play until all is done or a signal comes; then write `games.lath`.

        Raises StoreError when results cannot be kept; what was kept stays.
        """
        config = self._config
        finished = self._store.finished()
        self._observer.started(self._store.tally(), count_games(config))
        try:
            with on_signals(self._interrupt):
                self._play(self._jobs(finished, tags))
        except BaseException:
            with suppress(StoreError):  # what came first is what people should hear of
                self._store.export()
            raise
        self._store.export()
        return self.summary()

    def summary(self) -> Summary:
        """Return how it stands; what is complete was not interrupted."""
        total = count_games(self._config)
        done = sum(number <= total for number in self._store.finished())
        interrupted = self._interrupted and done < total
        return Summary(done=done, total=total, stopped=self._stopped, interrupted=interrupted)

    def _interrupt(self) -> None:
        """Take the first signal as the wish to stop, the second as an order."""
        if self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = True

    def _jobs(
        self, finished: Collection[int], tags: tuple[tuple[str, str], ...]
    ) -> Iterator[PairJob]:
        config = self._config
        specs = {bot.name: bot for bot in config.bots}
        for pair in schedule.pairs(
            names=config.names,
            game_ids=config.games,
            rounds=config.rounds,
            seed=config.seed,
            tags=tags,
        ):
            left = pair.left(finished)
            if left:
                one, other = pair.names
                yield PairJob(
                    pair=pair.number,
                    games=left,
                    bots=(specs[one], specs[other]),
                    limits=config.limits,
                    tree=self._tree,
                )

    def _play(self, jobs: Iterator[PairJob]) -> None:
        context = multiprocessing.get_context("spawn")
        alive, held = context.Pipe(duplex=False)
        slots = [Slot(lambda: self._executor(alive, self._tree)) for _ in range(self._config.jobs)]
        others = set(multiprocessing.active_children())
        try:
            self._feed(slots, jobs)
            while not self._interrupted and any(slot.jobs for slot in slots):
                self._collect(slots, WAKE_S)
                self._feed(slots, jobs)
                self._observer.waited()
            self._collect(slots, 0.0)  # what is finished when a signal comes counts
            if not self._interrupted:
                for slot in slots:
                    slot.close()
                end(set(multiprocessing.active_children()) - others, within_s=PARTING_S)
        finally:
            held.close()  # whoever still works ends its bots now
            for slot in slots:
                slot.abandon()
            end(set(multiprocessing.active_children()) - others, within_s=2.0)
            alive.close()
            sweep(self._tree)

    def _feed(self, slots: list[Slot], jobs: Iterator[PairJob]) -> None:
        """Keep every worker's window full; the emptiest first."""
        for depth in range(WINDOW):
            for slot in slots:
                if len(slot.jobs) > depth or self._interrupted:
                    continue
                job = self._next(jobs)
                if job is None:
                    return
                self._hand(slot, job)

    def _hand(self, slot: Slot, job: PairJob) -> None:
        """Give a worker a job, or its successor, where it died without being noticed."""
        try:
            slot.submit(job)
        except BrokenProcessPool:
            self._take_back(slot)
            slot.submit(job)

    def _next(self, jobs: Iterator[PairJob]) -> PairJob | None:
        while self._again:
            job = self._again.popleft()
            if job.pairing not in self._stopped:
                return job
        return next((job for job in jobs if job.pairing not in self._stopped), None)

    def _collect(self, slots: list[Slot], within_s: float) -> None:
        """Store what is ready, in one transaction, and put it on the screen."""
        futures = [future for slot in slots for future in slot.jobs]
        done, _ = wait(futures, within_s, FIRST_COMPLETED)
        results = []
        for slot in slots:
            for future in [future for future in slot.jobs if future in done]:
                try:
                    result = read_result(future.result())
                except BrokenProcessPool:
                    self._take_back(slot)
                    break
                results.append((slot.jobs.pop(future), result))
        games = [game for _, result in results for game in result.games]
        if games:
            self._store.add(games)
        for job, result in results:
            self._judge(job, result)
        self._export_sometimes()

    def _take_back(self, slot: Slot) -> None:
        """Replace a worker that died; play its pair again, and the one it had not begun."""
        lost = slot.replace()
        self._again.extend(lost)
        working = {process.pid for process in multiprocessing.active_children()}
        sweep(self._tree, spare=[f"{self._tree}{pid}." for pid in working])
        if not lost or self._interrupted:
            return
        broken = lost[0]
        breaks = self._breaks[broken.pair] = self._breaks.get(broken.pair, 0) + 1
        self._observer.warned(f"a worker died in pair {broken.pair}; the pair is played again")
        if breaks >= MAX_BREAKS:
            self._stop(broken.pairing, f"pair {broken.pair} ended its worker {breaks} times")

    def _judge(self, job: PairJob, result: PairResult) -> None:
        if result.voided:
            self._observer.warned(
                f"{' - '.join(sorted(job.pairing))}: {result.voided} void, played again"
            )
        if result.void:
            self._stop(job.pairing, result.void)
        self._observer.finished(result)

    def _stop(self, pairing: frozenset[str], why: str) -> None:
        if pairing not in self._stopped:
            self._stopped[pairing] = why
            self._observer.warned(f"pairing {' - '.join(sorted(pairing))} stopped: {why}")

    def _export_sometimes(self) -> None:
        began_s = time.monotonic()
        if began_s < self._next_export_s:
            return
        try:
            self._store.export()
        except StoreError as error:
            self._observer.warned(str(error))
        now_s = time.monotonic()
        # At most a twentieth of the runner's time goes into a large file.
        self._next_export_s = now_s + max(EXPORT_S, 20 * (now_s - began_s))


def count_games(config: Config) -> int:
    """Return how many games the whole tournament has."""
    return schedule.count_games(names=config.names, game_ids=config.games, rounds=config.rounds)
