"""What a runner thinks of machines: their names, their speed, and what differs on them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from clusters import Watcher

from lath import games
from lath.arena.cluster import diagnosis, seat
from lath.arena.cluster.cluster import Cluster
from lath.arena.cluster.entrance import Entrance
from lath.arena.cluster.link import Link, Seen
from lath.arena.cluster.messages import Hello, Terms
from lath.arena.cluster.tasks import Place
from lath.arena.referee.clock import Limits
from lath.arena.referee.match import NO_ADJUDICATION
from lath.games.core import version_of
from lath.notation.protocol import TimeControl

HELLO = Hello(
    node="node",
    versions=seat.versions(),
    games={game_id: version_of(games.get(game_id)) for game_id in games.builtin_ids()},
    cpu="a processor",
    cores=2,
    speed=1000.0,
    resolution_ns=1.0,
    reading_ns=50.0,
    no_bwrap="",
    is_root=False,
    bots=("random",),
    free_bytes=1 << 30,
)


class Machines:
    """A cluster of machines that are made up."""

    def __init__(self, *, hosts_alike: bool = False, nodes: int = 0) -> None:
        self.watcher = Watcher()
        self.cluster = Cluster("tcp://127.0.0.1:1", hosts_alike=hosts_alike)
        self.cluster._tell = self.watcher
        time = TimeControl(nodes=nodes) if nodes else TimeControl(move_ms=100)
        self.cluster._times_matter = not nodes
        self.cluster._terms = Terms(
            tree="",
            bots=(),
            games=("yavalath",),
            game_files=(),
            limits=Limits(time=time),
            adjudication=NO_ADJUDICATION,
            keeps_logs=False,
            pins=True,
            wall="bwrap",
            must_be_walled=True,
        )
        link = object.__new__(Link)  # there is nobody to talk to
        self.entrance = Entrance(link, self.cluster._terms, {})

    def add(self, host: str, speed: float, slots: int) -> None:
        seen = Seen(f"tcp://127.0.0.1:{len(self.cluster._places) + 1}", slots, "127.0.0.1")
        hello = replace(HELLO, speed=speed)
        self.cluster._places[seen.address] = Place(seen, host=host, hello=hello)
        self.cluster._speeds[host] = speed

    @property
    def left(self) -> set[str]:
        self.cluster._compare()
        return {place.host for place in self.cluster._places.values()}


def three(**how: Any) -> Machines:
    """Return two machines that are alike within a tenth, and one that is not."""
    made = Machines(**how)
    made.add("old", 700.0, 8)
    made.add("one", 1000.0, 16)
    made.add("two", 1090.0, 16)
    return made


def test_a_machine_that_is_slower_than_most_is_told() -> None:
    made = three()
    assert made.left == {"old", "one", "two"}
    (words,) = made.watcher.warnings
    assert words.startswith("old is 36% slower than most (700 steps a ms, most 1,090)")
    assert "--hosts-alike refuses it" in words


def test_hosts_alike_refuses_it() -> None:
    made = three(hosts_alike=True)
    assert made.left == {"one", "two"}
    (words,) = made.watcher.warnings
    assert words.endswith("and is refused: --hosts-alike")


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


def test_most_slots_decide_what_is_usual() -> None:
    made = Machines(hosts_alike=True)
    made.add("big", 700.0, 64)
    made.add("fast", 1000.0, 16)
    assert made.left == {"big"}


def test_speed_is_nobodys_concern_where_bots_count_nodes() -> None:
    made = three(nodes=100)
    assert made.left == {"old", "one", "two"}
    assert made.watcher.warnings == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, ""),
        ({"versions": {**HELLO.versions, "python": "3.9"}}, "its python is 3.9, expected 3."),
        ({"versions": {}}, "its lath-arena is unknown, expected "),
        ({"games": {}}, "the game yavalath is not installed there, expected the rules"),
        ({"games": {"yavalath": "9"}}, "the game yavalath has the rules 9 there, expected"),
    ],
)
def test_what_must_be_the_same_is_compared(change: dict[str, Any], why: str) -> None:
    found = Machines().entrance.unlike(replace(HELLO, **change))
    assert found.startswith(why)
    assert bool(found) == bool(why)


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

    assert asyncio.run(together()) == ["node-10.0.0.9", "node", "other"]
    assert asyncio.run(named()) == ["node-10.0.0.9", "node", "other"]


def the_words(**change: Any) -> dict[str, tuple[str, str]]:
    """Return what a doctor says of a worker with this hello, beside one that is as usual."""
    found = []
    for port, hello in enumerate((HELLO, HELLO, replace(HELLO, **change))):
        seen = Seen(f"tcp://127.0.0.1:{port}", 4, "127.0.0.1")
        found.append(diagnosis.Worker(seen, host="node", hello=hello))
    points = list(diagnosis._said("tcp://127.0.0.1:9", found))
    return {one.name: (one.verdict, one.found) for one in points if one.group.endswith(":2")}


def test_a_doctor_tells_what_is_odd_about_a_worker() -> None:
    told = the_words(speed=800.0, no_bwrap="bwrap is not installed", free_bytes=1 << 20, cores=8)
    assert told["speed"] == ("note", "800 steps a ms of a core, 20% slower than most")
    assert told["walls"] == ("note", "bwrap is not installed")
    assert told["room"] == ("note", "1 MiB free for what bots bring")
    assert told["cores"] == ("ok", "8, games at a time: 4, a processor")


def test_a_doctor_of_a_cluster_without_workers_says_how_one_is_started() -> None:
    (point,) = diagnosis._said("tls://10.0.0.1:8786", [])
    assert point.verdict == "missing"
    assert point.remedy.startswith("start some: dask worker tls://10.0.0.1:8786")
