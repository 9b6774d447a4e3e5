"""A run that is killed, interrupted or started twice loses no game and doubles none."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena_runs import Range, exported, flags, numbers, sequence, stop, wait_until_it_plays
from bad_bots import (
    Good,
    HangsInHandshake,
    HangsInItsMove,
    HasChildrenAndPlays,
    TakesAMillisecond,
)
from processes import gone

pytestmark = pytest.mark.alone

TWO = {"ann": Good, "bob": Good}
"""Two bots that play hundreds of games a second."""

STEADY = {"ann": TakesAMillisecond, "bob": TakesAMillisecond}
"""Two bots that play no more than some fifty games a second."""

KILLS = 10
ROUNDS = 200
"""More than steady bots can play between so many kills."""

LONGEST_S = 1.2
"""A run is killed at the latest after this time: in its start, or some hundred games later."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Range]:
    """Give a folder to run in; nothing that ran there may be left."""
    with Range(tmp_path) as place:
        yield place


def kill_and_resume(place: Range, *, kills: int, rounds: int, seed: int) -> list[int]:
    """Kill a run at random times, then let it end; return how many games there were at each."""
    chance = random.Random(seed)
    words = flags(STEADY, rounds=rounds, out=place.out)
    counts = [0]
    for _ in range(kills):
        run = place.begin(*words)
        with pytest.raises(subprocess.TimeoutExpired):
            run.communicate(timeout=chance.uniform(0.05, LONGEST_S))
        run.kill()
        run.communicate()
        assert gone(place.alive), "orphans two seconds after the kill"
        counts.append(len(numbers(place.out)))
    last = place.begin(*words)
    _, said = last.communicate(timeout=60 + rounds)
    assert last.returncode == 0, said
    print("games at each kill:", *counts)
    return counts


def assert_whole(place: Range, games: int) -> None:
    """Check that every game of the schedule is there once, with a sound record."""
    assert numbers(place.out) == sequence(games)
    assert exported(place.out) == sequence(games)
    checked = place.arena("check", place.out / "games.lath")
    assert checked.returncode == 0, checked.stdout
    assert checked.stderr.startswith(f"{games} records: {games} sound, 0 bad")
    left = {path.name for path in place.out.iterdir()}
    assert left == {
        "games.lath",
        "logs",
        "report.html",
        "standings.csv",
        "standings.json",
        "tournament.db",
        "tournament.toml",
    }


def test_a_run_killed_again_and_again_has_every_game_once(place: Range) -> None:
    counts = kill_and_resume(place, kills=KILLS, rounds=ROUNDS, seed=1)
    assert counts == sorted(counts), "a game that was kept is lost"
    assert 0 < counts[-1] < 2 * ROUNDS
    assert_whole(place, 2 * ROUNDS)


@pytest.mark.soak
def test_many_kills_lose_and_double_nothing(place: Range) -> None:
    kills = int(os.environ.get("LATH_SOAK_KILLS", "100"))
    counts = kill_and_resume(place, kills=kills, rounds=ROUNDS * kills // KILLS, seed=2)
    assert counts == sorted(counts)
    assert_whole(place, 2 * ROUNDS * kills // KILLS)


def test_a_killed_run_leaves_no_child_of_a_bot_and_no_scratch_folder(place: Range) -> None:
    bots = {"ann": TakesAMillisecond, "bob": HasChildrenAndPlays}
    run = place.begin(*flags(bots, rounds=ROUNDS, out=place.out))
    wait_until_it_plays(place, run)
    assert len(place.alive()) > 10
    run.kill()
    run.communicate()
    assert gone(place.alive)
    assert gone(lambda: list(place.scratch.iterdir()))


def test_a_killed_group_is_cleaned_up_by_the_next_run(place: Range) -> None:
    words = flags(TWO, rounds=100, out=place.out)
    run = place.begin(*flags(STEADY, rounds=ROUNDS, out=place.out))
    wait_until_it_plays(place, run)
    os.killpg(run.pid, signal.SIGKILL)  # runner and workers: nobody is left to clean up
    run.communicate()
    assert gone(place.alive)
    assert list(place.scratch.iterdir())
    refused = place.arena(*words)
    assert refused.returncode == 2
    assert "another configuration (bots)" in refused.stderr
    assert not list(place.scratch.iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_the_run_which_says_how_to_go_on(
    number: signal.Signals, place: Range
) -> None:
    run = place.begin(*flags(STEADY, rounds=60, out=place.out))
    wait_until_it_plays(place, run)
    said = stop(run, number)
    assert run.returncode == 3, said
    assert f"arena run --out {place.out}" in said
    assert 0 < len(numbers(place.out)) < 120
    assert exported(place.out) == numbers(place.out)
    assert place.arena("run", "--out", place.out, "-q").returncode == 0
    assert_whole(place, 120)


def test_a_hung_bot_does_not_keep_an_interrupted_run_waiting(place: Range) -> None:
    bots = {"ann": Good, "hanger": HangsInItsMove}
    run = place.begin(*flags(bots, rounds=5, out=place.out)[:-1], "--tc", "move 600")
    assert gone(lambda: len(place.alive()) < 5, 20.0)
    said = stop(run, signal.SIGINT)
    assert run.returncode == 3, said
    assert numbers(place.out) == []


def test_a_signal_while_the_bots_are_greeted_stops_the_run_too(place: Range) -> None:
    run = place.begin(*flags({"ann": HangsInHandshake, "bob": Good}, rounds=5, out=place.out))
    assert gone(lambda: len(place.alive()) < 2, 20.0)
    said = stop(run, signal.SIGTERM)
    assert run.returncode == 3, said
    assert f"arena run --out {place.out}" in said


def test_a_hangup_under_nohup_does_not_stop_the_run(place: Range) -> None:
    ignored = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup
    try:
        run = place.begin(*flags(STEADY, rounds=40, out=place.out))
    finally:
        signal.signal(signal.SIGHUP, ignored)
    wait_until_it_plays(place, run)
    run.send_signal(signal.SIGHUP)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 0, said
    assert_whole(place, 80)


def test_a_second_run_on_the_same_directory_is_refused_at_once(place: Range) -> None:
    words = flags(STEADY, rounds=ROUNDS, out=place.out)
    run = place.begin(*words)
    wait_until_it_plays(place, run)
    began_s = time.monotonic()
    refused = place.arena(*words)
    assert time.monotonic() - began_s < 5
    assert refused.returncode == 1
    assert f"{place.out} is in use by another run" in refused.stderr
    assert run.poll() is None
    stop(run, signal.SIGINT)
    assert run.returncode == 3
