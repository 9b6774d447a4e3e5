"""A cluster whose parts are killed at random: nothing is lost or doubled, and no game is another.

`make soak` runs it; LATH_KILLS says how many workers are killed, and runners; of schedulers half.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final

import pytest
from clusters import HOST, OTHER_HOST, Machines, Watcher, a_tournament, games_of, machines, play
from processes import children_of, gone, pids_with

from lath.arena.cluster import link
from lath.arena.referee.trees import MARK
from lath.arena.tournament.config import Config
from lath.arena.tournament.events import Event, GameEnded

pytestmark = [pytest.mark.soak, pytest.mark.xdist_group("cluster")]

KILLS: Final = int(os.environ.get("LATH_KILLS", "20"))
SEED: Final = int(os.environ.get("LATH_SEED", "1"))
BETWEEN: Final = 30
"""Games between two kills, on average."""


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """Return the games as one machine plays them."""
    folder = tmp_path_factory.mktemp("local") / "cup"
    assert play(a_cup(), folder).is_complete
    return games_of(folder)


@pytest.fixture(autouse=True)
def _leaves_nothing() -> Iterator[None]:
    """Refuse a campaign after which there is a process or a scratch folder more than before."""

    def there() -> set[Any]:
        return pids_with(MARK, "") | set(Path(gettempdir()).glob("lath-bot-*"))

    before = there()
    yield
    assert gone(lambda: there() - before, 60.0), there() - before


def a_cup(**more: Any) -> Config:
    bots = {"name": "random"}, {"name": "greedy"}
    return a_tournament(*bots, rounds=(KILLS + 2) * BETWEEN // 2, **more)


class Killer:
    """Does something to the machines every so many games, so many times."""

    def __init__(self, times: int, strike: Callable[[], object]) -> None:
        self.chance: Final = random.Random(SEED)
        self.done = 0
        self._times: Final = times
        self._strike: Final = strike
        self._due = BETWEEN
        self.watcher: Final = Watcher(self._act)

    def _act(self, event: Event) -> None:
        is_due = len(self.watcher.games) >= self._due and self.done < self._times
        if isinstance(event, GameEnded) and is_due:
            self.done += 1
            self._due += self.chance.randrange(1, 2 * BETWEEN)
            self._strike()


def report(what: str, killer: Killer, total: int) -> None:
    again = sum("played again" in words for words in killer.watcher.warnings)
    print(
        f"{killer.done} {what}: {total} games, each once, the same; {again} losses told", flush=True
    )


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Machines]:
    (tmp_path / "cluster").mkdir()
    with machines(tmp_path / "cluster", HOST, OTHER_HOST, threads=2) as made:
        yield made


def check(killer: Killer, folder: Path, local: dict[int, str]) -> None:
    """Check that each game was told of and stored once, and is the one that is played here."""
    assert sorted(killer.watcher.games) == sorted(local)
    assert games_of(folder) == local


def test_workers_are_killed(made: Machines, tmp_path: Path, local: dict[int, str]) -> None:
    def strike() -> None:
        victim = killer.chance.choice(made.workers)
        made.stop(victim)
        made.add(killer.chance.choice((HOST, OTHER_HOST)), 2)

    killer = Killer(KILLS, strike)
    summary = play(a_cup(), tmp_path / "cup", made.address, killer.watcher)
    assert summary.is_complete, killer.watcher.warnings
    assert killer.done == KILLS
    check(killer, tmp_path / "cup", local)
    report("workers killed", killer, len(local))


def test_the_scheduler_is_killed(made: Machines, tmp_path: Path, local: dict[int, str]) -> None:
    port = int(made.address.rpartition(":")[2])

    def strike() -> None:
        assert made.scheduler
        made.stop(made.scheduler)
        time.sleep(killer.chance.choice((0.0, 0.5, 3.0)))
        made.stop(*made.workers)  # as whoever keeps them running does, when they have ended
        made.start_scheduler(HOST, port)
        for host in (HOST, OTHER_HOST):
            made.add(host, 2)

    killer = Killer(KILLS // 2, strike)
    summary = play(a_cup(), tmp_path / "cup", made.address, killer.watcher, patience_s=120.0)
    assert summary.is_complete, killer.watcher.warnings
    assert killer.done == KILLS // 2
    check(killer, tmp_path / "cup", local)
    report("schedulers killed", killer, len(local))


def test_inner_processes_are_killed_and_stopped(
    made: Machines, tmp_path: Path, local: dict[int, str]
) -> None:
    def strike() -> None:
        inner = [pid for worker in made.workers for pid in children_of(worker.pid)]
        if inner:
            os.kill(killer.chance.choice(inner), signal.SIGKILL)

    killer = Killer(KILLS, strike)
    summary = play(a_cup(), tmp_path / "cup", made.address, killer.watcher)
    assert summary.is_complete, killer.watcher.warnings
    check(killer, tmp_path / "cup", local)
    report("worker processes killed", killer, len(local))


def test_workers_hang_and_come_back(
    made: Machines, tmp_path: Path, local: dict[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "SILENCE_S", 3.0)
    stopped: list[subprocess.Popen[bytes]] = []

    def strike() -> None:
        if stopped:
            stopped.pop().send_signal(signal.SIGCONT)
        else:
            stopped.append(killer.chance.choice(made.workers))
            stopped[0].send_signal(signal.SIGSTOP)

    killer = Killer(KILLS, strike)
    summary = play(a_cup(), tmp_path / "cup", made.address, killer.watcher)
    assert summary.is_complete, killer.watcher.warnings
    check(killer, tmp_path / "cup", local)
    report("stops and returns", killer, len(local))


def test_the_runner_is_killed(made: Machines, tmp_path: Path, local: dict[int, str]) -> None:
    folder, chance = tmp_path / "cup", random.Random(SEED)
    words = ["--bot", "random", "--bot", "greedy", "--game", "yavalath", "--tc", "nodes 200"]
    words += ["--rounds", str(a_cup().rounds), "--openings", "random:2"]
    base = [sys.executable, "-m", "lath.arena", "run", "--no-report", "-q", "--out", str(folder)]

    def begin(where: str) -> subprocess.Popen[bytes]:
        on = ["--cluster", where] if where else []
        return subprocess.Popen([*base, *on, *words], stderr=subprocess.PIPE)

    kills = 0
    for number in range(KILLS):
        # Here now and then: a tournament goes on anywhere.
        run = begin(made.address if number % 5 else "")
        time.sleep(chance.uniform(1.0, 5.0))
        kills += run.poll() is None
        run.kill()
        run.communicate()
    last = begin(made.address)
    _, said = last.communicate()
    assert last.returncode == 0, said.decode()
    assert games_of(folder) == local
    print(f"{kills} runners killed: {len(local)} games, each once, the same", flush=True)


def test_a_run_goes_from_one_cluster_to_another_and_here(
    made: Machines, tmp_path: Path, local: dict[int, str]
) -> None:
    (tmp_path / "other").mkdir()

    def stop() -> None:
        os.kill(os.getpid(), signal.SIGINT)

    told: list[int] = []
    with machines(tmp_path / "other", OTHER_HOST) as other:
        for address in (made.address, other.address, "", made.address):
            killer = Killer(1, stop)
            assert play(a_cup(), tmp_path / "cup", address, killer.watcher).interrupted
            told += killer.watcher.games
    killer = Killer(0, stop)
    assert play(a_cup(), tmp_path / "cup", "", killer.watcher).is_complete
    assert sorted([*told, *killer.watcher.games]) == sorted(local)
    assert games_of(tmp_path / "cup") == local
