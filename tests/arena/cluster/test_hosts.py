"""What a runner thinks of machines, and the tasks that it sends to their workers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from clusters import HELLO, Watcher, a_tournament, terms_of
from results import a_result
from workers import a_job

from lath import games
from lath.arena.cluster import cluster, diagnosis, entry_point
from lath.arena.cluster.cluster import Cluster
from lath.arena.cluster.entrance import Entrance
from lath.arena.cluster.link import SchedulerLink, SeenWorker
from lath.arena.cluster.messages import Entered, Task, TaskAnswer, read, write
from lath.arena.cluster.tasks import Tasks, WorkerSlot, pair_of
from lath.arena.errors import ArenaError, MachineError
from lath.arena.machine.system import Patience
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.tournament.run.slots import Host, PlaceLostError
from lath.arena.tournament.run.worker import play_pair
from lath.arena.tournament.store.jobs import PairJob, PairResult
from lath.games.plugins import PluginOrigin
from lath.notation.protocol import TimeControl


class Machines:
    """A cluster of machines that are made up."""

    def __init__(self, *hosts: str, hosts_alike: bool = False, nodes: int = 0) -> None:
        self.watcher = Watcher()
        self.cluster = Cluster("tcp://127.0.0.1:1", hosts_alike=hosts_alike)
        self.cluster._tell = self.watcher
        time = TimeControl(nodes=nodes) if nodes else TimeControl(move_ms=100)
        self.cluster._times_matter = not nodes
        self.cluster._terms = terms_of(limits=Limits(time=time), pins=True)
        self.link = object.__new__(SchedulerLink)  # there is nobody to talk to
        self.link.workers, self.link.is_connected = {}, True
        self.entrance = Entrance(self.link, self.cluster._terms, {})
        for host in hosts:
            self.add(host, 1000.0, 1)

    def add(self, host: str, speed: float, slots: int) -> None:
        seen = SeenWorker(f"tcp://127.0.0.1:{len(self.cluster._places) + 1}", slots, "127.0.0.1")
        hello = replace(HELLO, speed=speed)
        self.cluster._places[seen.address] = WorkerSlot(seen, host=host, hello=hello)
        self.cluster._speeds[host] = speed
        self.link.workers[seen.address] = seen  # type: ignore[index]

    @property
    def left(self) -> set[str]:
        self.cluster._compare()
        return {place.host for place in self.cluster._places.values()}


def three(**how: Any) -> Machines:
    """Return two machines that are alike within a tenth, and one that is not."""
    made = Machines(**how)
    for host, speed, slots in (("old", 700.0, 8), ("one", 1000.0, 16), ("two", 1090.0, 16)):
        made.add(host, speed, slots)
    return made


def test_a_machine_that_is_slower_than_most_is_told_or_refused() -> None:
    slow = "old is 36% slower than most (700 steps a ms, most 1,090)"
    for how, left, end in (
        ({}, {"old", "one", "two"}, "--hosts-alike refuses this host"),
        ({"hosts_alike": True}, {"one", "two"}, "and is refused: --hosts-alike"),
    ):
        made = three(**how)
        assert made.left == left
        (words,) = made.watcher.warnings
        assert words.startswith(slow)
        assert end in words
    made = three(nodes=100)  # where bots count nodes speed is nobody's concern
    assert (made.left, made.watcher.warnings) == ({"old", "one", "two"}, [])
    most = Machines(hosts_alike=True)  # most slots decide what is usual
    most.add("big", 700.0, 64)
    most.add("fast", 1000.0, 16)
    assert most.left == {"big"}


def test_what_only_a_wheel_has_is_no_other_version(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(entry_point, "lath", SimpleNamespace(__path__=[str(tmp_path)]))
    starter, rules = tmp_path / "arena/starters/dice.py", tmp_path / "games/rules.py"
    rules.parent.mkdir()
    rules.touch()
    digest = entry_point._digest_of_ours()
    starter.parent.mkdir(parents=True)
    starter.touch()
    assert entry_point._digest_of_ours() == digest
    rules.write_text("another")
    assert entry_point._digest_of_ours() != digest


def test_what_must_be_the_same_is_compared() -> None:
    entrance = Machines().entrance
    assert entrance.unlike(HELLO) == ""
    for change, why in (
        ({"versions": {**HELLO.versions, "python": "3.9"}}, "its python is 3.9, expected 3."),
        ({"versions": {}}, "its lath-arena is unknown, expected "),
        ({"games": {}}, "the game yavalath is not installed there, expected the rules"),
        ({"games": {"yavalath": "9"}}, "the game yavalath has the rules 9 there, expected"),
    ):
        assert entrance.unlike(replace(HELLO, **change)).startswith(why)


@pytest.mark.parametrize("entry", ["yavalath", "yava-"])
def test_a_game_of_a_distribution_must_be_from_the_same_one(
    entry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_id = "yavalath" if entry == "yavalath" else "yava-lath"
    origin = PluginOrigin("lath-yava-1.0", "1f3a")
    monkeypatch.setattr(games, "rules_origin", {game_id: origin}.get)
    terms = replace(Machines().entrance._terms, games=(f"{game_id}:size=4",))
    entrance = Machines().entrance
    monkeypatch.setattr(entrance, "_terms", terms)
    there = {entry: origin.tag, "yav": "other-1.0", "other-": "other-1.0"}
    assert entrance.unlike(replace(HELLO, packages=there)) == ""
    changed = replace(HELLO, packages=there | {entry: "lath-yava-1.0 sha256:77"})
    assert entrance.unlike(changed) == (
        f"the game {game_id} is from lath-yava-1.0 sha256:77 there, expected {origin.tag}, as here"
    )
    why = f"the game {game_id} is not installed there, expected {origin.tag}, as here"
    assert entrance.unlike(replace(HELLO, packages={"yav": "other-1.0"})) == why


def test_a_machine_that_asks_for_what_no_bot_brings_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entrance = Machines().entrance
    called: list[object] = []

    async def call(_address: str, function: object, *_: object, **__: object) -> str:
        called.append(function)
        return write(Entered(missing=("a" * 64,)))

    monkeypatch.setattr(entrance._link, "call", call)
    seen = SeenWorker("tcp://127.0.0.1:1", 1, "127.0.0.1")
    with ThreadPoolExecutor(1) as thread:  # see below
        entered = thread.submit(asyncio.run, entrance.enter(seen, "node")).result()
    assert entered.refused == "it asks for aaaaaaaaaaaa, which no bot brings"
    assert called == [entry_point.enter]


def test_machines_of_one_name_are_told_apart_by_where_they_are() -> None:
    entrance = Machines().entrance
    where = [("node", "10.0.0.9"), ("node", "10.0.0.1"), ("other", "10.0.0.3")]

    async def named() -> list[str]:
        entrance._all_said.set()
        return [await name for name in [entrance.name(*one) for one in where]]

    async def together() -> list[str]:
        entrance._asked.add("somebody")
        names = [asyncio.ensure_future(entrance.name(*one)) for one in where]
        await asyncio.sleep(0)
        entrance._all_said.set()
        return await asyncio.gather(*names)

    with ThreadPoolExecutor(1) as thread:  # Playwright, once started, keeps a loop in this one
        for names in (together(), named()):
            assert thread.submit(asyncio.run, names).result() == ["node-10.0.0.9", "node", "other"]


def the_words(**change: Any) -> dict[str, tuple[str, str]]:
    """Return what a doctor says of a worker with this hello, beside one that is as usual."""
    found = []
    for port, hello in enumerate((HELLO, HELLO, replace(HELLO, **change))):
        seen = SeenWorker(f"tcp://127.0.0.1:{port}", 4, "127.0.0.1")
        found.append(diagnosis.DiagnosedWorker(seen, host="node", hello=hello))
    points = list(diagnosis._said("tcp://127.0.0.1:9", found))
    return {one.name: (one.verdict, one.found) for one in points if one.group.endswith(":2")}


def test_a_doctor_tells_what_is_odd_about_a_worker_and_where_there_is_none() -> None:
    told = the_words(speed=800.0, no_bwrap="bwrap is not installed", free_bytes=1 << 20, cores=8)
    assert told["speed"] == ("note", "800 steps a ms of a core, 20% slower than most")
    assert told["sandboxes"] == ("note", "bwrap is not installed")
    assert told["room"] == ("note", "1 MiB free for what bots bring")
    assert told["cores"] == ("ok", "8, games at a time: 4, a processor")
    (point,) = diagnosis._said("tls://10.0.0.1:8786", [])
    assert point.verdict == "missing"
    assert point.remedy.startswith("start some: dask worker tls://10.0.0.1:8786")


def a_host(name: str) -> Host:
    return Host(name, Patience(lambda _: None, 1.0, well=""))


def opened(made: Machines) -> Cluster:
    """Return a cluster whose machines play, without a scheduler."""
    cluster = made.cluster
    cluster._link = made.link
    cluster._patience = Patience(lambda _: None, 0.0, well="")
    cluster.open(a_tournament(), "", a_host, made.watcher)
    return cluster


def test_a_worker_that_got_ready_while_nobody_looked_plays_once() -> None:
    made = three()
    (place,) = (place for place in made.cluster._places.values() if place.host == "two")
    made.cluster._news.put((place, "", (), False))
    cluster = opened(made)
    cluster.look()
    assert len(cluster.slots) == 8 + 16 + 16


def test_a_run_ends_where_the_machines_that_are_left_were_given_up() -> None:
    made = Machines("one", "two")
    cluster = opened(made)
    cluster.hosts[0].is_given_up = True
    cluster.look()
    (gone,) = (place for place in cluster._places.values() if place.host == "two")
    del made.link.workers[gone.seen.address]  # type: ignore[attr-defined]
    with pytest.raises(MachineError, match="no worker is there that can play"):
        cluster.look()


def test_a_worker_that_is_gone_keeps_no_other_of_its_machine_waiting() -> None:
    made = Machines("one")
    ((address, place),) = made.cluster._places.items()
    place.making = Future()
    del made.link.workers[address]  # type: ignore[attr-defined]
    made.cluster._link = made.link
    made.cluster._notice()
    assert place.making.cancelled()


def test_workers_that_were_not_reached_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Machines("one")
    made.cluster._link = made.link
    (place,) = made.cluster._places.values()
    again = {place.seen.address: replace(place)}
    clock = SimpleNamespace(
        monotonic=partial(next, count(0.0, 1.5)), sleep=lambda _: made.cluster._places.update(again)
    )
    monkeypatch.setattr(cluster, "time", clock)
    made.cluster._refuse(place, "no answer in 60 s", is_lost=True)
    made.cluster._patience = Patience(lambda _: None, 60.0, well="")
    made.cluster._wait_for_workers()
    made.cluster._refuse(place, "its python is 3.9", is_lost=False)
    with pytest.raises(ArenaError, match="none of its workers can play"):
        made.cluster._wait_for_workers()


def test_workers_of_one_machine_have_their_own_cores_whoever_comes_and_goes() -> None:
    made = Machines()

    def joins(port: int, threads: int) -> tuple[int, int]:
        seen = SeenWorker(f"tcp://10.0.0.1:{port}", threads, "10.0.0.1")
        made.link.workers[seen.address] = seen  # type: ignore[index]
        return made.entrance._share(seen)

    assert joins(5000, 2) == (0, 2)
    assert joins(4000, 1) == (2, 3)
    assert joins(3000, 1) == (3, 4)
    del made.link.workers["tcp://10.0.0.1:4000"]  # type: ignore[attr-defined]
    assert joins(2000, 1) == (2, 4)
    assert joins(5000, 2) == (0, 4)


def test_what_no_machine_can_play_waits_for_those_that_may_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Machines("one", "two")
    found = opened(made)
    assert not found.expects_more
    late = SeenWorker("tcp://127.0.0.1:9", 1, "127.0.0.1")
    found._places[late.address] = WorkerSlot(late)
    assert found.expects_more
    del found._places[late.address]
    lost = next(place for place in found._places.values() if place.host == "two")
    found._drop([lost], "is gone, or silent")
    assert found.expects_more
    monkeypatch.setattr(cluster, "COMES_BACK_S", 0.0)
    assert not found.expects_more


def job(pair: int) -> PairJob:
    ann, bob = (BotSpec(name=name, command=("true",)) for name in ("ann", "bob"))
    return a_job(ann, bob, Limits(time=TimeControl(nodes=1)), pair=pair, tree="")


def result(pair: int, *numbers: int) -> str:
    names = {1: ("ann", "bob"), 0: ("bob", "ann")}
    games = tuple(a_result(number, names[number % 2]) for number in numbers)
    return PairResult(pair=pair, games=games).as_text()


class Worker:
    """A worker that answers what the test says."""

    def __init__(self) -> None:
        self.place = WorkerSlot(SeenWorker("tcp://127.0.0.1:1", 1, "127.0.0.1"))
        self.tasks = Tasks(self.place, self.ask, lambda _, why: self.distrusted.append(why))
        self.asked: list[list[int]] = []
        self.answers: list[Future[str]] = []
        self.distrusted: list[str] = []

    def ask(self, _: WorkerSlot, jobs: Sequence[PairJob], ahead: int) -> Future[str]:
        self.asked.append([job.pair for job in jobs])
        self.answers.append(Future())
        assert ahead >= len(jobs)
        return self.answers[-1]

    def take(self, *pairs: int, at_once: int = 1) -> list[Future[str]]:
        futures = [self.tasks.submit(play_pair, job(pair)) for pair in pairs]
        self.tasks.send(at_once)
        return futures


@pytest.fixture
def worker() -> Worker:
    return Worker()


def test_short_pairs_go_together_and_each_has_its_result(worker: Worker) -> None:
    futures = worker.take(1, 2, 3, at_once=2)
    assert worker.asked == [[1, 2], [3]]
    worker.answers[0].set_result(write(TaskAnswer(results=(result(1, 1, 2), result(2, 3, 4)))))
    assert [future.done() for future in futures] == [True, True, False]
    assert json.loads(futures[1].result())["pair"] == 2


def test_what_died_in_a_pair_has_played_those_before_it(worker: Worker) -> None:
    first, second, third = worker.take(1, 2, 3, at_once=3)
    worker.answers[0].set_result(write(TaskAnswer(results=(result(1, 1, 2),), died=True)))
    assert json.loads(first.result())["pair"] == 1
    for future in (second, third):
        with pytest.raises(BrokenExecutor, match="the worker died"):
            future.result()


NO_RESULTS: tuple[tuple[str, type[Exception], str], ...] = (
    (write(TaskAnswer(lack="no memory")), MachineError, "no memory"),
    (write(TaskAnswer(is_unknown=True)), PlaceLostError, "restarted"),
    ("rubbish", PlaceLostError, "expected TaskAnswer, found 'rubbish'"),
    (write(TaskAnswer(results=("{}",))), PlaceLostError, "expected PairResult"),
    (
        write(TaskAnswer(results=(result(2, 3, 4),))),
        PlaceLostError,
        "the answer is not about pair 1",
    ),
    (write(TaskAnswer(results=(result(1, 3),))), PlaceLostError, "the answer is not about pair 1"),
    (
        write(TaskAnswer(results=(result(1, 1, 1),))),
        PlaceLostError,
        "the answer is not about pair 1",
    ),
)


def test_what_is_no_result_of_a_pair_counts_for_nothing() -> None:
    for answer, kind, why in NO_RESULTS:
        worker = Worker()
        (future,) = worker.take(1)
        worker.answers[0].set_result(answer)
        with pytest.raises(kind, match=why):
            future.result()
        is_no_answer = kind is PlaceLostError and "restarted" not in why
        assert len(worker.distrusted) == is_no_answer


def test_an_answer_that_comes_when_the_place_was_given_up_counts_for_nothing(
    worker: Worker,
) -> None:
    (future,) = worker.take(1)
    (waiting,) = [worker.tasks.submit(play_pair, job(2))]
    worker.tasks.lose("its worker is gone")
    assert worker.answers[0].cancelled()
    for one in (future, waiting):
        with pytest.raises(PlaceLostError, match="its worker is gone"):
            one.result()
    worker.place.is_gone = True
    with pytest.raises(PlaceLostError):
        worker.tasks.submit(play_pair, job(3))


def test_an_answer_on_its_way_when_a_slot_is_given_up_is_nobodys(
    worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    worker.take(1)
    worker.answers[0].set_running_or_notify_cancel()
    worker.tasks.shutdown(wait=False, cancel_futures=True)
    worker.answers[0].set_result(write(TaskAnswer(results=(result(1, 1, 2),), seconds=1.0)))
    assert caplog.records == []


def test_whatever_goes_wrong_on_the_way_nobody_waits_for_ever(worker: Worker) -> None:
    (future,) = worker.take(1)
    worker.answers[0].set_exception(RuntimeError("the client is closed"))
    with pytest.raises(PlaceLostError, match="the client is closed"):
        future.result(0)
    assert worker.place.why_lost


def test_a_job_is_the_same_at_the_other_end_and_no_message_of_other_types_is() -> None:
    task = Task(terms="abc", pairs=(pair_of(job(7)),))
    assert read(Task, write(task)) == task
    said = json.loads(write(task))
    changes = {"pairs": 1}, {"terms": None}, {"pairs": [{"pair": "x"}]}
    for text in ("{", *(json.dumps(said | change) for change in changes)):
        with pytest.raises(ArenaError, match=r"^cluster: expected Task, found .*: .*$"):
            read(Task, text)


def test_pairs_go_together_as_long_as_a_task_should_take(worker: Worker) -> None:
    worker.take(1, 2)
    assert worker.place.pairs(0.3) == worker.place.fewest(0.3) == 1
    worker.answers[0].set_result(write(TaskAnswer(results=(result(1, 1, 2),), seconds=0.1)))
    assert (worker.place.pairs(0.3), worker.place.fewest(0.3)) == (3, 12)
    assert (worker.place.pairs(3.0), worker.place.fewest(3.0)) == (30, 60)
    (long := Worker()).take(1)
    long.answers[0].set_result(write(TaskAnswer(results=(result(1, 1, 2),), seconds=60.0)))
    assert (long.place.pairs(6.0), long.place.fewest(6.0)) == (1, 2), "a task each"
