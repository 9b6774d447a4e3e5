"""How often intervals hold the truth and chance is taken for a finding, in thousands of samples."""

from __future__ import annotations

import pytest
from tests.reports import test_estimates as estimates
from tests.reports import test_explain as explain
from tests.reports.test_weaknesses import MIXES
from weak_bots import NAMES
from weaknesses import KINDS, Kind, Mix, found


@pytest.mark.parametrize("games", [60, 120, 400, 1000])
@pytest.mark.parametrize("name", estimates.CASES)
def test_95_percent_intervals_hold_the_truth_in_93_to_97_percent(name: str, games: int) -> None:
    assert 0.93 <= estimates.held(name, games, 4000) <= 0.97


@pytest.mark.parametrize("differ", [0, 5])
def test_of_differences_that_are_believed_one_in_twenty_is_chance(differ: int) -> None:
    estimates.test_of_differences_that_are_believed_one_in_twenty_is_chance(differ, 4000)


@pytest.mark.parametrize("name", NAMES)
def test_a_planted_weakness_is_among_the_first_three_findings(name: str) -> None:
    explain.test_a_planted_weakness_is_among_the_first_three_findings(name, 100, 400, 95)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_with_enough_games_a_weakness_in_plain_data_is_found_in_95_percent(kind: Kind) -> None:
    """300 Elo points in a fifth of 400 games; 44 of 50 or more in 99 % of cases."""
    assert found(kind, Mix(effect=300.0), 50, seed=2).first >= 44


def test_of_a_bot_without_a_weakness_nothing_stands_out() -> None:
    """In more than ten of a hundred runs: with 5 % that comes in 3 % of cases."""
    explain.test_of_a_bot_without_a_weakness_nothing_stands_out(100, 400, 10)


@pytest.mark.parametrize("name", MIXES)
def test_in_plain_data_nothing_stands_out_that_is_not_there(name: str) -> None:
    assert found(None, MIXES[name], 200, seed=1).any <= 17


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_weakness_in_plain_data_is_found_about_as_often_as_it_can_be(kind: Kind) -> None:
    """150 Elo points in a fifth of 400 games: two thirds as often as the best procedure could."""
    of = found(kind, Mix(), 60, seed=1)
    assert of.first / of.runs > 2 / 3 * of.limit - 0.15, "0.15 is two standard errors"
