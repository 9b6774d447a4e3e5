"""Knockouts and matches: the bracket, level ties, the test that ends a match, games that repeat."""

from __future__ import annotations

import random
import tracemalloc
from statistics import fmean, pvariance

import pytest
from repeating import Game, a_match, play
from schedules import a_schedule, all_drawn, by_strength, outcome, played

from lath.arena.schedule.core import Duplicates, Opening, Schedule
from lath.arena.schedule.evidence import Worth
from lath.arena.schedule.fixed import IDLE_PAIRS, MOST_POINTS, SprtStanding
from lath.arena.schedule.knockout import MORE, bracket
from lath.arena.schedule.sprt import Sprt
from lath.games.core import Result

EIGHT = ("A", "B", "C", "D", "E", "F", "G", "H")


def test_everybody_is_in_the_bracket_once_and_byes_go_to_the_best() -> None:
    assert bracket(16) == [
        (0, 15), (7, 8), (3, 12), (4, 11), (1, 14), (6, 9), (2, 13), (5, 10),
    ]  # fmt: skip
    for people in range(2, 40):
        ties = bracket(people)
        assert sorted(seat for tie in ties for seat in tie if seat is not None) == [*range(people)]
        byes = sorted(one for one, other in ties if other is None and one is not None)
        assert byes == list(range(len(byes)))
        assert len(byes) < len(ties)


def words(schedule: Schedule) -> list[str]:
    return list(outcome(schedule).words)


def test_eight_bots_play_seven_ties_and_five_have_three_byes() -> None:
    schedule = a_schedule("knockout", names=EIGHT)
    assert len(list(played(schedule, by_strength))) == 7
    assert words(schedule) == [
        "Round 1: A - H 2-0, A advances",
        "Round 1: D - E 2-0, D advances",
        "Round 1: B - G 2-0, B advances",
        "Round 1: C - F 2-0, C advances",
        "Round 2: A - D 2-0, A advances",
        "Round 2: B - C 2-0, B advances",
        "Round 3: A - B 2-0, A advances",
        "Winner: A",
    ]
    assert outcome(schedule).data["winner"] == "A"
    schedule = a_schedule("knockout", names=EIGHT[:5])
    rounds = [(pair.games[0].round, pair.names) for pair in played(schedule, by_strength)]
    assert rounds == [(1, ("D", "E")), (2, ("A", "D")), (2, ("B", "C")), (3, ("A", "B"))]
    assert words(schedule)[-1] == "Winner: A"


def test_a_level_tie_is_prolonged_and_then_the_better_seed_goes_through() -> None:
    schedule = a_schedule("knockout", names=("A", "B"), pairs=2)
    assert schedule.total == 4
    assert len(list(played(schedule, all_drawn))) == 2 + MORE
    assert words(schedule) == ["Round 1: A - B 7-7, A advances as the better seed", "Winner: A"]
    assert schedule.done == schedule.total == 2 * (2 + MORE)
    schedule = a_schedule("knockout", names=("A", "B"), games=("yavalath", "manalath"))
    told = list(played(schedule, lambda game: "0-1" if game.number == 6 else "1/2-1/2"))
    assert [pair.games[0].game for pair in told] == ["yavalath", "manalath"] * 2
    assert words(schedule)[-1] == "Winner: A", "it was second in game 6, of one more pair of each"


def test_who_cannot_start_loses_what_was_not_played() -> None:
    schedule = a_schedule("knockout", names=("A", "B"), pairs=2)
    first, second = schedule.next(), schedule.next()
    assert first is not None
    assert second is not None
    schedule.report(1, "A", "B", Result("1-0"))
    schedule.walkover(first.number, "A")
    schedule.walkover(second.number, "A")
    assert words(schedule) == ["Round 1: A - B 1-3, B advances", "Winner: B"]
    assert (schedule.done, schedule.total, schedule.next()) == (1, 1, None)


# Matches end by their test, by their rounds, or where all repeats itself.

SPRT = Sprt(elo0=0, elo1=100)

STRONGER = "ann is stronger than bob: 24 of 24 points"


def won_by(winner: str, rounds: int = 100) -> tuple[Schedule, int]:
    """Play a match in which one bot wins everything; return it and its last pair."""
    schedule = a_schedule("match", names=("ann", "bob"), sprt=SPRT, rounds=rounds)
    told = list(played(schedule, lambda game: "1-0" if game.names[0] == winner else "0-1"))
    return schedule, told[-1].number


def test_a_match_ends_by_its_test_or_with_its_last_round() -> None:
    schedule, pairs = won_by("ann")
    assert (pairs, schedule.done, schedule.total) == (12, 24, 24)
    assert words(schedule) == [
        f"{STRONGER} (H1 accepted after 12 pairs), LLR 2.96 (-2.94, 2.94)",
        "pairs of 0, ½, 1, 1½, 2 points: 0, 0, 0, 0, 12; Elo unbounded (95%: +311.8 to unbounded)",
    ]
    schedule, pairs = won_by("bob")
    assert pairs < 12
    assert "H0 accepted" in words(schedule)[0]
    schedule, pairs = won_by("ann", rounds=3)
    assert (pairs, schedule.done, schedule.total) == (3, 6, 6)
    assert "undecided: neither H0 nor H1 accepted after 3 pairs" in words(schedule)[0]
    schedule = a_schedule("match", names=("ann", "bob"), rounds=4)
    assert (len(list(played(schedule))), words(schedule)) == (4, [])


def test_pairs_beyond_the_deciding_one_are_kept_and_not_counted() -> None:
    schedule = a_schedule("match", names=("ann", "bob"), sprt=SPRT, rounds=100)
    running = [pair for _ in range(14) if (pair := schedule.next())]
    for pair in reversed(running):
        for game in pair.games:
            schedule.report(game.number, *game.names, Result(by_strength(game)))
    assert (schedule.next(), schedule.done, schedule.total) == (None, 24, 24)
    assert 28 in schedule.finished
    assert "after 12 pairs" in words(schedule)[0]


FEW, MOST_IDLE = IDLE_PAIRS


def one_line(_: int) -> tuple[Game, Game]:
    """Bots without chance that know one start: the first of both wins each time."""
    return ("1-0", 1), ("0-1", 2)


def standing_of(schedule: Schedule) -> SprtStanding:
    found = schedule.standing()
    assert isinstance(found, SprtStanding)
    return found


def test_two_games_played_again_and_again_decide_nothing_and_end_the_match() -> None:
    """They were H1 after 53 pairs; their points count, as evidence of one pair."""
    schedule = a_match(Sprt(elo0=0, elo1=20))
    assert play(schedule, one_line) == 1 + FEW + MOST_IDLE
    standing = standing_of(schedule)
    assert (standing.state.counts, standing.state.verdict) == ((0, 0, 0, 0, 14), None)
    assert standing.state.worth == pytest.approx(1 / 14)
    assert (standing.repeating, standing.has_stopped) == (FEW + MOST_IDLE, True)
    assert schedule.done < schedule.total, "it is no match that was played to its end"
    told = outcome(schedule)
    assert (
        "28 of 28 points (undecided: neither H0 nor H1 accepted after 14 pairs). " in told.verdict
    )
    assert "Each of the last 13 pairs repeats a game" in told.verdict
    assert told.data["sprt"]["repeating"] == FEW + MOST_IDLE
    schedule = a_match()
    assert play(schedule, one_line) == 1 + FEW + MOST_IDLE
    assert outcome(schedule).verdict.startswith("Stopped: each of the last 13 pairs repeats a game")


def test_pairs_are_worth_as_much_as_their_games_are_different() -> None:
    schedule = a_match(Sprt(elo0=0, elo1=20), rounds=4)
    play(schedule, lambda n: [(("1-0", 1), ("0-1", 2)), (("1-0", 1), ("1-0", 3)),
                              (("1-0", 4), ("1-0", 3)), (("1-0", 5), ("1-0", 6))][n])  # fmt: skip
    standing = standing_of(schedule)
    assert (standing.state.counts, standing.repeating) == ((0, 0, 3, 0, 1), 2)
    assert standing.state.worth == pytest.approx(6 / 8)


def test_bots_that_repeat_themselves_now_and_then_play_on() -> None:
    """Of fifty openings each comes again thrice before it is sure that none tells more."""
    pairs = play(a_match(), lambda n: (("1-0", 1 + n % 50), ("0-1", 100 + n % 50)))
    assert pairs == 50 + FEW + 50 * MOST_IDLE
    chance = random.Random(1)
    lines = [chance.randrange(1, 300) for _ in range(2000)]
    schedule = a_match(rounds=300)
    assert play(schedule, lambda n: (("1-0", lines[n]), ("0-1", 1000 + n))) == 300
    schedule = a_match(rounds=40)
    assert play(schedule, lambda _: (("1-0", 0), ("0-1", 0))) == 40
    assert schedule.repeats.games == 0, "what is unknown repeats nothing"


def test_the_verdict_and_the_curve_are_the_same_in_whatever_order_games_end() -> None:
    """So is what a run that goes on makes of what is stored."""
    for seed in range(5):
        chance, sprt = random.Random(seed), Sprt(elo0=0, elo1=30)
        ended = {
            number: (chance.choice(list(Result)[:3]), chance.randrange(1, 400))
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
    standing = standing_of(schedule)
    assert len(standing.path) <= MOST_POINTS
    assert (standing.path[0], standing.path[-1]) == ((0, 0.0), (777, standing.state.llr))


def test_a_million_games_take_eight_bytes_each() -> None:
    repeats, chance, kept = Duplicates(), random.Random(1), []
    tracemalloc.start()
    for _ in range(3):
        games = [chance.getrandbits(64) for _ in range(30_000)]
        assert not any(map(repeats.add, games))
        assert all(map(repeats.add, games[:1000]))
        games.clear()
        kept.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert (kept[2] - kept[0]) / 60_000 < 16, "lists have some room to grow"


def test_pairs_of_openings_that_decide_them_count_as_the_spread_over_openings_tells() -> None:
    """By the definition: squares of what each opening has more than the mean of its pairs."""
    halves = {"a": [4, 4], "b": [0, 0, 0], "c": [3], "d": [4, 2], "e": [1, 0], "f": [2, 2, 2]}
    worth, pairs = Worth(Duplicates()), [one for each in halves.values() for one in each]
    for name, each in halves.items():
        for one in each:
            assert worth.add((name, Opening()), one, (0, 0))
    mean = fmean(pairs)
    apart = sum((sum(each) - mean * len(each)) ** 2 for each in halves.values())
    sizes = sum(len(each) ** 2 for each in halves.values())
    by_chance = pvariance(pairs) * (len(pairs) - sizes / len(pairs))
    more = (apart / by_chance - 1) * (2.5706 / 1.96) ** 2  # Student's t of 5 degrees at 97.5%
    assert worth.each == pytest.approx(1 / (1 + more), rel=3e-3)
