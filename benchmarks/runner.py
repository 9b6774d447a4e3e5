"""How fast the arena plays with bots that answer at once: plies/s and CPU time a ply.

    python benchmarks/runner.py [--games 1000] [--runs 5]

The bot is `instant.c` (needs a C compiler): a game of 61 plies, clocks on, records and database
written. A whole process is timed from its start to the end of the last game, workers' and bots'
start-up included; standings and report, which come after that, are not. No peer of this protocol
can be installed from a package index; the peers' own figures are in their projects.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from measure import Run, machine, run, spread

PLIES = 61

_PLAY = """
import sys
from pathlib import Path
from arena.bot import BotSpec
from arena.clock import Limits
from arena.config import Config
from arena.runner import Runner
from arena.store import Store
from notation.timecontrol import TimeControl

class Nobody:
    def started(self, stored, total): pass
    def finished(self, result): pass
    def warned(self, text): sys.exit(text)
    def waited(self): pass

if __name__ == "__main__":
    out, bot, jobs, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    out.mkdir()
    bots = tuple(BotSpec(name=name, command=(bot,)) for name in "ab")
    limits = Limits(time=TimeControl(initial_ms=60_000))
    config = Config(games=("yavalath",), rounds=rounds, jobs=jobs, limits=limits, bots=bots)
    assert Runner(config, Store(out), Nobody()).run().is_complete
"""
"""A tournament without report, as a program of its own."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--games", type=int, default=1000, help="games a run (default 1000)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each kind (default 5)")
    options = parser.parse_args()
    compiler = shutil.which("cc")
    if compiler is None:
        sys.exit("benchmarks/runner.py needs a C compiler (cc) for the instant bot")
    with tempfile.TemporaryDirectory() as folder:
        bot = Path(folder) / "instant"
        run([compiler, "-O2", "-o", bot, Path(__file__).with_name("instant.c")])
        print(f"{machine()}; {options.games} games of {PLIES} plies, {options.runs} runs")
        for jobs in range(1, (os.cpu_count() or 1) + 1):
            _measure(Path(folder), bot, jobs, options.games, options.runs)


def _measure(folder: Path, bot: Path, jobs: int, games: int, runs: int) -> None:
    finished: list[Run] = []
    for number in range(runs + 1):  # the first one warms up
        out = folder / f"run-{jobs}-{number}"
        command: list[str | Path] = [sys.executable, "-c", _PLAY, out, bot, str(jobs)]
        command.append(str(games // 2))
        result = run(command)
        if number:
            finished.append(result)
        shutil.rmtree(out)
    plies = games // 2 * 2 * PLIES
    rates = [plies / result.wall_s for result in finished]
    cpu_us = [1e6 * result.cpu_s / plies for result in finished]
    print(
        f"{jobs} at a time: {spread(rates)} plies/s, {statistics.median(rates) / PLIES:,.0f} "
        f"games/s, {spread(cpu_us, 1)} us CPU a ply, bots included"
    )


if __name__ == "__main__":
    main()
