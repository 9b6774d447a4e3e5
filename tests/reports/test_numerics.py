"""What ratings stand on: tables of the textbooks, slopes of functions, inverses of matrices."""

from __future__ import annotations

import math
import random

import pytest
import trueskill
from hypothesis import given
from hypothesis import strategies as st

from lath.reports.ratings.numerics import (
    cdf,
    chi_square_tail,
    cholesky,
    dot,
    draw,
    inverse,
    mills,
    pdf,
    solve,
    times,
    win,
)
from lath.reports.ratings.skill import BETA, MU, SIGMA, draw_rate_of, environment_of, margin_of


def test_the_normal_distribution_is_that_of_the_tables() -> None:
    # Abramowitz and Stegun, table 26.1; the tail value from their asymptotic 26.2.12.
    assert cdf(1.96) == pytest.approx(0.975002104851780, abs=1e-14)
    assert pdf(1.0) == pytest.approx(0.241970724519143, abs=1e-14)
    assert cdf(-10) == pytest.approx(7.61985302416e-24, rel=1e-10)
    for t in (-30.0, -25.0, -24.9, -20.0, -3.0, 0.0, 2.0, 9.0):
        assert mills(t) == pytest.approx(cdf(t) / pdf(t), rel=1e-9), t
    for t in (-25.0, -30.0):
        assert win(t - 1e-9) == pytest.approx(win(t + 1e-9), abs=1e-8), "tail and middle join"


@given(st.floats(-200, 200))
def test_v_and_w_of_a_win_stay_in_their_range(t: float) -> None:
    v, w = win(t)
    assert v >= 0
    assert 0 <= w <= 1
    assert v > -t or t > 0


@given(st.floats(-100, 100), st.floats(1e-6, 6))
def test_a_draws_derivatives_are_those_of_its_chance(t: float, margin: float) -> None:
    v, w, by_margin, _, mixed = draw(t, margin)
    assert -1e-6 <= w <= 1 + 1e-6
    assert v * t <= 0
    assert by_margin > 0
    mirrored = draw(-t, margin)
    assert (mirrored[0], mirrored[1], mirrored[4]) == (-v, w, -mixed)


@given(st.floats(-5, 5), st.floats(0.1, 4))
def test_a_draws_derivatives_are_slopes(t: float, margin: float) -> None:
    def chance(t: float, margin: float) -> float:
        return math.log(cdf(margin - abs(t)) - cdf(-margin - abs(t)))

    step = 1e-4
    v, w, by_margin, curved, mixed = draw(t, margin)
    up, here, down = chance(t + step, margin), chance(t, margin), chance(t - step, margin)
    wide, narrow = chance(t, margin + step), chance(t, margin - step)
    assert (up - down) / (2 * step) == pytest.approx(v, abs=1e-4)
    assert -(up - 2 * here + down) / step**2 == pytest.approx(w, abs=1e-3)
    assert (wide - narrow) / (2 * step) == pytest.approx(by_margin, rel=1e-3)
    assert (wide - 2 * here + narrow) / step**2 == pytest.approx(curved, rel=1e-2, abs=1e-3)
    across = (draw(t, margin + step)[0] - draw(t, margin - step)[0]) / (2 * step)
    assert across == pytest.approx(mixed, rel=1e-2, abs=1e-3)


def test_the_chi_square_tail_is_that_of_the_table() -> None:
    # Abramowitz and Stegun, table 26.8: the 5 %, 1 % and 50 % points.
    table = {1: (3.84146, 6.63490, None), 10: (18.3070, 23.2093, 9.34182)}
    for degrees, points in {**table, 100: (124.342, 135.807, 99.3341)}.items():
        for x, tail in zip(points, (0.05, 0.01, 0.5), strict=True):
            assert x is None or chi_square_tail(x, degrees) == pytest.approx(tail, rel=1e-4)
    for x in (0.01, 1.0, 7.5, 60.0, 500.0):
        assert chi_square_tail(x, 2) == pytest.approx(math.exp(-x / 2), rel=1e-12)
    assert chi_square_tail(0, 3) == 1
    assert 0 <= chi_square_tail(1e5, 3) < 1e-300
    assert chi_square_tail(20_000, 20_000) == pytest.approx(0.5, abs=0.01)


@given(st.integers(1, 8), st.randoms(use_true_random=False))
def test_an_inverse_undoes_its_matrix(size: int, chance: random.Random) -> None:
    rows = [[chance.uniform(-1, 1) for _ in range(size)] for _ in range(size)]
    matrix = [[dot(a, b) + (a is b) for b in rows] for a in rows]
    back = [times(inverse(matrix), row) for row in matrix]
    for i, row in enumerate(back):
        assert row == pytest.approx([float(i == j) for j in range(size)], abs=1e-9)
    wanted = [chance.uniform(-9, 9) for _ in range(size)]
    assert solve(cholesky(matrix), times(matrix, wanted)) == pytest.approx(wanted, abs=1e-8)
    with pytest.raises(ValueError, match="math domain"):
        inverse([[1.0, 2.0], [2.0, 1.0]])  # not positive definite


def test_the_draw_margin_is_the_packages() -> None:
    for draw_rate in (0.01, 0.1, 0.37, 0.9):
        environment = environment_of(draw_rate)
        package = trueskill.calc_draw_margin(draw_rate, 2, environment)
        assert margin_of(draw_rate) == pytest.approx(package, abs=1e-12)
        assert draw_rate_of(margin_of(draw_rate)) == pytest.approx(draw_rate)
        assert (environment.mu, environment.sigma, environment.beta) == (MU, SIGMA, BETA)
