"""The number of games that shows a difference: in 80 of 100 simulated comparisons it is found."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from sample_records import random_game

from lath.reports.estimates import Kind, difference, estimate
from lath.reports.measures import Group
from lath.reports.power import LEAST_GAMES, WORST, games_to_tell, needed

COMPARISONS = 600


def score(chance: random.Random, ahead: float) -> float:
    return float(chance.random() < 0.45 + ahead)


def score_with_draws(chance: random.Random, ahead: float) -> float:
    return 0.5 if chance.random() < 0.5 else float(chance.random() < 0.4 + 2 * ahead)


def length(chance: random.Random, ahead: float) -> float:
    return chance.gauss(20 + ahead, 6)


def drama(chance: random.Random, ahead: float) -> float:
    """Return what is skewed, as drama is."""
    return chance.expovariate(1 / 0.25) + ahead


@pytest.mark.parametrize(
    ("value", "kind", "variance", "apart"),
    [
        (score, "share", WORST, 0.1),
        # Half of the variance, and what is won and lost is 0.4 to 0.6.
        (score_with_draws, "share", WORST / 2, 0.1),
        (length, "mean", 36.0, 2.0),
        (drama, "mean", 0.25**2, 0.1),
    ],
)
def test_a_difference_is_found_in_80_of_100_comparisons(
    value: Callable[[random.Random, float], float], kind: Kind, variance: float, apart: float
) -> None:
    games = games_to_tell(variance, apart)
    clusters, chance, found = range(games), random.Random(1), 0
    bounds = (0.0, 1.0) if kind == "share" else (float("-inf"), float("inf"))
    for _ in range(COMPARISONS):
        both = [
            estimate([value(chance, ahead) for _ in clusters], clusters, kind, bounds)
            for ahead in (0.0, apart)
        ]
        assert both[0] is not None
        assert both[1] is not None
        p_value = difference(both[0], both[1]).p_value
        found += p_value is not None and p_value <= 0.05
    # Three standard errors of a share of 80 % in so many comparisons.
    assert found / COMPARISONS == pytest.approx(0.8, abs=0.05)


def test_without_games_the_widest_spread_is_assumed_and_the_rest_is_not_known() -> None:
    advantage, plies, of_drama = needed(Group("yavalath"))
    assert (advantage.games, advantage.assumed, advantage.played) == (393, True, 0)
    for each in (plies, of_drama):
        assert (each.games, each.assumed) == (None, False)
        assert each.why == f"known after {LEAST_GAMES} games of bots like these"


def test_with_games_their_own_spread_counts() -> None:
    group = Group("yavalath")
    for seed in range(40):
        group.add(random_game("yavalath", seed, Number=str(seed + 1)))
    rows = {row.measure.key: row.of for row in group.rows()}
    advantage, plies, of_drama = needed(group)
    assert (advantage.assumed, advantage.played, plies.played) == (False, 40, 40)
    of = rows["plies"]
    assert plies.apart == pytest.approx(of.value / 10)
    assert plies.games == games_to_tell(40 * of.variance, of.value / 10)
    assert of_drama.games is None
    assert "not measurable with these bots: 0 of 40 games are judged" in of_drama.why
