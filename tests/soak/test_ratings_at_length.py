"""The statements of ratings hold, in hundreds of simulated tournaments.

The tests are those of every day, which find other numbers of tournaments here.
"""

from __future__ import annotations

import pytest
from tests.reports import test_calibration as calibration


@pytest.fixture
def events() -> int:
    """How many tournaments are played."""
    return 300


@pytest.fixture
def kinds() -> calibration.Kinds:
    """The seeds of events of `benchmarks/intervals.py`, and the settings that have them."""
    return range(20), calibration.ALL_SETTINGS


test_intervals_hold_and_true_models_fit = calibration.test_intervals_hold_and_true_models_fit
test_intervals_of_every_kind_of_event_hold_what_they_should = (
    calibration.test_intervals_of_every_kind_of_event_hold_what_they_should
)
test_trueskills_intervals_are_as_narrow_as_those_of_the_research_page = (
    calibration.test_trueskills_intervals_are_as_narrow_as_those_of_the_research_page
)
test_the_likelihood_of_superiority_is_how_often_it_is_true = (
    calibration.test_the_likelihood_of_superiority_is_how_often_it_is_true
)
test_pairs_that_have_nothing_in_common_leave_the_intervals_as_wide = (
    calibration.test_pairs_that_have_nothing_in_common_leave_the_intervals_as_wide
)
test_bots_that_are_as_strong_at_each_game_are_seldom_called_heterogeneous = (
    calibration.test_bots_that_are_as_strong_at_each_game_are_seldom_called_heterogeneous
)
test_p_values_are_evenly_spread_with_two_games_a_cell = (
    calibration.test_p_values_are_evenly_spread_with_two_games_a_cell
)
test_one_game_a_cell_is_never_said_to_fit_badly = (
    calibration.test_one_game_a_cell_is_never_said_to_fit_badly
)
