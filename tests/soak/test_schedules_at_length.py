"""What schedules promise, in thousands of simulated matches, pools and tournaments."""

from __future__ import annotations

import pytest
from sequential import Setting, simulated
from tests.arena.schedule import test_budget as budget
from tests.arena.schedule import test_schedule_formats as rulings
from tests.arena.schedule import test_sprt as sprt
from tests.arena.schedule import test_swiss as swiss

from lath.arena.schedule.sprt import Sprt

SETTINGS = [
    Setting(Sprt(elo0=elo0, elo1=elo1, model=model), elo, draws, opening)
    for model, tests in (
        ("logistic", [(0, 10), (0, 20), (0, 50), (-20, 20)]),
        ("normalized", [(0, 20)]),
    )
    for elo0, elo1 in tests
    for elo in (0.0, 5.0, 10.0, 20.0, 50.0)
    for draws, opening in [(0.0, 0.0), (0.3, 100.0), (0.6, 0.0)]
]
"""docs/design/measurements-results.md sums these up."""

ELSEWHERE = [
    *(Setting(Sprt(elo0=-5, elo1=1), elo, draws=0.5) for elo in (-5.0, -2.0, 1.0)),
    *(Setting(Sprt(elo0=-30, elo1=0), elo) for elo in (-30.0, -15.0, 0.0, 40.0)),
    Setting(Sprt(elo0=-40, elo1=-30), -30.0),
    *(Setting(Sprt(elo0=0, elo1=20), elo, draws=0.8) for elo in (0.0, 10.0, 30.0)),
    *(Setting(Sprt(elo0=0, elo1=20), elo, opening=300.0) for elo in (0.0, 10.0, 30.0)),
    *(Setting(Sprt(elo0=0, elo1=20), elo, liked=100.0) for elo in (0.0, 10.0, 30.0)),
    *(
        Setting(Sprt(elo0=0, elo1=20), elo, most=most)
        for elo in (0.0, 10.0, 20.0, 40.0)
        for most in (50, 200, 600)
    ),
]
"""Settings that have little to do with those that the method was made for."""


@pytest.mark.parametrize("setting", [*SETTINGS, *ELSEWHERE], ids=sprt.name_of)
def test_estimates_and_intervals_know_of_the_stop(setting: Setting) -> None:
    sprt.test_estimates_and_intervals_know_of_the_stop(setting, 2000)


def test_intervals_that_know_nothing_of_the_stop_lie() -> None:
    seen = simulated(Setting(Sprt(elo0=0, elo1=20), 5.0), 1000)
    assert seen.held_before < 0.92
    assert seen.held > 0.93


@pytest.mark.parametrize(("model", "tests"), [("logistic", 1000), ("normalized", 300)])
def test_both_errors_are_as_rare_as_asked(model: str, tests: int) -> None:
    sprt.test_both_errors_are_as_rare_as_asked(model, tests, 50)


@pytest.mark.parametrize(
    ("rounds", "drawn"), [(5, budget.DRAWN), (10, budget.DRAWN), (10, budget.MANY_DRAWN)]
)
def test_a_new_version_needs_fewer_games_in_many_pools(
    rounds: int, drawn: tuple[float, float]
) -> None:
    share = budget.share_of_uniform(range(300), rounds, drawn)
    print(f"{rounds} rounds, {drawn[0]:.0%} drawn: {share:.3f} of the games")
    assert share < 0.7


@pytest.mark.parametrize("people", [100, 101])
def test_a_hundred_bots_are_paired_without_rematch_in_no_time(people: int) -> None:
    swiss.test_a_hundred_bots_are_paired_without_rematch_in_no_time(people, 9)


@pytest.mark.parametrize("form", rulings.SETTINGS)
def test_very_many_tournaments_go_on_to_their_end_under_any_ruling(form: str) -> None:
    for number in range(8, 2000):
        rulings.goes_on_under_a_ruling(form, number)
