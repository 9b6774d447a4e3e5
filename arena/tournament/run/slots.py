"""Slots, which play one job after the other, and their worker processes on this machine.

A transaction on a disk takes as long as a hundred plies of instant bots, and waking a process as
long as ten. So results of short pairs are stored in batches, and those of long pairs at once.

The interface of workers is `concurrent.futures.Executor`.
"""

from __future__ import annotations

import errno
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from functools import partial
from typing import Any, Final

from lath.arena.errors import LACKS, ArenaError, Cause
from lath.arena.machine import signals
from lath.arena.machine.system import Cores, Patience
from lath.arena.referee import process_trees
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.run.events import Listener, PairBegan
from lath.arena.tournament.run.progress import Progress
from lath.arena.tournament.run.worker import NO_THREAD, Job, play_pair
from lath.arena.tournament.store.jobs import PairJob
from lath.games.errors import LathError

OFTEN_S: Final = 0.5
"""Results of pairs that come more often than this many seconds are stored in batches."""

GATHER_S: Final = 2.0
"""The most seconds that results wait; after a kill their games are played again. They do not wait
while a slot is idle, or after a signal."""

DRAWN_S: Final = 0.25
"""The most seconds of waiting while the run is drawn, so that the picture moves."""

VERDICT_S: Final = 0.1
"""The most seconds of waiting while results can end the run: jobs handed out by then are wasted."""

FEWEST, MOST = 2, 64
"""The fewest and most pairs of a worker: the one in play and the next."""

AHEAD: Final = 2
"""The factor between jobs handed out and jobs played while the runner is busy."""

LONG_S: Final = 1.0
"""Seconds of a long pair. With a deadline, a slot gets such a pair only after the last one has
ended, because it could otherwise begin too late. The wait costs a worker at most a hundredth of its
time."""

WEIGHT: Final = 0.2
"""The weight of the newest measurement in the mean."""


def longest_wait_s(config: Config, tell: Listener) -> float:
    """Return the most seconds that results wait in this run, by what depends on them."""
    if config.sprt is not None:
        return VERDICT_S
    return DRAWN_S if isinstance(tell, Progress) and tell.is_drawn else GATHER_S


class Pace:
    """The pace of a run, measured from its pairs."""

    def __init__(
        self,
        slots: int,
        clock: Callable[[], float] = signals.awake_s,
        *,
        has_deadline: bool = False,
        longest_s: float = GATHER_S,
    ) -> None:
        """Measure with `clock`; `longest_s` is the most seconds that results wait."""
        self.slots = slots
        """The number of slots now."""
        self._has_deadline: Final = has_deadline
        self._longest_s: Final = longest_s
        self._clock: Final = clock
        self._last_s: float | None = None
        """When pairs came in last; None before, while workers and bots are starting."""
        self.pair_s = 0.0
        """Recent seconds per pair; 0 while unknown."""
        self._storing_s = 0.0

    def count(self, pairs: int) -> None:
        """Count pairs that have come in since the last call."""
        if not pairs:
            return
        before_s, self._last_s = self._last_s, self._clock()
        if before_s is None:
            return
        took_s = (self._last_s - before_s) * self.slots / pairs
        self.pair_s += (WEIGHT if self.pair_s else 1.0) * (took_s - self.pair_s)

    def stored(self, took_s: float) -> None:
        """Note the seconds of a transaction: a hundredth and more on a slow disk."""
        self._storing_s += WEIGHT * (took_s - self._storing_s)

    @property
    def gather_s(self) -> float:
        """Return the seconds to wait for more results after one; 0 if few come.

        It is no longer than workers can play without the runner.
        """
        if not 0 < self.pair_s < self.slots * OFTEN_S:
            return 0.0
        return min(self._longest_s, MOST * self.pair_s / AHEAD)

    def window(self, fewest: int = FEWEST) -> int:
        """Return the number of pairs with which a worker never waits for the runner."""
        if self._has_deadline and not 0 < self.pair_s < LONG_S:
            return 1
        if not self.pair_s:
            return fewest
        away_s = self.gather_s + self._storing_s
        return max(fewest, min(MOST, math.ceil(AHEAD * away_s / self.pair_s)))


SETTLE_S: Final = 1.0
"""Seconds for a worker to stop itself and its bots."""

NO_WORKER: Final = "no worker can be started"

_PROGRAM: Final = (
    "import gc, os, sys; gc.disable(); sys.path[:] = sys.argv.pop(1).split(os.pathsep); "
    "from lath.arena.tournament.run.worker import main; main()"
)
"""The program of a worker: it has this process's modules, in any folder and environment.

The garbage collector is off while they are imported.
"""


class Worker(Executor):
    """A process of its own that plays jobs one after the other.

    It replaces `ProcessPoolExecutor`, which needs 8 MB more per worker, starts workers with the
    first job, and breaks as a whole.
    """

    def __init__(
        self, tree: str, cores: Cores = (), *, env: Mapping[str, str] | None = None
    ) -> None:
        """Start the process; raises OSError and MachineError.

        `tree` marks its processes. It and its bots stay on the `cores`, or on any if empty. `env`
        are its variables; None for those of this process.
        """
        self.notes: tuple[str, ...] = ()
        """Remarks from the end of its bots."""
        self._waiting: deque[Future[Any]] = deque()
        self._lock: Final = threading.Lock()
        self._is_closed = False
        paths = os.pathsep.join(sys.path)
        places = [tree, process_trees.scratch_root(), ",".join(map(str, cores))]
        with signals.starting():
            before = signals.held()
            try:
                self._process: Final = subprocess.Popen(
                    [sys.executable, "-P", "-c", _PROGRAM, paths, *places],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env=env,
                    start_new_session=True,  # Ctrl-C is for the runner alone
                )
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
            process_trees.own.add(self._process.pid)
            send = self._process.send_signal
            self._part: Final = signals.stopping_too(
                signals.Companion(
                    partial(send, signal.SIGTSTP), partial(send, signal.SIGCONT), self._settle
                )
            )
        assert self._process.stdin
        assert self._process.stdout
        self._in: Final = self._process.stdin
        self._out: Final = self._process.stdout
        self._reader: Final = threading.Thread(target=self._listen, daemon=True)
        try:
            self._reader.start()
        except RuntimeError as error:
            self._part()
            self._process.kill()
            with self._process:
                process_trees.own.discard(self._process.pid)
            raise process_trees.lacking(NO_WORKER, errno.EAGAIN) from error

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self._process.pid

    def _settle(self) -> None:
        """Wait until it and its bots have stopped; stop it if it does not."""
        until_s = time.monotonic() + SETTLE_S
        while time.monotonic() < until_s and self._process.poll() is None:
            if hasattr(os, "waitid"):  # missing on macOS
                with suppress(ChildProcessError):
                    if os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOWAIT | os.WNOHANG):
                        return
            time.sleep(0.001)
        self._process.send_signal(signal.SIGSTOP)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_kwargs: Any) -> Future[Any]:
        """Call `fn`, a function of one argument that returns a line, in the process.

        Raises BrokenExecutor.
        """
        (argument,) = args
        future: Future[Any] = Future()
        with self._lock:
            if self._is_closed:
                raise BrokenExecutor("the worker has ended")
            self._waiting.append(future)
            self._send((fn, argument))
        return future

    def _send(self, job: Job) -> None:
        left = memoryview(pickle.dumps(job))
        # A stopped worker takes nothing. `_listen` reports a dead or ended one.
        with signals.raising(1), suppress(OSError, ValueError):
            while left:
                left = left[os.write(self._in.fileno(), left) :]

    def _listen(self) -> None:
        """Read answers until there are no more, then fail the jobs without one."""
        with self._out:
            while (line := self._out.readline()).endswith(b"\n"):  # else it died in an answer
                with self._lock:
                    future = self._waiting.popleft() if self._waiting else None
                if future is None:
                    with suppress(ValueError, TypeError):
                        self.notes = tuple(json.loads(line))
                else:
                    future.set_result(line.decode("utf-8", "replace").rstrip("\n"))
        with self._lock:
            self._is_closed = True
            lost = list(self._waiting)
            self._waiting.clear()
        with suppress(subprocess.TimeoutExpired):  # a traced process stays
            self._process.wait(process_trees.BURIAL_S)
        why: Exception = BrokenExecutor("the worker died")
        if self._process.returncode == NO_THREAD:
            why = process_trees.lacking(NO_WORKER, errno.EAGAIN)
        for future in lost:
            future.set_exception(why)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ask the process to end its bots and itself; with `cancel_futures` at once.

        With `wait`, wait for its end.
        """
        with self._lock:
            if not cancel_futures:
                self._send(None)
            else:  # at the end of its input it ends its bots and itself at once
                self._is_closed = True
                with suppress(OSError):
                    self._in.close()
        if wait:
            self.join(None)

    def join(self, until_s: float | None) -> bool:
        """Return whether the process ends by `until_s`, on the monotonic clock; None for ever."""
        left_s = None if until_s is None else max(0.0, until_s - time.monotonic())
        try:
            self._process.wait(left_s)
        except subprocess.TimeoutExpired:
            return False
        process_trees.own.discard(self._process.pid)
        self._part()
        self._reader.join(1.0)
        with suppress(OSError):
            self._in.close()
        return True

    def end(self) -> None:
        """Kill the process, whatever it does; its bots may be left."""
        self._process.kill()
        self.join(
            time.monotonic() + process_trees.BURIAL_S
        )  # a traced process stays as long as its tracer


Executors = Callable[[str, Cores], Executor]
"""Makes the worker of a slot on this machine.

Arguments: the mark of its processes, and the cores for it alone, empty for any. The worker plays
PairJobs one after the other and returns texts. It must end its bots when the runner has died, and
raise BrokenExecutor when it breaks.
"""


class PlaceLostError(LathError, BrokenExecutor):
    """A worker is lost or cannot be reached; its bots are not at fault."""


class Host:
    """A machine that plays; if it lacks something, other machines may have enough."""

    def __init__(self, name: str, patience: Patience) -> None:
        """Make a host, without a name for this machine; `patience` decides when to try it again."""
        self.name: Final = name
        self.patience: Final = patience
        self.trial: tuple[Slot, PairJob] | None = None
        """A trial job without games, and its slot: can bots be started again?"""
        self.is_given_up = False
        """True if it lacked something for too long."""
        self.unfit: Final[dict[str, Cause]] = {}
        """Bots that do not start there, with causes."""
        self.games = 0
        """Number of games that it has played in this run."""


class Slot:
    """A place for one worker, which is started with the first job and replaced when it breaks."""

    def __init__(
        self,
        make: Callable[[], Executor],
        tell: Listener,
        host: Host,
        number: int = 0,
        *,
        bell: Callable[[Slot], None] = lambda _: None,
    ) -> None:
        """Report each pair that begins to `tell`; the number counts from 0.

        Any thread calls `bell` when a job is over.
        """
        self._make: Final = make
        self._tell: Final = tell
        self.host: Final = host
        self.number: Final = number
        self._bell: Final = bell
        self._executor: Executor | None = None
        self.jobs: dict[Future[str], PairJob] = {}
        self._told: set[Future[str]] = set()
        """Jobs in hand that were reported."""
        self._has_changed = False
        """True if a pair may have to be reported."""
        self.is_gone = False
        """True if the worker is lost for good."""

    def show(self) -> None:
        """Report the jobs that the worker has finished, and the one that it plays, once each."""
        if not self._has_changed:
            return
        self._has_changed = False
        over = sum(future.done() for future in self.jobs)
        for future in list(self.jobs)[: over + 1]:
            self._show(future)

    def _show(self, future: Future[str]) -> None:
        if future not in self._told:
            self._told.add(future)
            if self.jobs[future].games:
                self._tell(PairBegan.of(self.jobs[future], self.number, self.host.name))

    def take(self, future: Future[str]) -> PairJob:
        """Remove a finished job and return it; report its start if that was not done."""
        self._show(future)
        self._told.remove(future)
        self._has_changed = True
        return self.jobs.pop(future)

    @property
    def worker(self) -> Worker | None:
        """Return the worker process; None before the first job, and for other executors."""
        return self._executor if isinstance(self._executor, Worker) else None

    def submit(self, job: PairJob) -> None:
        """Hand the worker a job; raises BrokenExecutor, and ArenaError if none can start.

        It is a MachineError if the start may be possible later.
        """
        try:
            if self._executor is None:
                self._executor = self._make()
            future = self._executor.submit(play_pair, job)
        except OSError as error:
            if error.errno in LACKS:
                raise process_trees.lacking(NO_WORKER, error.errno) from error
            raise ArenaError(f"{NO_WORKER}: {error.strerror}") from error
        self.jobs[future] = job
        self._has_changed = True
        future.add_done_callback(self._ring)

    @property
    def is_started(self) -> bool:
        """Return whether the slot has a worker."""
        return self._executor is not None

    @property
    def is_idle(self) -> bool:
        """Return whether all its jobs are over; any thread can ask."""
        return all(future.done() for future in list(self.jobs))

    def _ring(self, _future: Future[str]) -> None:
        self._has_changed = True
        self._bell(self)

    def replace(self) -> list[PairJob]:
        """Remove a broken worker and return its unfinished jobs; the next job starts a new one.

        These jobs are reported again when they begin again.
        """
        lost = [
            future
            for future in self.jobs
            if not future.done() or future.cancelled() or future.exception() is not None
        ]
        self._told.difference_update(lost)
        jobs = [self.jobs.pop(future) for future in lost]
        self._has_changed = True
        self.close(at_once=True)
        if self.worker:
            self.worker.end()
        self._executor = None
        if self.jobs:  # finished jobs are still to collect, and their bell has rung
            self._bell(self)
        return jobs

    def close(self, *, at_once: bool) -> None:
        """Ask the worker to end, after its jobs or `at_once`, without waiting."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=at_once)


def end(slots: Iterable[Slot], within_s: float, *, at_once: bool = False) -> None:
    """Ask workers to end, wait for them up to `within_s`, then kill the rest.

    With `at_once` they drop unfinished jobs.
    """
    for slot in slots:
        slot.close(at_once=at_once)
    until_s = time.monotonic() + within_s
    for slot in slots:
        if slot.worker and not slot.worker.join(until_s):
            slot.worker.end()
