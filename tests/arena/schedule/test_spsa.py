"""Tuning: what is tried follows from seed and results, climbs, and finds the summit of a hill."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from random import Random
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from schedules import make, outcome, played, played_at_once, report, take_in

from lath.arena.errors import ConfigError
from lath.arena.referee.record import GamePlan
from lath.arena.schedule.core import Opening, Ruled, Schedule
from lath.arena.schedule.sprt import Sprt, score_of
from lath.arena.schedule.tune import Tune, TuneStanding
from lath.arena.schedule.tuning.ranges import declared, read_range, read_ranges
from lath.arena.schedule.tuning.spsa import Spsa, TunedOption, Tuning, Values
from lath.arena.schedule.tuning.summit import MOST_OPTIONS, Summit, principal_axes
from lath.notation.protocol import Option, read_option

NAMES = ("new", "old")
SPRT = Sprt(elo0=0, elo1=100)


def in_units(name: str, values: tuple[int, int, int], step: float, digits: int) -> TunedOption:
    """Return a parameter whose values are these, in units of its last decimal place."""
    if not digits:
        low, high, start = values
        return TunedOption(name=name, low=low, high=high, start=start, step=step)
    low_, high_, start_ = (round(value / 10**digits, digits) for value in values)
    step = min(step / 10**digits, (high_ - low_) / 2)
    return TunedOption(name=name, low=low_, high=high_, start=start_, step=step, digits=digits)


@st.composite
def parameters(draw: st.DrawFn) -> tuple[TunedOption, ...]:
    """Draw one to three options, with ranges down to the two values that there are at least."""
    found = []
    for name in draw(st.sampled_from([("depth",), ("depth", "width"), ("a", "b", "c")])):
        low = draw(st.integers(-50, 50))
        high = low + draw(st.integers(1, 300))
        start = draw(st.integers(low, high))
        step = draw(st.floats(0.5, (high - low) / 2))
        digits = draw(st.integers(0, 4))
        found.append(in_units(name, (low, high, start), step, digits))
    return tuple(found)


@st.composite
def tunings(draw: st.DrawFn) -> Tuning:
    """Draw what is tuned, short and wild."""
    return Tuning(
        parameters=draw(parameters()),
        pairs=draw(st.integers(1, 60)),
        rate=draw(st.sampled_from([0.0, 0.5, 3.0])),
        ahead=draw(st.integers(1, 20)),
    )


def trials(tuning: Tuning, results: list[int], seed: int = 1) -> list[tuple[Values, Values]]:
    """Return what all iterations play with, which end so in turn."""
    spsa = Spsa(tuning, seed)
    found = []
    for k in range(tuning.pairs):
        found.append(spsa.trial(k))
        spsa.report(results[k % len(results)])
    return found


SOME_RESULTS = st.lists(st.integers(-2, 2), min_size=1, max_size=9)


@given(tuning=tunings(), results=SOME_RESULTS, seed=st.integers(0, 99))
def test_both_sides_are_in_the_range_and_differ_and_the_same_seed_gives_the_same(
    tuning: Tuning, results: list[int], seed: int
) -> None:
    found = trials(tuning, results, seed)
    assert found == trials(tuning, results, seed)
    for sides in found:
        for each, (_, plus), (_, minus) in zip(tuning.parameters, *sides, strict=True):
            assert each.low <= plus <= each.high
            assert each.low <= minus <= each.high
            assert plus != minus
            for value in (plus, minus):
                assert isinstance(value, float if each.digits else int)
                assert float(each.number(value)) == value
                assert "e" not in str(value)


@given(tuning=tunings(), results=SOME_RESULTS)
def test_an_iteration_waits_for_no_result_of_the_last_ones_ahead(
    tuning: Tuning, results: list[int]
) -> None:
    one_by_one = trials(tuning, results)
    spsa = Spsa(tuning, 1)
    at_once: dict[int, tuple[Values, Values]] = {}
    for k in range(tuning.pairs):
        at_once |= {each: spsa.trial(each) for each in spsa.open if each not in at_once}
        spsa.report(results[k % len(results)])
    assert [at_once[k] for k in range(tuning.pairs)] == one_by_one


def test_the_last_iteration_has_the_step_and_the_rate_that_were_asked_for() -> None:
    depth = TunedOption(name="depth", low=0, high=1000, start=500, step=10)
    tuning = Tuning(parameters=(depth,), pairs=50, rate=0.25, ahead=1)
    spsa = Spsa(tuning, 1)
    for _ in range(49):
        spsa.report(0)
    ((_, plus),), ((_, minus),) = spsa.trial(49)
    assert abs(plus - minus) == 20
    spsa.report(2)
    assert spsa.theta[0] - 500 == pytest.approx(0.25 * 10 * 2 * math.copysign(1, plus - minus))


def climbed(
    tuning: Tuning, strength: Callable[[Values], float], seed: int, games: str = "12"
) -> Spsa:
    """Return a tuning at its end, each pair of which ended by chance."""
    spsa, chance = Spsa(tuning, seed), Random(seed)
    for k in range(tuning.pairs):
        plus, minus = spsa.trial(k)
        likely = score_of(strength(plus) - strength(minus))
        spsa.report(sum(1 if chance.random() < likely else -1 for _ in games))
    return spsa


def test_it_finds_a_summit_from_results_by_chance() -> None:
    """Of a bot that is best at 120 and 60."""

    def strength(values: Values) -> float:
        (_, one), (_, two) = values
        return -200 * (((one - 120) / 100) ** 2 + ((two - 60) / 100) ** 2)

    tuning = Tuning(
        parameters=read_ranges({"one": "0..200 from 20 step 20", "two": "0..200 from 180 step 20"}),
        pairs=600,
    )
    assert strength(tuning.start) < -480
    assert fmean(strength(climbed(tuning, strength, seed).values) for seed in range(8)) > -40


@given(options=st.integers(1, MOST_OPTIONS), seed=st.integers(0, 999))
def test_the_summit_of_a_quadratic_function_is_found(options: int, seed: int) -> None:
    """Options may depend on each other: one is moved by the one before it."""
    chance = Random(seed)
    at = [chance.uniform(-0.5, 0.5) for _ in range(options)]

    def height(values: list[float]) -> float:
        apart = [value - summit for value, summit in zip(values, at, strict=True)]
        turned = [one + 0.3 * other for one, other in zip(apart, [0.0, *apart], strict=False)]
        return -sum(each * each for each in turned)

    summit = Summit(options)
    for _ in range(200):
        plus, minus = ([chance.uniform(-1, 1) for _ in at] for _ in "12")
        summit.add(plus, minus, height(plus) - height(minus))  # type: ignore[arg-type]
    assert summit.near([0.9] * options) == pytest.approx(at, abs=1e-6)


@given(options=st.integers(1, MOST_OPTIONS), won=st.integers(-2, 2), pairs=st.integers(0, 300))
def test_results_that_tell_of_no_summit_move_nothing(options: int, won: int, pairs: int) -> None:
    """Games that all end alike, and valleys, from which every way leads up."""
    chance, summit, valley = Random(won), Summit(options), Summit(options)
    for _ in range(pairs):
        plus, minus = ([chance.choice((-0.1, 0.1)) for _ in range(options)] for _ in "12")
        summit.add(plus, minus, 0)
        far = [10 * each * chance.random() for each in plus]
        valley.add(far, minus, round(2 * sum(each * each for each in far)))
    here = [0.25] * options
    assert summit.near(here) == here
    if pairs < 20:
        assert valley.near(here) == here or pairs > options * (options + 3) // 2


@given(seed=st.integers(0, 99), size=st.integers(1, 6))
def test_the_axes_of_a_matrix_are_its_own(seed: int, size: int) -> None:
    chance = Random(seed)
    half = [[chance.uniform(-2, 2) for _ in range(size)] for _ in range(size)]
    matrix = [[half[i][j] + half[j][i] for j in range(size)] for i in range(size)]
    for value, axis in principal_axes(matrix):
        for row, part in zip(matrix, axis, strict=True):
            assert sum(a * b for a, b in zip(row, axis, strict=True)) == pytest.approx(
                value * part, abs=1e-9
            )


@pytest.mark.parametrize(("options", "of_it"), [(1, 0.7), (2, 0.9)])
def test_what_all_pairs_tell_is_nearer_than_where_the_last_one_left_off(
    options: int, of_it: float
) -> None:
    tuning = Tuning(
        parameters=read_ranges({f"o{at}": "0..1000 from 950" for at in range(options)}), pairs=800
    )

    def elo(values: Values) -> float:
        return -sum(250 / options * ((value - 400) / 550) ** 2 for _, value in values)

    ends = [climbed(tuning, elo, seed) for seed in range(12)]
    assert all(0 <= at <= 1000 for spsa in ends for at in spsa.at)
    last = fmean(elo(tuple(("", at) for at in spsa.theta)) for spsa in ends)
    assert fmean(elo(spsa.values) for spsa in ends) > of_it * last > -40


# As a schedule


def tuned(**more: Any) -> Schedule:
    """Return a short tuning of two options, and a test of what comes of it."""
    tuning = Tuning(
        parameters=read_ranges({"depth": "1..9 from 3", "width": "0..100 from 50"}),
        pairs=12,
        ahead=4,
    )
    terms: dict[str, Any] = {
        "games": ("yavalath",),
        "rounds": 40,
        "sprt": SPRT,
        "tuning": tuning,
        "seed": 5,
    }
    return make("tune", names=NAMES, **{**terms, **more})


def test_pairs_of_trials_come_first_and_then_the_tuned_values_meet_those_of_the_start() -> None:
    pairs = list(played(tuned(), lambda game: "1-0" if game.names[0] == "new" else "0-1"))
    trials, test = pairs[:12], pairs[12:]
    assert [pair.number for pair in pairs] == list(range(1, len(pairs) + 1))
    assert all(
        dict(game.tags)["Tuning"] == f"pair {pair.number} of 12"
        for pair in trials
        for game in pair.games
    )
    assert not any("Tuning" in dict(game.tags) for pair in test for game in pair.games)
    assert {pair.options[1] for pair in test} == {(("depth", 3), ("width", 50))}
    assert len({pair.options[0] for pair in test}) == 1
    assert test[0].options[0] != test[0].options[1]


def test_the_match_weighs_its_evidence_by_the_openings_that_it_plays() -> None:
    class Lines:
        def opening(self, game_id: str, turn: int) -> Opening:
            return Opening(moves=("abc"[turn % 3] + "1",), name=f"{game_id} {turn}")

    schedule = tuned(openings=Lines())
    test = list(played(schedule, lambda game: "1-0" if game.names[0] == "new" else "0-1"))[12:]
    assert isinstance(schedule, Tune)
    assert schedule._match is not None
    told = [schedule._match._dealer.opening(place)[1] for place in range(len(test))]
    assert [(one.moves, one.name) for one in told] == [
        (pair.games[0].opening, pair.games[0].opening_name) for pair in test
    ]


def test_records_say_the_options_of_each_side_and_no_more_is_dealt_than_may_be_ahead() -> None:
    schedule = tuned()
    dealt = [schedule.next() for _ in range(5)]
    assert [pair and pair.number for pair in dealt] == [1, 2, 3, 4, None]
    first, second = dealt[:2]
    assert first is not None
    assert second is not None
    one, other = (dict(game.tags) for game in first.games)
    assert one["FirstOptions"] == other["SecondOptions"]
    assert one["SecondOptions"] == other["FirstOptions"]
    assert one["FirstOptions"] == "; ".join(f"{name}={value}" for name, value in first.options[0])
    for game in second.games:
        report(schedule, game)
    assert schedule.next() is None, "the first is still played"


@given(seed=st.integers(0, 99), most=st.integers(0, 60))
def test_a_tuning_that_was_killed_goes_on_to_the_same_pairs_and_the_same_end(
    seed: int, most: int
) -> None:
    whole = tuned()
    plan = {game.number: game for pair in played(whole) for game in pair.games}
    stored = list(played_at_once(tuned(), seed, most=most))
    resumed = tuned()
    take_in(resumed, stored)
    rest = list(played_at_once(resumed, seed + 1))
    assert resumed.standing() == whole.standing()
    assert {game.number: game for game in stored + rest if game.number in plan} == plan


def standing_of(schedule: Schedule) -> TuneStanding:
    found = schedule.standing()
    assert isinstance(found, TuneStanding)
    return found


def test_nothing_is_tested_where_nothing_has_moved() -> None:
    schedule = tuned()
    assert len(list(played(schedule, lambda _: "1/2-1/2"))) == 12
    assert schedule.done == schedule.total == 24
    assert standing_of(schedule).is_same
    assert "nothing is tested" in outcome(schedule).verdict


def test_a_ruling_takes_no_move_back_and_takes_a_pair_out_of_the_test() -> None:
    def ends(game: GamePlan) -> str:
        return "1-0" if game.names[0] == "new" or game.number % 5 == 0 else "0-1"

    whole, ruled = tuned(), tuned(ruled=Ruled(frozenset({3, 25})))
    for schedule in (whole, ruled):
        list(played(schedule, ends))
    before, after = standing_of(whole), standing_of(ruled)
    assert before.options == after.options
    assert before.test
    assert after.test
    assert before.test.state.counts != after.test.state.counts


def test_nobody_plays_on_against_a_bot_that_is_disqualified() -> None:
    schedule = tuned(ruled=Ruled(bots=frozenset({"old"})))
    assert (schedule.next(), schedule.done, schedule.total) == (None, 0, 0)


# What is said of an option

RANGES = {
    "5..200": (5, 200, None, None, 0),
    "5..200 from 150": (5, 200, 150, None, 0),
    "-5 .. 20  from -3 step 2.5": (-5, 20, -3, 2.5, 0),
    "0..1 step 0.5": (0, 1, None, 0.5, 0),
    "0.5..2": (0.5, 2, None, None, 1),
    "-0.5..0.50 from 0.125 step 0.0005": (-0.5, 0.5, 0.125, 0.0005, 3),
}

NO_RANGES = {
    "5-200": "expected LOW..HIGH",
    "5..200 from": "expected LOW..HIGH",
    "0.5..1e3": "expected LOW..HIGH",
    ".5..2": "expected LOW..HIGH",
    "0.00001..2": "up to 4 decimal places",
    "0.5..2 step 0.01": "expected step 0.01 to be from 0.05 to 0.75",
    "9..9": "expected 9 to be less than 9",
    "5..200 from 201": "expected from 201 to be in 5..200",
    "5..200 step 0.2": "expected step 0.2 to be from 0.5 to 97.5",
    "0..10 step 6": "expected step 6 to be from 0.5 to 5",
}


def test_a_range_is_read_and_one_that_is_none_is_refused() -> None:
    assert {text: read_range(text) for text in RANGES} == RANGES
    for text, wrong in NO_RANGES.items():
        with pytest.raises(ValueError, match=wrong):
            read_range(text)


@given(options=parameters())
def test_a_range_is_read_as_it_is_written(options: tuple[TunedOption, ...]) -> None:
    for each in options:
        (read,) = read_ranges({each.name: str(each)})
        assert replace(read, step=each.step) == each
        assert read.step == pytest.approx(each.step, rel=1e-4)


DECLARED: dict[str, Option] = {
    option.name: option
    for option in map(
        read_option,
        [
            "option name depth type spin default 3 min 1 max 9",
            "option name width type spin min 1 max 9",
            "option name fast type combo default auto var auto var off",
            "option name heat type string default 0.75",
            "option name book type string default book.txt",
        ],
    )
}


def test_a_range_starts_where_it_says_else_where_the_bot_is_with_decimal_places_as_written() -> (
    None
):
    cases: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("depth=1..9", {}, "1..9 from 3 step 0.8"),
        ("depth=1..9", {"depth": 5}, "1..9 from 5 step 0.8"),
        ("depth=1..9 from 7", {"depth": 5}, "1..9 from 7 step 0.8"),
        ("heat=0.0..2.0", {}, "0.00..2.00 from 0.75 step 0.2"),
        ("heat=0..2", {"heat": 0.5}, "0.0..2.0 from 0.5 step 0.2"),
        ("heat=0..4 from 1", {}, "0..4 from 1 step 0.5"),
        ("book=0..4 from 1", {}, "0..4 from 1 step 0.5"),
    )
    for flag, given_, shown in cases:
        (found,) = declared([flag], DECLARED, given_, "it")
        assert str(found) == shown


NOT_DECLARED = {
    "depht=1..9": "it declares no option 'depht', expected one of depth, width, heat, book; did",
    "fast=1..9": "'fast' of it is a combo; only a spin",
    "depth=1..9 from 2.5": "'depth' of it is a spin, a whole number; decimal places need",
    "book=0..4": "declares no default; give a start",
    "depth=1..10": "10 is not valid for it; expected a whole number from 1 to 9",
    "depth=0..9": "0 is not valid for it",
    "width=1..9": "declares no default; give a start",
    "depth=5..9": "the start 3 is not in 5..9",
    "depth=1..9;depth=2..9": "'depth' is named twice",
    "depth": "expected NAME=LOW..HIGH",
}


def test_what_the_bot_does_not_declare_so_is_refused() -> None:
    for flags, wrong in NOT_DECLARED.items():
        with pytest.raises(ConfigError) as error:
            declared(flags.split(";"), DECLARED, {}, "it")
        assert wrong in str(error.value), flags
