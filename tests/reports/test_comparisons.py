"""Anchors, differences, ranges of rank, performance, changes: against their definitions."""

from __future__ import annotations

import csv
import io
import math
import random
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from places import page_text
from sample_records import bare

from lath.arena.terminal.layout import Output
from lath.arena.terminal.tables import print_standings
from lath.notation.record.record import Record
from lath.reports.counting import columns
from lath.reports.counting.scale import Scale, anchors_of
from lath.reports.counting.standings import compute
from lath.reports.counting.table import Table
from lath.reports.event.background import Background
from lath.reports.event.export import to_csv, to_json
from lath.reports.page.page import render
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import DecidedGame, Ratings, score_of

if TYPE_CHECKING:
    from golden import Golden

TRUE = {"ann": 0.0, "bob": 120.0, "cat": -80.0, "dan": 300.0, "eve": 50.0}
OTHERS = {"xan": 0.0, "yan": 50.0}


def played(
    strengths: Mapping[str, float], pairs: int, seed: int, draws: float = 0.3
) -> list[DecidedGame]:
    """Return pairs of games between each two bots, of these true strengths on the Elo scale."""
    chance = random.Random(seed)
    found = []
    for one, other in combinations(sorted(strengths), 2):
        for pair in range(pairs):
            for first, second in ((one, other), (other, one)):
                score = score_of(strengths[first] - strengths[second])
                drawn = 2 * draws * min(score, 1 - score)
                at = chance.random()
                win = score - drawn / 2
                points = 1.0 if at < win else 0.5 if at < win + drawn else 0.0
                found.append(DecidedGame(first, second, points, "yavalath", (one, other, pair)))
    return found


def elo(ratings: Ratings) -> dict[str, float]:
    return {name: one.elo.value for name, one in ratings.strengths.items()}


def records(results: Iterable[DecidedGame]) -> list[Record]:
    words = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
    return [
        bare(one.first, one.second, words[one.score], Number=str(number))
        for number, one in enumerate(results, 1)
    ]


def table_of(scale: Scale, pairs: int = 10, seed: int = 1) -> Table:
    return compute(records(played(TRUE, pairs, seed)), scale).overall


# Anchors


def test_one_anchor_moves_all_of_its_group_by_the_same_and_no_difference() -> None:
    games = [*played(TRUE, 20, 1), *played(OTHERS, 4, 6)]
    plain, anchored = rate(games), rate(games, anchors={"bob": 1500.0, "nobody": 7.0})
    apart = [elo(anchored)[name] - elo(plain)[name] for name in TRUE]
    assert apart == pytest.approx([apart[0]] * len(TRUE))
    assert elo(anchored)["bob"] == 1500
    for pair, error in plain.differences.items():
        assert anchored.differences[pair] == pytest.approx(error, rel=1e-6)
    for name in TRUE:
        one, before = anchored.strengths[name], plain.strengths[name]
        error = 0.0 if name == "bob" else plain.differences[name, "bob"]
        assert one.elo.error == pytest.approx(error, rel=1e-6)
        # What is expected against the field is not a matter of the scale.
        assert one.elo.score == pytest.approx(before.elo.score, abs=1e-6)
        assert one.trueskill == before.trueskill
    for name in OTHERS:
        assert anchored.strengths[name] == plain.strengths[name]


def plainly(games: list[DecidedGame], anchors: Mapping[str, float]) -> dict[str, float]:
    """Return the ratings at which just the points of each other bot are expected."""
    values = {**dict.fromkeys(TRUE, 1600.0), **anchors}
    for _ in range(3000):
        short = dict.fromkeys(values, 0.0)
        for one in games:
            off = one.score - score_of(values[one.first] - values[one.second])
            short[one.first] += off
            short[one.second] -= off
        for name in values.keys() - anchors.keys():
            values[name] += short[name]
    return values


def test_several_anchors_are_fixed_and_others_have_the_points_that_are_expected() -> None:
    games = played(TRUE, 20, 2, draws=0.0)
    anchors = {"ann": 1500.0, "dan": 1950.0, "cat": 1300.0}  # not what the games say
    found, wanted = elo(rate(games, anchors=anchors)), plainly(games, anchors)
    assert {name: found[name] for name in anchors} == anchors
    for name in TRUE:
        assert found[name] == pytest.approx(wanted[name], abs=15)  # the prior, which fades
    ratings = rate(games, anchors={"ann": 1500.0, "bob": 1600.0})
    for one, other, value in (("ann", "ann", 0.0), ("bob", "ann", 100.0)):
        apart = ratings.difference(one, other)
        assert apart is not None
        assert (apart.value, apart.error) == (value, 0.0)
    assert ratings.superiority("bob", "ann") == 1


@pytest.mark.parametrize("anchors", [{"ann": 0.0}, {"ann": 0.0, "bob": 120.0, "eve": 50.0}])
def test_intervals_of_an_anchored_scale_hold_the_truth(anchors: dict[str, float]) -> None:
    held = []
    for seed in range(20):
        ratings = rate(played(TRUE, 8, seed), in_order=False, anchors=anchors)
        for name, one in ratings.strengths.items():
            if name not in anchors and one.elo.low is not None and one.elo.high is not None:
                held.append(one.elo.low <= TRUE[name] <= one.elo.high)
    assert 0.91 <= sum(held) / len(held) <= 0.99


@pytest.mark.parametrize("anchors", [{}, {"weak": 1500.0}, {"best": 1500.0}])
def test_a_difference_to_an_unbeaten_bot_has_a_known_end_alone(anchors: dict[str, float]) -> None:
    games = [
        DecidedGame(*seats, score, "yavalath", n)
        for n in range(10)
        for seats, score in ((("best", "weak"), 1.0), (("weak", "best"), 0.0))
    ]
    ratings = rate(games, anchors=anchors)
    ahead, behind = ratings.difference("best", "weak"), ratings.difference("weak", "best")
    assert ahead is not None
    assert behind is not None
    assert (ahead.value, ahead.high, behind.low) == (-behind.value, None, None)
    # Clopper and Pearson: twenty of twenty points.
    exact = 400 * math.log10(0.025 ** (1 / 20) / (1 - 0.025 ** (1 / 20)))
    assert ahead.low == pytest.approx(exact, abs=0.5)
    assert behind.high == pytest.approx(-exact, abs=0.5)


WRONG_ANCHORS = (
    *(["mine"], ["=1500"], ["mine=strong"], ["mine=nan"], ["mine=1e9"], ["mine=1", "mine=2"]),
    ["mine=0", "rival=4001"],
)


def test_a_text_that_is_no_anchor_is_refused(golden: Golden) -> None:
    said = {}
    for texts in WRONG_ANCHORS:
        with pytest.raises(ValueError, match=r".") as refused:
            anchors_of(texts)
        said[" ".join(texts)] = str(refused.value)
    golden(said)


# Other comparisons


def test_rows_and_cells_are_the_differences_and_likelihoods_of_the_ratings() -> None:
    table = table_of(Scale(relative_to="cat"))
    for row, cells in zip(table.rows, to_json(table)["crosstable"], strict=True):
        assert row.relative == table.ratings.difference(row.name, "cat")
        for other, cell in zip(table.rows, cells, strict=True):
            if row.name == other.name:
                assert cell["difference"] is None
                continue
            value = row.strength.elo.value - other.strength.elo.value
            error = table.ratings.differences[row.name, other.name]
            wide = cell["difference_high"] - cell["difference_low"]
            assert cell["difference"] == pytest.approx(value, abs=1e-5)
            assert cell["difference_error"] == pytest.approx(error, abs=1e-5)
            assert wide == pytest.approx(2 * 1.959964 * error, abs=1e-4)
    for row, below in zip(table.rows, table.rows[1:], strict=False):
        assert row.better_than_next == table.ratings.superiority(row.name, below.name)
    assert table.rows[-1].better_than_next is None
    assert all(row.relative is None for row in table_of(Scale()).rows)


def test_a_performance_rating_expects_just_the_points_that_were_scored() -> None:
    table = table_of(Scale(anchors={"ann": 1500.0}))
    ratings = [row.strength.elo.value for row in table.rows]
    for row, cells in zip(table.rows, table.crosstable, strict=True):
        met = [(ratings[at], cell.games) for at, cell in enumerate(cells) if cell.games]
        performance = row.performance
        assert performance is not None
        expected = sum(games * score_of(performance - value) for value, games in met)
        assert expected == pytest.approx(row.points, abs=1e-6)
        average = sum(games * value for value, games in met) / sum(games for _, games in met)
        assert row.average_opponent == pytest.approx(average)


@pytest.mark.slow
def test_ranges_of_rank_hold_the_rank_and_the_truth_within_a_group() -> None:
    order = sorted(TRUE, key=lambda name: -TRUE[name])
    held = []
    for seed in range(12):
        for row in table_of(Scale(), seed=seed).rows:
            assert 1 <= row.rank_low <= row.rank <= row.rank_high <= len(TRUE)
            held.append(row.rank_low <= 1 + order.index(row.name) <= row.rank_high)
    assert sum(held) / len(held) > 0.9
    wide, narrow = (table_of(Scale(), pairs=pairs) for pairs in (2, 100))
    assert [(row.rank_low, row.rank_high) for row in narrow.rows] == [(n, n) for n in range(1, 6)]
    assert wide.rows[0].rank_high > 1
    for row in compute(records([*played(TRUE, 4, 5), *played(OTHERS, 4, 6)])).overall.rows:
        size = 2 if row.name in OTHERS else len(TRUE)
        assert 1 <= row.rank_low <= row.rank <= row.rank_high <= size


def test_changes_are_to_the_games_before_the_last_event() -> None:
    before, new = records(played(TRUE, 6, 1)), {**TRUE, "new": 100.0}
    later = records([*played(TRUE, 6, 1), *(one for one in played(new, 6, 2) if "new" in one[:2])])
    now = compute(later, Scale(until=len(before), anchors={"ann": 1500.0}))
    then = compute(before, Scale(anchors={"ann": 1500.0}))
    assert now.games_before == len(before)
    rows = {row.name: row for row in then.overall.rows}
    for row in now.overall.rows:
        if row.name == "new":
            assert row.moved is None
            continue
        assert row.moved is not None
        assert row.moved.rank == rows[row.name].rank - row.rank
        assert row.moved.elo == row.strength.elo.value - rows[row.name].strength.elo.value
    assert all(row.moved is None for row in compute(later).overall.rows)


# One list of columns


def test_terminal_csv_json_page_and_docs_show_the_columns_of_one_list(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    scale = Scale(anchors={"ann": 1500.0}, relative_to="bob", until=40)
    games = records(played(TRUE, 4, 1))
    standings = compute(games, scale)
    told = to_json(standings)
    lines = list(csv.DictReader(io.StringIO(to_csv(told))))
    page = render(games, background=Background(scale=scale)).html
    print_standings(standings, Output(to_stdout=True), columns=columns.named("all"))
    heading = capsys.readouterr().out.splitlines()[1]
    page_of_commands = page_text("command-line")
    docs = page_of_commands.partition("#### Columns")[2].partition("\n### ")[0]
    assert docs.count("\n| `") == len(columns.COLUMNS)
    rows = columns.rows_of(told["overall"])
    for column in columns.COLUMNS:
        assert column.heading in heading
        assert f"\n| `{column.name}` | " in docs
        assert len(column.cells(rows)) == len(rows)
        if column.name in columns.MORE:
            assert column.says in page
        for field in column.fields:
            assert {f"{field.of(row)}" for row in rows} == {
                line[field.name] for line in lines if not line["game"]
            }
    assert len({one.name for one in columns.COLUMNS}) == len(columns.COLUMNS)
    # Chosen columns come in the order in which they are named.
    chosen = columns.named("elo,bot,ranks")
    print_standings(standings, Output(to_stdout=True), columns=chosen)
    assert capsys.readouterr().out.splitlines()[1].split() == ["Elo", "±", "95%", "bot", "ranks"]
    head = to_csv(told, chosen).splitlines()[0]
    assert head == "game,elo,elo_low,elo_high,name,rank_low,rank_high"
    with pytest.raises(ValueError, match="did you mean 'ranks'"):
        columns.named("rnks")
