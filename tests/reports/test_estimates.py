"""Intervals of means and differences, and which differences are believed, in simulations.

There are some hundred samples of each kind; `tests/soak/test_findings_at_length.py` has thousands.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from statistics import mean

import pytest

from lath.reports.estimates import Difference, Kind, adjusted, difference, estimate

pytestmark = pytest.mark.slow

Draw = Callable[[random.Random], float]
Sample = tuple[list[float], list[int]]


def drawn(chance: random.Random) -> float:
    """Return a score: 40 % wins, 30 % draws."""
    return 1.0 if (at := chance.random()) < 0.4 else 0.5 if at < 0.7 else 0.0


def seldom(chance: random.Random) -> float:
    """Return what most games have none of, as drama: 0 in 60 %, else mostly little."""
    return 0.0 if chance.random() < 0.6 else min(1.0, chance.expovariate(5))


SELDOM = 0.4 * (1 - math.exp(-5)) / 5


def alone(draw: Draw, chance: random.Random, games: int) -> Sample:
    return [draw(chance) for _ in range(games)], list(range(games))


def together(draw: Draw, tilt: float, chance: random.Random, games: int, size: int) -> Sample:
    """Draw games whose clusters differ: of so many, or of pairs."""
    clusters = games // 2 if size == 2 else size
    tilts = [chance.gauss(0, tilt) for _ in range(clusters)]
    of = [game % clusters for game in range(games)]
    return [draw(chance) + tilts[cluster] for cluster in of], of


def leaning(share: float, tilt: float, chance: random.Random, games: int, size: int) -> Sample:
    clusters = games // 2 if size == 2 else size
    shares = [share + chance.uniform(-tilt, tilt) for _ in range(clusters)]
    of = [game % clusters for game in range(games)]
    return [float(chance.random() < shares[cluster]) for cluster in of], of


CASES: dict[str, tuple[Kind, float, Callable[[random.Random, int], Sample]]] = {
    "a share of a half": ("share", 0.5, lambda r, n: alone(lambda r: r.random() < 0.5, r, n)),
    "a share of a fifth": ("share", 0.2, lambda r, n: alone(lambda r: r.random() < 0.2, r, n)),
    "a score with draws": ("share", 0.55, lambda r, n: alone(drawn, r, n)),
    "a share of pairs": ("share", 0.5, lambda r, n: leaning(0.5, 0.4, r, n, 2)),
    "a share of 12 openings": ("share", 0.5, lambda r, n: leaning(0.5, 0.3, r, n, 12)),
    "a share of 40 openings": ("share", 0.2, lambda r, n: leaning(0.2, 0.2, r, n, 40)),
    "a normal mean": ("mean", 0.0, lambda r, n: alone(lambda r: r.gauss(0, 1), r, n)),
    "a skewed mean": ("mean", 1.0, lambda r, n: alone(lambda r: r.expovariate(1), r, n)),
    "a mean of what is seldom": ("mean", SELDOM, lambda r, n: alone(seldom, r, n)),
    "a mean of pairs": (
        "mean",
        1.0,
        lambda r, n: together(lambda r: r.expovariate(1), 1.0, r, n, 2),
    ),
    "a mean of 12 openings": (
        "mean",
        0.0,
        lambda r, n: together(lambda r: r.gauss(0, 1), 0.5, r, n, 12),
    ),
}


def held(name: str, games: int, samples: int) -> float:
    """Return in what part of samples the interval held the truth."""
    kind, truth, draw = CASES[name]
    chance, hits = random.Random(name), 0
    for _ in range(samples):
        found = estimate(*draw(chance, games), kind)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= truth <= found.high
    return hits / samples


@pytest.mark.parametrize("name", CASES)
def test_95_percent_intervals_hold_the_truth_in_93_to_97_percent(name: str) -> None:
    assert 0.93 <= held(name, 120, 1500) <= 0.97


def test_games_that_come_again_and_again_are_no_evidence_but_the_first() -> None:
    chance = random.Random(1)
    values = [chance.expovariate(1) for _ in range(40)]
    once, again = (estimate(values * times, list(range(40)) * times, "mean") for times in (1, 5))
    assert once is not None
    assert again is not None
    assert (again.games, again.clusters) == (200, 40)
    assert (again.low, again.high) == pytest.approx((once.low, once.high))
    wrong = estimate(values * 5, list(range(200)), "mean")
    assert wrong is not None
    assert again.variance > 4 * wrong.variance


def of_meetings(chance: random.Random, *, are_told: bool) -> bool:
    """Draw 120 games of six pairs of bots that differ as much as games do; is the truth held?"""
    met = [game % 6 for game in range(120)]
    values = [chance.gauss(each - 2.5, 1.7) for each in met]
    told = met if are_told else []
    found = estimate(values, range(120), "mean", strata=told)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    return found.low <= 0 <= found.high


def test_that_bots_differ_is_no_doubt_about_the_mean_of_all() -> None:
    chance = random.Random(1)
    assert 0.93 <= mean(of_meetings(chance, are_told=True) for _ in range(1500)) <= 0.97
    assert mean(of_meetings(chance, are_told=False) for _ in range(300)) > 0.98, "too wide"


def test_without_an_interval_it_is_said_so() -> None:
    assert estimate([], [], "mean") is None
    few = estimate([1.0, 2.0], [1, 2], "mean")
    alike = estimate([4.0] * 9, list(range(9)), "mean")
    assert few is not None
    assert alike is not None
    assert (few.low, alike.low, alike.high) == (None, None, None)
    sure = estimate([1.0] * 9, list(range(9)), "mean", (0.0, 1.0))
    assert sure is not None
    assert (round(sure.low or 0, 2), sure.high) == (0.7, 1.0), "as nine of nine"


def of_two(name: str, other: str, chance: random.Random, games: int) -> Difference:
    (kind, _, draw), (_, _, again) = CASES[name], CASES[other]
    one, two = estimate(*draw(chance, games), kind), estimate(*again(chance, games), kind)
    assert one is not None
    assert two is not None
    return difference(one, two)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a share of pairs", "a share of pairs"),
        ("a share of a half", "a share of a fifth"),
        ("a skewed mean", "a mean of what is seldom"),
        ("a mean of pairs", "a mean of pairs"),
    ],
)
def test_intervals_of_differences_hold_the_truth_as_often(one: str, other: str) -> None:
    chance, truth = random.Random(one + other), CASES[other][1] - CASES[one][1]
    found = [of_two(one, other, chance, 100) for _ in range(1500)]
    inside = [d.low is not None and d.high is not None and d.low <= truth <= d.high for d in found]
    assert 0.93 <= mean(inside) <= 0.97
    if one == other:
        small = mean(d.p_value is not None and d.p_value <= 0.05 for d in found)
        assert 0.03 <= small <= 0.07
        outside = [d for d, is_in in zip(found, inside, strict=True) if not is_in]
        assert all((d.p_value or 0) < 0.08 for d in outside), "test and interval agree"


def measured(chance: random.Random, shifts: Sequence[float], games: int) -> list[list[float]]:
    """Draw games of which ten measures hang together: half of each is what the game has at all."""
    rows: list[list[float]] = [[] for _ in shifts]
    for _ in range(games):
        common = chance.expovariate(1)
        for row, shift in zip(rows, shifts, strict=True):
            row.append(common + chance.expovariate(1) + shift)
    return rows


def believed(chance: random.Random, shifts: Sequence[float]) -> list[bool]:
    """Return which of ten differences are believed, between games and others with these shifts."""
    p_values = []
    pairs = zip(measured(chance, [0.0] * 10, 40), measured(chance, shifts, 40), strict=True)
    for values, others in pairs:
        one, two = (estimate(each, range(len(each)), "mean") for each in (values, others))
        assert one is not None
        assert two is not None
        p_values.append(difference(one, two).p_value or 0.0)
    return [p <= 0.05 for p in adjusted(p_values)]


@pytest.mark.parametrize(("differ", "samples"), [(0, 800), (5, 800)])
def test_of_differences_that_are_believed_one_in_twenty_is_chance(
    differ: int, samples: int
) -> None:
    chance = random.Random(differ)
    shifts = [1.5] * differ + [0.0] * (10 - differ)
    false, found = [], []
    for _ in range(samples):
        says = believed(chance, shifts)
        false.append(sum(says[differ:]) / max(1, sum(says)))
        found.append(sum(says[:differ]))
    assert mean(false) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / samples)
    if differ:
        assert mean(found) > 0.9 * differ, "true differences are found"
        assert mean(false) > 0.01, "and it is not over-careful"
