"""What a runner thinks of machines: their names, their speed, and what differs on them."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from clusters import HELLO, Watcher, a_tournament, terms_of

from lath.arena.cluster import cluster, diagnosis, seat
from lath.arena.cluster.cluster import Cluster
from lath.arena.cluster.entrance import Entrance
from lath.arena.cluster.link import Link, Seen
from lath.arena.cluster.messages import Entered, write
from lath.arena.cluster.tasks import Place
from lath.arena.errors import ArenaError, MachineError
from lath.arena.referee.clock import Limits
from lath.arena.tournament.slots import Host
from lath.arena.tournament.system import Patience
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
        self.link = object.__new__(Link)  # there is nobody to talk to
        self.link.workers, self.link.is_connected = {}, True
        self.entrance = Entrance(self.link, self.cluster._terms, {})
        for host in hosts:
            self.add(host, 1000.0, 1)

    def add(self, host: str, speed: float, slots: int) -> None:
        seen = Seen(f"tcp://127.0.0.1:{len(self.cluster._places) + 1}", slots, "127.0.0.1")
        hello = replace(HELLO, speed=speed)
        self.cluster._places[seen.address] = Place(seen, host=host, hello=hello)
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
        ({}, {"old", "one", "two"}, "--hosts-alike refuses it"),
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
    monkeypatch.setattr(seat, "lath", SimpleNamespace(__path__=[str(tmp_path)]))
    starter, rules = tmp_path / "arena/starters/dice.py", tmp_path / "games/rules.py"
    rules.parent.mkdir()
    rules.touch()
    digest = seat._digest_of_ours()
    starter.parent.mkdir(parents=True)
    starter.touch()
    assert seat._digest_of_ours() == digest
    rules.write_text("another")
    assert seat._digest_of_ours() != digest


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


def test_a_machine_that_asks_for_what_no_bot_brings_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entrance = Machines().entrance
    called: list[object] = []

    async def call(_address: str, function: object, *_: object, **__: object) -> str:
        called.append(function)
        return write(Entered(missing=("a" * 64,)))

    monkeypatch.setattr(entrance._link, "call", call)
    seen = Seen("tcp://127.0.0.1:1", 1, "127.0.0.1")
    with ThreadPoolExecutor(1) as thread:  # see below
        entered = thread.submit(asyncio.run, entrance.enter(seen, "node")).result()
    assert entered.refused == "it asks for aaaaaaaaaaaa, which no bot brings"
    assert called == [seat.enter]


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
        seen = Seen(f"tcp://127.0.0.1:{port}", 4, "127.0.0.1")
        found.append(diagnosis.Worker(seen, host="node", hello=hello))
    points = list(diagnosis._said("tcp://127.0.0.1:9", found))
    return {one.name: (one.verdict, one.found) for one in points if one.group.endswith(":2")}


def test_a_doctor_tells_what_is_odd_about_a_worker_and_where_there_is_none() -> None:
    told = the_words(speed=800.0, no_bwrap="bwrap is not installed", free_bytes=1 << 20, cores=8)
    assert told["speed"] == ("note", "800 steps a ms of a core, 20% slower than most")
    assert told["walls"] == ("note", "bwrap is not installed")
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
    made.cluster._news.put((place, "", ()))
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
    made.cluster._refuse(place, "? no answer in 60 s")
    made.cluster._patience = Patience(lambda _: None, 60.0, well="")
    made.cluster._wait_for_workers()
    made.cluster._refuse(place, "its python is 3.9")
    with pytest.raises(ArenaError, match="none of the workers of "):
        made.cluster._wait_for_workers()


def test_workers_of_one_machine_have_their_own_cores_whoever_comes_and_goes() -> None:
    made = Machines()

    def joins(port: int, threads: int) -> tuple[int, int]:
        seen = Seen(f"tcp://10.0.0.1:{port}", threads, "10.0.0.1")
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
    late = Seen("tcp://127.0.0.1:9", 1, "127.0.0.1")
    found._places[late.address] = Place(late)
    assert found.expects_more
    del found._places[late.address]
    lost = next(place for place in found._places.values() if place.host == "two")
    found._drop([lost], "is gone, or silent")
    assert found.expects_more
    monkeypatch.setattr(cluster, "COMES_BACK_S", 0.0)
    assert not found.expects_more
