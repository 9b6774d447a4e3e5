"""Knockout: the bracket, byes, level ties, and the test that ends a match."""

from __future__ import annotations

import pytest
from schedules import a_schedule, all_drawn, by_strength, outcome, played

from lath.arena.schedule.core import Schedule
from lath.arena.schedule.knockout import MORE, bracket
from lath.arena.schedule.sprt import Sprt

EIGHT = ("A", "B", "C", "D", "E", "F", "G", "H")


def test_the_first_two_seeds_can_only_meet_in_the_final() -> None:
    assert bracket(16) == [
        (0, 15), (7, 8), (3, 12), (4, 11), (1, 14), (6, 9), (2, 13), (5, 10),
    ]  # fmt: skip


@pytest.mark.parametrize("people", range(2, 40))
def test_everybody_is_in_the_bracket_once_and_byes_go_to_the_best(people: int) -> None:
    ties = bracket(people)
    seats = sorted(seat for tie in ties for seat in tie if seat is not None)
    assert seats == list(range(people))
    byes = sorted(one for one, other in ties if other is None and one is not None)
    assert byes == list(range(len(byes)))
    assert len(byes) < len(ties)


def words(schedule: Schedule) -> list[str]:
    return list(outcome(schedule).words)


def test_eight_bots_play_seven_ties() -> None:
    schedule = a_schedule("knockout", names=EIGHT)
    assert len(list(played(schedule, by_strength))) == 7
    assert words(schedule) == [
        "Round 1: A - H 2-0, A goes through",
        "Round 1: D - E 2-0, D goes through",
        "Round 1: B - G 2-0, B goes through",
        "Round 1: C - F 2-0, C goes through",
        "Round 2: A - D 2-0, A goes through",
        "Round 2: B - C 2-0, B goes through",
        "Round 3: A - B 2-0, A goes through",
        "Winner: A",
    ]
    assert outcome(schedule).data["winner"] == "A"


def test_five_bots_have_three_byes() -> None:
    schedule = a_schedule("knockout", names=EIGHT[:5])
    rounds = [(pair.games[0].round, pair.names) for pair in played(schedule, by_strength)]
    assert rounds == [(1, ("D", "E")), (2, ("A", "D")), (2, ("B", "C")), (3, ("A", "B"))]
    assert words(schedule)[-1] == "Winner: A"


def test_a_level_tie_is_prolonged_and_then_the_better_seed_goes_through() -> None:
    schedule = a_schedule("knockout", names=("A", "B"), pairs=2)
    assert schedule.total == 4
    assert len(list(played(schedule, all_drawn))) == 2 + MORE
    assert words(schedule) == ["Round 1: A - B 7-7, A goes through as the better seed", "Winner: A"]
    assert schedule.done == schedule.total == 2 * (2 + MORE)


def test_one_more_pair_of_every_game_may_be_enough() -> None:
    schedule = a_schedule("knockout", names=("A", "B"), games=("yavalath", "manalath"))
    told = list(played(schedule, lambda game: "0-1" if game.number == 6 else "1/2-1/2"))
    assert [pair.games[0].game for pair in told] == ["yavalath", "manalath"] * 2
    assert words(schedule)[-1] == "Winner: A", "it was second in game 6"


def test_who_cannot_start_loses_what_was_not_played() -> None:
    schedule = a_schedule("knockout", names=("A", "B"), pairs=2)
    first, second = schedule.next(), schedule.next()
    assert first is not None
    assert second is not None
    schedule.report(1, "A", "B", "1-0")
    schedule.walkover(first.number, "A")
    schedule.walkover(second.number, "A")
    assert words(schedule) == ["Round 1: A - B 1-3, B goes through", "Winner: B"]
    assert (schedule.done, schedule.total, schedule.next()) == (1, 1, None)


SPRT = Sprt(elo0=0, elo1=100)


def a_match(winner: str, rounds: int = 100) -> tuple[Schedule, int]:
    """Play a match in which one bot wins everything; return it and its last pair."""
    schedule = a_schedule("match", names=("ann", "bob"), sprt=SPRT, rounds=rounds)
    told = list(played(schedule, lambda game: "1-0" if game.names[0] == winner else "0-1"))
    return schedule, told[-1].number


def test_a_match_ends_when_its_test_accepts_the_better_bot() -> None:
    schedule, pairs = a_match("ann")
    assert pairs == 12
    assert (schedule.done, schedule.total) == (24, 24)
    won = "ann is stronger than bob: 24 of 24 points"
    assert words(schedule) == [
        f"{won} (H1 accepted after 12 pairs), LLR 2.96 (-2.94, 2.94)",
        "pairs of 0, ½, 1, 1½, 2 points: 0, 0, 0, 0, 12; Elo unbounded (95 %: +311.8 to unbounded)",
    ]


def test_a_match_ends_when_its_test_rejects_it() -> None:
    schedule, pairs = a_match("bob")
    assert "H0 accepted" in words(schedule)[0]
    assert pairs < 12


def test_a_match_without_verdict_ends_with_its_last_round() -> None:
    schedule, pairs = a_match("ann", rounds=3)
    assert pairs == 3
    undecided = (
        "ann seems stronger than bob: 6 of 6 points "
        "(undecided: neither H0 nor H1 accepted after 3 pairs)"
    )
    assert words(schedule)[0].startswith(undecided)
    assert schedule.done == schedule.total == 6


def test_pairs_beyond_the_deciding_one_are_kept_and_not_counted() -> None:
    schedule = a_schedule("match", names=("ann", "bob"), sprt=SPRT, rounds=100)
    running = [pair for _ in range(14) if (pair := schedule.next())]
    for pair in reversed(running):
        for game in pair.games:
            schedule.report(game.number, *game.names, by_strength(game))
    assert schedule.next() is None
    assert (schedule.done, schedule.total) == (24, 24)
    assert 28 in schedule.finished
    assert "after 12 pairs" in words(schedule)[0]


def test_a_match_without_test_is_so_many_rounds() -> None:
    schedule = a_schedule("match", names=("ann", "bob"), rounds=4)
    assert len(list(played(schedule))) == 4
    assert words(schedule) == []
