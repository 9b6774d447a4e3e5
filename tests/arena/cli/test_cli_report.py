"""`arena report`: what it writes and says, its data, its templates, and what is wrong usage."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from commands import arena
from PIL import Image
from places import ROOT
from results import a_config
from sample_records import tournament

from lath.arena.tournament import folder as directory
from lath.arena.tournament.system import HeldFolder
from lath.notation.writer import format_record
from lath.reports.page import document as data_of_page
from lath.reports.page.page import TEMPLATES, names

RECORDS = tournament(("ann", "bob"), 1, game_ids=("yavalath", "surikata"))


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "games.lath"
    path.write_text("\n".join(map(format_record, RECORDS)), encoding="utf-8")
    return path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def listed(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# page and data


def test_a_page_is_written_where_it_is_wanted(records: Path, here: Path) -> None:
    ran = arena("report", records)
    assert (ran.status, ran.out) == (0, "")
    assert re.fullmatch(r"report\.html: 4 games, \d+ kB\n", ran.err)
    assert listed(here) == ["report.html"]
    assert arena("report", records, "-o", "page.html", "--title", "A <b>").status == 0
    assert "<h1><bdi>A &lt;b&gt;</bdi></h1>" in Path("page.html").read_text(encoding="utf-8")


def test_a_page_whose_address_is_known_is_a_card_with_a_picture_of_its_first_game(
    records: Path, here: Path
) -> None:
    assert arena("report", records, "-o", "a b.html").status == 0
    assert "og:title" not in Path("a b.html").read_text(encoding="utf-8")
    address = "https://example.org/x"
    assert arena("report", records, "-o", "a b.html", "--base-url", address).status == 0
    page = Path("a b.html").read_text(encoding="utf-8")
    meta = dict(re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">', page))
    assert meta["description"] == meta["og:description"]
    assert meta["og:title"] == "Sample"
    assert (meta["og:url"], meta["og:image"]) == (f"{address}/a%20b.html", f"{address}/a%20b.png")
    first = data_of_page.document(RECORDS)["showpiece"]
    assert first is not None
    assert meta["og:image:alt"].startswith(f"{first['title']}: ")
    image = Image.open(io.BytesIO(Path("a b.png").read_bytes()))
    assert (image.format, image.width) == ("PNG", 800)
    assert listed(here) == ["a b.html", "a b.png"]


def test_a_page_goes_to_standard_output(records: Path, here: Path) -> None:
    ran = arena("report", records, "-o", "-")
    assert arena("report", records).status == 0
    assert ran.out_bytes == Path("report.html").read_bytes()
    assert ran.err == ""


def test_the_data_keep_their_schema_and_come_without_a_page(records: Path, here: Path) -> None:
    ran = arena("report", records, "--data", "-")
    told = json.loads(ran.out)
    jsonschema.Draft202012Validator(data_of_page.schema()).validate(told)
    assert (ran.status, ran.err, listed(here)) == (0, "", [])
    assert told["facts"]["records"] == len(RECORDS)


def test_data_and_page_come_together_where_both_are_asked_for(records: Path, here: Path) -> None:
    ran = arena("report", records, "--data", "data.json", "-o", "page.html")
    assert ran.status == 0
    assert listed(here) == ["data.json", "page.html"]
    assert re.search(r"^data\.json: 4 games, \d+ kB$", ran.err, re.MULTILINE)


def test_records_from_standard_input_are_read_once(records: Path, here: Path) -> None:
    text = records.read_text(encoding="utf-8")
    ran = arena("report", "-", "--data", "data.json", "-o", "page.html", stdin=text)
    assert ran.status == 0, ran.err
    assert arena("report", records, "-o", "same.html").status == 0
    assert Path("page.html").read_bytes() == Path("same.html").read_bytes()
    assert json.loads(Path("data.json").read_text())["facts"]["records"] == len(RECORDS)


def test_the_schema_of_the_data_is_printed() -> None:
    assert json.loads(arena("schema", "report").out) == data_of_page.schema()


def test_the_docs_name_every_field_of_the_data() -> None:
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    table = page.split("| field | is |")[1]
    told = set(re.findall(r"`([a-z_0-9]+)`", table))
    own = dict(data_of_page.schema()["properties"])
    del own["standings"], own["outcome"]  # they have schemas of their own
    missing = {*data_of_page.schema()["properties"], *properties_of(own)} - told
    assert missing <= {"title", "game", *RESULTS}, missing


RESULTS = ("1-0", "1/2-1/2", "0-1", "*")


def properties_of(schema: Any) -> set[str]:
    """Return the names of all fields that are described."""
    if isinstance(schema, list):
        return set().union(*map(properties_of, schema))
    if not isinstance(schema, dict):
        return set()
    found = set(schema["properties"]) if isinstance(schema.get("properties"), dict) else set()
    return found.union(*map(properties_of, schema.values()))


def test_without_games_the_page_says_so(here: Path) -> None:
    Path("empty.lath").write_text("")
    ran = arena("report", "empty.lath", "--data", "data.json", "-o", "report.html")
    assert (ran.status, ran.err.splitlines()[0]) == (0, "no games in empty.lath: the page says so")
    assert "No game has been played yet." in Path("report.html").read_text()
    assert json.loads(Path("data.json").read_text())["facts"]["records"] == 0


def test_the_page_of_a_tournament_without_games_has_the_name_of_its_event(here: Path) -> None:
    Path("cup").mkdir()
    Path("cup/games.lath").write_text("")
    Path("cup/tournament.toml").write_text('event = "Cup & more"\n')
    assert arena("report", "cup").status == 0
    assert "<h1><bdi>Cup &amp; more</bdi></h1>" in Path("report.html").read_text()


# templates


def test_our_templates_are_copied_to_begin_from_and_make_the_same_page(
    records: Path, here: Path
) -> None:
    ran = arena("report", "--copy-templates", "mine")
    assert (ran.status, ran.err) == (0, f"mine: {len(names())} templates copied\n")
    assert Path("mine/page.html.j2").read_bytes() == (TEMPLATES / "page.html.j2").read_bytes()
    assert arena("report", records, "-o", "ours.html").status == 0
    assert arena("report", records, "-o", "mine.html", "--templates", "mine").status == 0
    assert Path("mine.html").read_bytes() == Path("ours.html").read_bytes()


def test_copying_templates_overwrites_nothing(here: Path) -> None:
    Path("mine").mkdir()
    Path("mine/page.html.j2").write_text("mine")
    ran = arena("report", "--copy-templates", "mine")
    assert ran.status == 0
    assert ran.err.endswith("left as they were: page.html.j2\n")
    assert Path("mine/page.html.j2").read_text() == "mine"
    blocked = arena("report", "--copy-templates", "mine/page.html.j2")
    assert blocked.status == 2
    assert "cannot be written" in blocked.err


def mine(name: str, text: str | bytes) -> Path:
    """Write a template of the user's, and return its folder."""
    path = Path("mine") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return Path("mine")


def test_a_users_file_comes_before_ours(records: Path, here: Path) -> None:
    mine("css/base.css", "body { color: rebeccapurple }\n")
    mine("sections/facts.html.j2", "<p>Here stands {{ document.title }}.</p>\n")
    assert arena("report", records, "--templates", "mine").status == 0
    html = Path("report.html").read_text(encoding="utf-8")
    assert "body { color: rebeccapurple }" in html
    assert "<p>Here stands Sample.</p>" in html


def test_the_template_of_the_docs_makes_a_page(records: Path, here: Path) -> None:
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    (template,) = re.findall(r"^```jinja\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    mine("sections/facts.html.j2", template)
    ran = arena("report", records, "--templates", "mine")
    assert ran.status == 0, ran.err
    html = Path("report.html").read_text(encoding="utf-8")
    assert "4 games of 2 bots, hosted by the <strong>Abstract Games Club</strong>" in html
    wrong = template.replace("rows[0].name", "rows[0].title")
    mine("sections/facts.html.j2", wrong)
    refused = arena("report", records, "--templates", "mine")
    assert refused.err in page


FAULTS: dict[str, tuple[str | bytes, str]] = {
    "a block that is not closed": ("\n{% if 1 %}\n", "2: Unexpected end of template"),
    "an unknown tag": ("a\n{% frob %}", "2: Encountered unknown tag 'frob'"),
    "an unknown filter": ("{{ 1|frob }}", "1: No filter named 'frob'"),
    "an unknown name": ("\n\n{{ frob }}", "3: 'frob' is undefined"),
    "an unknown field": ("{{ document.frob }}", "1: 'dict object' has no attribute 'frob'"),
    "a sum that cannot be": ("\n{{ 1 + 'a' }}", "2: unsupported operand type(s)"),
    "a division by zero": ("{{ 1 // 0 }}", "1: integer division or modulo by zero"),
    "a template that is not there": ("{% include 'frob.j2' %}", "1: there is no template frob.j2"),
    "letters of another encoding": (b"caf\xe9", " it is not UTF-8: "),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_in_a_template_is_told_with_its_place(
    fault: str, records: Path, here: Path
) -> None:
    text, told = FAULTS[fault]
    mine("sections/facts.html.j2", text)
    Path("report.html").write_text(AS_IT_WAS)
    ran = arena("report", records, "--templates", "mine", "-o", "report.html")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith(f"arena: mine/sections/facts.html.j2:{told}"), ran.err
    assert ran.err.count("\n") == 1
    assert Path("report.html").read_text() == AS_IT_WAS


AS_IT_WAS = "<!DOCTYPE html><p>As it was.</p>"


def test_a_folder_of_templates_that_is_none_is_wrong_usage(records: Path, here: Path) -> None:
    (here / "mine").mkdir()
    (here / "mine" / "pages.html.j2").write_text("")
    for folder, told in (("nowhere", "is no folder"), ("mine", "has no file of the name of one")):
        ran = arena("report", records, "--templates", folder)
        assert ran.status == 2
        assert told in ran.err


# wrong usage


@pytest.mark.parametrize("option", ["-o", "--data"])
@pytest.mark.parametrize("is_linked", [False, True])
def test_what_a_report_is_made_of_is_never_overwritten(
    records: Path, here: Path, option: str, is_linked: bool
) -> None:
    path = here / "link.lath" if is_linked else records
    if is_linked:
        path.symlink_to(records)
    before = records.read_bytes()
    for source in (records, records.parent):
        ran = arena("report", source, option, path)
        assert (ran.status, "would be overwritten" in ran.err) == (2, True)
    assert records.read_bytes() == before


def test_a_device_may_take_the_page_and_its_data(records: Path, here: Path) -> None:
    assert arena("report", records, "-o", "/dev/null", "--data", "/dev/null").status == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "expected a SOURCE"),
        (["x", "-o", "-", "--data", "-"], "cannot both be standard output"),
        (["x", "-o", "a.html", "--data", "./a.html"], "cannot both be the same file"),
        (["x", "--watch", "-o", "-"], "not standard output"),
        (["-", "--watch"], "not standard input"),
        (["x", "--watch", "0"], "'0', expected a number from 1 to 86400"),
        (["x", "--watch=often"], "'often', expected a number from 1 to 86400"),
        (["x", "--base-url", "example.org"], "expected http://… or https://…"),
        (["x.lath"], "x.lath cannot be read"),
    ],
)
def test_wrong_usage_is_told_of(words: list[str], told: str, here: Path) -> None:
    ran = arena("report", *words)
    assert ran.status == 2
    assert told in ran.err
    assert listed(here) == []


# what a run leaves


def test_a_report_that_cannot_be_made_costs_nothing_else(
    records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lath.arena.tournament.progress import Summary
    from lath.reports.page import page

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a plugin's game")

    monkeypatch.setattr(page, "render", broken)
    summary = Summary(done=4, total=4, stopped={}, interrupted=False)
    with HeldFolder(records.parent) as home:
        told = directory.published(home, summary)
    assert isinstance(told.unreported, ZeroDivisionError)
    assert told.standings is not None
    assert {"standings.json", "standings.csv"} <= set(listed(records.parent))
    assert not (records.parent / "report.html").exists()


def test_a_run_without_a_report_says_how_to_make_it_and_is_a_bug(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from lath.arena.cli.ending import print_end
    from lath.arena.tournament.progress import Progress, Summary

    error = ZeroDivisionError("a plugin's game")
    summary = Summary(done=4, total=4, stopped={}, interrupted=False, unreported=error)
    assert print_end(summary, Progress(a_config()), Path("my cup"), quiet=True) == 4
    assert capsys.readouterr().err == (
        "arena: all games are kept, but no report could be made: a plugin's game; "
        "try again with: arena report 'my cup' -o 'my cup/report.html'\n"
    )
