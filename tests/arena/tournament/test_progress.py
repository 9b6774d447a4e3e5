"""What happens in a run is counted right, in the same memory however long it goes on."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results import a_result
from runs import Told

from lath.arena.errors import Cause
from lath.arena.schedule.budget import Budget
from lath.arena.terminal.live import progress_words
from lath.arena.tournament.run.progress import WARNINGS_KEPT, Rate, RunningScore
from lath.arena.tournament.store.store import Store
from lath.arena.tournament.store.totals import EndingTally, PairTally
from lath.reports.ratings.numerics import Z95

FORFEITS: Final = ("crash", "time", "illegal move", "flood")
OTHER_ENDS: Final = ("rules", "resignation", "adjudication", "ply limit")

# What is told


def test_points_wins_draws_losses_and_forfeits_are_those_of_both_sides() -> None:
    told = Told()
    told.start()
    told.play("1-0", "1/2-1/2")
    told.play("0-1", "0-1", names=("bob", "cat"))
    scores = [told.progress.scores[name].standing() for name in ("ann", "bob", "cat")]
    assert [(one.points, one.wins, one.draws, one.losses) for one in scores] == [
        (1.5, 1, 1, 0),
        (1.5, 1, 1, 2),
        (1.0, 1, 0, 1),
    ]
    assert told.progress.done == 4
    assert [line.name for line in told.progress.ranked()] == ["ann", "cat", "bob"]
    for ending in (*FORFEITS, *OTHER_ENDS):
        told = Told()
        told.start()
        told.play("1-0", "0-1", termination=ending)
        lost = [told.progress.scores[name].forfeits for name in ("ann", "bob")]
        assert not any(lost[0].values()), ending
        assert +lost[1] == ({ending: 2} if ending in FORFEITS else {}), ending


def test_what_was_stored_before_counts_as_if_it_had_just_been_played() -> None:
    here, before = Told(), Told()
    here.start()
    here.play("1-0", "1/2-1/2", termination="time")
    here.play("1-0")
    before.start(
        EndingTally("ann", "bob", "1-0", "time", 1),
        EndingTally("bob", "ann", "1/2-1/2", "time", 1),
        EndingTally("ann", "bob", "1-0", "rules", 1),
        pairs=(PairTally("ann", "bob", 1.5, 2, 1), PairTally("ann", "bob", 1.0, 1, 1)),
    )
    for name in ("ann", "bob"):
        assert here.progress.scores[name] == before.progress.scores[name]
    assert before.progress.scores["bob"].forfeits["time"] == 1
    assert before.progress.done == 3


def test_what_runs_is_known_until_it_has_finished() -> None:
    told = Told()
    told.start()
    told.begin(1, slot=1)
    told.begin(2, slot=2, names=("bob", "cat"))
    told.play("1-0", "0-1")
    assert {slot: one.pair for slot, one in told.progress.running.items()} == {2: 2}
    told.begin(3, slot=2)
    assert {slot: one.pair for slot, one in told.progress.running.items()} == {2: 3}


def test_warnings_and_stopped_pairings_are_kept_once_and_counted() -> None:
    told = Told()
    for text in ("a", "b", "a", "a"):
        told.warn(text)
    assert list(told.progress.warnings.items()) == [("b", 1), ("a", 3)]
    assert told.progress.warned_times == 4
    told = Told()
    before = Cause("exited with status 2 before ok", "bob", "at 0x7f01")
    told.warn(str(before), before)
    for other in ("ann", "cat"):
        told.stop({"bob", other}, replace(before, said=f"at {other}"))
    told.stop({"bob", "ann"}, Cause("flooded its output before ok", "bob"))
    assert list(told.progress.warnings)[1:] == [
        "ann - bob: not played in this run, because of bob",
        "bob - cat: not played in this run, because of bob",
        "ann - bob: not played in this run, bob: flooded its output before ok",
    ]


def test_memory_does_not_grow_with_games_and_warnings() -> None:
    sizes = []
    for games in (300, 1_500):
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


# How long it takes


def test_rates_are_of_the_last_minute_and_of_the_whole_run() -> None:
    rate = Rate(0.0)
    for second in range(1, 301):
        rate.add(10 if second <= 200 else 1, float(second))
    assert rate.overall(300.0) == pytest.approx(7.0)
    assert rate.recent(300.0) == pytest.approx(1.0)
    told = Told(total=12)
    told.start()
    assert told.progress.left_s() is None
    told.clock.now_s += 10
    told.play("1-0", "0-1")
    told.clock.now_s += 990
    assert told.progress.left_s() == pytest.approx(10 * 1000 / 2), "none in the last minute"


LEFT: Final[dict[str, tuple[Any, ...]]] = {
    "at the beginning of a budget": (
        *({}, Budget(games=40), 0, 0),
        *(["0 of 1,000 games", "40 games of the budget left"], 0.0, math.nan),
    ),
    "of a budget of games": (
        *({}, Budget(games=40), 10, 5),
        *(["10 of 1,000 games", "30 games of the budget left (about 0:30)"], 0.25, 30),
    ),
    "of a budget of games and time": (
        *({}, Budget(games=40, seconds=600), 10, 5),
        *(["10 of 1,000 games", "30 games of the budget left (about 0:30)"], 0.25, 30),
    ),
    "of a budget of time": (
        *({}, Budget(seconds=600), 150, 0),
        *(["0 of 1,000 games", "7:30 of the budget left"], 0.25, 450),
    ),
    "of a budget of time for more than there is": (
        *({"total": 4}, Budget(seconds=600), 60, 1),
        *(["2 of 4 games", "9:00 of the budget left"], 0.1, 60),
    ),
    "of a budget of games for more than there is": (
        *({"total": 4}, Budget(games=40), 1, 1),
        *(["2 of 4 games", "38 games of the budget left (about 0:01)"], 0.05, 1),
    ),
    "when all is played": (
        *({"total": 4}, Budget(games=40), 2, 2),
        *(["4 of 4 games", "36 games of the budget left"], 1.0, 0),
    ),
    "of a pool, which has no last game": (
        *({"total": 12, "format": "pool"}, Budget(games=40), 10, 1),
        *(["2 games", "38 games of the budget left (about 3:10)"], 0.05, 190),
    ),
    "beyond all games": (
        *({"total": 4}, Budget(games=40), 3, 3),
        *(["4 of 4 games, 2 more that do not count", "34 games of the budget left"], 1.0, 0),
    ),
}
"""Of what: the run, its budget, seconds and pairs; what is said, the share, the seconds left."""


@pytest.mark.parametrize("case", LEFT)
def test_what_is_left_is_told(case: str) -> None:
    more, budget, seconds, pairs, words, share, left_s = LEFT[case]
    told = Told(**{"total": 1000, **more})
    told.start(budget=budget)
    told.clock.now_s += seconds
    for _ in range(pairs):
        told.play("1-0", "0-1")
    first, *_, last = progress_words(told.progress)
    assert [first, last] == words
    assert told.progress.share == pytest.approx(share)
    found = told.progress.status().left_s
    assert (math.nan if found is None else found) == pytest.approx(left_s, nan_ok=True)


# What stored games add up to


def test_stored_games_are_counted_pair_by_pair(tmp_path: Path) -> None:
    ends = {1: "1-0", 2: "0-1", 3: "1/2-1/2", 4: "1-0", 5: "0-1", 6: "1/2-1/2", 8: "0-1"}
    seats = (("bob", "ann"), ("ann", "bob"))  # of even numbers, of odd ones
    with closing(Store(tmp_path)) as store:
        assert (store.pairs(), store.bots()) == ([], [])
        store.add([a_result(at, seats[at % 2], result=result) for at, result in ends.items()])
        assert store.pairs() == [
            PairTally("ann", "bob", 0.5, 2, 2),
            PairTally("ann", "bob", 1.0, 1, 1),
            PairTally("ann", "bob", 2.0, 2, 1),
        ]


def test_stored_mishaps_and_times_are_those_of_the_bot_itself(tmp_path: Path) -> None:
    ends = ("0-1 crash", "1-0 crash", "1-0 time", "0-1 illegal move", "0-1 flood", "0-1 rules")
    times = {0: ((1.0, 2.0), (0.5, 0.25), (10, 5)), 1: ((4.0, 8.0), (0.75, 1.5), (20, 10))}
    games = []
    for at, end in enumerate(ends):
        result, _, termination = end.partition(" ")
        values = zip(("used_s", "worst_s", "moves"), times.get(at, ((0, 0),) * 3), strict=True)
        said = {f"{s}_{k}": v[i] for k, v in values for i, s in enumerate(("first", "second"))}
        names = ("bob", "ann") if at % 2 else ("ann", "bob")
        games.append(a_result(at + 1, names, result=result, termination=termination, **said))
    with closing(Store(tmp_path)) as store:
        store.add(games)
        ann, bob = store.bots()
    assert (ann.name, ann.games, bob.name, bob.games) == ("ann", 6, "bob", 6)
    assert ann.lost_by == {"crash": 2, "time": 0, "illegal move": 0, "flood": 1}
    assert bob.lost_by == {"crash": 0, "time": 1, "illegal move": 1, "flood": 0}
    assert (ann.moves, ann.worst_s, ann.average_s) == (20, 1.5, 9 / 20)
    assert (bob.moves, bob.worst_s, bob.average_s) == (25, 0.75, 6 / 25)
    (tmp_path / "none").mkdir()
    with closing(Store(tmp_path / "none")) as store:
        store.add([a_result(1, first_used_s=1.0, first_worst_s=1.0, first_moves=0)])
        assert store.bots()[0].average_s is None


# A bot's score, its interval and its Elo: against numbers computed by hand

PAIRS = st.lists(
    st.tuples(st.sampled_from([1, 2]), st.integers(0, 4)).map(
        lambda pair: (min(pair[1] / 2, pair[0]), pair[0])
    ),
    min_size=1,
    max_size=60,
)


def interval_of(pairs: list[tuple[float, int]]) -> tuple[float, float, float]:
    """Return the interval of the score of pairs: points and games of each."""
    return RunningScore(pairs=Counter(pairs)).interval()


def by_hand(pairs: list[tuple[float, int]]) -> tuple[float, float]:
    """Return middle and half width from a list of all pairs, the imagined ones with them."""
    all_pairs = [*pairs, (2, 2), (2, 2), (0, 2), (0, 2)]
    games = sum(games for _, games in all_pairs)
    middle = sum(points for points, _ in all_pairs) / games
    squares = sum((points - middle * games) ** 2 for points, games in all_pairs)
    return middle, Z95 * math.sqrt(squares) / games


def test_the_interval_is_that_of_pairs_with_two_won_and_two_lost_besides() -> None:
    # 10 pairs: 4 of two points, 3 of one, 2 of a half, 1 of none: 12 of 20. With the imagined ones
    # 16 of 28, 4/7. Squares of points - 8/7: 6 * (6/7)^2 + 3 * (1/7)^2 + 2 * (9/14)^2 + 3 * (8/7)^2
    # = (864 + 12 + 162 + 768) / 196 = 1806 / 196; their root / 28 is 0.108411.
    pairs: list[tuple[float, int]] = [(2, 2)] * 4 + [(1, 2)] * 3 + [(0.5, 2)] * 2 + [(0, 2)]
    half = 1.959964 * 0.108411
    assert interval_of(pairs) == pytest.approx((4 / 7 - half, 4 / 7, 4 / 7 + half), abs=1e-5)
    nothing = RunningScore().standing()
    assert (nothing.score, nothing.low, nothing.high) == (None, None, None)


@given(PAIRS)
def test_the_sums_give_what_the_list_of_all_pairs_gives(pairs: list[tuple[float, int]]) -> None:
    low, found, high = interval_of(pairs)
    middle, half = by_hand(pairs)
    assert found == pytest.approx(middle)
    assert low == pytest.approx(max(0.0, middle - half), abs=1e-6)
    assert high == pytest.approx(min(1.0, middle + half), abs=1e-6)
    assert 0 <= low < found < high <= 1
    assert low <= sum(points for points, _ in pairs) / sum(games for _, games in pairs) <= high


def test_the_interval_narrows_with_every_game_and_by_the_sides() -> None:
    lows, _, highs = zip(
        *(interval_of([(2, 2)] * many) for many in (1, 10, 100, 10**4)), strict=True
    )
    assert {*highs} == {1}
    assert all(one < other for one, other in pairwise(lows))
    assert lows[-1] > 0.999
    low, _, high = interval_of([(1, 2)] * 50)  # in which the seat decides
    apart_low, _, apart_high = interval_of([(1, 1), (0, 1)] * 50)
    assert high - low < (apart_high - apart_low) / 2


def test_the_interval_has_the_truth_in_it_about_95_times_of_100() -> None:
    # Exactly: 30 pairs, each worth 0, 1 or 2 points with probabilities 0.25, 0.5 and 0.25.
    held = 0.0
    for twos in range(31):
        for zeros in range(31 - twos):
            ones = 30 - twos - zeros
            ways = math.comb(30, twos) * math.comb(30 - twos, zeros)
            probability = ways * 0.25 ** (twos + zeros) * 0.5**ones
            score = RunningScore(pairs=Counter({(2, 2): twos, (1, 2): ones, (0, 2): zeros}))
            low, _, high = score.interval()
            held += probability * (low <= 0.5 <= high)
    assert 0.94 < held < 0.98
