"""Standings: what is counted, who ranks where, and the forms in which others read them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

import jsonschema
import pytest
from sample_records import HOSTILE_NAMES, bare, tournament

from notation.record import Record
from reports.schema import STANDINGS_SCHEMA
from reports.standings import CSV_COLUMNS, Row, Standings, compute, to_csv, to_json


def row_of(standings: Standings, name: str) -> Row:
    return next(row for row in standings.rows if row.name == name)


def read_csv(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


THREE = (
    bare("ann", "bob", "1-0", Event="Cup"),
    bare("bob", "ann", "1/2-1/2", Event="Cup"),
    bare("cat", "ann", "0-1", game_id="surikata", Termination="crash", Event="Cup"),
)


def test_no_records_make_empty_standings() -> None:
    standings = compute([])
    assert (standings.games, standings.rows, standings.first_score) == (0, (), None)


def test_a_win_is_a_point_and_a_draw_half_of_one() -> None:
    ann = row_of(compute(THREE), "ann")
    assert (ann.games, ann.wins, ann.draws, ann.losses) == (3, 2, 1, 0)
    assert ann.points == 2.5
    assert ann.score_rate == pytest.approx(5 / 6)


def test_bots_rank_by_exposed_rating() -> None:
    standings = compute(tournament(("ann", "bob", "cat"), 2, game_ids=("surikata",)))
    exposed = [row.rating.exposed for row in standings.rows]
    assert exposed == sorted(exposed, reverse=True)
    assert [row.rank for row in standings.rows] == [1, 2, 3]


def test_equal_ratings_rank_by_points_then_name() -> None:
    # Only self-play: every rating is a newcomer's.
    records = [bare(name, name, "1-0") for name in ("bob", "ann", "cat", "cat")]
    assert [row.name for row in compute(records).rows] == ["cat", "ann", "bob"]


def test_points_of_all_rows_are_the_games_counted() -> None:
    records = [*tournament(("ann", "bob", "cat"), 1), bare("ann", "ann", "0-1")]
    standings = compute(records)
    assert sum(row.points for row in standings.rows) == standings.games == len(records)


def test_the_crosstable_follows_the_ranks_and_adds_up() -> None:
    standings = compute(tournament(("ann", "bob", "cat"), 1))
    for row, meetings in zip(standings.rows, standings.crosstable, strict=True):
        assert sum(meeting.points for meeting in meetings) == row.points
        assert sum(meeting.games for meeting in meetings) == row.games
    for i, meetings in enumerate(standings.crosstable):
        assert meetings[i].games == 0


def test_a_game_against_itself_fills_both_seats_of_one_row() -> None:
    standings = compute([bare("ann", "ann", "1-0", Termination="time")])
    ann = row_of(standings, "ann")
    assert (ann.games, ann.wins, ann.losses, ann.points, ann.time_losses) == (2, 1, 1, 1.0, 1)
    assert standings.self_play == 1
    assert standings.crosstable[0][0].games == 2
    assert ann.rating.mu == 25.0


@pytest.mark.parametrize(
    ("termination", "field"),
    [
        ("crash", "crashes"),
        ("time", "time_losses"),
        ("illegal move", "illegal_moves"),
        ("flood", "floods"),
    ],
)
def test_a_mishap_is_the_losers(termination: str, field: str) -> None:
    standings = compute([bare("ann", "bob", "0-1", Termination=termination)])
    assert getattr(row_of(standings, "ann"), field) == 1
    assert getattr(row_of(standings, "bob"), field) == 0


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
    assert standings.games == 1
    assert standings.left_out == ((reason, 1),)
    assert standings.unranked == ("ann", "bob")


def test_endings_are_counted_per_game() -> None:
    standings = compute([*THREE, bare("ann", "bob", "1-0", Termination="")])
    assert standings.endings == (("rules", 2), ("crash", 1), ("not stated", 1))
    assert [(total.game, total.games) for total in standings.per_game] == [
        ("surikata", 1),
        ("yavalath", 3),
    ]
    assert standings.per_game[0].endings == (("crash", 1),)


def test_the_first_seats_score_counts_draws_half() -> None:
    standings = compute(THREE)
    assert standings.first_score == 0.5
    assert standings.per_game[1].first_score == 0.75


def test_events_are_named_once_in_order() -> None:
    records = [bare("ann", "bob", "1-0", Event=event) for event in ("Cup", "Open", "Cup")]
    assert compute(records).events == ("Cup", "Open")


def test_records_may_come_from_an_iterator() -> None:
    assert compute(iter(THREE)) == compute(THREE)


@pytest.mark.parametrize(
    "records",
    [
        (),
        THREE,
        [bare("ann", "ann", "1-0"), bare("ann", "bob", "*")],
        [bare(name, HOSTILE_NAMES[0], "1-0") for name in HOSTILE_NAMES],
        tournament(("ann", "bob"), 1),
    ],
)
def test_the_json_keeps_its_schema(records: Sequence[Record]) -> None:
    validator = jsonschema.Draft202012Validator
    validator.check_schema(STANDINGS_SCHEMA)
    read_back = json.loads(json.dumps(to_json(compute(records)), allow_nan=False))
    validator(STANDINGS_SCHEMA).validate(read_back)


def test_the_schema_refuses_what_is_missing_or_unknown() -> None:
    validator = jsonschema.Draft202012Validator(STANDINGS_SCHEMA)
    good = to_json(compute(THREE))
    assert not validator.is_valid({**good, "surprise": 1})
    assert not validator.is_valid({key: value for key, value in good.items() if key != "rows"})


def test_the_csv_has_a_line_per_bot_by_rank() -> None:
    lines = read_csv(to_csv(compute(THREE)))
    assert lines[0] == list(CSV_COLUMNS)
    assert [line[:4] for line in lines[1:]] == [
        ["1", "ann", "3", "2"],
        ["2", "bob", "2", "0"],
        ["3", "cat", "1", "0"],
    ]
    assert lines[3][CSV_COLUMNS.index("crash")] == "1"


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_formula_in_the_csv_is_guarded(name: str) -> None:
    names = {line[1] for line in read_csv(to_csv(compute([bare(name, "bob", "1-0")])))}
    assert f"'{name}" in names
    assert "bob" in names


def test_a_negative_rating_in_the_csv_is_a_number() -> None:
    records = [bare("ann", "bob", "1-0")]
    loser = read_csv(to_csv(compute(records)))[2]
    assert float(loser[CSV_COLUMNS.index("exposed")]) < 0
