"""Davidson's model: what is called its slopes are slopes, and the fit is where they end."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import permutations, repeat

import pytest

from lath.reports.ratings import elo as davidson
from lath.reports.ratings.elo import ELO, PRIOR_ADVANTAGE_ELO, Places, chances, fit
from lath.reports.ratings.numerics import inverse
from lath.reports.ratings.results import Counts, Result, count
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


@pytest.mark.parametrize("seed", range(3))
def test_gradient_and_curvature_are_those_of_the_formula(seed: int) -> None:
    counts = some_counts(seed)
    places = Places(counts)
    games = [(places.of(seats), tally) for seats, tally in counts.tallies.items()]
    chance, step = random.Random(seed), 1e-4
    values = [chance.gauss(0, 1) for _ in range(places.size)]
    gradient, curvature = davidson._slopes(places, games, values, VARIANCE)
    for i, slope in enumerate(gradient):
        up, down = moved(values, i, step), moved(values, i, -step)
        rise = log_posterior(counts, up) - log_posterior(counts, down)
        assert slope == pytest.approx(rise / (2 * step), abs=1e-6)
        above = davidson._slopes(places, games, up, VARIANCE)[0]
        below = davidson._slopes(places, games, down, VARIANCE)[0]
        for j in range(i + 1):
            assert curvature[i][j] == pytest.approx((below[j] - above[j]) / (2 * step), abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_fit_is_the_top_and_its_covariance_that_of_the_curvature(seed: int) -> None:
    counts = some_counts(seed)
    model = fit(counts)
    games = [(model.places.of(seats), tally) for seats, tally in counts.tallies.items()]
    gradient, curvature = davidson._slopes(model.places, games, model.parameters, model.variance)
    assert gradient == pytest.approx([0.0] * model.places.size, abs=1e-9)
    for row, expected in zip(model.covariance, inverse(curvature), strict=True):
        assert row == pytest.approx(expected, abs=1e-12)


def assert_is_top(counts: Counts) -> None:
    model = fit(counts)
    games = [(model.places.of(seats), tally) for seats, tally in counts.tallies.items()]
    gradient, _ = davidson._slopes(model.places, games, model.parameters, model.variance)
    assert gradient == pytest.approx([0.0] * model.places.size, abs=1e-6)


@pytest.mark.parametrize("games", [1, 1000, 1_000_000])
def test_the_fit_finds_the_top_however_one_sided_the_games_are(games: int) -> None:
    won = [Result("ann", "bob", 1.0, "x")] * games
    counts = count([*won, Result("bob", "cat", 0.0, "y"), Result("cat", "ann", 0.5, "y")])
    assert_is_top(counts)


def test_the_fit_finds_the_top_where_whole_steps_would_run_away() -> None:
    """Cat is far ahead of bob, and level with ann, who is far behind bob."""
    games = [(Result("cat", "bob", 1.0, "x"), 10_000), (Result("cat", "ann", 0.5, "x"), 10_000)]
    games += [(Result("bob", "ann", 0.0, "y"), 10_000), (Result("ann", "bob", 0.0, "y"), 100)]
    assert_is_top(count(result for one, times in games for result in repeat(one, times)))


def test_chances_are_1_together_and_never_overflow() -> None:
    for ahead in (-2000.0, -3.0, 0.0, 3.0, 2000.0):
        for log_draws in (-900.0, 0.0, 900.0):
            win, draw, loss = chances(ahead, log_draws)
            assert math.fsum((win, draw, loss)) == pytest.approx(1)
            assert (loss, draw, win) == pytest.approx(chances(-ahead, log_draws))


def test_a_draw_between_equals_has_the_chance_that_the_model_says() -> None:
    # Davidson, 1970: nu / (nu + 2)
    assert chances(0.0, math.log(0.5))[1] == pytest.approx(0.2)
