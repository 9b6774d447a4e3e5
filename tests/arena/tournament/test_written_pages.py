"""A report on disk: one file, and nothing of what a former version had beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lath.arena.tournament.pages import write_page
from lath.reports.page.page import Page

FORMER = ("001-ab12cd34.js", "002-0123abcd.js")


def files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def former(tmp_path: Path) -> Path:
    """The folder in which a former version had the games of a long page."""
    folder = tmp_path / "report-games"
    folder.mkdir()
    for name in FORMER:
        (folder / name).write_text("games")
    return folder


def test_a_page_is_one_file(tmp_path: Path) -> None:
    assert write_page(tmp_path / "report.html", Page("höchst")) == 7
    assert files(tmp_path) == {"report.html": "höchst"}


def test_the_files_of_a_former_version_go(tmp_path: Path, former: Path) -> None:
    write_page(tmp_path / "report.html", Page("short"))
    assert not former.exists()


def test_files_that_are_not_ours_stay(tmp_path: Path, former: Path) -> None:
    (former / "mine.js").write_text("mine")
    write_page(tmp_path / "report.html", Page("short"))
    assert files(tmp_path) == {"report-games/mine.js": "mine", "report.html": "short"}


def test_the_folder_of_another_page_stays(tmp_path: Path, former: Path) -> None:
    write_page(tmp_path / "other.html", Page("short"))
    assert len(files(former)) == 2


def test_a_page_is_replaced_whole(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    write_page(page, Page("short"))
    with page.open() as reader:
        write_page(page, Page("long"))
        assert reader.read() == "short"
    assert page.read_text() == "long"


def test_a_page_that_cannot_be_written_leaves_all_as_it_was(tmp_path: Path, former: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(OSError, match="report"):
        write_page(tmp_path / "report.html", Page("short"))
    assert len(files(former)) == 2
