"""A report of ten thousand games that all differ does what one of 1,000 does."""

from __future__ import annotations

import pytest
from tests.reports import test_ten_thousand_games as large


@pytest.fixture
def size() -> tuple[int, int]:
    """How many games there are, and how many bytes their page may have."""
    return 10_000, 3_000_000


test_a_page_of_very_many_games_is_small_and_finds_sorts_and_replays_them = (
    large.test_a_page_of_very_many_games_is_small_and_finds_sorts_and_replays_them
)
