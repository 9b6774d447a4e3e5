"""Runs that are killed, stopped or changed hundreds of times lose no game and double none.

    LATH_SOAK_KILLS=200 LATH_SOAK_NUMBER=2 .venv/bin/pytest -s -k swiss \\
        tests/soak/test_kills_at_length.py

Each number has other kills, so that a thousand can be done in parts; `-k` takes one format.
"""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from arena_runs import PATIENCE_S, Range, exported, numbers
from processes import gone
from tests.arena.cli import test_tune as tune
from tests.arena.tournament import test_freezes as freezes
from tests.arena.tournament import test_kills as kills
from tests.arena.tournament import test_runner as runner
from tests.arena.tournament import test_signals as signals

if TYPE_CHECKING:
    from fault_stand import Stand

place = signals.place
stand = freezes.stand

# Runners and workers

KILLS: Final = int(os.environ.get("LATH_SOAK_KILLS", "1000"))
"""Of all formats together."""

NUMBER: Final = int(os.environ.get("LATH_SOAK_NUMBER", "1"))

GAMES_A_KILL: Final = 40
"""More than bots can play that take a millisecond."""

MOST_KILLS: Final = 50
"""Of one tournament."""

FORMS: Final = {
    "round-robin": kills.ROUND_ROBIN,
    "gauntlet": kills.Form({"format": "gauntlet"}, ("ann", "bob", "cid"), "rounds", 4),
    "swiss": kills.Form(
        {"format": "swiss", "rounds": 3}, ("ann", "bob", "cid", "dot"), "pairs", 12
    ),
    "knockout": kills.Form({"format": "knockout"}, ("ann", "bob", "cid", "dot"), "pairs", 6),
    # hypotheses so near to each other that no test of these games tells one from the other
    "match": kills.Form(
        {"format": "match", "sprt": {"elo0": 0.0, "elo1": 0.01}}, ("ann", "bob"), "rounds", 2
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_many_kills_lose_and_double_nothing_in_any_format(name: str, tmp_path: Path) -> None:
    left = KILLS // len(FORMS)
    while left > 0:
        most = min(left, MOST_KILLS)
        folder = tmp_path / str(left)
        folder.mkdir()
        with Range(folder) as place:
            games, seed = GAMES_A_KILL * most, f"{name} {NUMBER} {left}"
            trial = kills.campaign(place, kills=most, games=games, seed=seed, form=FORMS[name])
            report = trial.report()
            killed = kills.moves_of(place.out)
            assert exported(place.out) == numbers(place.out)
            whole = ["--output", folder / "whole", "--no-report", "-q"]
            assert place.arena(*trial.words()[:2], *whole).returncode == 0
            assert killed == kills.moves_of(folder / "whole"), "not as without kills"
        print(f"{name}: {report}")
        left -= trial.kills


def test_a_killed_worker_costs_no_game_and_doubles_none(tmp_path: Path) -> None:
    runner.test_a_killed_worker_costs_no_game_and_doubles_none(5, 300, tmp_path)


# Tunings

TUNING_KILLS: Final = int(os.environ.get("LATH_SOAK_KILLS", "12"))


def test_a_tuning_that_is_killed_again_and_again_ends_as_one_that_was_not(place: Range) -> None:
    words = [*tune.REAL, "--pairs", 300, "--sprt-pairs", 40, "--jobs", 2, "-q"]
    whole = place.folder / "whole"
    place.arena(*words, "--output", whole)
    chance = random.Random(7)
    for _ in range(TUNING_KILLS):
        run = place.begin(*words, "--output", place.out, LATH_BOT_PACE_S="0.01")
        with pytest.raises(subprocess.TimeoutExpired):
            run.communicate(timeout=chance.uniform(0.3, 2.5))
        run.kill()
        assert gone(place.alive, PATIENCE_S), "orphans"
        run.communicate()
    place.arena("tune", place.out, "-q")
    assert tune.data_of(place.out) == tune.data_of(whole)


# Signals and stops

MOMENTS: Final = int(os.environ.get("LATH_SOAK_SIGNALS", "200"))

FREEZES: Final = [*freezes.FREEZES * 20, *[0.15, 0.2, 0.3, 0.6, 1.0, 2.0] * 10, 5.0, 20.0]


@pytest.mark.parametrize("under", [(), ("env",)], ids=["copy", "whole start"])
def test_signals_at_many_moments_stop_a_run(under: tuple[str, ...], place: Range) -> None:
    signals.campaign(place, MOMENTS, *under)


def test_who_is_innocent_loses_no_game_to_a_stall(stand: Stand) -> None:
    freezes.test_who_is_innocent_loses_no_game_to_a_stall(FREEZES, stand)
