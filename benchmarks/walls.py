"""What a wall costs: at the start of a bot, and at each of its plies.

    python benchmarks/walls.py [--starts 60] [--games 200]

Starts a bot in C and a bundled bot behind each wall, by turns, up to its `ok`; then plays games
between two of the C bots behind the same wall, by turns, as a worker does. Prints medians and what
each wall adds to limits alone, pair by pair, with the quartiles. A wall that this machine does not
have is left out, and why is said.
"""

from __future__ import annotations

import argparse
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from lath.arena.entrants.confinement import confined
from lath.arena.entrants.programs import bundled
from lath.arena.errors import ConfigError
from lath.arena.referee import process_trees
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.conversation import Bot
from lath.arena.referee.match import play_game
from lath.arena.referee.record import GamePlan
from lath.arena.referee.watch import Watch
from lath.notation.protocol import TimeControl

HERE = Path(__file__).parent

WALLS = ("none", "user", "bwrap")

What = TypeVar("What")

LIMITS = Limits(time=TimeControl(initial_ms=60_000))


def _behind(wall: str, name: str, command: Sequence[str], home: Path) -> BotSpec:
    """Return a bot behind a wall; raises ConfigError where there is none such."""
    cwd = str(home) if command[0].startswith(str(home)) else None
    bot = BotSpec(name=name, command=tuple(command), cwd=cwd, sandbox=wall)
    return confined([bot]).bots[0]


def _walls(home: Path, command: Sequence[str]) -> list[str]:
    found = []
    for wall in WALLS:
        try:
            _behind(wall, "bot", command, home)
        except ConfigError as error:
            print(f"no {wall}: {error}", file=sys.stderr)
        else:
            found.append(wall)
    return found


def start_s(spec: BotSpec) -> float:
    """Return how long a bot takes from its start to its `ok`."""
    bot = Bot(spec, Watch(), tree=f"{secrets.token_hex(4)}.")
    began_s = time.perf_counter()
    bot.start(LIMITS)
    took_s = time.perf_counter() - began_s
    bot.quit()
    return took_s


def ply_s(specs: Sequence[BotSpec], games: int) -> float:
    """Return how long a ply takes, of games between two bots."""
    watch = Watch()
    bots = [Bot(spec, watch, tree=f"{secrets.token_hex(4)}.") for spec in specs]
    for bot in bots:
        bot.start(LIMITS)
    plies, began_s = 0, time.perf_counter()
    for number in range(1, games + 1):
        plan = GamePlan(
            number=number,
            round=1,
            game="yavalath",
            setup=None,
            names=(bots[0].name, bots[1].name),
            seeds=(number, number),
        )
        result = play_game(plan, (bots[0], bots[1]), LIMITS, watch)
        plies += result.plies
    took_s = time.perf_counter() - began_s
    for bot in bots:
        bot.quit()
    return took_s / plies


def _row(what: str, values: dict[str, list[float]], unit: float) -> None:
    """Print medians, and what each wall adds, pair by pair."""
    plain = values["none"]
    for wall, seconds in values.items():
        told = f"{what:22} {wall:6} {statistics.median(seconds) * unit:8.2f}"
        if wall != "none":
            low, middle, high = statistics.quantiles(
                [(one - other) * unit for one, other in zip(seconds, plain, strict=True)], n=4
            )
            told += f"   {middle:+7.2f} ({low:+.2f} .. {high:+.2f})"
        print(told, flush=True)


def _measured(
    of: dict[str, What], turns: int, measure: Callable[[What], float]
) -> dict[str, list[float]]:
    """Return what is measured of each wall, by turns, each second time the other way round."""
    values: dict[str, list[float]] = {wall: [] for wall in of}
    for turn in range(turns):
        for wall in of if turn % 2 else reversed(of):
            values[wall].append(measure(of[wall]))
    return values


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--starts", type=int, default=60, help="of each kind (default 60)")
    parser.add_argument("--games", type=int, default=100, help="a turn of plies (default 100)")
    parser.add_argument("--turns", type=int, default=20, help="of plies (default 20)")
    chosen = parser.parse_args()
    process_trees.adopt_orphans()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        home.chmod(0o755)
        subprocess.run(["cc", "-O2", "-o", home / "bot", HERE / "instant.c"], check=True)
        print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}; what it adds to none")
        for what, command in (("C", (str(home / "bot"),)), ("Python", bundled()["random"])):
            specs = {wall: _behind(wall, "bot", command, home) for wall in _walls(home, command)}
            _row(f"start of {what}, ms", _measured(specs, chosen.starts, start_s), 1e3)
        command = (str(home / "bot"),)
        walls = _walls(home, command)
        pairs = {wall: [_behind(wall, name, command, home) for name in "ab"] for wall in walls}
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # as a slot that is pinned
        plies = partial(ply_s, games=chosen.games)
        _row("a ply, us", _measured(pairs, chosen.turns, plies), 1e6)


if __name__ == "__main__":
    main()
