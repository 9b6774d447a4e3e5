"""The fit's residual: its p-value is evenly spread where the model is true, also with few games."""

from __future__ import annotations

import math

import pytest
from simulated import BOTS, MEETINGS, davidson_event, share

from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import Fit, Result

pytestmark = pytest.mark.slow


@pytest.fixture
def events() -> int:
    """How many tournaments are played."""
    return 40


def fit_of(results: list[Result]) -> Fit:
    return rate(results, in_order=False).fit


def decided(results: list[Result]) -> list[Result]:
    return [result for result in results if result.score != 0.5]


def test_p_values_are_evenly_spread_with_two_games_a_cell(events: int) -> None:
    fits = [fit_of(davidson_event(seed, 2 * MEETINGS).results) for seed in range(events)]
    assert all(fit.degrees for fit in fits)
    for low in (0.1, 0.5, 0.9):
        # Two and a half standard errors of a share.
        off = 2.5 * math.sqrt(low * (1 - low) / events)
        seen = share(fit.p_value < low for fit in fits)
        assert seen <= low + off
        # Cells of which little is expected are left out, and with them the most unlikely sums; and
        # strengths that few games pull together expect more of what is rare.
        assert seen >= low / 4 - off


def test_what_was_fitted_is_taken_from_the_degrees_of_freedom() -> None:
    # Three results a cell leave two degrees; 8 bots have 7 differences, and there are an advantage
    # and a draw rate. Without draws a cell leaves one, and nothing was fitted to them.
    results = davidson_event(1, 1120).results
    assert fit_of(results).degrees == 2 * MEETINGS - (len(BOTS) - 1) - 2
    assert fit_of(decided(results)).degrees == MEETINGS - (len(BOTS) - 1) - 1


def test_each_group_has_one_strength_less_to_fit() -> None:
    results = davidson_event(1, 1120).results
    other = [r._replace(first=r.first.upper(), second=r.second.upper()) for r in results]
    fitted = 2 * (len(BOTS) - 1) + 2
    assert fit_of(results + other).degrees == 4 * MEETINGS - fitted


def test_one_game_a_cell_is_never_said_to_fit_badly(events: int) -> None:
    """Of bots about equal the sum is fixed by what was fitted: chance has nothing left to say."""
    for spread_elo in (50.0, 150.0):
        played = (davidson_event(seed, MEETINGS, spread=spread_elo) for seed in range(events))
        assert share(fit_of(event.results).p_value < 0.05 for event in played) <= 0.02


def test_a_field_without_draws_is_judged_by_wins_and_losses() -> None:
    for seed in range(20):
        results = decided(davidson_event(seed, 1120).results)
        assert fit_of(results).p_value > 0.001
