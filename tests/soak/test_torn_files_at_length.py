"""Whether files that are cut at every byte, or have any bit wrong, cost no game.

The journal that a killed run leaves is cut at every LATH_SOAK_STEP-th byte.
"""

from __future__ import annotations

import os
from pathlib import Path

from tests.notation import test_torn_files as torn_files

from lath.arena.tournament.store import Store

STEP = int(os.environ.get("LATH_SOAK_STEP", "17"))

store = torn_files.store
killed = torn_files.killed


def test_games_lath_that_is_cut_at_any_byte_is_written_whole_again(store: Store) -> None:
    torn_files.test_games_lath_that_is_cut_at_any_byte_is_written_whole_again(store, 1)


def test_records_that_are_cut_at_any_byte_are_whole_ones_and_at_most_one_error(
    tmp_path: Path,
) -> None:
    torn_files.test_records_that_are_cut_at_any_byte_are_whole_ones_and_at_most_one_error(
        tmp_path, 1
    )


def test_a_journal_that_is_cut_at_many_bytes_after_a_kill_costs_no_game(
    tmp_path: Path, killed: torn_files.Killed
) -> None:
    torn_files.test_a_journal_that_is_cut_after_a_kill_costs_no_game(tmp_path, killed, STEP)


def test_a_journal_with_a_wrong_bit_after_a_kill_costs_no_game(
    tmp_path: Path, killed: torn_files.Killed
) -> None:
    torn_files.test_nor_does_one_with_a_wrong_bit(tmp_path, killed, 1000)
