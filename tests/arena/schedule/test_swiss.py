"""Swiss: who meets whom, worked out by hand, and laws over fields of any size."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from schedules import a_schedule, by_strength, outcome, played

from lath.arena.schedule.core import Schedule
from lath.arena.schedule.matching import is_perfect, largest
from lath.arena.schedule.swiss import (
    Past,
    Round,
    SwissMeeting,
    by_direct_encounter,
    pair_round,
    rounds_of,
    table,
)
from lath.games.core import Result

EIGHT = ("A", "B", "C", "D", "E", "F", "G", "H")


def meetings(schedule: Schedule) -> dict[int, list[str]]:
    """Play to the end, the better seed always winning; return who met whom in which round."""
    met: dict[int, list[str]] = {}
    for pair in played(schedule, by_strength):
        met.setdefault(pair.games[0].round, []).append("-".join(pair.names))
    return met


def test_rounds_are_paired_as_by_hand() -> None:
    """Upper half against lower half of each score group; round 4 has two who change groups.

    Before it A has 6 points, B C D 4, E F G 2 and H 0. A comes down and meets D, for it has met C
    and B; E comes down to H, which F and G have met.
    """
    assert meetings(a_schedule("swiss", names=EIGHT, rounds=4)) == {
        1: ["A-E", "B-F", "C-G", "D-H"],
        2: ["A-C", "B-D", "E-G", "F-H"],
        3: ["A-B", "C-E", "D-F", "G-H"],
        4: ["A-D", "B-C", "E-H", "F-G"],
    }
    schedule = a_schedule("swiss", names=EIGHT[:3], rounds=3)
    assert meetings(schedule) == {1: ["A-B"], 2: ["A-C"], 3: ["B-C"]}
    assert outcome(schedule).words == (
        "1. A 6 (Buchholz 9, Sonneborn-Berger 9)",
        "2. B 4 (Buchholz 11, Sonneborn-Berger 5)",
        "3. C 2 (Buchholz 12, Sonneborn-Berger 2)",
    ), "a dummy has the bot's own points, at most the 3 of three draws"


# Points, Buchholz and Sonneborn-Berger after round 3 of that tournament, worked out by hand.
TABLE = """\
1. A 6 (Buchholz 10, Sonneborn-Berger 10)
2. B 4 (Buchholz 12, Sonneborn-Berger 6)
3. C 4 (Buchholz 10, Sonneborn-Berger 4)
4. D 4 (Buchholz 6, Sonneborn-Berger 2)
5. E 2 (Buchholz 12, Sonneborn-Berger 2)
6. F 2 (Buchholz 8, Sonneborn-Berger 0)
7. G 2 (Buchholz 6, Sonneborn-Berger 0)
8. H 0 (Buchholz 8, Sonneborn-Berger 0)"""


def test_the_table_of_eight_bots_is_as_by_hand() -> None:
    schedule = a_schedule("swiss", names=EIGHT, rounds=3)
    assert list(played(schedule, by_strength))
    assert "\n".join(outcome(schedule).words) == TABLE


def test_an_encounter_is_every_game_from_several_setups_with_both_sides() -> None:
    schedule = a_schedule(
        "swiss", names=("A", "B"), rounds=1, pairs=3, games=("mammalath", "yavalath")
    )
    games = [game for pair in played(schedule) for game in pair.games]
    assert Counter(game.game for game in games) == {"mammalath": 6, "yavalath": 6}
    assert len({game.setup for game in games}) == 4
    assert {game.round for game in games} == {1}


def test_the_next_round_waits_for_all_games_of_this_one() -> None:
    schedule = a_schedule("swiss", names=EIGHT, rounds=2)
    pairs = [schedule.next() for _ in range(4)]
    games = [game for pair in pairs if pair for game in pair.games]
    for game in games[:-1]:
        schedule.report(game.number, *game.names, Result("1-0"))
        assert schedule.next() is None
    schedule.report(games[-1].number, *games[-1].names, Result("1-0"))
    assert schedule.next() is not None


def test_direct_games_part_bots_that_all_else_leaves_level() -> None:
    """A and B have the same points and tie-breaks; B beat A."""
    told = [
        SwissMeeting(0, 1, (1, 3)),
        SwissMeeting(0, 2, (4, 0)),
        SwissMeeting(0, 4, (0, 4)),
        SwissMeeting(1, 3, (0, 4)),
        SwissMeeting(1, 5, (2, 2)),
        *(SwissMeeting(who, None, (halves, 0)) for who, halves in ((2, 6), (3, 2), (4, 3), (5, 5))),
    ]
    rows = table(("A", "B", "C", "D", "E", "F"), told, 4)
    assert [(row.name, row.points) for row in rows[4:]] == [("B", 2.5), ("A", 2.5)]
    assert [(row.buchholz, row.sonneborn_berger) for row in rows[4:]] == [(9, 29 / 8)] * 2
    assert [row.rank for row in rows[4:]] == [5, 6]


DIRECT = (
    ([(0, 1, 4), (0, 2, 4)], [[0], [1, 2]]),  # whatever 1 and 2 had given
    ([(0, 1, 4)], [[0, 1, 2]]),  # 2 might have won against both
    ([(0, 1, 3), (0, 1, 0), (0, 2, 2), (1, 2, 2)], [[1], [2], [0]]),  # averages
    ([(0, 1, 4), (1, 2, 4), (2, 0, 4)], [[0, 1, 2]]),
    ([(0, 1, 4), (0, 2, 4), (1, 2, 3)], [[0], [1], [2]]),
)
"""Who met whom and had so many of 4 half points; who stays level."""


def test_direct_encounters_part_whom_they_part_whatever_the_missing_ones_give() -> None:
    for told, levels in DIRECT:
        meetings = [SwissMeeting(one, other, (halves, 4 - halves)) for one, other, halves in told]
        assert by_direct_encounter([0, 1, 2], rounds_of(3, meetings), 4) == levels
    forfeits = [
        SwissMeeting(one, other, (4, 0), is_played=False) for one, other in ((0, 1), (0, 2))
    ]
    assert by_direct_encounter([0, 1, 2], rounds_of(3, forfeits), 4) == [[0, 1, 2]]
    rows = table(("A", "B"), [SwissMeeting(0, 1, (1, 3)), SwissMeeting(1, 0, (1, 3))], 4)
    assert [(row.rank, row.name) for row in rows] == [(1, "A"), (1, "B")], "nothing parts them"


@st.composite
def swisses(draw: st.DrawFn) -> tuple[int, int, list[SwissMeeting]]:
    """Draw rounds of any results, with byes, forfeits of either and of both."""
    people, rounds = draw(st.integers(2, 9)), draw(st.integers(1, 6))
    told: list[SwissMeeting] = []
    for _ in range(rounds):
        order = draw(st.permutations(range(people)))
        for one, other in zip(order[::2], order[1::2], strict=False):
            halves, is_played = draw(st.integers(0, 4)), draw(st.booleans())
            if not is_played:
                both = draw(st.sampled_from([(4, 0), (0, 4), (0, 0)]))
                told.append(SwissMeeting(one, other, both, is_played=False))
            else:
                told.append(SwissMeeting(one, other, (halves, 4 - halves)))
        if people % 2:
            told.append(SwissMeeting(order[-1], None, (4, 0)))
    return people, rounds, told


@given(drawn=swisses())
def test_tie_breaks_count_unplayed_rounds_as_fide_has_it(
    drawn: tuple[int, int, list[SwissMeeting]],
) -> None:
    """Article 16.4 of FIDE C.07 word by word, in points of which an encounter gives two."""
    people, rounds, told = drawn
    names = [f"bot-{who}" for who in range(people)]
    rows = table(names, told, 4, rounds)
    points = dict.fromkeys(range(people), 0.0)
    for each in told:
        points[each.one] += each.halves[0] / 2
        if each.other is not None:
            points[each.other] += each.halves[1] / 2
    found = {row.name: row for row in rows}
    for who, name in enumerate(names):
        buchholz = sonneborn_berger = 0.0
        for each in told:
            if who not in (each.one, each.other):
                continue
            opponent = each.other if who == each.one else each.one
            if opponent is None:
                contribution = min(points[who], 1 * rounds)  # a draw gives one point
            elif each.is_played:
                contribution = points[opponent]
            else:
                contribution = min(points[who], points[opponent])
            buchholz += contribution
            sonneborn_berger += contribution * each.halves[who != each.one] / 4
        row = found[name]
        assert (row.points, row.buchholz) == (points[who], buchholz)
        assert row.sonneborn_berger == pytest.approx(sonneborn_berger)
    for above, below in pairwise(rows):
        better = above.points, above.buchholz, above.sonneborn_berger
        assert better >= (below.points, below.buchholz, below.sonneborn_berger)
        assert above.rank <= below.rank


@given(people=st.integers(2, 9), halves=st.integers(0, 4), seed=st.integers(0, 99))
def test_equals_share_the_first_rank(people: int, halves: int, seed: int) -> None:
    """Everybody draws each encounter: nothing tells them apart, in whatever order they are met."""
    chance = random.Random(seed)
    pairs = [(one, other) for one in range(people) for other in range(one)]
    chance.shuffle(pairs)
    told = [SwissMeeting(one, other, (halves, halves)) for one, other in pairs]
    assert {row.rank for row in table([str(who) for who in range(people)], told, 4)} == {1}


def play_rounds(people: int, rounds: int, seed: int) -> tuple[list[Round], Counter[int]]:
    """Pair rounds with results by chance; return them and how many met again in each."""
    chance = random.Random(seed)
    points = [0] * people
    met: Counter[tuple[int, int]] = Counter()
    byes: Counter[int] = Counter()
    told: list[Round] = []
    again: Counter[int] = Counter()
    for number in range(1, rounds + 1):
        now = pair_round(Past(points, met, byes))
        told.append(now)
        for one, other in now.pairs:
            halves = chance.randint(0, 4)
            points[one] += halves
            points[other] += 4 - halves
            key = (min(one, other), max(one, other))
            again[number] += met[key] > 0
            met[key] += 1
        if now.bye is not None:
            byes[now.bye] += 1
            points[now.bye] += 4
    return told, again


@given(people=st.integers(2, 14), rounds=st.integers(1, 20), seed=st.integers(0, 10**6))
def test_everybody_plays_once_a_round_and_byes_go_round(
    people: int, rounds: int, seed: int
) -> None:
    told, _ = play_rounds(people, rounds, seed)
    byes: Counter[int | None] = Counter()
    for now in told:
        seen = [who for pair in now.pairs for who in pair]
        seen += [] if now.bye is None else [now.bye]
        assert sorted(seen) == list(range(people))
        byes[now.bye] += 1
    if people % 2:
        assert max(byes.values()) == -(-rounds // people)
    else:
        assert set(byes) == {None}


@given(people=st.integers(2, 10).map(lambda half: 2 * half), seed=st.integers(0, 10**6))
def test_nobody_meets_again_while_a_pairing_without_that_exists(people: int, seed: int) -> None:
    """Checked against all pairings for up to ten bots."""
    told, again = play_rounds(people, people - 1, seed)
    met: set[frozenset[int]] = set()
    for number, now in enumerate(told, 1):
        if people <= 10:
            assert (again[number] > 0) == (fewest_rematches(people, frozenset(met)) > 0)
        met |= {frozenset(pair) for pair in now.pairs}


def fewest_rematches(people: int, met: frozenset[frozenset[int]]) -> int:
    @cache
    def fewest(left: tuple[int, ...]) -> int:
        if not left:
            return 0
        one, *rest = left
        return min(
            (frozenset((one, other)) in met) + fewest(tuple(who for who in rest if who != other))
            for other in rest
        )

    return fewest(tuple(range(people)))


graphs = st.integers(1, 8).flatmap(
    lambda size: st.sets(
        st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)).filter(
            lambda edge: edge[0] < edge[1]
        )
    ).map(lambda edges: (size, edges))
)


@given(graph=graphs)
def test_the_largest_matching_is_as_large_as_the_best_of_all(
    graph: tuple[int, set[tuple[int, int]]],
) -> None:
    size, edges = graph
    links = {
        who: [other for other in range(size) if {(who, other), (other, who)} & edges]
        for who in range(size)
    }
    mates = largest(list(range(size)), links)
    assert all(mates[mates[who]] == who and mates[who] in links[who] for who in mates)

    @cache
    def most(left: frozenset[int]) -> int:
        if not left:
            return 0
        one = min(left)
        rest = left - {one}
        return max(
            [most(rest), *(2 + most(rest - {other}) for other in links[one] if other in rest)]
        )

    assert len(mates) == most(frozenset(range(size)))
    assert is_perfect(list(range(size)), links) == (len(mates) == size)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [4])
@pytest.mark.parametrize("people", [100, 101])
def test_a_hundred_bots_are_paired_without_rematch_in_no_time(people: int, rounds: int) -> None:
    _, again = play_rounds(people, rounds, seed=3)
    assert not sum(again.values())


def test_who_must_meet_again_has_met_the_fewest_times() -> None:
    """Four bots have all met once; then each pairing comes again before one comes a third time."""
    told, again = play_rounds(4, 6, seed=5)
    met = Counter(tuple(sorted(pair)) for now in told for pair in now.pairs)
    assert set(met.values()) == {2}
    assert [again[number] for number in range(1, 7)] == [0, 0, 0, 2, 2, 2]
    told, again = play_rounds(2, 3, seed=1)
    assert [sorted(pair) for now in told for pair in now.pairs] == [[0, 1]] * 3
    assert sum(again.values()) == 2
