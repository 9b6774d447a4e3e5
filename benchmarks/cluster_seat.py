"""What `benchmarks/cluster.py` loads in Dask's workers: pairs are answered, and not played.

Takes the place of `lath.arena.cluster.entry_point.play`. A game takes LATH_BENCHMARK_GAME_S seconds
of sleep, half of it more or less, or no time: its moves are drawn by its number, a tenth of a
millisecond a game, and each has a time and a clock in the record.
"""

from __future__ import annotations

import json
import os
import random
import time
from typing import Any

from lath import games
from lath.arena.cluster import entry_point
from lath.arena.cluster.messages import PairTask, Task, TaskAnswer, read, write
from lath.arena.referee.record import GamePlan
from lath.games.core import Move, Position, result_of

GAME_S = float(os.environ.get("LATH_BENCHMARK_GAME_S", "0"))

_TIMES = "{[%emt 0.016] [%clk 9.984]}"


def _game(plan: GamePlan) -> tuple[list[Move], Position]:
    """Return the moves of a game, and where it ends."""
    chance = random.Random(plan.number)
    position, moves = games.get(plan.game).start(plan.setup), [Move(move) for move in plan.opening]
    for move in moves:
        position = position.play(move)
    while not position.is_over:
        moves.append(chance.choice(position.legal_moves()))
        position = position.play(moves[-1])
    return moves, position


def made_up(plan: GamePlan, host: str) -> dict[str, Any]:
    """Return the fields of a `GameResult`."""
    moves, end = _game(plan)
    result, plies = result_of(end), len(moves)
    tags = {
        "Game": plan.game,
        **dict(plan.tags),
        "Round": plan.round,
        "First": plan.names[0],
        "Second": plan.names[1],
        "TimeControl": "10+0",
        "Opening": plan.opening_name,
        "Host": host,
        "Number": plan.number,
        "Termination": "rules",
        "Result": result,
    }
    head = "\n".join(f'[{name} "{value}"]' for name, value in tags.items())
    each = (f"{ply}. {move} {_TIMES}" for ply, move in enumerate(moves, 1))
    body = "\n".join(each)
    return {
        "number": plan.number,
        "round": plan.round,
        "game": plan.game,
        "first": plan.names[0],
        "second": plan.names[1],
        "result": result,
        "termination": "rules",
        "plies": plies,
        "first_used_s": 0.24,
        "second_used_s": 0.24,
        "first_worst_s": 0.02,
        "second_worst_s": 0.02,
        "stray_lines": 0,
        "stderr": {},
        "record": f"{head}\n\n{body} {result}\n",
        "first_moves": (plies + 1) // 2,
        "second_moves": plies // 2,
        "log": "",
        "notes": (),
    }


def _answered(pair: PairTask, host: str) -> str:
    """Return a `PairResult` as text."""
    if GAME_S:
        time.sleep(sum(random.uniform(0.5, 1.5) * GAME_S for _ in pair.games))
    return json.dumps(
        {
            "pair": pair.pair,
            "games": [made_up(plan, host) for plan in pair.games],
            "void": "",
            "void_bot": "",
            "lack": "",
            "voided": 0,
            "spent": (),
            "notes": (),
        }
    )


def play(text: str) -> str:
    """Answer a `Task`, as the function does that it stands for."""
    began_s = time.monotonic()
    task = read(Task, text)
    results = tuple(_answered(pair, "stand-in") for pair in task.pairs)
    return write(TaskAnswer(results=results, seconds=time.monotonic() - began_s))


def dask_setup(_worker: object) -> None:
    """Stand in for what plays, in a Dask worker that loads this."""
    entry_point.play = play
