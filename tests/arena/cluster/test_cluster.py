"""Tournaments on the machines of a cluster: the same games, whatever becomes of the machines."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
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
)
from tools import needs

from lath.arena.cluster import link, seat
from lath.arena.cluster.preparation import travelling
from lath.arena.errors import ArenaError, ConfigError, MachineError
from lath.arena.referee.bots import BotSpec
from lath.arena.tournament.events import ClusterSeen, Event, GameEnded, PairBegan

GAME = Path(__file__).parents[3] / "examples/games/order_and_chaos.py"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]


SECRET = "the key of a worker"


@pytest.fixture(scope="module")
def two_hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """Give a scheduler and two workers that no test harms."""
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "worker.key").write_text(SECRET)
    (folder / "worker.key").chmod(0o600)
    with machines(folder) as made:
        for host in (HOST, OTHER_HOST):
            made.add(host, DASK_DISTRIBUTED__COMM__TLS__WORKER__KEY=str(folder / "worker.key"))
        yield made


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

BRAIN = """
def choose(position, turn):
    return turn.chance.choice(position.legal_moves())
"""


def a_spy(home: Path, key: Path) -> dict[str, Any]:
    """Return a bot of two files that plays if it cannot read the key of a machine."""
    home.mkdir()
    text = SPY.replace("KEY,", f"{str(key)!r},").replace("SECRET", f"{SECRET.encode()!r}")
    (home / "spy.py").write_text(text)
    (home / "brain.py").write_text(BRAIN)
    return {"name": "spy", "command": ["python", str(home / "spy.py")]}


@needs("bwrap")
def test_machines_play_the_games_that_this_one_would_and_keep_their_keys(
    two_hosts: Machines, tmp_path: Path
) -> None:
    spy = a_spy(tmp_path / "spy", two_hosts.folder / "worker.key")
    cup: dict[str, Any] = {"rounds": 2, "games": ["yavalath", str(GAME)]}
    config = a_tournament(spy, {"name": "greedy"}, **cup)
    watcher = Watcher()
    summary = play(config, tmp_path / "there", two_hosts.address, watcher)
    assert summary.is_complete, (watcher.warnings, two_hosts.said)
    hosts = set(hosts_of(tmp_path / "there"))
    assert len(hosts) == 2
    assert {host.name for host in watcher.clusters[-1].hosts} == hosts
    walled = a_tournament(spy, {"name": "greedy"}, **cup, sandbox="bwrap")
    assert play(walled, tmp_path / "here").is_complete
    assert games_of(tmp_path / "there") == games_of(tmp_path / "here")
    assert hosts_of(tmp_path / "here") == []


def test_a_program_that_only_its_build_makes_plays(two_hosts: Machines, tmp_path: Path) -> None:
    home = tmp_path / "mine"
    home.mkdir()
    run = 'from lath.bots.sdk import run\nrun(choose, name="Mine")\n'
    (home / "main.py").write_text(f"#!{sys.executable} -P\n{BRAIN}\n{run}")
    build = f"cp {home}/main.py {home}/bot && chmod +x ./bot"
    mine = {"name": "mine", "cwd": str(home), "build": build, "command": ["./bot"]}
    watcher = Watcher()
    config = a_tournament(mine, {"name": "greedy"}, rounds=1)
    assert play(config, tmp_path / "cup", two_hosts.address, watcher).is_complete, watcher.warnings
    assert not (home / "bot").exists()


def test_without_a_wall_a_bot_has_the_key(two_hosts: Machines, tmp_path: Path) -> None:
    spy = a_spy(tmp_path / "spy", two_hosts.folder / "worker.key")
    watcher = Watcher()
    config = a_tournament(spy, {"name": "greedy"}, rounds=1, sandbox="none")
    assert not play(config, tmp_path / "cup", two_hosts.address, watcher).is_complete
    assert any("I have the key" in words for words in watcher.warnings)


def test_no_bot_may_ask_for_a_key(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.touch()
    with dask.config.set({"distributed.comm.tls.worker.key": str(key)}):
        assert str(key) in seat.secrets_here()
    for path in (key, tmp_path):
        mine = BotSpec(name="mine", command=("true",), files=(str(path),))
        with pytest.raises(ConfigError, match=f"files: {path} holds {key}, which no bot may see"):
            travelling([mine], [], keys=[str(key)])


def test_a_bot_that_starts_on_one_host_only_plays_there(
    two_hosts: Machines, tmp_path: Path
) -> None:
    broken = {"name": "mine", "command": ["random"], "hosts": {f"*{OTHER_HOST}": "/no/such/bot"}}
    config = a_tournament(broken, {"name": "greedy"}, rounds=4)
    watcher = Watcher()
    assert play(config, tmp_path / "cup", two_hosts.address, watcher).is_complete
    assert len(set(hosts_of(tmp_path / "cup"))) == 1
    assert len([words for words in watcher.warnings if "mine plays elsewhere" in words]) == 1


def test_a_bot_that_starts_on_neither_of_two_is_at_fault(
    two_hosts: Machines, tmp_path: Path
) -> None:
    broken = {"name": "mine", "command": ["/no/such/bot"]}
    config = a_tournament(broken, {"name": "greedy"}, rounds=4)
    watcher = Watcher()
    summary = play(config, tmp_path / "cup", two_hosts.address, watcher)
    ((pairing, why),) = summary.stopped.items()
    assert (summary.done, pairing) == (0, frozenset({"mine", "greedy"}))
    assert why.startswith("mine: ")
    others = {"name": "greedy"}, {"name": "random"}
    summary = play(a_tournament(broken, *others, rounds=2), tmp_path / "three", two_hosts.address)
    assert ({*summary.benched}, summary.is_done) == ({"mine"}, True)
    assert summary.done == 4, "the others play to the end"


def test_a_worker_that_hangs_is_played_for_and_comes_back(
    two_hosts: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "SILENCE_S", 1.0)
    monkeypatch.setattr(link, "POLL_S", 0.1)
    config = a_tournament(rounds=5_000)
    stopped = two_hosts.workers[1]
    hung = [0]

    def stop(event: Event) -> None:
        if isinstance(event, PairBegan) and not hung[0] and watcher.games[9:]:
            stopped.send_signal(signal.SIGSTOP)
            hung[0] = 1
        elif isinstance(event, ClusterSeen) and hung[0] == 1 and event.workers == 1:
            stopped.send_signal(signal.SIGCONT)
            hung[0] = 2
        elif isinstance(event, ClusterSeen) and hung[0] == 2 and event.workers == 2:
            hung[0] = 3
            os.kill(os.getpid(), signal.SIGINT)

    watcher = Watcher(stop)
    try:
        assert play(config, tmp_path / "cup", two_hosts.address, watcher).interrupted
    finally:
        stopped.send_signal(signal.SIGCONT)
    assert hung == [3], watcher.warnings
    assert sorted(watcher.games) == sorted(games_of(tmp_path / "cup"))
    assert any("silent" in words for words in watcher.warnings)
    for name in {host.name for seen in watcher.clusters for host in seen.hosts}:
        games = [
            host.games for seen in watcher.clusters for host in seen.hosts if host.name == name
        ]
        assert games == sorted(games)


def test_a_run_outlives_a_worker_and_goes_on_here_when_the_scheduler_is_gone(
    tmp_path: Path,
) -> None:
    (tmp_path / "cluster").mkdir()
    config = a_tournament(rounds=5_000)  # no machine is through before all this has happened
    workers_left = []
    with machines(tmp_path / "cluster", HOST, OTHER_HOST) as made:

        def kill(event: Event) -> None:
            if isinstance(event, PairBegan) and event.slot == 2 and len(made.workers) == 2:
                made.stop(made.workers[1])
            elif isinstance(event, ClusterSeen) and event.workers == 1:
                workers_left.append(len(watcher.games))
            elif isinstance(event, GameEnded) and workers_left and made.workers:
                assert made.scheduler
                made.stop(made.scheduler, *made.workers)
                made.scheduler = None

        watcher = Watcher(kill)
        with pytest.raises(MachineError, match="what was played is kept: go on with"):
            play(config, tmp_path / "cup", made.address, watcher, patience_s=1.0, workers=2)
    assert any("played again" in words for words in watcher.warnings)
    assert any("waiting for 1 s" in words for words in watcher.warnings)
    beyond = range(1, max(watcher.games) + 2)  # the next game, and none before it is left out
    stopped: list[int] = []

    def stop(_: Event) -> None:
        if not stopped and {*watcher.games, *again.games}.issuperset(beyond):
            stopped.append(1)
            os.kill(os.getpid(), signal.SIGINT)

    again = Watcher(stop)
    assert play(config, tmp_path / "cup", tell=again).interrupted
    assert sorted([*watcher.games, *again.games]) == sorted(games_of(tmp_path / "cup"))


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
    groups = {row["group"] for row in rows}
    assert len(groups) == 3
    assert {row["name"]: row["numbers"] for row in rows}["workers"]["hosts"] == 2
    (wrong,) = [row for row in rows if row["name"] == "bot mine" and row["verdict"] == "note"]
    assert OTHER_HOST in wrong["group"]
    assert "/no/such/bot" in wrong["found"]
    assert {row["found"] for row in rows if row["name"] == "bot greedy"} == {"starts"}


def test_another_version_is_refused_in_words(
    two_hosts: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = {"lath-arena": "0.9", "distributed": "2026.1.0", "python": "3.11"}
    monkeypatch.setattr("lath.arena.cluster.seat.versions", lambda: ours)
    watcher = Watcher()
    with pytest.raises(ArenaError, match="none of the workers of "):
        play(a_tournament(), tmp_path / "cup", two_hosts.address, watcher)
    assert len(watcher.warnings) == 2
    assert "is refused: its lath-arena is " in watcher.warnings[0]
    assert watcher.warnings[0].endswith(", expected 0.9, as here")
    ran = commands.arena("doctor", tmp_path, "--cluster", two_hosts.address)
    assert ran.status == 1
    assert ran.out.count("install the same versions everywhere") == 2
