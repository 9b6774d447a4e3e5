"""The statements of ratings hold, in hundreds of simulated tournaments.

The tests are those of every day, which find other numbers of tournaments here.
"""

from __future__ import annotations

import pytest
from tests.reports import test_calibration as calibration
from tests.reports import test_residual as residual


@pytest.fixture
def events() -> int:
    """How many tournaments are played."""
    return 300


@pytest.fixture
def many_events() -> int:
    """How many tournaments are played where each gives one interval."""
    return 2000


@pytest.fixture
def few_events() -> int:
    """How many tournaments are played of each setting of a kind."""
    return 20


test_intervals_of_every_kind_of_event_hold_what_they_should = (
    calibration.test_intervals_of_every_kind_of_event_hold_what_they_should
)


@pytest.mark.parametrize(("games", "events"), [(1120, 20), (280, 300), (1120, 300)])
def test_trueskill_holds_in_wide_fields(games: int, events: int) -> None:
    calibration.test_trueskill_holds_in_wide_fields(games, events)


test_intervals_of_trueskill_hold_the_centred_truth = (
    calibration.test_intervals_of_trueskill_hold_the_centred_truth
)
test_intervals_of_trueskill_hold_true_differences = (
    calibration.test_intervals_of_trueskill_hold_true_differences
)
test_intervals_of_elo_hold_the_centred_truth = (
    calibration.test_intervals_of_elo_hold_the_centred_truth
)
test_intervals_of_elo_hold_with_draws_and_in_wide_fields = (
    calibration.test_intervals_of_elo_hold_with_draws_and_in_wide_fields
)
test_a_true_model_fits_with_draws_and_in_wide_fields = (
    calibration.test_a_true_model_fits_with_draws_and_in_wide_fields
)
test_intervals_of_elo_hold_true_differences = (
    calibration.test_intervals_of_elo_hold_true_differences
)
test_trueskill_is_not_misled_by_the_seats = calibration.test_trueskill_is_not_misled_by_the_seats
test_trueskills_intervals_are_as_narrow_as_those_of_the_research_page = (
    calibration.test_trueskills_intervals_are_as_narrow_as_those_of_the_research_page
)
test_the_likelihood_of_superiority_is_how_often_it_is_true = (
    calibration.test_the_likelihood_of_superiority_is_how_often_it_is_true
)
test_the_advantage_of_the_first_seat_is_held_by_its_interval = (
    calibration.test_the_advantage_of_the_first_seat_is_held_by_its_interval
)
test_unbalanced_seats_do_no_harm = calibration.test_unbalanced_seats_do_no_harm
test_unbalanced_seats_do_harm_without_an_advantage_in_the_model = (
    calibration.test_unbalanced_seats_do_harm_without_an_advantage_in_the_model
)
test_repeated_games_do_no_harm = calibration.test_repeated_games_do_no_harm
test_repeated_games_make_intervals_lie = calibration.test_repeated_games_make_intervals_lie
test_repeated_games_do_little_harm_where_they_are_one_cluster = (
    calibration.test_repeated_games_do_little_harm_where_they_are_one_cluster
)
test_openings_that_two_games_share_do_no_harm = (
    calibration.test_openings_that_two_games_share_do_no_harm
)
test_pairs_that_have_nothing_in_common_leave_the_intervals_as_wide = (
    calibration.test_pairs_that_have_nothing_in_common_leave_the_intervals_as_wide
)
test_the_advantage_holds_for_openings_that_games_of_all_bots_share = (
    calibration.test_the_advantage_holds_for_openings_that_games_of_all_bots_share
)
test_strengths_hold_where_games_of_all_bots_share_openings = (
    calibration.test_strengths_hold_where_games_of_all_bots_share_openings
)
test_strengths_at_several_games_hold_for_games_of_that_kind = (
    calibration.test_strengths_at_several_games_hold_for_games_of_that_kind
)
test_bots_that_are_as_strong_at_each_game_are_seldom_called_heterogeneous = (
    calibration.test_bots_that_are_as_strong_at_each_game_are_seldom_called_heterogeneous
)
test_a_wrong_draw_model_makes_intervals_lie = (
    calibration.test_a_wrong_draw_model_makes_intervals_lie
)
test_the_fit_of_a_true_model_is_seldom_called_bad = (
    calibration.test_the_fit_of_a_true_model_is_seldom_called_bad
)

test_p_values_are_evenly_spread_with_two_games_a_cell = (
    residual.test_p_values_are_evenly_spread_with_two_games_a_cell
)
test_one_game_a_cell_is_never_said_to_fit_badly = (
    residual.test_one_game_a_cell_is_never_said_to_fit_badly
)
