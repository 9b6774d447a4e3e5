"""What goes to a worker and what comes back: a pair of games, and what became of it.

These and the text of `PairResult` are the seam between a tournament and its workers: any
`concurrent.futures.Executor` that carries them will do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lath.arena.referee.adjudication import NO_ADJUDICATION, Adjudication
from lath.arena.referee.bot import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.scorebook import GamePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class PairJob:
    """The games of one pair that are still to be played, one after the other."""

    pair: int
    """Unique in its tournament, from 1."""

    games: tuple[GamePlan, ...]
    bots: tuple[BotSpec, BotSpec]
    limits: Limits
    tree: str
    """Marks the processes that the job starts."""

    adjudication: Adjudication = NO_ADJUDICATION
    keeps_logs: bool = False
    """Whether the log is kept of every game; else of those that end badly."""

    @property
    def pairing(self) -> frozenset[str]:
        """Return who plays whom."""
        return frozenset(bot.name for bot in self.bots)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """One finished game as the store keeps it."""

    number: int
    round: int
    game: str
    first: str
    second: str
    result: str
    termination: str
    plies: int
    record: str
    """The record in canonical text."""

    used_s: tuple[float, float]
    worst_s: tuple[float, float]
    moves: tuple[int, int] = (0, 0)
    """How many first and second have answered."""

    stray_lines: int
    stderr: Mapping[str, str] = field(default_factory=dict)
    log: str = ""
    """What was said in the game, where it is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """What became of a job."""

    pair: int
    games: tuple[GameResult, ...]
    void: str = ""
    """Why the pairing must stop: a game was void twice in a row; else empty."""

    void_bot: str = ""
    """Whose fault that was; empty where it is the machine's."""

    voided: int = 0
    """Games that were void once and played again."""

    notes: tuple[str, ...] = ()
    """What is odd about bots or machine, apart from the games."""

    def as_text(self) -> str:
        """Return the result as JSON on one line."""
        rows = [{name: getattr(game, name) for name in _FIELDS} for game in self.games]
        told = {name: getattr(self, name) for name in _TOLD}
        return json.dumps({**told, "games": rows}, ensure_ascii=False)


_FIELDS: Final = tuple(GameResult.__dataclass_fields__)
_TOLD: Final = tuple(name for name in PairResult.__dataclass_fields__ if name != "games")


def read_result(text: str) -> PairResult:
    """Return what `PairResult.as_text` wrote."""
    told: dict[str, Any] = json.loads(text)
    games = tuple(GameResult(**{**row, **_tupled(row)}) for row in told["games"])
    return PairResult(**{**told, "games": games, "notes": tuple(told["notes"])})


def _tupled(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(row[name]) for name in ("used_s", "worst_s", "moves")}
