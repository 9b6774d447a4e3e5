"""Tournaments on the machines of a cluster: the same games, whatever becomes of the machines."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import commands
import dask.config
import pytest
from clusters import (
    HOST,
    OTHER_HOST,
    Machines,
    Watcher,
    a_tournament,
    games_of,
    hosts_of,
    machines,
    play,
    until,
)
from tools import needs

from lath.arena.cluster import entry_point, link
from lath.arena.cluster.link import SchedulerLink
from lath.arena.cluster.preparation import travelling
from lath.arena.errors import ArenaError, ConfigError, MachineError
from lath.arena.referee.bots import BotSpec
from lath.arena.tournament.run.events import ClusterSeen, Event, GameEnded, PairBegan

GAME = Path(__file__).parents[3] / "examples/games/order_and_chaos.py"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]

SECRET = "the key of a worker"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    with machines(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture
def two_hosts(cluster: Machines) -> Machines:
    """Give a scheduler and a worker on each of two hosts, where none is left of them new ones."""
    if len(cluster.workers) < 2:
        cluster.stop()
        cluster.start_scheduler()
        key = cluster.folder / "worker.key"
        key.write_text(SECRET)
        key.chmod(0o600)
        for host in (HOST, OTHER_HOST):
            cluster.add(host, DASK_DISTRIBUTED__COMM__TLS__WORKER__KEY=str(key))
        with closing(SchedulerLink(cluster.address, None)) as there:
            until(lambda: len(there.workers) == 2)
    return cluster


CHOOSE = """
def choose(position, turn):
    return turn.chance.choice(position.legal_moves())
"""

SPY = """
import glob, sys
from brain import choose
from lath.bots.sdk import run

for path in [KEY, *glob.glob("/proc/[0-9]*/environ")]:
    try:
        with open(path, "rb") as file:
            said = file.read()
    except OSError:
        continue
    if SECRET in said or b"TLS__WORKER__KEY=" in said:
        sys.exit("I have the key")
run(choose, name="Spy")
"""

PACED = """
import time
from lath.bots.sdk import run


def choose(position, turn):
    if "cache-127" in __file__:
        time.sleep(0.2)
    return turn.chance.choice(position.legal_moves())


run(choose, name="Paced")
"""
"""It takes its time on machines of the cluster, where so little is played, and none here."""

GREEDY = {"name": "greedy"}
BROKEN = {"name": "broken", "command": ["/no/such/bot"]}
PICKY = {"name": "picky", "command": ["random"], "hosts": {f"*{OTHER_HOST}": "/no/such/bot"}}
"""Starts on one of the two hosts."""


def a_bot(home: Path, text: str, **files: str) -> dict[str, Any]:
    """Return a bot that its build makes of these files of Python, each in its folder."""
    home.mkdir()
    for name, inner in {"main": f"#!{sys.executable}{text}", **files}.items():
        (home / f"{name}.py").write_text(inner)
    build = f"cp {home}/main.py {home}/bot && chmod +x ./bot"
    return {"name": home.name, "cwd": str(home), "build": build, "command": ["./bot"]}


def a_spy(home: Path, cluster: Machines) -> dict[str, Any]:
    """Return a bot of two files that plays if it cannot read the key of a machine."""
    key = str(cluster.folder / "worker.key")
    text = SPY.replace("KEY,", f"{key!r},").replace("SECRET", f"{SECRET.encode()!r}")
    return a_bot(home, text, brain=CHOOSE)


@needs("bwrap")
def test_machines_play_the_games_that_this_one_would_and_keep_their_keys(
    two_hosts: Machines, tmp_path: Path
) -> None:
    bots = a_spy(tmp_path / "spy", two_hosts), GREEDY
    cup: dict[str, Any] = {"rounds": 2, "games": ["yavalath", str(GAME)]}
    watcher = Watcher()
    summary = play(a_tournament(*bots, **cup), tmp_path / "there", two_hosts.address, watcher)
    assert summary.is_complete, (watcher.warnings, two_hosts.said)
    assert not (tmp_path / "spy/bot").exists(), "it was built where it played"
    hosts = set(hosts_of(tmp_path / "there"))
    assert len(hosts) == 2
    assert {host.name for host in watcher.clusters[-1].hosts} == hosts
    assert play(a_tournament(*bots, **cup, sandbox="bwrap"), tmp_path / "here").is_complete
    assert games_of(tmp_path / "there") == games_of(tmp_path / "here")
    assert hosts_of(tmp_path / "here") == []


def test_a_bot_that_starts_on_neither_of_two_is_at_fault_and_on_one_plays_there(
    two_hosts: Machines, tmp_path: Path
) -> None:
    spy = a_spy(tmp_path / "spy", two_hosts)  # without a wall it has the key
    config = a_tournament(BROKEN, spy, PICKY, GREEDY, rounds=2, sandbox="none")
    watcher = Watcher()
    summary = play(config, tmp_path / "cup", two_hosts.address, watcher)
    assert ({*summary.benched}, summary.is_done) == ({"broken", "spy"}, True)
    assert "I have the key" in summary.benched["spy"].why
    assert summary.done == 4, "the others play to the end"
    assert len(set(hosts_of(tmp_path / "cup"))) == 1
    assert len([words for words in watcher.warnings if "picky plays elsewhere" in words]) == 1


def test_no_bot_may_ask_for_a_key(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.touch()
    with dask.config.set({"distributed.comm.tls.worker.key": str(key)}):
        assert str(key) in entry_point.secrets_here()
    for path in (key, tmp_path):
        mine = BotSpec(name="mine", command=("true",), files=(str(path),))
        with pytest.raises(ConfigError, match=f"files: {path} holds {key}, which no bot may see"):
            travelling([mine], [], keys=[str(key)])


TWO_BOTS = f"""
games = ["yavalath"]
[[bot]]
name = "greedy"
[[bot]]
name = "mine"
command = "random"
hosts = {{ "*{OTHER_HOST}" = "/no/such/bot" }}
"""


def test_a_doctor_asks_each_worker_and_starts_the_bots_there(
    two_hosts: Machines, tmp_path: Path
) -> None:
    (tmp_path / "tournament.toml").write_text(TWO_BOTS)
    ran = commands.arena("doctor", tmp_path, "--cluster", two_hosts.address, "--json")
    assert ran.status == 0, ran.err
    rows = json.loads(ran.out)
    assert len({row["group"] for row in rows}) == 3
    assert {row["name"]: row["numbers"] for row in rows}["workers"]["hosts"] == 2
    (wrong,) = [row for row in rows if row["name"] == "bot mine" and row["verdict"] == "note"]
    assert OTHER_HOST in wrong["group"]
    assert "/no/such/bot" in wrong["found"]
    assert {row["found"] for row in rows if row["name"] == "bot greedy"} == {"starts"}


def test_another_version_is_refused_in_words(
    two_hosts: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = {"lath-arena": "0.9", "distributed": "2026.1.0", "python": "3.11"}
    monkeypatch.setattr("lath.arena.cluster.entry_point.versions", lambda: ours)
    watcher = Watcher()
    with pytest.raises(ArenaError, match="none of its workers can play"):
        play(a_tournament(), tmp_path / "cup", two_hosts.address, watcher)
    assert len(watcher.warnings) == 2
    assert "is refused: its lath-arena is " in watcher.warnings[0]
    assert watcher.warnings[0].endswith(", expected 0.9, as here")
    ran = commands.arena("doctor", tmp_path, "--cluster", two_hosts.address)
    assert ran.status == 1
    assert ran.out.count("install the same versions everywhere") == 2


class Mishaps(Watcher):
    """Stops a worker, lets it go on, kills it when it is back, and then all the others."""

    def __init__(self, cluster: Machines) -> None:
        super().__init__(self.harm)
        self.cluster, self.victim = cluster, cluster.workers[1]
        self.stage, self.told, self.alone = "hang", 0, 0

    def harm(self, event: Event) -> None:
        match self.stage, event:
            case "hang", PairBegan() if self.games[3:]:
                self.victim.send_signal(signal.SIGSTOP)
                self.stage = "come back"
            case "come back", ClusterSeen(workers=1):
                self.victim.send_signal(signal.SIGCONT)
                self.stage = "die"
            case "die", PairBegan(host=host) if (
                OTHER_HOST in host and self.clusters[-1].workers > 1
            ):
                self.told, self.stage = len(self.warnings), "be alone"
                self.cluster.stop(self.victim)
            case "be alone", ClusterSeen(workers=1):
                self.alone, self.stage = len(self.games), "end"
            case "end", GameEnded() if self.games[self.alone :]:
                self.stage = "over"
                self.cluster.stop()


def test_a_run_outlives_workers_that_hang_or_die_and_goes_on_here_without_a_scheduler(
    two_hosts: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "SILENCE_S", 1.0)
    monkeypatch.setattr(link, "POLL_S", 0.1)
    config = a_tournament(a_bot(tmp_path / "paced", PACED), GREEDY, rounds=96)
    seen = Mishaps(two_hosts)
    try:
        with pytest.raises(MachineError, match="finished games are kept"):
            play(config, tmp_path / "cup", two_hosts.address, seen, patience_s=1.0, workers=2)
    finally:
        two_hosts.stop()
    assert seen.stage == "over", seen.warnings
    hung, died = seen.warnings[: seen.told], seen.warnings[seen.told :]
    for words, told in (
        ("stopped answering", hung),
        ("played again", died),
        ("waiting for 1 s", died),
    ):
        assert any(words in one for one in told)
    hosts = [host for cluster in seen.clusters for host in cluster.hosts]
    for name in {host.name for host in hosts}:
        games = [host.games for host in hosts if host.name == name]
        assert games == sorted(games)
    beyond = range(1, max(seen.games) + 2)  # the next game, and none before it is left out
    stopped: list[int] = []

    def stop(_: Event) -> None:
        if not stopped and {*seen.games, *again.games}.issuperset(beyond):
            stopped.append(1)
            os.kill(os.getpid(), signal.SIGINT)

    again = Watcher(stop)
    assert play(config, tmp_path / "cup", tell=again).interrupted
    assert sorted([*seen.games, *again.games]) == sorted(games_of(tmp_path / "cup"))
