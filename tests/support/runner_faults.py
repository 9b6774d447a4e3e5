"""Faults of a run: the form of a case, and cases 37 to 40 and 46, signals and kills.

Each case is a function that provokes it and asserts the result. It returns the seconds that count
against its limit.
"""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import bad_bots
from arena_runs import PATIENCE_S, exported, kill_a_worker, numbers, sequence, wait_until_it_plays
from bot_faults import Plain
from fault_stand import Stand, assert_sound, good
from processes import calm_s, gone

Act = Callable[[Stand, Plain], float]

RESUME: Final = "resume with: arena run --output out"

NOTHING_BEGAN: Final = "interrupted; files that were being written are unchanged"
"""The message of a run that is stopped before it plays."""

KILLS: Final = 2
GAMES_OF_A_KILL: Final = 60
"""More games than are played before the test sees that the run continues."""

ROUNDS: Final = 8
"""More rounds than are played before the test sees that the run plays."""

SLOWLY: Final = {"LATH_BOT_PACE_S": "0.01"}
"""Variables of a run that lasts with few games."""

STEADILY: Final = {"LATH_BOT_PACE_S": "0.002"}
AT_ONCE: Final = {"LATH_BOT_PACE_S": "0"}

INTERRUPTIONS: Final = 4
LATEST_S: Final = 0.6

BEGUN: Final = 3
"""The number of games after which a run counts as playing."""


@dataclass(frozen=True, kw_only=True)
class RunnerFault:
    """An event that interrupts a run."""

    name: str
    act: Act
    limit_s: float = 0.0

    def play(self, stand: Stand, plain: Plain) -> float:
        """Provoke it; return the seconds that count, on the calm clock."""
        return self.act(stand, plain)


def pair_up(stand: Stand, pace: Mapping[str, str] = MappingProxyType({}), **top: object) -> None:
    """Write a tournament of two bots with the same time for each move, on two workers.

    They keep the pace until the run is resumed.
    """
    stand.variables.update(pace)
    bot = good(bad_bots.TakesAMillisecond)
    settings: Any = {"rounds": ROUNDS, "jobs": 2, **top}
    stand.configure({"ann": bot, "bob": bot}, **settings)


def goes_on(stand: Stand, games: int, *more: str) -> None:
    """Resume the run on one worker with fast bots, and assert that every game is stored once."""
    stand.variables |= AT_ONCE
    ended = stand.play("run", "--output", "out", "-q", "--no-report", "--jobs", "1", *more)
    assert ended.status == 0, ended.said
    assert numbers(stand.out) == exported(stand.out) == sequence(games)
    assert_sound(stand.games())


def until_it_plays(stand: Stand) -> subprocess.Popen[str]:
    run = stand.begin(*stand.run_words())
    wait_until_it_plays(stand, run, BEGUN)
    return run


def until_it_hangs(stand: Stand) -> subprocess.Popen[str]:
    """Begin a run whose bot hangs in its second turn, with an hour to think."""
    bots = {
        "ann": good(),
        "hanger": good(bad_bots.HangsInItsMove, env={"STARTS": str(stand.notes / "starts")}),
    }
    stand.configure(bots, {"move": "1h"})
    run = stand.begin(*stand.run_words())
    starts = stand.notes / "starts"
    is_in_a_game = 2
    assert gone(
        lambda: not starts.exists() or len(starts.read_text().split()) < is_in_a_game,
        PATIENCE_S,
    )
    return run


def stop(
    stand: Stand,
    run: subprocess.Popen[str],
    *numbers_: int,
    pause_s: float = 0.0,
    plays: bool = True,
) -> float:
    """Send signals to a run, which must say how to resume; return the seconds until its end.

    A run that may not have begun to play need not say so.
    """
    began_s = calm_s()
    for number in numbers_:
        run.send_signal(number)
        time.sleep(pause_s)
    ended = stand.finish(run)
    seconds = calm_s() - began_s
    assert ended.status == 3, ended.said
    assert RESUME in ended.said or (not plays and NOTHING_BEGAN in ended.said), ended.said
    assert "Traceback" not in ended.said
    return seconds


def a_signal(number: int, stand: Stand, _plain: Plain) -> float:
    """Stop a run during its games, and resume it."""
    pair_up(stand, SLOWLY)
    run = until_it_plays(stand)
    seconds = stop(stand, run, number)
    assert 0 < len(numbers(stand.out)) < 2 * ROUNDS
    assert exported(stand.out) == numbers(stand.out)
    goes_on(stand, 2 * ROUNDS)
    return seconds


def a_signal_while_a_bot_hangs(numbers_: tuple[int, ...], stand: Stand, _plain: Plain) -> float:
    """Stop a run whose bot still has an hour to think; the stop must not wait for it."""
    seconds = stop(stand, until_it_hangs(stand), *numbers_, pause_s=0.05)
    assert numbers(stand.out) == []
    return seconds


def signals_at_random_moments(stand: Stand, _plain: Plain) -> float:
    """Interrupt several runs twice: during handshakes, games, or the writing of results."""
    chance = random.Random(37)
    pair_up(stand, rounds=200)
    longest_s = 0.0
    for number in range(INTERRUPTIONS):
        run = stand.begin(*stand.run_words())
        assert gone(lambda: not (stand.out / "tournament.toml").exists(), PATIENCE_S)
        time.sleep((number + chance.random()) * LATEST_S / INTERRUPTIONS)
        pause_s = chance.choice([0.0, 0.02, 0.2])
        seconds = stop(stand, run, signal.SIGINT, signal.SIGINT, pause_s=pause_s, plays=False)
        longest_s = max(longest_s, seconds)
        assert gone(stand.alive)
    assert len(set(numbers(stand.out))) == len(numbers(stand.out))
    return longest_s


def a_kill_of_the_runner(stand: Stand, _plain: Plain) -> float:
    """Kill a runner, and resume."""
    pair_up(stand, SLOWLY)
    run = until_it_plays(stand)
    run.kill()
    run.communicate()
    began_s = calm_s()
    assert gone(stand.alive), "orphans after the kill"
    seconds = calm_s() - began_s
    goes_on(stand, 2 * ROUNDS)
    return seconds


def kills_of_workers(stand: Stand, _plain: Plain) -> float:
    """Kill workers one after another; the run continues as without kills."""
    rounds = KILLS * GAMES_OF_A_KILL // 2
    pair_up(stand, STEADILY, rounds=rounds)
    run = until_it_plays(stand)
    longest_s = max(kill_a_worker(stand, run) for _ in range(KILLS))
    ended = stand.finish(run)
    assert ended.status == 0, ended.said
    # A worker that was killed between pairs has lost no pair.
    assert 0 < ended.said.count("a worker died in pair") <= KILLS
    assert numbers(stand.out) == exported(stand.out) == sequence(2 * rounds)
    return longest_s


def a_second_run(stand: Stand, plain: Plain) -> float:
    """Start a second run on a directory in use; the first must not notice."""
    pair_up(stand, STEADILY, rounds=200, jobs=1)
    first = until_it_plays(stand)
    second = stand.play(*stand.run_words())
    assert second.status == 1
    assert "out: in use by another run" in second.said
    assert first.poll() is None
    stop(stand, first, signal.SIGINT)
    return second.seconds - plain.seconds


def signalled(*kinds: signal.Signals) -> str:
    return "+".join(kind.name for kind in kinds)


def hung(*kinds: signal.Signals) -> RunnerFault:
    act = partial(a_signal_while_a_bot_hangs, kinds)
    return RunnerFault(name=f"{signalled(*kinds)} while a bot hangs", act=act)


def played(kind: signal.Signals) -> RunnerFault:
    return RunnerFault(name=f"{kind.name} while games are played", act=partial(a_signal, kind))


BY_NUMBER: Final[dict[int, tuple[RunnerFault, ...]]] = {
    37: (
        played(signal.SIGINT),
        hung(signal.SIGINT),
        hung(signal.SIGINT, signal.SIGINT),
        RunnerFault(name="twice at random moments", act=signals_at_random_moments),
    ),
    38: (
        played(signal.SIGTERM),
        hung(signal.SIGTERM),
        played(signal.SIGHUP),
        hung(signal.SIGHUP),
    ),
    39: (RunnerFault(name="kill -9 of the runner", act=a_kill_of_the_runner),),
    40: (RunnerFault(name="kill -9 of workers", act=kills_of_workers),),
    46: (RunnerFault(name="a second run", act=a_second_run),),
}
