"""The machine stands still now and then: nobody loses by it, and nobody gains."""

from __future__ import annotations

import math
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import bad_bots
import pytest
from arena_runs import PATIENCE_S
from fault_stand import Stand, Stored, good
from one_game import Table
from processes import gone, workers_of

from lath.arena.machine import signals
from lath.arena.referee import process_trees
from lath.arena.referee.match import Adjudication
from lath.arena.sandbox import cgroups
from lath.arena.tournament.run.live import glimpses_in
from lath.notation.protocol import TimeControl

TIGHT = {"move": "100ms"}

SLOWLY = {"LATH_BOT_PACE_S": "0.06"}
"""Most of the time that there is, by a clock: as bots do that have a clock."""

FREEZES = [0.05, 0.1, 0.4, 0.4]


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    with Stand(tmp_path) as stand:
        yield stand


def freeze(stand: Stand, seconds: float) -> None:
    """Stop all processes of a run for a while: runner, workers and bots."""
    stopped = stand.alive()
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for pid in stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        if number == signal.SIGSTOP:
            time.sleep(seconds)  # the fault itself


def until_it_moves(stand: Stand) -> None:
    """Return when a bot has moved, so that most often one is asked now; or when the run is over."""
    seen = glimpses_in(stand.out)
    assert gone(lambda: glimpses_in(stand.out) == seen, PATIENCE_S), "nobody moves any more"


def lost_by_time(games: Sequence[Stored], name: str) -> list[int]:
    late = [game for game in games if game.termination == "time" and name in game.names]
    return [game.number for game in late if game.lost_by(name)]


@pytest.mark.parametrize("freezes", [FREEZES])
def test_who_is_innocent_loses_no_game_to_a_stall(freezes: list[float], stand: Stand) -> None:
    chance = random.Random(12)
    slow = good(bad_bots.PlaysBySeed, env=SLOWLY)
    late = good(bad_bots.ThinksABit)
    rounds = 1 + len(freezes) // 4
    stand.configure(
        {"ann": slow, "bob": slow, "late": late},
        TIGHT,
        adjudication={"plies": 6},
        rounds=rounds,
        jobs=1,
    )
    run = stand.begin(*stand.run_words())
    for seconds in freezes:
        until_it_moves(stand)
        time.sleep(chance.uniform(0.0, 0.05))  # anywhere in what the bot takes
        freeze(stand, seconds)
    assert run.poll() is None, "it was there to be stopped"
    ended = stand.finish(run)
    assert ended.status == 0, ended.said
    games = stand.games()
    assert len(games) == 6 * rounds
    assert lost_by_time(games, "ann") + lost_by_time(games, "bob") == []
    assert len(lost_by_time(games, "late")) == 4 * rounds
    assert "the machine paused for a while; the arena plays a game again" in ended.said


RELAXED = {"move": "2s"}

PAUSE_S = 2.5
"""Longer than a bot may take."""


def state_of(pid: int) -> str:
    """Return the state of a process, as ps(1) calls it; `X` for one that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def stands(pid: int) -> bool:
    """Return whether a process is stopped or has ended, or its control group is frozen."""
    with suppress(OSError):
        mounts = map(str.split, Path("/proc/mounts").read_text().splitlines())
        group = Path(f"/proc/{pid}/cgroup").read_text().rpartition("0::")[2].strip()
        if any(
            "frozen 1" in Path(f"{mount[1]}{group}/cgroup.events").read_text()
            for mount in mounts
            if mount[2] == "cgroup2"
        ):
            return True
    return state_of(pid) in "TZX"


SHELL = (
    sys.executable,
    "-c",
    "import subprocess, sys; sys.exit(subprocess.Popen(sys.argv[1:], process_group=0).wait())",
)
"""Starts a program as a shell does a job: only who has a shell is stopped by Ctrl-Z."""


def slow_ones(stand: Stand, jobs: int) -> tuple[subprocess.Popen[str], int]:
    """Begin a run in a shell; return both, the run by its number."""
    slow = good(bad_bots.PlaysBySeed, env=SLOWLY)
    short = {"adjudication": {"plies": 8}, "rounds": 4, "jobs": jobs}
    stand.configure({"ann": slow, "bob": slow}, RELAXED, **short)
    shell = stand.begin(*stand.run_words(), under=SHELL)
    assert gone(lambda: not workers_of(shell.pid))
    (runner,) = workers_of(shell.pid)
    return shell, runner


def pause(stand: Stand, shell: subprocess.Popen[str], runner: int) -> set[int]:
    """Type Ctrl-Z; return the processes, when all of them stand still."""
    os.kill(runner, signal.SIGTSTP)
    assert gone(lambda: state_of(runner) != "T")
    stopped = stand.alive() - {shell.pid}
    assert gone(lambda: [pid for pid in stopped if not stands(pid)])
    return stopped


@pytest.mark.parametrize("jobs", [2])
def test_ctrl_z_stops_all_that_a_run_has_started_and_every_clock(jobs: int, stand: Stand) -> None:
    shell, runner = slow_ones(stand, jobs)
    for all_there in range(1, 2 + 3 * jobs):  # also while workers and bots are being started
        assert gone(lambda many=all_there: len(stand.alive()) <= many)  # type: ignore[misc]
        stopped = pause(stand, shell, runner)
        os.kill(runner, signal.SIGCONT)
    until_it_moves(stand)
    stopped = pause(stand, shell, runner)
    used_s = process_trees.used_s(stopped)
    time.sleep(PAUSE_S)  # the fault itself
    assert process_trees.used_s(stopped) == used_s
    os.kill(runner, signal.SIGCONT)
    ended = stand.finish(shell)
    assert ended.status == 0, ended.said
    games = stand.games()
    assert len(games) == 8
    assert {game.termination for game in games} == {"ply limit"}
    assert "machine paused" not in ended.said
    thought_s = [float(said) for game in games for said in re.findall(r"%emt (\S+?)\]", game.text)]
    assert len(thought_s) == 64
    assert max(thought_s) < PAUSE_S


STOPPABLE = """
import os, time
from lath.arena.machine import signals
signals.stopping_too(signals.Companion(lambda: os.write(1, b"stop\\n"), bool))
with signals.pausable(has_shell=False):
    os.write(1, b"here\\n")
    time.sleep(120)
"""


def stoppable(script: str) -> subprocess.Popen[str]:
    """Begin a script of its own session, whose output is read."""
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_a_ctrl_z_right_after_a_process_goes_on_stops_it_with_its_companions() -> None:
    with stoppable(STOPPABLE) as process:
        assert process.stdout
        said = iter(process.stdout)
        assert next(said) == "here\n"
        process.send_signal(signal.SIGTSTP)
        for _ in range(100):
            assert next(said) == "stop\n"
            assert gone(lambda: state_of(process.pid) != "T")
            process.send_signal(signal.SIGCONT)
            process.send_signal(signal.SIGTSTP)
        process.kill()


STARTING = """
import os, signal
from lath.arena.machine import signals
signals.stopping_too(signals.Companion(lambda: os.write(1, b"stop\\n"), bool))
with signals.pausable(has_shell=False):
    for _ in range(2):
        with signals.starting():
            os.kill(os.getpid(), signal.SIGTSTP)
            os.write(1, b"started\\n")
    os.write(1, b"over\\n")
"""


def test_a_ctrl_z_while_a_process_starts_is_heeded_once_it_has_started() -> None:
    with stoppable(STARTING) as process:
        assert process.stdout
        said = iter(process.stdout)
        for _ in range(2):
            assert (next(said), next(said)) == ("started\n", "stop\n")
            assert gone(lambda: state_of(process.pid) != "T")
            process.send_signal(signal.SIGCONT)
        assert list(said) == ["over\n"]


def test_a_run_that_is_killed_after_ctrl_z_leaves_nothing(stand: Stand) -> None:
    shell, runner = slow_ones(stand, 1)
    until_it_moves(stand)
    pause(stand, shell, runner)
    os.kill(runner, signal.SIGKILL)
    shell.communicate()
    assert gone(stand.alive)


def test_a_run_without_a_shell_goes_on_after_ctrl_z(stand: Stand) -> None:
    slow = good(bad_bots.PlaysBySeed, env=SLOWLY)
    stand.configure({"ann": slow, "bob": slow}, RELAXED, adjudication={"plies": 8}, rounds=1)
    run = stand.begin(*stand.run_words())
    until_it_moves(stand)
    run.send_signal(signal.SIGTSTP)
    ended = stand.finish(run)
    assert ended.status == 0, ended.said
    assert "machine paused" not in ended.said
    assert len(stand.games()) == 2


@pytest.mark.parametrize("has_group", [True, False])
def test_a_bot_that_this_process_has_asked_stops_with_it_and_so_does_its_clock(
    has_group: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_group:
        monkeypatch.setattr(cgroups, "make", lambda *_, **__: None)
    monkeypatch.setattr(signals, "_companions", {})  # of other tests there may be some
    table, stood = Table(tmp_path), []

    def stop(_by: object) -> None:
        stood.append(gone(lambda: not all(stands(bot.child.pid) for bot in table.bots)))
        time.sleep(PAUSE_S)  # the fault itself

    def type_ctrl_z() -> None:
        assert gone(lambda: not any(bot.is_thinking for bot in table.bots))
        os.kill(os.getpid(), signal.SIGTSTP)

    monkeypatch.setattr(signal, "raise_signal", stop)
    typist = threading.Thread(target=type_ctrl_z)
    typist.start()
    with signals.pausable():
        played = table.play(
            *(bad_bots.ThinksABit, bad_bots.ThinksABit),
            time=TimeControl(move_ms=2000),
            adjudication=Adjudication(plies=6),
        )
        typist.join()
    assert stood == [True]
    assert "ply limit" in played.record
    thought_s = [float(said) for said in re.findall(r"%emt (\S+?)\]", played.record)]
    assert len(thought_s) == 6
    assert max(thought_s) < 2.0


def test_the_clock_of_those_that_stop_stands_still_in_each_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert signals.awake_at(7.0) == 7.0
    monkeypatch.setattr(signals, "_pauses", [(2.0, 5.0), (8.0, 8.5), (9.0, math.inf)])
    assert [signals.awake_at(at) for at in (1.0, 2.0, 4.0, 5.0, 7.0, 8.25, 9.0, 99.0)] == [
        *(1.0, 2.0, 2.0, 2.0, 4.0, 5.0, 5.5, 5.5)
    ]


def test_who_keeps_all_cores_busy_loses_all_the_same(stand: Stand) -> None:
    busy = good(bad_bots.KeepsAllCoresBusy)
    stand.configure({"busy": busy, "ann": good(), "bob": good()}, TIGHT, format="gauntlet", jobs=1)
    ended = stand.play(*stand.run_words())
    assert ended.status == 0, ended.said
    assert lost_by_time(stand.games(), "busy") == [1, 2, 3, 4]
