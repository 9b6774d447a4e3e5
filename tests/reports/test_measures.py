"""What designers ask of a game: each measure worked out by hand, and which games count."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from statistics import mean

import pytest
from places import OURS
from sample_records import random_game

from lath.games.core import Result, Side
from lath.notation import parse, positions
from lath.notation.record.record import Record
from lath.reports.counting.courses import STEPS, Courses, GameCourse
from lath.reports.counting.estimates import Kind, difference, estimate
from lath.reports.metrics.comparing import compare_groups, compared_to_json
from lath.reports.metrics.definitions import ADVANTAGE
from lath.reports.metrics.measures import GameGroup, Measures, MetricRow, of_evaluations, played
from lath.reports.metrics.power import LEAST_GAMES, WORST, games_to_tell, needed

LINE = "a1 e1 b1 e2 c1"
SWAPPED = "a1 swap e1 b1 e2 c1"


def a_game(moves: str, result: str, **tags: str) -> Record:
    all_tags = {"Game": "yavalath", "Termination": "rules", **tags}
    words = "".join(f'[{name} "{value}"]' for name, value in all_tags.items())
    return parse(f"{words}\n\n{moves} {result}")


def judged(*evaluations: float | None, **tags: str) -> Record:
    """Return a game of five moves of which each has its mover's evaluation, or none."""
    words = [f"{{[%eval {each}]}}" if each is not None else "" for each in evaluations]
    pairs = zip(LINE.split(), words, strict=True)
    return a_game(" ".join(f"{move} {said}" for move, said in pairs), "0-1", **tags)


def found_in(record: Record) -> dict[str, float]:
    return dict(played(record)[0])


def counted(*records: Record, game_id: str = "yavalath") -> GameGroup:
    group = GameGroup(game_id)
    for record in records:
        group.add(record)
    return group


def rows_of(*records: Record) -> dict[str, MetricRow]:
    return {row.measure.key: row for row in counted(*records).rows()}


# One game


def test_a_game_that_first_lost_by_three_in_line() -> None:
    assert found_in(a_game(LINE, "0-1")) == {
        "first_score": 0.0,
        "first_stone": 0.0,
        "swapped": 0.0,
        "drawn": 0.0,
        "completion": 1.0,
        "plies": 5,
        "legal_moves": pytest.approx((61 + 61 + 59 + 58 + 57) / 5),  # second may swap
        "choices": 1.0,
        "coverage": pytest.approx(5 / 61),
    }, "and nothing of what needs evaluations"


def test_after_a_swap_the_first_player_is_not_who_has_the_first_stone() -> None:
    found = found_in(a_game(SWAPPED, "1-0"))
    assert (found["first_score"], found["first_stone"], found["swapped"]) == (1.0, 0.0, 1.0)
    assert found["plies"] == 6
    assert found["coverage"] == pytest.approx(5 / 61)
    chosen = found_in(a_game(SWAPPED, "1-0", Opening="random: a1 swap"))
    assert "swapped" not in chosen
    assert chosen["first_stone"] == 0.0, "but who has the stone has it"
    assert {"first_stone", "swapped"}.isdisjoint(found_in(random_game("surikata", 1)))


def test_only_what_the_rules_ended_tells_a_length() -> None:
    endings = ("resignation", "adjudication", "ply limit", "agreement")
    results = ("1-0", "1-0", "1/2-1/2", "1/2-1/2")
    every = [
        found_in(a_game("e5 d4", result, Termination=ending))
        for ending, result in zip(endings, results, strict=True)
    ]
    assert [each["completion"] for each in every] == [1, 0, 0, 0]
    assert [each["drawn"] for each in every] == [0, 0, 0, 1], "a limit is not the game's draw"
    assert all({"plies", "legal_moves", "coverage"}.isdisjoint(each) for each in every)


def test_moves_and_coverage_are_what_positions_say() -> None:
    for game_id in OURS:
        record = random_game(game_id, 3)
        *before, last = positions(record)
        found, course, _ = played(record)
        legal = [len(each.legal_moves()) for each in before]
        assert found["legal_moves"] == pytest.approx(mean(legal))
        changed = {
            at
            for one, other in zip(before, [*before[1:], last], strict=True)
            for at, (was, now) in enumerate(zip(one.contents(), other.contents(), strict=True))
            if was != now
        }
        assert found["coverage"] == pytest.approx(len(changed) / len(last.contents()))
        assert found["plies"] == len(record.plies)
        assert (list(course.legal), course.cells) == (legal, len(last.contents()))
        assert len(course.changed) == course.plies
        assert list(course.changed) == sorted(course.changed), "what has changed once stays so"
        assert courses_of(course).changed()[-1].mean == len(changed) / course.cells


def courses_of(*courses: GameCourse) -> Courses:
    found = Courses()
    for course in courses:
        found.add(course)
    return found


def test_how_games_go_is_told_of_plies_that_most_of_them_have() -> None:
    short, long = GameCourse(2, 10, legal=[9, 8]), GameCourse(3, 10, legal=[9, 6, 4])
    found = courses_of(*[short] * 11, long).legal()
    assert [(point.at, point.games) for point in found] == [(1, 12), (2, 12)]
    assert found[1].mean == pytest.approx((11 * 8 + 6) / 12)
    assert [point.at for point in courses_of(*[short] * 9, long).legal()] == [1, 2, 3]
    found = courses_of(*(GameCourse(1, 10, legal=[number]) for number in range(1, 9))).legal()
    assert (found[0].low, found[0].high) == (2, 6), "the middle half of games"
    # Leads are those that were told last.
    found = courses_of(GameCourse(4, 10, leads=[(1, -0.5), (2, 0.25), (3, 1.0)])).leads()
    by_part = {point.at: point.mean for point in found}
    assert len(found) == STEPS // 2 + 1, "nothing was told before half of the game"
    assert [by_part[at] for at in (50, 70, 75, 100)] == [-0.5, -0.5, 0.25, 1.0]
    assert [point.below for point in found if point.at in (50, 75)] == [1, 0]


# Evaluations


def test_drama_is_worked_out_of_the_winners_evaluations() -> None:
    # The winner's: -0.2, 0.1, -0.1, 0.5, 0.9, of plies 0 to 4.
    series = [(0, -0.2), (1, 0.1), (2, -0.1), (3, 0.5), (4, 0.9)]
    found = of_evaluations(series, 5, Side.FIRST)
    assert found == {
        "lead_changes": 3,
        "lead_changes_a_ply": 3 / 4,
        "drama": pytest.approx(0.3 / 5),
        "greatest_drama": 0.2,
        "behind": 2 / 5,
        "time_to_decide": 3 / 5,  # ahead for good from the fourth ply on
        "decisiveness": 3 / 5,  # 0.5 is the first above 0.2, the best that the loser had
    }
    assert of_evaluations([(at, -value) for at, value in series], 5, Side.SECOND) == found
    level = of_evaluations([(0, 0.2), (1, 0.0), (2, 0.1)], 3, Side.FIRST)
    assert level["lead_changes"] == 0, "a level evaluation is no change of lead"
    drawn = of_evaluations([(0, 0.2), (1, -0.3)], 2, None)
    assert drawn == {"lead_changes": 1, "lead_changes_a_ply": 1.0}
    never = of_evaluations([(0, -0.2), (1, -0.3)], 4, Side.FIRST)  # led, before its end
    assert (never["time_to_decide"], never["decisiveness"], never["behind"]) == (1.0, 1.0, 1.0)


def test_who_judges_decides_what_is_a_change_of_lead_and_few_evaluations_are_none() -> None:
    both_ahead = (0.4, 0.1, 0.3, 0.2, 0.3)
    assert found_in(judged(*both_ahead))["lead_changes"] == 0
    analysed = found_in(judged(*both_ahead, Analysis="mcts, 1 s"))
    assert analysed["lead_changes"] == 4, "one who judges every ply means what it says"
    assert "drama" not in found_in(judged(None, 0.1, None, None, None))
    two = found_in(judged(None, 0.1, None, 0.5, None))
    assert (two["drama"], two["time_to_decide"]) == (0.0, 1 / 5), "one bot of two tells them"
    for last in (0.0, -1.0):  # of a bot that is always level proofs alone count
        found = found_in(judged(0.0, -0.2, 0.0, 0.4, last))
        assert found["greatest_drama"] == pytest.approx(0.2), "not half of it"


JUDGED: dict[tuple[float | None, ...], str | None] = {
    (None,) * 5: "no evaluations",
    (0.0,) * 5: "all level",
    (0.3, 0.1, 0.3, 0.1, 0.3): "all level",  # each bot one number of its own
    (0.3, -0.3, 0.3, -0.3, 0.3): "all level",
    (0.001, 0.0, 0.002, 0.0, -0.001): "all level",
    (0.0, 0.0, 0.0, 1.0, -1.0): "proofs alone",
    (0.0, 0.0, 0.0, 0.995, -0.992): "proofs alone",  # wins in so many plies
    (0.0, 0.1, 0.0, 0.3, 0.0): None,
}


def test_a_game_is_judged_where_a_bots_evaluations_between_lost_and_won_differ() -> None:
    for tags in ({}, {"Analysis": "mcts, 1 s"}):
        for evaluations, why in JUDGED.items():
            found, _, unjudged = played(judged(*evaluations, **tags))
            assert (unjudged, "drama" in found) == (why, why is None), evaluations


def test_few_judged_games_are_exceptions_and_measure_nothing() -> None:
    numbers = [each for each in JUDGED if JUDGED[each] in (None, "all level")]
    level, told = judged(*numbers[0]), judged(*numbers[-1])

    def games(judged: int, others: int) -> GameGroup:
        return counted(*[told] * judged, *[level] * others)

    sizes = ((2, 0), (2, 8), (3, 0), (3, 27), (3, 28), (4, 36), (0, 9))
    measured = [
        size for size in sizes if any(row.measure.key == "drama" for row in games(*size).rows())
    ]
    assert measured == [(3, 0), (3, 27), (4, 36)]
    assert games(2, 0).help == "more games"
    drama = next(row for row in games(3, 27).rows() if row.measure.key == "drama")
    assert drama.of.games == 3, "of the judged alone"


# Many games


def random_games(
    seeds: range, game_id: str = "yavalath", bots: tuple[str, str] = ("ann", "bob"), **tags: str
) -> list[Record]:
    """Return games of both seats of pairs of their own."""
    return [
        random_game(
            game_id, seed, first=bots[seed % 2], second=bots[1 - seed % 2], Number=str(seed + 1)
        )
        for seed in seeds
    ]


def decided_by(
    share: float, games: int, game_id: str = "yavalath", bots: tuple[str, str] = ("ann", "bob")
) -> list[Record]:
    """Return games of pairs of which the first bot scores this share, in both seats alike."""
    found = []
    for at, record in enumerate(random_games(range(games), game_id, bots)):
        wins = int((at // 2 + 1) * share) > int(at // 2 * share)
        result = "1-0" if wins == (record.first == bots[0]) else "0-1"
        found.append(replace(record, result=Result(result)))
    return found


def test_what_says_nothing_of_the_game_is_left_out_and_counted() -> None:
    lost = a_game(LINE, "0-1")
    group = counted(
        lost,
        lost,
        a_game("e5", "1-0", Termination="time"),
        a_game("e5", "*", Termination="unterminated"),
        a_game(SWAPPED, "1-0", Ruling="void: a bug"),
    )
    assert (group.games, group.repeats) == (2, 1)
    assert dict(group.left_out) == {"forfeited": 1, "unfinished": 1, "ruled out": 1}


def test_games_that_are_all_repeated_change_nothing_and_one_that_comes_often_counts_often() -> None:
    games = random_games(range(12))
    once, again = counted(*games), counted(*games * 3)
    assert again.repeats == 24
    for one, other in zip(once.rows(), again.rows(), strict=True):
        of = [(row.of.value, row.of.low, row.of.high) for row in (one, other)]
        # Ratings take from pairs how alike they are: of three times as many that is surer.
        off = 0.15 if one.measure.key in ("first_equal", "stone_equal") else 1e-6
        assert of[1] == pytest.approx(of[0], rel=off, abs=off), one.measure.key
    # Bots that play at random in part play one game most often: without its repeats the score is
    # that of the others.
    usual, *others = games[:9]
    often = [replace(usual, result=Result("1-0"))] * 16 + [
        replace(each, result=Result("0-1")) for each in others
    ]
    of_first = rows_of(*often)["first_score"].of
    assert of_first.value == pytest.approx(16 / 24)
    assert of_first.high is not None
    assert of_first.high > 16 / 24 + 1.96 * math.sqrt(16 / 24 * 8 / 24 / 24), "wider than of new"


def test_games_of_a_pair_or_of_an_opening_count_as_one() -> None:
    pairs = counted(*random_games(range(12)))
    of_lines = counted(
        *(
            random_game("yavalath", seed, Opening=f"line {seed % 12}", Number=str(seed + 1))
            for seed in range(36)
        )
    )
    found = [(group.games, group.clusters, group.holds_for) for group in (pairs, of_lines)]
    assert found == [(12, 6, "the openings played"), (36, 12, "openings of that kind")]


BEGUN = {
    ("random:4 a1 e5", "random:4 b2 c3", ""): (
        "2 of 3 games began with a balanced random opening (random:4), so "
    ),
    ("random:6 a1", "random:4 b2"): (
        "2 of 2 games began with a balanced random opening (random:4, random:6), so "
    ),
    ("random:0", "", "book.lath #3"): "",
}


def test_from_which_openings_an_advantage_is_is_told() -> None:
    for openings, says in BEGUN.items():
        of = (random_game("yavalath", at, Opening=each or "-") for at, each in enumerate(openings))
        words = counted(*of).begun_words()
        assert words.startswith(says)
        assert bool(words) == bool(says) == ("--openings random:0" in words)


def test_first_of_equals_is_what_the_ratings_say() -> None:
    # ann always wins, in both seats, and was first more often
    ended = {"Termination": "resignation"}
    games = [
        a_game("e5 d4", "1-0", First="ann", Second="bob", Number="1", **ended),
        a_game("e5 d5", "0-1", First="bob", Second="ann", Number="2", **ended),
        a_game("a1 d4", "1-0", First="ann", Second="bob", Number="3", **ended),
    ]
    rows = rows_of(*games)
    assert rows["first_score"].of.value == pytest.approx(2 / 3)
    assert rows["first_equal"].of.value < 0.6, "her strength is taken out"
    assert "first_equal" not in rows_of(a_game(LINE, "0-1", First="ann", Second="ann"))
    # Whoever has the first stone wins, after a swap or without one.
    owners = [
        a_game(moves, result, First=first, Second=second, **ended)
        for cell in ("e5", "d4", "c3", "b2")
        for first, second in (("ann", "bob"), ("bob", "ann"))
        for moves, result in ((f"{cell} swap f5", "0-1"), (f"{cell} f5", "1-0"))
    ]
    values = {key: row.of.value for key, row in rows_of(*owners).items()}
    assert (values["first_score"], values["first_stone"], values["swapped"]) == (0.5, 1.0, 0.5)
    assert values["first_equal"] == pytest.approx(0.5, abs=0.01)
    assert values["stone_equal"] > 0.9


@pytest.mark.parametrize("game_id", ["yavalath", "surikata"])
def test_bots_of_whom_one_nearly_always_wins_tell_nothing_of_sides(game_id: str) -> None:
    fair = counted(*decided_by(0.5, 80, game_id))
    has = {row.measure.key for row in fair.rows()} & {*ADVANTAGE}
    for share in (1.0, 0.95, 0.03):
        group = counted(*decided_by(share, 80, game_id))
        known = {row.measure.key for row in group.rows()}
        assert not known & {*ADVANTAGE}
        assert {"drawn", "plies", "legal_moves"} <= known, "these they tell"
        assert {each.key for each in group.unmeasured if each.key in ADVANTAGE} == has
        winner = "ann" if share > 0.5 else "bob"
        for row in group.to_json()["measures"]:
            if row["measure"] in ADVANTAGE:
                assert row["value"] is None
                assert row["reason"].startswith(f"not measurable with these bots: {winner} scores ")
                assert "--bot mcts --bot twin=mcts" in row["help"]
        advantage, plies, _ = needed(group)
        assert (advantage.games, plies.games is None) == (None, False)
        assert "not measurable with these bots" in advantage.why
        compared = compared_to_json(compare_groups(fair, group), fair, group)
        (one,) = (each for each in compared if each["measure"] == "first_equal")
        assert (one["difference"], one["other"]["value"]) == (None, None)


def test_others_tell_of_sides() -> None:
    """Those of whom one is merely better, who have hardly met, or of whom some are equal."""
    for games in ([(0.8, 80)], [(1.0, 8)], [(1.0, 40), (0.5, 40)]):
        records = [
            each
            for at, (share, number) in enumerate(games)
            for each in decided_by(share, number, bots=(f"ann{at}", f"bob{at}"))
        ]
        assert {"first_score", "first_equal"} <= set(rows_of(*records)), games


def test_two_games_differ_in_what_they_differ_in_and_by_shares_at_most() -> None:
    measures = Measures()
    for game_id in ("manalath", "manalath-61"):
        for record in random_games(range(30), game_id):
            measures.add(record)
    (_, one), (_, other) = measures.groups
    found = {each.measure.key: each for each in compare_groups(one, other)}
    assert found["legal_moves"].differs
    assert found["legal_moves"].apart.value < 0, "61 cells are fewer than 70"
    assert not found["first_score"].differs
    assert not any(each.differs for each in compare_groups(one, one))
    # However little the games tell, nobody is better by more than all of a game.
    for sizes in (((1.0, 6), (0.0, 6)), ((1.0, 4), (0.9, 60))):
        ids = ("yavalath", "surikata")
        first, second = (
            counted(*decided_by(*each, game_id)) for each, game_id in zip(sizes, ids, strict=True)
        )
        for each in compare_groups(first, second):
            if each.measure.unit == "share" and each.apart.low is not None:
                assert each.apart.high is not None
                assert -1 <= each.apart.low <= each.apart.high <= 1, each.measure.key


# How many games show a difference


Value = Callable[[random.Random, float], float]

VALUES: tuple[tuple[Value, Kind, float, float], ...] = (
    (lambda chance, by: float(chance.random() < 0.45 + by), "share", WORST, 0.1),
    # Half of the variance, and what is won and lost is 0.4 to 0.6.
    (
        lambda chance, by: 0.5 if chance.random() < 0.5 else float(chance.random() < 0.4 + 2 * by),
        *("share", WORST / 2, 0.1),
    ),
    (lambda chance, by: chance.gauss(20 + by, 6), "mean", 36.0, 2.0),
    (lambda chance, by: chance.expovariate(1 / 0.25) + by, "mean", 0.25**2, 0.1),  # as drama is
)


@pytest.mark.slow
@pytest.mark.parametrize(("value", "kind", "variance", "apart"), VALUES)
def test_a_difference_is_found_in_80_of_100_comparisons(
    value: Value, kind: Kind, variance: float, apart: float
) -> None:
    games = games_to_tell(variance, apart)
    chance, found = random.Random(1), []
    bounds = (0.0, 1.0) if kind == "share" else (float("-inf"), float("inf"))
    for _ in range(500):
        one, other = (
            estimate([value(chance, by) for _ in range(games)], range(games), kind, bounds)
            for by in (0.0, apart)
        )
        assert one is not None
        assert other is not None
        found.append((difference(one, other).p_value or 1.0) <= 0.05)
    # Three standard errors of a share of 80% in so many comparisons.
    assert mean(found) == pytest.approx(0.8, abs=0.054)


def test_games_to_be_played_are_known_from_those_that_were() -> None:
    advantage, *others = needed(GameGroup("yavalath"))
    assert (advantage.games, advantage.assumed, advantage.played) == (393, True, 0)
    for each in others:
        assert (each.games, each.assumed) == (None, False)
        assert each.why == f"known after {LEAST_GAMES} games of similar bots"
    group = counted(*(random_game("yavalath", n, Number=str(n + 1)) for n in range(40)))
    of = {row.measure.key: row.of for row in group.rows()}["plies"]
    advantage, plies, of_drama = needed(group)
    assert (advantage.assumed, advantage.played, plies.played) == (False, 40, 40)
    assert plies.apart == pytest.approx(of.value / 10)
    assert plies.games == games_to_tell(40 * of.variance, of.value / 10)
    assert of_drama.games is None
    assert "not measurable with these bots: 0 of 40 games are evaluated" in of_drama.why
