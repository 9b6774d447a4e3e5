"""The data of a folder of tournaments, and what is said of those that cannot be read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from commands import arena
from places import DOCS
from sample_records import tournament

from lath.notation.writer import format_record
from lath.reports.page import index as data_of_index
from lath.reports.page.index import Collector, Unreadable, render

GAMES = tournament(("ann", "bob"), 1, game_ids=("yavalath", "surikata"))
TEXT = "\n".join(map(format_record, GAMES))
PAGE = DOCS / "report.md"
EVIL = "<img src=x onerror=alert(1)>"


def put(folder: Path, text: str = TEXT) -> Path:
    """Make a tournament's directory."""
    folder.mkdir(parents=True)
    (folder / "games.lath").write_text(text, encoding="utf-8")
    return folder


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))


@pytest.fixture
def season(tmp_path: Path) -> Path:
    """A folder of a sound tournament, one with a torn record, and two that cannot be read."""
    put(tmp_path / "cup")
    put(tmp_path / "torn", TEXT[: len(TEXT) // 2] + "{")
    (put(tmp_path / "a" / EVIL) / "outcome.json").write_text("{")
    (put(tmp_path / "wiped") / "tournament.db").write_bytes(b"no database" * 99)
    return tmp_path


REASONS = {
    f"a/{EVIL}": "outcome.json is damaged: ",
    "wiped": "tournament.db is not a tournament: file is not a database",
}
"""How the reason begins, by folder."""


# the data


def test_the_data_of_an_index_keep_their_schema_and_come_without_a_page(tmp_path: Path) -> None:
    put(tmp_path / "cup")
    before = files(tmp_path)
    ran = arena("report", tmp_path, "--data", "-", "--title", "All")
    assert (ran.status, ran.err, files(tmp_path)) == (0, "", before)
    told = json.loads(ran.out)
    jsonschema.validate(told, data_of_index.schema())
    assert (told["title"], told["facts"]["records"], told["unreadable"]) == ("All", len(GAMES), [])
    assert [one["name"] for one in told["tournaments"]] == ["cup"]


def test_data_and_index_come_together_and_link_to_the_same_reports(tmp_path: Path) -> None:
    put(tmp_path / "all" / "cup")
    data, page = tmp_path / "data.json", tmp_path / "page.html"
    assert arena("report", tmp_path / "all", "--data", data, "-o", page).status == 0
    told = json.loads(data.read_text(encoding="utf-8"))
    assert [one["link"] for one in told["tournaments"]] == ["./all/cup/report.html"]
    assert 'href="./all/cup/report.html"' in page.read_text(encoding="utf-8")


def test_the_schema_of_an_index_is_printed_and_is_one() -> None:
    told = json.loads(arena("schema", "index").out)
    assert told == data_of_index.schema()
    jsonschema.Draft202012Validator.check_schema(told)


def test_the_docs_name_every_field_of_an_index() -> None:
    table = PAGE.read_text(encoding="utf-8").split("| field of an index | is |")[1]
    told = set(re.findall(r"`([a-z_]+)`", table.split("\n\n")[0]))
    whole = data_of_index.schema()
    inner: list[dict[str, Any]] = [
        whole["properties"][name]["items"] for name in ("tournaments", "unreadable")
    ]
    assert told >= {name for schema in (whole, *inner) for name in schema["properties"]}


@pytest.mark.parametrize("option", ["-o", "--data"])
def test_no_file_of_a_tournament_in_the_folder_is_overwritten(tmp_path: Path, option: str) -> None:
    cup = put(tmp_path / "cup")
    ran = arena("report", tmp_path, option, cup / "games.lath")
    assert (ran.status, files(tmp_path)) == (2, ["cup/games.lath"])
    assert (cup / "games.lath").read_text(encoding="utf-8") == TEXT


# tournaments that cannot be read


def test_the_data_say_which_tournaments_are_left_out_and_why(season: Path) -> None:
    ran = arena("report", season, "--data", "-")
    assert ran.status == 1
    told = json.loads(ran.out)
    jsonschema.validate(told, data_of_index.schema())
    reasons = {one["name"]: one["reason"] for one in told["unreadable"]}
    assert list(reasons) == list(REASONS), "by folder"
    assert all(reasons[name].startswith(beginning) for name, beginning in REASONS.items())
    assert f"{season / 'wiped'} is not in -: " in ran.err
    (torn,) = told["standings"]["unsound"]
    assert (torn["reason"], torn["records"]) == ("syntax", 1)
    assert torn["first"][0].startswith("torn/games.lath:")
    assert {one["name"] for one in told["tournaments"]} == {"cup", "torn"}


def test_reasons_are_a_line_without_where_the_folder_is(season: Path) -> None:
    told = json.loads(arena("report", season, "--data", "-").out)
    for one in told["unreadable"]:
        assert "\n" not in one["reason"]
        assert str(season) not in one["reason"]
        assert "error[" not in one["reason"]


def test_the_page_shows_what_is_left_out_as_text(season: Path) -> None:
    assert arena("report", season, "--no-reports").status == 1
    page = (season / "index.html").read_text(encoding="utf-8")
    section = page.partition('<section id="unreadable"')[2]
    assert "The files of 2 tournaments cannot be read" in section
    assert "&lt;img src=x onerror=alert(1)&gt;" in section
    assert "tournament.db is not a tournament: file is not a database" in section
    assert page.count('href="#unreadable"') == 2, "in the contents and beside the counts"
    assert "1 unsound record is left out: syntax 1." in page
    assert "<img" not in page
    assert str(season) not in page


def test_reasons_are_escaped() -> None:
    one = Unreadable(name="x", reason=EVIL)
    document = Collector().document()
    document["unreadable"] = [one]
    assert EVIL not in render(document).html
    assert "&lt;img" in render(document).html


def test_a_page_with_nothing_left_out_says_nothing_of_it(tmp_path: Path) -> None:
    put(tmp_path / "cup")
    assert arena("report", tmp_path, "--no-reports").status == 0
    assert (
        "unreadable" not in (tmp_path / "index.html").read_text(encoding="utf-8").split("<body>")[1]
    )
