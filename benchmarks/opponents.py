"""How the bundled bots play games from short files: scores against weak bots, and search speed.

    python benchmarks/opponents.py [--rounds 10] [--time 'move 0.25'] [GAME...]

Each GAME is a file or an id; by default the short examples and three built-in games. `mcts` and
`alphabeta` each play `random` and `greedy`. Then the same searches run in this process on the first
plies of a game: nodes per second, and the ratio to the slowest built-in game.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import Final

from measure import machine

from lath import games, notation
from lath.bots.results import SearchBudget
from lath.bots.search import AlphaBeta
from lath.bots.uct import Uct
from lath.games.fast import fast_board

SHORT: Final = tuple(
    f"examples/games/{name}.py"
    for name in ("hex", "amazons", "six_mens_morris", "connect_four", "order_and_chaos")
)
BUILT_IN: Final = ("mammalath", "manalath", "surikata")

STRONG: Final = ("mcts", "alphabeta")
WEAK: Final = ("random", "greedy")


def scores(game: str, rounds: int, tc: str) -> tuple[dict[tuple[str, str], float], Counter[str]]:
    """Return the share of points of each strong bot against each weak one, and the faults."""
    points: defaultdict[tuple[str, str], float] = defaultdict(float)
    played: Counter[tuple[str, str]] = Counter()
    faults: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "played")
        words = [sys.executable, "-m", "lath.arena", "run", "--game", game, "--tc", tc, "-q"]
        bots = [word for bot in (*STRONG, *WEAK) for word in ("--bot", bot)]
        more = ["--rounds", str(rounds), "--output", str(out), "--no-report", "--jobs", "2"]
        subprocess.run([*words, *bots, *more], check=True, stdout=subprocess.DEVNULL)
        for record in notation.read(out / "games.lath"):
            names = (record.first, record.second)
            for one, other, score in zip(names, names[::-1], record.result.points, strict=True):
                points[one, other] += score
                played[one, other] += 1
            if record.termination != "rules":
                faults[record.termination] += 1
    return {pair: points[pair] / played[pair] for pair in played}, faults


def nodes_per_second(game_id: str, seconds: float) -> tuple[float, float]:
    """Return the nodes per second of alpha-beta and of random games, in Python."""
    found = []
    for make in (AlphaBeta, lambda: Uct(Random(1))):
        game, rates = games.get(game_id), []
        for seed in range(3):
            board = fast_board(game.start(game.draw_setup(seed)))
            chance = Random(seed)
            for _ in range(2 * seed):
                if board.winner is None:
                    board.play(chance.choice(board.legal()))
            began_s = time.perf_counter()
            nodes = make().run(board, SearchBudget(seconds=seconds)).nodes
            rates.append(nodes / (time.perf_counter() - began_s))
        found.append(statistics.median(rates))
    return found[0], found[1]


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("games", nargs="*", default=SHORT)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--time", default="move 0.25")
    given = parser.parse_args()
    print(machine())
    print("| game | mcts:random | mcts:greedy | alphabeta:random | alphabeta:greedy | faults |")
    print("| --- | --- | --- | --- | --- | --- |")
    for game in given.games:
        found, faults = scores(game, given.rounds, given.time)
        shares = [f"{found[one, other]:.0%}" for one in STRONG for other in WEAK]
        told = ", ".join(f"{count} {why}" for why, count in faults.items()) or "none"
        print(f"| {Path(game).stem} | {' | '.join(shares)} | {told} |", flush=True)
    rates = {name: nodes_per_second(games.named(name), 1.0) for name in (*BUILT_IN, *given.games)}
    least = [min(rates[name][place] for name in BUILT_IN) for place in (0, 1)]
    print("\n| game | alphabeta, nodes/s | ratio | mcts, games/s | ratio |")
    print("| --- | --- | --- | --- | --- |")
    for name, (nodes, played) in rates.items():
        ratios = least[0] / nodes, least[1] / played
        print(
            f"| {Path(name).stem} | {nodes:,.0f} | {ratios[0]:.1f} | {played:,.0f} "
            f"| {ratios[1]:.1f} |"
        )


if __name__ == "__main__":
    main()
