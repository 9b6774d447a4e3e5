"""A whole tournament: its configuration, its store, its run and its outcome.

The commands around it are in `flows`.

The package can be called: `lath.arena.tournament(...)` is `lath.arena.flows.runs.tournament`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Called(ModuleType):
    """The type of this package, which users call to play a tournament."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        return import_module("lath.arena.flows.runs").tournament(*given, **named)


sys.modules[__name__].__class__ = _Called
