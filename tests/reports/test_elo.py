"""Davidson's model: its slopes are slopes, the fit is where they end, and errors count clusters."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import permutations, repeat

import pytest
from simulated import BOTS, MEETINGS, davidson_event

from lath.reports.ratings import elo as davidson
from lath.reports.ratings.counts import ResultCounts, SidesOfPair, Weighed, count
from lath.reports.ratings.elo import (
    ELO,
    PRIOR_ADVANTAGE_ELO,
    Davidson,
    ParameterPlaces,
    chances,
    fit,
)
from lath.reports.ratings.errors import covariances
from lath.reports.ratings.numerics import Matrix, cholesky, dot, inverse, solve, zeros
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import DecidedGame, GameConditions
from lath.reports.ratings.skill import PRIOR_DRAWS, PRIOR_GAMES

SIDES = tuple(permutations(("ann", "bob", "cat", "dan"), 2))

BOTH_SEATS = (("ann", "bob"), ("bob", "ann"))

# What nobody sees from outside: the slopes of the posterior, and its peak at one width of a field.
slopes_at, Peaks = davidson._slopes, davidson._Peaks


def some_results(seed: int, games: int, *pairs: int | None) -> list[DecidedGame]:
    chance = random.Random(seed)
    return [
        DecidedGame(
            *chance.choice(SIDES),
            chance.choice((0.0, 0.5, 1.0)),
            chance.choice("xy"),
            chance.choice(pairs),
        )
        for _ in range(games)
    ]


VARIANCE = 7.0
"""Of strengths before any game."""


def log_posterior(counts: ResultCounts, values: Sequence[float]) -> float:
    """Return it as the model's formula has it, but for what depends on no parameter."""
    places, total = ParameterPlaces(counts), 0.0
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


def placed(
    counts: ResultCounts,
) -> tuple[ParameterPlaces, list[tuple[tuple[int, int, int], Weighed]]]:
    places = ParameterPlaces(counts)
    return places, [(places.of(seats), tally) for seats, tally in counts.weighed().items()]


@pytest.mark.parametrize("seed", range(2))
def test_gradient_and_curvature_are_those_of_the_formula(seed: int) -> None:
    counts = count(some_results(seed, 80, None))
    places, games = placed(counts)
    chance, step, sure = random.Random(seed), 1e-4, zeros(places.size)
    values = [chance.gauss(0, 1) for _ in range(places.size)]
    gradient, curvature, _ = slopes_at(places, games, values, sure, VARIANCE)
    for i, slope in enumerate(gradient):
        up, down = ([v + by * (at == i) for at, v in enumerate(values)] for by in (step, -step))
        rise = log_posterior(counts, up) - log_posterior(counts, down)
        assert slope == pytest.approx(rise / (2 * step), abs=1e-6)
        above, _, high = slopes_at(places, games, up, sure, VARIANCE)
        below, _, low = slopes_at(places, games, down, sure, VARIANCE)
        assert high - low == pytest.approx(rise, abs=1e-9)
        for j in range(i + 1):
            assert curvature[i][j] == pytest.approx((below[j] - above[j]) / (2 * step), abs=1e-6)


def times(*games: tuple[DecidedGame, int]) -> list[DecidedGame]:
    return [result for one, number in games for result in repeat(one, number)]


RESTS: dict[str, list[DecidedGame]] = {
    **{f"seed {seed}": some_results(seed, 80, None) for seed in range(2)},
    **{
        f"{games} won": times(
            (DecidedGame("ann", "bob", 1.0, "x"), games),
            (DecidedGame("bob", "cat", 0.0, "y"), 1),
            (DecidedGame("cat", "ann", 0.5, "y"), 1),
        )
        for games in (1, 1000, 100_000)
    },
    # Cat is far ahead of bob, and level with ann, who is far behind bob.
    "whole steps run away": times(
        (DecidedGame("cat", "bob", 1.0, "x"), 10_000),
        (DecidedGame("cat", "ann", 0.5, "x"), 10_000),
        (DecidedGame("bob", "ann", 0.0, "y"), 10_000),
        (DecidedGame("ann", "bob", 0.0, "y"), 100),
    ),
}


@pytest.mark.parametrize("name", RESTS)
def test_the_fit_comes_to_rest_next_to_the_posterior_however_wide_the_field(name: str) -> None:
    """The expected slope is 0 and the covariance that of the bend, to a percent of an error."""
    places, games = placed(count(RESTS[name]))
    peaks = Peaks(places, games)
    for width in (-1.5, 0.0, 1.5):
        peak = peaks.at(width)
        around = (peak.values, peak.covariance, peak.variance)
        gradient, curvature, _ = slopes_at(places, games, *around)
        step = solve(cholesky(curvature), gradient)
        errors = [math.sqrt(peak.covariance[i][i]) for i in range(places.size)]
        parts = [by / error for by, error in zip(step, errors, strict=True)]
        assert parts == pytest.approx([0.0] * places.size, abs=0.01)
        known = inverse(curvature)
        for i, error in enumerate(errors):
            assert math.sqrt(known[i][i]) == pytest.approx(error, rel=0.01)


@pytest.mark.parametrize("spread", [50.0, 200.0, 800.0])
def test_the_games_tell_how_wide_a_field_is(spread: float) -> None:
    chance = random.Random(f"{spread}")
    truth = {f"bot {n:02}": chance.gauss(0, spread) for n in range(24)}
    results = []
    for first, second in permutations(truth, 2):
        for _ in range(4):
            won = chance.random() < chances((truth[first] - truth[second]) / ELO, -50.0)[0]
            results.append(DecidedGame(first, second, float(won)))
    seen = math.sqrt(math.fsum(value * value for value in truth.values()) / len(truth))
    assert ELO * math.sqrt(fit(count(results)).variance) == pytest.approx(seen, rel=0.2)


def test_chances_are_1_together_and_never_overflow() -> None:
    for ahead in (-2000.0, -3.0, 0.0, 3.0, 2000.0):
        for log_draws in (-900.0, 0.0, 900.0):
            win, draw, loss = chances(ahead, log_draws)
            assert math.fsum((win, draw, loss)) == pytest.approx(1)
            assert (loss, draw, win) == pytest.approx(chances(-ahead, log_draws))
    # Davidson, 1970: nu / (nu + 2)
    assert chances(0.0, math.log(0.5))[1] == pytest.approx(0.2)


def test_what_was_fitted_is_taken_from_the_degrees_of_freedom() -> None:
    # Three results a cell leave two degrees; 8 bots have 7 differences, and there are an advantage
    # and a draw rate. Without draws a cell leaves one, and nothing was fitted to them.
    results = davidson_event(1, 1120).results
    others = [r._replace(first=r.first.upper(), second=r.second.upper()) for r in results]
    degrees = [
        rate(some, in_order=False).fit.degrees
        for some in (results, [r for r in results if r.score != 0.5], results + others)
    ]
    bots = len(BOTS) - 1
    assert degrees == [2 * MEETINGS - bots - 2, MEETINGS - bots - 1, 4 * MEETINGS - 2 * bots - 2]


# Errors where games of a pair have something in common: the sandwich


def slopes(model: Davidson, result: DecidedGame) -> list[float]:
    """Return the slopes of the logarithm of a result's chance, by each parameter."""
    seats = SidesOfPair(result.game, result.first, result.second)
    win, draw, loss = model.chances(seats)
    one, other, game = model.places.of(seats)
    ahead = result.score - 0.5 - (win - loss) / 2
    found = [0.0] * model.places.size
    found[one], found[other], found[game] = ahead, -ahead, ahead
    found[game + 1] = (result.score == 0.5) - draw
    return found


def product(one: Matrix, other: Matrix) -> Matrix:
    return [[dot(row, column) for column in zip(*other, strict=True)] for row in one]


def sandwich(model: Davidson, results: Sequence[DecidedGame]) -> Matrix:
    """Return it the long way: game by game, and without knowing what pairs mostly look like."""
    common, products = zeros(model.places.size), 0
    for one in results:
        for other in results:
            if one is not other and one.pair == other.pair is not None:
                products += 1
                ones, others = slopes(model, one), slopes(model, other)
                for row, by in zip(common, ones, strict=True):
                    row[:] = [value + by * b for value, b in zip(row, others, strict=True)]
    spread = product(product(model.covariance, common), model.covariance)
    whole = 1 + products * model.places.size / len(results) ** 2
    return [
        [whole * own + more for own, more in zip(*rows, strict=True)]
        for rows in zip(model.covariance, spread, strict=True)
    ]


def test_the_sandwich_is_that_of_its_definition() -> None:
    two_games = [
        DecidedGame(*seats, score, "", pair)
        for pair, scores in enumerate([(1.0, 0.5), (0.5, 0.5), (1.0, 0.0), (0.0, 0.5)] * 3)
        for seats, score in zip(BOTH_SEATS, scores, strict=True)
    ]
    some = [some_results(5, 60, *pairs) for pairs in ((None, 1, 2, 3, 4), range(20), range(50))]
    for results in (*some, two_games):
        counts = count(results)
        model = fit(counts)
        spread, least = covariances(model, counts)
        for row, expected in zip(spread, sandwich(model, results), strict=True):
            assert row == pytest.approx(expected, abs=1e-9)
        for row, own in zip(least, model.covariance, strict=True):
            assert row == pytest.approx([value / 4 for value in own])
    counts = count(some_results(5, 60, None))
    model = fit(counts)
    assert covariances(model, counts) == (model.covariance,), "no game has a pair"


@pytest.mark.parametrize("number", [4, 40])
def test_pairs_that_all_agree_do_not_look_sure(number: int) -> None:
    """In each pair one seat won both games: the scores of the bots cancel to nothing."""
    pairs = [DecidedGame(*s, float(n % 2), "", n) for n in range(number) for s in BOTH_SEATS]
    together = rate(pairs, in_order=False).strengths["ann"].elo.error
    alone = [result._replace(pair=None) for result in pairs]
    least = rate(alone, in_order=False).strengths["ann"].elo.error / 2
    assert together >= least * (1 - 1e-12)


def test_pairs_of_which_one_bot_won_both_count_as_one_game() -> None:
    pairs = [
        DecidedGame(*s, float((n % 2) ^ (s[0] == "ann")), "", n)
        for n in range(400)
        for s in BOTH_SEATS
    ]
    together = rate(pairs, in_order=False).differences["ann", "bob"]
    alone = rate([result._replace(pair=None) for result in pairs], in_order=False)
    assert together == pytest.approx(2**0.5 * alone.differences["ann", "bob"], rel=0.02)


# Openings


def told_of(openings: int, *, are: Callable[[int], int | None] = int) -> GameConditions:
    """Return what is told of three bots' games, in which each opening's first wins or loses all."""
    seats = tuple(permutations(("ann", "bob", "cat"), 2))
    results = [
        DecidedGame(*s, float(n % 2), "", (n, *sorted(s)), are(n))
        for n in range(openings)
        for s in seats * 2
    ]
    (told,) = rate(results, in_order=False).conditions
    return told


def test_the_advantage_is_as_unsure_as_openings_differ() -> None:
    """A dozen openings are a dozen throws of a coin, however many games each has."""
    told = told_of(12)
    assert (told.openings, told.holds_for) == (12, "openings of that kind")
    # Half of them would have given all points: 0.5 ± t(11) · 0.5 · (12 / 11)^0.5 / 12^0.5.
    half = 2.201 * 0.5 * (12 / 11) ** 0.5 / 12**0.5
    slope = 1 / (0.5 * 0.5) * 400 / math.log(10)
    assert told.advantage.high - told.advantage.value == pytest.approx(half * slope, rel=0.05)
    few, many = told_of(4), told_of(6)
    assert (few.openings, few.holds_for) == (4, "the openings played")
    assert (many.openings, many.holds_for) == (6, "openings of that kind")
    assert few.advantage.error < many.advantage.error
    one, untold = told_of(8, are=lambda _: 1), told_of(8, are=lambda _: None)
    assert (one.openings, one.holds_for) == (1, "the openings played")
    assert (untold.openings, untold.advantage) == (0, one.advantage)
