"""How fast boards and searches are: nodes and random games a second in Python, compiled, and in C.

    python benchmarks/bots.py

The compiled form needs the extra `fast`, the plain C program (`yavalath.c`, Yavalath alone) `cc`.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from measure import machine

from lath import games
from lath.bots.compiled.code_folder import ColdError
from lath.bots.compiled.searches import CompiledAlphaBeta, load, numbers_of, room_for_moves, seed_of
from lath.bots.results import SearchBudget
from lath.bots.search import AlphaBeta
from lath.games.core import Move, Position
from lath.games.fast import FastBoard, fast_board


def rate(step: Callable[[], int], seconds: float) -> float:
    """Return how much a second `step` does, which returns how much it did."""
    done, began = 0, time.perf_counter()
    while (took := time.perf_counter() - began) < seconds:
        done += step()
    return done / took


def begun(game_id: str) -> Position:
    """Return a position after two plies, the same as in C."""
    position = games.get(game_id).start()
    moves = ["e5", "c3"] if game_id == "yavalath" else []
    for move in moves:
        position = position.play(Move(move))
    chance = Random(1)
    for _ in range(2 - len(moves)):
        position = position.play(chance.choice(position.legal_moves()))
    return position


def random_game(position: Position, chance: Random) -> int:
    """Play one over positions; return its plies."""
    plies = 0
    while position.outcome() is None:
        position = position.play(chance.choice(position.legal_moves()))
        plies += 1
    return plies


def python_rates(board: FastBoard, seconds: float) -> list[float]:
    """Return nodes, uniform and careful games a second."""
    chance = Random(1)
    return [
        rate(lambda: AlphaBeta().run(board, SearchBudget(nodes=2000)).nodes, seconds),
        rate(lambda: bool(board.playout(chance)), seconds),
        rate(lambda: bool(board.careful_playout(chance)), seconds),
    ]


def compiled_rates(board: FastBoard, seconds: float) -> list[float]:
    """Return the same of the compiled form."""
    search, kernels = CompiledAlphaBeta(), load()
    (t, s), chance = numbers_of(board), seed_of(Random(1))
    moves = room_for_moves(t)

    def nodes() -> int:
        search.forget()
        return search.run(board, SearchBudget(nodes=300_000)).nodes

    def playouts(*, is_careful: bool) -> int:
        kernels.playouts(t, s, chance, is_careful, moves, 1000)
        return 1000

    return [
        rate(nodes, seconds),
        rate(lambda: playouts(is_careful=False), seconds),
        rate(lambda: playouts(is_careful=True), seconds),
    ]


def c_rates(seconds: float) -> list[float]:
    """Return the same of the C program; none where there is no compiler."""
    if shutil.which("cc") is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "yavalath")
        source = Path(__file__).with_name("yavalath.c")
        subprocess.run(["cc", "-O2", "-o", program, source], check=True)
        words = [str(program), "300000", str(int(60_000 * seconds))]
        told = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return list(map(float, told.split()))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    parser.add_argument("--games", nargs="*", default=games.builtin_ids())
    asked = parser.parse_args()
    kinds: dict[str, Callable[[FastBoard, float], list[float]]] = {"Python": python_rates}
    try:
        load(is_patient=True)
        kinds["compiled"] = compiled_rates
    except ColdError as error:
        print(error, file=sys.stderr)
    print(f"{machine()}, medians of {asked.runs}\n")
    print("| game | form | nodes/s | uniform games/s | careful games/s |")
    print("| --- | --- | --- | --- | --- |")
    for game_id in asked.games:
        board = fast_board(begun(game_id))
        rates = dict(kinds)
        if game_id == "yavalath":
            rates["plain C"] = lambda _, seconds: c_rates(seconds)
        medians = {}
        for name, kind in rates.items():
            runs = [kind(board, asked.seconds) for _ in range(asked.runs)]
            medians[name] = [statistics.median(column) for column in zip(*runs, strict=True)]
            told = " | ".join(f"{median:,.0f}" for median in medians[name])
            print(f"| {game_id} | {name} | {told} |" if told else "", flush=True)
        if medians.get("plain C") and "compiled" in medians:
            pairs = zip(medians["plain C"], medians["compiled"], strict=True)
            told = " | ".join(f"{c / ours:.2f}" for c, ours in pairs)
            print(f"| {game_id} | C by compiled | {told} |")
    print("\n| game | random plies/s, positions | boards | times |\n| --- | --- | --- | --- |")
    for game_id in asked.games:
        chance, position = Random(1), begun(game_id)
        board = fast_board(position)
        plain, fast = (
            statistics.median(rate(step, asked.seconds) for _ in range(asked.runs))
            for step in (
                lambda: random_game(position, chance),  # noqa: B023 - used here
                lambda: board.playout(chance)[1],  # noqa: B023 - used here
            )
        )
        print(f"| {game_id} | {plain:,.0f} | {fast:,.0f} | {fast / plain:.1f} |", flush=True)


if __name__ == "__main__":
    main()
