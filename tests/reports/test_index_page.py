"""A folder of tournaments: what is found in it, its data, and the page that shows them all."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest
from commands import arena
from sample_records import HOSTILE_NAMES, bare, random_game, tournament, with_tags

from lath.arena.publishing.pages import collect, needs_report
from lath.arena.tournament.outcome.directories import is_collection, tournaments_in
from lath.arena.tournament.outcome.notes import write_outcome
from lath.arena.tournament.store.store import Store
from lath.notation.record.record import Record
from lath.notation.text.writer import format_record
from lath.reports.counting.standings import compute
from lath.reports.event.export import to_json
from lath.reports.event.league import Event, league_of
from lath.reports.notes.outcome import EventOutcome
from lath.reports.page import index as data_of_index
from lath.reports.page.document import document
from lath.reports.page.index import Collector, render
from lath.reports.page.league import pages

EVIL = "<img src=x onerror=alert(1)>"

HOSTILE_FOLDERS = (
    *("a b", "100% #1?", "<script>alert(1)<|script>", "\"'><img src=x onerror=alert(2)>"),
    *("javascript:alert(3)", "ÄÖ 日本", "-o ..", "new\nline"),
)

GAMES = tuple(tournament(("ann", "bob"), 1, game_ids=("yavalath", "surikata")))

ENDED = {"Termination": "adjudication"}


def put(
    folder: Path, records: Sequence[Record] = GAMES, outcome: EventOutcome | None = None
) -> Path:
    """Make a tournament's directory of records."""
    folder.mkdir(parents=True)
    text = "\n".join(map(format_record, records))
    (folder / "games.lath").write_text(text, encoding="utf-8")
    if outcome is not None:
        write_outcome(folder, outcome)
    return folder


def on(date: str, *records: Record) -> list[Record]:
    return [with_tags(record, Date=date) for record in records]


def told_of(folder: Path) -> Any:
    told, _ = collect(folder, tournaments_in(folder), folder)
    return told


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))


class Page(HTMLParser):
    """The links, ids, tags and texts of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.html = path.read_text(encoding="utf-8")
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.tags.append(tag)
        self.links += [told["href"] or ""] if "href" in told else []
        self.ids += [told["id"] or ""] if "id" in told else []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def reports(self) -> list[str]:
        return [link for link in self.links if not link.startswith(("#", "data:"))]


# What is found


def test_tournaments_are_found_up_to_three_folders_deep(tmp_path: Path) -> None:
    expected = [put(tmp_path / name) for name in ("a", "b/c", "b/d/e")]
    for name in ("b/d/f/g", ".hidden", "a/within"):
        put(tmp_path / name)
    (tmp_path / "empty").mkdir()
    os.symlink(tmp_path / "b", tmp_path / "link")  # noqa: PTH211
    assert tournaments_in(tmp_path) == tuple(expected)
    collections = [is_collection(tmp_path / name) for name in (".", "a", "empty", "nowhere")]
    assert collections == [True, False, False, False], "a is a tournament"


def test_a_report_is_needed_where_it_is_missing_or_older_than_the_games(tmp_path: Path) -> None:
    folder = put(tmp_path / "cup")
    assert needs_report(folder)
    (folder / "report.html").write_text("")
    os.utime(folder / "games.lath", (1000, 1000))
    assert not needs_report(folder)
    os.utime(folder / "report.html", (999, 999))
    assert needs_report(folder)


# What is told


def test_the_data_are_those_of_all_games_together_the_newest_first(tmp_path: Path) -> None:
    results = ("1-0", "1/2-1/2", "0-1")
    more = tournament(("bob", "cat"), 2, game_ids=("manalath",))
    cup = EventOutcome(format="swiss", event="Cup", done=4, total=6, verdict="Winner: ann")
    put(tmp_path / "cup", on("2025-05-01", *GAMES), cup)
    put(tmp_path / "more", on("2026-03-01", *more))
    put(tmp_path / "both", [*on("2026-01-01", GAMES[0]), *on("2026-03-01", GAMES[1])])
    put(tmp_path / "even", [bare("ann", "bob", result, **ENDED) for result in results])
    put(tmp_path / "led", [bare("ann", "bob", result, **ENDED) for result in results[:2]])
    put(tmp_path / "void", [bare("ann", "bob", "*", Termination="void")])
    (tmp_path / "now").mkdir()
    store = Store(tmp_path / "now")
    try:
        told = told_of(tmp_path)
    finally:
        store.close()
    lines = {one["name"]: one for one in told["tournaments"]}
    assert list(lines) == ["more", "both", "cup", "even", "led", "now", "void"]
    assert [name for name, one in lines.items() if one["is_playing"]] == ["now"]
    facts = [lines["cup"][name] for name in ("title", "verdict", "done", "total")]
    assert facts == ["Cup", "Winner: ann", 4, 6]
    assert (lines["void"]["title"], lines["void"]["leaders"]) == ("void", [])
    leaders = [[lines[name][of] for of in ("leaders", "points", "of")] for name in ("even", "led")]
    assert leaders == [[["ann", "bob"], 1.5, 3], [["ann"], 1.5, 2]]
    jsonschema.validate(told, data_of_index.schema())
    jsonschema.validate(Collector().document(), data_of_index.schema())


def test_the_order_in_which_folders_are_found_changes_nothing(tmp_path: Path) -> None:
    more = tournament(("bob", "cat"), 2, game_ids=("manalath",))
    for name, games in {"x": GAMES, "y": more, "z": (bare("cat", "dan", "1-0", **ENDED),)}.items():
        put(tmp_path / name, games)
    found = tournaments_in(tmp_path)
    one, other = (collect(tmp_path, order, tmp_path)[0] for order in (found, found[::-1]))
    assert one["tournaments"] == other["tournaments"]
    assert render(one).html == render(other).html
    assert one["facts"]["records"] == len(GAMES) + len(more) + 1
    of_all = to_json(compute([*GAMES, *more, bare("cat", "dan", "1-0", **ENDED)]))
    assert one["standings"]["overall"]["rows"] == of_all["overall"]["rows"]


def test_a_league_ranks_only_bots_that_games_connect() -> None:
    def level(one: str, other: str) -> list[Record]:
        return [bare(*seats, "1/2-1/2") for seats in ((one, other), (other, one))]

    north = [*level("ann", "bob"), *level("bob", "cat"), *level("ann", "cat")]
    for joined in ([], level("ann", "x")):
        collector, events = Collector(), []
        cups = {"north": north, "south": [*[bare("x", "y", "1-0")] * 4, *joined]}
        for name, games in cups.items():
            collector.add(name, games, None, link=f"{name}.html")
            table = document(games)["standings"]["overall"]
            events.append(Event(title=name, link=f"{name}.html", date="", table=table))
        index = collector.document()
        league = league_of(events, index["standings"]["overall"])
        page = dict(pages(league, index))["index.html"].html
        assert [group[0].rank for group in league.groups] == [1] * (1 if joined else 2)
        for words in (
            "Group 2: 2 bots",
            "ratings and ranks of different groups are not comparable",
        ):
            assert (words in page) == (not joined)
        ranks = {entrant.name: entrant.rank for entrant in league.entrants}
        assert joined or ranks == {"ann": 1, "bob": 1, "cat": 1, "x": 1, "y": 2}


# The commands


def test_the_command_writes_index_and_reports_that_are_older_and_says_so(tmp_path: Path) -> None:
    put(tmp_path / "cup", on("2026-01-01", *GAMES))
    ran = arena("report", tmp_path)
    assert (ran.status, ran.out) == (0, "")
    assert [re.sub(r"\d+ kB", "N kB", line) for line in ran.err.splitlines()] == [
        f"{tmp_path}/cup/report.html: 4 games, N kB",
        f"{tmp_path}/index.html: 4 games, N kB",
    ]
    index = tmp_path / "index.html"
    first = index.read_bytes()
    again = arena("report", tmp_path, "--title", "All <of> them")
    assert again.err.count("report.html") == 0, "its report is not older than its games"
    assert "All &lt;of&gt; them" in index.read_text()
    assert "unreadable" not in index.read_text().split("<body>")[1], "nothing is left out"
    put(tmp_path / "twin" / "cup", on("2026-01-01", *GAMES))
    assert arena("report", tmp_path / "twin").status == 0
    assert (tmp_path / "twin" / "index.html").read_bytes() == first
    assert str(tmp_path).encode() not in first
    ran = arena("report", tmp_path, "-o", "-")
    assert (ran.status, ran.err.startswith("error: ")) == (2, True)


def test_whatever_folders_are_called_links_lead_there_and_names_are_only_text(
    tmp_path: Path,
) -> None:
    bad = HOSTILE_NAMES[0]
    for name in HOSTILE_FOLDERS:
        put(tmp_path / name, [random_game("yavalath", 1, first=bad, second="x", Event=bad)])
    assert arena("report", tmp_path).status == 0
    page = Page(tmp_path / "index.html")
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links if link.startswith("#")} <= {*page.ids}
    assert len(page.reports) == len(HOSTILE_FOLDERS)
    for link in page.reports:
        assert urlsplit(link).scheme == ""
        assert (tmp_path / unquote(urlsplit(link).path)).is_file()
    assert (page.tags.count("script"), page.tags.count("img")) == (1, 0)
    assert set(HOSTILE_FOLDERS[:4]) <= set(page.texts)


def test_data_and_page_go_where_they_are_wanted_and_over_no_tournament(tmp_path: Path) -> None:
    cup = put(tmp_path / "all" / "cup")
    ran = arena("report", tmp_path / "all", "--data", "-", "--title", "All")
    assert (ran.status, ran.err, files(tmp_path)) == (0, "", ["all/cup/games.lath"])
    told = json.loads(ran.out)
    jsonschema.validate(told, data_of_index.schema())
    assert (told["title"], told["facts"]["records"], told["unreadable"]) == ("All", len(GAMES), [])
    assert [one["name"] for one in told["tournaments"]] == ["cup"]
    assert json.loads(arena("schema", "index").out) == data_of_index.schema()
    for option in ("-o", "--data"):
        assert arena("report", tmp_path / "all", option, cup / "games.lath").status == 2
        assert files(tmp_path) == ["all/cup/games.lath"]
    page, data = tmp_path / "site" / "x.html", tmp_path / "data.json"
    page.parent.mkdir()
    assert arena("report", tmp_path / "all", "-o", page, "--no-reports").status == 0
    assert (files(cup), Page(page).reports) == (["games.lath"], [])
    assert arena("report", tmp_path / "all", "-o", page, "--data", data).status == 0
    links = [one["link"] for one in json.loads(data.read_text(encoding="utf-8"))["tournaments"]]
    assert links == Page(page).reports == ["./../all/cup/report.html"]
    # A tournament that nobody may write to keeps no other from the index.
    put(tmp_path / "all" / "other")
    (cup / "report.html").unlink()
    (cup / "report.html" / "x").mkdir(parents=True)
    ran = arena("report", tmp_path / "all")
    assert (ran.status, f"warning: {cup}: no report was written: " in ran.err) == (0, True)
    assert len(Page(tmp_path / "all" / "index.html").reports) == 1


# Tournaments that cannot be read


@pytest.fixture
def season(tmp_path: Path) -> Path:
    """A folder of a sound tournament, one with a torn record, and two that cannot be read."""
    put(tmp_path / "cup")
    torn = put(tmp_path / "torn") / "games.lath"
    text = torn.read_text(encoding="utf-8")
    torn.write_text(text[: len(text) // 2] + "{", encoding="utf-8")
    (put(tmp_path / "a" / EVIL) / "outcome.json").write_text("{")
    (put(tmp_path / "wiped") / "tournament.db").write_bytes(b"no database" * 99)
    return tmp_path


def test_what_cannot_be_read_is_left_out_with_the_reason(season: Path) -> None:
    ran = arena("report", season, "--data", "-")
    assert ran.status == 1
    told = json.loads(ran.out)
    jsonschema.validate(told, data_of_index.schema())
    no_database = "tournament.db: not a tournament: file is not a database"
    begin = {f"a/{EVIL}": "outcome.json: damaged: ", "wiped": no_database}
    reasons = {one["name"]: one["reason"] for one in told["unreadable"]}
    assert list(reasons) == list(begin), "by folder"
    for name, reason in reasons.items():
        assert reason.startswith(begin[name])
        assert [words for words in ("\n", str(season), "error[") if words in reason] == []
    assert f"{season / 'wiped'}: left out of -: " in ran.err
    (torn,) = told["standings"]["unsound"]
    assert (torn["reason"], torn["records"]) == ("syntax", 1)
    assert torn["first"][0].startswith("torn/games.lath:")
    assert {one["name"] for one in told["tournaments"]} == {"cup", "torn"}
    ran = arena("report", season, "--no-reports")
    assert ran.status == 1
    assert f"{season / 'wiped'}: left out of {season / 'index.html'}: " in ran.err
    page = Page(season / "index.html")
    section = page.html.partition('<section id="unreadable"')[2]
    assert "2 tournaments could not be read" in section
    assert no_database in section
    assert page.links.count("#unreadable") == 2, "in the contents and beside the counts"
    assert "1 invalid record is left out: syntax 1." in page.html
    assert "img" not in page.tags
    assert str(season) not in page.html
