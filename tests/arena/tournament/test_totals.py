"""What the stored games add up to: bot by bot and pair by pair."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from results import a_result

from lath.arena.tournament.store import PairTally, Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Give a new store."""
    store = Store(tmp_path)
    yield store
    store.close()


def test_pairs_are_counted_by_what_one_bot_scored_in_both_seats(store: Store) -> None:
    ann_first, bob_first = ("ann", "bob"), ("bob", "ann")
    store.add(
        [
            a_result(1, ann_first, result="1-0"),
            a_result(2, bob_first, result="0-1"),
            a_result(3, ann_first, result="1/2-1/2"),
            a_result(4, bob_first, result="1-0"),
            a_result(5, ann_first, result="0-1"),
            a_result(6, bob_first, result="1/2-1/2"),
            a_result(8, bob_first, result="0-1"),
        ]
    )
    assert store.pairs() == [
        PairTally("ann", "bob", 0.5, 2, 2),
        PairTally("ann", "bob", 1.0, 1, 1),
        PairTally("ann", "bob", 2.0, 2, 1),
    ]


def test_a_store_without_games_has_no_pairs_and_no_bots(store: Store) -> None:
    assert store.pairs() == []
    assert store.bots() == []


def test_each_bots_mishaps_are_those_that_it_lost_by(store: Store) -> None:
    store.add(
        [
            a_result(1, ("ann", "bob"), result="0-1", termination="crash"),
            a_result(2, ("bob", "ann"), result="1-0", termination="crash"),
            a_result(3, ("ann", "bob"), result="1-0", termination="time"),
            a_result(4, ("bob", "ann"), result="0-1", termination="illegal move"),
            a_result(5, ("ann", "bob"), result="0-1", termination="flood"),
            a_result(6, ("bob", "ann"), result="0-1", termination="rules"),
        ]
    )
    ann, bob = store.bots()
    assert (ann.name, ann.games, bob.name, bob.games) == ("ann", 6, "bob", 6)
    assert ann.lost_by == {"crash": 2, "time": 0, "illegal move": 0, "flood": 1}
    assert bob.lost_by == {"crash": 0, "time": 1, "illegal move": 1, "flood": 0}


def seats(used_s: tuple[float, float], **both: tuple[float, float]) -> dict[str, float]:
    """Return the fields of a game for first and for second."""
    return {
        f"{seat}_{name}": value
        for name, values in {"used_s": used_s, **both}.items()
        for seat, value in zip(("first", "second"), values, strict=True)
    }


def test_time_is_that_of_a_bots_own_moves_in_either_seat(store: Store) -> None:
    store.add(
        [
            a_result(
                1, ("ann", "bob"), **seats(used_s=(1.0, 2.0), worst_s=(0.5, 0.25), moves=(10, 5))
            ),
            a_result(
                2, ("bob", "ann"), **seats(used_s=(4.0, 8.0), worst_s=(0.75, 1.5), moves=(20, 10))
            ),
        ]
    )
    ann, bob = store.bots()
    assert (ann.moves, ann.worst_s, ann.average_s) == (20, 1.5, 9 / 20)
    assert (bob.moves, bob.worst_s, bob.average_s) == (25, 0.75, 6 / 25)


def test_without_moves_there_is_no_average(store: Store) -> None:
    store.add([a_result(1, first_used_s=1.0, first_worst_s=1.0, first_moves=0)])
    assert store.bots()[0].average_s is None
