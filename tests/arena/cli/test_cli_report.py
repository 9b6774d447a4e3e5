"""`arena report`: what it writes and says, where, over what, its data, its templates, refusals."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import jsonschema
import pytest
from commands import arena, refusals
from PIL import Image
from places import page_text
from quick_runs import play_nothing
from results import a_config
from sample_records import tournament

from lath.arena.directory import DATABASE
from lath.arena.machine.system import HeldFolder
from lath.arena.tournament.run import results
from lath.notation.text.writer import format_record
from lath.reports.page import document as data_of_page
from lath.reports.page.page import TEMPLATES, names

if TYPE_CHECKING:
    from golden import Golden

RECORDS: Final = tournament(("ann", "bob"), 1, game_ids=("yavalath", "surikata"))
RUN: Final = ("run", "--bot", "greedy", "--bot", "random", "--game", "yavalath", "--rounds", "1")
DATABASES: Final = (DATABASE, "games.lath", "outcome.json")


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "records" / "games.lath"
    path.parent.mkdir()
    path.write_text("\n".join(map(format_record, RECORDS)), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def listed(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def read(name: str = "report.html") -> str:
    return Path(name).read_text(encoding="utf-8")


# page and data


def test_a_page_is_written_where_it_is_wanted(records: Path, here: Path) -> None:
    ran = arena("report", records)
    assert (ran.status, ran.out) == (0, "")
    assert re.fullmatch(r"report\.html: 4 games, \d+ kB\n", ran.err)
    assert listed(here) == ["report.html"]
    piped = arena("report", records, "-o", "-")
    assert (piped.out, piped.err) == (read(), "")
    assert arena("report", records, "-o", "page.html", "--title", "A <b>").status == 0
    assert "<h1><bdi>A &lt;b&gt;</bdi></h1>" in read("page.html")
    assert arena("report", records, "-o", "/dev/null", "--data", "/dev/null").status == 0


def test_a_page_whose_address_is_known_is_a_card_with_a_picture_of_its_first_game(
    records: Path, here: Path
) -> None:
    assert arena("report", records, "-o", "a b.html").status == 0
    assert "og:title" not in read("a b.html")
    address = "https://example.org/x"
    assert arena("report", records, "-o", "a b.html", "--base-url", address).status == 0
    tags = r'<meta (?:property|name)="([^"]+)" content="([^"]*)">'
    meta = dict(re.findall(tags, read("a b.html")))
    assert meta["description"] == meta["og:description"]
    assert meta["og:title"] == "Sample"
    assert (meta["og:url"], meta["og:image"]) == (f"{address}/a%20b.html", f"{address}/a%20b.png")
    first = data_of_page.document(RECORDS)["showpiece"]
    assert first is not None
    assert meta["og:image:alt"].startswith(f"{first['title']}: ")
    image = Image.open(io.BytesIO(Path("a b.png").read_bytes()))
    assert (image.format, image.width) == ("PNG", 800)
    assert listed(here) == ["a b.html", "a b.png"]


def test_the_data_keep_their_schema_and_come_with_a_page_where_both_are_asked_for(
    records: Path, here: Path
) -> None:
    schema = json.loads(arena("schema", "report").out)
    ran = arena("report", records, "--data", "-")
    told = json.loads(ran.out)
    jsonschema.Draft202012Validator(schema).validate(told)
    assert (ran.status, ran.err, listed(here)) == (0, "", [])
    assert told["facts"]["records"] == len(RECORDS)
    ran = arena("report", records, "--data", "data.json", "-o", "page.html")
    assert (ran.status, listed(here)) == (0, ["data.json", "page.html"])
    assert re.search(r"^data\.json: 4 games, \d+ kB$", ran.err, re.MULTILINE)
    page, data = read("page.html"), json.loads(read("data.json"))
    text = records.read_text(encoding="utf-8")
    ran = arena("report", "-", "--data", "data.json", "-o", "page.html", stdin=text)
    assert (ran.status, read("page.html"), json.loads(read("data.json"))) == (0, page, data)


def test_without_games_the_page_says_so_and_has_the_name_of_its_event() -> None:
    Path("empty.lath").write_text("")
    ran = arena("report", "empty.lath", "--data", "data.json", "-o", "report.html")
    assert (ran.status, ran.err.splitlines()[0]) == (0, "no games in empty.lath: the page says so")
    assert "No game has been played yet." in read()
    assert json.loads(read("data.json"))["facts"]["records"] == 0
    Path("cup").mkdir()
    Path("cup/games.lath").write_text("")
    Path("cup/tournament.toml").write_text('event = "Cup & more"\n')
    assert arena("report", "cup").status == 0
    assert "<h1><bdi>Cup &amp; more</bdi></h1>" in read()


# templates


def test_our_templates_are_copied_to_begin_from_and_make_the_same_page(records: Path) -> None:
    ran = arena("report", "--copy-templates", "mine")
    assert (ran.status, ran.err) == (0, f"mine: {len(names())} templates copied\n")
    ours = Path("mine/page.html.j2")
    assert ours.read_bytes() == (TEMPLATES / "page.html.j2").read_bytes()
    assert arena("report", records, "-o", "ours.html").status == 0
    assert arena("report", records, "-o", "mine.html", "--templates", "mine").status == 0
    assert read("mine.html") == read("ours.html")
    ours.write_text("mine")
    ran = arena("report", "--copy-templates", "mine")
    assert ran.status == 0
    assert ran.err.endswith(f"unchanged: {', '.join(sorted(names()))}\n")
    assert ours.read_text() == "mine"


def mine(name: str, text: str | bytes) -> None:
    """Write a template of the user's."""
    path = Path("mine") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def test_a_users_file_comes_before_ours_and_that_of_the_docs_makes_a_page(records: Path) -> None:
    mine("css/base.css", "body { color: rebeccapurple }\n")
    mine("sections/facts.html.j2", "<p>Here stands {{ document.title }}.</p>\n")
    assert arena("report", records, "--templates", "mine").status == 0
    assert "body { color: rebeccapurple }" in read()
    assert "<p>Here stands Sample.</p>" in read()
    page = page_text("report")
    (template,) = re.findall(r"^```jinja\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    mine("sections/facts.html.j2", template)
    ran = arena("report", records, "--templates", "mine")
    assert ran.status == 0, ran.err
    assert "4 games of 2 bots, hosted by the <strong>Abstract Games Club</strong>" in read()
    mine("sections/facts.html.j2", template.replace("rows[0].name", "rows[0].title"))
    assert arena("report", records, "--templates", "mine").err in page


FAULTS: Final[dict[str, str | bytes]] = {
    "a block that is not closed": "\n{% if 1 %}\n",
    "an unknown tag": "a\n{% frob %}",
    "an unknown filter": "{{ 1|frob }}",
    "an unknown name": "\n\n{{ frob }}",
    "an unknown field": "{{ document.frob }}",
    "a sum that cannot be": "\n{{ 1 + 'a' }}",
    "a division by zero": "{{ 1 // 0 }}",
    "a template that is not there": "{% include 'frob.j2' %}",
    "letters of another encoding": b"caf\xe9",
}


def test_what_is_wrong_in_a_template_is_told_with_its_place(golden: Golden) -> None:
    as_it_was = "<!DOCTYPE html><p>As it was.</p>"
    Path("report.html").write_text(as_it_was)
    Path("short.lath").write_text('[Game "yavalath"]\n\n1. e5 *\n')
    said = {}
    for fault, text in FAULTS.items():
        mine("sections/facts.html.j2", text)
        command = "report short.lath --templates mine -o report.html"
        (said[fault],) = refusals([command], 1).values()
        assert said[fault].count("\n") == 1
    assert read() == as_it_was
    golden(said)


# wrong usage


WRONG: Final = (
    *("report", "report x -o - --data -", "report x -o a.html --data ./a.html"),
    *("report x --watch -o -", "report - --watch", "report x --watch 0", "report x --watch=often"),
    *("report x --base-url example.org", "report x.lath", "report ../records --templates nowhere"),
    *("report ../records --templates none", "report --copy-templates none/pages.html.j2"),
)


def test_wrong_usage_is_told_of(records: Path, here: Path, golden: Golden) -> None:
    (here / "none").mkdir()
    (here / "none" / "pages.html.j2").write_text("")
    golden(refusals(WRONG))
    assert listed(here) == ["none"]
    before = records.read_bytes()
    (here / "link.lath").symlink_to(records)
    for option in ("-o", "--data"):
        for path in (records, here / "link.lath"):
            for source in (records, records.parent):
                ran = arena("report", source, option, path)
                assert (ran.status, "this is a SOURCE" in ran.err) == (2, True)
    assert records.read_bytes() == before


# what lies there already


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a tournament that `arena run` has chosen itself."""
    home = tmp_path_factory.mktemp("played")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        play_nothing(patch)
        ran = arena(*RUN, "-q")
    assert ran.status == 0, ran.err
    (made,) = home.iterdir()
    return made


@pytest.fixture
def league(played: Path, here: Path) -> Path:
    """Return a folder with two tournaments."""
    for name in ("one", "two"):
        shutil.copytree(played, here / "league" / name)
    return here / "league"


def test_a_run_writes_what_the_documents_say_and_over_nothing_that_no_run_has_written(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"outcome.json", "standings.json", "standings.csv", "report.html", "tournament.toml"}
    others = {"tournament.db", "tournament.lock", "games.lath", "logs"}
    assert (played.name, {path.name for path in played.iterdir()}) == ("tournament", files | others)
    play_nothing(monkeypatch)
    for name in (*sorted(files), "logs/game-7.log", "games.lath"):
        path = Path(f"out {name.replace('/', ' ')}", name)
        path.parent.mkdir(parents=True)
        text = '[Game "yavalath"]\n\n1. e5 *\n' if name == "games.lath" else "mine"
        path.write_text(text)
        ran = arena(*RUN, "-q", "--output", path.parts[0])
        assert ran.status in (1, 2), name
        assert f"error: {path}: " in ran.err
        assert path.read_text() == text
    shutil.copytree(played, "again")
    assert arena("run", "again", "--rounds", "2", "-q").status == 0


def test_report_writes_report_html_and_the_page_of_a_folder_into_it(
    league: Path, here: Path
) -> None:
    for _ in range(2):  # its own pages it writes anew
        assert arena("report", "league/one").status == 0
        assert listed(here) == ["league", "report.html"]
        assert arena("report", "league").status == 0
        assert listed(league) == ["index.html", "one", "two"]
    page, mark = read(), '<meta name="generator" content="lath-arena report">\n'
    assert page.count(mark) == 1
    Path("report.html").write_text(page.replace(mark, ""))
    assert arena("report", "league/one").status == 0, "a page of a former version is ours too"
    assert read() == page
    for source, place in ("league/one", "report.html"), ("league", "league/index.html"):
        for text in ("mine", '<meta name="generator" content="lath-arena other">', ""):
            Path(place).write_text(text)
            ran = arena("report", source)
            assert ran.status == 2
            assert re.search(f"{place}: already exists and was not written by arena", ran.err)
            assert "hint: --force overwrites it" in ran.err
            assert read(place) == text
        Path(place).write_text("mine")
        assert (arena("report", source, "-o", place).status, read(place)) == (2, "mine")
        assert arena("report", source, "-o", place, "--force").status == 0
        assert arena("report", source).status == 0


def test_the_reports_of_a_league_are_written_over_nothing_else(league: Path) -> None:
    mine = league / "one" / "report.html"
    mine.write_text("mine")
    newer = (league / "one" / "games.lath").stat().st_mtime + 100
    for name in DATABASES:
        os.utime(league / "one" / name, (newer, newer))
    ran = arena("report", "league")
    assert "warning: league/one: no report was written: league/one/report.html" in ran.err
    assert mine.read_text() == "mine"


def test_what_prints_writes_no_file(league: Path, here: Path) -> None:
    before = set(here.rglob("*"))
    assert league.is_dir()
    for words in (
        *("rate league/one", "stats league/one/games.lath", "schema config", "check league/one"),
        *("select league/one/games.lath", "bot log league/one", "show league/one/games.lath"),
    ):
        assert arena(*words.split()).status == 0, words
    assert set(here.rglob("*")) == before


# what a run leaves


def test_a_report_that_cannot_be_made_costs_nothing_else(
    records: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from lath.arena.cli.ending import print_end
    from lath.arena.tournament.run.progress import Progress, RunSummary
    from lath.reports.page import page

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a plugin's game")

    monkeypatch.setattr(page, "render", broken)
    summary = RunSummary(done=4, total=4, stopped={}, interrupted=False)
    with closing(HeldFolder(records.parent)) as home:
        told = results.published(home, summary)
    assert isinstance(told.unreported, ZeroDivisionError)
    assert told.standings is not None
    assert {"standings.json", "standings.csv"} <= set(listed(records.parent))
    assert not (records.parent / "report.html").exists()
    assert print_end(told, Progress(a_config()), Path("my cup"), quiet=True) == 4
    assert capsys.readouterr().err == (
        "error: my cup/report.html: could not be written, but all games are kept: a plugin's game\n"
        "hint: arena report 'my cup' -o 'my cup/report.html'\n"
    )
