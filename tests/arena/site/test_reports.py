"""Reports on the site: first games while the rest is counted, its links, and Analyse at a ply."""

from __future__ import annotations

import gzip
import io
import shlex
from typing import TYPE_CHECKING, Any

import pytest
from sites import served

from lath.arena.site import report_process, reporting
from lath.arena.site.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sites import Guest

pytestmark = pytest.mark.slow

GAME = '[Game "yavalath"]\n[First "{first}"]\n[Second "bob"]\n[Result "*"]\n\n1. e5 2. d4 3. c3 *\n'
RECORDS = "\n".join(
    [
        GAME.format(first="ann"),
        '[Game "yavalath"]\n[Result "*"]\n\n1. zz9 *\n',
        GAME.format(first="eve"),
    ]
)
"""The second record is invalid, so the second game of the report is the third of the file."""


def asked(item: Any) -> dict[str, Any]:
    told = {"key": item.key, "name": item.name, "path": str(item.path), "kind": item.kind}
    return {**told, "where": "", "root": None, "public": False}


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Write the file, and let its report wait after the first games until there is a gate."""
    (tmp_path / "old.lath").write_text(RECORDS)
    item = Shelf([tmp_path / "old.lath"]).items()[0]
    for name, value in (("MANY", 2), ("beside", lambda work: (work(), lambda: None)[1])):
        monkeypatch.setattr(report_process, name, value)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    report_process.answer(asked(item), out := io.BytesIO())
    head = next(line for line in out.getvalue().splitlines(keepends=True) if b'"size"' in line)
    before, after = out.getvalue().split(head)
    (tmp_path / "before").write_bytes(before)
    (tmp_path / "after").write_bytes(head + after)
    there = shlex.quote(str(tmp_path))
    wait = f"while test -d {there} && ! test -e {there}/gate; do sleep 0.02; done"
    command = f"while read asked; do cat {there}/before; {wait}; cat {there}/after; done"
    monkeypatch.setattr(reporting, "COMMAND", ("sh", "-c", command))
    yield tmp_path / "gate"
    (tmp_path / "gate").touch()


def test_the_first_games_can_be_seen_before_the_report_is_complete(
    gate: Path, guest: Guest
) -> None:
    with served(gate.with_name("old.lath")) as site:
        path = f"/report/{site.key('old.lath')}"
        visit = guest(site, path)
        page, first = visit.page, visit.page.frame_locator("#first")
        first.locator("#rows tr").nth(1).wait_for()
        assert first.locator("#at").inner_text() == "3 / 3"
        assert first.locator("main").bounding_box()["width"] > 1000  # all of the page
        first.locator("#filter").press_sequentially("eve")
        assert first.locator("#rows tr").count() == 1
        assert page.locator("progress:visible").count() == 1
        other = guest(site, path)
        shown = other.page.frame_locator("#first")
        shown.locator("#rows a:text-matches('^#?2$')").click()
        shown.locator("#at:has-text('0 / 3')").wait_for()
        shown.locator("#board").press("ArrowRight")
        other.page.wait_for_url("**#game=2&ply=1")
        for width in (360, 768, 1280, 1920):
            other.page.set_viewport_size({"width": width, "height": 800})
            section = shown.locator("#replay").bounding_box()
            assert section, width
            assert section["width"] > 0.8 * min(width, 1568), width
        gate.touch()
        other.page.click("#again")
        page.click("#again")  # the reader was in the list
        for one in (page, other.page):
            one.wait_for_selector("#site")
            one.wait_for_selector("#rows tr:nth-child(2)")
        assert site.site.reports.begun == 1  # for both

        page = other.page
        page.wait_for_selector("#at:has-text('1 / 3')")
        page.press("#board", "ArrowRight")
        page.wait_for_url("**ply=2")
        page.press("a.analyse", "Enter")
        page.wait_for_selector("#tree [aria-current]:has-text('2. d4')")
        assert f"record={site.key('old.lath')}%2F3&ply=2" in page.url
        page.go_back()
        page.wait_for_selector("#at:has-text('2 / 3')")
        for words, found in (("Play", "#setup"), ("Lath Arena", ".shelf")):
            page.click(f"#site a:text-is('{words}')")
            page.wait_for_selector(found)
            page.go_back()
            page.wait_for_selector("#rows tr")


def test_a_report_that_cannot_be_made_says_why_without_a_path(
    tmp_path: Path, guest: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old.lath.gz").write_bytes(gzip.compress(RECORDS.encode())[:-20])
    monkeypatch.setattr(reporting, "SOON_S", 0)
    with served(tmp_path / "old.lath.gz") as site:
        visit = guest(site, f"/report/{site.key('old.lath.gz')}")
        visit.page.wait_for_selector("#told:has-text('could not be made')")
        assert str(tmp_path) not in visit.page.inner_text("main")
        answer = site.ask(f"/report/{site.key('old.lath.gz')}", Accept="text/html", **site.cookie)
        assert (answer.status, str(tmp_path) in answer.text) == (409, False)


def test_a_public_report_has_no_links_to_pages_that_are_not_public(tmp_path: Path) -> None:
    (tmp_path / "old.lath").write_text(RECORDS)
    with served(tmp_path, is_public=True) as site:
        text = site.ask(f"/report/{site.key('old.lath')}").text
        assert '<a href="../">Watch</a>' in text
        assert "/analyse" not in text.split("<script>")[0]
        assert site.ask(f"/report/{site.key('old.lath')}/first").status == 200  # it is complete
