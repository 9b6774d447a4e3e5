"""One ranking: tables, podium, result, JSON, CSV, index and the running picture all agree.

Over tournaments of each format with results by chance, some of them cut short.
"""

from __future__ import annotations

import csv
import random
import re
from collections import Counter
from itertools import combinations, groupby, islice, pairwise
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from runs import Told
from sample_records import bare
from schedules import make, outcome, played

from lath.arena.referee.record import GamePlan
from lath.arena.terminal.layout import Output
from lath.arena.terminal.live import standings as live_table
from lath.arena.terminal.tables import print_standings
from lath.arena.tournament.store import Tally
from lath.notation.record import Record
from lath.reports import columns, ranking
from lath.reports.background import Background, Version
from lath.reports.export import to_csv, to_json
from lath.reports.outcome import Outcome
from lath.reports.page.document import document
from lath.reports.page.index import Collector
from lath.reports.page.page import render
from lath.reports.page.summary import summary
from lath.reports.standings import Standings, Table, compute

NAMES: Final = ("ann", "bob", "cat", "dan", "eve", "fox")


class Held(NamedTuple):
    """A tournament as far as it was held."""

    records: list[Record]
    background: Background
    form: str

    @property
    def outcome(self) -> Outcome:
        found = self.background.outcome
        assert found is not None
        return found

    @property
    def standings(self) -> Standings:
        return compute(self.records, self.background.ranked)


def held(
    form: str, *, bots: int, rounds: int, seed: int, most: int | None = None, unequal: bool = False
) -> Held:
    """Return a tournament of a format, of which so many pairs are played."""
    names = NAMES[: 2 if form == "match" else bots]
    more: dict[str, Any] = {"challengers": 1 + seed % (bots - 1)} if form == "gauntlet" else {}
    schedule = make(form, names=names, games=("yavalath",), rounds=rounds, **more)

    def result(game: GamePlan) -> str:
        if unequal:  # who is first in the alphabet wins nearly always
            chance = random.Random(seed * 1000 + game.number).random() < 0.9
            return "1-0" if (game.names[0] < game.names[1]) == chance else "0-1"
        return random.Random(seed * 1000 + game.number).choice(("1-0", "0-1", "1/2-1/2"))

    games = [game for pair in islice(played(schedule, result), most) for game in pair.games]
    records = [bare(*game.names, result(game), Number=str(game.number)) for game in games]
    came_to = outcome(schedule, form)
    return Held(records, Background(outcome=came_to), form)


def pool(bots: int, seed: int, edited: int) -> Held:
    """Return a pool in which the first bot was edited so often, and all versions met all others."""
    chance = random.Random(seed)
    names = [NAMES[0], *(f"{NAMES[0]} v{number}" for number in range(2, edited + 2))]
    versions = [
        Version(
            name=name,
            bot=NAMES[0],
            number=number,
            sha256="0" * 64,
            command=("x",),
            retired="" if number == len(names) else "2026-11-10T21:06:48+00:00",
        )
        for number, name in enumerate(names, 1)
    ]
    others = NAMES[1:bots]
    records = [
        bare(*seats, chance.choice(("1-0", "0-1", "1/2-1/2")))
        for one, other in (
            *((version, other) for version in names for other in others),
            *combinations(others, 2),
        )
        for seats in ((one, other), (other, one))
    ]
    came_to = Outcome(format="pool", done=len(records), total=len(records))
    return Held(records, Background(outcome=came_to, versions=tuple(versions)), "pool")


TOURNAMENTS: Final = st.builds(
    held,
    form=st.sampled_from(("round-robin", "swiss", "knockout", "gauntlet", "match", "pool")),
    bots=st.integers(3, 6),
    rounds=st.integers(1, 3),
    seed=st.integers(0, 10**6),
    most=st.none() | st.integers(1, 12),
    unequal=st.booleans(),
) | st.builds(pool, bots=st.integers(3, 6), seed=st.integers(0, 10**6), edited=st.integers(0, 2))

HELD: Final = held("round-robin", bots=4, rounds=2, seed=7)


def sections(table: Table) -> list[list[int]]:
    """Return the places of rows that are ranked against each other, from 0."""
    by_rating = table.rule in ("rating", "method")
    keys = [(row.group if by_rating else 0, row.role) for row in table.rows]
    return [[at for at, _ in alike] for _, alike in groupby(enumerate(keys), lambda each: each[1])]


@settings(max_examples=60, deadline=None)
@given(event=TOURNAMENTS)
@example(event=HELD)
def test_ranks_follow_the_number_that_is_shown_first(event: Held) -> None:
    standings = event.standings
    for table in (standings.overall, *standings.per_game):
        rows = table.rows
        for places in sections(table):
            assert rows[places[0]].rank == 1 or table.rule == "swiss"  # who had a bye may be first
            for one, other in pairwise(rows[at] for at in places):
                assert round(one.number, 6) >= round(other.number, 6)
                assert one.rank <= other.rank
                if table.rule not in ("swiss", "knockout"):  # there what is equal may differ yet
                    same = round(one.number, 6) == round(other.number, 6)
                    assert same == (one.rank == other.rank)
        shown = [one for one in columns.usual(to_json(table)) if one.kind == "number"]
        first = next(one for one in shown if one.name not in ("rank", "group"))
        assert first.name == ranking.COLUMNS[table.rule]
        values = columns.rows_of(to_json(table))
        (field, *_) = first.fields
        assert [field.of(row) for row in values] == [round(row.number, 6) for row in rows]


@settings(max_examples=60, deadline=None)
@given(event=TOURNAMENTS)
def test_nobody_with_fewer_points_of_the_same_games_stands_above(event: Held) -> None:
    table = event.standings.overall
    games = Counter[tuple[str, ...]]()
    whose = ranking.member_of(event.background.ranked.members)
    for record in event.records:
        games[tuple(sorted(whose.get(name, name) for name in (record.first, record.second)))] += 1
    for at, row in enumerate(table.rows):
        for below in table.rows[at + 1 :]:
            others = {name for pair in games for name in pair} - {row.name, below.name}
            as_often = all(
                games[tuple(sorted((row.name, other)))] == games[tuple(sorted((below.name, other)))]
                for other in others
            )
            decides = table.rule in ("points", "score", "gauntlet")
            if decides and as_often and row.role == below.role:
                assert row.points >= below.points, (table.rule, row.name, below.name)


@settings(max_examples=30, deadline=None)
@given(event=TOURNAMENTS)
def test_every_place_that_shows_an_order_shows_this_one(event: Held) -> None:
    standings = event.standings
    table = standings.overall
    ranked = [(row.rank, row.name) for row in table.rows]
    # Programs.
    told = to_json(standings)
    assert [(row["rank"], row["name"]) for row in told["overall"]["rows"]] == ranked
    lines = [line for line in csv.DictReader(to_csv(told).splitlines()) if not line["game"]]
    assert [(int(line["rank"]), line["name"]) for line in lines] == ranked
    # The page: table, crosstable and podium.
    data = document(event.records, background=event.background)
    assert data["standings"] == told
    html = render(event.records, background=event.background).html
    shown = html.partition('aria-label="Standings table"')[2].partition("</table>")[0]
    assert ranked == [
        (int(rank), name)
        for rank, name in re.findall(
            r'<td class="rank">(\d+)</td><th scope="row"><a [^>]*><bdi>([^<]*)</bdi>', shown
        )
    ]
    cross = html.partition('aria-label="Crosstable, bot by bot"')[2].partition("</table>")[0]
    named = re.findall(r'<th scope="row"><span [^>]*>\d+</span> <a [^>]*><bdi>([^<]*)', cross)
    assert named == [name for _, name in ranked]
    podium = [(one.place, one.row["name"]) for one in summary(data).podium]
    if len(table.ratings.groups) == 1 or table.rule not in ("rating", "method"):
        assert [one for one in ranked if one in podium] == podium
        assert table.rule == "gauntlet" or podium[:1] == [one for one in ranked if one[0] <= 3][:1]
    # The result by the rules of the format.
    completed = event.background.completed(standings).outcome
    assert completed is not None
    for sheet in completed.sheets[:1]:
        if event.form in ("swiss", "gauntlet"):
            result = [(int(row[0]), row[1]) for row in sheet.rows]
            assert [one for one in ranked if one[1] in {name for _, name in result}] == [
                one for one in result if one[1] in {name for _, name in ranked}
            ]
    if winner := completed.data.get("winner"):
        assert ranked[0] == (1, winner)
        assert ranked[1][0] == 2
    # The index.
    collector = Collector()
    collector.add("x", event.records, event.outcome, versions=event.background.versions)
    (line,) = collector.document()["tournaments"]
    first = [row for row in table.rows if row.rank == 1 and row.role != "opponent"]
    if table.rule != "rating" or len(table.ratings.groups) == 1:
        assert line["leaders"] == [row.name for row in first if row.points]
    assert line["rule"] == table.rule


@settings(max_examples=40, deadline=None)
@given(event=TOURNAMENTS)
def test_the_running_picture_has_the_order_of_the_table(event: Held) -> None:
    run = Told()
    run.progress.outcome = lambda: event.outcome
    stored = Counter((record.first, record.second, record.result) for record in event.records)
    tallies = [Tally(*key, "rules", times) for key, times in stored.items()]
    run.start(*tallies, members=ranking.member_of(event.background.ranked.members))
    table = event.standings.overall
    found = run.progress.ranking()
    lines = [
        "".join(piece.text for piece in line)
        for line in live_table(run.progress, 120, 12, Output().letters)
    ]
    assert any(found.says in line for line in lines)
    if table.rule == "rating":  # ratings are made in the end
        assert found.without_ratings
        return
    assert found.rule == table.rule
    assert found.says == table.says
    expected = [(row.rank, row.name) for row in table.rows]
    assert [(one.rank, one.name) for one in found.places] == expected
    told = [(one.rank, one.name) for one in run.progress.ranked() if one.games]
    assert told == expected
    printed = [line.split()[:2] for line in lines[1 : 1 + len(expected)]]
    assert printed == [[str(rank), name] for rank, name in expected]


@pytest.mark.parametrize("form", ["round-robin", "swiss", "knockout", "gauntlet", "pool"])
def test_terminal_and_page_state_the_rule_in_the_same_sentence(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    event = held(form, bots=5, rounds=2, seed=3)
    standings = event.standings
    print_standings(standings, Output(to_stdout=True))
    printed = " ".join(capsys.readouterr().out.split())
    assert standings.overall.says in printed
    page = render(event.records, background=event.background).html
    assert page.count(standings.overall.says.replace(" - ", " \N{MINUS SIGN} ")) >= 2


# Members


def test_versions_of_a_member_are_one_bot_with_the_rating_of_the_one_that_plays() -> None:
    event = pool(4, 5, 2)
    table, apart = event.standings.overall, compute(event.records).overall
    rows = {row.name: row for row in table.rows}
    each = {row.name: row for row in apart.rows}
    mine, versions = rows["ann"], [each[name] for name in ("ann", "ann v2", "ann v3")]
    assert set(rows) == {"ann", "bob", "cat", "dan"}
    for what in ("wins", "draws", "losses", "points", "games"):
        assert getattr(mine, what) == sum(getattr(one, what) for one in versions)
    assert mine.plays_as == "ann v3"
    assert mine.strength == versions[-1].strength
    # Ratings do not change: each version is a player of its own.
    assert table.ratings == apart.ratings
    at = [row.name for row in table.rows].index("ann")
    for row, cell in zip(table.rows, table.crosstable[at], strict=True):
        if row.name != "ann":
            assert cell.games == 6
    assert sum(row.points for row in table.rows) == table.games


def test_a_member_has_one_line_on_the_page_and_its_versions_below() -> None:
    event = pool(4, 5, 2)
    html = render(event.records, background=event.background).html
    table = html.partition('aria-label="Standings table"')[2].partition("</table>")[0]
    assert "rated as <bdi>ann v3</bdi>" in table
    assert ">ann v2<" not in table
    versions = html.partition('id="versions"')[2].partition("</table>")[0]
    assert all(f">{name}<" in versions for name in ("ann", "ann v2", "ann v3"))
    data = document(event.records, background=event.background)
    assert [one["name"] for one in data["bots"]] == [
        row["name"] for row in data["standings"]["overall"]["rows"]
    ]
    (mine,) = [one for one in data["bots"] if one["name"] == "ann"]
    assert sum(one["wins"] + one["draws"] + one["losses"] for one in mine["opponents"]) == 18
    per_version = {one["name"]: one["points"] for one in data["versions"]}
    row = next(row for row in data["standings"]["overall"]["rows"] if row["name"] == "ann")
    assert sum(per_version.values()) == row["points"]


def test_without_notes_of_versions_names_are_as_they_are() -> None:
    records = pool(3, 1, 1).records
    assert {row.name for row in compute(records).overall.rows} == {"ann", "ann v2", "bob", "cat"}


# By hand


def scored(*games: str) -> list[Record]:
    return [bare(*game.split()) for game in games for _ in range(2)]


def test_a_round_robin_has_no_gold_for_fewer_points_whatever_ratings_say() -> None:
    for bots in (3, 4):
        rows = held("round-robin", bots=bots, rounds=1, seed=5).standings.overall.rows
        first, second, *_ = rows
        assert first.points > second.points
        # The rating is careful about who won more: it has the other one first.
        assert first.strength.trueskill.exposed < second.strength.trueskill.exposed


def test_a_void_game_leaves_points_per_game_to_decide_and_a_late_bot_the_rating() -> None:
    even = [bare(one, other, "1-0") for _ in range(3) for one, other in combinations(NAMES[:4], 2)]
    assert compute(even).overall.rule == "points"
    assert compute(even[1:]).overall.rule == "score"
    late = [*even, bare("eve", "ann", "1-0")]
    assert compute(late).overall.rule == "rating"
    going_on = Background(outcome=Outcome(format="round-robin", done=4, total=36)).ranked
    assert compute(even[:4], going_on).overall.rule == "score"


def test_a_challenger_is_on_the_podium_however_it_did() -> None:
    games = scored("mine ann 0-1", "mine bob 0-1", "mine cat 1/2-1/2", "mine dan 1-0")
    data = {"gauntlet": {"challengers": ["mine"], "opponents": ["ann", "bob", "cat", "dan"]}}
    background = Background(outcome=Outcome(format="gauntlet", done=8, total=8, data=data))
    found = summary(document(games, background=background))
    assert [(one.row["role"], one.place, one.row["name"]) for one in found.podium] == [
        ("challenger", 1, "mine"),
        ("opponent", 1, "ann"),
        ("opponent", 1, "bob"),
        ("opponent", 3, "cat"),
    ]
    page = render(games, background=background).html
    podium = page.partition('class="podium"')[2].partition("</ol>")[0]
    assert 'class="place-' not in podium  # no medals where nobody has won anything
    assert "challenger: 3 of 8 points" in podium
