"""A report of ten thousand games that all differ does what one of 2,500 does."""

from __future__ import annotations

import pytest
from tests.reports import test_ten_thousand_games as large

address = large.address


@pytest.fixture(scope="module")
def long() -> large.Long:
    return large.long_of(10_000)


test_the_page_stays_below_three_megabytes = large.test_the_page_stays_below_three_megabytes
test_games_can_be_replayed = large.test_games_can_be_replayed
test_how_soon_the_page_answers_is_told = large.test_how_soon_the_page_answers_is_told
test_the_filter_finds_games = large.test_the_filter_finds_games
test_each_heading_sorts_up_and_down = large.test_each_heading_sorts_up_and_down
test_the_pager_ends_at_the_last_game = large.test_the_pager_ends_at_the_last_game
