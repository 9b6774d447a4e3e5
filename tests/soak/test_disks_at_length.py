"""Disks that lose their power, break or fill up at many moments, and machines without room.

LATH_SOAK_CUTS=20000 .venv/bin/pytest -k power_cuts tests/soak/test_disks_at_length.py
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

import full_disks
import pytest
import small_machines
from full_disks import happened
from recorded_disk import Failure, Step, failing, full
from small_machines import GAMES_OF
from tests.arena.tournament import test_failing_disk as failing_disk
from tests.arena.tournament import test_full_disks as small_disks
from tests.arena.tournament import test_power_cuts as power_cuts
from tests.arena.tournament import test_small_machines as machines
from tests.arena.tournament import test_tournament_model as model

changes = failing_disk.changes

CUTS: Final = int(os.environ.get("LATH_SOAK_CUTS", "6000"))

STORIES: Final = int(os.environ.get("LATH_SOAK_STORIES", "1000"))

LEVELS: Final = int(os.environ.get("LATH_SOAK_LEVELS", "60"))

READ_LEVELS: Final = (*range(4, 208, 4), 400)
"""KiB of room where a killed run is read: it can be taken back at the last level alone."""


def test_many_power_cuts_lose_nothing(tmp_path: Path) -> None:
    cuts = 2 * power_cuts.CUTS
    for seed in range(CUTS // cuts):
        recorded = power_cuts.record(tmp_path / f"a{seed}", seed)
        assert power_cuts.lost_in_cuts(recorded, tmp_path / "b", cuts, seed) == 0
        shutil.rmtree(tmp_path / f"a{seed}")


def test_in_many_stories_nothing_promised_is_lost_or_doubled() -> None:
    model.told(model.Story, STORIES, derandomize=False, database=None)


@pytest.mark.parametrize("first", range(2, failing_disk.EVERY + 1))
@pytest.mark.parametrize("times", [1, 4])
@pytest.mark.parametrize("make", [full, failing])
def test_each_step_may_fail_and_every_game_is_there_once(
    make: Failure, times: int, first: int, changes: list[Step], tmp_path: Path
) -> None:
    failing_disk.test_each_step_may_fail_and_every_game_is_there_once(
        make, times, first, changes, tmp_path
    )


@small_disks.needs_mounts
def test_a_disk_that_fills_up_at_many_levels_loses_nothing(tmp_path: Path) -> None:
    sizes = [20 + 400 * place // LEVELS for place in range(LEVELS)]
    for found in happened(tmp_path, "long_level", *sizes):
        small_disks.assert_kept(found, 6 * full_disks.LONG_ROUNDS)


@small_disks.needs_mounts
@pytest.mark.skipif("not full_disks.may_loop()", reason="this system mounts no file as a disk")
def test_a_disk_of_blocks_that_are_smaller_than_a_page_loses_nothing(tmp_path: Path) -> None:
    small_disks.test_nor_does_one_of_blocks_that_are_smaller_than_a_page(9, tmp_path)


@small_disks.needs_mounts
def test_a_run_waits_for_room_before_there_is_anything(tmp_path: Path) -> None:
    small_disks.test_a_run_waits_for_room_before_there_is_anything(range(4, 36, 4), tmp_path)


@small_disks.needs_mounts
def test_what_a_killed_run_has_left_is_read_without_room(tmp_path: Path) -> None:
    levels = happened(tmp_path, "unread", *READ_LEVELS)
    for found in levels:
        small_disks.assert_read(found)
    print(f"{len(levels)} levels are read")


@machines.needs_mounts
@pytest.mark.parametrize("room", [1, 2, 3, 4])
def test_little_room_for_scratch_folders_costs_nobody_a_game(room: int, tmp_path: Path) -> None:
    sizes = [10 * number + room for number in range(len(GAMES_OF))]
    for form, found in zip(GAMES_OF, happened(tmp_path, "scratch", *sizes), strict=True):
        print(form, room, found["status"], len(found["games"]), found["said"].count("warning"))
        machines.assert_nobody_lost(found, GAMES_OF[form])
        assert (found["status"] == 5) == (room == machines.HALF_A_SCRATCH)


@machines.needs_somebody
@pytest.mark.parametrize(
    ("form", "most"),
    [
        (form, most)
        for form in small_machines.GAMES_OF
        for most in range(1, 9)
        if (form, most) != ("knockout", 3)  # which `make test` has
    ],
)
def test_too_few_processes_cost_nobody_a_game(form: str, most: int, tmp_path: Path) -> None:
    machines.test_too_few_processes_cost_nobody_a_game(form, most, tmp_path)
