"""How many pairs wait for a worker, and whether results wait for each other."""

from __future__ import annotations

import pytest

from lath.arena.tournament.slots import AHEAD, FEWEST, GATHER_S, LONG_S, MOST, VERDICT_S, Pace


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def paced(pair_s: float, *, slots: int = 2, pairs: int = 200, longest_s: float = GATHER_S) -> Pace:
    """Return the pace of a run in which each slot plays a pair in this time."""
    clock = Clock()
    pace = Pace(slots, clock, longest_s=longest_s)
    for _ in range(pairs):
        clock.now_s += pair_s / slots
        pace.count(1)
    return pace


def test_long_pairs_are_stored_as_they_come() -> None:
    pace = paced(1.0)
    assert pace.gather_s == 0.0
    assert pace.window() == FEWEST


def test_short_pairs_are_stored_some_at_a_time_and_more_of_them_wait() -> None:
    for pair_s in (0.002, 0.2, 0.9):
        pace = paced(pair_s)
        assert pace.gather_s == pytest.approx(min(GATHER_S, MOST * pair_s / AHEAD))
        assert pace.window() * pair_s >= AHEAD * pace.gather_s - 1e-9


def test_little_is_handed_over_that_a_verdict_may_make_needless() -> None:
    for pair_s in (0.01, 0.2, 0.9):
        pace = paced(pair_s, longest_s=VERDICT_S)
        assert pace.gather_s <= VERDICT_S
        assert pace.window() * pair_s <= max(FEWEST * pair_s, AHEAD * VERDICT_S + pair_s)


def test_there_is_a_most_that_waits() -> None:
    assert paced(1e-6).window() == MOST


def test_nothing_is_known_at_first() -> None:
    pace = Pace(1)
    assert (pace.gather_s, pace.window()) == (0.0, FEWEST)
    pace.count(0)
    assert (pace.gather_s, pace.window()) == (0.0, FEWEST)


def test_a_run_that_becomes_slow_goes_back_to_storing_at_once() -> None:
    clock = Clock()
    pace = Pace(1, clock)
    for pair_s in [0.001] * 100 + [1.0] * 5:
        clock.now_s += pair_s
        pace.count(1)
    assert pace.gather_s == 0.0


def test_where_storing_takes_long_more_pairs_wait() -> None:
    pace = paced(1.5)
    assert pace.window() == FEWEST
    for _ in range(50):
        pace.stored(5.0)
    assert pace.window() * 1.5 >= AHEAD * 4.9


def test_no_long_pair_waits_for_a_worker_where_the_run_has_a_deadline() -> None:
    clock = Clock()
    pace = Pace(1, clock, has_deadline=True)
    assert pace.window() == 1
    for pair_s, window in ((LONG_S, 1), (LONG_S / 2, FEWEST)):
        for _ in range(50):
            clock.now_s += pair_s
            pace.count(1)
        assert pace.window() == window


def test_long_pairs_of_many_slots_are_stored_some_at_a_time() -> None:
    assert paced(2.0, slots=1600, pairs=20).gather_s == GATHER_S
