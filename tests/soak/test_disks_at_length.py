"""Disks that lose their power, break or fill up at many moments, and machines without room.

LATH_SOAK_STORIES=20000 .venv/bin/pytest -s -k stories tests/soak/test_disks_at_length.py
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import full_disks
import pytest
import small_machines
from full_disks import happened
from small_machines import GAMES_OF
from stories import told
from tests.arena.tournament import test_full_disks as small_disks
from tests.arena.tournament.test_directory_model import Club
from tests.arena.tournament.test_tournament_model import Story

STORIES: Final = int(os.environ.get("LATH_SOAK_STORIES", "2000"))

LIVES: Final = int(os.environ.get("LATH_SOAK_POOLS", "150"))

LEVELS: Final = int(os.environ.get("LATH_SOAK_LEVELS", "60"))

READ_LEVELS: Final = (*range(4, 208, 4), 400)
"""KiB of room where a killed run is read: it can be taken back at the last level alone."""


@pytest.mark.parametrize(("machine", "stories"), [(Story, STORIES), (Club, LIVES)])
def test_in_many_stories_nothing_promised_is_lost_or_doubled(
    machine: type[Story | Club], stories: int
) -> None:
    told(machine, stories, derandomize=False, database=None)


@small_disks.needs_mounts
def test_a_disk_that_fills_up_at_many_levels_loses_nothing(tmp_path: Path) -> None:
    sizes = [20 + 400 * place // LEVELS for place in range(LEVELS)]
    for found in happened(tmp_path, "long_level", *sizes):
        small_disks.assert_kept(found, 6 * full_disks.LONG_ROUNDS)


@small_disks.needs_mounts
@pytest.mark.skipif("not full_disks.may_loop()", reason="this system mounts no file as a disk")
def test_a_disk_of_blocks_that_are_smaller_than_a_page_loses_nothing(tmp_path: Path) -> None:
    small_disks.assert_levels(happened(tmp_path, "small_blocks", *range(2, 130, 9), 400), 3)


@small_disks.needs_mounts
def test_a_run_waits_for_room_before_there_is_anything(tmp_path: Path) -> None:
    small_disks.assert_waited(happened(tmp_path, "made", *range(4, 36, 4)))


@small_disks.needs_mounts
def test_what_a_killed_run_has_left_is_read_without_room(tmp_path: Path) -> None:
    levels = happened(tmp_path, "unread", *READ_LEVELS)
    for found in levels:
        small_disks.assert_read(found)
    print(f"{len(levels)} levels are read")


@small_disks.needs_mounts
@pytest.mark.parametrize("room", [1, 2, 3, 4])
def test_little_room_for_scratch_folders_costs_nobody_a_game(room: int, tmp_path: Path) -> None:
    sizes = [10 * number + room for number in range(len(GAMES_OF))]
    for form, found in zip(GAMES_OF, happened(tmp_path, "scratch", *sizes), strict=True):
        print(form, room, found["status"], len(found["games"]), found["said"].count("warning"))
        small_disks.assert_nobody_lost(found, GAMES_OF[form])
        assert (found["status"] == 5) == (room == small_disks.HALF_A_SCRATCH)


@pytest.mark.skipif(
    "not small_machines.may_be_somebody()", reason="this system grants no other user"
)
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
    small_disks.test_too_few_processes_cost_nobody_a_game(form, most, tmp_path)
