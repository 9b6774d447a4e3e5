"""The sequential test: published numbers, true maxima, errors as rare as asked, honest estimates.

`make test` plays some matches of two settings, `make soak` two thousand of all (in
tests/soak/test_schedules_at_length.py).
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repeating import a_match, play
from sequential import Setting, holds, simulated

from lath.arena.schedule.fixed import SprtStanding
from lath.arena.schedule.sprt import (
    EMPTY,
    MOST_ELO,
    SCORES,
    FirstMoveAdvantage,
    Sprt,
    SprtState,
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


def test_the_ratio_is_what_fastchess_and_the_estimate_what_fishtest_says() -> None:
    for counts, sprt, ratio in PUBLISHED:
        assert llr(sprt, counts) == pytest.approx(ratio, abs=0.01)
    # Source: fishtest, issue 2571; its 245.47 is corrected for the early stop.
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


def test_lopsided_results_give_numbers() -> None:
    lopsided = [(0, 0, 0, 0, n) for n in (1, 7, 10_000_000)] + [
        (n, 0, 0, 0, 0) for n in (1, 500_000)
    ]
    for model, most in MOST_ELO.items():
        hypotheses = [(0, 5), (-most, most), (0, most), (most - 1, most), (-most, 1 - most)]
        for counts in [*lopsided, (0, 0, 9, 0, 0), (3, 0, 0, 0, 3), (0, 0, 0, 0, 0)]:
            for sprt in (a_test(elo0, elo1, model) for elo0, elo1 in hypotheses):
                now = state(sprt, counts)
                shown = [fixed_advantage(counts), stopped_advantage(sprt, now)]
                ends = [end for show in shown for end in (show.elo, show.low, show.high)]
                numbers = [
                    now.llr,
                    *now.bounds,
                    *ends,
                    *(normalized_of(counts, end) for end in ends),
                ]
                assert all(number is None or math.isfinite(number) for number in numbers)


def test_who_wins_everything_is_soon_believed_and_before_any_pair_nothing_is_known() -> None:
    sprt, nothing = a_test(0, 100), (0, 0, 0, 0, 0)
    assert [state(sprt, (0, 0, 0, 0, n)).verdict for n in (0, 1, 11, 12)] == [*[None] * 3, "H1"]
    assert state(sprt, (12, 0, 0, 0, 0)).verdict == "H0"
    assert state(sprt, nothing).llr == 0
    unknown = FirstMoveAdvantage(None, None, None)
    assert fixed_advantage(nothing) == stopped_advantage(sprt, state(sprt, nothing)) == unknown


def test_the_other_way_round_all_has_the_other_sign() -> None:
    counts, sprt, back = (3, 20, 50, 31, 9), a_test(-7, 3), a_test(-3, 7)
    assert llr(back, counts[::-1]) == pytest.approx(-llr(sprt, counts))
    one = stopped_advantage(sprt, state(sprt, counts))
    other = stopped_advantage(back, state(back, counts[::-1]))
    assert one.elo
    assert one.high
    assert [other.elo, other.low] == pytest.approx([-one.elo, -one.high], abs=1e-3)


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
    """Of 200 tests at 5%, three standard deviations are 5 points; of 1000, 2.

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


# What a test shows after its stop: as often too much as too little, in intervals that hold.

QUICK = [
    (Setting(Sprt(elo0=0, elo1=20), 0.0, draws=0.6), 60),
    (Setting(Sprt(elo0=0, elo1=80, model="normalized"), 80.0, opening=100.0), 20),
]


def name_of(value: object) -> str:
    if not isinstance(value, Setting):
        return str(value)
    sprt = value.sprt
    rest = " ".join(map(str, value[1:]))
    return f"{sprt.model} {sprt.elo0:g},{sprt.elo1:g} at {rest}"


@pytest.mark.parametrize(("setting", "matches"), QUICK, ids=name_of)
def test_estimates_and_intervals_know_of_the_stop(setting: Setting, matches: int) -> None:
    seen = simulated(setting, matches)
    chance = 3 * math.sqrt(0.05 * 0.95 / matches)
    # Of tests of a hundred pairs 93.1 to 96.5% were seen: results of few pairs are no normal ones.
    assert 0.94 - chance <= seen.held <= 0.96 + chance
    assert abs(seen.above - 0.5) <= 3 * 0.5 / math.sqrt(matches) + 0.02


def test_where_the_length_was_all_but_known_both_estimates_agree() -> None:
    """A test that is far from its bounds when its rounds are over has stopped by the rounds."""
    sprt, counts = Sprt(elo0=-30, elo1=30, alpha=1e-9, beta=1e-9), (10, 60, 200, 70, 12)
    now = state(sprt, counts)
    assert now.verdict is None
    shown = stopped_advantage(sprt, now)
    fixed = fixed_advantage(counts)
    expected = [fixed.elo, fixed.low, fixed.high]
    assert [shown.elo, shown.low, shown.high] == pytest.approx(expected, abs=0.5)


def test_normalized_elo_are_those_of_games_without_draws() -> None:
    for draws in (0.0, 0.3, 0.6):
        setting = Setting(Sprt(elo0=0, elo1=1), 0.0, draws)
        counts = [round(100_000 * share) for share in setting.shares()]
        assert normalized_of(counts, 0.0) == pytest.approx(0, abs=1e-9)
        assert normalized_of(counts, 3.0) == pytest.approx(3 / math.sqrt(1 - draws), rel=1e-3)


def test_bots_of_few_lines_decide_nothing_by_repeating_them() -> None:
    """Counted pair by pair, all such tests end with a verdict; if new as pairs, four in five."""
    lines, verdicts = 10, []
    for seed in range(20):
        chance = random.Random(seed)
        results = chance.choices(("0-1", "1/2-1/2", "1-0"), (35, 30, 35), k=2 * lines)
        lots = [(chance.randrange(lines), lines + chance.randrange(lines)) for _ in range(400)]
        games = [((results[i], 1 + i), (results[j], 1 + j)) for i, j in lots]
        schedule = a_match(Sprt(elo0=0, elo1=50), rounds=400)
        play(schedule, games.__getitem__)
        standing = schedule.standing()
        assert isinstance(standing, SprtStanding)
        verdicts.append(standing.state.verdict)
    assert verdicts == [None] * 20


def test_pairs_that_were_all_alike_are_no_certainty() -> None:
    """Such as of bots that win with the first seat: both are as good as each other, within."""
    sprt = Sprt(elo0=0, elo1=20)
    for pairs in (1, 10, 60):
        counts = (0, 0, pairs, 0, 0)
        for shown in (fixed_advantage(counts), stopped_advantage(sprt, state(sprt, counts))):
            assert shown.elo == pytest.approx(0, abs=3)
            assert shown.low is None or shown.low < -500 / pairs
            assert shown.high is None or shown.high > 500 / pairs
    assert (fixed_advantage((0, 0, 0, 0, 5)).low or 0) < 300


def test_an_interval_without_an_end_holds_what_is_far() -> None:
    sprt = Sprt(elo0=0, elo1=100)
    shown = stopped_advantage(sprt, state(sprt, (0, 0, 0, 0, 12)))
    assert (shown.elo, shown.high) == (None, None)
    # Of twelve pairs that were won at least: 0.025 ** (1 / 24) of the points, which is exact.
    assert shown.low == pytest.approx(311.8, abs=0.1)
    assert holds(shown, 800)


@st.composite
def stands(draw: st.DrawFn) -> tuple[Sprt, SprtState]:
    """Draw any counts, hypotheses, model and worth: a test that stopped, with a verdict or not."""
    elo0 = draw(st.integers(-60, 60))
    sprt = Sprt(
        elo0=elo0,
        elo1=elo0 + draw(st.integers(1, 80)),
        alpha=draw(st.sampled_from([0.01, 0.05, 0.2])),
        beta=draw(st.sampled_from([0.01, 0.05, 0.2])),
        model=draw(st.sampled_from(["logistic", "normalized"])),
    )
    few, many = st.integers(0, 5), st.integers(0, 400)
    counts = draw(st.lists(draw(st.sampled_from([few, many])), min_size=5, max_size=5).filter(any))
    return sprt, state(sprt, counts, draw(st.floats(0.01, 1)))


@given(drawn=stands())
def test_an_estimate_has_the_sign_of_the_result_and_lies_in_its_interval(
    drawn: tuple[Sprt, SprtState],
) -> None:
    sprt, now = drawn
    ahead = sum(count * (place - 2) for place, count in enumerate(now.counts))
    for shown in (stopped_advantage(sprt, now), fixed_advantage(now.counts, now.worth)):
        if shown.elo is not None:
            assert shown.elo * ahead >= 0
            assert shown.low is None or shown.low <= shown.elo + 1e-6
            assert shown.high is None or shown.elo <= shown.high + 1e-6
        elif ahead > 0:
            assert shown.high is None
        elif ahead < 0:
            assert shown.low is None
        assert shown.low is None or shown.high is None or shown.low <= shown.high


@given(
    drawn=stands(),
    results=st.lists(st.sampled_from(["1-0", "1/2-1/2", "0-1"]), min_size=2, max_size=2),
)
@settings(max_examples=20)
def test_a_match_ends_with_the_pair_that_crosses_a_bound(
    drawn: tuple[Sprt, SprtState], results: list[str]
) -> None:
    """However obvious the result: there is no least number of pairs but what the bounds ask for."""
    sprt, _ = drawn
    sprt = replace(sprt, elo1=sprt.elo0 + 80)
    schedule = a_match(sprt, rounds=400)
    play(schedule, lambda pair: ((results[0], 2 * pair + 1), (results[1], 2 * pair + 2)))
    standing = schedule.standing()
    assert isinstance(standing, SprtStanding)
    counts = standing.state.counts
    assert (standing.state.verdict is None) == (sum(counts) == 400)
    if standing.state.verdict:
        (place,) = [place for place, count in enumerate(counts) if count]
        before = [count - (at == place) for at, count in enumerate(counts)]
        assert state(sprt, before).verdict is None
