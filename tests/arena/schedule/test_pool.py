"""What a pool plays: what is missing, and nothing twice, whatever is stored."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from schedules import make, played_at_once, take_in

from lath.arena.referee.record import GamePlan
from lath.arena.schedule.core import PairConditions, PlayedGame, Ruled, Schedule, pair_of
from lath.games.core import Result

TWO = ("ann", "bob")
TEN = PairConditions(times={"": "10+0.1"}, starts="seed 1")


def a_pool(names: tuple[str, ...] = TWO, **more: Any) -> Schedule:
    return make("pool", **{"names": names, "games": ("yavalath",), "rounds": 1, **more})


def left(schedule: Schedule) -> list[tuple[int, int]]:
    """Return numbers and rounds of the games that a schedule plays now."""
    return [
        (game.number, game.round)
        for pair in iter(schedule.next, None)
        for game in pair.left(schedule.finished)
    ]


HALF = PlayedGame(1, "ann", "bob", Result("1-0"), "yavalath", 1)


@pytest.mark.parametrize(
    ("more", "games"),
    [
        (None, [(2, 1)]),
        ({"times": {"": "10+0.1", "cat": "1+0"}}, [(2, 1)]),
        ({"starts": "seed 2"}, []),
        ({"times": {"": "5+0.1"}}, [(3, 1), (4, 1)]),
        ({"times": {"": "10+0.1", "bob": "1+0"}}, [(3, 1), (4, 1)]),
    ],
)
def test_a_pair_that_was_broken_off_is_completed_where_it_would_begin_alike(
    more: dict[str, Any] | None, games: list[tuple[int, int]]
) -> None:
    now = [] if more is None else [replace(TEN, from_pair=2, **more)]
    pool = a_pool(conditions=(TEN, *now))
    pool.take_in([HALF])
    assert pool.total == 1 + len(games)
    assert left(pool) == games


def test_pairs_of_a_swiss_count_though_they_have_one_round() -> None:
    pool = a_pool(rounds=3)
    seats = (TWO, TWO[::-1]) * 2
    pool.take_in(
        PlayedGame(number, *names, Result("1-0"), "yavalath", 1)
        for number, names in enumerate(seats, 1)
    )
    assert left(pool) == [(5, 3), (6, 3)]


def test_who_played_before_the_roster_was_another_is_not_forgotten() -> None:
    pool = a_pool(("ann", "cat", "bob"))
    pool.take_in([HALF, PlayedGame(2, "bob", "ann", Result("1-0"), "yavalath", 1)])
    assert (pool.done, pool.total) == (2, 6)
    assert sorted({pair_of(number) for number, _ in left(pool)}) == [2, 3]
    pool = a_pool(ruled=Ruled(bots=frozenset({"bob"})))
    pool.take_in([HALF])
    assert (pool.done, pool.total, pool.next()) == (1, 1, None), "all but one are disqualified"


@given(data=st.data(), chance=st.integers(0, 999))
def test_whatever_changes_between_runs_no_side_of_an_opening_is_played_twice(
    data: st.DataObject, chance: int
) -> None:
    stored: dict[int, GamePlan] = {}
    seats: set[tuple[object, ...]] = set()
    conditions: tuple[PairConditions, ...] = ()
    for _ in range(data.draw(st.integers(1, 4))):
        time, starts = data.draw(st.sampled_from(["1+0", "2+0"])), data.draw(st.sampled_from("ab"))
        last = pair_of(max(stored, default=0))
        now = PairConditions(from_pair=last + 1, times={"": time}, starts=starts)
        conditions = (*(each for each in conditions if each.from_pair <= last), now)
        told: dict[str, Any] = {
            "names": tuple(data.draw(st.permutations("abcd")))[: data.draw(st.integers(2, 4))],
            "games": data.draw(st.sampled_from([("yavalath",), ("yavalath", "manalath")])),
            "rounds": data.draw(st.integers(1, 3)),
            "conditions": conditions,
        }
        pool = a_pool(**told)
        take_in(pool, stored.values())
        for game in played_at_once(pool, chance, most=data.draw(st.sampled_from([0, 3, 9, 999]))):
            assert game.number not in stored
            seat = (*game.names, game.game, game.round, time)
            assert seat not in seats
            stored[game.number] = game
            seats.add(seat)
        assert pool.done == len(stored)
        again = a_pool(**told)
        take_in(again, stored.values())
        assert (again.done, again.total) == (pool.done, pool.total)
        assert (again.next() is None) == (pool.done == pool.total)
