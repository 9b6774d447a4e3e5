"""Each kind of time control, little time, `stop`, and the other's turn.

All in one game: what a bot does with its time does not depend on the rules.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from lath.arena.botcheck.bout import Bout
from lath.arena.botcheck.lab import Lab
from lath.arena.botcheck.points import (
    FaultFoundError,
    Finding,
    Verdict,
    duration,
    note,
    ok,
    untested,
    warning,
)
from lath.arena.botcheck.probe import GameProbe
from lath.arena.referee.clock import MARGIN_S
from lath.games.core import SEATS, Game, Seat
from lath.notation import wire
from lath.notation.record import Termination
from lath.notation.timecontrol import TimeControl

MOVE: Final = TimeControl(move_ms=100)
NODES: Final = TimeControl(nodes=50)
SUDDEN_DEATH: Final = TimeControl(initial_ms=1000)
LONG: Final = TimeControl(move_ms=1000)
"""Long enough to be interrupted."""

LITTLE_MS: Final = 50

STOP_S: Final = 0.3
"""How soon a bot that listens while it thinks answers `stop`."""

IDLE_S: Final = 0.3
BUSY_S: Final = 0.1
"""Time of a processor in IDLE_S that is more than tidying up."""

TURNS: Final = 5


def keeps_move_time(lab: Lab, game: Game) -> Finding:
    """Give a fixed time for each move, in both seats."""
    slowest_s = max(_slowest_s(lab, game, side, MOVE, 1.5) for side in SEATS)
    return ok(f"slowest move {duration(slowest_s)} of {duration(MOVE.move_ms / 1000)}")


def _slowest_s(lab: Lab, game: Game, side: Seat, time: TimeControl, seconds: float) -> float:
    """Return the bot's longest move of a game that ends after `seconds`, if not before."""
    bout = Bout(lab, game, side, time=time, setup=game.draw_setup(lab.terms.seed))
    bout.play_on(seconds=seconds)
    bout.finish()
    return bout.slowest_s


def plays_by_nodes(lab: Lab, game: Game) -> Finding:
    """Give nodes for each move."""
    slowest_s = max(_slowest_s(lab, game, side, NODES, 1.0) for side in SEATS)
    return ok(f"slowest move {duration(slowest_s)}")


def plays_without_limit(lab: Lab, game: Game) -> Finding:
    """Give no limit at all."""
    bout = Bout(lab, game, Seat.FIRST, time=TimeControl(), setup=game.draw_setup(lab.terms.seed))
    bout.play_on(seconds=1.5)
    bout.finish()
    return ok(bout.words())


def bears_sudden_death(lab: Lab, game: Game) -> Finding:
    """Give a clock to which nothing is added."""
    slowest_s = _slowest_s(lab, game, Seat.SECOND, SUDDEN_DEATH, 2.0)
    return ok(f"slowest move {duration(slowest_s)} of {duration(SUDDEN_DEATH.initial_ms / 1000)}")


def answers_in_a_hurry(lab: Lab, game: Game) -> Finding:
    """Show the bot a clock that is nearly empty."""
    bout = Bout(lab, game, Seat.FIRST, time=TimeControl(initial_ms=2000))
    worst_s = 0.0
    while bout.turns < TURNS and not bout.is_over:
        if bout.is_bots_turn:
            bout.ask(left_ms=LITTLE_MS)
            worst_s = max(worst_s, bout.last_s)
        else:
            bout.reply()
    bout.finish()
    seen = f"slowest move {duration(worst_s)} with {LITTLE_MS} ms left"
    if worst_s > LITTLE_MS / 1000 + MARGIN_S:
        return warning(seen, "keep some time in reserve, and answer at once when little is left")
    return ok(seen)


def _interrupted(lab: Lab, game: Game) -> tuple[Bout, str]:
    """Return a game in which the bot has just begun to think, and the `go` that it heard."""
    bout = Bout(lab, game, Seat.FIRST, time=LONG, setup=game.draw_setup(lab.terms.seed))
    go = bout.send_go()
    lab.session().pause(0.05)
    return bout, go


def stops(lab: Lab, game: Game) -> Finding:
    """Say `stop` while it thinks."""
    bout, go = _interrupted(lab, game)
    session = lab.session()
    if any(line.split()[:2] == bout.answer for line in session.unheard):
        bout.forgive()
        bout.finish()
        return ok("it answers before it can be stopped")
    session.say(wire.STOP)
    limit_s = LONG.move_ms / 1000 + MARGIN_S + 1.0
    after_s = bout.hear(go, limit_s).after_s
    bout.finish()
    if after_s <= STOP_S:
        return ok(f"answered {duration(after_s)} after `stop`")
    return warning(
        f"answered {duration(after_s)} after `stop`",
        "read lines while you think and answer `stop` at once; a bot that thinks in one piece "
        "may leave it so, games just end later",
    )


def bears_a_sudden_end(lab: Lab, game: Game) -> Finding:
    """End a game while it thinks, as when the other bot has gone, and begin the next at once."""
    bout, go = _interrupted(lab, game)
    bout.forgive()
    bout.end("1-0", Termination.CRASH, wire.STOP)
    try:
        after = Bout(lab, game, Seat.FIRST, time=LONG, forgiving=bout.answer)
    except FaultFoundError as error:
        raise FaultFoundError(
            f"{error.seen}, after `{go}`, `stop` and `result`",
            "a game can end while you think: go on reading, and answer the next `new`",
            is_costly=error.is_costly,
            stderr=error.stderr,
        ) from error
    after.ask()
    after.finish()
    return ok("ready for the next game, and playing it")


def repeats_itself(lab: Lab, game: Game) -> Finding:
    """Play the same game in two processes."""
    played = []
    for _ in range(2):
        lab.drop()
        bout = Bout(lab, game, Seat.FIRST, time=NODES, setup=game.draw_setup(lab.terms.seed))
        moves: list[str] = []
        while len(moves) < TURNS and not bout.is_over:
            if bout.is_bots_turn:
                moves.append(bout.ask())
            else:
                bout.reply()
        bout.finish()
        played.append(moves)
    if played[0] == played[1]:
        return ok(f"the same {len(played[0])} moves twice")
    return note(
        f"{' '.join(played[0])}, then {' '.join(played[1])}",
        "take all chance from the seed of `new`, if games shall be repeatable",
    )


def rests(lab: Lab, game: Game) -> Finding:
    """Measure how much it computes while the other thinks."""
    if sys.platform != "linux":
        return untested("only Linux tells how much a process computes")
    bout = Bout(lab, game, Seat.FIRST, setup=game.draw_setup(lab.terms.seed))
    bout.ask()
    if bout.is_over:
        bout.finish()
        return untested("the game was over after its first move")
    session = lab.session()
    session.pause(0.05)
    before_s = _computed_s(session.pid)
    session.pause(IDLE_S)
    busy_s = _computed_s(session.pid) - before_s
    bout.finish()
    if busy_s <= BUSY_S:
        return ok(f"computed {duration(busy_s)} of {duration(IDLE_S)}")
    return warning(
        f"computed {duration(busy_s)} in {duration(IDLE_S)} of the other's turn",
        "wait for input without computing: thinking on the other's turn takes its processor, and "
        "waiting is for a read that blocks",
    )


def _computed_s(session: int) -> float:
    """Return the processor time of all processes of a session, in seconds."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue  # it has ended
        if int(fields[3]) == session:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


TIMES: Final = (
    GameProbe("move-time", "keeps a fixed time for each move: `tc move MS`", keeps_move_time),
    GameProbe("nodes", "plays with `tc nodes N`", plays_by_nodes),
    GameProbe("no-limit", "plays with `tc none`", plays_without_limit),
    GameProbe("no-increment", "keeps a clock without increment", bears_sudden_death),
    GameProbe(
        "little-time",
        f"answers in time with {LITTLE_MS} ms left",
        answers_in_a_hurry,
        Verdict.WARNING,
    ),
    GameProbe("stop", "answers soon after `stop`", stops, Verdict.WARNING),
    GameProbe("sudden-end", "bears a `result` while it thinks", bears_a_sudden_end),
    GameProbe("seed", "plays the same with the same seed and nodes", repeats_itself),
    GameProbe("rest", "does not compute on the other's turn", rests, Verdict.WARNING),
)
