"""Signals that ask this process to stop, for good or until it is continued.

Requests to end the process are counted, and long-running code checks the count.

An exception from a signal handler can come anywhere, even in a `__del__`, in a function that a fork
calls, or while a class is created. There Python drops it or turns it into another one. So a run
only counts signals, and checks between two steps (`look`, `requests`). Code that can wait or
compute for long without damage is `interruptible`. There the handler raises, and a dropped
exception is raised again.

At a Ctrl-Z, all registered processes (`stopping_too`) stop together with this one: bots, and
workers with their bots. The clock `awake_s` does not advance in the meantime.

This module must stay light, since the program imports it first.
"""

from __future__ import annotations

import itertools
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import NamedTuple

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, the signal of service managers, and that of a closed terminal."""

_NEVER = sys.maxsize

_AGAIN_S = 0.01
"""Seconds after which a dropped exception is raised again."""

_requests = 0
_raises_from = _NEVER
"""Number of requests from which the handler raises."""

_has_raised = False

_called: list[Callable[[], object]] = []
"""Functions to call at each request."""


def requests() -> int:
    """Return how often this process was asked to stop."""
    return _requests


def look() -> None:
    """Raise KeyboardInterrupt if this process was asked to stop and has not raised it yet."""
    if _requests and not _has_raised:
        raise KeyboardInterrupt


def _heed(_number: int, _frame: object) -> None:
    global _requests  # noqa: PLW0603 - it belongs to the whole process
    _requests += 1
    for call in _called:
        call()
    _raise()


def _raise(*_: object) -> None:
    """Raise once if that is allowed; a second exception would interrupt the cleanup."""
    global _has_raised  # noqa: PLW0603 - it belongs to the whole process
    if _requests >= _raises_from and not _has_raised:
        _has_raised = True
        raise KeyboardInterrupt


def _raise_again(dropped: sys.UnraisableHookArgs) -> None:
    """Raise an interrupt again that Python has dropped; report any other exception."""
    global _has_raised  # noqa: PLW0603 - it belongs to the whole process
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)
        return
    _has_raised = False
    signal.signal(signal.SIGALRM, _raise)
    signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)


def begin(*kinds: signal.Signals) -> None:
    """Count signals of these kinds from now on, for a whole program."""
    sys.unraisablehook = _raise_again
    _set_handlers(kinds)


def _set_handlers(kinds: tuple[signal.Signals, ...]) -> list[Callable[[], object]]:
    """Count signals, except for a SIGHUP that nohup ignores; return functions to undo this."""
    is_immune = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    heard = [kind for kind in kinds if not (is_immune and kind == signal.SIGHUP)]
    return [partial(signal.signal, kind, signal.signal(kind, _heed)) for kind in heard]


@contextmanager
def heeded(*, raises: bool = False) -> Iterator[None]:
    """Count signals in the block; if `raises`, raise KeyboardInterrupt at the first one.

    In other threads than the first one, this has no effect.
    """
    import threading  # start-up time

    global _requests, _has_raised
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with raising(1 if raises else _NEVER):
        undo = _set_handlers(STOPPING)
        try:
            with pausable():
                yield
        finally:
            for take_back in undo:
                take_back()
            if signal.getsignal(signal.SIGINT) is not _heed:  # the next run starts from zero
                _requests, _has_raised = 0, False


@contextmanager
def calling(call: Callable[[], object]) -> Iterator[None]:
    """Call a function at each request, so that waiting code notices the request at once.

    The call can come anywhere, so it must not do more than `SimpleQueue.put`.
    """
    _called.append(call)
    try:
        yield
    finally:
        _called.remove(call)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt at a request during the block or before it.

    For calls that may wait without end, and for computations; not for work that must be finished.
    """
    with raising(1):
        look()
        yield
    if _requests:
        raise KeyboardInterrupt


@contextmanager
def raising(at: int) -> Iterator[None]:
    """Raise KeyboardInterrupt once in the block, at the `at`-th request or a later one."""
    global _raises_from, _has_raised  # noqa: PLW0603 - they belong to the whole process
    before = _raises_from, _has_raised
    _raises_from = at
    try:
        yield
    finally:
        _raises_from, _has_raised = before


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Count one more request if the block takes longer, so that a service always ends in time."""
    signal.signal(signal.SIGALRM, _heed)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


# Ctrl-Z


class Companion(NamedTuple):
    """Something that stops and continues together with this process."""

    stop: Callable[[], object]
    resume: Callable[[], object]
    settle: Callable[[], object] = bool
    """Wait until it has stopped, after all companions were asked to stop."""


_companions: dict[int, Companion] = {}
_numbers = itertools.count()
_pauses: list[tuple[float, float]] = []
"""Times at which this process was stopped, on the monotonic clock; the current pause has no end."""

_starting: list[None] = []
"""One entry per process that is being started and is not registered yet."""

_is_pausing = _is_put_off = False


def stopping_too(companion: Companion) -> Callable[[], object]:
    """Register a companion that stops with this process; return a function to remove it."""
    key = next(_numbers)
    _companions[key] = companion
    return lambda: _companions.pop(key, None)


@contextmanager
def starting() -> Iterator[None]:
    """Delay a Ctrl-Z until the end of the block, when the new process is registered."""
    _starting.append(None)
    try:
        yield
    finally:
        _starting.pop()
        _pause_again()


def _pause_again() -> None:
    """Handle a delayed Ctrl-Z if that is possible now."""
    global _is_put_off  # noqa: PLW0603 - it belongs to the whole process
    if _is_put_off and not (_starting or _is_pausing):
        _is_put_off = False
        os.kill(os.getpid(), signal.SIGTSTP)


def held() -> set[signal.Signals | int]:
    """Block Ctrl-Z in this thread, and in processes that it starts, until they are `pausable`.

    Return the signals blocked before, for `signal.pthread_sigmask`.
    """
    return signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTSTP,))


@contextmanager
def pausable(*, has_shell: bool = True) -> Iterator[None]:
    """Stop with all companions at a Ctrl-Z in the block; only for the first thread.

    A process that ignores the signal still ignores it in the block. The system ignores it for a
    process that no shell could continue. A process without a shell, with `has_shell=False`, is
    continued by the process that stopped it.
    """
    if signal.getsignal(signal.SIGTSTP) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTSTP, partial(_pause, signal.SIGTSTP if has_shell else signal.SIGSTOP))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTSTP,))
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)


def _pause(by: signal.Signals, _number: int, _frame: object) -> None:
    """Stop all companions and then this process; continue them afterwards."""
    global _is_pausing, _is_put_off  # noqa: PLW0603 - they belong to the whole process
    if _is_pausing or _starting:
        _is_put_off = True
        return
    _is_pausing, began_s = True, time.monotonic()
    _pauses.append((began_s, math.inf))
    stopped = list(_companions.values())
    try:
        _call(companion.stop for companion in stopped)
        _call(companion.settle for companion in stopped)
        _stop_oneself(by)
    finally:
        _pauses[-1] = began_s, time.monotonic()
        _call(companion.resume for companion in stopped)
        _is_pausing = False
        _pause_again()


def _stop_oneself(by: signal.Signals) -> None:
    """Stop until this process is continued; after that, another Ctrl-Z counts again.

    The system drops a Ctrl-Z for a process without a shell that does not handle it. So such a
    process keeps its handler, because a dropped Ctrl-Z would leave its bots running.
    """
    global _is_put_off  # noqa: PLW0603 - it belongs to the whole process
    if by is signal.SIGSTOP:
        _is_put_off = False  # two requests before that mean one stop
        signal.raise_signal(by)
        return
    handler = signal.getsignal(signal.SIGTSTP)
    signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    try:
        signal.raise_signal(by)
        _is_put_off = False
    finally:
        signal.signal(signal.SIGTSTP, handler)


def _call(calls: Iterable[Callable[[], object]]) -> None:
    """Call each function even if the system refuses one, for example without a terminal."""
    for call in calls:
        with suppress(OSError):
            call()


def awake_s() -> float:
    """Return the monotonic clock in seconds, without the times when this process was stopped."""
    now_s = time.monotonic()
    return awake_at(now_s) if _pauses else now_s


def awake_at(at_s: float) -> float:
    """Return the value of `awake_s` at a time of the monotonic clock."""
    return at_s - sum(max(0.0, min(at_s, end_s) - began_s) for began_s, end_s in _pauses)


def session_of(pid: int) -> Companion:
    """Return a companion for a process that leads its own group, with the whole group."""

    def send(number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, number)

    return Companion(partial(send, signal.SIGSTOP), partial(send, signal.SIGCONT))


def ignore() -> None:
    """Ignore all requests to stop from now on, since the process is already ending."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    for kind in STOPPING:
        signal.signal(kind, signal.SIG_IGN)
