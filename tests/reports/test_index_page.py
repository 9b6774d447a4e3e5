"""A folder of tournaments: what is found in it, and the page that shows them all."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import jsonschema
from commands import arena
from sample_records import HOSTILE_NAMES, bare, random_game, tournament, with_tags

from lath.arena.tournament.pages import collect, needs_report
from lath.arena.tournament.sources import is_collection, tournaments_in, write_outcome
from lath.arena.tournament.store import Store
from lath.notation.record import Record
from lath.notation.writer import format_record
from lath.reports.export import to_json
from lath.reports.outcome import Outcome
from lath.reports.page import index as data_of_index
from lath.reports.page.index import Collector, render
from lath.reports.standings import compute

HOSTILE_FOLDERS = (
    "a b",
    "100% #1?",
    "<script>alert(1)<|script>",
    "\"'><img src=x onerror=alert(2)>",
    "javascript:alert(3)",
    "ÄÖ 日本",
    "-o ..",
    "new\nline",
)


def put(folder: Path, records: Sequence[Record], outcome: Outcome | None = None) -> Path:
    """Make a tournament's directory of records."""
    folder.mkdir(parents=True)
    text = "\n".join(map(format_record, records))
    (folder / "games.lath").write_text(text, encoding="utf-8")
    if outcome is not None:
        write_outcome(folder, outcome)
    return folder


def on(date: str, *records: Record) -> list[Record]:
    return [with_tags(record, Date=date) for record in records]


ENDED = {"Termination": "adjudication"}

GAMES = tuple(tournament(("ann", "bob"), 1, game_ids=("yavalath", "surikata")))


class Page(HTMLParser):
    """The links, ids and cells of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.tags.append(tag)
        self.links += [told["href"] or ""] if "href" in told else []
        self.ids += [told["id"] or ""] if "id" in told else []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def written(folder: Path) -> Page:
    return Page((folder / "index.html").read_text(encoding="utf-8"))


def reports_of(page: Page) -> Iterator[str]:
    return (link for link in page.links if not link.startswith(("#", "data:")))


# what is found


def test_tournaments_are_found_up_to_three_folders_deep(tmp_path: Path) -> None:
    expected = [put(tmp_path / name, GAMES) for name in ("a", "b/c", "b/d/e")]
    put(tmp_path / "b/d/f/g", GAMES)
    put(tmp_path / ".hidden", GAMES)
    put(tmp_path / "a" / "within", GAMES)
    (tmp_path / "empty").mkdir()
    os.symlink(tmp_path / "b", tmp_path / "link")  # noqa: PTH211
    assert tournaments_in(tmp_path) == tuple(expected)
    assert is_collection(tmp_path)
    assert not is_collection(tmp_path / "a"), "it is a tournament"
    assert not is_collection(tmp_path / "empty")
    assert not is_collection(tmp_path / "nowhere")


def test_a_report_is_needed_where_it_is_missing_or_older_than_the_games(tmp_path: Path) -> None:
    folder = put(tmp_path / "cup", GAMES)
    assert needs_report(folder)
    (folder / "report.html").write_text("")
    os.utime(folder / "games.lath", (1000, 1000))
    assert not needs_report(folder)
    os.utime(folder / "report.html", (999, 999))
    assert needs_report(folder)


def test_what_is_being_played_and_has_no_games_yet_is_listed(tmp_path: Path) -> None:
    put(tmp_path / "cup", GAMES)
    (tmp_path / "now").mkdir()
    store = Store(tmp_path / "now")
    try:
        told, _ = collect(tmp_path, tournaments_in(tmp_path), tmp_path)
    finally:
        store.close()
    assert [(one["name"], one["is_playing"]) for one in told["tournaments"]] == [
        ("cup", False),
        ("now", True),
    ]


# what is told


def test_the_data_keeps_its_schema(tmp_path: Path) -> None:
    outcome = Outcome(format="swiss", event="Cup", done=4, total=6, verdict="Winner: ann")
    put(tmp_path / "cup", GAMES, outcome)
    put(tmp_path / "other", [bare("ann", "bob", "*", Termination="void")])
    told, _ = collect(tmp_path, tournaments_in(tmp_path), tmp_path)
    jsonschema.validate(told, data_of_index.schema())
    jsonschema.validate(Collector().document(), data_of_index.schema())
    (cup, other) = told["tournaments"]
    assert (cup["title"], cup["verdict"], cup["done"], cup["total"]) == ("Cup", "Winner: ann", 4, 6)
    assert (other["title"], other["leaders"]) == ("other", [])


def test_ratings_are_those_of_all_games_together(tmp_path: Path) -> None:
    more = tournament(("bob", "cat"), 2, game_ids=("manalath",))
    put(tmp_path / "a", GAMES)
    put(tmp_path / "b", more)
    told, _ = collect(tmp_path, tournaments_in(tmp_path), tmp_path)
    assert told["standings"] == to_json(compute([*GAMES, *more]))
    assert told["facts"]["records"] == len(GAMES) + len(more)


def test_the_leader_of_a_tournament_has_the_most_points(tmp_path: Path) -> None:
    results = ("1-0", "1/2-1/2", "0-1")
    put(tmp_path / "a", [bare("ann", "bob", result, **ENDED) for result in results])
    put(tmp_path / "b", [bare("ann", "bob", result, **ENDED) for result in results[:2]])
    told, _ = collect(tmp_path, tournaments_in(tmp_path), tmp_path)
    even, led = told["tournaments"]
    assert (even["leaders"], even["points"], even["of"]) == (["ann", "bob"], 1.5, 3)
    assert (led["leaders"], led["points"], led["of"]) == (["ann"], 1.5, 2)


def test_the_newest_tournament_comes_first_and_one_without_a_date_last(tmp_path: Path) -> None:
    put(tmp_path / "a", GAMES)
    put(tmp_path / "b", on("2025-05-01", *GAMES))
    put(tmp_path / "c", [*on("2026-01-01", GAMES[0]), *on("2026-03-01", GAMES[1])])
    put(tmp_path / "d", on("2026-03-01", *GAMES))
    told, _ = collect(tmp_path, tournaments_in(tmp_path), tmp_path)
    assert [one["name"] for one in told["tournaments"]] == ["d", "c", "b", "a"]


def test_the_order_in_which_folders_are_found_changes_nothing(tmp_path: Path) -> None:
    for name in ("x", "y", "z"):
        put(tmp_path / name, on("2026-01-01", *GAMES))
    found = tournaments_in(tmp_path)
    one, other = (collect(tmp_path, order, tmp_path)[0] for order in (found, found[::-1]))
    assert one["tournaments"] == other["tournaments"]
    rows, same = (render(collection).html for collection in (one, other))
    assert rows == same


# the page


def test_the_command_writes_index_and_reports_and_says_so(tmp_path: Path) -> None:
    put(tmp_path / "cup", GAMES)
    ran = arena("report", tmp_path)
    assert (ran.status, ran.out) == (0, "")
    lines = [re.sub(r"\d+ kB", "N kB", line) for line in ran.err.splitlines()]
    assert lines == [
        f"{tmp_path}/cup/report.html: 4 games, N kB",
        f"{tmp_path}/index.html: 4 games, N kB",
    ]
    first = (tmp_path / "index.html").read_bytes()
    again = arena("report", tmp_path, "--title", "All <of> them")
    assert again.err.count("report.html") == 0, "its report is not older than its games"
    assert (tmp_path / "index.html").read_bytes() != first
    assert "All &lt;of&gt; them" in (tmp_path / "index.html").read_text()


def test_every_link_leads_somewhere_whatever_folders_are_called(tmp_path: Path) -> None:
    for name in HOSTILE_FOLDERS:
        put(tmp_path / name, GAMES[:1])
    assert arena("report", tmp_path).status == 0
    page = written(tmp_path)
    assert len(page.ids) == len(set(page.ids))
    inner = {link[1:] for link in page.links if link.startswith("#")}
    assert inner <= {*page.ids}
    reports = list(reports_of(page))
    assert len(reports) == len(HOSTILE_FOLDERS)
    for link in reports:
        assert urlsplit(link).scheme == ""
        assert (tmp_path / unquote(urlsplit(link).path)).is_file()


def test_names_of_folders_bots_and_events_are_only_text(tmp_path: Path) -> None:
    for name in HOSTILE_FOLDERS:
        bad = HOSTILE_NAMES[0]
        put(tmp_path / name, [random_game("yavalath", 1, first=bad, second="x", Event=bad)])
    assert arena("report", tmp_path, "--no-reports").status == 0
    page = written(tmp_path)
    assert (page.tags.count("script"), page.tags.count("img")) == (1, 0)
    assert set(HOSTILE_FOLDERS[:4]) <= set(page.texts)


def test_a_page_elsewhere_links_to_the_reports_where_they_are(tmp_path: Path) -> None:
    put(tmp_path / "all" / "cup", GAMES)
    (tmp_path / "site").mkdir()
    assert arena("report", tmp_path / "all", "-o", tmp_path / "site" / "x.html").status == 0
    (link,) = reports_of(Page((tmp_path / "site" / "x.html").read_text()))
    assert link == "./../all/cup/report.html"


def test_without_reports_nothing_else_is_written_or_linked_to(tmp_path: Path) -> None:
    folder = put(tmp_path / "cup", GAMES)
    assert arena("report", tmp_path, "--no-reports").status == 0
    assert [path.name for path in folder.iterdir()] == ["games.lath"]
    assert list(reports_of(written(tmp_path))) == []


def test_a_tournament_that_nobody_may_write_to_keeps_no_other_from_the_index(
    tmp_path: Path,
) -> None:
    folder = put(tmp_path / "cup", GAMES)
    put(tmp_path / "other", GAMES)
    (folder / "report.html").mkdir()
    (folder / "report.html" / "x").write_text("")
    ran = arena("report", tmp_path)
    assert ran.status == 0
    assert f"warning: no report of {folder}: " in ran.err
    assert len(list(reports_of(written(tmp_path)))) == 1


def test_a_damaged_tournament_keeps_no_other_from_the_index(tmp_path: Path) -> None:
    put(tmp_path / "cup", GAMES)
    folders = put(tmp_path / "a damaged one", GAMES), put(tmp_path / "damaged", GAMES)
    for folder in folders:
        (folder / "tournament.db").write_bytes(b"no database" * 99)
        (folder / "games.lath").unlink()
    ran = arena("report", tmp_path, "--no-reports")
    assert ran.status == 1
    for folder in folders:
        assert f"{folder} is not in {tmp_path / 'index.html'}: " in ran.err
    assert ran.err.startswith(f"{tmp_path / 'index.html'}: {len(GAMES)} games, ")


def test_an_index_is_not_written_to_standard_output(tmp_path: Path) -> None:
    put(tmp_path / "cup", GAMES)
    ran = arena("report", tmp_path, "-o", "-")
    assert ran.status == 2
    assert ran.err.startswith("arena: ")


def test_the_same_tournaments_give_the_same_bytes(tmp_path: Path) -> None:
    pages = []
    for name in ("one", "two"):
        put(tmp_path / name / "cup", on("2026-01-01", *GAMES))
        assert arena("report", tmp_path / name).status == 0
        pages.append((tmp_path / name / "index.html").read_bytes())
    assert pages[0] == pages[1]
    assert json.dumps(str(tmp_path)).encode() not in pages[0]
