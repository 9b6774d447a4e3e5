"""Tournaments between bot processes, and the command line.

The arena never imports `bots`.

    from lath import arena
    from lath.arena import Engine, Limit

    with Engine.open("greedy") as bot:
        print(bot.play(position, Limit(seconds=1)).move)

    print(arena.match("greedy", "./mybot").verdict)

Each name is imported when it is first used, so that the import of this package is fast.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from lath import refuse_other_systems

try:
    refuse_other_systems()
except ImportError as error:
    program = sys.argv[0].replace("\\", "/").rpartition("/")[2] if sys.argv else ""
    if program == "-m" or program.split(".")[0].startswith("arena"):
        raise SystemExit(f"error: {error}") from None
    raise

if TYPE_CHECKING:
    from lath.arena.engine.engine import (
        Analysis,
        BotDiedError,
        DeadlineError,
        Engine,
        EngineError,
        IllegalAnswerError,
        NotABotError,
    )
    from lath.arena.flows.matches import MatchResult, match
    from lath.arena.flows.runs import Decision, RunResult, tournament
    from lath.arena.flows.tuning import TuneResult, tune
    from lath.arena.referee.answers import Answer, Info, Limit

_HOMES: Final = {
    "referee.answers": ("Answer", "Info", "Limit"),
    "engine.engine": (
        *("Analysis", "BotDiedError", "DeadlineError", "Engine", "EngineError"),
        *("IllegalAnswerError", "NotABotError"),
    ),
    "flows.matches": ("MatchResult", "match"),
    "flows.runs": ("Decision", "RunResult"),
    "flows.tuning": ("TuneResult", "tune"),
}
"""The modules that define the names of this package; `tournament` is a callable package."""

__all__ = [
    "match",
    "tournament",
    "tune",
    "RunResult",
    "MatchResult",
    "TuneResult",
    "Decision",
    "Engine",
    "Limit",
    "Answer",
    "Info",
    "Analysis",
    "EngineError",
    "NotABotError",
    "BotDiedError",
    "DeadlineError",
    "IllegalAnswerError",
]


def __getattr__(name: str) -> Any:
    """Import and return a name of this package when it is first used."""
    if name == "tournament":
        return import_module(f"{__name__}.{name}")
    for module, names in _HOMES.items():
        if name in names:
            found = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
