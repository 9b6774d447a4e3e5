"""Standings: what is counted, who ranks where, and the forms in which others read them."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import jsonschema
import pytest
from sample_records import HOSTILE_NAMES, bare, random_game, tournament, with_tags

from lath.notation.record import FORFEITS, Record
from lath.reports import export
from lath.reports.columns import COLUMNS
from lath.reports.export import to_csv, to_json
from lath.reports.ratings.results import Ratings, Strength
from lath.reports.standings import (
    Row,
    Standings,
    Table,
    Tally,
    compute,
    greatest_gap,
    is_unbalanced,
    more_wins,
    standings_of,
)

TWO_GAMES = ("surikata", "yavalath")


def row_of(standings: Standings, name: str) -> Row:
    return next(row for row in standings.overall.rows if row.name == name)


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


THREE = (
    bare("ann", "bob", "1-0", Event="Cup"),
    bare("bob", "ann", "1/2-1/2", Event="Cup"),
    bare("cat", "ann", "0-1", game_id="surikata", Termination="crash", Event="Cup"),
)

SOME = (
    (),
    THREE,
    [bare("ann", "ann", "1-0"), bare("ann", "bob", "*")],
    [bare("ann", "bob", "1-0", Termination="flood"), bare("cat", "dan", "1/2-1/2")],
    [bare(name, HOSTILE_NAMES[0], "1-0") for name in HOSTILE_NAMES],
    [bare("ann", "bob", "1-0", game_id=name) for name in HOSTILE_NAMES],
    [random_game("yavalath", 1)] * 5,
    tournament(("ann", "bob"), 1),
)


def test_no_records_make_empty_standings() -> None:
    standings = compute([])
    assert (standings.overall.games, standings.overall.rows, standings.per_game) == (0, (), ())
    assert standings.overall.first_score is None


def test_a_win_is_a_point_and_a_draw_half_of_one() -> None:
    ann = row_of(compute(THREE), "ann")
    assert (ann.games, ann.wins, ann.draws, ann.losses) == (3, 2, 1, 0)
    assert ann.points == 2.5
    assert ann.score_rate == pytest.approx(5 / 6)


def test_equal_ratings_rank_by_points_then_name() -> None:
    # Only self-play: every rating is a newcomer's.
    records = [bare(name, name, "1-0") for name in ("bob", "ann", "cat", "cat")]
    standings = compute([*records, bare("ann", "bob", "1/2-1/2"), bare("bob", "ann", "1/2-1/2")])
    assert [row.name for row in standings.overall.rows] == ["ann", "bob", "cat"]


@pytest.mark.parametrize("records", SOME)
def test_points_of_all_rows_are_the_games_counted(records: Sequence[Record]) -> None:
    standings = compute([*records, bare("ann", "ann", "0-1")])
    for table in (standings.overall, *standings.per_game):
        assert sum(row.points for row in table.rows) == table.games
    assert sum(table.games for table in standings.per_game) == standings.overall.games


@pytest.mark.parametrize("records", SOME)
def test_the_crosstable_follows_the_ranks_and_adds_up(records: Sequence[Record]) -> None:
    standings = compute(records)
    for table in (standings.overall, *standings.per_game):
        for row, meetings in zip(table.rows, table.crosstable, strict=True):
            assert sum(meeting.points for meeting in meetings) == row.points
            assert sum(meeting.games for meeting in meetings) == row.games


def test_the_likelihoods_of_two_bots_add_up_to_one() -> None:
    table = compute(tournament(("ann", "bob", "cat"), 1, game_ids=TWO_GAMES)).overall
    for i, meetings in enumerate(table.crosstable):
        assert meetings[i].superiority is None
        for j, meeting in enumerate(meetings[:i]):
            assert meeting.superiority is not None
            back = table.crosstable[j][i].superiority
            assert meeting.superiority + (back or 0) == pytest.approx(1)


def test_two_bots_own_games_tell_who_is_better_and_repeats_tell_nothing() -> None:
    game = random_game("yavalath", 1, first="ann", second="bob")
    others = [bare("bob", "ann", "1/2-1/2"), bare("cat", "ann", "1-0"), bare("dog", "dog", "1-0")]
    table = compute([*[game] * 20, *others]).overall
    ranks = {row.name: row.rank - 1 for row in table.rows}

    def alone(one: str, other: str) -> float | None:
        return table.crosstable[ranks[one]][ranks[other]].head_to_head

    won = "ann", "bob"
    if game.result == "0-1":
        won = "bob", "ann"
    assert (alone(*won), alone(*reversed(won))) == (0.75, 0.25), "of a uniform prior, one win"
    assert [alone("bob", "cat"), alone("dog", "dog"), alone("ann", "ann")] == [None] * 3
    exact, beyond = more_wins(50, 49), more_wins(50, 50)
    assert (round(exact, 4), beyond) == (0.5398, 0.5)
    between = (more_wins(60, 39) + more_wins(59, 40)) / 2
    assert more_wins(60, 40) == pytest.approx(between, abs=0.0005), "beyond the exact sum"


def test_a_game_against_itself_fills_both_seats_of_one_row() -> None:
    table = compute([bare("ann", "ann", "1-0", Termination="time")]).overall
    (ann,) = table.rows
    assert (ann.games, ann.wins, ann.losses, ann.points, ann.lost_by["time"]) == (2, 1, 1, 1.0, 1)
    assert (table.self_play, table.ratings.games) == (1, 0)
    assert table.crosstable[0][0].games == 2
    assert ann.strength.trueskill.mu == 25.0


@pytest.mark.parametrize("termination", FORFEITS)
def test_a_mishap_is_the_losers(termination: str) -> None:
    standings = compute([bare("ann", "bob", "0-1", Termination=termination)])
    assert row_of(standings, "ann").lost_by[termination] == 1
    assert row_of(standings, "ann").forfeits == 1
    assert row_of(standings, "bob").forfeits == 0


def test_a_draw_is_nobodys_forfeit() -> None:
    standings = compute([bare("ann", "bob", "1/2-1/2", Termination="time")])
    assert [row.forfeits for row in standings.overall.rows] == [0, 0]


@pytest.mark.parametrize("termination", ["crash", "time", "illegal move", "flood"])
def test_the_rating_without_forfeits_is_that_of_the_other_games(termination: str) -> None:
    fair = [bare("ann", "bob", "1-0"), bare("bob", "ann", "1/2-1/2"), bare("ann", "cat", "0-1")]
    lost = [bare("ann", "bob", "0-1", Termination=termination)] * 3
    for row in compute([*fair, *lost]).overall.rows:
        alone = row_of(compute(fair), row.name).strength
        assert row.without_forfeits is not None
        assert mus(row.without_forfeits) == pytest.approx(mus(alone))
        assert mus(row.strength) != pytest.approx(mus(alone))


def mus(strength: Strength) -> tuple[float, float, float]:
    return strength.trueskill.mu, strength.trueskill.sigma, strength.elo.value


def test_without_forfeits_a_bot_may_have_no_rating_at_all() -> None:
    standings = compute([bare("ann", "bob", "1-0"), bare("ann", "cat", "1-0", Termination="crash")])
    assert row_of(standings, "cat").without_forfeits is None


def test_where_nobody_forfeited_both_ratings_are_the_same() -> None:
    for row in compute(THREE[:2]).overall.rows:
        assert row.without_forfeits == row.strength


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (bare("ann", "bob", "*", Termination=""), "no result"),
        (bare("ann", "bob", "*", Termination="unterminated"), "unterminated"),
        (bare("ann", "bob", "1-0", Termination="void"), "void"),
    ],
)
def test_undecided_records_are_left_out_aloud(record: Record, reason: str) -> None:
    standings = compute([bare("cat", "dan", "1-0"), record])
    assert standings.overall.games == 1
    assert standings.left_out == {reason: 1}
    assert standings.unranked == ("ann", "bob")


def test_endings_are_counted_per_game() -> None:
    standings = compute([*THREE, bare("ann", "bob", "1-0", Termination="")])
    assert list(standings.overall.endings.items()) == [
        ("rules", 2),
        ("crash", 1),
        ("not stated", 1),
    ]
    assert [(table.game, table.games) for table in standings.per_game] == [
        ("surikata", 1),
        ("yavalath", 3),
    ]
    assert standings.per_game[0].endings == {"crash": 1}


def test_the_rules_own_words_for_an_ending_can_be_told() -> None:
    tally = Tally()
    tally.add(bare("ann", "bob", "1-0"), "four in line")
    tally.add(bare("ann", "bob", "1-0", Termination="crash"), "")
    assert standings_of(tally).overall.endings == {"crash": 1, "four in line": 1}


def test_a_tally_may_be_asked_while_it_counts() -> None:
    records = tournament(("ann", "bob", "cat"), 1, game_ids=TWO_GAMES)
    tally = Tally()
    for number, record in enumerate(records, 1):
        tally.add(record)
        if number % 5 == 0:
            assert standings_of(tally) == compute(records[:number])


def test_the_first_seats_score_counts_draws_half() -> None:
    standings = compute(THREE)
    assert standings.overall.first_score == 0.5
    assert standings.per_game[1].first_score == 0.75


def test_each_game_has_a_table_of_its_own_games() -> None:
    records = tournament(("ann", "bob", "cat"), 1, game_ids=TWO_GAMES)
    for table in compute(records).per_game:
        alone = compute([record for record in records if record.game == table.game])
        assert table == alone.per_game[0]
        assert replace(table, game="") == alone.overall


def test_bots_that_no_game_connects_rank_group_by_group() -> None:
    winners = [bare("x", "y", "1-0"), bare("y", "x", "0-1")] * 9
    standings = compute([*winners, bare("ann", "bob", "1/2-1/2"), bare("bob", "cat", "1/2-1/2")])
    names = [row.name for row in standings.overall.rows]
    assert (sorted(names[:3]), names[3:]) == (["ann", "bob", "cat"], ["x", "y"])
    assert [row.rank for row in standings.overall.rows] == [1, 2, 2, 1, 2], "ann and cat are level"
    assert [row.strength.group for row in standings.overall.rows] == [0, 0, 0, 1, 1]
    assert standings.overall.crosstable[0][3].superiority is None


def a_field(*, seed: int = 1) -> list[Record]:
    """Return games of every kind: several games, repeats, forfeits, self-play, two groups."""
    records = tournament(("ann", "bob", "cat"), 2, game_ids=TWO_GAMES)
    chance = random.Random(seed)
    again = [with_tags(chance.choice(records), Round=str(n)) for n in range(20)]
    lost = [bare("ann", "bob", "0-1", Termination="crash", Round=str(n)) for n in range(3)]
    return [*records, *again, *lost, bare("ann", "ann", "1-0"), bare("x", "y", "1/2-1/2")]


def test_the_order_of_the_records_changes_nothing_but_the_sequential_ratings() -> None:
    records = a_field()
    told = dict(leaves(to_json(compute(records))))
    for seed in range(5):
        shuffled = random.Random(seed).sample(records, len(records))
        assert dict(leaves(to_json(compute(shuffled)))) == pytest.approx(told, abs=2e-6)


def leaves(told: object, where: str = "") -> Iterator[tuple[str, object]]:
    """Yield numbers and words with where they stand, but for the sequential ratings."""
    if isinstance(told, dict | list):
        parts = told.items() if isinstance(told, dict) else enumerate(told)
        for key, value in parts:
            if key != "sequential":
                yield from leaves(value, f"{where}/{key}")
    else:
        yield where, told


def tables_of(standings: Standings) -> tuple[Table, ...]:
    return standings.overall, *standings.per_game


def test_who_always_has_the_first_seat_is_told_of() -> None:
    games = [bare("ann", "bob", "1-0", Round=str(n)) for n in range(20)]
    assert compute(games).overall.unbalanced
    assert not compute([*games, *(bare("bob", "ann", "1-0") for _ in games)]).overall.unbalanced


def test_a_small_excess_is_no_imbalance_however_many_games_show_it() -> None:
    assert not is_unbalanced({("ann", "bob"): 5250, ("bob", "ann"): 4750})
    assert is_unbalanced({("ann", "bob"): 5750, ("bob", "ann"): 4250})


def test_a_gauntlet_in_which_the_challenger_always_begins_is_unbalanced() -> None:
    games = [bare("ann", f"bot {n}", "1-0") for n in range(20)]
    assert compute(games).overall.unbalanced


def test_one_seat_in_one_game_and_the_other_in_another_is_unbalanced() -> None:
    games = [bare("ann", "bob", "1-0", game_id="surikata") for _ in range(20)]
    games += [bare("bob", "ann", "1-0", game_id="yavalath") for _ in range(20)]
    standings = compute(games)
    assert [table.unbalanced for table in tables_of(standings)] == [True, True, True]


def test_a_tournament_that_was_stopped_in_a_pair_is_balanced() -> None:
    records = tournament(("ann", "bob", "cat"), 2, game_ids=TWO_GAMES)
    assert not compute(records[:-1]).overall.unbalanced


def test_events_are_named_once_in_order() -> None:
    records = [bare("ann", "bob", "1-0", Event=event) for event in ("Cup", "Open", "Cup")]
    assert compute(records).events == ("Cup", "Open")


def test_records_may_come_from_an_iterator() -> None:
    assert compute(iter(THREE)) == compute(THREE)


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    """What holds JSON against the schema, which is one."""
    jsonschema.Draft202012Validator.check_schema(export.schema())
    return jsonschema.Draft202012Validator(export.schema())


@pytest.mark.parametrize("records", [*SOME, a_field()])
def test_the_json_keeps_its_schema(
    records: Sequence[Record], validator: jsonschema.Draft202012Validator
) -> None:
    read_back = json.loads(json.dumps(to_json(compute(records)), allow_nan=False))
    validator.validate(read_back)


def test_the_schema_refuses_what_is_missing_or_unknown() -> None:
    validator = jsonschema.Draft202012Validator(export.schema())
    good = to_json(compute(THREE))
    assert not validator.is_valid({**good, "surprise": 1})
    assert not validator.is_valid({key: value for key, value in good.items() if key != "overall"})
    overall = {key: value for key, value in good["overall"].items() if key != "fit"}
    assert not validator.is_valid({**good, "overall": overall})


def test_the_json_has_each_rating_with_its_interval() -> None:
    standings = compute(THREE)
    for told, row in zip(
        to_json(standings)["overall"]["rows"], standings.overall.rows, strict=True
    ):
        rating = row.strength.trueskill
        assert told["exposed"] == pytest.approx(rating.mu - 3 * rating.sigma, abs=1e-6)
        above = rating.sigma if rating.above is None else rating.above
        assert told["mu"] - told["low"] == pytest.approx(1.959964 * rating.sigma, abs=1e-5)
        assert told["high"] - told["mu"] == pytest.approx(1.959964 * above, abs=1e-5)
        assert (told["elo"]["low"], told["elo"]["high"]) == pytest.approx(
            (row.strength.elo.low, row.strength.elo.high), abs=1e-6
        )


def test_a_rating_that_was_not_made_is_null() -> None:
    standings = compute(THREE[:1])
    made, *others = standings.overall.rows
    row = replace(made, strength=replace(made.strength, sequential=None))
    without = replace(standings, overall=replace(standings.overall, rows=(row, *others)))
    told = to_json(without)
    jsonschema.validate(told, export.schema())
    assert told["overall"]["rows"][0]["sequential"] is None
    assert read_csv(to_csv(to_json(without)))[0]["sequential_mu"] == ""


def test_the_csv_has_a_line_for_each_bot_and_table() -> None:
    standings = compute(THREE)
    lines = read_csv(to_csv(to_json(standings)))
    assert list(lines[0]) == ["game", *(field.name for one in COLUMNS for field in one.fields)]
    expected = [(table.game, row.name) for table in tables_of(standings) for row in table.rows]
    assert [(line["game"], line["name"]) for line in lines] == expected
    assert [line["points"] for line in lines if line["name"] == "ann"] == ["2.5", "1.0", "1.5"]
    assert [line["crash"] for line in lines if line["name"] == "cat"] == ["1", "1"]
    for line in lines:
        expected_score = 1 / (1 + 10 ** (-float(line["elo"]) / 400))
        assert float(line["elo_score"]) == pytest.approx(expected_score, abs=1e-5)


def test_the_csv_has_an_empty_cell_where_there_is_no_rating() -> None:
    records = [bare("ann", "bob", "1-0"), bare("ann", "cat", "1-0", Termination="crash")]
    lines = {line["name"]: line for line in read_csv(to_csv(to_json(compute(records))))}
    assert (lines["cat"]["board_mu"], lines["cat"]["board_elo"]) == ("", "")
    assert float(lines["ann"]["board_mu"]) > 25


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_formula_in_the_csv_is_guarded(name: str) -> None:
    records = [bare(name, "bob", "1-0", game_id=name)]
    lines = read_csv(to_csv(to_json(compute(records))))
    assert {f"'{name}", "bob"} == {line["name"] for line in lines}
    assert {"", f"'{name}"} == {line["game"] for line in lines}


def test_a_negative_rating_in_the_csv_is_a_number() -> None:
    loser = read_csv(to_csv(to_json(compute([bare("ann", "bob", "1-0")]))))[1]
    assert float(loser["elo"]) < 0


def test_the_cross_check_compares_bots_not_where_the_scale_begins() -> None:
    ratings = compute(tournament(("ann", "bob", "cat"), 2, game_ids=TWO_GAMES)).overall.ratings
    assert greatest_gap(moved(ratings, {})) == ("ann", 0.0)
    everybody = dict.fromkeys(ratings.strengths, 3.0)
    assert gap_of(moved(ratings, everybody))[1] == pytest.approx(0)
    name, mu = gap_of(moved(ratings, {"bob": 3.0}))
    assert name == "bob"
    assert mu == pytest.approx(-2.0)


def moved(ratings: Ratings, by: dict[str, float]) -> Ratings:
    """Return ratings whose sequential ones are the converged ones, some of them moved."""
    strengths = {
        name: replace(
            strength,
            sequential=replace(strength.trueskill, mu=strength.trueskill.mu + by.get(name, 0.0)),
        )
        for name, strength in ratings.strengths.items()
    }
    return replace(ratings, strengths=strengths)


def gap_of(ratings: Ratings) -> tuple[str, float]:
    gap = greatest_gap(ratings)
    assert gap
    return gap


def test_without_two_bots_that_met_there_is_nothing_to_cross_check() -> None:
    assert greatest_gap(compute([]).overall.ratings) is None
    assert greatest_gap(compute([bare("ann", "ann", "1-0")]).overall.ratings) is None


def test_where_elo_has_another_order_that_is_told() -> None:
    """A newcomer that won its one game may be the best, but its rating is careful."""
    many = [bare(*seats, "1-0") for seats in (("ann", "bob"), ("ann", "bob"), ("bob", "ann")) * 10]
    table = compute([*many, bare("new", "ann", "1-0")]).overall
    by_elo = sorted(table.rows, key=lambda row: -row.strength.elo.value)
    assert by_elo[0].name == "new" != table.rows[0].name
    assert ("ann", "new") in table.crossed or ("bob", "new") in table.crossed
    assert compute(many).overall.crossed == ()
