"""What a move is charged beyond the time that its bot took: the referee's own delay, ply by ply.

    python benchmarks/charged.py BOT GAMES CORE

Plays games of the bot, built from `instant.c`, against itself, each move with 5 ms of work, in this
process as a worker does it, and prints as JSON by how many seconds each charge is longer than what
the bot measured between reading `go` and writing its answer. CORE is the one to run on, or -1.
`benchmarks/runner.py` starts one process of this for each slot.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path

from peers import CORES, Setup
from played import environment, read_logs

from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Clock, Limits
from lath.arena.referee.conversation import Bot
from lath.arena.referee.match import play_game
from lath.arena.referee.record import GamePlan
from lath.arena.referee.watch import Watch
from lath.games.core import Side
from lath.notation.protocol import TimeControl

THINKING = "5ms"
"""The argument that makes the bot work for as long before each answer."""


def added_s(bot: Path, games: int, setup: Setup) -> list[float]:
    """Return for each ply of `games` a slot by how much its charge is too long."""
    cores = CORES[: setup.slots] if setup.pinned else [-1] * setup.slots
    command = [sys.executable, __file__, str(bot), str(games)]
    running = [
        subprocess.Popen([*command, str(core)], stdout=subprocess.PIPE, env=environment())
        for core in cores
    ]
    told = [process.communicate()[0] for process in running]
    for process in running:
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, process.args)
    return [added for text in told for added in json.loads(text)]


def _play(bot: Path, games: int, folder: Path) -> list[float]:
    """Play the games, each bot in each seat by turns; return what `added_s` does."""
    charged = _listen()
    watch = Watch()
    tree = f"{secrets.token_hex(8)}."
    limits = Limits(time=TimeControl(initial_ms=60_000))
    logs = [folder / name for name in "ab"]
    bots = [
        Bot(
            BotSpec(name=log.name, command=(str(bot), THINKING), env={"LATH_BOT_LOG": str(log)}),
            watch,
            tree=tree,
        )
        for log in logs
    ]
    theirs: list[list[float]] = [[], []]
    for number in range(games):
        first = number % 2
        pair = bots[first], bots[1 - first]
        plan = GamePlan(
            number=number + 1,
            round=1,
            game="yavalath",
            setup=None,
            names=(pair[0].name, pair[1].name),
            seeds=(1, 2),
        )
        play_game(plan, pair, limits, watch)
        theirs[first] += charged[0::2]
        theirs[1 - first] += charged[1::2]
        charged.clear()
    for player in bots:
        player.quit()
    return [
        charge - own
        for log, charges in zip(logs, theirs, strict=True)
        for charge, own in zip(charges, read_logs(log)[0].times_s, strict=True)
    ]


def _listen() -> list[float]:
    """Return a list to which every charge is added from now on."""
    charged: list[float] = []
    charge = Clock.charge

    def listening(clock: Clock, seat: Side, used_s: float) -> float | None:
        charged.append(used_s)
        return charge(clock, seat, used_s)

    Clock.charge = listening  # type: ignore[method-assign, assignment]
    return charged


def _main() -> None:
    bot, games, core = sys.argv[1:]
    if int(core) >= 0:
        os.sched_setaffinity(0, {int(core)})
    with tempfile.TemporaryDirectory() as folder:
        played = _play(Path(bot), int(games), Path(folder))
        json.dump(played, sys.stdout)


if __name__ == "__main__":
    _main()
