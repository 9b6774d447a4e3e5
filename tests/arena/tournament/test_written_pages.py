"""A report on disk: the page and the files beside it belong together, whatever was there before."""

from __future__ import annotations

from pathlib import Path

import pytest

from lath.arena.tournament.outputs import shard_folder, write_page
from lath.reports.page.page import Page

ONE, TWO = "report-games/001-ab12cd34.js", "report-games/002-0123abcd.js"

LONG = Page("long", {ONE: "one", TWO: "two"})


def files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_short_page_is_one_file(tmp_path: Path) -> None:
    written = write_page(tmp_path / "report.html", Page("höchst"))
    assert files(tmp_path) == {"report.html": "höchst"}
    assert (written.page_bytes, written.shards, written.folder) == (7, 0, None)


def test_the_files_of_a_long_page_stand_beside_it(tmp_path: Path) -> None:
    written = write_page(tmp_path / "report.html", LONG)
    assert files(tmp_path) == {
        ONE: "one",
        TWO: "two",
        "report.html": "long",
    }
    assert (written.shards, written.shard_bytes) == (2, 6)


def test_what_a_longer_page_has_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    write_page(tmp_path / "report.html", LONG)
    (tmp_path / "report-games" / "mine.js").write_text("mine")
    write_page(tmp_path / "report.html", Page("less", {ONE: "one"}))
    write_page(tmp_path / "report.html", Page("short"))
    assert files(tmp_path) == {"report-games/mine.js": "mine", "report.html": "short"}
    (tmp_path / "report-games" / "mine.js").unlink()
    write_page(tmp_path / "report.html", Page("short"))
    assert not shard_folder(tmp_path / "report.html").exists()


def test_a_page_whose_files_cannot_be_written_stays_as_it_was(tmp_path: Path) -> None:
    write_page(tmp_path / "report.html", Page("short"))
    (tmp_path / "report-games").write_text("in the way")
    with pytest.raises(OSError, match="report-games"):
        write_page(tmp_path / "report.html", LONG)
    assert files(tmp_path)["report.html"] == "short"


def test_the_page_comes_after_its_files(tmp_path: Path) -> None:
    write_page(tmp_path / "report.html", Page("short"))
    (tmp_path / TWO).mkdir(parents=True)
    with pytest.raises(OSError, match="002-0123abcd"):
        write_page(tmp_path / "report.html", LONG)
    assert (tmp_path / "report.html").read_text() == "short"


def test_a_page_is_replaced_whole(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    write_page(page, Page("short"))
    with page.open() as reader:
        write_page(page, LONG)
        assert reader.read() == "short"
    assert page.read_text() == "long"
