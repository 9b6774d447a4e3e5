"""The signals that ask a run to stop, for as long as somebody heeds them."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def on_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` at Ctrl-C, SIGTERM and SIGHUP; a SIGHUP that nohup ignored stays ignored.

    Once `stop` has raised, further signals are not heeded: they would interrupt the clearing up.
    """
    has_raised = False

    def heed(_number: int, _frame: FrameType | None) -> None:
        nonlocal has_raised
        if has_raised:
            return
        try:
            stop()
        except BaseException:
            has_raised = True
            raise

    is_immune = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    kinds = (signal.SIGINT, signal.SIGTERM, *(() if is_immune else (signal.SIGHUP,)))
    before = {kind: signal.signal(kind, heed) for kind in kinds}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def ignore() -> None:
    """Heed no signal that asks to stop from now on: the process is ending."""
    for kind in _STOPPING:
        signal.signal(kind, signal.SIG_IGN)
