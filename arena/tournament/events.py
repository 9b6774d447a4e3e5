"""What happens in a run, as JSON lines for programs; docs/events.md says what they mean.

Must not know people's screens.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, Final, TextIO

from lath.arena.tournament.jobs import PairJob, PairResult
from lath.arena.tournament.observer import Summary
from lath.arena.tournament.progress import Line, Progress
from lath.arena.tournament.totals import BotTotals

VERSION: Final = 1
"""Of the events; it changes when a program that knows the old ones would misread the new."""

STATUS_S: Final = 10.0
"""How often `status` is told."""


class Events:
    """Listens to a run and writes each event at once."""

    def __init__(self, progress: Progress, stream: TextIO) -> None:
        """Take a stream that bears a reader's going away."""
        self._progress: Final = progress
        self._stream: Final = stream
        self._began_s: Final = progress.clock()
        self._next_s = self._began_s + STATUS_S

    def started(self) -> None:
        """Tell what is played, and how much of it is stored."""
        config = self._progress.config
        self._tell(
            "started",
            version=VERSION,
            event=config.event,
            format=config.format,
            games=list(config.games),
            bots=list(config.names),
            jobs=config.jobs,
            done=self._progress.done,
            total=self._progress.total,
        )

    def began(self, job: PairJob, slot: int) -> None:
        """Tell which games a slot plays, one after the other."""
        self._tell(
            "pair",
            pair=job.pair,
            slot=slot + 1,
            game=job.games[0].game,
            round=job.games[0].round,
            bots=[bot.name for bot in job.bots],
            numbers=[plan.number for plan in job.games],
        )

    def finished(self, result: PairResult) -> None:
        """Tell of each game that is stored now."""
        for game in result.games:
            self._tell(
                "game",
                pair=result.pair,
                number=game.number,
                round=game.round,
                game=game.game,
                first=game.first,
                second=game.second,
                result=game.result,
                termination=str(game.termination),
                plies=game.plies,
                used_s=[round(used_s, 6) for used_s in game.used_s],
                worst_s=[round(worst_s, 6) for worst_s in game.worst_s],
            )

    def warned(self, text: str) -> None:
        """Tell what people are told."""
        self._tell("warning", text=text)

    def stopped(self, pairing: Collection[str], why: str, words: str) -> None:  # noqa: ARG002
        """Tell which two bots play no more."""
        self._tell("stopped", bots=sorted(pairing), why=why)

    def waited(self) -> None:
        """Tell how it stands every `STATUS_S`."""
        if self._progress.clock() >= self._next_s:
            self._next_s = self._progress.clock() + STATUS_S
            self._status()

    def _status(self) -> None:
        progress = self._progress
        left_s = progress.left_s()
        self._tell(
            "status",
            done=progress.done,
            total=progress.total,
            running=[running.job.pair for _, running in sorted(progress.running.items())],
            rate=round(progress.rate.recent(progress.clock()), 3),
            left_s=None if left_s is None else round(left_s, 1),
            warnings=progress.warned_times,
            format=dict(progress.standing().data),
            standings=[_line(line) for line in progress.ranked()],
        )

    def ended(self, summary: Summary, status: int, files: Mapping[str, str]) -> None:
        """Tell how the run ended, with which exit status, and where its files are."""
        self._tell(
            "ended",
            complete=summary.is_complete,
            interrupted=summary.interrupted,
            status=status,
            done=summary.done,
            total=summary.total,
            stopped=[
                {"bots": sorted(pairing), "why": why} for pairing, why in summary.stopped.items()
            ],
            notes=dict(summary.notes),
            format=dict(summary.outcome.data),
            standings=[_line(line) for line in self._progress.ranked()],
            bots=[_totals(bot) for bot in summary.bots],
            files=dict(files),
        )

    def failed(self, error: str, status: int) -> None:
        """Tell that the run could not go on, in the place of `ended`."""
        self._tell("failed", error=error, status=status)

    def _tell(self, kind: str, **values: Any) -> None:
        time_s = round(self._progress.clock() - self._began_s, 3)
        line = json.dumps({"type": kind, "time_s": time_s, **values})
        self._stream.write(f"{line}\n")
        self._stream.flush()


def _line(line: Line) -> dict[str, Any]:
    score, interval = line.score, line.score.interval()
    return {
        "name": line.name,
        "games": score.games,
        "points": score.points,
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "score": None if score.rate is None else round(score.rate, 6),
        "low": None if interval is None else round(interval.low, 6),
        "high": None if interval is None else round(interval.high, 6),
        "lost_by": dict(line.forfeits),
    }


def _totals(bot: BotTotals) -> dict[str, Any]:
    average_s = bot.average_s
    return {
        "name": bot.name,
        "games": bot.games,
        "moves": bot.moves,
        "average_s": None if average_s is None else round(average_s, 6),
        "worst_s": round(bot.worst_s, 6),
        "lost_by": {
            "crash": bot.crashes,
            "time": bot.time_losses,
            "illegal move": bot.illegal_moves,
            "flood": bot.floods,
        },
    }
