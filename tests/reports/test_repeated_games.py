"""Games that repeat another move by move: counted and reported, but not rated again."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from sample_records import bare, cut, random_game, with_tags

from lath.notation.record import Ply, Record, comment
from lath.reports.standings import Tally, compute


def repeated(*records: Record) -> int:
    return compute(records).overall.repeated


GAME = random_game("yavalath", 1)


def test_the_same_game_again_is_a_repeat_and_counts_for_points() -> None:
    table = compute([GAME] * 5).overall
    assert (table.games, table.repeated, table.ratings.games) == (5, 4, 1)
    assert sum(row.points for row in table.rows) == 5
    assert table.endings == {"rules": 5}
    assert table.crosstable[0][1].games == 5


def test_repeats_do_not_touch_the_ratings() -> None:
    games = [random_game("yavalath", seed) for seed in range(6)]
    assert compute(games * 4).overall.ratings == compute(games).overall.ratings


def test_names_of_tournaments_times_and_comments_make_no_other_game() -> None:
    plies = tuple(replace(ply, comments=(comment("[%emt 0.5] why"),)) for ply in GAME.plies)
    other = replace(with_tags(GAME, Event="Open", Round="7", Date="2026-01-01"), plies=plies)
    assert repeated(GAME, other) == 1


def test_another_spelling_of_a_move_is_the_same_move() -> None:
    one = bare("ann", "bob", "1-0", game_id="mammalath")
    games = [replace(one, plies=(Ply("c3"), Ply(move))) for move in ("xb4-b2", "xb2-b4")]
    assert repeated(*games) == 1


@pytest.mark.parametrize(
    "other",
    [
        with_tags(GAME, First="bob", Second="ann"),
        with_tags(GAME, First="cat"),
        with_tags(GAME, Game="chess"),
        with_tags(GAME, Termination="resignation"),
        cut(GAME, len(GAME.plies) - 1, "rules", GAME.result),
        replace(random_game("yavalath", 1), result="1/2-1/2"),
    ],
)
def test_other_seats_games_moves_and_endings_are_other_games(other: Record) -> None:
    assert repeated(GAME, other) == 0


def test_games_from_other_starts_are_other_games() -> None:
    one = random_game("mammalath", 1)
    assert repeated(one, with_tags(one, Setup=random_game("mammalath", 2).tag("Setup"))) == 0


def test_a_game_without_a_move_repeats_nothing() -> None:
    assert repeated(*[bare("ann", "bob", "1-0", Termination="crash")] * 5) == 0


@pytest.mark.parametrize("ending", ["crash", "illegal move", "flood"])
def test_a_bot_that_fails_at_the_same_place_again_repeats_itself(ending: str) -> None:
    assert repeated(*[cut(GAME, 3, ending, "0-1")] * 5) == 4


def test_a_game_that_ended_by_time_repeats_nothing() -> None:
    assert repeated(*[cut(GAME, 3, "time", "0-1")] * 5) == 0


def test_records_left_out_repeat_nothing() -> None:
    assert repeated(GAME, cut(GAME, 3, "void", "*"), cut(GAME, 3, "void", "*")) == 0


def test_each_game_tells_of_its_own_repeats() -> None:
    other = random_game("surikata", 1)
    standings = compute([GAME, GAME, other, other, other])
    assert [(table.game, table.repeated) for table in standings.per_game] == [
        ("surikata", 2),
        ("yavalath", 1),
    ]
    assert standings.overall.repeated == 3


def test_the_one_that_is_kept_is_in_a_pair_with_the_one_kept_of_the_other_seat() -> None:
    # Two deterministic bots play ten rounds from one start: all of it is one pair.
    back = random_game("yavalath", 2, first="bob", second="ann")
    records = [with_tags(game, Round=str(n)) for n in range(10) for game in (GAME, back)]
    for seed in range(5):
        tally = Tally()
        for record in random.Random(seed).sample(records, len(records)):
            tally.add(record)
        one, other = tally.results()
        assert (one.first, one.pair) != (other.first, None)
        assert one.pair == other.pair
