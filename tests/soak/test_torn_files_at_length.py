"""Whether files that are cut at every byte, or have any bit wrong, cost no game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.notation import test_torn_files as torn_files

if TYPE_CHECKING:
    from pathlib import Path

    from lath.arena.tournament.store.store import Store

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


def test_a_journal_that_is_cut_or_has_a_wrong_bit_after_a_kill_costs_no_game(
    tmp_path: Path, killed: torn_files.Killed
) -> None:
    torn_files.test_a_journal_that_is_cut_or_has_a_wrong_bit_after_a_kill_costs_no_game(
        tmp_path, killed, 1
    )
