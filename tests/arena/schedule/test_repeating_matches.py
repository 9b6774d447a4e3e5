"""Matches between bots that repeat themselves: what counts, when they end, what they say."""

from __future__ import annotations

import random

import pytest
from repeating import Game, a_match, play
from schedules import outcome

from lath.arena.schedule.core import Repeats
from lath.arena.schedule.fixed import IDLE_PAIRS, MOST_POINTS, SprtStanding
from lath.arena.schedule.sprt import Sprt

FEW, MORE = IDLE_PAIRS


def one_line(_: int) -> tuple[Game, Game]:
    """Bots without chance that know one start: the first of both wins each time."""
    return ("1-0", 1), ("0-1", 2)


def test_two_games_played_again_and_again_decide_nothing() -> None:
    """They were H1 after 53 pairs; their points count, as evidence of one pair."""
    schedule = a_match(Sprt(elo0=0, elo1=20))
    assert play(schedule, one_line) == 1 + FEW + MORE
    standing = schedule.standing()
    assert isinstance(standing, SprtStanding)
    assert (standing.state.counts, standing.state.verdict) == ((0, 0, 0, 0, 14), None)
    assert standing.state.worth == pytest.approx(1 / 14)
    assert (standing.repeating, standing.has_stopped) == (FEW + MORE, True)
    assert schedule.done < schedule.total, "it is no match that was played to its end"
    told = outcome(schedule)
    assert told.verdict.startswith(
        "new is not told apart from old: 28 of 28 points "
        "(undecided: neither H0 nor H1 accepted after 14 pairs). "
        "Each of the last 13 pairs repeats a game, and more would tell nothing new; let games "
    )
    assert told.data["sprt"]["repeating"] == FEW + MORE


def test_a_match_without_a_test_ends_too_and_says_so() -> None:
    schedule = a_match()
    assert play(schedule, one_line) == 1 + FEW + MORE
    verdict = outcome(schedule).verdict
    assert verdict.startswith("Stopped: each of the last 13 pairs repeats a game, and more ")
    assert "openings" in verdict


def test_pairs_are_worth_as_much_as_their_games_are_different() -> None:
    schedule = a_match(Sprt(elo0=0, elo1=20), rounds=4)
    play(schedule, lambda n: [(("1-0", 1), ("0-1", 2)), (("1-0", 1), ("1-0", 3)),
                              (("1-0", 4), ("1-0", 3)), (("1-0", 5), ("1-0", 6))][n])  # fmt: skip
    standing = schedule.standing()
    assert isinstance(standing, SprtStanding)
    assert (standing.state.counts, standing.repeating) == ((0, 0, 3, 0, 1), 2)
    assert standing.state.worth == pytest.approx(6 / 8)


def test_bots_without_chance_play_each_opening_of_a_book_some_times() -> None:
    """Of fifty openings each comes again thrice before it is sure that none tells more."""
    schedule = a_match()
    pairs = play(schedule, lambda n: (("1-0", 1 + n % 50), ("0-1", 100 + n % 50)))
    assert pairs == 50 + FEW + 50 * MORE


def test_bots_that_repeat_themselves_now_and_then_play_on() -> None:
    chance = random.Random(1)
    lines = [chance.randrange(1, 300) for _ in range(2000)]
    schedule = a_match(rounds=300)
    assert play(schedule, lambda n: (("1-0", lines[n]), ("0-1", 1000 + n))) == 300


def test_what_is_unknown_repeats_nothing() -> None:
    schedule = a_match(rounds=40)
    assert play(schedule, lambda _: (("1-0", 0), ("0-1", 0))) == 40
    assert schedule.repeats.games == 0


@pytest.mark.parametrize("seed", range(5))
def test_the_verdict_and_the_curve_are_the_same_in_whatever_order_games_end(seed: int) -> None:
    """So is what a run that goes on makes of what is stored."""
    chance, sprt = random.Random(seed), Sprt(elo0=0, elo1=30)
    ended = {
        number: (chance.choice(("1-0", "0-1", "1/2-1/2")), chance.randrange(1, 400))
        for number in range(1, 401)
    }
    straight, crooked = a_match(sprt, 200), a_match(sprt, 200)
    order = list(ended)
    for start in range(0, len(order), 16):
        order[start : start + 16] = chance.sample(order[start : start + 16], 16)
    for schedule, numbers in ((straight, ended), (crooked, order)):
        for number in numbers:
            names = ("new", "old") if number % 2 else ("old", "new")
            schedule.report(number, *names, *ended[number])
    assert straight.standing() == crooked.standing()


def test_the_curve_of_a_long_test_has_few_points_and_its_end() -> None:
    schedule = a_match(Sprt(elo0=0, elo1=0.1), rounds=777)
    play(schedule, lambda n: (("1/2-1/2", 2 * n + 1), ("1-0" if n % 2 else "0-1", 2 * n + 2)))
    standing = schedule.standing()
    assert isinstance(standing, SprtStanding)
    assert len(standing.path) <= MOST_POINTS
    assert standing.path[0] == (0, 0.0)
    assert standing.path[-1] == (777, standing.state.llr)


def test_a_million_games_take_eight_bytes_each() -> None:
    repeats, chance = Repeats(), random.Random(1)
    games = [chance.getrandbits(64) for _ in range(40_000)]
    assert not any(map(repeats.add, games))
    assert all(map(repeats.add, games[:1000]))
    shelves = repeats._shelves
    kept = sum(shelf.__sizeof__() - shelves[0][:0].__sizeof__() for shelf in shelves)
    assert kept < 13 * len(games), "lists of ten have some room to grow"
