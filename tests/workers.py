"""A pair of games in a worker process, as the runner has it played."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from processes import new_tree

from arena.bot import BotSpec
from arena.clock import Limits
from arena.scorebook import GamePlan
from arena.worker import PairJob, PairResult, play_pair, prepare, read_result


def a_job(one: BotSpec, other: BotSpec, limits: Limits, *, pair: int = 1, tree: str) -> PairJob:
    """Return two games of Yavalath, each bot first in one of them."""
    seats = ((one.name, other.name), (other.name, one.name))
    plans = tuple(
        GamePlan(
            number=2 * pair - 1 + index,
            round=1,
            game="yavalath",
            setup=None,
            names=names,
            seeds=(1, 2),
        )
        for index, names in enumerate(seats)
    )
    return PairJob(pair=pair, games=plans, bots=(one, other), limits=limits, tree=tree)


def children() -> int:
    """Return how many children this process has, zombies among them."""
    count = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        count += int(fields[1]) == os.getpid()
    return count


def play_in_worker(
    one: BotSpec, other: BotSpec, limits: Limits, *, times: int = 1
) -> tuple[list[PairResult], int]:
    """Return the results of pairs played in a worker, and how many children it had after them.

    It has ended when this returns.
    """
    context = multiprocessing.get_context("spawn")
    alive, held = context.Pipe(duplex=False)
    tree = new_tree()
    with ProcessPoolExecutor(1, context, prepare, (alive, tree)) as executor:
        jobs = [a_job(one, other, limits, pair=pair, tree=tree) for pair in range(1, times + 1)]
        results = [read_result(executor.submit(play_pair, job).result(60)) for job in jobs]
        left = executor.submit(children).result(60)
    held.close()
    alive.close()
    return results, left
