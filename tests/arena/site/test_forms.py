"""Every form of every page does something when it is submitted, in a real browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pytest
from sites import Served, served

from lath.arena.site.app import DESK_PAGES, SERVE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sites import Guest

pytestmark = pytest.mark.slow

RECORD: Final = '[Game "yavalath"]\n[Result "*"]\n\n1. e5 2. d4 *\n'

PAGES: Final = {
    "/": {"where"},
    "/t/cup": set[str](),
    "/report/old": set[str](),
    "/report/old?where=plies+%3E+1": set[str](),
    "/report/cup": set[str](),
    "/nowhere": set[str](),
    "/play": {"setup", "typed"},
    "/analyse": {"setup", "typed"},
    "/explore?key=old": {"setup", "typed"},
    "/puzzles": {"typed"},
}
"""All kinds of pages, and their forms."""

SENT: Final = {"where": "plies > 1", "typed-move": "e5"}
"""What is written into fields."""

SUBMITTED: Final = """
() => {
  window.handled = [];
  addEventListener("submit", (event) => window.handled.push(event.defaultPrevented));
}
"""
"""It hears of a submission last: what no script of the page handles goes to an address."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    (folder / "cup").mkdir()
    for name in ("cup/games.lath", "old.lath", "other.lath"):
        (folder / name).write_text(RECORD)
    return folder


@pytest.fixture(scope="module")
def site(folder: Path, request: pytest.FixtureRequest) -> Iterator[Served]:
    with served(folder, is_public=request.param) as running:
        yield running


CASES: Final = (
    *((False, path) for path in PAGES),
    *((True, path) for path in PAGES if path.split("?")[0][1:] not in DESK_PAGES),
)
"""Whether a site is public, and a page of it."""


def name_of(form: Any) -> str:
    return str(form.evaluate("form => form.id || form.className"))


@pytest.mark.parametrize(("site", "path"), CASES, indirect=["site"])
def test_every_form_does_something(site: Served, guest: Guest, path: str) -> None:
    address = re.sub(
        "(?<=[/=])(cup|old)", lambda at: site.key({"old": "old.lath"}.get(at[0], at[0])), path
    )
    visit = guest(site, address)
    page = visit.page
    count = page.locator("form").count()
    assert {name_of(form) for form in page.locator("form").all()} == PAGES[path]
    for at in range(count):
        page.goto(f"{site.address}{site.site.root}{address}")
        page.wait_for_load_state("networkidle")
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        form = page.locator("form").nth(at)
        form.wait_for(state="visible")
        page.evaluate(SUBMITTED)
        for field, text in SENT.items():
            for box in form.locator(f"input[id={field}], input[name={field}]").all():
                box.fill(text)
        action = form.evaluate("form => form.getAttribute('action') ? form.action : ''")
        if action:
            with page.expect_navigation():
                form.locator("[type=submit]").click()
            assert page.url.startswith(f"{action}?")
            page.wait_for_selector("#rows tr")
        else:
            form.locator("[type=submit]").click()
            page.wait_for_function("window.handled.length === 1")
            assert page.evaluate("window.handled") == [True], name_of(form)
    visit.complaints[:] = [words for words in visit.complaints if "404" not in words]


def test_all_forms_that_there_are_have_been_submitted() -> None:
    texts = [path.read_text(encoding="utf-8") for path in SERVE.iterdir()]
    found = [
        re.search('(?:id|class)="([a-z]+)', form)
        for text in texts
        for form in re.findall("<form[^>]*>", text)
    ]
    assert {one[1] for one in found if one} == set[str]().union(*PAGES.values())
    assert not [text for text in texts if 'make("form"' in text]
