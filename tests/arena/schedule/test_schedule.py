"""Formats whose games are known from the start: everybody in every seat of every setup."""

from __future__ import annotations

import tracemalloc
from collections import Counter, defaultdict
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from schedules import make

from lath import games
from lath.arena.referee.record import GamePlan
from lath.arena.schedule.core import NumberSet, Pair, Schedule, draw
from lath.games.core import Result

GAMES = ("mammalath", "yavalath", "surikata")
NAMES = ("ann", "bob", "cat", "dan")


def the_schedule(form: str = "round-robin", **more: Any) -> Schedule:
    return make(form, **{"names": NAMES, "games": GAMES, "rounds": 3, "seed": 42, **more})


def the_pairs(form: str = "round-robin", **more: Any) -> list[Pair]:
    return list(iter(the_schedule(form, **more).next, None))


def the_games(form: str = "round-robin", **more: Any) -> list[GamePlan]:
    return [game for pair in the_pairs(form, **more) for game in pair.games]


def test_round_robin_gives_each_bot_each_side_of_each_setup_in_the_order_that_is_said() -> None:
    seats: defaultdict[tuple[int, str, str | None], Counter[tuple[str, str]]] = defaultdict(Counter)
    for game in the_games():
        seats[game.round, game.game, game.setup][game.names] += 1
    all_seats = Counter({(a, b): 1 for a in NAMES for b in NAMES if a != b})
    assert list(seats.values()) == [all_seats] * 3 * len(GAMES)
    pairs = the_pairs(names=("x", "a", "m"), games=("yavalath",), rounds=1)
    assert [pair.names for pair in pairs] == [("x", "a"), ("x", "m"), ("a", "m")]


def test_a_gauntlet_sends_the_first_bots_against_all_others() -> None:
    met = Counter(pair.names for pair in the_pairs("gauntlet", games=("yavalath",)))
    assert met == {("ann", "bob"): 3, ("ann", "cat"): 3, ("ann", "dan"): 3}
    two = {pair.names for pair in the_pairs("gauntlet", challengers=2)}
    assert two == {("ann", "cat"), ("ann", "dan"), ("bob", "cat"), ("bob", "dan")}


def test_every_round_has_another_setup_and_every_side_a_seed_which_follow_from_the_seed() -> None:
    ours, theirs = the_games(games=("mammalath",)), the_games(games=("mammalath",), seed=43)
    assert ours == the_games(games=("mammalath",))
    assert [game.names for game in ours] == [game.names for game in theirs]
    setups = {(game.round, game.setup) for game in ours}
    assert len({setup for _, setup in setups}) == len(setups) == 3
    for _, setup in setups:
        games.get("mammalath").start(setup)
    assert not {game.setup for game in ours} & {game.setup for game in theirs}
    assert {game.setup for game in the_games(games=("yavalath",))} == {None}
    seeds, others = ([seed for game in one for seed in game.seeds] for one in (ours, theirs))
    assert len({*seeds, *others}) == len(seeds) + len(others)
    assert all(0 <= seed < 2**31 for seed in seeds)


# The numbers are what a resumed tournament knows its games by: they may not change, nor the seeds.
KNOWN = [
    (1, 1, ("ann", "bob"), (1237699509, 1162273970)),
    (2, 1, ("bob", "ann"), (757145724, 1380883615)),
    (12, 2, ("cat", "bob"), (1506413130, 1331199546)),
]


def test_numbers_seeds_and_setups_are_those_that_version_0_1_gave() -> None:
    planned = {game.number: game for game in the_games(names=NAMES[:3], games=("yavalath",))}
    told = [(n, planned[n].round, planned[n].names, planned[n].seeds) for n, *_ in KNOWN]
    assert told == KNOWN
    drawn = games.get("mammalath").draw_setup(draw(42, "setup", 2, "mammalath"))
    assert {game.setup for game in the_games(games=("mammalath",)) if game.round == 2} == {drawn}


@given(
    bots=st.integers(2, 6),
    game_ids=st.lists(st.sampled_from(GAMES), min_size=1, unique=True),
    rounds=st.integers(1, 4),
)
def test_the_games_are_numbered_from_one_without_gaps(
    bots: int, game_ids: list[str], rounds: int
) -> None:
    names = tuple(f"bot {number}" for number in range(bots))
    told: dict[str, Any] = {"names": names, "games": tuple(game_ids), "rounds": rounds}
    planned = the_games(**told)
    assert [game.number for game in planned] == list(range(1, len(planned) + 1))
    assert len(planned) == the_schedule(**told).total


def test_a_pair_leaves_what_is_not_finished() -> None:
    pair = the_pairs()[2]
    assert pair.number == 3
    assert [pair.left(done) for done in ({5}, {1, 5, 6, 7}, ())] == [pair.games[1:], (), pair.games]


def test_a_tournament_of_a_billion_rounds_begins_at_once() -> None:
    for form in ("round-robin", "gauntlet", "match", "swiss"):
        names = NAMES[:2] if form == "match" else NAMES
        schedule = the_schedule(form, names=names, rounds=10**9)
        assert schedule.next() is not None
        assert schedule.total >= 2 * 10**9
    schedule = the_schedule(rounds=10**9)
    for number in range(1, 7):
        schedule.walkover(number, None)
    assert schedule.next() is None, "a pairing that was stopped is not looked for so often"


@pytest.mark.parametrize("form", ["round-robin", "swiss"])
def test_a_million_games_take_constant_memory(form: str) -> None:
    """Some are taken, the rest is reported at a distance: to trace each would take minutes."""
    rounds = {"round-robin": 10**5, "swiss": 4}[form]
    schedule = the_schedule(form, games=("yavalath",), rounds=rounds, pairs=10**5)
    assert schedule.total >= 10**6
    tracemalloc.start()
    for pair in islice(iter(schedule.next, None), 1000):
        for game in pair.games:
            schedule.report(game.number, *game.names, Result("1-0"))
    early, _ = tracemalloc.get_traced_memory()
    for number in range(2001, 10**6 + 1, 151):
        schedule.report(number, "ann", "bob", Result("1-0"))
    late, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000
    assert late - early < 200_000, "a bit for each number"


def test_a_draw_follows_from_the_seed_and_what_it_is_for() -> None:
    for what in (("setup", 1), ("setup", 2), ("first", 1)):
        assert draw(7, *what) == draw(7, *what)
        assert len({draw(7, *what), draw(8, *what), draw(7, "else", *what)}) == 3


@given(numbers=st.sets(st.integers(1, 5000)))
def test_numbers_are_a_set(numbers: set[int]) -> None:
    ours = NumberSet()
    for number in numbers:
        ours.add(number)
    assert all((number in ours) == (number in numbers) for number in range(6000))
    assert [wrong for wrong in ("1", -1) if wrong in ours] == []
