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
from hypothesis import example, given
from hypothesis import strategies as st
from runs import Told
from sample_records import bare
from schedules import make, outcome, played

from lath.arena.referee.record import GamePlan
from lath.arena.terminal.layout import Output
from lath.arena.terminal.live import standings as live_table
from lath.arena.terminal.tables import print_standings, ratings_columns
from lath.arena.tournament.store.totals import EndingTally
from lath.notation.record.record import Record
from lath.reports.counting import columns, ranking
from lath.reports.counting.standings import compute
from lath.reports.counting.table import Standings, Table
from lath.reports.event.background import Background
from lath.reports.event.export import to_csv, to_json
from lath.reports.notes.notes import Version
from lath.reports.notes.outcome import EventOutcome
from lath.reports.page.document import document
from lath.reports.page.index import Collector
from lath.reports.page.page import render
from lath.reports.page.summary import summary

NAMES: Final = ("ann", "bob", "cat", "dan", "eve", "fox")

RESULTS: Final = ("1-0", "0-1", "1/2-1/2")


class Held(NamedTuple):
    """A tournament as far as it was held."""

    records: list[Record]
    background: Background
    form: str

    @property
    def outcome(self) -> EventOutcome:
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
        chance = random.Random(seed * 1000 + game.number)
        if unequal:  # who is first in the alphabet wins nearly always
            return "1-0" if (game.names[0] < game.names[1]) == (chance.random() < 0.9) else "0-1"
        return chance.choice(RESULTS)

    games = [game for pair in islice(played(schedule, result), most) for game in pair.games]
    records = [bare(*game.names, result(game), Number=str(game.number)) for game in games]
    return Held(records, Background(outcome=outcome(schedule, form)), form)


def pool(bots: int, seed: int, edited: int) -> Held:
    """Return a pool in which the first bot was edited so often, and all versions met all others."""
    chance = random.Random(seed)
    names = [NAMES[0], *(f"{NAMES[0]} v{number}" for number in range(2, edited + 2))]
    retired = [*["2026-11-10T21:06:48+00:00"] * edited, ""]
    versions = tuple(
        Version(
            name=name,
            bot=NAMES[0],
            number=at,
            sha256="0" * 64,
            command=("x",),
            retired=retired[at - 1],
        )
        for at, name in enumerate(names, 1)
    )
    others = NAMES[1:bots]
    met = [*((one, other) for one in names for other in others), *combinations(others, 2)]
    records = [bare(*seats, chance.choice(RESULTS)) for pair in met for seats in (pair, pair[::-1])]
    came_to = EventOutcome(format="pool", done=len(records), total=len(records))
    return Held(records, Background(outcome=came_to, versions=versions), "pool")


def in_groups(form: str, cuts: set[int], seed: int) -> Held:
    """Return a tournament so far, in which the bots before and after each cut have not met."""
    chance = random.Random(seed)
    ends = [0, *sorted(cuts), len(NAMES)]
    groups = [NAMES[start:end] for start, end in pairwise(ends)]
    met = [pair for group in groups for pair in combinations(group, 2)]
    records = [bare(*seats, chance.choice(RESULTS)) for pair in met for seats in (pair, pair[::-1])]
    came_to = EventOutcome(format=form, done=len(records), total=60)
    return Held(records, Background(outcome=came_to), form)


TOURNAMENTS = st.builds(
    held,
    form=st.sampled_from(("round-robin", "swiss", "knockout", "gauntlet", "match", "pool")),
    bots=st.integers(3, 6),
    rounds=st.integers(1, 3),
    seed=st.integers(0, 10**6),
    most=st.none() | st.integers(1, 12),
    unequal=st.booleans(),
)
TOURNAMENTS |= st.builds(
    pool, bots=st.integers(3, 6), seed=st.integers(0, 10**6), edited=st.integers(0, 2)
) | st.builds(
    in_groups,
    form=st.sampled_from(("round-robin", "pool")),
    cuts=st.sets(st.integers(1, 5)),
    seed=st.integers(0, 10**6),
)


@pytest.mark.slow
@given(event=TOURNAMENTS)
@example(event=held("round-robin", bots=4, rounds=2, seed=7))
@example(event=in_groups("round-robin", cuts={2, 5}, seed=7))
@example(event=in_groups("pool", cuts={3}, seed=7))
def test_every_order_is_one_that_follows_the_number_shown_first(event: Held) -> None:
    standings = event.standings
    for table in (standings.overall, *standings.per_game):
        follows_its_number(table)
    nobody_with_fewer_points_stands_above(event)
    html = every_file_shows_it(event)
    the_running_picture_has_it(event)
    no_output_ranks_bots_of_two_groups_in_one_order(event, html)


def sections(table: Table) -> list[list[int]]:
    """Return the places of rows that are ranked against each other, from 0."""
    is_apart = table.rule in ranking.BY_GAMES
    keys = [(row.group if is_apart else 0, row.role) for row in table.rows]
    return [[at for at, _ in alike] for _, alike in groupby(enumerate(keys), lambda each: each[1])]


def follows_its_number(table: Table) -> None:
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
    assert [first.fields[0].of(row) for row in values] == [round(row.number, 6) for row in rows]


def nobody_with_fewer_points_stands_above(event: Held) -> None:
    """Of the same games, that is."""
    table = event.standings.overall
    if table.rule not in ("points", "score", "gauntlet"):
        return
    whose = ranking.member_of(event.background.ranked.members)
    met = [{whose.get(name, name) for name in (one.first, one.second)} for one in event.records]
    games = Counter(map(frozenset, met))
    for row, below in combinations(table.rows, 2):
        others = {name for pair in games for name in pair} - {row.name, below.name}
        often = [[games[frozenset((one.name, other))] for other in others] for one in (row, below)]
        if often[0] == often[1] and row.role == below.role:
            assert row.points >= below.points, (table.rule, row.name, below.name)


def every_file_shows_it(event: Held) -> str:
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
    cells = r'<td class="rank">(\d+)</td><th scope="row"><a [^>]*><bdi>([^<]*)</bdi>'
    assert ranked == [(int(rank), name) for rank, name in re.findall(cells, shown)]
    cross = html.partition('aria-label="Crosstable, bot by bot"')[2].partition("</table>")[0]
    named = re.findall(r'<th scope="row"><span [^>]*>\d+</span> <a [^>]*><bdi>([^<]*)', cross)
    assert named == [name for _, name in ranked]
    podium = [(one.place, one.row["name"]) for one in summary(data).podium]
    if len(table.ratings.groups) == 1 or table.rule not in ranking.BY_GAMES:
        assert [one for one in ranked if one in podium] == podium
        assert table.rule == "gauntlet" or podium[:1] == [one for one in ranked if one[0] <= 3][:1]
    # The result by the rules of the format.
    completed = event.background.completed(standings).outcome
    assert completed is not None
    if event.form in ("swiss", "gauntlet") and completed.sheets:
        result = [(int(row[0]), row[1]) for row in completed.sheets[0].rows]
        assert [one for one in ranked if one[1] in {name for _, name in result}] == [
            one for one in result if one[1] in {name for _, name in ranked}
        ]
    if winner := completed.data.get("winner"):
        assert (ranked[0], ranked[1][0]) == ((1, winner), 2)
    # The index.
    collector = Collector()
    collector.add("x", event.records, event.outcome, versions=event.background.versions)
    (line,) = collector.document()["tournaments"]
    first = [row for row in table.rows if row.rank == 1 and row.role != "opponent"]
    if table.rule not in ranking.BY_GAMES or len(table.ratings.groups) == 1:
        assert line["leaders"] == [row.name for row in first if row.points]
    assert line["rule"] == table.rule
    return html


def the_running_picture_has_it(event: Held) -> None:
    run = Told()
    run.progress.outcome = lambda: event.outcome
    stored = Counter((record.first, record.second, record.result) for record in event.records)
    tallies = [EndingTally(*key, "rules", times) for key, times in stored.items()]
    run.start(*tallies, members=ranking.member_of(event.background.ranked.members))
    table = event.standings.overall
    found = run.progress.ranking()
    letters = Output().letters
    lines = [
        "".join(piece.text for piece in line) for line in live_table(run.progress, 120, 12, letters)
    ]
    assert any(found.says in line for line in lines)
    if table.rule == "rating":  # ratings are made in the end
        assert found.without_ratings
        return
    assert (found.rule, found.says) == (table.rule, table.says)
    expected = [(row.rank, row.name) for row in table.rows]
    assert [(one.rank, one.name) for one in found.places] == expected
    assert [(one.rank, one.name) for one in run.progress.ranked() if one.games] == expected
    name = 2 if "group" in lines[0] else 1
    printed = [[line.split()[at] for at in (0, name)] for line in lines[1 : 1 + len(expected)]]
    assert printed == [[str(rank), name] for rank, name in expected]


def no_output_ranks_bots_of_two_groups_in_one_order(event: Held, html: str) -> None:
    """A group is connected by games; a format that ranks all its bots by its own rule is exempt."""
    table = event.standings.overall
    groups = table.ratings.groups
    if table.rule not in ranking.BY_GAMES or len(groups) == 1:
        return
    whose = ranking.member_of(event.background.ranked.members)
    met = [{whose.get(name, name) for name in (one.first, one.second)} for one in event.records]
    for one, other in combinations(table.rows, 2):
        assert one.group == other.group or {one.name, other.name} not in met
    for title in ("Standings table", "More figures of each bot"):
        shown = html.partition(f'aria-label="{title}"')[2].partition("</table>")[0]
        bodies = shown.split("<tbody>")[1:]
        assert [body.count('class="group"') for body in bodies] == [1] * len(groups)
        assert [body.count('class="rank">1<') >= 1 for body in bodies] == [True] * len(groups)
    told = html.partition('name="description"')[2].partition(">")[0]
    assert " leads" not in told
    bots = html.partition('id="bots"')[2]
    for place, row in enumerate(table.rows, 1):
        assert (
            f"group {row.group} · " in bots.partition(f'id="bot-{place}"')[0].rpartition("<h3>")[2]
        )
    for asked in ((), columns.named("rank,bot")):
        printed = ratings_columns(table, asked)
        assert [one.rank for one in printed if one.heading == "group"] == [0]
    collector = Collector()
    collector.add("x", event.records, event.outcome, versions=event.background.versions)
    assert collector.document()["tournaments"][0]["leaders"] == []
    run = Told()
    run.progress.outcome = lambda: event.outcome
    stored = Counter((record.first, record.second, record.result) for record in event.records)
    run.start(
        *(EndingTally(*key, "rules", times) for key, times in stored.items()),
        members=ranking.member_of(event.background.ranked.members),
    )
    standing = [one for one in run.progress.ranked() if one.games]
    assert len({one.group for one in standing}) > 1
    for ours, theirs in combinations(standing, 2):
        assert ours.group == theirs.group or {ours.name, theirs.name} not in met
    (first, *_) = live_table(run.progress, 40, 12, Output().letters)
    assert "group" in "".join(piece.text for piece in first)


def test_terminal_and_page_state_the_rule_in_the_same_sentence(capsys: Any) -> None:
    for form in ("round-robin", "swiss", "knockout", "gauntlet", "pool"):
        event = held(form, bots=5, rounds=2, seed=3)
        standings = event.standings
        print_standings(standings, Output(to_stdout=True))
        says = standings.overall.says
        assert says in " ".join(capsys.readouterr().out.split())
        page = render(event.records, background=event.background).html
        assert page.count(says.replace(" - ", " \N{MINUS SIGN} ")) >= 2


def test_versions_of_a_member_are_one_bot_with_the_rating_of_the_one_that_plays() -> None:
    event = pool(4, 5, 2)
    table, apart = event.standings.overall, compute(event.records).overall
    rows = {row.name: row for row in table.rows}
    each = {row.name: row for row in apart.rows}
    mine, versions = rows["ann"], [each[name] for name in ("ann", "ann v2", "ann v3")]
    assert set(rows) == {"ann", "bob", "cat", "dan"}
    for what in ("wins", "draws", "losses", "points", "games"):
        assert getattr(mine, what) == sum(getattr(one, what) for one in versions)
    assert (mine.plays_as, mine.strength) == ("ann v3", versions[-1].strength)
    # Ratings do not change: each version is a player of its own.
    assert table.ratings == apart.ratings
    at = [row.name for row in table.rows].index("ann")
    met = {row.name: cell.games for row, cell in zip(table.rows, table.crosstable[at], strict=True)}
    assert [met[name] for name in ("bob", "cat", "dan")] == [6] * 3
    assert sum(row.points for row in table.rows) == table.games
    # On the page it has one line, and its versions below.
    html = render(event.records, background=event.background).html
    shown = html.partition('aria-label="Standings table"')[2].partition("</table>")[0]
    assert "rated as <bdi>ann v3</bdi>" in shown
    assert ">ann v2<" not in shown
    below = html.partition('id="versions"')[2].partition("</table>")[0]
    assert all(f">{name}<" in below for name in ("ann", "ann v2", "ann v3"))
    data = document(event.records, background=event.background)
    ranked = data["standings"]["overall"]["rows"]
    assert [one["name"] for one in data["bots"]] == [row["name"] for row in ranked]
    (bot,) = [one for one in data["bots"] if one["name"] == "ann"]
    assert sum(one["wins"] + one["draws"] + one["losses"] for one in bot["opponents"]) == 18
    assert sum(one["points"] for one in data["versions"]) == mine.points


def test_points_decide_where_all_have_played_as_often_whatever_ratings_say() -> None:
    for bots in (3, 4):
        rows = held("round-robin", bots=bots, rounds=1, seed=5).standings.overall.rows
        first, second, *_ = rows
        assert first.points > second.points
        # The rating is careful about who won more: it has the other one first.
        assert first.strength.trueskill.exposed < second.strength.trueskill.exposed
    even = [bare(one, other, "1-0") for _ in range(3) for one, other in combinations(NAMES[:4], 2)]
    late = [*even, bare("eve", "ann", "1-0")]
    rules = [compute(records).overall.rule for records in (even, even[1:], late)]
    assert rules == ["points", "score", "rating"]
    going_on = Background(outcome=EventOutcome(format="round-robin", done=4, total=36)).ranked
    assert compute(even[:4], going_on).overall.rule == "score"


def test_a_challenger_is_on_the_podium_however_it_did() -> None:
    results = ("mine ann 0-1", "mine bob 0-1", "mine cat 1/2-1/2", "mine dan 1-0")
    games = [bare(*game.split()) for game in results for _ in range(2)]
    data = {"gauntlet": {"challengers": ["mine"], "opponents": ["ann", "bob", "cat", "dan"]}}
    background = Background(outcome=EventOutcome(format="gauntlet", done=8, total=8, data=data))
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
