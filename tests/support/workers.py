"""A pair of games in a worker process, as the runner uses it."""

from __future__ import annotations

from deeds import children
from processes import new_tree

from lath.arena.machine.system import Patience
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.record import GamePlan
from lath.arena.tournament.run.slots import Host, Worker
from lath.arena.tournament.run.worker import play_pair
from lath.arena.tournament.store.jobs import PairJob, PairResult, read_result


def a_host(name: str = "") -> Host:
    """Return a machine without faults; by default it has this machine's name."""
    return Host(name, Patience(lambda _: None, 0.0, well=""))


def a_job(one: BotSpec, other: BotSpec, limits: Limits, *, pair: int = 1, tree: str) -> PairJob:
    """Return two games of Yavalath with sides swapped."""
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


def play_in_worker(
    one: BotSpec, other: BotSpec, limits: Limits, *, times: int = 1
) -> tuple[list[PairResult], int]:
    """Return the results of pairs played in a worker, and the number of its children after them.

    The worker has ended on return.
    """
    tree = new_tree()
    with Worker(tree) as worker:
        jobs = [a_job(one, other, limits, pair=pair, tree=tree) for pair in range(1, times + 1)]
        results = [read_result(worker.submit(play_pair, job).result(60)) for job in jobs]
        left = int(worker.submit(children, None).result(60))
    return results, left
