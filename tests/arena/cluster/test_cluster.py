"""Tournaments on the machines of a cluster: the same games, whatever becomes of the machines."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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

from lath.arena.cluster import link
from lath.arena.errors import ArenaError, MachineError
from lath.arena.tournament.events import ClusterSeen, Event, GameEnded, PairBegan
from lath.arena.walls.bubblewrap import why_not

GAME = Path(__file__).parents[3] / "examples/games/order_and_chaos.py"

pytestmark = pytest.mark.xdist_group("cluster")


SECRET = "the key of a worker"


@pytest.fixture(scope="module")
def two_hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """Give a scheduler and two workers that no test harms."""
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "worker.key").write_text(SECRET)
    key = {"DASK_DISTRIBUTED__COMM__TLS__WORKER__KEY": str(folder / "worker.key")}
    with machines(folder, HOST, OTHER_HOST, env=key) as made:
        yield made


MINE = """
from brain import choose
from lath.bots.sdk import run

run(choose, name="Mine")
"""

BRAIN = """
def choose(position, turn):
    return turn.chance.choice(position.legal_moves())
"""


def a_bot(home: Path, **more: Any) -> dict[str, Any]:
    """Return the table of a bot of two files in a folder of its own."""
    home.mkdir(exist_ok=True)
    (home / "mine.py").write_text(MINE)
    (home / "brain.py").write_text(BRAIN)
    return {"name": "mine", "command": ["python", str(home / "mine.py")], **more}


def test_machines_play_the_games_that_this_one_would(two_hosts: Machines, tmp_path: Path) -> None:
    config = a_tournament(a_bot(tmp_path / "mine"), {"name": "greedy"}, rounds=4)
    watcher = Watcher()
    summary = play(config, tmp_path / "there", two_hosts.address, watcher)
    assert summary.is_complete, (watcher.warnings, two_hosts.said)
    assert play(config, tmp_path / "here").is_complete
    assert games_of(tmp_path / "there") == games_of(tmp_path / "here")
    hosts = set(hosts_of(tmp_path / "there"))
    assert len(hosts) == 2
    assert {host.name for host in watcher.clusters[-1].hosts} == hosts
    assert hosts_of(tmp_path / "here") == []


SPY = """
import glob, sys
from lath.bots.sdk import run

for path in [{key!r}, *glob.glob("/proc/[0-9]*/environ")]:
    try:
        with open(path, "rb") as file:
            said = file.read()
    except OSError:
        continue
    if {secret!r} in said or b"TLS__WORKER__KEY" in said:
        sys.exit("I have the key")
run(lambda position, turn: position.legal_moves()[0], name="Spy")
"""


@pytest.mark.skipif(bool(why_not()), reason=f"no bubblewrap here: {why_not()}")
def test_a_bot_cannot_read_the_keys_of_its_machine(two_hosts: Machines, tmp_path: Path) -> None:
    key = str(two_hosts.folder / "worker.key")
    (tmp_path / "spy.py").write_text(SPY.format(key=key, secret=SECRET.encode()))
    spy = {"name": "spy", "command": ["python", str(tmp_path / "spy.py")]}
    greedy = {"name": "greedy"}
    walled = a_tournament(spy, greedy, rounds=1, games=["yavalath", str(GAME)])
    assert play(walled, tmp_path / "walled", two_hosts.address).is_complete
    open_to_all = a_tournament(spy, greedy, rounds=1, sandbox="none")
    watcher = Watcher()
    assert not play(open_to_all, tmp_path / "open", two_hosts.address, watcher).is_complete
    assert any("I have the key" in words for words in watcher.warnings)
    asks = a_tournament({**spy, "reads": [str(two_hosts.folder)]}, greedy)
    with pytest.raises(ArenaError, match="none of the workers"):
        play(asks, tmp_path / "asks", two_hosts.address, watcher)
    assert watcher.warnings[-1].endswith(f"holds {key}, which no bot may see")


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


def test_a_worker_that_dies_is_played_for(two_hosts: Machines, tmp_path: Path) -> None:
    config = a_tournament(rounds=20)
    third = two_hosts.add(HOST, 2)
    busy = []

    def kill(event: Event) -> None:
        if isinstance(event, PairBegan) and event.slot > 2:
            busy.append(event.pair)
        if isinstance(event, GameEnded) and third in two_hosts.workers and busy:
            two_hosts.stop(third)

    watcher = Watcher(kill)
    assert play(config, tmp_path / "cup", two_hosts.address, watcher, workers=3).is_complete
    assert third not in two_hosts.workers
    assert sorted(watcher.games) == list(range(1, 41)) == sorted(games_of(tmp_path / "cup"))


def test_a_worker_that_hangs_is_played_for_and_comes_back(
    two_hosts: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "SILENCE_S", 1.5)
    monkeypatch.setattr(link, "POLL_S", 0.2)
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


def test_without_a_scheduler_a_run_waits_and_goes_on_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "cluster").mkdir()
    config = a_tournament(rounds=30)
    with machines(tmp_path / "cluster", HOST) as made:

        def kill(event: Event) -> None:
            if isinstance(event, GameEnded) and made.workers:
                assert made.scheduler
                made.stop(made.scheduler, *made.workers)
                made.scheduler = None

        watcher = Watcher(kill)
        with pytest.raises(MachineError, match="what was played is kept: go on with"):
            play(config, tmp_path / "cup", made.address, watcher, patience_s=1.0)
    assert 0 < len(watcher.games) < 60
    assert any("waiting for 1 s" in words for words in watcher.warnings)
    again = Watcher()
    assert play(config, tmp_path / "cup", tell=again).is_complete
    assert sorted([*watcher.games, *again.games]) == list(range(1, 61))


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
