"""What moves cost on the clock, and when an answer comes too late."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lath.arena.referee.clock import MARGIN_S, Clock, Limits
from lath.games.core import SEATS, Seat
from lath.notation.protocol import TimeControl

FIRST, SECOND = SEATS


def a_clock(*, margin_s: float = MARGIN_S) -> Clock:
    return Clock(Limits(time=TimeControl(initial_ms=1000, increment_ms=100), margin_s=margin_s))


def test_both_begin_with_the_initial_time() -> None:
    clock = a_clock()
    assert [clock.left_ms[seat] for seat in SEATS] == [1000, 1000]
    assert [clock.left_s[seat] for seat in SEATS] == [1.0, 1.0]


def test_a_move_costs_its_time_and_then_earns_the_increment() -> None:
    clock = a_clock()
    clock.charge(FIRST, 0.25)
    assert clock.left_s[FIRST] == pytest.approx(0.85)
    assert clock.left_s[SECOND] == 1.0


def test_an_overrun_empties_the_clock_and_never_makes_it_negative() -> None:
    clock = a_clock()
    clock.charge(FIRST, 1.04)
    assert clock.left_s[FIRST] == pytest.approx(0.1)
    clock.charge(FIRST, 5.0)
    assert clock.left_ms[FIRST] == 100


def test_a_clock_without_increment_stays_empty() -> None:
    clock = Clock(Limits(time=TimeControl(initial_ms=10)))
    clock.charge(SECOND, 0.03)
    assert clock.left_ms[SECOND] == 0
    assert clock.allowed_s[SECOND] == pytest.approx(0.05)


def test_milliseconds_are_rounded_down() -> None:
    clock = a_clock()
    clock.charge(FIRST, 0.1005)
    assert clock.left_ms[FIRST] == 999


def test_the_margin_is_allowed_on_top_of_what_is_left() -> None:
    clock = a_clock(margin_s=0.2)
    assert clock.allowed_s[FIRST] == pytest.approx(1.2)
    clock.charge(FIRST, 0.6)
    assert clock.allowed_s[FIRST] == pytest.approx(0.7)


def test_a_fixed_time_is_allowed_for_each_move_and_no_clock_runs() -> None:
    clock = Clock(Limits(time=TimeControl(move_ms=500), margin_s=0.05))
    clock.charge(Seat.FIRST, 0.4)
    assert clock.allowed_s[FIRST] == pytest.approx(0.55)
    assert clock.left_s[FIRST] is None


@pytest.mark.parametrize("time", [TimeControl(), TimeControl(nodes=100)], ids=str)
def test_the_hard_limit_stands_in_where_no_time_is_set(time: TimeControl) -> None:
    clock = Clock(Limits(time=time, hard_limit_s=7.0))
    assert clock.allowed_s[FIRST] == 7.0
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
    time = TimeControl(initial_ms=1000, increment_ms=100, first_ms=3000)
    clock = Clock(Limits(time=time))
    clock.resume(SECOND, 0.7)
    assert clock.allowed_s[SECOND] == pytest.approx(3.05)
    clock.charge(SECOND, 2.0)
    assert clock.left_ms[SECOND] == 700
    assert clock.allowed_s[SECOND] == pytest.approx(0.75)
    plain = a_clock()
    plain.resume(SECOND, 0.7)
    assert plain.allowed_s[SECOND] == pytest.approx(0.75)
