"""Who shares a rank and who has one against whom: in tables, on the page, in leagues."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_records import bare

from lath.notation.record import Record
from lath.reports.export import to_csv, to_json
from lath.reports.league import Event, League, league_of
from lath.reports.page.document import document
from lath.reports.page.index import Collector
from lath.reports.page.league import pages
from lath.reports.page.page import render
from lath.reports.ratings.numerics import shared_ranks
from lath.reports.standings import compute


def level(*names: str) -> list[Record]:
    """Return a double round robin in which each game is drawn."""
    return [
        bare(first, second, "1/2-1/2")
        for one, other in combinations(names, 2)
        for first, second in ((one, other), (other, one))
    ]


@given(results=st.lists(st.sampled_from(["1-0", "1/2-1/2", "0-1"]), min_size=6, max_size=6))
def test_bots_share_a_rank_where_their_figures_are_equal_and_only_there(results: list[str]) -> None:
    pairs = combinations(("dan", "cat", "bob", "ann"), 2)
    games = [bare(*pair, result) for pair, result in zip(pairs, results, strict=True)]
    rows = compute(games).overall.rows
    figures = [row.points for row in rows]
    assert [row.rank for row in rows] == shared_ranks(figures)
    assert figures == sorted(figures, reverse=True)
    told = to_json(compute(games))
    lines = [line.split(",")[:3] for line in to_csv(told).splitlines()[1:] if line[0] == ","]
    assert [(line[1], line[2]) for line in lines] == [(str(row.rank), row.name) for row in rows]


def test_equals_are_first_together_on_the_page_and_each_has_a_place_of_its_own() -> None:
    page = render(level("dan", "cat", "bob", "ann")).html
    standings = page.partition('id="standings"')[2].partition("</table>")[0]
    assert re.findall(r'<td class="rank">(\d+)</td>', standings) == ["1"] * 4
    ids = re.findall(r'id="(bot-\d+)"', page)
    assert ids == ["bot-1", "bot-2", "bot-3", "bot-4"]
    assert set(re.findall(r'href="#(bot-\d+)"', page)) == {*ids}


@pytest.mark.parametrize("connected", [False, True])
def test_a_league_ranks_only_bots_that_games_connect(connected: bool) -> None:
    cups = {"north": level("ann", "bob", "cat"), "south": [bare("x", "y", "1-0")] * 4}
    if connected:
        cups["south"] += level("ann", "x")
    league, page = of_league(cups)
    assert len(league.groups) == (1 if connected else 2)
    for group in league.groups:
        assert group[0].rank == 1
    ranks = {entrant.name: entrant.rank for entrant in league.entrants}
    assert ("Group 2: 2 bots" in page) is not connected
    assert ("neither ratings nor ranks compare" in page) is not connected
    if not connected:
        assert ranks == {"ann": 1, "bob": 1, "cat": 1, "x": 1, "y": 2}


def of_league(cups: Mapping[str, Iterable[Record]]) -> tuple[League, str]:
    collector, events = Collector(), []
    for name, records in cups.items():
        games = [*records]
        collector.add(name, games, None, link=f"{name}.html")
        table = document(games)["standings"]["overall"]
        events.append(Event(title=name, link=f"{name}.html", date="", table=table))
    index = collector.document()
    league = league_of(events, index["standings"]["overall"])
    return league, dict(pages(league, index))["index.html"].html
