"""How many questions a second a bot answers that Python asks: `Engine.play`, one process.

    python benchmarks/questions.py [--questions 2000] [--runs 5] [--game yavalath]

Asks a bot in C that answers at once (`instant.c`, where there is a C compiler and it plays the
game), and the bundled `random`: about positions by themselves, a game of its own each, and about
the turns of games that go on.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from measure import machine, spread

from lath import games
from lath.arena import Engine, Limit

ONE = Limit(nodes=1)


def alone(bot: Engine, game: str, questions: int) -> float:
    """Return questions a second about the start, each a game of its own to the bot."""
    start = games.get(game).start()
    began_s = time.perf_counter()
    for _ in range(questions):
        bot.play(start, ONE)
    return questions / (time.perf_counter() - began_s)


def going_on(bot: Engine, game: str, questions: int) -> float:
    """Return questions a second in games of the bot against itself, which it hears of as one."""
    start = games.get(game).start()
    asked, number = 0, 0
    began_s = time.perf_counter()
    while asked < questions:
        number += 1
        position, moves = start, list[str]()
        while not position.is_over and asked < questions:
            move = bot.play(start, ONE, moves=moves, seed=number).move
            asked += 1
            assert move is not None, "it has no reason to resign"
            moves.append(move)
            position = position.play(move)
            if not position.is_over:  # the other one plays what comes first
                moves.append(position.legal_moves()[0])
                position = position.play(position.legal_moves()[0])
    return asked / (time.perf_counter() - began_s)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--game", default="yavalath")
    options = parser.parse_args()
    print(f"{machine()}; {options.game}, {options.questions} questions a run, {options.runs} runs")
    with tempfile.TemporaryDirectory() as folder:
        bots: dict[str, str | Path] = {"random": "random"}
        if compiler := shutil.which("cc"):
            program = Path(folder, "instant")
            source = Path(__file__).with_name("instant.c")
            subprocess.run([compiler, "-O2", "-o", program, source], check=True)
            bots = {"instant": program, **bots}
        kinds: dict[str, Callable[[Engine, str, int], float]] = {
            "alone": alone,
            "going on": going_on,
        }
        for name, bot in bots.items():
            with Engine.open(bot) as engine:
                if not engine.plays(options.game):
                    continue
                for kind, ask in kinds.items():
                    rates = [
                        ask(engine, options.game, options.questions) for _ in range(options.runs)
                    ]
                    print(f"{name}, {kind}: {spread(rates)} questions/s")


if __name__ == "__main__":
    main()
