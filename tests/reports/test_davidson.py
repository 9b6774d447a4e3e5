"""Davidson's model: what is called its slopes are slopes, and the fit is where they end."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import permutations, repeat

import pytest

from lath.reports.ratings import elo as davidson
from lath.reports.ratings.elo import ELO, PRIOR_ADVANTAGE_ELO, Places, chances, fit
from lath.reports.ratings.numerics import cholesky, inverse, solve, zeros
from lath.reports.ratings.results import Counts, Result, Weighed, count
from lath.reports.ratings.skill import PRIOR_DRAWS, PRIOR_GAMES

SEATS = tuple(permutations(("ann", "bob", "cat", "dan"), 2))


def some_counts(seed: int, games: int = 80) -> Counts:
    chance = random.Random(seed)
    return count(
        Result(*chance.choice(SEATS), chance.choice((0.0, 0.5, 1.0)), chance.choice("xy"))
        for _ in range(games)
    )


VARIANCE = 7.0
"""Of strengths before any game."""


def log_posterior(counts: Counts, values: Sequence[float]) -> float:
    """Return it as the model's formula has it, but for what depends on no parameter."""
    places, total = Places(counts), 0.0
    for at in places.bots.values():
        total -= values[at] ** 2 / VARIANCE / 2
    for at in places.games.values():
        total -= (values[at] * ELO / PRIOR_ADVANTAGE_ELO) ** 2 / 2
        drawn = math.exp(values[at + 1]) / (math.exp(values[at + 1]) + 2)
        total += PRIOR_DRAWS * math.log(drawn)
        total += (PRIOR_GAMES - PRIOR_DRAWS) * math.log(1 - drawn)
    for seats, tally in counts.tallies.items():
        one, other, at = places.of(seats)
        ahead, log_draws = values[one] - values[other] + values[at], values[at + 1]
        whole = math.log(math.exp(ahead / 2) + math.exp(log_draws) + math.exp(-ahead / 2))
        total += (tally.wins - tally.losses) * ahead / 2 + tally.draws * log_draws
        total -= tally.games * whole
    return total


def moved(values: Sequence[float], at: int, by: float) -> list[float]:
    return [value + by * (i == at) for i, value in enumerate(values)]


Games = list[tuple[tuple[int, int, int], Weighed]]


def placed(counts: Counts) -> tuple[Places, Games]:
    places = Places(counts)
    return places, [(places.of(seats), tally) for seats, tally in counts.weighed().items()]


@pytest.mark.parametrize("seed", range(3))
def test_gradient_and_curvature_are_those_of_the_formula(seed: int) -> None:
    counts = some_counts(seed)
    places, games = placed(counts)
    chance, step, sure = random.Random(seed), 1e-4, zeros(places.size)
    values = [chance.gauss(0, 1) for _ in range(places.size)]
    gradient, curvature, _ = davidson._slopes(places, games, values, sure, VARIANCE)
    for i, slope in enumerate(gradient):
        up, down = moved(values, i, step), moved(values, i, -step)
        rise = log_posterior(counts, up) - log_posterior(counts, down)
        assert slope == pytest.approx(rise / (2 * step), abs=1e-6)
        above, _, high = davidson._slopes(places, games, up, sure, VARIANCE)
        below, _, low = davidson._slopes(places, games, down, sure, VARIANCE)
        assert high - low == pytest.approx(rise, abs=1e-9)
        for j in range(i + 1):
            assert curvature[i][j] == pytest.approx((below[j] - above[j]) / (2 * step), abs=1e-6)


def assert_rests(counts: Counts, within: float = 0.01) -> None:
    """Whatever the field's width: the expected slope is 0, and the covariance that of the bend.

    What is left is some tenths of a percent of an error.
    """
    places, games = placed(counts)
    peaks = davidson._Peaks(places, games)
    for width in (-1.5, 0.0, 1.5):
        peak = peaks.at(width)
        around = (peak.values, peak.covariance, peak.variance)
        gradient, curvature, _ = davidson._slopes(places, games, *around)
        step = solve(cholesky(curvature), gradient)
        errors = [math.sqrt(peak.covariance[i][i]) for i in range(places.size)]
        parts = [by / error for by, error in zip(step, errors, strict=True)]
        assert parts == pytest.approx([0.0] * places.size, abs=within)
        known = inverse(curvature)
        for i, error in enumerate(errors):
            assert math.sqrt(known[i][i]) == pytest.approx(error, rel=within)


@pytest.mark.parametrize("seed", range(3))
def test_each_width_has_the_normal_distribution_that_is_next_to_the_posterior(seed: int) -> None:
    assert_rests(some_counts(seed))


@pytest.mark.parametrize("games", [1, 1000, 100_000])
def test_the_fit_comes_to_rest_however_one_sided_the_games_are(games: int) -> None:
    won = [Result("ann", "bob", 1.0, "x")] * games
    assert_rests(count([*won, Result("bob", "cat", 0.0, "y"), Result("cat", "ann", 0.5, "y")]))


def test_the_fit_comes_to_rest_where_whole_steps_would_run_away() -> None:
    """Cat is far ahead of bob, and level with ann, who is far behind bob."""
    games = [(Result("cat", "bob", 1.0, "x"), 10_000), (Result("cat", "ann", 0.5, "x"), 10_000)]
    games += [(Result("bob", "ann", 0.0, "y"), 10_000), (Result("ann", "bob", 0.0, "y"), 100)]
    assert_rests(count(result for one, times in games for result in repeat(one, times)))


def test_two_bots_have_the_mean_and_spread_of_the_exact_posterior() -> None:
    """Over a fixed width, by integration over the difference of two bots that never draw."""
    counts = count([Result("ann", "bob", 1.0)] * 4 + [Result("bob", "ann", 0.0)] * 4)
    places, games = placed(counts)
    width = math.log(300 / ELO)
    peak = davidson._Peaks(places, games).at(width)
    at = places.games[""]
    grid = [(d / 5, a / 5) for d in range(-80, 81) for a in range(-40, 41)]
    heights = [
        log_posterior_of_two(d, a, peak.values[at + 1], math.exp(2 * width)) for d, a in grid
    ]
    weights = [math.exp(height - max(heights)) for height in heights]
    mean = math.fsum(w * d for w, (d, _) in zip(weights, grid, strict=True)) / math.fsum(weights)
    square = math.fsum(w * d * d for w, (d, _) in zip(weights, grid, strict=True))
    spread = square / math.fsum(weights) - mean * mean
    known = peak.covariance
    found = known[0][0] + known[1][1] - 2 * known[0][1]
    assert peak.values[0] - peak.values[1] == pytest.approx(mean, rel=0.05)
    # The closest normal distribution is a little narrower than one that leans to a side.
    assert math.sqrt(found) == pytest.approx(math.sqrt(spread), rel=0.1)


def log_posterior_of_two(apart: float, seat: float, log_draws: float, variance: float) -> float:
    """Return it of ann, who won four games in each seat."""
    height = -(apart**2) / (4 * variance) - (seat * ELO / PRIOR_ADVANTAGE_ELO) ** 2 / 2
    for ahead in (apart + seat, apart - seat):
        height += 4 * math.log(chances(ahead, log_draws)[0])
    return height


@pytest.mark.parametrize("spread", [50.0, 200.0, 800.0])
def test_the_games_tell_how_wide_a_field_is(spread: float) -> None:
    chance = random.Random(f"{spread}")
    truth = {f"bot {n:02}": chance.gauss(0, spread) for n in range(24)}
    results = []
    for first, second in permutations(truth, 2):
        for _ in range(4):
            won = chance.random() < chances((truth[first] - truth[second]) / ELO, -50.0)[0]
            results.append(Result(first, second, float(won)))
    seen = math.sqrt(math.fsum(value * value for value in truth.values()) / len(truth))
    assert ELO * math.sqrt(fit(count(results)).variance) == pytest.approx(seen, rel=0.2)


def test_chances_are_1_together_and_never_overflow() -> None:
    for ahead in (-2000.0, -3.0, 0.0, 3.0, 2000.0):
        for log_draws in (-900.0, 0.0, 900.0):
            win, draw, loss = chances(ahead, log_draws)
            assert math.fsum((win, draw, loss)) == pytest.approx(1)
            assert (loss, draw, win) == pytest.approx(chances(-ahead, log_draws))


def test_a_draw_between_equals_has_the_chance_that_the_model_says() -> None:
    # Davidson, 1970: nu / (nu + 2)
    assert chances(0.0, math.log(0.5))[1] == pytest.approx(0.2)
