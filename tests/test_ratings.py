"""Ratings: what TrueSkill makes of results in game order."""

from __future__ import annotations

import math
import subprocess
import sys
from statistics import NormalDist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.ratings import BETA, MU, SIGMA, Rating, Result, draw_probability, draw_rate, rate

_NAMES = st.sampled_from(("ann", "bob", "cat"))
_RESULTS = st.lists(
    st.builds(Result, _NAMES, _NAMES, st.sampled_from((0.0, 0.5, 1.0))), max_size=40
)


def closed_form_win(winner: Rating, loser: Rating, draw_rate: float) -> tuple[Rating, Rating]:
    """Return both after a win, by the formulas for two players (Herbrich et al., 2006)."""
    normal = NormalDist()
    c = math.sqrt(2 * BETA**2 + winner.sigma**2 + loser.sigma**2)
    margin = normal.inv_cdf((draw_rate + 1) / 2) * math.sqrt(2) * BETA
    t = (winner.mu - loser.mu - margin) / c
    v = normal.pdf(t) / normal.cdf(t)
    w = v * (v + t)

    def moved(rating: Rating, sign: int) -> Rating:
        variance = rating.sigma**2
        mu = rating.mu + sign * variance / c * v
        return Rating(mu, math.sqrt(variance * (1 - variance / c**2 * w)))

    return moved(winner, 1), moved(loser, -1)


def test_before_any_game_nobody_is_rated() -> None:
    assert rate([]) == {}


def test_a_win_moves_both_as_the_closed_form_says() -> None:
    rated = rate([Result("ann", "bob", 1.0), Result("bob", "ann", 0.0)])
    newcomer = Rating(MU, SIGMA)
    ann, bob = closed_form_win(newcomer, newcomer, draw_probability(0, 2))
    ann, bob = closed_form_win(ann, bob, draw_probability(0, 2))
    for name, expected in (("ann", ann), ("bob", bob)):
        assert rated[name].mu == pytest.approx(expected.mu, abs=1e-9)
        assert rated[name].sigma == pytest.approx(expected.sigma, abs=1e-9)


def test_a_first_win_is_worth_what_the_published_example_says() -> None:
    # trueskill.org, `rate_1vs1` of two newcomers: 29.396 and 20.604, both ± 7.171. That is with a
    # draw probability of 0.10 and tau 0.083; ours is 1/21, which moves the mean by less than 0.2.
    rated = rate([Result("ann", "bob", 1.0)])
    assert rated["ann"].mu == pytest.approx(29.396, abs=0.2)
    assert rated["bob"].mu == pytest.approx(20.604, abs=0.2)
    assert rated["ann"].sigma == pytest.approx(7.171, abs=0.03)


def test_exposed_is_three_sigma_below_the_mean() -> None:
    assert Rating(25.0, 2.0).exposed == 19.0


def test_a_draw_brings_two_bots_together() -> None:
    before = rate([Result("ann", "bob", 1.0)])
    after = rate([Result("ann", "bob", 1.0), Result("ann", "bob", 0.5)])
    assert after["ann"].mu - after["bob"].mu < before["ann"].mu - before["bob"].mu


def test_the_draw_rate_is_never_0_or_1() -> None:
    assert draw_probability(0, 0) == 0.05
    assert draw_probability(0, 10**9) > 0
    assert draw_probability(10**9, 10**9) < 1


def test_the_draw_rate_comes_from_the_data() -> None:
    results = [Result("ann", "bob", 0.5)] * 30 + [Result("ann", "bob", 1.0)] * 70
    assert draw_rate(results) == pytest.approx(31 / 120)


def test_self_play_is_passed_over() -> None:
    alone = rate([Result("ann", "ann", 1.0)])
    assert alone == {"ann": Rating(MU, SIGMA)}
    assert draw_rate([Result("ann", "ann", 0.5)]) == 0.05


def test_the_order_of_appearance_is_kept() -> None:
    assert list(rate([Result("zoe", "bob", 1.0), Result("ann", "zoe", 0.0)])) == [
        "zoe",
        "bob",
        "ann",
    ]


def test_swapping_the_seats_changes_nothing() -> None:
    one = rate([Result("ann", "bob", 1.0), Result("ann", "bob", 0.5)])
    other = rate([Result("bob", "ann", 0.0), Result("bob", "ann", 0.5)])
    assert one["ann"].mu == pytest.approx(other["ann"].mu)


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_lopsided_results_and_the_upset_after_them_stay_finite(score: float) -> None:
    rated = rate([Result("ann", "bob", score)] * 3000 + [Result("ann", "bob", 1 - score)])
    assert all(math.isfinite(r.mu) and r.sigma > 0 for r in rated.values())


@given(_RESULTS)
@settings(deadline=None, max_examples=60)
def test_ratings_are_finite_and_narrower_than_a_newcomers(results: list[Result]) -> None:
    for rating in rate(results).values():
        assert math.isfinite(rating.mu)
        assert 0 < rating.sigma <= SIGMA


def test_the_first_import_warns_of_nothing() -> None:
    # -B and an empty cache prefix: the package is compiled anew, which is when it would warn.
    code = "import sys; sys.pycache_prefix = sys.argv[1]; import reports.ratings"
    command = [sys.executable, "-B", "-W", "error", "-c", code, "no-such-folder"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
