"""Signals that ask this process to stop, for good or until it is continued.

Those that ask it to end are counted, and whoever takes long looks.

An exception that comes from a handler may come anywhere: also in a `__del__`, in what a fork calls
and in a class that is being made, where Python drops it or makes another one of it. So a run only
counts signals and looks between two things that it does (`look`, `requests`). What may wait or
compute for long and spoils nothing is `interruptible`: there the handler raises, and what is
dropped is raised again.

At a Ctrl-Z everything stops that this process has started and told of (`stopping_too`): bots, and
workers with theirs. `awake_s` is the clock that stands still meanwhile.

Must stay light: it is the first that the program imports.
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
"""Ctrl-C, what service managers send, and a terminal that is closed."""

_NEVER = sys.maxsize

_AGAIN_S = 0.01
"""After what time an exception that was dropped comes again."""

_requests = 0
_raises_from = _NEVER
"""At the how many-th request the handler raises."""

_has_raised = False

_called: list[Callable[[], object]] = []
"""Who wants to be called at a request."""


def requests() -> int:
    """Return how often somebody has asked this process to stop."""
    return _requests


def look() -> None:
    """Raise KeyboardInterrupt if somebody has asked to stop, and was not answered so before."""
    if _requests and not _has_raised:
        raise KeyboardInterrupt


def _heed(_number: int, _frame: object) -> None:
    global _requests  # noqa: PLW0603 - it is a fact about the process
    _requests += 1
    for call in _called:
        call()
    _raise()


def _raise(*_: object) -> None:
    """Raise once where that is allowed: a second time would interrupt the clearing up."""
    global _has_raised  # noqa: PLW0603 - likewise
    if _requests >= _raises_from and not _has_raised:
        _has_raised = True
        raise KeyboardInterrupt


def _raise_again(dropped: sys.UnraisableHookArgs) -> None:
    """Have an interrupt that Python has dropped come again, and tell of everything else."""
    global _has_raised  # noqa: PLW0603 - likewise
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
    """Have signals counted, but for a SIGHUP that nohup ignores; return what takes that back."""
    is_immune = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    heard = [kind for kind in kinds if not (is_immune and kind == signal.SIGHUP)]
    return [partial(signal.signal, kind, signal.signal(kind, _heed)) for kind in heard]


@contextmanager
def heeded(*, raises: bool = False) -> Iterator[None]:
    """Count signals in here, and raise KeyboardInterrupt at the first if it `raises`.

    In another thread than the first one nothing can be heeded: signals go on as they did.
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
            if signal.getsignal(signal.SIGINT) is not _heed:  # the next run is asked anew
                _requests, _has_raised = 0, False


@contextmanager
def calling(call: Callable[[], object]) -> Iterator[None]:
    """Have this called at each request, so that who waits for other things notices at once.

    It may be called anywhere, and so may do no more than `SimpleQueue.put`.
    """
    _called.append(call)
    try:
        yield
    finally:
        _called.remove(call)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt at a request that comes in here, or has come before.

    For a call that may wait for ever, and for computing; not for what must be finished.
    """
    with raising(1):
        look()
        yield
    if _requests:
        raise KeyboardInterrupt


@contextmanager
def raising(at: int) -> Iterator[None]:
    """Raise KeyboardInterrupt once, at the `at`-th request or a later one that comes in here."""
    global _raises_from, _has_raised  # noqa: PLW0603 - likewise
    before = _raises_from, _has_raised
    _raises_from = at
    try:
        yield
    finally:
        _raises_from, _has_raised = before


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Count one more request where it takes longer: nobody who stops a service waits for ever."""
    signal.signal(signal.SIGALRM, _heed)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


# Ctrl-Z


class Companion(NamedTuple):
    """What stops with this process and goes on with it."""

    stop: Callable[[], object]
    resume: Callable[[], object]
    settle: Callable[[], object] = bool
    """Wait until it has stopped, after all were told to."""


_companions: dict[int, Companion] = {}
_numbers = itertools.count()
_pauses: list[tuple[float, float]] = []
"""When this process stood still, on the monotonic clock; the end of the present pause is open."""

_starting: list[None] = []
"""One for each process that is being started and was not told of yet."""

_is_pausing = _is_put_off = False


def stopping_too(companion: Companion) -> Callable[[], object]:
    """Have something stop whenever this process does; return what ends that."""
    key = next(_numbers)
    _companions[key] = companion
    return lambda: _companions.pop(key, None)


@contextmanager
def starting() -> Iterator[None]:
    """Put off a Ctrl-Z that comes in here: what starts is told to stop with us at the end of it."""
    _starting.append(None)
    try:
        yield
    finally:
        _starting.pop()
        _pause_again()


def _pause_again() -> None:
    """Heed a Ctrl-Z that was put off, if now is the time."""
    global _is_put_off  # noqa: PLW0603 - it is a fact about the process
    if _is_put_off and not (_starting or _is_pausing):
        _is_put_off = False
        os.kill(os.getpid(), signal.SIGTSTP)


def held() -> set[signal.Signals | int]:
    """Hold a Ctrl-Z back in this thread, and in what it starts until that is `pausable`.

    Return what was held before, for `signal.pthread_sigmask`.
    """
    return signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTSTP,))


@contextmanager
def pausable(*, has_shell: bool = True) -> Iterator[None]:
    """At a Ctrl-Z in here, stop with all that was named; only for the first thread.

    Who ignores that signal does so in here, too. The system ignores it for a process that no shell
    could continue. One that has no shell, but `has_shell=False`, is continued by who stopped it.
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
    """Stop, and what is to stop with this process before it; go on when somebody says so."""
    global _is_pausing, _is_put_off  # noqa: PLW0603 - likewise
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
    """Stop until somebody lets this process go on; a Ctrl-Z from then on is another one.

    The system drops a Ctrl-Z for a process without a shell that does not handle it. So such a one
    keeps its handler: one that was dropped would leave its bots running.
    """
    global _is_put_off  # noqa: PLW0603 - likewise
    if by is signal.SIGSTOP:
        _is_put_off = False  # who asked twice before that meant one stop
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
    """Call each, whatever the system refuses: a terminal may be gone, or descriptors short."""
    for call in calls:
        with suppress(OSError):
            call()


def awake_s() -> float:
    """Return the monotonic clock less all the time for which this process was stopped."""
    now_s = time.monotonic()
    return awake_at(now_s) if _pauses else now_s


def awake_at(at_s: float) -> float:
    """Return what that clock showed at a time of the monotonic one."""
    return at_s - sum(max(0.0, min(at_s, end_s) - began_s) for began_s, end_s in _pauses)


def session_of(pid: int) -> Companion:
    """Return a process that leads a group of its own, with the processes in it."""

    def send(number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, number)

    return Companion(partial(send, signal.SIGSTOP), partial(send, signal.SIGCONT))


def ignore() -> None:
    """Heed no signal that asks to stop from now on: it is decided how the process ends."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    for kind in STOPPING:
        signal.signal(kind, signal.SIG_IGN)
