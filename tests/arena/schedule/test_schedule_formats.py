"""Laws of every format: both seats, numbers that stay, whatever ends first, is lost or ruled."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from schedules import (
    NAMES,
    a_schedule,
    by_strength,
    outcome,
    played,
    played_at_once,
    report,
    take_in,
)

from lath.arena.referee.record import GamePlan
from lath.arena.schedule.core import Ruled, Schedule, pair_of
from lath.arena.schedule.formats import FORMATS
from lath.arena.schedule.sprt import Sprt
from lath.arena.schedule.tuning.spsa import TunedOption, Tuning
from lath.games.core import Result

SPRT = Sprt(elo0=0, elo1=200, alpha=0.1, beta=0.1)
BOTS = {"match": st.just(2), "tune": st.just(2)}
DEPTH = TunedOption(name="depth", low=1, high=9, start=3, step=1)

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
def test_every_start_is_played_with_both_sides_and_no_number_comes_twice(
    form: str, data: st.DataObject
) -> None:
    schedule = a_schedule(form, **data.draw(terms(form)))
    numbers = []
    for pair in played(schedule):
        one, other = pair.games
        assert one.names == other.names[::-1]
        assert (one.round, one.game, one.setup) == (other.round, other.game, other.setup)
        assert pair_of(one.number) == pair_of(other.number) == pair.number
        numbers += [one.number, other.number]
    assert len(set(numbers)) == len(numbers) == schedule.done == schedule.total
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


@pytest.mark.parametrize("form", ["swiss", "knockout"])
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


def test_a_pairing_that_was_stopped_is_left_out_and_tried_again_in_the_next_run() -> None:
    for form in ("round-robin", "gauntlet", "match"):
        names = NAMES[: 2 if form == "match" else 3]
        schedule = a_schedule(form, names=names)
        first = schedule.next()
        assert first is not None
        schedule.walkover(first.number, "ann")
        assert all({*pair.names} != {"ann", "bob"} for pair in played(schedule))
        assert not schedule.keeps_walkovers
        assert a_schedule(form, names=names).next() == first


def test_more_rounds_change_no_game_that_was_there_and_of_fewer_none_counts() -> None:
    for form in ("round-robin", "gauntlet", "swiss", "match"):
        names = NAMES[: 2 if form == "match" else 5]
        few = list(played(a_schedule(form, names=names, rounds=3)))
        many = list(played(a_schedule(form, names=names, rounds=5)))
        assert many[: len(few)] == few
        assert len(many) > len(few)
        short = a_schedule(form, names=names, rounds=3)
        for pair in many:
            for game in pair.games:
                report(short, game)
        assert (short.next(), short.done) == (None, short.total)


def test_results_may_be_half_of_a_pair() -> None:
    schedule = a_schedule("round-robin")
    schedule.report(2, "bob", "ann", Result("1-0"))
    pair = schedule.next()
    assert pair is not None
    assert [game.number for game in pair.left(schedule.finished)] == [1]


# What a ruling does: nobody has anything of a game, and nothing is taken back.

SETTINGS: Final[dict[str, dict[str, Any]]] = {
    "round-robin": {},
    "gauntlet": {"challengers": 2},
    "swiss": {"pairs": 2},
    "knockout": {"pairs": 2},
    "match": {"names": ("ann", "bob"), "sprt": Sprt(elo0=0, elo1=100), "rounds": 60},
    "pool": {},
}


@pytest.mark.parametrize("form", SETTINGS)
def test_a_tournament_goes_on_to_its_end_under_any_ruling(form: str) -> None:
    for number in range(8):
        goes_on_under_a_ruling(form, number)


def goes_on_under_a_ruling(form: str, number: int) -> None:
    """Play a tournament for a while, rule something, and play it to its end."""
    chance = random.Random(number)
    every = [game for pair in played(a_schedule(form, **SETTINGS[form])) for game in pair.games]
    stored = every[: chance.randrange(len(every) + 1)]
    gone = chance.choice([[], [chance.choice(SETTINGS[form].get("names", NAMES))]])
    void = {game.number for game in stored if chance.random() < 0.2}
    schedule = a_schedule(form, ruled=Ruled(frozenset(void), frozenset(gone)), **SETTINGS[form])
    take_in(schedule, stored)
    more = [pair.names for pair in played(schedule)]
    assert all(set(gone).isdisjoint(names) for names in more)
    assert schedule.done == schedule.total
    if not void and not gone:
        assert len(more) == (len(every) - len(stored) + 1) // 2
    outcome(schedule, form)


def ruled_after(form: str, ruled: Ruled, **settings: Any) -> Schedule:
    """Return a schedule that was played to its end before anything was ruled."""
    every = [
        game for pair in played(a_schedule(form, **settings), by_strength) for game in pair.games
    ]
    schedule = a_schedule(form, ruled=ruled, **settings)
    take_in(schedule, every, by_strength)
    return schedule


def test_a_void_game_takes_its_pair_out_of_the_evidence() -> None:
    settings = SETTINGS["match"]
    before = outcome(ruled_after("match", Ruled(), **settings)).words[0]
    assert "H1 accepted after 12 pairs" in before
    schedule = ruled_after("match", Ruled(frozenset({5, 20, 19})), **settings)
    assert "accepted after 10 pairs" in outcome(schedule).words[0]
    assert len(list(played(schedule, by_strength))) == 2, "as many as it lacks"
    assert "H1 accepted after 12 pairs" in outcome(schedule).words[0]
    assert (schedule.done, schedule.total) == (28, 28)


def test_a_swiss_leaves_its_rounds_as_they_were_paired() -> None:
    games = [pair.names for pair in played(a_schedule("swiss"), by_strength)]
    first = next(number for number, names in enumerate(games, 1) if "ann" in names)
    ruled = Ruled(frozenset({2 * first - 1, 2 * first}))
    schedule = ruled_after("swiss", ruled)
    assert schedule.next() is None
    points = {row["name"]: row["points"] for row in outcome(schedule).data["swiss"]}
    before = outcome(ruled_after("swiss", Ruled())).data["swiss"]
    assert points == {row["name"]: row["points"] - 2 * (row["name"] == "ann") for row in before}
    without = ruled_after("swiss", Ruled(bots=frozenset({"ann"})))
    rows = outcome(without).data["swiss"]
    assert [row["rank"] for row in rows] == [1, 2, 3, 4]
    assert "ann" not in {row["name"] for row in rows}


def test_who_went_on_in_a_knockout_stays_and_a_final_may_be_lost_by_a_ruling() -> None:
    names, of_ann = NAMES[:4], Ruled(bots=frozenset({"ann"}))
    for ruled, winner in ((Ruled(frozenset({1, 2})), "ann"), (of_ann, "bob")):
        schedule = ruled_after("knockout", ruled, names=names)
        assert (schedule.next(), outcome(schedule).data["winner"]) == (None, winner)
    first = [pair.games for pair in played(a_schedule("knockout", names=names), by_strength)][:2]
    schedule = a_schedule("knockout", names=names, ruled=of_ann)
    take_in(schedule, [game for games in first for game in games], by_strength)
    final = schedule.next()
    assert final is not None
    assert set(final.names) == {"bob", "dan"}, "before the next round who lost to ann goes through"
