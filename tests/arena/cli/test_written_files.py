"""Where commands write that nobody names a file for, and what they never write over."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from commands import arena
from quick_runs import play_nothing

from lath.arena.tournament.database import DATABASE

RUN = ("run", "--bot", "greedy", "--bot", "random", "--game", "yavalath", "--rounds", "1", "-q")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a tournament that `arena run` has chosen itself."""
    home = tmp_path_factory.mktemp("played")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        play_nothing(patch)
        ran = arena(*RUN)
    assert ran.status == 0, ran.err
    (made,) = home.iterdir()
    return made


@pytest.fixture
def home(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which commands are typed; it holds two tournaments in `league`."""
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        shutil.copytree(played, tmp_path / "league" / name)
    return tmp_path


def test_a_run_writes_into_the_folder_tournament_what_the_documents_say(played: Path) -> None:
    assert played.name == "tournament"
    assert {path.name for path in played.iterdir()} == {
        *("tournament.toml", "tournament.db", "tournament.lock", "games.lath", "outcome.json"),
        *("standings.json", "standings.csv", "report.html", "logs"),
    }


@pytest.mark.parametrize(
    "name",
    [
        *("outcome.json", "standings.json", "standings.csv", "report.html", "tournament.toml"),
        *("logs/game-7.log", "games.lath"),
    ],
)
def test_a_run_writes_over_nothing_that_no_run_has_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    mine = tmp_path / "out" / name
    mine.parent.mkdir(parents=True)
    text = '[Game "yavalath"]\n\n1. e5 *\n' if name == "games.lath" else "mine"
    mine.write_text(text)
    ran = arena(*RUN, "--out", tmp_path / "out")
    assert ran.status in (1, 2)
    assert f"arena: {mine} " in ran.err
    assert mine.read_text() == text


def test_a_run_goes_on_over_what_a_run_has_written(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    assert arena("run", "league/one", "--rounds", "2", "-q").status == 0
    assert (home / "league" / "one" / DATABASE).is_file()


def test_report_writes_report_html_and_the_page_of_a_folder_into_it(home: Path) -> None:
    before = {path.name for path in home.iterdir()}
    assert arena("report", "league/one").status == 0
    assert {path.name for path in home.iterdir()} - before == {"report.html"}
    assert arena("report", "league").status == 0
    assert {path.name for path in (home / "league").iterdir()} == {"one", "two", "index.html"}
    for words in (("report", "league/two"), ("report", "league")):
        assert arena(*words).status == 0, "its own pages it writes anew"


@pytest.mark.parametrize(
    ("source", "place", "kind"),
    [("league/one", "report.html", "report"), ("league", "league/index.html", "index")],
)
def test_report_writes_over_nothing_that_it_has_not_written_unless_by_force(
    source: str, place: str, kind: str, home: Path
) -> None:
    for text in ("mine", '<meta name="generator" content="lath-arena other">', ""):
        (home / place).write_text(text)
        ran = arena("report", source)
        assert ran.status == 2
        assert f"{place} is there already, and no {kind} of ours" in ran.err
        assert "by -o, or --force replaces it" in ran.err
        assert (home / place).read_text() == text
    (home / place).write_text("mine")
    ran = arena("report", source, "-o", place)
    assert (ran.status, (home / place).read_text()) == (2, "mine")
    assert arena("report", source, "-o", place, "--force").status == 0
    assert arena("report", source).status == 0


def test_the_reports_of_a_league_are_written_over_nothing_else(home: Path) -> None:
    mine = home / "league" / "one" / "report.html"
    mine.write_text("mine")
    newer = (home / "league" / "one" / "games.lath").stat().st_mtime + 100
    for name in (DATABASE, "games.lath", "outcome.json"):
        os.utime(home / "league" / "one" / name, (newer, newer))
    ran = arena("report", "league")
    assert "warning: no report of league/one: league/one/report.html is there already" in ran.err
    assert mine.read_text() == "mine"


def test_a_page_of_a_former_version_is_ours_too(home: Path) -> None:
    assert arena("report", "league/one").status == 0
    page = (home / "report.html").read_text()
    mark = '<meta name="generator" content="lath-arena report">\n'
    assert page.count(mark) == 1
    (home / "report.html").write_text(page.replace(mark, ""))
    assert arena("report", "league/one").status == 0
    assert (home / "report.html").read_text() == page


def test_what_prints_writes_no_file(home: Path) -> None:
    before = set(home.rglob("*"))
    for words in (
        *(("rate", "league/one"), ("stats", "league/one/games.lath"), ("schema", "config")),
        *(
            ("select", "league/one/games.lath"),
            ("check", "league/one"),
            ("bot", "log", "league/one"),
        ),
        ("show", "league/one/games.lath"),
    ):
        assert arena(*words).status == 0, words
    assert set(home.rglob("*")) == before


def test_what_divides_an_archive_or_begins_a_folder_writes_over_nothing(home: Path) -> None:
    split = ("select", "league/one/games.lath", "--split", "first", "-o", "parts")
    assert arena(*split).status == 0
    again = arena(*split)
    assert again.status == 2
    assert "is there already; --force replaces it" in again.err
    assert arena(*split, "--force").status == 0
    assert arena("init", "new").status == 0
    (home / "new" / "mybot.py").write_text("mine")
    refused = arena("init", "new")
    assert (refused.status, "is there already" in refused.err) == (2, True)
    assert (home / "new" / "mybot.py").read_text() == "mine"
    sound = arena("check", "league/one", "--sound", "league/two")
    assert sound.status == 2, sound.err
    assert "league/two" in sound.err
