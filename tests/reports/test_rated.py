"""Games that are rated: which are pairs, which repeat another, and that they take no memory."""

from __future__ import annotations

import gc
import math
import random
import sqlite3
import threading
import tracemalloc
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_pairs import plain_results
from sample_records import bare, cut, random_game, with_tags
from schedules import a_schedule, by_strength, played

from lath import games
from lath.games.core import Result
from lath.notation.files.files import TemporaryFileError
from lath.notation.record.record import Ply, Record, comment
from lath.reports.counting.standings import Tally, compute
from lath.reports.ratings.counts import count
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import DecidedGame, Ratings, score_of

pytestmark = pytest.mark.slow

NAMES = ("ann", "bob", "cat")

MOVES = [random_game("yavalath", seed) for seed in range(3)]

GAME = random_game("yavalath", 1)


def tally_of(records: Iterable[Record]) -> Tally:
    tally = Tally()
    deque(map(tally.add, records), 0)
    return tally


@st.composite
def a_record(draw: st.DrawFn) -> Record:
    """Draw a record of few bots, rounds and games, so that many meet."""
    tags = {
        "First": draw(st.sampled_from(NAMES)),
        "Second": draw(st.sampled_from(NAMES)),
        "Round": draw(st.sampled_from(("1", "2"))),
        "Number": draw(st.sampled_from(("", "1", "2", "3", "4"))),
        "Opening": draw(st.sampled_from(("", "one"))),
        "Game": draw(st.sampled_from(("yavalath", "yavalath", "surikata"))),
        "Termination": draw(st.sampled_from(("rules", "time", "crash", "void"))),
    }
    result = draw(st.sampled_from(("1-0", "1/2-1/2", "0-1")))
    moves = draw(st.sampled_from((*MOVES, None)))
    if moves is None:
        return with_tags(bare("x", "y", result), **tags)
    return with_tags(replace(moves, result=Result(result)), **tags, Result=result)


@settings(max_examples=60)
@given(st.lists(a_record(), max_size=40))
def test_rows_of_the_database_come_to_what_lists_come_to(records: list[Record]) -> None:
    tally = tally_of(records)
    plain = plain_results(records)
    assert tally.results() == plain
    rated = tally.rated()
    assert tally.games_rated == len(plain)
    assert list(rated) == [DecidedGame(*result[:4]) for result in plain]
    for game in ("", "yavalath", "surikata", "manalath"):
        for fair in (False, True):
            some = [one for one in plain_results(records, fair=fair) if game in ("", one.game)]
            assert count(replace(rated, game=game, fair=fair)) == count(some)


def test_ten_times_the_games_take_no_more_memory() -> None:
    """Of what Python holds; the database has a bound of its own."""
    tally, chance, held = Tally(), random.Random(1), []
    tracemalloc.start()
    try:
        for number in (150, 1500):
            while tally.games_rated < number:
                first, second = chance.sample(NAMES, 2)
                at = str(chance.randrange(1, 10**6))
                tally.add(bare(first, second, chance.choice(("1-0", "0-1")), Number=at))
            count(tally.rated())
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert held[1] - held[0] < 7_500


def test_the_database_is_bounded_says_that_it_is_full_and_is_closed_by_any_thread() -> None:
    tally = Tally()
    database = tally._rated._database  # what is told of it has no other way to be seen
    assert database.execute("PRAGMA cache_size").fetchone() == (-(4 << 10),)  # KiB
    database.execute("PRAGMA max_page_count = 12")
    records = [bare("ann", "bob", "1-0", Number=str(number)) for number in range(2000)]
    with pytest.raises(TemporaryFileError, match="full"):
        deque(map(tally.add, records))
    # The plugin of pytest fails a test for what a finalizer raises.
    kept = [tally]
    del tally
    other = threading.Thread(target=kept.clear)
    other.start()
    other.join()
    with pytest.raises(sqlite3.ProgrammingError, match="closed database"):
        database.execute("SELECT 1")


# Pairs: the two games of one opening with both seats, as the arena plays them


def pairs_of(records: Iterable[Record]) -> list[list[int]]:
    """Return which games, counted from 0, are together."""
    together = defaultdict(list)
    for number, result in enumerate(tally_of(records).results()):
        together[result.pair].append(number)
    return sorted(together.values())


def test_two_games_with_both_sides_are_a_pair_where_nothing_else_differs() -> None:
    one = bare("ann", "bob", "1-0", Round="1", Opening="book #1", Event="Cup")
    back = with_tags(one, First="bob", Second="ann")
    assert pairs_of([one, back]) == [[0, 1]]
    other_tags = [("Round", "2"), ("Opening", "book #2"), ("Event", "Open"), ("Game", "surikata")]
    for name, value in (*other_tags, ("First", "cat")):
        assert pairs_of([one, with_tags(back, **{name: value})]) == [[0], [1]], name
    assert pairs_of([one, bare("ann", "bob", "0-1")]) == [[0], [1]]
    assert pairs_of([bare("ann", "ann", "1-0")] * 3) == [[0], [1], [2]]
    # A setup and the position that it makes are one start.
    setup, other = random_game("mammalath", 1), random_game("mammalath", 2)
    swapped = with_tags(other, First="bob", Second="ann")
    assert pairs_of([setup, swapped]) == [[0], [1]]
    assert pairs_of([setup, with_tags(swapped, Setup=setup.tag("Setup"))]) == [[0, 1]]
    tally = tally_of([one])  # a tally that was asked may be added to
    assert [result.pair for result in tally.results()] == [0]
    tally.add(back)
    assert [result.pair for result in tally.results()] == [0, 0]


def test_the_arenas_numbers_tell_pairs_of_one_round_apart() -> None:
    seats = [("ann", "bob"), ("bob", "ann")] * 3
    by_number = [bare(*names, "1-0", Round="1", Number=str(n)) for n, names in enumerate(seats, 1)]
    assert pairs_of([by_number[at] for at in (0, 5, 3, 2, 1, 4)]) == [[0, 4], [1, 5], [2, 3]]
    # A game whose partner is void meets what is left over.
    void = bare("bob", "ann", "*", Number="2", Termination="void")
    left = zip((1, 3, 4, 6), (0, 0, 1, 1), strict=True)
    first, *others = (bare(*seats[at], "1-0", Number=str(n)) for n, at in left)
    assert pairs_of([first, void, *others]) == [[0, 3], [1, 2]]
    for number in ("", "x", "-1", "²", "9" * 30):  # what is no number is passed over
        assert pairs_of([bare(*names, "1-0", Number=number) for names in seats[:2]]) == [[0, 1]]


@pytest.mark.parametrize("form", ["round-robin", "gauntlet", "swiss", "knockout"])
def test_the_pairs_of_a_tournament_are_found_in_records_of_any_order(form: str) -> None:
    schedule = a_schedule(form, names=("A", "B", "C", "D"), rounds=2, pairs=2)
    pairs = list(played(schedule, by_strength))
    plans = [plan for pair in pairs for plan in pair.games]
    records = []
    for plan in random.Random(1).sample(plans, len(plans)):
        tags = {"Round": str(plan.round), "Number": str(plan.number)}
        tags |= {"Setup": plan.setup} if plan.setup else {}
        records.append(bare(*plan.names, "1-0", game_id=plan.game, **tags))
    numbers = [int(record.tag("Number")) for record in records]
    found = {tuple(sorted(numbers[at] for at in pair)) for pair in pairs_of(records)}
    assert found == {tuple(plan.number for plan in pair.games) for pair in pairs}


def test_without_numbers_pairs_are_the_same_in_any_order_and_results_alone_are_none() -> None:
    def by_moves(records: Sequence[Record]) -> set[frozenset[tuple[str, ...]]]:
        return {frozenset(records[at].moves for at in pair) for pair in pairs_of(records)}

    alike = [random_game("yavalath", seed) for seed in range(12)]
    alike += [random_game("yavalath", seed, first="bob", second="ann") for seed in range(20, 30)]
    told = by_moves(alike)
    assert sorted(map(len, told)) == [1, 1, *[2] * 10]
    for seed in range(5):
        assert by_moves(random.Random(seed).sample(alike, len(alike))) == told
    # In an order by result wins would be paired with wins, and intervals be of any width.
    results = ["1-0"] * 6 + ["0-1"] * 4
    records = [bare(*s, one) for s in (("ann", "bob"), ("bob", "ann")) for one in results]
    assert pairs_of(records) == [[number] for number in range(20)]


# Duplicates: the points of a game that comes again count, and its evidence does not


def repeated(*records: Record) -> int:
    return compute(records).overall.repeated


def test_which_games_are_the_same_game_again() -> None:
    plies = tuple(replace(ply, comments=(comment("[%emt 0.5] why"),)) for ply in GAME.plies)
    again = replace(with_tags(GAME, Event="Open", Round="7", Date="2026-01-01"), plies=plies)
    mammalath = bare("ann", "bob", "1-0", game_id="mammalath")
    spelled = [replace(mammalath, plies=(Ply("c3"), Ply(move))) for move in ("xb4-b2", "xb2-b4")]
    setup, other = random_game("mammalath", 1), random_game("mammalath", 2)
    void = cut(GAME, 3, "void", "*")
    fails = {ending: [cut(GAME, 3, ending, "0-1")] * 5 for ending in ("crash", "flood", "time")}
    same: dict[str, tuple[list[Record], int]] = {
        "names of tournaments, times and comments": ([GAME, again], 1),
        "another spelling of a move": (spelled, 1),
        "other seats": ([GAME, with_tags(GAME, First="bob", Second="ann")], 0),
        "another bot": ([GAME, with_tags(GAME, First="cat")], 0),
        "another game": ([GAME, with_tags(GAME, Game="chess")], 0),
        "another ending": ([GAME, with_tags(GAME, Termination="resignation")], 0),
        "fewer moves": ([GAME, cut(GAME, len(GAME.plies) - 1, "rules", GAME.result)], 0),
        "another result": ([GAME, replace(GAME, result=Result("1/2-1/2"))], 0),
        "another start": ([setup, with_tags(setup, Setup=other.tag("Setup"))], 0),
        "no moves": ([bare("ann", "bob", "1-0", Termination="crash")] * 5, 0),
        "records left out": ([GAME, void, void], 0),
        "a crash at the same place": (fails["crash"], 4),
        "a flood at the same place": (fails["flood"], 4),
        "time may run out anywhere": (fails["time"], 0),
    }
    assert {name: repeated(*records) for name, (records, _) in same.items()} == {
        name: times for name, (_, times) in same.items()
    }


def test_repeats_count_for_points_and_each_game_tells_of_its_own() -> None:
    table = compute([GAME] * 5).overall
    assert (table.games, table.repeated, table.ratings.games) == (5, 4, 5)
    assert sum(row.points for row in table.rows) == 5
    assert table.endings == {"rules": 5}
    assert table.crosstable[0][1].games == 5
    other = random_game("surikata", 1)
    standings = compute([GAME, GAME, other, other, other])
    found = [(table.game, table.repeated) for table in standings.per_game]
    assert (found, standings.overall.repeated) == ([("surikata", 2), ("yavalath", 1)], 3)


def some_event(seed: int) -> list[DecidedGame]:
    """Return a tournament of any kind: bots, games, openings, with and without pairs."""
    chance = random.Random(seed)
    truth = {f"bot{number}": chance.gauss(0, 1) for number in range(chance.randint(2, 6))}
    ids, starts = "xyz"[: chance.randint(1, 3)], chance.choice((1, 3, 8))
    results: list[DecidedGame] = []
    for number in range(chance.randint(4, 40)):
        one, other = chance.sample(sorted(truth), 2)
        game, opening = chance.choice(ids), chance.randrange(starts)
        pair = number if chance.random() < 0.8 else None
        for first, second in ((one, other), (other, one)):
            wins = chance.random() < 1 / (1 + math.exp(truth[second] - truth[first] - 0.3))
            score = 0.5 if chance.random() < 0.2 else float(wins)
            line = len(results)
            results.append(DecidedGame(first, second, score, game, pair, (game, opening), line))
    return results


def once_more(results: list[DecidedGame], number: int) -> list[DecidedGame]:
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


def test_copies_of_all_games_change_nothing_and_of_some_hardly_how_wide_intervals_are() -> None:
    wider = []
    for seed in range(16):
        event = some_event(seed)
        once = rate(event, in_order=False)
        copied = [game for number in range(2 + seed % 2) for game in once_more(event, number)]
        assert numbers(rate(copied, in_order=False)) == pytest.approx(numbers(once), rel=1e-6), seed
        # Copies of some move strengths, for their points count, and intervals with these.
        copies = once_more(random.Random(seed).sample(event, len(event) // 2), 1)
        more = rate(event + copies, in_order=False).strengths
        for name, one in once.strengths.items():
            wider.append(more[name].elo.error / one.elo.error)
            wider.append(more[name].trueskill.sigma / one.trueskill.sigma)
    assert sum(wider) / len(wider) < 1.03
    assert max(wider) < 1.3


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
    event = [random_game("yavalath", seed) for seed in range(8)]
    counts = count(tally_of(event * times).rated())
    assert {seats: counts.weight(seats) for seats in counts.tallies} == pytest.approx(
        dict.fromkeys(counts.tallies, 1 / times)
    )
