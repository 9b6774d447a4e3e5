"""Signals that ask this process to stop: they are counted, and whoever takes long looks.

An exception that comes from a handler may come anywhere: also in a `__del__`, in what a fork calls
and in a class that is being made, where Python drops it or makes another one of it. So a run only
counts signals and looks between two things that it does (`look`, `requests`). What may wait or
compute for long and spoils nothing is `interruptible`: there the handler raises, and what is
dropped is raised again.

Must stay light: it is the first that the program imports.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

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
    import threading

    global _requests, _has_raised
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with raising(1 if raises else _NEVER):
        undo = _set_handlers(STOPPING)
        try:
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


def ignore() -> None:
    """Heed no signal that asks to stop from now on: it is decided how the process ends."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    for kind in STOPPING:
        signal.signal(kind, signal.SIG_IGN)
