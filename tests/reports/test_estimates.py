"""Intervals of means and differences, and which differences are believed, in simulations.

There are some hundred samples of each kind; `tests/soak/test_findings_at_length.py` has thousands.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from statistics import mean
from typing import Any

import pytest

from lath.reports.counting.estimates import (
    Estimated,
    EstimateDifference,
    Kind,
    adjusted,
    difference,
    estimate,
)

pytestmark = pytest.mark.slow

Sample = tuple[list[float], list[int]]

SELDOM = 0.4 * (1 - math.exp(-5)) / 5

DRAWS: dict[str, Callable[[random.Random], float]] = {
    "half": lambda r: r.random() < 0.5,
    "fifth": lambda r: r.random() < 0.2,
    # Of all, 40% are won and 30% drawn.
    "drawn": lambda r: 1.0 if (at := r.random()) < 0.4 else 0.5 if at < 0.7 else 0.0,
    "normal": lambda r: r.gauss(0, 1),
    "skewed": lambda r: r.expovariate(1),
    # What most games have none of, as drama: 0 in 60%, else mostly little.
    "seldom": lambda r: 0.0 if r.random() < 0.6 else min(1.0, r.expovariate(5)),
}


def drawn(name: str, tilt: float = 0.0, size: int = 0) -> Callable[[random.Random, int], Sample]:
    """Return how games are drawn whose clusters differ: of so many, or of pairs, or each alone."""

    def draw(chance: random.Random, games: int) -> Sample:
        clusters = {0: games, 2: games // 2}.get(size, size)
        tilts = [chance.gauss(0, tilt) if tilt else 0.0 for _ in range(clusters)]
        of = [game % clusters for game in range(games)]
        return [DRAWS[name](chance) + tilts[cluster] for cluster in of], of

    return draw


def leaning(share: float, tilt: float, size: int) -> Callable[[random.Random, int], Sample]:
    def draw(chance: random.Random, games: int) -> Sample:
        clusters = games // 2 if size == 2 else size
        shares = [share + chance.uniform(-tilt, tilt) for _ in range(clusters)]
        of = [game % clusters for game in range(games)]
        return [float(chance.random() < shares[cluster]) for cluster in of], of

    return draw


CASES: dict[str, tuple[Kind, float, Callable[[random.Random, int], Sample]]] = {
    "a share of a half": ("share", 0.5, drawn("half")),
    "a share of a fifth": ("share", 0.2, drawn("fifth")),
    "a score with draws": ("share", 0.55, drawn("drawn")),
    "a share of pairs": ("share", 0.5, leaning(0.5, 0.4, 2)),
    "a share of 12 openings": ("share", 0.5, leaning(0.5, 0.3, 12)),
    "a share of 40 openings": ("share", 0.2, leaning(0.2, 0.2, 40)),
    "a normal mean": ("mean", 0.0, drawn("normal")),
    "a skewed mean": ("mean", 1.0, drawn("skewed")),
    "a mean of what is seldom": ("mean", SELDOM, drawn("seldom")),
    "a mean of pairs": ("mean", 1.0, drawn("skewed", 1.0, 2)),
    "a mean of 12 openings": ("mean", 0.0, drawn("normal", 0.5, 12)),
}


def made(values: list[float], clusters: Iterable[int], kind: Kind, **more: Any) -> Estimated:
    found = estimate(values, [*clusters], kind, **more)
    assert found is not None
    return found


def holds(found: Estimated | EstimateDifference, truth: float) -> bool:
    return found.low is not None and found.high is not None and found.low <= truth <= found.high


def held(name: str, games: int, samples: int) -> float:
    """Return in what part of samples the interval held the truth."""
    kind, truth, draw = CASES[name]
    chance = random.Random(name)
    return mean(holds(made(*draw(chance, games), kind), truth) for _ in range(samples))


@pytest.mark.parametrize("name", CASES)
def test_95_percent_intervals_hold_the_truth_in_93_to_97_percent(name: str) -> None:
    assert 0.93 <= held(name, 120, 800) <= 0.97


def test_games_that_come_again_and_again_are_no_evidence_but_the_first() -> None:
    chance = random.Random(1)
    values = [chance.expovariate(1) for _ in range(40)]
    once, again = (made(values * times, [*range(40)] * times, "mean") for times in (1, 5))
    assert (again.games, again.clusters) == (200, 40)
    assert (again.low, again.high) == pytest.approx((once.low, once.high))
    assert again.variance > 4 * made(values * 5, range(200), "mean").variance


def test_that_bots_differ_is_no_doubt_about_the_mean_of_all() -> None:
    """Of 120 games of six pairs of bots that differ as much as games do."""
    chance, met = random.Random(1), [game % 6 for game in range(120)]

    def share(samples: int, strata: list[int]) -> float:
        found = []
        for _ in range(samples):
            values = [chance.gauss(each - 2.5, 1.7) for each in met]
            found.append(holds(made(values, range(120), "mean", strata=strata), 0))
        return mean(found)

    assert 0.93 <= share(800, met) <= 0.97
    assert share(300, []) > 0.98, "too wide"


def test_without_an_interval_it_is_said_so() -> None:
    assert estimate([], [], "mean") is None
    alike = made([4.0] * 9, range(9), "mean")
    assert (made([1.0, 2.0], [1, 2], "mean").low, alike.low, alike.high) == (None, None, None)
    sure = made([1.0] * 9, range(9), "mean", bounds=(0.0, 1.0))
    assert (round(sure.low or 0, 2), sure.high) == (0.7, 1.0), "as nine of nine"


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
    (kind, value, draw), (_, again, redraw) = CASES[one], CASES[other]
    chance = random.Random(one + other)
    found = [
        difference(made(*draw(chance, 100), kind), made(*redraw(chance, 100), kind))
        for _ in range(700)
    ]
    inside = [holds(each, again - value) for each in found]
    assert 0.93 <= mean(inside) <= 0.97
    if one == other:
        small = mean(d.p_value is not None and d.p_value <= 0.05 for d in found)
        assert 0.03 <= small <= 0.07
        outside = [d for d, is_in in zip(found, inside, strict=True) if not is_in]
        assert all((d.p_value or 0) < 0.08 for d in outside), "test and interval agree"


def believed(chance: random.Random, shifts: Sequence[float]) -> list[bool]:
    """Return which of ten differences are believed, between games and others with these shifts.

    The ten measures hang together: half of each is what the game has at all.
    """

    def measured(shifts: Sequence[float]) -> list[Estimated]:
        rows: list[list[float]] = [[] for _ in shifts]
        for _ in range(40):
            common = chance.expovariate(1)
            for row, shift in zip(rows, shifts, strict=True):
                row.append(common + chance.expovariate(1) + shift)
        return [made(row, range(40), "mean") for row in rows]

    pairs = zip(measured([0.0] * 10), measured(shifts), strict=True)
    return [p <= 0.05 for p in adjusted([difference(*pair).p_value or 0.0 for pair in pairs])]


@pytest.mark.parametrize(("differ", "samples"), [(0, 250), (5, 250)])
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
