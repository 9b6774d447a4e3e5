"""Standings: what is counted, who ranks where, and the forms in which others read them."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_records import HOSTILE_NAMES, bare, random_game, tournament, with_tags

from lath.notation.record.record import Record
from lath.notation.record.tags import FORFEITS
from lath.reports.counting import columns
from lath.reports.counting.standings import (
    Tally,
    compute,
    greatest_gap,
    is_unbalanced,
    more_wins,
    standings_of,
)
from lath.reports.counting.table import Row, Standings
from lath.reports.event import export
from lath.reports.event.export import to_csv, to_json
from lath.reports.page.page import render
from lath.reports.ratings.numerics import shared_ranks
from lath.reports.ratings.results import Ratings, Strength

TWO_GAMES = ("surikata", "yavalath")

THREE = (
    bare("ann", "bob", "1-0", Event="Cup"),
    bare("bob", "ann", "1/2-1/2", Event="Cup"),
    bare("cat", "ann", "0-1", game_id="surikata", Termination="crash", Event="Cup"),
)

FIELD = tournament(("ann", "bob", "cat"), 2, game_ids=TWO_GAMES)


def a_field() -> list[Record]:
    """Return games of every kind: several games, repeats, forfeits, self-play, two groups."""
    chance = random.Random(1)
    again = [with_tags(chance.choice(FIELD), Round=str(n)) for n in range(20)]
    lost = [bare("ann", "bob", "0-1", Termination="crash", Round=str(n)) for n in range(3)]
    return [*FIELD, *again, *lost, bare("ann", "ann", "1-0"), bare("x", "y", "1/2-1/2")]


SOME = (
    (),
    THREE,
    [bare("ann", "ann", "1-0"), bare("ann", "bob", "*")],
    [bare("ann", "bob", "1-0", Termination="flood"), bare("cat", "dan", "1/2-1/2")],
    [bare(name, HOSTILE_NAMES[0], "1-0") for name in HOSTILE_NAMES],
    [bare("ann", "bob", "1-0", game_id=name) for name in HOSTILE_NAMES],
    [random_game("yavalath", 1)] * 5,
    a_field(),
)


def row_of(standings: Standings, name: str) -> Row:
    return next(row for row in standings.overall.rows if row.name == name)


def read_csv(records: list[Record] | tuple[Record, ...]) -> list[dict[str, str]]:
    text = to_csv(to_json(compute(records)))
    return list(csv.DictReader(io.StringIO(text, newline="")))


# What is counted


@pytest.mark.parametrize("records", SOME)
def test_every_table_adds_up_and_its_json_keeps_the_schema(records: list[Record]) -> None:
    standings = compute(records)
    tables = (standings.overall, *standings.per_game)
    for table in tables:
        assert sum(row.points for row in table.rows) == table.games
        for row, meetings in zip(table.rows, table.crosstable, strict=True):
            assert sum(meeting.points for meeting in meetings) == row.points
            assert sum(meeting.games for meeting in meetings) == row.games
        for i, meetings in enumerate(table.crosstable):
            assert meetings[i].superiority is None
            for j, meeting in enumerate(meetings[:i]):
                back = table.crosstable[j][i].superiority
                if meeting.superiority is not None:
                    assert meeting.superiority + (back or 0) == pytest.approx(1)
    assert sum(table.games for table in standings.per_game) == standings.overall.games
    for table in standings.per_game:
        alone = compute([record for record in records if record.game == table.game])
        assert table == alone.per_game[0]
        assert replace(table, game="") == alone.overall
    validator = jsonschema.Draft202012Validator(export.schema())
    told = to_json(standings)
    validator.validate(json.loads(json.dumps(told, allow_nan=False)))
    assert not validator.is_valid({**told, "surprise": 1})
    for part in (told, told["overall"]):
        for name in set(part) - {"outcome"}:
            less = {key: value for key, value in part.items() if key != name}
            whole = less if part is told else {**told, "overall": less}
            assert not validator.is_valid(whole), name


def test_results_sides_endings_and_what_is_left_out_are_counted() -> None:
    empty = compute([]).overall
    assert (empty.games, empty.rows, empty.first_score) == (0, (), None)
    void = [
        bare("x", "y", "*", Termination=ending) for ending in ("", "unterminated", "unterminated")
    ]
    void.append(bare("x", "y", "1-0", Termination="void"))
    standings = compute(iter([*THREE, bare("ann", "bob", "1-0", Termination=""), *void]))
    assert standings.left_out == {"no result": 1, "unterminated": 2, "void": 1}
    assert standings.unranked == ("x", "y")
    assert compute([*THREE, bare("ann", "bob", "1-0", Event="Open")]).events == ("Cup", "Open")
    ann = row_of(standings, "ann")
    assert (ann.games, ann.wins, ann.draws, ann.losses, ann.points) == (4, 3, 1, 0, 3.5)
    assert ann.score_rate == pytest.approx(7 / 8)
    assert list(standings.overall.endings.items()) == [
        ("rules", 2),
        ("crash", 1),
        ("not stated", 1),
    ]
    assert [(table.game, table.games, table.first_score) for table in standings.per_game] == [
        ("surikata", 1, 0.0),
        ("yavalath", 3, pytest.approx(2.5 / 3)),
    ]
    assert standings.per_game[0].endings == {"crash": 1}
    tally = Tally()
    tally.add(bare("ann", "bob", "1-0"), "four in line")
    tally.add(bare("ann", "bob", "1-0", Termination="crash"), "")
    assert standings_of(tally).overall.endings == {"crash": 1, "four in line": 1}


def test_a_game_against_itself_fills_both_sides_of_one_row() -> None:
    table = compute([bare("ann", "ann", "1-0", Termination="time")]).overall
    (ann,) = table.rows
    assert (ann.games, ann.wins, ann.losses, ann.points, ann.lost_by["time"]) == (2, 1, 1, 1.0, 1)
    assert (table.self_play, table.ratings.games) == (1, 0)
    assert table.crosstable[0][0].games == 2
    assert ann.strength.trueskill.mu == 25.0


def mus(strength: Strength) -> tuple[float, float, float]:
    return strength.trueskill.mu, strength.trueskill.sigma, strength.elo.value


@pytest.mark.parametrize("termination", FORFEITS)
def test_a_mishap_is_the_losers_and_the_other_games_have_a_rating_of_their_own(
    termination: str,
) -> None:
    lost = bare("ann", "bob", "0-1", Termination=termination)
    standings = compute([lost])
    ann, bob = row_of(standings, "ann"), row_of(standings, "bob")
    assert (ann.lost_by[termination], ann.forfeits, bob.forfeits) == (1, 1, 0)
    fair = [bare("ann", "bob", "1-0"), bare("bob", "ann", "1/2-1/2"), bare("ann", "cat", "0-1")]
    for row in compute([*fair, *[lost] * 3]).overall.rows:
        alone = row_of(compute(fair), row.name).strength
        assert row.without_forfeits is not None
        assert mus(row.without_forfeits) == pytest.approx(mus(alone))
        assert mus(row.strength) != pytest.approx(mus(alone))


def test_who_forfeited_nothing_or_everything_has_one_rating_or_none() -> None:
    drawn = compute([bare("ann", "bob", "1/2-1/2", Termination="time")])
    assert [row.forfeits for row in drawn.overall.rows] == [0, 0]
    for row in compute(THREE[:2]).overall.rows:
        assert row.without_forfeits == row.strength
    records = [bare("ann", "bob", "1-0"), bare("ann", "cat", "1-0", Termination="crash")]
    assert row_of(compute(records), "cat").without_forfeits is None
    lines = {line["name"]: line for line in read_csv(records)}
    assert (lines["cat"]["board_mu"], lines["cat"]["board_elo"]) == ("", "")
    assert float(lines["ann"]["board_mu"]) > 25


def test_two_bots_own_games_tell_who_is_better_and_repeats_tell_nothing() -> None:
    game = random_game("yavalath", 1, first="ann", second="bob")
    others = [bare("bob", "ann", "1/2-1/2"), bare("cat", "ann", "1-0"), bare("dog", "dog", "1-0")]
    table = compute([*[game] * 20, *others]).overall
    ranks = {row.name: row.rank - 1 for row in table.rows}

    def alone(one: str, other: str) -> float | None:
        return table.crosstable[ranks[one]][ranks[other]].head_to_head

    won = ("bob", "ann") if game.result == "0-1" else ("ann", "bob")
    assert (alone(*won), alone(*reversed(won))) == (0.75, 0.25), "of a uniform prior, one win"
    assert [alone("bob", "cat"), alone("dog", "dog"), alone("ann", "ann")] == [None] * 3
    assert (round(more_wins(50, 49), 4), more_wins(50, 50)) == (0.5398, 0.5)
    between = (more_wins(60, 39) + more_wins(59, 40)) / 2
    assert more_wins(60, 40) == pytest.approx(between, abs=0.0005), "beyond the exact sum"


# Who ranks where


@given(results=st.lists(st.sampled_from(["1-0", "1/2-1/2", "0-1"]), min_size=6, max_size=6))
def test_bots_share_a_rank_where_their_figures_are_equal_and_only_there(results: list[str]) -> None:
    pairs = combinations(("dan", "cat", "bob", "ann"), 2)
    games = [bare(*pair, result) for pair, result in zip(pairs, results, strict=True)]
    rows = compute(games).overall.rows
    figures = [row.points for row in rows]
    assert [row.rank for row in rows] == shared_ranks(figures)
    assert figures == sorted(figures, reverse=True)


def test_equal_ratings_rank_by_points_then_name() -> None:
    # Only self-play: every rating is a newcomer's.
    records = [bare(name, name, "1-0") for name in ("bob", "ann", "cat", "cat")]
    standings = compute([*records, bare("ann", "bob", "1/2-1/2"), bare("bob", "ann", "1/2-1/2")])
    assert [row.name for row in standings.overall.rows] == ["ann", "bob", "cat"]
    names = ("dan", "cat", "bob", "ann")
    drawn = [bare(*pair, "1/2-1/2") for one in combinations(names, 2) for pair in (one, one[::-1])]
    page = render(drawn).html
    shown = page.partition('id="standings"')[2].partition("</table>")[0]
    assert shown.count('<td class="rank">1</td>') == 4
    assert all(f'id="bot-{n}"' in page and f'href="#bot-{n}"' in page for n in range(1, 5))


def test_bots_that_no_game_connects_rank_group_by_group() -> None:
    winners = [bare("x", "y", "1-0"), bare("y", "x", "0-1")] * 9
    standings = compute([*winners, bare("ann", "bob", "1/2-1/2"), bare("bob", "cat", "1/2-1/2")])
    rows = standings.overall.rows
    names = [row.name for row in rows]
    assert (sorted(names[:3]), names[3:]) == (["ann", "bob", "cat"], ["x", "y"])
    assert [row.rank for row in rows] == [1, 2, 2, 1, 2], "ann and cat are level"
    assert [row.strength.group for row in rows] == [0, 0, 0, 1, 1]
    assert standings.overall.crosstable[0][3].superiority is None


def leaves(told: object, where: str = "") -> Iterator[tuple[str, object]]:
    """Yield numbers and words with where they stand, but for the sequential ratings."""
    if isinstance(told, dict | list):
        for key, value in told.items() if isinstance(told, dict) else enumerate(told):
            if key != "sequential":
                yield from leaves(value, f"{where}/{key}")
    else:
        yield where, told


def test_the_order_of_the_records_changes_nothing_but_the_sequential_ratings() -> None:
    records = a_field()
    told = dict(leaves(to_json(compute(records))))
    for seed in range(3):
        shuffled = random.Random(seed).sample(records, len(records))
        assert dict(leaves(to_json(compute(shuffled)))) == pytest.approx(told, abs=2e-6)
    tally = Tally()  # which may be asked while it counts
    for number, record in enumerate(FIELD, 1):
        tally.add(record)
        if number % 9 == 0:
            assert standings_of(tally) == compute(FIELD[:number])


def test_who_always_has_the_first_side_is_told_of() -> None:
    ahead = [bare("ann", "bob", "1-0", Round=str(n)) for n in range(20)]
    back = [bare("bob", "ann", "1-0") for _ in range(20)]
    other = [with_tags(record, Game="surikata") for record in back]
    gauntlet = [bare("ann", f"bot {n}", "1-0") for n in range(20)]
    unbalanced = [
        [table.unbalanced for table in (found.overall, *found.per_game)]
        for found in map(compute, (ahead, ahead + back, ahead + other, gauntlet, FIELD[:-1]))
    ]
    assert unbalanced == [[True] * 2, [False] * 2, [True] * 3, [True] * 2, [False] * 3]
    # A small excess is none, however many games show it.
    assert not is_unbalanced({("ann", "bob"): 5250, ("bob", "ann"): 4750})
    assert is_unbalanced({("ann", "bob"): 5750, ("bob", "ann"): 4250})


# In which forms


def test_each_rating_has_its_interval_in_json_csv_and_table() -> None:
    lost = [
        bare(*seats, "1-0" if (n == 0) == (seats[0] == "bob") else "0-1", Number=str(n + 1))
        for n in range(40)
        for seats in [(("bob", "ann"), ("ann", "bob"))[n % 2]]
    ]
    for records in (THREE, lost):
        standings = compute(records)
        told = to_json(standings)["overall"]
        for line, row in zip(told["rows"], standings.overall.rows, strict=True):
            rating, elo = row.strength.trueskill, row.strength.elo
            above = rating.sigma if rating.above is None else rating.above
            assert line["exposed"] == pytest.approx(rating.mu - 3 * rating.sigma, abs=1e-6)
            assert line["mu"] - line["low"] == pytest.approx(1.959964 * rating.sigma, abs=1e-5)
            assert line["high"] - line["mu"] == pytest.approx(1.959964 * above, abs=1e-5)
            assert (line["elo"]["low"], line["elo"]["high"]) == pytest.approx(
                (elo.low, elo.high), abs=1e-6
            )
    # Who lost nearly all may be better more easily than worse, and who won nearly all worse.
    (mu,) = columns.named("mu")
    sides = [(row["mu"] - row["low"], row["high"] - row["mu"]) for row in told["rows"]]
    assert [round(low - high, 2) for low, high in sides] == [0.06, -0.06]
    shown = [cell.split("±")[1] for cell in mu.cells(columns.rows_of(told))]
    assert shown == [f"{max(both):.2f}" for both in sides]


def test_a_rating_that_was_not_made_is_null() -> None:
    standings = compute(THREE[:1])
    made, *others = standings.overall.rows
    row = replace(made, strength=replace(made.strength, sequential=None))
    told = to_json(replace(standings, overall=replace(standings.overall, rows=(row, *others))))
    jsonschema.validate(told, export.schema())
    assert told["overall"]["rows"][0]["sequential"] is None
    first = next(csv.DictReader(to_csv(told).splitlines()))
    assert first["sequential_mu"] == ""


def test_the_csv_has_a_line_for_each_bot_and_table_and_runs_nothing() -> None:
    lines = read_csv(THREE)
    assert list(lines[0]) == [
        "game",
        *(field.name for one in columns.COLUMNS for field in one.fields),
    ]
    standings = compute(THREE)
    tables = (standings.overall, *standings.per_game)
    expected = [(table.game, str(row.rank), row.name) for table in tables for row in table.rows]
    assert [(line["game"], line["rank"], line["name"]) for line in lines] == expected
    assert [line["points"] for line in lines if line["name"] == "ann"] == ["2.5", "1.0", "1.5"]
    assert [line["crash"] for line in lines if line["name"] == "cat"] == ["1", "1"]
    for line in lines:
        score = 1 / (1 + 10 ** (-float(line["elo"]) / 400))
        assert float(line["elo_score"]) == pytest.approx(score, abs=1e-5)
    assert min(float(line["elo"]) for line in lines) < 0, "a negative number is no formula"
    for name in ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"):
        lines = read_csv([bare(name, "bob", "1-0", game_id=name)])
        assert {f"'{name}", "bob"} == {line["name"] for line in lines}
        assert {"", f"'{name}"} == {line["game"] for line in lines}


def test_the_cross_check_compares_bots_not_where_the_scale_begins() -> None:
    ratings = compute(FIELD).overall.ratings

    def gap(**by: float) -> tuple[str, float]:
        """Return that of ratings whose sequential ones are the converged ones, some moved."""
        strengths = {}
        for name, one in ratings.strengths.items():
            mu = one.trueskill.mu + by.get(name, 0.0)
            strengths[name] = replace(one, sequential=replace(one.trueskill, mu=mu))
        moved: Ratings = replace(ratings, strengths=strengths)
        found = greatest_gap(moved)
        assert found is not None
        return found

    assert gap() == ("ann", 0.0)
    assert gap(**dict.fromkeys(ratings.strengths, 3.0))[1] == pytest.approx(0)
    name, mu = gap(bob=3.0)
    assert name == "bob"
    assert mu == pytest.approx(-2.0)
    for records in ([], [bare("ann", "ann", "1-0")]):
        assert greatest_gap(compute(records).overall.ratings) is None


def test_where_elo_has_another_order_that_is_told() -> None:
    """A newcomer that won its one game may be the best, but its rating is careful."""
    many = [bare(*seats, "1-0") for seats in (("ann", "bob"), ("ann", "bob"), ("bob", "ann")) * 10]
    table = compute([*many, bare("new", "ann", "1-0")]).overall
    best = max(table.rows, key=lambda row: row.strength.elo.value)
    assert best.name == "new" != table.rows[0].name
    assert ("ann", "new") in table.crossed or ("bob", "new") in table.crossed
    assert compute(many).overall.crossed == ()
