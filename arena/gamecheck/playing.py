"""The steps about play: the ends of random games, and a short tournament of bundled bots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, Final

from lath.arena.entrants.flag_text import time_of, time_table
from lath.arena.entrants.programs import bundled
from lath.arena.flows.runs import RunResult, tournament
from lath.arena.gamecheck.lab import LONGEST, GameLab
from lath.arena.gamecheck.points import GameFinding, GameStep, fault, note, ok, untested, warning
from lath.games.errors import LathError, count_of
from lath.games.naming import lasting
from lath.notation.record.tags import Termination
from lath.reports.counting.estimates import wilson

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
        yield ok(f"{', '.join(scores)} in {count_of(len(games), 'game')}")


TOURNAMENT: Final = GameStep(
    "tournament", "is played by bots without a failure", _play, needs="board"
)


def _end(lab: GameLab) -> Iterator[GameFinding]:
    """Yield whether random games end."""
    found = lab.random_games
    mend = (
        "add a rule that ends each game, such as a draw after a number of plies without progress, "
        "and keep what it counts in the position"
    )
    if not found.finished:
        yield fault(
            f"none of {count_of(found.games, 'random game')} ended within {LONGEST:,} plies", mend
        )
        return
    if found.unfinished:
        yield warning(
            f"{found.unfinished} of {count_of(found.games, 'random game')} did not end within "
            f"{LONGEST:,} plies",
            mend,
        )
        return
    lengths = found.lengths
    yield ok(
        f"{count_of(found.games, 'random game')}, of {fmean(lengths):.1f} plies on average "
        f"({min(lengths)} to {max(lengths)})"
    )


def _share(lab: GameLab) -> Iterator[GameFinding]:
    """Yield the first player's share and the draws."""
    found = lab.random_games
    if not (games := found.finished):
        return
    share, draws = (found.first + found.drawn / 2) / games, found.drawn / games
    low, high = wilson(share, games)
    words = (
        f"the first player scores {share:.1%} (95% interval {low:.1%} to {high:.1%}), with "
        f"{draws:.1%} draws"
    )
    if games >= 30 and draws > 0.95:
        yield note(words, "almost all random games are drawn: is a win possible?")
    elif high < 0.2 or low > 0.8:
        yield note(words, "random games favour one player: a swap rule would let players balance")
    else:
        yield ok(words)


ENDS: Final = GameStep("length", "ends each random game", _end, needs="board")
SHARE: Final = GameStep(
    "first-player", "gives both players a chance in random games", _share, needs="board"
)
