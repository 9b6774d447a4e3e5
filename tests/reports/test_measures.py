"""What designers ask of a game: each measure worked out by hand, and which games count."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import mean

import pytest
from places import OURS
from sample_records import random_game

from lath.notation import parse, positions
from lath.notation.record import Record
from lath.reports.measures import (
    ADVANTAGE,
    Group,
    Measures,
    compare_groups,
    compared_to_json,
    of_evaluations,
    played,
)
from lath.reports.power import needed

LOST = "1. a1 2. e1 3. b1 4. e2 5. c1"
SWAPPED = "1. a1 2. swap 3. e1 4. b1 5. e2 6. c1"


def a_game(moves: str, result: str, **tags: str) -> Record:
    all_tags = {"Game": "yavalath", "Termination": "rules", **tags}
    words = "".join(f'[{name} "{value}"]' for name, value in all_tags.items())
    return parse(f"{words}\n\n{moves} {result}")


def told(moves: str, *evaluations: float | None) -> str:
    """Return moves of which each has its mover's evaluation, or none."""
    words = [f"{{[%eval {each}]}}" if each is not None else "" for each in evaluations]
    pairs = zip(moves.split(), words, strict=True)
    return " ".join(f"{move} {said}" for move, said in pairs)


def test_a_game_that_first_lost_by_three_in_line() -> None:
    found = played(a_game(LOST, "0-1"))[0]
    assert found == {
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
    found = played(a_game(SWAPPED, "1-0"))[0]
    assert (found["first_score"], found["first_stone"], found["swapped"]) == (1.0, 0.0, 1.0)
    assert found["plies"] == 6
    assert found["coverage"] == pytest.approx(5 / 61)


def test_a_swap_that_the_arena_chose_is_nobodys_choice() -> None:
    found = played(a_game(SWAPPED, "1-0", Opening="random: a1 swap"))[0]
    assert "swapped" not in found
    assert found["first_stone"] == 0.0, "but who has the stone has it"


def test_a_game_without_a_swap_says_nothing_of_it() -> None:
    found = played(random_game("surikata", 1))[0]
    assert {"first_stone", "swapped"}.isdisjoint(found)


def test_a_resignation_completes_a_game_but_tells_no_length() -> None:
    resigned = played(a_game("e5 d4", "1-0", Termination="resignation"))[0]
    adjudged = played(a_game("e5 d4", "1-0", Termination="adjudication"))[0]
    stopped = played(a_game("e5 d4", "1/2-1/2", Termination="ply limit"))[0]
    agreed = played(a_game("e5 d4", "1/2-1/2", Termination="agreement"))[0]
    every = (resigned, adjudged, stopped, agreed)
    assert [each["completion"] for each in every] == [1, 0, 0, 0]
    assert [each["drawn"] for each in every] == [0, 0, 0, 1], "a limit is not the game's draw"
    assert all({"plies", "legal_moves", "coverage"}.isdisjoint(each) for each in every)


@pytest.mark.parametrize("game_id", OURS)
def test_moves_and_coverage_are_what_positions_say(game_id: str) -> None:
    record = random_game(game_id, 3)
    *before, last = positions(record)
    found = played(record)[0]
    assert found["legal_moves"] == pytest.approx(mean(len(each.legal_moves()) for each in before))
    changed = {
        at
        for one, other in zip(before, [*before[1:], last], strict=True)
        for at, (was, now) in enumerate(zip(one.contents(), other.contents(), strict=True))
        if was != now
    }
    assert found["coverage"] == pytest.approx(len(changed) / len(last.contents()))
    assert found["plies"] == len(record.plies)


def test_a_winner_who_was_behind_makes_drama() -> None:
    # The winner's: -0.2, 0.1, -0.1, 0.5, 0.9, of plies 0 to 4.
    series = [(0, -0.2), (1, 0.1), (2, -0.1), (3, 0.5), (4, 0.9)]
    assert of_evaluations(series, 5, "1-0") == {
        "lead_changes": 3,
        "lead_changes_a_ply": 3 / 4,
        "drama": pytest.approx(0.3 / 5),
        "greatest_drama": 0.2,
        "behind": 2 / 5,
        "time_to_decide": 3 / 5,  # ahead for good from the fourth ply on
        "decisiveness": 3 / 5,  # 0.5 is the first above 0.2, the best that the loser had
    }


def test_the_same_seen_from_the_other_side_is_the_same() -> None:
    series = [(0, -0.2), (1, 0.1), (2, -0.1), (3, 0.5), (4, 0.9)]
    turned = [(at, -value) for at, value in series]
    assert of_evaluations(series, 5, "1-0") == of_evaluations(turned, 5, "0-1")


def test_a_level_evaluation_is_no_change_of_lead() -> None:
    assert of_evaluations([(0, 0.2), (1, 0.0), (2, 0.1)], 3, "1-0")["lead_changes"] == 0


def test_a_draw_has_leads_but_no_winner() -> None:
    found = of_evaluations([(0, 0.2), (1, -0.3)], 2, "1/2-1/2")
    assert found == {"lead_changes": 1, "lead_changes_a_ply": 1.0}


def test_a_winner_who_never_led_is_decided_at_the_end() -> None:
    found = of_evaluations([(0, -0.2), (1, -0.3)], 4, "1-0")
    assert (found["time_to_decide"], found["decisiveness"], found["behind"]) == (1.0, 1.0, 1.0)


def test_two_bots_that_disagree_make_no_changes_of_lead() -> None:
    said = told("a1 e1 b1 e2 c1", 0.4, 0.1, 0.3, 0.2, 0.3)  # both think they are ahead
    found = played(a_game(said, "0-1"))[0]
    assert found["lead_changes"] == 0
    analysed = played(a_game(said, "0-1", Analysis="mcts, 1 s"))[0]
    assert analysed["lead_changes"] == 4, "one who judges every ply means what it says"


def test_few_evaluations_are_none() -> None:
    one = played(a_game(told("a1 e1 b1 e2 c1", None, 0.1, None, None, None), "0-1"))[0]
    two = played(a_game(told("a1 e1 b1 e2 c1", None, 0.1, None, 0.5, None), "0-1"))[0]
    assert "drama" not in one
    assert (two["drama"], two["time_to_decide"]) == (0.0, 1 / 5), "one bot of two tells them"


@pytest.mark.parametrize(
    ("evaluations", "why"),
    [
        ((None,) * 5, "no evaluations"),
        ((0.0,) * 5, "all level"),
        ((0.3, 0.1, 0.3, 0.1, 0.3), "all level"),  # each bot one number of its own
        ((0.3, -0.3, 0.3, -0.3, 0.3), "all level"),
        ((0.001, 0.0, 0.002, 0.0, -0.001), "all level"),
        ((0.0, 0.0, 0.0, 1.0, -1.0), "proofs alone"),
        ((0.0, 0.0, 0.0, 0.995, -0.992), "proofs alone"),  # wins in so many plies
        ((0.0, 0.1, 0.0, 0.3, 0.0), None),
    ],
)
def test_a_game_is_judged_where_a_bots_evaluations_between_lost_and_won_differ(
    evaluations: tuple[float | None, ...], why: str | None
) -> None:
    for tags in ({}, {"Analysis": "mcts, 1 s"}):
        found, _, unjudged = played(a_game(told("a1 e1 b1 e2 c1", *evaluations), "0-1", **tags))
        assert (unjudged, "drama" in found) == (why, why is None)


def test_of_a_bot_that_is_always_level_proofs_alone_count() -> None:
    said = told("a1 e1 b1 e2 c1", 0.0, -0.2, 0.0, 0.4, 0.0)
    found = played(a_game(said, "0-1"))[0]
    assert found["greatest_drama"] == pytest.approx(0.2), "not half of it"
    proved = told("a1 e1 b1 e2 c1", 0.0, -0.2, 0.0, 0.4, -1.0)
    assert played(a_game(proved, "0-1"))[0]["greatest_drama"] == pytest.approx(0.2)


def test_few_judged_games_are_exceptions_and_measure_nothing() -> None:
    def games(judged: int, level: int) -> Group:
        numbers = (0.0, 0.1, 0.0, 0.3, 0.0), (0.0,) * 5
        kinds = [numbers[at >= judged] for at in range(judged + level)]
        return counted(*(a_game(told("a1 e1 b1 e2 c1", *kind), "0-1") for kind in kinds))

    measured = {
        (judged, level): any(row.measure.key == "drama" for row in games(judged, level).rows())
        for judged, level in ((2, 0), (2, 8), (3, 0), (3, 27), (3, 28), (4, 36), (0, 9))
    }
    assert [each for each, has in measured.items() if has] == [(3, 0), (3, 27), (4, 36)]
    assert games(2, 0).help == "more games"
    drama = next(row for row in games(3, 27).rows() if row.measure.key == "drama")
    assert drama.of.games == 3, "of the judged alone"


def counted(*records: Record) -> Group:
    group = Group("yavalath")
    for record in records:
        group.add(record)
    return group


def test_what_says_nothing_of_the_game_is_left_out_and_counted() -> None:
    group = counted(
        a_game(LOST, "0-1"),
        a_game(LOST, "0-1"),
        a_game("e5", "1-0", Termination="time"),
        a_game("e5", "*", Termination="unterminated"),
        a_game(SWAPPED, "1-0", Ruling="void: a bug"),
    )
    assert (group.games, group.repeats) == (2, 1)
    assert dict(group.left_out) == {
        "forfeited": 1,
        "unfinished": 1,
        "ruled out": 1,
    }


def random_games(
    seeds: range, game_id: str = "yavalath", bots: tuple[str, str] = ("ann", "bob")
) -> list[Record]:
    """Return games of both seats of pairs of their own."""
    return [
        random_game(
            game_id,
            seed,
            first=bots[seed % 2],
            second=bots[1 - seed % 2],
            Number=str(seed + 1),
        )
        for seed in seeds
    ]


def test_games_that_are_all_repeated_change_nothing() -> None:
    games = random_games(range(12))
    once, again = counted(*games), counted(*games * 3)
    assert again.repeats == 24
    for one, other in zip(once.rows(), again.rows(), strict=True):
        of = [(row.of.value, row.of.low, row.of.high) for row in (one, other)]
        # Ratings take from pairs how alike they are: of three times as many that is surer.
        off = 0.15 if one.measure.key in ("first_equal", "stone_equal") else 1e-6
        assert of[1] == pytest.approx(of[0], rel=off, abs=off), one.measure.key


def test_a_game_that_comes_more_often_counts_more_often() -> None:
    """Bots that play at random in part play one game most often: without its repeats the score is
    that of the others."""
    usual, *others = random_games(range(9))
    games = [replace(usual, result="1-0")] * 16 + [replace(each, result="0-1") for each in others]
    of = {row.measure.key: row.of for row in counted(*games).rows()}["first_score"]
    assert of.value == pytest.approx(16 / 24)
    assert of.high is not None
    assert of.high > 16 / 24 + 1.96 * math.sqrt(16 / 24 * 8 / 24 / 24), "wider than of new games"


def test_the_two_games_of_a_pair_count_as_one() -> None:
    group = counted(*random_games(range(12)))
    assert (group.games, group.clusters, group.holds_for) == (12, 6, "the openings played")


def test_games_of_one_opening_count_as_one_where_there_are_enough() -> None:
    games = [
        random_game("yavalath", seed, Opening=f"line {seed % 12}", Number=str(seed + 1))
        for seed in range(36)
    ]
    group = counted(*games)
    assert (group.games, group.clusters, group.holds_for) == (36, 12, "openings of that kind")


def test_first_of_equals_is_what_the_ratings_say() -> None:
    # ann always wins, in both seats, and was first more often
    games = [
        a_game("e5 d4", "1-0", First="ann", Second="bob", Termination="resignation", Number="1"),
        a_game("e5 d5", "0-1", First="bob", Second="ann", Termination="resignation", Number="2"),
        a_game("a1 d4", "1-0", First="ann", Second="bob", Termination="resignation", Number="3"),
    ]
    rows = {row.measure.key: row for row in counted(*games).rows()}
    assert rows["first_score"].of.value == pytest.approx(2 / 3)
    assert rows["first_equal"].of.value < 0.6, "her strength is taken out"
    itself = counted(a_game(LOST, "0-1", First="ann", Second="ann"))
    assert "first_equal" not in {row.measure.key for row in itself.rows()}


def decided_by(
    share: float,
    games: int,
    game_id: str = "yavalath",
    bots: tuple[str, str] = ("ann", "bob"),
) -> list[Record]:
    """Return games of pairs of which the first bot scores this share, in both seats alike."""
    found = []
    for at, record in enumerate(random_games(range(games), game_id, bots)):
        wins = int((at // 2 + 1) * share) > int(at // 2 * share)
        result = "1-0" if wins == (record.first == bots[0]) else "0-1"
        found.append(replace(record, result=result))
    return found


@pytest.mark.parametrize("game_id", ["yavalath", "surikata"])
@pytest.mark.parametrize("share", [1.0, 0.95, 0.03])
def test_bots_of_whom_one_nearly_always_wins_tell_nothing_of_seats(
    share: float, game_id: str
) -> None:
    group = counted(*decided_by(share, 80, game_id))
    known = {row.measure.key for row in group.rows()}
    assert not known & set(ADVANTAGE)
    assert {"drawn", "plies", "legal_moves"} <= known, "these they tell"
    lacking = {each.key for each in group.unmeasured if each.key in ADVANTAGE}
    assert lacking == {row.measure.key for row in counted(*decided_by(0.5, 80, game_id)).rows()} & (
        set(ADVANTAGE)
    ), "what the game has"
    for row in group.to_json()["measures"]:
        if row["measure"] in ADVANTAGE:
            winner = "ann" if share > 0.5 else "bob"
            assert row["value"] is None
            assert row["reason"].startswith(f"not measurable with these bots: {winner} scores ")
            assert "--bot mcts --bot twin=mcts" in row["help"]
    advantage, plies, _ = needed(group)
    assert (advantage.games, plies.games is None) == (None, False)
    assert "not measurable with these bots" in advantage.why
    fair = counted(*decided_by(0.5, 80, game_id))
    compared = compared_to_json(compare_groups(fair, group), fair, group)
    (row,) = (each for each in compared if each["measure"] == "first_equal")
    assert (row["difference"], row["other"]["value"]) == (None, None)


@pytest.mark.parametrize(
    ("openings", "says"),
    [
        (
            ["random:4 a1 e5", "random:4 b2 c3", ""],
            "2 of 3 games began after plies drawn by lot, about even ones (random:4): ",
        ),
        (
            ["random:6 a1", "random:4 b2"],
            "2 of 2 games began after plies drawn by lot, about even ones (random:4, random:6)",
        ),
        (["random:0", "", "book.lath #3"], ""),
    ],
)
def test_from_which_openings_an_advantage_is_is_told(openings: list[str], says: str) -> None:
    group = counted(
        *(random_game("yavalath", seed, Opening=each or "-") for seed, each in enumerate(openings))
    )
    assert group.begun_words().startswith(says)
    assert bool(group.begun_words()) == bool(says)
    assert ("--openings random:0" in group.begun_words()) == bool(says)


@pytest.mark.parametrize("games", [[(0.8, 80)], [(1.0, 8)], [(1.0, 40), (0.5, 40)]])
def test_others_tell_of_seats(games: list[tuple[float, int]]) -> None:
    """Those of whom one is merely better, who have hardly met, or of whom some are equal."""
    records = [
        each
        for at, (share, number) in enumerate(games)
        for each in decided_by(share, number, bots=(f"ann{at}", f"bob{at}"))
    ]
    assert {"first_score", "first_equal"} <= {row.measure.key for row in counted(*records).rows()}


@pytest.mark.parametrize(("one", "other"), [((1.0, 6), (0.0, 6)), ((1.0, 4), (0.9, 60))])
def test_a_difference_of_shares_is_a_share(
    one: tuple[float, int], other: tuple[float, int]
) -> None:
    """However little the games tell, nobody is better by more than all of a game."""
    first, second = (
        counted(*decided_by(*each, game_id))
        for each, game_id in ((one, "yavalath"), (other, "surikata"))
    )
    for each in compare_groups(first, second):
        if each.measure.unit == "share" and each.apart.low is not None:
            assert each.apart.high is not None
            assert -1 <= each.apart.low <= each.apart.high <= 1, each.measure.key


def test_the_first_stone_of_equals_is_its_owners() -> None:
    games = [
        # whoever has the first stone wins, after a swap or without one
        a_game(moves, result, First=first, Second=second, Termination="resignation")
        for cell in ("e5", "d4", "c3", "b2")
        for first, second in (("ann", "bob"), ("bob", "ann"))
        for moves, result in ((f"{cell} swap f5", "0-1"), (f"{cell} f5", "1-0"))
    ]
    rows = {row.measure.key: row.of.value for row in counted(*games).rows()}
    assert (rows["first_score"], rows["first_stone"], rows["swapped"]) == (0.5, 1.0, 0.5)
    assert rows["first_equal"] == pytest.approx(0.5, abs=0.01)
    assert rows["stone_equal"] > 0.9


def test_two_boards_differ_in_what_they_differ_in() -> None:
    measures = Measures()
    for game_id in ("manalath", "manalath-61"):
        for record in random_games(range(30), game_id):
            measures.add(record)
    (_, one), (_, other) = measures.groups
    found = {each.measure.key: each for each in compare_groups(one, other)}
    assert found["legal_moves"].differs
    assert found["legal_moves"].apart.value < 0, "61 cells are fewer than 70"
    assert not found["first_score"].differs
    same = compare_groups(one, one)
    assert [each.differs for each in same] == [False] * len(same)
