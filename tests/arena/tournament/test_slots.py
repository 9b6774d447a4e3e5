"""Worker processes: what goes in and comes out, how they break, how they end."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor

import bad_bots
import pytest
from bad_bots import Good
from deeds import dies, forges, prints, sleeps, tidies, told
from processes import alive_of, gone, new_tree
from workers import a_host, a_job

from lath.arena.errors import ArenaError
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.tournament.events import PairBegan
from lath.arena.tournament.slots import Slot, Worker
from lath.arena.tournament.worker import play_pair, read_result
from lath.notation.protocol import TimeControl

RELAXED = Limits(time=TimeControl(move_ms=10_000))

SOON_S = 60.0
"""How long a test waits for what a worker does next."""


def spec(name: str, kind: type[Good] = Good) -> BotSpec:
    return BotSpec(name=name, command=bad_bots.command(kind))


@pytest.fixture
def tree() -> Iterator[str]:
    """Give a mark; no process with it may be left."""
    tree = new_tree()
    yield tree
    assert gone(lambda: alive_of(tree))


def test_a_worker_answers_in_order_from_a_process_that_ignores_ctrl_c(tree: str) -> None:
    with Worker(tree) as worker:
        answers = [worker.submit(told, str(number)) for number in range(3)]
        for number, answer in enumerate(answers):
            words = answer.result(SOON_S).split()
            assert words[0] == str(number)
            assert int(words[1]) == worker.pid != os.getpid()
            assert words[3] == "SIG_IGN"


def test_a_pinned_worker_stays_on_its_cores_and_its_bots_too(tree: str) -> None:
    core = min(os.sched_getaffinity(0))
    with Worker(tree, (core,)) as worker:
        assert worker.submit(told, "x").result(SOON_S).split()[2] == "1"
        job = a_job(spec("ann"), spec("bob"), RELAXED, tree=tree)
        assert len(read_result(worker.submit(play_pair, job).result(SOON_S)).games) == 2
        bots = alive_of(tree)
        assert len(bots) == 2
        assert {frozenset(os.sched_getaffinity(pid)) for pid in bots} == {frozenset({core})}


def test_a_worker_looks_for_garbage_but_not_in_what_it_imported(tree: str) -> None:
    with Worker(tree) as worker:
        looks, passed_over = worker.submit(tidies, None).result(SOON_S).split()
        assert looks == "True"
        assert int(passed_over) > 10_000


def test_what_a_worker_prints_is_no_answer(tree: str) -> None:
    with Worker(tree) as worker:
        assert worker.submit(prints, None).result(SOON_S) == "answer"


def test_an_answer_that_others_wrote_in_its_place_is_no_result(tree: str) -> None:
    with Worker(tree) as worker:
        forged = worker.submit(forges, None).result(SOON_S)
        with pytest.raises(ArenaError, match="a worker said what is no result of a pair"):
            read_result(forged)
    assert worker.notes == ()


def test_a_worker_that_dies_breaks_what_it_had_not_answered(tree: str) -> None:
    worker = Worker(tree)
    futures = [worker.submit(told, "x"), worker.submit(dies, None), worker.submit(told, "y")]
    assert futures[0].result(SOON_S)
    for future in futures[1:]:
        with pytest.raises(BrokenExecutor):
            future.result(SOON_S)
    assert worker.join(time.monotonic() + SOON_S)
    with pytest.raises(BrokenExecutor):
        worker.submit(told, "z")


def test_a_worker_ends_its_bots_politely_and_says_what_was_odd(tree: str) -> None:
    worker = Worker(tree)
    job = a_job(spec("ann", bad_bots.ExitsOneOnQuit), spec("bob"), RELAXED, tree=tree)
    worker.submit(play_pair, job).result(SOON_S)
    worker.shutdown()
    assert worker.notes == ("ann exited with status 1 on quit",)


def test_a_worker_that_is_let_go_ends_all_at_once(tree: str) -> None:
    worker = Worker(tree)
    job = a_job(spec("ann", bad_bots.HangsInItsMove), spec("bob"), RELAXED, tree=tree)
    future = worker.submit(play_pair, job)
    assert gone(lambda: len(alive_of(tree)) < 2, SOON_S)
    worker.shutdown(wait=False, cancel_futures=True)
    assert worker.join(time.monotonic() + SOON_S)
    assert gone(lambda: alive_of(tree))
    with pytest.raises(BrokenExecutor):
        future.result(SOON_S)


def test_a_worker_that_does_nothing_else_can_be_ended(tree: str) -> None:
    worker = Worker(tree)
    worker.submit(sleeps, None)
    assert not worker.join(time.monotonic())
    worker.end()
    assert worker.join(None)


def test_a_slot_starts_its_worker_with_the_first_job_and_replaces_it(tree: str) -> None:
    made = []

    def make() -> Worker:
        made.append(Worker(tree))
        return made[-1]

    begun: list[object] = []
    slot = Slot(make, begun.append, a_host())
    assert slot.worker is None
    job = a_job(spec("ann", bad_bots.HangsInItsMove), spec("bob"), RELAXED, tree=tree)
    slot.submit(job)
    slot.show()
    assert begun == [PairBegan.of(job, 0)]
    assert len(made) == 1
    os.kill(made[0].pid, signal.SIGKILL)
    assert slot.replace() == [job]
    assert slot.worker is None
    slot.show()
    assert len(begun) == 1
    slot.close(at_once=True)
