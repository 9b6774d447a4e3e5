"""What goes between a tournament and its workers: a pair of games to play, and what came of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from lath.arena.errors import ArenaError, Cause
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.match import NO_ADJUDICATION, Adjudication
from lath.arena.referee.record import GamePlan, GameResult
from lath.games.core import Result
from lath.notation.files.bounds import read_json


@dataclass(frozen=True, slots=True, kw_only=True)
class PairJob:
    """The games of one pair that are still to be played, one after the other."""

    pair: int
    """Unique in its tournament, from 1."""

    games: tuple[GamePlan, ...]
    """None: it is only tried whether the bots can be started."""

    bots: tuple[BotSpec, BotSpec]
    limits: Limits
    tree: str
    """Marks the processes that the job starts."""

    adjudication: Adjudication = NO_ADJUDICATION
    keeps_logs: bool = False
    """Whether the log is kept of every game; else of those that end badly."""

    spent: frozenset[str] = frozenset()
    """Which of the bots a game of the tournament was void for: another one is a loss."""

    started: frozenset[str] = frozenset()
    """Which of them can be started: they have played in the tournament."""

    live: str = ""
    """The folder in which its games are shown while they are played; empty: nowhere."""

    @property
    def pairing(self) -> frozenset[str]:
        """Return who plays whom."""
        return frozenset(bot.name for bot in self.bots)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """What became of a job."""

    pair: int
    games: tuple[GameResult, ...]
    void: Cause | None = None
    """Why the pairing must stop, if it must: a game was void twice in a row."""

    void_bot: str = ""
    """Whose fault that was; empty where it is the machine's."""

    lack: str = ""
    """What the machine lacks, so that the rest was not played and is to be tried again; else empty.

    With `void` a game was begun, and broken off by a bot that may have met that.
    """

    voided: int = 0
    """Times that a game was void and played again."""

    spent: tuple[str, ...] = ()
    """Bots that a game was void for, though they can be started."""

    notes: tuple[str, ...] = ()
    """What is odd about bots or machine, apart from the games."""

    def as_text(self) -> str:
        """Return the result as JSON on one line."""
        return json.dumps(asdict(self), ensure_ascii=False)


def read_result(text: str) -> PairResult:
    """Return what `PairResult.as_text` wrote.

    Raises ArenaError for anything else: who has this user's rights may write into any pipe of his.
    """
    try:
        values: dict[str, Any] = read_json(text)
        games = (
            GameResult(**{**row, "result": Result(row["result"]), "notes": tuple(row["notes"])})
            for row in values["games"]
        )
        lists = {name: tuple(values[name]) for name in ("notes", "spent")}
        void = values["void"] and Cause(**values["void"])
        return PairResult(**{**values, **lists, "games": tuple(games), "void": void})
    except (KeyError, TypeError, ValueError) as error:
        raise ArenaError(
            f"worker process: its answer is not the result of a pair: {text[:100]!r}"
        ) from error
