"""The machine stands still now and then: nobody loses by it, and nobody gains."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import bad_bots
import pytest
from arena_runs import PATIENCE_S
from fault_stand import Stand, Stored, good
from processes import gone

from lath.arena.tournament.live import glimpses_in

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
    assert "the machine stood still for a while; a game was begun again" in ended.said


def test_who_keeps_all_cores_busy_loses_all_the_same(stand: Stand) -> None:
    busy = good(bad_bots.KeepsAllCoresBusy)
    stand.configure({"busy": busy, "ann": good(), "bob": good()}, TIGHT, format="gauntlet", jobs=1)
    ended = stand.play(*stand.run_words())
    assert ended.status == 0, ended.said
    assert lost_by_time(stand.games(), "busy") == [1, 2, 3, 4]
