"""What a test shows after its stop: as often too much as too little, in intervals that hold.

`make test` plays some matches of two settings, `make soak` two thousand of all (in
tests/soak/test_schedules_at_length.py).
"""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repeating import a_match, play
from sequential import Setting, holds, played, simulated

from lath.arena.schedule.fixed import SprtStanding
from lath.arena.schedule.sprt import (
    Sprt,
    SprtState,
    fixed_advantage,
    normalized_of,
    state,
    stopped_advantage,
)

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
    # Of tests of a hundred pairs 93.1 to 96.5 % were seen: results of few pairs are no normal ones.
    assert 0.94 - chance <= seen.held <= 0.96 + chance
    assert abs(seen.above - 0.5) <= 3 * 0.5 / math.sqrt(matches) + 0.02


def test_where_the_length_was_all_but_known_both_estimates_agree() -> None:
    """A test that is far from its bounds when its rounds are over has stopped by the rounds."""
    sprt, counts = Sprt(elo0=-30, elo1=30, alpha=1e-9, beta=1e-9), (10, 60, 200, 70, 12)
    now = state(sprt, counts)
    assert now.verdict is None
    fixed, stopped = fixed_advantage(counts), stopped_advantage(sprt, now)
    for one, other in (
        (stopped.elo, fixed.elo),
        (stopped.low, fixed.low),
        (stopped.high, fixed.high),
    ):
        assert one == pytest.approx(other, abs=0.5)


def test_the_other_way_round_all_has_the_other_sign() -> None:
    there = played(Sprt(elo0=-5, elo1=40), Setting(Sprt(elo0=0, elo1=1), 30.0).shares(), seeded())
    back = state(Sprt(elo0=-40, elo1=5), there.counts[::-1])
    one = stopped_advantage(Sprt(elo0=-5, elo1=40), there)
    other = stopped_advantage(Sprt(elo0=-40, elo1=5), back)
    assert other.elo == pytest.approx(-(one.elo or 0), abs=1e-3)
    assert other.low == pytest.approx(-(one.high or 0), abs=1e-3)


def seeded() -> random.Random:
    return random.Random(3)


@pytest.mark.parametrize("draws", [0.0, 0.3, 0.6])
def test_normalized_elo_are_those_of_games_without_draws(draws: float) -> None:
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


@pytest.mark.parametrize("pairs", [1, 10, 60])
def test_pairs_that_were_all_alike_are_no_certainty(pairs: int) -> None:
    """Such as of bots that win with the first seat: both are as good as each other, within."""
    sprt, counts = Sprt(elo0=0, elo1=20), (0, 0, pairs, 0, 0)
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
