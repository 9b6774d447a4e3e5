"""Tournaments on clusters whose parts are killed and stopped, again and again, while they play."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena_runs import PATIENCE_S, Range, begin
from cluster_campaigns import Campaign, kill, some_time_s, tended
from clusters import HOST, OTHER_HOST, Watcher, a_tournament, games_of, machines, play
from processes import children_of, gone
from tests.arena.cli import test_tune as tune

from lath.arena.cluster import cluster, link
from lath.arena.tournament.run.events import Event, GameEnded

pytestmark = pytest.mark.xdist_group("cluster")

HOSTS = HOST, OTHER_HOST

WORKER_KILLS, SCHEDULER_KILLS, RUNNER_KILLS = 20, 10, 20

BEGUN = 6
"""Games after which a run is seen to play."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Range]:
    """Give a folder to run in; nothing that ran there may be left."""
    (tmp_path / "cluster").mkdir()
    with Range(tmp_path) as made:
        yield made


def test_workers_killed_at_any_moment_lose_and_double_nothing(place: Range) -> None:
    chance = random.Random(1)
    campaign = Campaign(place, rounds=250)
    with machines(place.folder / "cluster", *HOSTS, env=campaign.env) as made:
        tend = tended(made, HOSTS)
        run = campaign.begin(made.address)
        campaign.until_stored(run, BEGUN)
        for _ in range(WORKER_KILLS):
            campaign.wait(run, some_time_s(chance, 6.0), tend)
            kill(chance.choice(made.workers))
            campaign.note("workers killed")
        campaign.finish(run, tend)
        campaign.assert_nothing_left(made)
    print(campaign.assert_whole())


def test_schedulers_killed_at_any_moment_lose_and_double_nothing(place: Range) -> None:
    chance = random.Random(2)
    campaign = Campaign(place, rounds=400)
    with machines(place.folder / "cluster", *HOSTS, env=campaign.env) as made:
        tend = tended(made, HOSTS)
        port = int(made.address.rpartition(":")[2])
        run = campaign.begin(made.address)
        campaign.until_stored(run, BEGUN)
        for _ in range(SCHEDULER_KILLS):
            campaign.wait(run, some_time_s(chance, 12.0), tend)
            assert made.scheduler
            kill(made.scheduler)
            campaign.note("schedulers killed")
            campaign.wait(run, some_time_s(chance, 3.0), tend)
            made.start_scheduler(HOST, port)
        campaign.finish(run, tend)
        campaign.assert_nothing_left(made)
    print(campaign.assert_whole())


def test_runners_killed_at_any_moment_lose_and_double_nothing(place: Range) -> None:
    chance = random.Random(3)
    campaign = Campaign(place, rounds=200)
    with machines(place.folder / "cluster", *HOSTS, env=campaign.env) as made:
        for number in range(RUNNER_KILLS):
            run = campaign.begin(made.address)
            if not number:
                campaign.until_stored(run, BEGUN)
            campaign.wait(run, some_time_s(chance, 8.0))
            kill(run)
            campaign.heard(run)
            campaign.note("runners killed")
        campaign.finish(campaign.begin(made.address))
        campaign.assert_nothing_left(made)
    print(campaign.assert_whole())


def test_a_worker_stopped_for_longer_than_the_deadline_is_played_for_and_plays_again(
    place: Range,
) -> None:
    campaign = Campaign(place, rounds=200)
    with machines(place.folder / "cluster", *HOSTS, env=campaign.env) as made:
        run = campaign.begin(made.address)
        campaign.until_stored(run, BEGUN)
        tend = tended(made, HOSTS)
        stopped = made.workers[1]
        stopped.send_signal(signal.SIGSTOP)
        try:
            campaign.wait(run, link.SILENCE_S + 8)
        finally:
            stopped.send_signal(signal.SIGCONT)
        campaign.note("workers stopped")
        while_stopped = campaign.stored()
        assert while_stopped > BEGUN
        assert stopped.poll() is None
        assert gone(lambda: not children_of(stopped.pid))
        campaign.finish(run, tend)
        assert stopped in made.workers, "it was started anew"
        campaign.assert_nothing_left(made)
    assert "silent" in campaign.said
    print(campaign.assert_whole())


def test_a_stopped_process_that_plays_is_given_up_and_its_pairs_are_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "GRACE_S", 1.0)
    (tmp_path / "cluster").mkdir()
    config = a_tournament(rounds=200)
    stopped: list[int] = []
    with machines(tmp_path / "cluster", *HOSTS) as made:

        def stop(event: Event) -> None:
            if isinstance(event, GameEnded) and len(watcher.games) > BEGUN and not stopped:
                inner = children_of(made.workers[1].pid)
                stopped.extend(inner)
                for pid in inner:
                    os.kill(pid, signal.SIGSTOP)

        watcher = Watcher(stop)
        assert play(config, tmp_path / "there", made.address, watcher).is_complete
        assert stopped
        assert gone(lambda: set(stopped) & set(children_of(made.workers[1].pid)))
    assert sorted(watcher.games) == list(range(1, 401))
    assert play(config, tmp_path / "here").is_complete
    assert games_of(tmp_path / "there") == games_of(tmp_path / "here")
    print(f"processes stopped {len(stopped)}: 400 games, {watcher.warnings}")


def test_a_run_goes_on_here_and_on_another_cluster(place: Range) -> None:
    campaign = Campaign(place, rounds=60)

    def until_interrupted(run: subprocess.Popen[str], games: int) -> None:
        campaign.until_stored(run, games)
        run.send_signal(signal.SIGINT)
        assert "resume with" in campaign.heard(run)
        assert run.returncode == 3
        campaign.note("changes of place")

    with machines(place.folder / "cluster", *HOSTS, env=campaign.env) as made:
        until_interrupted(campaign.begin(made.address), 30)
        until_interrupted(campaign.begin(), 60)
    (place.folder / "other").mkdir()
    with machines(place.folder / "other", HOST, env=campaign.env) as other:
        campaign.finish(campaign.begin(other.address))
        campaign.assert_nothing_left(other)
    print(campaign.assert_whole())


def test_a_cluster_tunes_to_the_same_values(tmp_path: Path) -> None:
    words = [*tune.REAL, "--pairs", 40, "--sprt-pairs", 5, "-q"]
    places = {"here": ("--jobs", 2), "there": ("--cluster", "local:2")}
    for name, place in places.items():
        run = begin(*words, "--output", tmp_path / name, *place, cwd=tmp_path)
        _, said = run.communicate(timeout=PATIENCE_S)
        assert run.returncode == 12, said
    assert tune.data_of(tmp_path / "there") == tune.data_of(tmp_path / "here")
