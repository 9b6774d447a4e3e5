"""Errors on the Elo scale where games of a pair have something in common: the sandwich."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import permutations

import pytest

from lath.reports.ratings.elo import Davidson, fit
from lath.reports.ratings.errors import covariances
from lath.reports.ratings.numerics import Matrix, dot, zeros
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import Result, Seats, count

SEATS = tuple(permutations(("ann", "bob", "cat", "dan"), 2))


def some_results(*pairs: int | None) -> list[Result]:
    chance = random.Random(5)
    return [
        Result(
            *chance.choice(SEATS),
            chance.choice((0.0, 0.5, 1.0)),
            chance.choice("xy"),
            chance.choice(pairs),
        )
        for _ in range(60)
    ]


def slopes(model: Davidson, result: Result) -> list[float]:
    """Return the slopes of the logarithm of a result's chance, by each parameter."""
    win, draw, loss = model.chances(Seats(result.game, result.first, result.second))
    one, other, game = model.places.of(Seats(result.game, result.first, result.second))
    ahead = result.score - 0.5 - (win - loss) / 2
    found = [0.0] * model.places.size
    found[one], found[other], found[game] = ahead, -ahead, ahead
    found[game + 1] = (result.score == 0.5) - draw
    return found


def product(one: Matrix, other: Matrix) -> Matrix:
    return [[dot(row, column) for column in zip(*other, strict=True)] for row in one]


def sandwich(model: Davidson, results: Sequence[Result]) -> Matrix:
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


@pytest.mark.parametrize("pairs", [(None, 1, 2, 3, 4), range(20), range(50)])
def test_the_sandwich_is_that_of_its_definition(pairs: Sequence[int | None]) -> None:
    results = some_results(*pairs)
    counts = count(results)
    model = fit(counts)
    spread, least = covariances(model, counts)
    for row, expected in zip(spread, sandwich(model, results), strict=True):
        assert row == pytest.approx(expected, abs=1e-9)
    for row, own in zip(least, model.covariance, strict=True):
        assert row == pytest.approx([value / 4 for value in own])


def test_two_games_of_two_bots_are_a_cluster_like_any_other() -> None:
    results = [
        Result(*seats, score, "", pair)
        for pair, scores in enumerate([(1.0, 0.5), (0.5, 0.5), (1.0, 0.0), (0.0, 0.5)] * 3)
        for seats, score in zip((("a", "b"), ("b", "a")), scores, strict=True)
    ]
    counts = count(results)
    model = fit(counts)
    spread, _ = covariances(model, counts)
    for row, expected in zip(spread, sandwich(model, results), strict=True):
        assert row == pytest.approx(expected, abs=1e-9)


def test_games_without_a_pair_have_the_errors_of_the_model() -> None:
    counts = count(some_results(None))
    model = fit(counts)
    assert covariances(model, counts) == (model.covariance,)


@pytest.mark.parametrize("number", [4, 40])
def test_pairs_that_all_agree_do_not_look_sure(number: int) -> None:
    """In each pair one seat won both games: the scores of the bots cancel to nothing."""
    seats = (("ann", "bob"), ("bob", "ann"))
    pairs = [Result(*s, float(n % 2), "", n) for n in range(number) for s in seats]
    together = rate(pairs, in_order=False).strengths["ann"].elo.error
    alone = [result._replace(pair=None) for result in pairs]
    least = rate(alone, in_order=False).strengths["ann"].elo.error / 2
    assert together >= least * (1 - 1e-12)


def test_pairs_of_which_one_bot_won_both_count_as_one_game() -> None:
    seats = (("ann", "bob"), ("bob", "ann"))
    pairs = [Result(*s, float((n % 2) ^ (s[0] == "ann")), "", n) for n in range(400) for s in seats]
    together = rate(pairs, in_order=False).differences["ann", "bob"]
    alone = rate([result._replace(pair=None) for result in pairs], in_order=False)
    assert together == pytest.approx(2**0.5 * alone.differences["ann", "bob"], rel=0.02)


# Openings


def from_openings(number: int) -> list[Result]:
    """Return games of three bots from openings in which first always wins, or always loses."""
    seats = tuple(permutations(("ann", "bob", "cat"), 2))
    return [
        Result(*s, float(n % 2), "", (n, *sorted(s)), n) for n in range(number) for s in seats * 2
    ]


def test_the_advantage_is_as_unsure_as_openings_differ() -> None:
    """A dozen openings are a dozen throws of a coin, however many games each has."""
    (told,) = rate(from_openings(12), in_order=False).conditions
    assert (told.openings, told.holds_for) == (12, "openings of that kind")
    # Half of them would have given all points: 0.5 ± t(11) · 0.5 · (12 / 11)^0.5 / 12^0.5.
    half = 2.201 * 0.5 * (12 / 11) ** 0.5 / 12**0.5
    slope = 1 / (0.5 * 0.5) * 400 / math.log(10)
    assert told.advantage.high - told.advantage.value == pytest.approx(half * slope, rel=0.05)


def test_of_few_openings_the_advantage_is_that_of_the_openings_played() -> None:
    few, many = (rate(from_openings(n), in_order=False).conditions[0] for n in (4, 6))
    assert (few.openings, few.holds_for) == (4, "the openings played")
    assert (many.openings, many.holds_for) == (6, "openings of that kind")
    assert few.advantage.error < many.advantage.error


def test_one_start_for_all_games_tells_nothing_of_openings() -> None:
    (told,) = rate([r._replace(opening=1) for r in from_openings(8)], in_order=False).conditions
    assert (told.openings, told.holds_for) == (1, "the openings played")
    (untold,) = rate([r._replace(opening=None) for r in from_openings(8)]).conditions
    assert (untold.openings, untold.advantage) == (0, told.advantage)
