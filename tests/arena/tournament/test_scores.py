"""A bot's score, its interval and its Elo: against numbers computed by hand."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lath.arena.tournament.progress import Score
from lath.reports.ratings.numerics import Z95

PAIRS = st.lists(
    st.tuples(st.sampled_from([1, 2]), st.integers(0, 4)).map(
        lambda pair: (min(pair[1] / 2, pair[0]), pair[0])
    ),
    min_size=1,
    max_size=60,
)


def score_of(pairs: list[tuple[float, int]]) -> Score:
    """Return the score of pairs: points and games of each."""
    return Score(pairs=Counter(pairs))


def by_hand(pairs: list[tuple[float, int]]) -> tuple[float, float]:
    """Return middle and half width from a list of all pairs, the imagined ones with them."""
    all_pairs = [*pairs, (2, 2), (2, 2), (0, 2), (0, 2)]
    games = sum(games for _, games in all_pairs)
    middle = sum(points for points, _ in all_pairs) / games
    squares = sum((points - middle * games) ** 2 for points, games in all_pairs)
    return middle, Z95 * math.sqrt(squares) / games


def test_the_interval_is_that_of_pairs_with_two_won_and_two_lost_besides() -> None:
    # 10 pairs: 4 of two points, 3 of one, 2 of a half, 1 of none: 12 of 20. With the imagined ones
    # 16 of 28, 4/7. Squares of points - 8/7: 6 * (6/7)^2 + 3 * (1/7)^2 + 2 * (9/14)^2 + 3 * (8/7)^2
    # = (864 + 12 + 162 + 768) / 196 = 1806 / 196; their root / 28 is 0.108411.
    score = score_of([(2, 2)] * 4 + [(1, 2)] * 3 + [(0.5, 2)] * 2 + [(0, 2)])
    low, middle, high = score.interval()
    assert middle == pytest.approx(4 / 7)
    assert low == pytest.approx(4 / 7 - 1.959964 * 0.108411, abs=1e-5)
    assert high == pytest.approx(4 / 7 + 1.959964 * 0.108411, abs=1e-5)


@given(PAIRS)
def test_the_sums_give_what_the_list_of_all_pairs_gives(pairs: list[tuple[float, int]]) -> None:
    low, found, high = score_of(pairs).interval()
    middle, half = by_hand(pairs)
    assert found == pytest.approx(middle)
    assert low == pytest.approx(max(0.0, middle - half), abs=1e-6)
    assert high == pytest.approx(min(1.0, middle + half), abs=1e-6)


@given(PAIRS)
def test_the_interval_holds_the_score_and_is_never_empty(pairs: list[tuple[float, int]]) -> None:
    low, middle, high = score_of(pairs).interval()
    assert 0 <= low < middle < high <= 1
    assert low <= sum(points for points, _ in pairs) / sum(games for _, games in pairs) <= high


def test_a_bot_that_wins_everything_has_a_narrower_interval_with_every_game() -> None:
    lows = []
    for pairs in (1, 10, 100, 10_000):
        low, _, high = score_of([(2, 2)] * pairs).interval()
        assert high == 1
        lows.append(low)
    assert all(one < other for one, other in pairwise(lows))
    assert lows[-1] > 0.999


def test_pairs_in_which_the_seat_decides_say_more_than_as_many_games_apart() -> None:
    low, _, high = score_of([(1, 2)] * 50).interval()
    apart_low, _, apart_high = score_of([(1, 1), (0, 1)] * 50).interval()
    assert high - low < (apart_high - apart_low) / 2


def test_a_bot_without_games_has_no_score_and_no_interval() -> None:
    nothing = Score().standing()
    assert (nothing.score, nothing.low, nothing.high) == (None, None, None)


def test_the_interval_has_the_truth_in_it_about_95_times_of_100() -> None:
    # Exactly: 30 pairs, each worth 0, 1 or 2 points with probabilities 0.25, 0.5 and 0.25.
    held = 0.0
    for twos in range(31):
        for zeros in range(31 - twos):
            ones = 30 - twos - zeros
            ways = math.comb(30, twos) * math.comb(30 - twos, zeros)
            probability = ways * 0.25 ** (twos + zeros) * 0.5**ones
            score = Score(pairs=Counter({(2, 2): twos, (1, 2): ones, (0, 2): zeros}))
            low, _, high = score.interval()
            held += probability * (low <= 0.5 <= high)
    assert 0.94 < held < 0.98
