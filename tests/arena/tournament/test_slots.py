"""Slots and their workers: what goes in and comes out, how they break and end, what is told.

Also how many pairs wait for a worker, and which cores a slot has for itself.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path
from typing import Any

import bad_bots
import pytest
from bad_bots import Good
from deeds import dies, forges, prints, sleeps, tidies, told
from processes import alive_of, gone, new_tree
from runs import Clock
from workers import a_host, a_job

from lath.arena.errors import ArenaError
from lath.arena.machine import system as cores
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.tournament.run.events import PairBegan
from lath.arena.tournament.run.slots import (
    AHEAD,
    FEWEST,
    GATHER_S,
    LONG_S,
    MOST,
    VERDICT_S,
    Pace,
    Slot,
    Worker,
)
from lath.arena.tournament.run.worker import play_pair
from lath.arena.tournament.store.jobs import read_result
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
        looks, passed_over = worker.submit(tidies, None).result(SOON_S).split()
        assert looks == "True", "for garbage, but not in what it imported"
        assert int(passed_over) > 10_000
        assert worker.submit(prints, None).result(SOON_S) == "answer", "not what it prints"
        forged = worker.submit(forges, None).result(SOON_S)
        with pytest.raises(ArenaError, match="its answer is not the result of a pair"):
            read_result(forged)
    assert worker.notes == ()


def test_a_pinned_worker_stays_on_its_cores_and_its_bots_too(tree: str) -> None:
    core = min(os.sched_getaffinity(0))
    with Worker(tree, (core,)) as worker:
        assert worker.submit(told, "x").result(SOON_S).split()[2] == "1"
        job = a_job(spec("ann"), spec("bob"), RELAXED, tree=tree)
        assert len(read_result(worker.submit(play_pair, job).result(SOON_S)).games) == 2
        bots = alive_of(tree)
        assert len(bots) == 2
        assert {frozenset(os.sched_getaffinity(pid)) for pid in bots} == {frozenset({core})}


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


# Which pairs listeners are told of, and how often


class Hands(Executor):
    """Jobs that end when the test says so."""

    def __init__(self) -> None:
        self.futures: list[Future[str]] = []

    def submit(self, _fn: Callable[..., Any], /, *_args: Any, **_kwargs: Any) -> Future[Any]:
        self.futures.append(Future())
        return self.futures[-1]

    def finish(self) -> None:
        next(future for future in self.futures if not future.done()).set_result("")


class Scene:
    """One slot with three jobs in hand, and who is told of them."""

    def __init__(self) -> None:
        self.hands = Hands()
        self.began: list[object] = []
        self.rung: list[Slot] = []
        self.slot = Slot(lambda: self.hands, self.began.append, a_host(), bell=self.rung.append)
        for pair in (1, 2, 3):
            self.submit(pair)

    def submit(self, pair: int) -> None:
        ann, bob = (BotSpec(name=name, command=("true",)) for name in ("ann", "bob"))
        self.slot.submit(a_job(ann, bob, RELAXED, pair=pair, tree=""))

    def show(self) -> list[int]:
        self.slot.show()
        events = [event for event in self.began if isinstance(event, PairBegan)]
        assert len(events) == len(self.began)
        assert {event.slot for event in events} == {1}
        return [event.pair for event in events]

    def collect(self) -> None:
        for future in [future for future in self.slot.jobs if future.done()]:
            self.slot.take(future)


def test_a_pair_is_told_of_once_when_it_begins_or_if_it_was_over_in_its_turn() -> None:
    scene = Scene()
    assert scene.show() == [1]
    assert scene.show() == [1]
    scene.hands.finish()
    assert scene.show() == [1, 2]
    scene.collect()
    assert scene.show() == [1, 2]
    scene.hands.finish()
    scene.hands.finish()
    scene.collect()
    assert scene.show() == [1, 2, 3]


def test_a_pair_whose_worker_died_is_told_of_again() -> None:
    scene = Scene()
    assert scene.show() == [1]
    scene.hands.finish()
    assert scene.show() == [1, 2]
    scene.collect()
    scene.slot.replace()
    scene.submit(2)
    assert scene.show() == [1, 2, 2]


def test_what_a_worker_had_played_before_it_died_is_rung_for_again() -> None:
    scene = Scene()
    scene.hands.finish()
    scene.rung.clear()
    assert [job.pair for job in scene.slot.replace()] == [2, 3]
    assert scene.rung == [scene.slot]
    scene.collect()
    scene.rung.clear()
    assert scene.slot.replace() == []
    assert scene.rung == []


# How many pairs wait for a worker, and whether results wait for each other


def paced(*pairs_s: float, slots: int = 2, **more: Any) -> Pace:
    """Return the pace of a run in which a slot plays pairs in these times, one after the other."""
    clock = Clock()
    pace = Pace(slots, clock, **more)
    for pair_s in pairs_s:
        clock.now_s += pair_s / slots
        pace.count(1)
    return pace


def test_long_pairs_are_stored_as_they_come_and_short_ones_some_at_a_time() -> None:
    pace = Pace(1)
    for _ in range(2):
        assert (pace.gather_s, pace.window()) == (0.0, FEWEST), "nothing is known at first"
        pace.count(0)
    slow = paced(*[1.0] * 200)
    assert (slow.gather_s, slow.window()) == (0.0, FEWEST)
    assert paced(*[0.001] * 100, *[1.0] * 5, slots=1).gather_s == 0.0, "it became slow"
    for pair_s in (0.002, 0.2, 0.9):
        pace = paced(*[pair_s] * 200)
        assert pace.gather_s == pytest.approx(min(GATHER_S, MOST * pair_s / AHEAD))
        assert pace.window() * pair_s >= AHEAD * pace.gather_s - 1e-9
    assert paced(*[1e-6] * 200).window() == MOST
    assert paced(*[2.0] * 20, slots=1600).gather_s == GATHER_S, "of many slots together"


def test_little_is_handed_over_that_a_verdict_may_make_needless() -> None:
    for pair_s in (0.01, 0.2, 0.9):
        pace = paced(*[pair_s] * 200, longest_s=VERDICT_S)
        assert pace.gather_s <= VERDICT_S
        assert pace.window() * pair_s <= max(FEWEST * pair_s, AHEAD * VERDICT_S + pair_s)


def test_where_storing_takes_long_more_pairs_wait() -> None:
    pace = paced(*[1.5] * 200)
    assert pace.window() == FEWEST
    for _ in range(50):
        pace.stored(5.0)
    assert pace.window() * 1.5 >= AHEAD * 4.9


def test_no_long_pair_waits_for_a_worker_where_the_run_has_a_deadline() -> None:
    for pairs_s, window in (((), 1), ([LONG_S] * 50, 1), ([LONG_S / 2] * 50, FEWEST)):
        assert paced(*pairs_s, slots=1, has_deadline=True).window() == window


# Which cores a slot has for itself


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a machine of four physical cores with two threads each, and no container."""
    for core in range(8):
        folder = tmp_path / f"cpu{core}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{core % 4},{core % 4 + 4}\n")
    # Where the system tells of its cores: no test has another system.
    monkeypatch.setattr(cores, "_TOPOLOGY", tmp_path)
    monkeypatch.setattr(cores, "_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(8)), raising=False)
    return tmp_path


def test_physical_cores_come_before_their_siblings_and_only_ours_count(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cores.available() == (0, 1, 2, 3, 4, 5, 6, 7)
    (machine / "cpu1/topology/thread_siblings_list").write_text("0,4")
    assert cores.available() == (0, 2, 3, 5, 1, 4, 6, 7)
    quotas = {"max 100000": 8, "250000 100000": 2, "50000 100000": 1, "9900000 100000": 8, "": 8}
    found = {}
    for quota in quotas:
        (machine / "cpu.max").write_text(quota)
        found[quota] = len(cores.available())
    assert found == quotas, "no more than a container pays for"
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {5, 1, 2}, raising=False)
    assert sorted(cores.available()) == [1, 2, 5]
    monkeypatch.setattr(cores, "_TOPOLOGY", machine / "none")  # of a machine that tells nothing
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores.available() == (0,)


def test_slots_share_no_core() -> None:
    assert cores.shares(3, 2, (0, 1, 2, 3, 4, 5, 6)) == [(0, 1), (2, 3), (4, 5)]
    assert cores.shares(2, 2, (0, 1, 2, 3)) == [(0, 1), (2, 3)]
    assert cores.shares(3, 1, (0, 1)) is None, "too few are not shared out"
    assert cores.shares(1, 3, (0, 1)) is None
