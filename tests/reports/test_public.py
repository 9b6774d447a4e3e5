"""What is public has nothing of what is somebody's own, in whatever form it is written."""

from __future__ import annotations

import json
from pathlib import Path

import planted
import pytest
from commands import arena
from planted import pool, secret, secrets_below, secrets_in
from unpacking import data_in, unpacked

from lath.arena.tournament.outcome.sources import material_of
from lath.notation.record.record import Record
from lath.notation.text.writer import format_record
from lath.reports.counting.standings import Refused, compute
from lath.reports.event.public import public_background, public_records


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pool(tmp_path_factory.mktemp("league") / "lab")


def test_page_and_data_tell_nothing_that_is_somebodys_own(lab: Path, tmp_path: Path) -> None:
    page, data = tmp_path / "page.html", tmp_path / "page.json"

    def known(*words: str) -> set[str]:
        """Return the secrets in page, data and standard error of a report."""
        ran = arena("report", lab, "-o", page, "--data", data, *words)
        assert ran.status == 0, ran.err
        return secrets_below(tmp_path) | secrets_in(ran.out)

    assert known() > {
        *("command", "path", "configuration", "environment", "cwd", "hosts", "host", "site"),
        *("tag", "book", "info", "line", "stderr", "crash", "change", "file"),
    }
    assert known("--public") == set()
    (broken, *_) = unpacked(data_in(page.read_text()))
    assert "mine (second): ended before it answered at ply 4" in broken.said[0]


def test_an_index_tells_nothing_and_writes_reports_anew(lab: Path, tmp_path: Path) -> None:
    report, index = lab / "report.html", lab.parent / "index.html"
    assert arena("report", lab, "-o", report).status == 0
    assert secrets_in(report.read_text())
    data = tmp_path / "index.json"
    more = ("-o", index, "--data", data, "--public")
    assert arena("report", lab.parent, *more, "--no-reports").status == 0
    assert "report.html" not in index.read_text(), "it is not public"
    assert arena("report", lab.parent, *more).status == 0
    assert 'href="./lab/report.html"' in index.read_text()
    assert {path: secrets_in(path.read_text()) for path in (report, index, data)} == {
        path: set() for path in (report, index, data)
    }
    elsewhere = tmp_path / "elsewhere.html"
    assert arena("report", lab.parent, "-o", elsewhere, "--public").status == 0
    assert "report.html" not in elsewhere.read_text(), "the way there is a path"


def test_what_is_left_out_is_told_without_its_file_or_text(tmp_path: Path) -> None:
    games = tmp_path / f"{secret('path')}.lath"
    sound = format_record(planted.record(1, "ann", "bob"))
    wrong = f'[Game "yavalath"]\n[First "{secret("tag")}"]\n\n1. {secret("line")}\n'
    games.write_text(f"{sound}\n{wrong}")
    page = tmp_path / "page.html"
    assert arena("report", games, "-o", page).status == 1
    assert secrets_in(page.read_text()) >= {"path", "line"}
    assert arena("report", games, "-o", page, "--public").status == 1
    assert secrets_in(page.read_text()) == set()
    assert "1 invalid record is left out" in page.read_text()
    told = [
        Refused(f"/srv/{secret('path')}.lath:12", "syntax", "x"),
        Refused("lab/tournament.db: game 7", "illegal move", "x"),
        Refused("somewhere", "setup", "x"),
    ]
    assert list(public_records(told)) == [
        Refused("line 12", "syntax", "syntax"),
        Refused("game 7", "illegal move", "illegal move"),
        Refused("a record", "setup", "setup"),
    ]


def test_what_is_public_is_still_the_same_games_numbers_settings_and_machines(lab: Path) -> None:
    private, public = material_of([lab]), material_of([lab], public=True)
    ours, theirs = list(private.records), list(public.records)
    assert compute(theirs) == compute(ours)
    assert public_background(public.background) == public.background
    assert list(public_records(theirs)) == theirs
    assert public.background.rulings == private.background.rulings
    first = theirs[1]
    assert isinstance(first, Record)
    assert first.tag("Opening") == "book #4"
    (said,) = first.plies[0].comments
    assert list(map(str, said)) == [
        *("[%emt 0.250]", "[%eval 0.10]", "[%depth 2]", "[%pv e5]", "proven win in 3")
    ]
    told = json.dumps(public.background.to_json())
    words = ("512 MiB", "machine 1", "Another one", "A fast one", '"threads": 2', "A Bot")
    assert [each for each in words if each not in told] == []
    assert told.count("not shown") == 4
