"""Work of several processes, done in this one; starting two takes half a second and more."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest


class Pickling(Executor):
    """Pickles arguments and results like a process pool, at once."""

    def submit(self, work: Callable[..., Any], /, *given: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        function, words, named = copied((work, given, more))
        future.set_result(copied(function(*words, **named)))
        return future


def copied(what: Any) -> Any:
    """Return a value as another process would receive it."""
    return pickle.loads(pickle.dumps(what))


def work_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do the work of other processes in this one."""
    monkeypatch.setattr(futures, "ProcessPoolExecutor", lambda *_, **__: Pickling())
