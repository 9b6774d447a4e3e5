"""Worker processes, one a slot: handing jobs over, replacing one that died, ending them all.

Must not know what is in a job's result. The seam is `concurrent.futures.Executor`.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Collection
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Final

from arena.errors import ArenaError
from arena.worker import PairJob, play_pair, prepare


def own_process(alive: Connection, tree: str) -> Executor:
    """Return an executor of one process, which ends when the other end of `alive` is closed."""
    return ProcessPoolExecutor(
        max_workers=1,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=prepare,
        initargs=(alive, tree),
    )


class Slot:
    """One worker: an executor of one process, replaced when it breaks."""

    def __init__(self, make: Callable[[], Executor]) -> None:
        self._make: Final = make
        self._executor = make()
        self.jobs: dict[Future[str], PairJob] = {}

    def submit(self, job: PairJob) -> None:
        """Hand the worker a job; raises BrokenProcessPool, and ArenaError where none can start."""
        # The first job starts the process, which must not see a Ctrl-C before it ignores them.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            self.jobs[self._executor.submit(play_pair, job)] = job
        except OSError as error:
            raise ArenaError(f"no worker can be started: {error.strerror}") from error
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])

    def replace(self) -> list[PairJob]:
        """Put a new worker in the place of one that broke; return what that one has not played."""
        lost = [future for future in self.jobs if not _has_result(future)]
        jobs = [self.jobs.pop(future) for future in lost]
        self.abandon()
        self._executor = self._make()
        return jobs

    def close(self) -> None:
        """Let the worker end when it has finished; does not wait for it."""
        self._executor.shutdown(wait=False)

    def abandon(self) -> None:
        """Give up what the worker has not finished."""
        self._executor.shutdown(wait=False, cancel_futures=True)


def _has_result(future: Future[str]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def end(processes: Collection[BaseProcess], within_s: float) -> None:
    """Wait a little for workers that were told to end; then end them."""
    until_s = time.monotonic() + within_s
    for process in processes:
        process.join(max(0.0, until_s - time.monotonic()))
        if process.is_alive():
            process.kill()
            process.join()
