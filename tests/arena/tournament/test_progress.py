"""What happens in a run is counted right, in the same memory however long it goes on."""

from __future__ import annotations

import pickle

import pytest
from runs import Told

from lath.arena.schedule.budget import Budget
from lath.arena.terminal.live import progress_words
from lath.arena.tournament.progress import WARNINGS_KEPT, Rate
from lath.arena.tournament.store import PairTally, Tally


def test_points_wins_draws_and_losses_are_those_of_both_seats() -> None:
    told = Told()
    told.start()
    told.play("1-0", "1/2-1/2")
    told.play("0-1", "0-1", names=("bob", "cat"))
    ann, bob, cat = (told.progress.scores[name].standing() for name in ("ann", "bob", "cat"))
    assert (ann.points, ann.wins, ann.draws, ann.losses) == (1.5, 1, 1, 0)
    assert (bob.points, bob.wins, bob.draws, bob.losses) == (1.5, 1, 1, 2)
    assert (cat.points, cat.wins, cat.draws, cat.losses) == (1.0, 1, 0, 1)
    assert told.progress.done == 4
    assert [line.name for line in told.progress.ranked()] == ["ann", "cat", "bob"]


def test_what_was_stored_before_counts_as_if_it_had_just_been_played() -> None:
    here, before = Told(), Told()
    here.start()
    here.play("1-0", "1/2-1/2", termination="time")
    here.play("1-0")
    before.start(
        Tally("ann", "bob", "1-0", "time", 1),
        Tally("bob", "ann", "1/2-1/2", "time", 1),
        Tally("ann", "bob", "1-0", "rules", 1),
        pairs=(PairTally("ann", "bob", 1.5, 2, 1), PairTally("ann", "bob", 1.0, 1, 1)),
    )
    for name in ("ann", "bob"):
        one, other = here.progress.scores[name], before.progress.scores[name]
        assert one == other
    assert before.progress.scores["bob"].forfeits["time"] == 1
    assert before.progress.done == 3


def test_games_beyond_those_that_count_are_told_apart() -> None:
    told = Told(total=4)
    told.start()
    for _ in range(3):
        told.play("1-0", "0-1")
    assert (told.progress.done, told.progress.beyond) == (4, 2)
    assert progress_words(told.progress)[0] == "4 of 4 games and 2 beyond"


@pytest.mark.parametrize("ending", ["crash", "time", "illegal move", "flood"])
def test_a_forfeit_is_the_losers_in_either_seat(ending: str) -> None:
    told = Told()
    told.start()
    told.play("1-0", "0-1", termination=ending)
    assert told.progress.scores["ann"].forfeits[ending] == 0
    assert told.progress.scores["bob"].forfeits[ending] == 2


@pytest.mark.parametrize("ending", ["rules", "resignation", "adjudication", "ply limit"])
def test_other_endings_are_no_forfeits(ending: str) -> None:
    told = Told()
    told.start()
    told.play("1-0", "0-1", termination=ending)
    assert not any(told.progress.scores["bob"].forfeits.values())


def test_what_runs_is_known_until_it_has_finished() -> None:
    told = Told()
    told.start()
    told.begin(1, slot=1)
    told.begin(2, slot=2, names=("bob", "cat"))
    told.play("1-0", "0-1")
    assert {slot: one.pair for slot, one in told.progress.running.items()} == {2: 2}
    told.begin(3, slot=2)
    assert {slot: one.pair for slot, one in told.progress.running.items()} == {2: 3}


def test_rates_are_of_the_last_minute_and_of_the_whole_run() -> None:
    rate = Rate(0.0)
    for second in range(1, 301):
        rate.add(10 if second <= 200 else 1, float(second))
    assert rate.overall(300.0) == pytest.approx(7.0)
    assert rate.recent(300.0) == pytest.approx(1.0)


def test_without_games_in_the_last_minute_the_whole_run_says_how_long_it_takes() -> None:
    told = Told(total=12)
    told.start()
    assert told.progress.left_s() is None
    told.clock.now_s += 10
    told.play("1-0", "0-1")
    told.clock.now_s += 990
    assert told.progress.left_s() == pytest.approx(10 * 1000 / 2)


def test_a_warning_that_comes_again_is_kept_once_and_counted() -> None:
    told = Told()
    for text in ("a", "b", "a", "a"):
        told.warn(text)
    assert list(told.progress.warnings.items()) == [("b", 1), ("a", 3)]
    assert told.progress.warned_times == 4


def test_a_stopped_pairing_is_one_of_the_warnings() -> None:
    told = Told()
    told.stop({"bob", "ann"}, "bob: cannot be started")
    assert list(told.progress.warnings) == ["ann - bob play no more: bob: cannot be started"]


def test_the_cause_of_stopped_pairings_is_told_once() -> None:
    told = Told()
    told.warn("bob: exited with status 2 before ok; standard error: at 0x7f01")
    for other in ("ann", "cat"):
        why = f"bob: exited with status 2 before ok; standard error: at {other}"
        told.stop({"bob", other}, why)
    told.stop({"bob", "ann"}, "bob: flooded its output before ok")
    assert list(told.progress.warnings)[1:] == [
        "ann - bob play no more because of bob",
        "bob - cat play no more because of bob",
        "ann - bob play no more: bob: flooded its output before ok",
    ]


def test_memory_does_not_grow_with_games_and_warnings() -> None:
    sizes = []
    for games in (500, 3_000):
        told = Told(total=10**6)
        told.start()
        for number in range(games):
            told.clock.now_s += 0.3
            told.play("1-0")
            told.warn(f"warning {number:09}")
        progress = told.progress
        state = {k: v for k, v in vars(progress).items() if k not in ("clock", "outcome")}
        sizes.append(len(pickle.dumps(state)))
        assert len(progress.warnings) == WARNINGS_KEPT
        assert progress.warned_times == games
    assert sizes[1] < 1.1 * sizes[0]


def test_what_is_left_of_a_budget_is_told_in_place_of_what_is_left_of_all() -> None:
    told = Told(total=1000)
    told.start(budget=Budget(games=40))
    assert progress_words(told.progress)[-1] == "40 games of the budget left"
    told.clock.now_s += 10
    for _ in range(5):
        told.play("1-0", "0-1")
    assert progress_words(told.progress)[-1] == "30 games of the budget left (about 0:30)"
    assert told.progress.share == 0.25


def test_what_is_left_of_a_budget_of_time_is_known_from_the_start() -> None:
    told = Told(total=1000)
    told.start(budget=Budget(seconds=600))
    told.clock.now_s += 150
    assert progress_words(told.progress)[-1] == "7:30 of the budget left"
    assert told.progress.share == 0.25
    assert told.progress.status().left_s == 450.0


def test_a_budget_for_more_than_there_is_ends_with_the_last_game() -> None:
    told = Told(total=4)
    told.start(budget=Budget(games=40))
    told.clock.now_s += 1
    told.play("1-0", "0-1")
    assert told.progress.left_s() == pytest.approx(1.0)
    told.play("1-0", "0-1")
    assert (told.progress.share, told.progress.left_s()) == (1.0, 0.0)


def test_a_pool_with_a_budget_is_not_said_to_have_so_many_games() -> None:
    told = Told(total=12, format="pool")
    told.start(budget=Budget(games=40))
    told.clock.now_s += 10
    told.play("1-0", "0-1")
    assert progress_words(told.progress)[0] == "2 games"
    assert told.progress.left_s() == pytest.approx(190.0)
