"""The sequential test: published numbers, true maxima, errors as rare as asked, no NaN."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sequential import holds

from lath.arena.schedule.sprt import (
    EMPTY,
    MOST_ELO,
    SCORES,
    Advantage,
    Sprt,
    elo_of,
    fixed_advantage,
    likeliest_with_mean,
    likeliest_with_t,
    llr,
    normalized_of,
    score_of,
    state,
    stopped_advantage,
)

Counts = tuple[int, ...]


def a_test(elo0: float, elo1: float, model: str = "logistic") -> Sprt:
    return Sprt(elo0=elo0, elo1=elo1, model=model)


# Source: fastchess, app/tests/sprt_test.cpp (2025), its counts of WL and DD added up.
PUBLISHED = [
    ((365, 16618, 36229, 16974, 390), a_test(0, 2, "normalized"), 2.25),
    ((127, 4883, 10712, 5150, 104), a_test(-1.75, 0.25, "normalized"), 3.01),
    ((223, 9863, 21279, 10037, 246), a_test(0.5, 2.5), -3.07),
    ((871, 26175, 55983, 26678, 821), a_test(0, 2), -4.98),
]


@pytest.mark.parametrize(("counts", "sprt", "ratio"), PUBLISHED)
def test_the_ratio_is_what_fastchess_says(counts: Counts, sprt: Sprt, ratio: float) -> None:
    assert llr(sprt, counts) == pytest.approx(ratio, abs=0.01)


def test_the_estimate_is_what_fishtest_says() -> None:
    """Source: fishtest, issue 2571; its 245.47 is corrected for the early stop."""
    assert fixed_advantage((1, 20, 300, 900, 779)).elo == pytest.approx(245.47, abs=0.5)


def likelihood(weights: Sequence[float], shares: Sequence[float]) -> float:
    return sum(weight * math.log(share) for weight, share in zip(weights, shares, strict=True))


def moments(shares: Sequence[float]) -> tuple[float, float]:
    mean = sum(share * score for share, score in zip(shares, SCORES, strict=True))
    spread = sum(share * (score - mean) ** 2 for share, score in zip(shares, SCORES, strict=True))
    return mean, spread


def seen(counts: Counts) -> list[float]:
    weights = [count or EMPTY for count in counts]
    return [weight / sum(weights) for weight in weights]


some_counts = st.tuples(*[st.integers(0, 300)] * 5).filter(any)


@given(counts=some_counts, elo=st.floats(-300, 300))
def test_no_other_distribution_of_that_mean_is_likelier(counts: Counts, elo: float) -> None:
    """Moves that keep sum and mean change three scores; the likelihood is concave."""
    mean = score_of(elo)
    weights = seen(counts)
    best = likeliest_with_mean(weights, mean)
    assert moments(best)[0] == pytest.approx(mean, abs=1e-8)
    for a, b, c in combinations(range(5), 3):
        for sign in (1, -1):
            step = sign * 1e-3 * min(best[a], best[b], best[c])
            moved = list(best)
            moved[a] += step * (c - b) / (c - a)
            moved[b] -= step
            moved[c] += step * (b - a) / (c - a)
            assert likelihood(weights, moved) <= likelihood(weights, best) + 1e-12


@given(counts=some_counts, elo=st.floats(-100, 100))
def test_no_other_distribution_of_that_t_is_likelier_nearby(counts: Counts, elo: float) -> None:
    """Independent: the multiplier of the condition's gradient is the same for all scores."""
    t = elo / 347.4356 * math.sqrt(2)
    weights = seen(counts)
    best = likeliest_with_t(weights, t)
    mean, spread = moments(best)
    deviation = math.sqrt(spread)
    assert sum(best) == pytest.approx(1, abs=1e-6)
    assert (mean - 0.5) / deviation == pytest.approx(t, abs=1e-6)
    slopes = [
        (score - 0.5) - t * ((score - mean) ** 2 + spread) / (2 * deviation) for score in SCORES
    ]
    ones = [weight / share - 1 for weight, share in zip(weights, best, strict=True)]
    factor = sum(a * b for a, b in zip(ones, slopes, strict=True)) / sum(b * b for b in slopes)
    assert ones == pytest.approx([factor * slope for slope in slopes], abs=1e-4 * max(1, *ones))


lopsided = [(0, 0, 0, 0, n) for n in (1, 7, 10_000_000)] + [(n, 0, 0, 0, 0) for n in (1, 500_000)]


@pytest.mark.parametrize("model", MOST_ELO)
@pytest.mark.parametrize("counts", [*lopsided, (0, 0, 9, 0, 0), (3, 0, 0, 0, 3), (0, 0, 0, 0, 0)])
def test_lopsided_results_give_numbers(counts: Counts, model: str) -> None:
    most = MOST_ELO[model]
    for elo0, elo1 in [(0, 5), (-most, most), (0, most), (most - 1, most), (-most, 1 - most)]:
        now = state(a_test(elo0, elo1, model), counts)
        shown = [fixed_advantage(counts), stopped_advantage(a_test(elo0, elo1, model), now)]
        ends = [end for show in shown for end in (show.elo, show.low, show.high)]
        numbers = [now.llr, *now.bounds, *ends, *(normalized_of(counts, end) for end in ends)]
        assert all(number is None or math.isfinite(number) for number in numbers)


def test_who_wins_everything_is_soon_believed() -> None:
    sprt = a_test(0, 100)
    assert [state(sprt, (0, 0, 0, 0, n)).verdict for n in (1, 11, 12)] == [None, None, "H1"]
    assert state(sprt, (12, 0, 0, 0, 0)).verdict == "H0"


def test_the_same_difference_the_other_way_round_has_the_other_sign() -> None:
    counts = (3, 20, 50, 31, 9)
    ratio = llr(a_test(-7, 3), counts)
    assert llr(a_test(-3, 7), counts[::-1]) == pytest.approx(-ratio)


def test_before_any_pair_nothing_is_known() -> None:
    sprt, nothing = a_test(0, 10), (0, 0, 0, 0, 0)
    now = state(sprt, nothing)
    assert (now.llr, now.verdict) == (0, None)
    unknown = Advantage(None, None, None)
    assert fixed_advantage(nothing) == stopped_advantage(sprt, now) == unknown


def test_the_interval_of_a_fixed_length_holds_the_truth_about_95_times_of_100() -> None:
    chance = random.Random(7)
    inside, tests = 0, 300
    for _ in range(tests):
        inside += holds(fixed_advantage(drawn(chance, 30, pairs=200)), 30)
    assert abs(inside / tests - 0.95) <= 3 * math.sqrt(0.05 * 0.95 / tests)


def drawn(chance: random.Random, elo: float, *, pairs: int, draws: float = 0.3) -> Counts:
    """Return results of pairs between bots of a known difference."""
    wins = score_of(elo) - draws / 2
    halves = chance.choices((2, 1, 0), (wins, draws, 1 - wins - draws), k=2 * pairs)
    sums = [one + other for one, other in zip(halves[::2], halves[1::2], strict=True)]
    return tuple(sums.count(score) for score in range(5))


def accepted(elo: float, sprt: Sprt, tests: int, seed: int) -> float:
    """Return the share of simulated tests that accept H1."""
    chance = random.Random(seed)
    times = 0
    for _ in range(tests):
        counts = [0] * 5
        verdict = None
        while verdict is None:
            counts = [a + b for a, b in zip(counts, drawn(chance, elo, pairs=1), strict=True)]
            verdict = state(sprt, counts).verdict
        times += verdict == "H1"
    return times / tests


@pytest.mark.parametrize(("model", "tests", "elo"), [("logistic", 200, 80), ("normalized", 60, 80)])
def test_both_errors_are_as_rare_as_asked(model: str, tests: int, elo: float) -> None:
    """Of 200 tests at 5 %, three standard deviations are 5 points; of 1000, 2.

    The farther apart, the sooner a test ends.
    """
    # Normalized: Elo divided by what the deviation of a game is over that of a coin's toss.
    scale = 1 / math.sqrt(1 - 0.3) if model == "normalized" else 1
    sprt = a_test(-elo * scale, elo * scale, model)
    margin = 3 * math.sqrt(0.05 * 0.95 / tests)
    assert accepted(-elo, sprt, tests, seed=1) < 0.05 + margin
    assert accepted(elo, sprt, tests, seed=2) > 0.95 - margin


def test_the_advantage_of_a_score_is_symmetric_and_none_at_the_ends() -> None:
    assert elo_of(0.5) == 0
    assert elo_of(0.64) == pytest.approx(-(elo_of(0.36) or 0))
    assert elo_of(10 / 11) == pytest.approx(400)
    assert (elo_of(1.0), elo_of(0.0)) == (None, None)
