"""What moves cost on the clock, and when an answer comes too late."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lath.arena.referee.clock import Clock, Limits
from lath.games.core import SIDES
from lath.notation.protocol import TimeControl

FIRST, SECOND = SIDES
TIME = TimeControl(initial_ms=1000, increment_ms=100)


def test_a_move_costs_its_time_and_then_earns_the_increment() -> None:
    clock = Clock(Limits(time=TIME, margin_s=0.2))
    assert [clock.left_ms[seat] for seat in SIDES] == [1000, 1000]
    assert [clock.left_s[seat] for seat in SIDES] == [1.0, 1.0]
    assert clock.allowed_s[FIRST] == pytest.approx(1.2), "the margin comes on top"
    clock.charge(FIRST, 0.25)
    assert clock.left_s == pytest.approx([0.85, 1.0])
    assert clock.allowed_s[FIRST] == pytest.approx(1.05)


@pytest.mark.parametrize(
    ("time", "used_s", "left_ms", "allowed_s"),
    [
        (TIME, (1.04,), 100, 0.15),  # an overrun empties the clock
        (TIME, (1.04, 5.0), 100, 0.15),  # and never makes it negative
        (TimeControl(initial_ms=10), (0.03,), 0, 0.05),  # which then stays empty
        (TIME, (0.1005,), 999, 1.0495),  # milliseconds are rounded down
    ],
)
def test_what_is_left_is_never_negative(
    time: TimeControl, used_s: tuple[float, ...], left_ms: int, allowed_s: float
) -> None:
    clock = Clock(Limits(time=time))
    for seconds in used_s:
        clock.charge(SECOND, seconds)
    assert clock.left_ms[SECOND] == left_ms
    assert clock.allowed_s[SECOND] == pytest.approx(allowed_s)


@pytest.mark.parametrize(
    ("time", "allowed_s"),
    [(TimeControl(move_ms=500), 0.55), (TimeControl(), 7.0), (TimeControl(nodes=100), 7.0)],
    ids=str,
)
def test_where_no_clock_runs_each_move_has_its_time_or_the_hard_limit(
    time: TimeControl, allowed_s: float
) -> None:
    clock = Clock(Limits(time=time, margin_s=0.05, hard_limit_s=7.0))
    clock.charge(FIRST, 0.4)
    assert clock.allowed_s[FIRST] == pytest.approx(allowed_s)
    assert clock.left_s[FIRST] is None


@pytest.mark.parametrize(
    "time",
    [
        TimeControl(initial_ms=1000, increment_ms=100, first_ms=3000),
        TimeControl(move_ms=50, first_ms=3000),
        TimeControl(nodes=9, first_ms=3000),
        TimeControl(first_ms=3000),
    ],
    ids=str,
)
def test_the_first_move_has_its_own_limit_and_leaves_the_clock_alone(time: TimeControl) -> None:
    clock = Clock(Limits(time=time, margin_s=0.2, hard_limit_s=7.0))
    begun = Clock(Limits(time=replace(time, first_ms=0), margin_s=0.2, hard_limit_s=7.0))
    assert clock.allowed_s == pytest.approx([3.2, 3.2])
    assert (clock.left_s, clock.left_ms) == (begun.left_s, begun.left_ms)
    assert clock.charge(FIRST, 2.9) == begun.left_s[FIRST]
    assert clock.allowed_s == pytest.approx([begun.allowed_s[FIRST], 3.2]), "each one's own"
    assert clock.charge(FIRST, 0.04) == begun.charge(FIRST, 0.04)
    assert (clock.left_s, clock.left_ms) == (begun.left_s, begun.left_ms)
    assert clock.allowed_s[FIRST] == begun.allowed_s[FIRST]


def test_a_game_that_is_begun_again_has_a_first_move_again() -> None:
    clock, plain = Clock(Limits(time=replace(TIME, first_ms=3000))), Clock(Limits(time=TIME))
    for each, allowed_s in ((clock, 3.05), (plain, 0.75)):
        each.resume(SECOND, 0.7)
        assert each.allowed_s[SECOND] == pytest.approx(allowed_s)
    clock.charge(SECOND, 2.0)
    assert clock.left_ms[SECOND] == 700
    assert clock.allowed_s[SECOND] == pytest.approx(0.75)
