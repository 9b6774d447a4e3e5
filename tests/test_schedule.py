"""Which games a tournament plays: everybody in every seat of every setup, the same each time."""

from __future__ import annotations

import tracemalloc
from collections import Counter, defaultdict
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import games
from arena.schedule import Pair, count_games, draw, pairs, round_robin
from arena.scorebook import GamePlan

GAMES = ("mammalath", "yavalath", "surikata")
NAMES = ("ann", "bob", "cat", "dan")


def the_pairs(**more: Any) -> list[Pair]:
    told = {"names": NAMES, "game_ids": GAMES, "rounds": 3, "seed": 42, **more}
    return list(pairs(**told))


def the_games(**more: Any) -> list[GamePlan]:
    return [game for pair in the_pairs(**more) for game in pair.games]


def test_round_robin_gives_each_bot_each_seat_of_each_setup() -> None:
    seats: defaultdict[tuple[int, str, str | None], Counter[tuple[str, str]]]
    seats = defaultdict(Counter)
    for game in the_games():
        seats[game.round, game.game, game.setup][game.names] += 1
    assert len(seats) == 3 * len(GAMES)
    everybody = Counter({(a, b): 1 for a in NAMES for b in NAMES if a != b})
    assert all(met == everybody for met in seats.values())


def test_every_round_has_another_setup_which_the_game_accepts() -> None:
    setups = {(game.round, game.setup) for game in the_games(game_ids=("mammalath",))}
    assert len({setup for _, setup in setups}) == 3
    for _, setup in setups:
        games.get("mammalath").start(setup)
    assert {game.setup for game in the_games(game_ids=("yavalath",))} == {None}


def test_the_same_configuration_gives_the_same_games() -> None:
    assert the_pairs() == the_pairs()


def test_another_seed_gives_other_setups_and_seeds_but_the_same_meetings() -> None:
    ours, theirs = the_games(), the_games(seed=43)
    assert [game.names for game in ours] == [game.names for game in theirs]
    assert not {game.seeds for game in ours} & {game.seeds for game in theirs}
    assert {game.setup for game in ours} & {game.setup for game in theirs} == {None}


def test_more_rounds_change_no_game_that_was_there() -> None:
    assert the_pairs(rounds=5)[: 3 * 3 * 6] == the_pairs(rounds=3)


def test_every_seat_of_every_game_has_a_seed_of_its_own() -> None:
    seeds = [seed for game in the_games() for seed in game.seeds]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**31 for seed in seeds)


# The numbers are what a resumed tournament knows its games by: they may not change, nor the seeds.
KNOWN = [
    (1, 1, ("ann", "bob"), (1237699509, 1162273970)),
    (2, 1, ("bob", "ann"), (757145724, 1380883615)),
    (12, 2, ("cat", "bob"), (1506413130, 1331199546)),
]


def test_numbers_and_seeds_are_those_that_version_0_1_gave() -> None:
    planned = {game.number: game for game in the_games(names=NAMES[:3], game_ids=("yavalath",))}
    told = [(n, planned[n].round, planned[n].names, planned[n].seeds) for n, *_ in KNOWN]
    assert told == KNOWN


@given(
    bots=st.integers(2, 6),
    game_ids=st.lists(st.sampled_from(GAMES), min_size=1, unique=True),
    rounds=st.integers(1, 4),
)
def test_the_games_are_numbered_from_one_without_gaps(
    bots: int, game_ids: list[str], rounds: int
) -> None:
    names = [f"bot {number}" for number in range(bots)]
    planned = the_games(names=names, game_ids=game_ids, rounds=rounds)
    assert [game.number for game in planned] == list(range(1, len(planned) + 1))
    assert len(planned) == count_games(names=names, game_ids=game_ids, rounds=rounds)


def test_a_pair_leaves_what_is_not_finished() -> None:
    pair = the_pairs()[2]
    assert pair.number == 3
    assert pair.left({5}) == pair.games[1:]
    assert pair.left({1, 5, 6, 7}) == ()
    assert pair.left(()) == pair.games


def test_a_schedule_of_a_billion_rounds_begins_at_once_and_takes_no_memory() -> None:
    lazily = pairs(names=NAMES, game_ids=GAMES, rounds=10**9, seed=1)
    next(lazily)
    tracemalloc.start()
    assert sum(1 for _ in islice(lazily, 3000)) == 3000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def test_who_meets_whom_follows_the_order_of_the_configuration() -> None:
    assert round_robin(["x", "a", "m"]) == [("x", "a"), ("x", "m"), ("a", "m")]


@pytest.mark.parametrize("what", [("setup", 1), ("setup", 2), ("first", 1)], ids=str)
def test_a_draw_follows_from_the_seed_and_what_it_is_for(what: tuple[object, ...]) -> None:
    assert draw(7, *what) == draw(7, *what)
    assert draw(7, *what) != draw(8, *what)
    assert draw(7, *what) != draw(7, "else", *what)
