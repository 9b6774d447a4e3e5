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
    """Call `stop` at Ctrl-C, SIGTERM and SIGHUP; a SIGHUP that nohup ignored stays ignored."""

    def heed(_number: int, _frame: FrameType | None) -> None:
        stop()

    is_immune = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    kinds = (signal.SIGINT, signal.SIGTERM, *(() if is_immune else (signal.SIGHUP,)))
    before = {kind: signal.signal(kind, heed) for kind in kinds}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
