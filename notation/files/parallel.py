"""Work in several processes: on pieces in their order, or beside other work."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pickle import UnpicklingError
from threading import Thread, active_count
from typing import TYPE_CHECKING, Final, TypeVar

from lath.notation.files.files import read_errors

if TYPE_CHECKING:
    from concurrent.futures import Future

MANY: Final = 500
"""The number of games from which it is worth while to fork a process."""

Piece = TypeVar("Piece")
Made = TypeVar("Made")


def in_order(
    work: Callable[[Piece], Made],
    pieces: Iterable[Piece],
    jobs: int,
    *,
    may_fork: bool = False,
) -> Iterator[Made]:
    """Yield the results of `work` for each piece, computed by `jobs` processes.

    `work` must be picklable. With one job, this process does the work. Each process has at most two
    pieces in progress. If reading the pieces fails, the results before the failure are yielded
    first. With `may_fork`, the processes are forked if the system allows it; this process must then
    not have any threads, including those of libraries.
    """
    if jobs == 1:
        return map(work, pieces)
    is_forked = may_fork and sys.platform == "linux" and active_count() == 1
    return _in_parallel(work, pieces, jobs, "fork" if is_forked else "spawn")


def beside(work: Callable[[], Made]) -> Callable[[], Made]:
    """Begin `work` in a forked process; return the function that waits for its result.

    The function does the work itself if the system cannot fork, or if the process fails. It raises
    the errors of `work`. The process must not use what other threads of this process may hold.
    """
    if sys.platform != "linux":
        return work
    from multiprocessing import get_context  # start-up time

    context = get_context("fork")

    def send() -> None:
        with suppress(Exception):  # the other process gets it from its own `work`
            writing.send(work())

    try:
        reading, writing = context.Pipe(duplex=False)
        process = context.Process(target=send, daemon=True)
        with warnings.catch_warnings():  # from Python 3.12 on, threads are a reason to warn
            warnings.simplefilter("ignore", DeprecationWarning)
            process.start()
    except OSError:  # too many open files or processes
        return work
    writing.close()

    def result() -> Made:
        with reading:
            try:
                made: Made = reading.recv()
            except (EOFError, UnpicklingError):
                return work()
        process.join()
        return made

    return result


def _in_parallel(
    work: Callable[[Piece], Made], pieces: Iterable[Piece], jobs: int, method: str
) -> Iterator[Made]:
    from concurrent.futures import (
        ProcessPoolExecutor,
    )  # importing it takes as long as importing the rules of all games
    from multiprocessing import active_children, get_context

    waiting: deque[Future[Made]] = deque()
    unread: Exception | None = None
    others = set(active_children())
    is_lost = False
    with ProcessPoolExecutor(
        jobs, mp_context=get_context(method), initializer=_end_with_parent
    ) as pool:
        try:
            try:
                for piece in pieces:
                    waiting.append(pool.submit(work, piece))
                    if len(waiting) > 2 * jobs:
                        yield waiting.popleft().result()
            except read_errors() as error:
                unread = error
            while waiting:
                yield waiting.popleft().result()
            if unread is not None:
                raise unread
        except RuntimeError:  # no thread can be started, and nothing else would end the processes
            is_lost = True
            for process in set(active_children()) - others:
                process.kill()
            raise
        finally:
            pool.shutdown(wait=not is_lost, cancel_futures=True)


def _end_with_parent() -> None:
    """Make this worker process end when its parent has ended, and ignore Ctrl-C.

    A parent that is killed or exits at once does not tell its workers. Ctrl-C is handled by the
    parent.
    """
    from multiprocessing import parent_process  # start-up time

    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def wait() -> None:
        if parent := parent_process():
            parent.join()
        os._exit(1)

    Thread(target=wait, daemon=True).start()
