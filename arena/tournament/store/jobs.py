"""Messages between a tournament and its workers: a pair of games to play, and its results."""

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
    """The games to play; empty to try only whether the bots can be started."""

    bots: tuple[BotSpec, BotSpec]
    limits: Limits
    tree: str
    """The mark of the processes that the job starts."""

    adjudication: Adjudication = NO_ADJUDICATION
    keeps_logs: bool = False
    """True to keep the log of every game, false for games that end badly only."""

    spent: frozenset[str] = frozenset()
    """Bots for which a game of the tournament was void. The next such game is a loss."""

    started: frozenset[str] = frozenset()
    """Bots that are known to start, because they have played in the tournament."""

    live: str = ""
    """The folder that shows the games while they are played; empty for none."""

    @property
    def pairing(self) -> frozenset[str]:
        """Return the names of the two bots."""
        return frozenset(bot.name for bot in self.bots)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """The outcome of a job."""

    pair: int
    games: tuple[GameResult, ...]
    void: Cause | None = None
    """The reason to stop the pairing, after a game was void twice in a row; otherwise None."""

    void_bot: str = ""
    """The bot that caused it; empty if the machine did."""

    lack: str = ""
    """The resource that the machine lacks, so that the rest was not played and must be tried again;
    otherwise empty.

    If `void` is set too, the shortage may have made the bot break off a game.
    """

    voided: int = 0
    """The number of void games that were played again."""

    spent: tuple[str, ...] = ()
    """Bots for which a game was void although they can be started."""

    notes: tuple[str, ...] = ()
    """Remarks on bots or machine, apart from the games."""

    def as_text(self) -> str:
        """Return the result as JSON on one line."""
        return json.dumps(asdict(self), ensure_ascii=False)


def read_result(text: str) -> PairResult:
    """Return the result that `PairResult.as_text` wrote.

    Raises ArenaError for anything else: any process of the same user can write into the pipe.
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
