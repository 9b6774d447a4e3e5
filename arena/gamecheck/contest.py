"""The step about bots: a short tournament of bundled bots, played by the arena's own runner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from lath.arena.entrants.flag_text import time_of, time_table
from lath.arena.entrants.programs import bundled
from lath.arena.flows.runs import RunResult, tournament
from lath.arena.gamecheck.lab import GameLab
from lath.arena.gamecheck.points import GameFinding, GameStep, fault, note, ok, untested, warning
from lath.games.errors import LathError
from lath.games.naming import lasting
from lath.notation.record.tags import Termination

BOTS: Final = ("random", "greedy", "mcts", "alphabeta")
"""The entrants: bundled bots that play any game type."""

_MOVE_S: Final = 0.05
_QUICK_S: Final = 0.02
"""The time per move, and that in a quick check."""

_BUDGET_S: Final = 8.0
"""The time after which no game begins."""


def _play(lab: GameLab) -> Iterator[GameFinding]:
    """Yield how each bot fares."""
    missing = [name for name in BOTS if name not in bundled()]
    if missing:
        yield untested(f"{', '.join(missing)} are not installed")
        return
    if not lab.random_games.finished:
        yield untested("random games do not end")
        return
    with TemporaryDirectory(prefix="arena-games-check-") as folder:
        try:
            run = played(lab, Path(folder) / "tournament")
            yield from _scores(run)
        except LathError as error:
            yield fault(
                " ".join(str(error).split()),
                "correct the rules as the message says; the tournament stopped there",
            )


def played(lab: GameLab, folder: Path) -> RunResult:
    """Return the tournament of the bots in a new folder; raises ArenaError."""
    is_quick = lab.effort < 1
    move_s = _QUICK_S if is_quick else _MOVE_S
    config: Mapping[str, Any] = {
        "event": "Check",
        "format": "round-robin",
        "rounds": 1 if is_quick else 2,
        "games": [lasting(lab.game.id)],
        "seed": lab.seed,
        "time": time_table(time_of(f"move {move_s}")),
        "bot": [{"name": name} for name in BOTS],
    }
    budget = f"{max(1, round(lab.seconds(_BUDGET_S)))}s"
    return tournament(config, out=folder, report=False, budget=budget)


def _scores(run: RunResult) -> Iterator[GameFinding]:
    """Yield the failures and the scores of a tournament."""
    games = [*run.games]
    lost = [(record, forfeit) for record in games if (forfeit := record.forfeit)]
    for record, forfeit in lost[:3]:
        why = f": {forfeit.reason}" if forfeit.reason else ""
        words = f"{forfeit.bot} lost a game by {forfeit.ending} at ply {forfeit.ply}{why}"
        way = " ".join(ply.move for ply in record.plies)
        if forfeit.ending == Termination.TIME:
            yield note(words, "check again on an idle machine, or make the rules faster", way=way)
        else:
            mend = "play such games with `arena run --log all`, and read the log of this bot"
            yield fault(words, mend, way=way)
    if run.summary.stopped or run.summary.newly_benched:
        for words in run.warnings:
            yield fault(words, "correct the rules, if the message names them")
    if not games:
        yield warning("no game ended in time", "make the rules faster, or the games shorter")
    elif not lost:
        rows = {row.name: row for row in run.standings.overall.rows}
        scores = [f"{name} {rows[name].points:g}/{rows[name].games}" for name in rows]
        yield ok(f"{', '.join(scores)} in {len(games)} games")


TOURNAMENT: Final = GameStep(
    "tournament", "is played by bots without a failure", _play, needs="board"
)
