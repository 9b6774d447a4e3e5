"""Pairs: the two games of one opening with both seats, as the arena plays them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count

import pytest
from sample_records import bare, random_game, with_tags
from schedules import a_schedule, by_strength, played

from lath.notation.record import Record
from lath.reports.standings import Tally


def pairs_of(records: Iterable[Record]) -> list[list[int]]:
    """Return which games, counted from 0, are together."""
    tally = Tally()
    for record in records:
        tally.add(record)
    together = defaultdict(list)
    for number, result in enumerate(tally.results()):
        together[result.pair].append(number)
    return sorted(together.values())


def test_two_games_with_both_seats_are_a_pair() -> None:
    assert pairs_of([bare("ann", "bob", "1-0"), bare("bob", "ann", "1-0")]) == [[0, 1]]


def test_one_seat_twice_is_no_pair() -> None:
    assert pairs_of([bare("ann", "bob", "1-0"), bare("ann", "bob", "0-1")]) == [[0], [1]]


def test_other_bots_rounds_games_and_openings_are_other_pairs() -> None:
    one = bare("ann", "bob", "1-0", Round="1", Opening="book #1", Event="Cup")
    back = with_tags(one, First="bob", Second="ann")
    others = [
        with_tags(back, Round="2"),
        with_tags(back, Opening="book #2"),
        with_tags(back, Event="Open"),
        with_tags(back, Game="surikata"),
        with_tags(back, First="cat"),
    ]
    for other in others:
        assert pairs_of([one, other]) == [[0], [1]]
    assert pairs_of([one, back]) == [[0, 1]]


def test_a_setup_and_the_position_that_it_makes_are_one_start() -> None:
    setup = random_game("mammalath", 1)
    other = with_tags(random_game("mammalath", 2), Setup=setup.tag("Setup"))
    swapped = with_tags(other, First="bob", Second="ann")
    assert pairs_of([setup, swapped]) == [[0, 1]]
    assert pairs_of([setup, with_tags(random_game("mammalath", 2), First="bob", Second="ann")]) == [
        [0],
        [1],
    ]


def test_the_arenas_numbers_tell_pairs_of_one_round_apart() -> None:
    games = [
        bare(*names, "1-0", Round="1", Number=str(number))
        for number, names in zip(count(1), [("ann", "bob"), ("bob", "ann")] * 3, strict=False)
    ]
    mixed = [games[at] for at in (0, 5, 3, 2, 1, 4)]
    assert pairs_of(mixed) == [[0, 4], [1, 5], [2, 3]]


def test_a_game_whose_partner_is_void_meets_what_is_left_over() -> None:
    games = [
        bare("ann", "bob", "1-0", Number="1"),
        bare("bob", "ann", "*", Number="2", Termination="void"),
        bare("ann", "bob", "1-0", Number="3"),
        bare("bob", "ann", "1-0", Number="4"),
        bare("bob", "ann", "1-0", Number="6"),
    ]
    assert pairs_of(games) == [[0, 3], [1, 2]]


def test_a_number_that_is_none_is_passed_over() -> None:
    for number in ("", "x", "-1", "²", "9" * 30):
        games = [bare(*names, "1-0", Number=number) for names in (("ann", "bob"), ("bob", "ann"))]
        assert pairs_of(games) == [[0, 1]]


@pytest.mark.parametrize("form", ["round-robin", "gauntlet", "swiss", "knockout"])
def test_the_pairs_of_a_tournament_are_found_in_records_of_any_order(form: str) -> None:
    schedule = a_schedule(form, names=("A", "B", "C", "D"), rounds=2, pairs=2)
    pairs = list(played(schedule, by_strength))
    plans = [plan for pair in pairs for plan in pair.games]
    records = [
        bare(
            *plan.names,
            "1-0",
            game_id=plan.game,
            Round=str(plan.round),
            Number=str(plan.number),
            **({"Setup": plan.setup} if plan.setup else {}),
        )
        for plan in random.Random(1).sample(plans, len(plans))
    ]
    numbers = [int(record.tag("Number")) for record in records]
    found = {tuple(sorted(numbers[at] for at in pair)) for pair in pairs_of(records)}
    assert found == {tuple(plan.number for plan in pair.games) for pair in pairs}


def test_the_order_of_the_records_does_not_matter() -> None:
    # No round, no number: all begin alike.
    games = [random_game("yavalath", seed) for seed in range(12)]
    games += [random_game("yavalath", seed, first="bob", second="ann") for seed in range(20, 30)]
    told = by_moves(games)
    assert sorted(map(len, told)) == [1, 1, *[2] * 10]
    for seed in range(5):
        assert by_moves(random.Random(seed).sample(games, len(games))) == told


def by_moves(records: Sequence[Record]) -> set[frozenset[tuple[str, ...]]]:
    return {frozenset(records[at].moves for at in pair) for pair in pairs_of(records)}


def test_a_bot_against_itself_is_no_pair() -> None:
    assert pairs_of([bare("ann", "ann", "1-0")] * 3) == [[0], [1], [2]]


def test_results_without_moves_are_no_pairs_where_nothing_tells_which() -> None:
    """In an order by result wins would be paired with wins, and intervals be of any width."""
    results = ["1-0"] * 6 + ["0-1"] * 4
    records = [bare("ann", "bob", result) for result in results]
    records += [bare("bob", "ann", result) for result in results]
    assert pairs_of(records) == [[number] for number in range(20)]
