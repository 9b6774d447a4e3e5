"""A run of very many games takes no more memory, descriptors and processes at its end than early.

LATH_SOAK_GAMES=100000 .venv/bin/pytest -s tests/soak/test_long_runs_at_length.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Final

import pytest
from arena_runs import PATIENCE_S, Range, exported, flags, sequence, stored, wait_until_it_plays
from bad_bots import Good
from footprints import Footprint, footprint, slope

SOAK_GAMES: Final = int(os.environ.get("LATH_SOAK_GAMES", "100000"))

SAMPLES: Final = 200
"""About so many in a run, one after so many games."""

MOST_GROWTH: Final = {
    "runner_kib": 256.0,
    "workers_kib": 128.0,
    "bots_kib": 64.0,
    "descriptors": 0.1,
    "threads": 0.1,
    "processes": 0.1,
}
"""For each 10,000 games, at most: what a leak of thirty bytes a game would be."""

Growth = dict[str, float]


def growth(samples: list[Footprint]) -> Growth:
    """Return by how much each figure grows in 10,000 games, in the second half of a run."""
    later = samples[len(samples) // 2 :]
    return {
        name: 10_000 * slope([(one.games, getattr(one, name)) for one in later])
        for name in MOST_GROWTH
    }


def too_much(found: Growth) -> Growth:
    return {name: value for name, value in found.items() if value > MOST_GROWTH[name]}


def watched(place: Range, run: subprocess.Popen[str], every: int) -> list[Footprint]:
    """Return what a run takes after every so many games, until it has stored the last one."""
    samples: list[Footprint] = []
    due = 0
    while run.poll() is None:
        ((games,),) = stored(place.out, "max(number)")
        assert isinstance(games, int)
        if games >= due:
            samples.append(footprint(run.pid, games))
            due = games + every
        time.sleep(0.05)
    return samples


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells all of its processes")
def test_a_hundred_thousand_games_take_no_more_than_the_first_ones(tmp_path: Path) -> None:
    with Range(tmp_path) as place:
        words = flags({"ann": Good, "bob": Good}, rounds=SOAK_GAMES // 2, out=place.out)
        began_s = time.monotonic()
        # In a process of its own from its start: a copy would have the tests' memory.
        run = place.begin(*words, under=["env"])
        wait_until_it_plays(place, run)
        samples = watched(place, run, SOAK_GAMES // SAMPLES)
        played_s = time.monotonic() - began_s
        _, said = run.communicate(timeout=PATIENCE_S)
        assert run.returncode == 0, said
        found = growth([one for one in samples if one.games < SOAK_GAMES])
        print(f"{SOAK_GAMES} games in {played_s:.0f} s, {len(samples)} samples")
        for one in samples[:: max(1, len(samples) // 10)]:
            print(one)
        for name, value in found.items():
            print(f"{name}: {value:+.2f} in 10,000 games, at most {MOST_GROWTH[name]}")
        assert not too_much(found)
        assert [number for (number,) in stored(place.out)] == sequence(SOAK_GAMES)
        assert exported(place.out) == sequence(SOAK_GAMES)


def sampled(leak: float) -> list[Footprint]:
    """Return samples of a run whose figures waver, and grow by a part of themselves."""
    chance = Random(1)
    return [
        Footprint(
            games,
            *(
                round(value * (1 + leak * games) + chance.choice([0, 0, 0, value // 4]))
                for value in (40_000, 30_000, 16_000, 30, 6, 6)
            ),
        )
        for games in range(0, 100_000, 500)
    ]


def test_figures_that_only_waver_do_not_grow() -> None:
    assert not too_much(growth(sampled(0.0)))


def test_a_leak_of_a_tenth_in_ten_thousand_games_is_found_in_each_figure() -> None:
    """The control: this is how we know that the campaign above bites."""
    assert too_much(growth(sampled(0.1 / 10_000))).keys() == MOST_GROWTH.keys()
