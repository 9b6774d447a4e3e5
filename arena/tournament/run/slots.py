"""Slots that play one job after the other, and what plays in those here: a worker process each.

A transaction on a disk takes as long as a hundred plies of bots that answer at once, and to be
woken as long as ten: results of short pairs are stored some at a time, longer ones as they come.

The seam is `concurrent.futures.Executor`.
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
"""Results of pairs that come more often than this wait for others."""

GATHER_S: Final = 2.0
"""How long they do at most; a run that is killed plays their games again. Nothing waits while a
slot has nothing to do, nor when somebody asks to stop."""

DRAWN_S: Final = 0.25
"""The same where the run is drawn as it goes: a picture that stands still looks like a fault."""

VERDICT_S: Final = 0.1
"""The same where results may end the run: what is handed over by then is played beyond its end."""

FEWEST, MOST = 2, 64
"""Pairs that a worker has: the one it plays and those it plays next."""

AHEAD: Final = 2
"""So many times as much is handed over as is played while the runner is away."""

LONG_S: Final = 1.0
"""A pair so long is not handed over before the last one has ended where the run has a deadline: it
would begin after it. To wait for the runner then costs a worker a hundredth of its time at most."""

WEIGHT: Final = 0.2
"""Of the newest measurement in the mean."""


def longest_wait_s(config: Config, tell: Listener) -> float:
    """Return how long results wait for others at most, by what hangs on them."""
    if config.sprt is not None:
        return VERDICT_S
    return DRAWN_S if isinstance(tell, Progress) and tell.is_drawn else GATHER_S


class Pace:
    """Measures one run."""

    def __init__(
        self,
        slots: int,
        clock: Callable[[], float] = signals.awake_s,
        *,
        has_deadline: bool = False,
        longest_s: float = GATHER_S,
    ) -> None:
        """`longest_s` is how long results wait for others at most."""
        self.slots = slots
        """How many there are now."""
        self._has_deadline: Final = has_deadline
        self._longest_s: Final = longest_s
        self._clock: Final = clock
        self._last_s: float | None = None
        """When pairs came in last; before the first, workers and bots are only starting."""
        self.pair_s = 0.0
        """How long a pair takes of late; 0 while nobody knows."""
        self._storing_s = 0.0

    def count(self, pairs: int) -> None:
        """Note how many pairs have come in since this was called before."""
        if not pairs:
            return
        before_s, self._last_s = self._last_s, self._clock()
        if before_s is None:
            return
        took_s = (self._last_s - before_s) * self.slots / pairs
        self.pair_s += (WEIGHT if self.pair_s else 1.0) * (took_s - self.pair_s)

    def stored(self, took_s: float) -> None:
        """Note how long a transaction took: on a slow disk a hundredth of a second and more."""
        self._storing_s += WEIGHT * (took_s - self._storing_s)

    @property
    def gather_s(self) -> float:
        """Return how long to wait for more results once there is one; 0 where few come.

        It is no longer than a worker can do without the runner.
        """
        if not 0 < self.pair_s < self.slots * OFTEN_S:
            return 0.0
        return min(self._longest_s, MOST * self.pair_s / AHEAD)

    def window(self, fewest: int = FEWEST) -> int:
        """Return how many pairs a worker should have, so that it never waits for the runner."""
        if self._has_deadline and not 0 < self.pair_s < LONG_S:
            return 1
        if not self.pair_s:
            return fewest
        away_s = self.gather_s + self._storing_s
        return max(fewest, min(MOST, math.ceil(AHEAD * away_s / self.pair_s)))


SETTLE_S: Final = 1.0
"""How long a worker may take to stop itself and its bots."""

NO_WORKER: Final = "no worker can be started"

_PROGRAM: Final = (
    "import gc, os, sys; gc.disable(); sys.path[:] = sys.argv.pop(1).split(os.pathsep); "
    "from lath.arena.tournament.run.worker import main; main()"
)
"""What a worker runs: with the modules of this process, whatever its folder and variables are.

Nobody looks for garbage in them while they are read.
"""


class Worker(Executor):
    """A process of its own that plays one job after the other.

    Not `ProcessPoolExecutor`: that one needs 8 MB more for each worker, starts it with the first
    job, and breaks whole.
    """

    def __init__(
        self, tree: str, cores: Cores = (), *, env: Mapping[str, str] | None = None
    ) -> None:
        """Start the process; raises OSError and MachineError.

        `tree` marks what it starts; `cores` are those that it and its bots stay on, empty: any.
        `env` are its variables; None: ours.
        """
        self.notes: tuple[str, ...] = ()
        """What it noted when it ended its bots."""
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
                    start_new_session=True,  # a Ctrl-C is the runner's
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
        """Return the number of the process."""
        return self._process.pid

    def _settle(self) -> None:
        """Wait until it has stopped, and its bots before it; one that does not is stopped."""
        until_s = time.monotonic() + SETTLE_S
        while time.monotonic() < until_s and self._process.poll() is None:
            if hasattr(os, "waitid"):  # macOS does not have it
                with suppress(ChildProcessError):
                    if os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOWAIT | os.WNOHANG):
                        return
            time.sleep(0.001)
        self._process.send_signal(signal.SIGSTOP)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_kwargs: Any) -> Future[Any]:
        """Have `fn`, a function of one argument that returns a line, called in the process.

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
        # A worker that was stopped takes nothing. A dead or ended one: `_listen` says so.
        with signals.raising(1), suppress(OSError, ValueError):
            while left:
                left = left[os.write(self._in.fileno(), left) :]

    def _listen(self) -> None:
        """Take answers until there are no more; what was not answered then never will be."""
        with self._out:
            while (line := self._out.readline()).endswith(b"\n"):  # else it died amid an answer
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
        with suppress(subprocess.TimeoutExpired):  # one that is traced stays
            self._process.wait(process_trees.BURIAL_S)
        why: Exception = BrokenExecutor("the worker died")
        if self._process.returncode == NO_THREAD:
            why = process_trees.lacking(NO_WORKER, errno.EAGAIN)
        for future in lost:
            future.set_exception(why)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the process end its bots and itself; with `cancel_futures` at once.

        Waits for its end with `wait`.
        """
        with self._lock:
            if not cancel_futures:
                self._send(None)
            else:  # at the end of its input it ends its bots and itself, and finishes nothing
                self._is_closed = True
                with suppress(OSError):
                    self._in.close()
        if wait:
            self.join(None)

    def join(self, until_s: float | None) -> bool:
        """Return whether the process ends by `until_s`, on the monotonic clock; None: ever."""
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
        """End the process at once, whatever it does; its bots may be left."""
        self._process.kill()
        self.join(
            time.monotonic() + process_trees.BURIAL_S
        )  # who is traced stays as long as who traces it


Executors = Callable[[str, Cores], Executor]
"""Makes what plays the pairs of a slot here.

It is given what marks the processes that it starts, and the cores that are its alone, none if any
will do. What it returns plays one PairJob after the other and returns texts; it must end its bots
when the runner is gone, and raise BrokenExecutor when it breaks.
"""


class PlaceLostError(LathError, BrokenExecutor):
    """What played in a slot is gone, or cannot be reached: no fault of what it played."""


class Host:
    """A machine that plays: what holds for it alone, since others may go on where it cannot."""

    def __init__(self, name: str, patience: Patience) -> None:
        """`name` is empty for this machine; `patience` says when to ask again for what it lacks."""
        self.name: Final = name
        self.patience: Final = patience
        self.trial: tuple[Slot, PairJob] | None = None
        """A job without games, and who is to try it next: whether there is enough again."""
        self.is_given_up = False
        """Whether it lacked something for too long."""
        self.unfit: Final[dict[str, Cause]] = {}
        """Bots that do not start there, and why."""
        self.games = 0
        """Games that it has played in this run."""


class Slot:
    """One worker at a time, started with the first job and replaced when it breaks."""

    def __init__(
        self,
        make: Callable[[], Executor],
        tell: Listener,
        host: Host,
        number: int = 0,
        *,
        bell: Callable[[Slot], None] = lambda _: None,
    ) -> None:
        """`tell` hears of each pair that begins; slots are counted from 0.

        `bell` is rung, by any thread, when a job is over.
        """
        self._make: Final = make
        self._tell: Final = tell
        self.host: Final = host
        self.number: Final = number
        self._bell: Final = bell
        self._executor: Executor | None = None
        self.jobs: dict[Future[str], PairJob] = {}
        self._told: set[Future[str]] = set()
        """Those of the jobs in hand that the listener knows of."""
        self._has_changed = False
        """Whether there may be a pair to tell of."""
        self.is_gone = False
        """Whether nothing plays here any more, nor will."""

    def show(self) -> None:
        """Tell of the jobs that the worker has finished, and of the one that it plays now, once."""
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
        """Return a job that is over and let go of it; tell of it before where nobody had looked."""
        self._show(future)
        self._told.remove(future)
        self._has_changed = True
        return self.jobs.pop(future)

    @property
    def worker(self) -> Worker | None:
        """Return the process; None before the first job, or where the executor is of others."""
        return self._executor if isinstance(self._executor, Worker) else None

    def submit(self, job: PairJob) -> None:
        """Hand the worker a job; raises BrokenExecutor, and ArenaError where none can start.

        That is a MachineError where it may be possible later.
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
        """Return whether there is somebody who plays here."""
        return self._executor is not None

    @property
    def is_idle(self) -> bool:
        """Return whether all that it was given is over; any thread may ask."""
        return all(future.done() for future in list(self.jobs))

    def _ring(self, _future: Future[str]) -> None:
        self._has_changed = True
        self._bell(self)

    def replace(self) -> list[PairJob]:
        """Let go of a worker that broke; return what it has not played. The next job starts one.

        The listener hears of that again when it begins again.
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
        if self.jobs:  # what it had played is over, and was rung for already
            self._bell(self)
        return jobs

    def close(self, *, at_once: bool) -> None:
        """Let the worker end, without waiting for it: when it has finished, or `at_once`."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=at_once)


def end(slots: Iterable[Slot], within_s: float, *, at_once: bool = False) -> None:
    """Ask workers to end, and wait a little for them; then end them.

    With `at_once` they give up what they have not finished.
    """
    for slot in slots:
        slot.close(at_once=at_once)
    until_s = time.monotonic() + within_s
    for slot in slots:
        if slot.worker and not slot.worker.join(until_s):
            slot.worker.end()
