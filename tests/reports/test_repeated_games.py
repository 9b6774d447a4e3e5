"""Games that repeat another move by move: their points count, and their evidence does not."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from sample_records import bare, cut, random_game, with_tags

from lath import games
from lath.notation.record import Ply, Record, comment
from lath.reports.rated import Rated, RatedGames
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import Ratings, Result, count, score_of
from lath.reports.standings import Tally, compute


def repeated(*records: Record) -> int:
    return compute(records).overall.repeated


GAME = random_game("yavalath", 1)


def test_the_same_game_again_is_a_repeat_and_counts_for_points() -> None:
    table = compute([GAME] * 5).overall
    assert (table.games, table.repeated, table.ratings.games) == (5, 4, 5)
    assert sum(row.points for row in table.rows) == 5
    assert table.endings == {"rules": 5}
    assert table.crosstable[0][1].games == 5


def test_games_that_all_come_again_as_often_leave_strengths_as_sure_as_before() -> None:
    games = [random_game("yavalath", seed) for seed in range(6)]
    once, often = (compute(games * times).overall.ratings for times in (1, 4))
    for name, strength in once.strengths.items():
        again = often.strengths[name]
        assert again.elo.value == pytest.approx(strength.elo.value, abs=1.0)
        assert again.elo.error == pytest.approx(strength.elo.error, rel=0.05)
        assert again.trueskill.sigma == pytest.approx(strength.trueskill.sigma, rel=0.05)


def some_event(seed: int) -> list[Result]:
    """Return a tournament of any kind: bots, games, openings, with and without pairs."""
    chance = random.Random(seed)
    truth = {f"bot{number}": chance.gauss(0, 1) for number in range(chance.randint(2, 6))}
    ids, starts = "xyz"[: chance.randint(1, 3)], chance.choice((1, 3, 8))
    results: list[Result] = []
    for number in range(chance.randint(4, 40)):
        one, other = chance.sample(sorted(truth), 2)
        game, opening = chance.choice(ids), chance.randrange(starts)
        pair = number if chance.random() < 0.8 else None
        for first, second in ((one, other), (other, one)):
            wins = chance.random() < 1 / (1 + math.exp(truth[second] - truth[first] - 0.3))
            score = 0.5 if chance.random() < 0.2 else float(wins)
            line = len(results)
            results.append(Result(first, second, score, game, pair, (game, opening), line))
    return results


def once_more(results: list[Result], number: int) -> list[Result]:
    """Return copies, whose pairs are others."""
    return [
        result if result.pair is None else result._replace(pair=(number, result.pair))
        for result in results
    ]


def numbers(ratings: Ratings) -> list[float]:
    found = list(ratings.differences.values())
    for one in ratings.strengths.values():
        found += [one.elo.value, one.elo.error, one.elo.end]
        found += [one.trueskill.mu, one.trueskill.sigma, one.trueskill.above or 0.0]
    for each in ratings.conditions:
        found += [each.advantage.value, each.advantage.error, each.draw_rate]
    return found + ([ratings.between.spread, ratings.between.p_value] if ratings.between else [])


@pytest.mark.parametrize("seed", range(20))
def test_copies_of_all_games_change_nothing_that_is_rated(seed: int) -> None:
    games = some_event(seed)
    once = rate(games, in_order=False)
    for times in (2, 3):
        copied = [game for number in range(times) for game in once_more(games, number)]
        assert numbers(rate(copied, in_order=False)) == pytest.approx(numbers(once), rel=1e-6)


def test_copies_of_some_games_hardly_change_how_wide_intervals_are() -> None:
    """They move strengths, for their points count, and intervals with these."""
    wider = []
    for seed in range(20):
        games = some_event(seed)
        copies = once_more(random.Random(seed).sample(games, len(games) // 2), 1)
        once, more = (rate(each, in_order=False).strengths for each in (games, games + copies))
        wider += [more[name].elo.error / one.elo.error for name, one in once.items()]
        wider += [more[name].trueskill.sigma / one.trueskill.sigma for name, one in once.items()]
    assert sum(wider) / len(wider) < 1.03
    assert max(wider) < 1.3


def test_a_collection_given_with_other_tags_is_rated_as_it_was() -> None:
    """Games without numbers, some of them pairs; `Site` is no part of what a game is."""
    chance = random.Random(2)
    games: list[Record] = []
    for seed in range(16):
        one, other = chance.sample(("ann", "bob", "cat", "dan"), 2)
        game_id = chance.choice(("yavalath", "surikata"))
        for seats in ((one, other), (other, one))[: chance.randint(1, 2)]:
            record = random_game(game_id, len(games) + 100 * seed)
            games.append(with_tags(record, First=seats[0], Second=seats[1]))
    copies = [with_tags(game, Site="home") for game in games]
    once, twice = (compute(each).overall.ratings for each in (games, games + copies))
    assert numbers(twice) == pytest.approx(numbers(once), rel=1e-6)


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


def test_a_likely_game_that_comes_again_takes_no_points_from_who_wins_it() -> None:
    """Ann wins the one game that both like best; all others are different, and bob wins them."""
    chance = random.Random(4)
    cells = [move for move in games.get("yavalath").start().legal_moves() if move != "swap"]
    records = []
    for number in range(1, 401):
        first, second = ("ann", "bob") if number % 2 else ("bob", "ann")
        is_trap = number % 5 < 3
        plies = tuple(map(Ply, cells[:4] if is_trap else chance.sample(cells, 5)))
        result = "1-0" if (first == "ann") == is_trap else "0-1"
        records.append(replace(bare(first, second, result, Number=str(number)), plies=plies))
    ratings = compute(records).overall.ratings
    ann, bob = (ratings.strengths[name].elo for name in ("ann", "bob"))
    assert score_of(ann.value - bob.value) == pytest.approx(0.6, abs=0.01)
    assert (ratings.superiority("ann", "bob") or 0) > 0.95
    independent = 1.96 * 400 / math.log(10) / math.sqrt(0.24 * 400)
    assert 1.2 < 1.96 * ratings.differences["ann", "bob"] / independent < 2


@pytest.mark.parametrize("times", [2, 20])
def test_games_that_only_repeat_themselves_are_worth_those_that_are_different(times: int) -> None:
    games = [random_game("yavalath", seed) for seed in range(8)]
    counts = count(Rated(tally_of(games * times)))
    assert {seats: counts.weight(seats) for seats in counts.tallies} == pytest.approx(
        dict.fromkeys(counts.tallies, 1 / times)
    )


def tally_of(records: list[Record]) -> RatedGames:
    tally = Tally()
    for record in records:
        tally.add(record)
    return tally.rated().games
