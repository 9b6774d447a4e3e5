"""The summit that all pairs of a tuning tell of, on hills that are known."""

from __future__ import annotations

from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lath.arena.schedule.ranges import read_ranges
from lath.arena.schedule.sprt import score_of
from lath.arena.schedule.spsa import Spsa, Tuning, Values
from lath.arena.schedule.summit import MOST_OPTIONS, Summit, principal_axes


@given(options=st.integers(1, MOST_OPTIONS), seed=st.integers(0, 999))
def test_the_summit_of_a_quadratic_function_is_found(options: int, seed: int) -> None:
    """Options may depend on each other: one is moved by the one before it."""
    chance = Random(seed)
    at = [chance.uniform(-0.5, 0.5) for _ in range(options)]

    def height(values: list[float]) -> float:
        apart = [value - summit for value, summit in zip(values, at, strict=True)]
        turned = [one + 0.3 * other for one, other in zip(apart, [0.0, *apart], strict=False)]
        return -sum(each * each for each in turned)

    summit = Summit(options)
    for _ in range(200):
        plus, minus = ([chance.uniform(-1, 1) for _ in at] for _ in "12")
        summit.add(plus, minus, height(plus) - height(minus))  # type: ignore[arg-type]
    assert summit.near([0.9] * options) == pytest.approx(at, abs=1e-6)


@given(options=st.integers(1, MOST_OPTIONS), won=st.integers(-2, 2), pairs=st.integers(0, 300))
def test_results_that_tell_of_no_summit_move_nothing(options: int, won: int, pairs: int) -> None:
    """Games that all end alike, and valleys, from which every way leads up."""
    chance, summit, valley = Random(won), Summit(options), Summit(options)
    for _ in range(pairs):
        plus, minus = ([chance.choice((-0.1, 0.1)) for _ in range(options)] for _ in "12")
        summit.add(plus, minus, 0)
        far = [10 * each * chance.random() for each in plus]
        valley.add(far, minus, round(2 * sum(each * each for each in far)))
    here = [0.25] * options
    assert summit.near(here) == here
    if pairs < 20:
        assert valley.near(here) == here or pairs > options * (options + 3) // 2


@given(seed=st.integers(0, 99), size=st.integers(1, 6))
def test_the_axes_of_a_matrix_are_its_own(seed: int, size: int) -> None:
    chance = Random(seed)
    half = [[chance.uniform(-2, 2) for _ in range(size)] for _ in range(size)]
    matrix = [[half[i][j] + half[j][i] for j in range(size)] for i in range(size)]
    for value, axis in principal_axes(matrix):
        for row, part in zip(matrix, axis, strict=True):
            assert sum(a * b for a, b in zip(row, axis, strict=True)) == pytest.approx(
                value * part, abs=1e-9
            )


@pytest.mark.parametrize(("options", "of_it"), [(1, 0.7), (2, 0.9)])
def test_what_all_pairs_tell_is_nearer_than_where_the_last_one_left_off(
    options: int, of_it: float
) -> None:
    tuning = Tuning(
        parameters=read_ranges({f"o{at}": "0..1000 from 950" for at in range(options)}), pairs=800
    )

    def elo(values: Values) -> float:
        return -sum(250 / options * ((value - 400) / 550) ** 2 for _, value in values)

    last, told = [], []
    for seed in range(12):
        spsa, chance = Spsa(tuning, seed), Random(seed)
        for k in range(tuning.pairs):
            trial = spsa.trial(k)
            likely = score_of(elo(trial.plus) - elo(trial.minus))
            spsa.report(sum(1 if chance.random() < likely else -1 for _ in "12"))
        last.append(elo(tuple(("", at) for at in spsa.theta)))
        told.append(elo(spsa.values))
        assert all(0 <= at <= 1000 for at in spsa.at)
    assert fmean(told) > of_it * fmean(last) > -40
