"""Laws of every format: both seats, numbers that stay, plans that no order of arrival changes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from schedules import a_schedule, by_chance, played, played_at_once, report, take_in

from lath.arena.referee.record import GamePlan
from lath.arena.schedule.core import Schedule, pair_of
from lath.arena.schedule.formats import FORMATS
from lath.arena.schedule.sprt import Sprt
from lath.arena.schedule.spsa import Parameter, Tuning

SPRT = Sprt(elo0=0, elo1=200, alpha=0.1, beta=0.1)
BOTS = {"match": st.just(2), "tune": st.just(2)}
DEPTH = Parameter(name="depth", low=1, high=9, start=3, step=1)

tunings = st.builds(
    Tuning, parameters=st.just((DEPTH,)), pairs=st.integers(1, 9), ahead=st.integers(1, 5)
)

every_format = pytest.mark.parametrize("form", FORMATS)


@st.composite
def terms(draw: st.DrawFn, form: str) -> dict[str, Any]:
    """Draw a small field, the games and how often they are played."""
    bots = draw(BOTS.get(form, st.integers(2, 9)))
    return {
        "names": tuple(f"bot {number}" for number in range(bots)),
        "games": draw(st.sampled_from([("yavalath",), ("yavalath", "manalath")])),
        "rounds": draw(st.integers(1, 5)),
        "pairs": draw(st.integers(1, 2)),
        "sprt": draw(st.sampled_from([None, SPRT])) if form in ("match", "tune") else None,
        "tuning": draw(tunings) if form == "tune" else None,
    }


def end_of(schedule: Schedule) -> tuple[int, int, object]:
    return schedule.done, schedule.total, schedule.standing()


@every_format
@given(data=st.data())
def test_every_start_is_played_with_both_seats(form: str, data: st.DataObject) -> None:
    schedule = a_schedule(form, **data.draw(terms(form)))
    for pair in played(schedule):
        one, other = pair.games
        assert one.names == other.names[::-1]
        assert (one.round, one.game, one.setup) == (other.round, other.game, other.setup)


@every_format
@given(data=st.data())
def test_no_number_comes_twice_and_in_the_end_all_games_are_done(
    form: str, data: st.DataObject
) -> None:
    schedule = a_schedule(form, **data.draw(terms(form)))
    pairs = list(played(schedule))
    numbers = [game.number for pair in pairs for game in pair.games]
    assert len(set(numbers)) == len(numbers) == schedule.done == schedule.total
    assert all(pair_of(game.number) == pair.number for pair in pairs for game in pair.games)
    assert schedule.next() is None
    if form != "knockout":
        assert sorted(numbers) == list(range(1, len(numbers) + 1))


@every_format
@given(data=st.data(), seed=st.integers(0, 999), most=st.integers(0, 60))
def test_a_run_that_was_killed_goes_on_to_the_same_games_and_the_same_end(
    form: str, data: st.DataObject, seed: int, most: int
) -> None:
    told = data.draw(terms(form))
    whole = a_schedule(form, **told)
    plan = {game.number: game for pair in played(whole) for game in pair.games}
    stored = list(played_at_once(a_schedule(form, **told), seed, most=most))
    resumed = a_schedule(form, **told)
    take_in(resumed, stored)
    rest = list(played_at_once(resumed, seed + 1))
    assert end_of(resumed) == end_of(whole)
    assert Counter(game.number for game in stored + rest).most_common(1)[0][1] == 1
    assert {game.number: game for game in stored + rest if game.number in plan} == plan


@every_format
@given(data=st.data(), seeds=st.tuples(st.integers(0, 999), st.integers(0, 999)))
def test_the_order_in_which_games_end_changes_nothing(
    form: str, data: st.DataObject, seeds: tuple[int, int]
) -> None:
    told = data.draw(terms(form))
    ends = []
    for seed in seeds:
        schedule = a_schedule(form, **told)
        assert list(played_at_once(schedule, seed))
        ends.append(end_of(schedule))
    assert ends[0] == ends[1]


adaptive = pytest.mark.parametrize("form", ["swiss", "knockout"])


@adaptive
@given(data=st.data(), lost=st.sets(st.integers(1, 30), max_size=8), seed=st.integers(0, 99))
def test_pairs_that_are_lost_hold_nobody_up_and_are_lost_again_after_a_resumption(
    form: str, data: st.DataObject, lost: set[int], seed: int
) -> None:
    told = data.draw(terms(form))
    schedule = a_schedule(form, **told)
    stored: list[GamePlan] = []
    walked: list[tuple[int, str | None]] = []
    while (pair := schedule.next()) is not None:
        if pair.number in lost:
            loser = (*pair.names, None)[(seed + pair.number) % 3]
            if pair.number % 2:  # one game was played before
                stored.append(pair.games[0])
                report(schedule, pair.games[0])
            schedule.walkover(pair.number, loser)
            walked.append((pair.number, loser))
            continue
        for game in pair.games:
            stored.append(game)
            report(schedule, game)
    assert schedule.done == schedule.total == len(stored)
    resumed = a_schedule(form, **told)
    for game in stored:
        report(resumed, game)
    for number, loser in walked:
        resumed.walkover(number, loser)
    assert resumed.next() is None
    assert end_of(resumed) == end_of(schedule)


@pytest.mark.parametrize("form", ["round-robin", "gauntlet", "match"])
def test_a_pairing_that_was_stopped_is_left_out_and_tried_again_in_the_next_run(form: str) -> None:
    names = ("ann", "bob") if form == "match" else ("ann", "bob", "cat")
    schedule = a_schedule(form, names=names)
    first = schedule.next()
    assert first is not None
    schedule.walkover(first.number, "ann")
    assert all(set(pair.names) != {"ann", "bob"} for pair in played(schedule))
    assert not schedule.keeps_walkovers
    again = a_schedule(form, names=names).next()
    assert again == first


@pytest.mark.parametrize("form", ["round-robin", "gauntlet", "swiss", "match"])
def test_more_rounds_change_no_game_that_was_there(form: str) -> None:
    names = ("ann", "bob") if form == "match" else ("ann", "bob", "cat", "dan", "eve")
    few = list(played(a_schedule(form, names=names, rounds=3)))
    many = list(played(a_schedule(form, names=names, rounds=5)))
    assert many[: len(few)] == few
    assert len(many) > len(few)


def test_games_of_a_run_with_more_rounds_count_for_nothing() -> None:
    for form in ("round-robin", "swiss"):
        long = a_schedule(form, rounds=4)
        games = [game for pair in played(long) for game in pair.games]
        short = a_schedule(form, rounds=2)
        for game in games:
            report(short, game)
        assert (short.next(), short.done) == (None, short.total)


def test_results_may_be_half_of_a_pair() -> None:
    schedule = a_schedule("round-robin")
    schedule.report(2, "bob", "ann", by_chance(GamePlan(**A_GAME)))
    pair = schedule.next()
    assert pair is not None
    assert [game.number for game in pair.left(schedule.finished)] == [1]


A_GAME: dict[str, Any] = {
    "number": 2,
    "round": 1,
    "game": "yavalath",
    "setup": None,
    "names": ("bob", "ann"),
    "seeds": (0, 0),
}
