"""Every page of the site in a real browser: its forms do something, and everybody can use it.

At every width, in light and dark; its markup is valid.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import pytest
from axe import axe_core, violations
from markup import problems_in
from schedules import a_schedule, outcome, played
from sites import Served, served
from tools import needs

from lath.arena.site.app import DESK_PAGES
from lath.arena.site.rendering import TEMPLATES
from lath.arena.tournament.outcome.notes import write_outcome
from lath.arena.tournament.run.live import LIVE
from lath.arena.tournament.run.worker import line_of_a_board

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sites import Guest

pytestmark = pytest.mark.slow

BOARD: Final = (
    '{"number": 7, "round": 1, "game": "surikata", "names": ["ann", "' + "long " * 12 + 'bob"], '
    '"moves": ["Ma1", "Mb2", "Mc3", "Md4", "Me5", "a3"], "evals": ["0.25", null], '
    '"left_s": [9.5, 61.0]}'
)


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
    (folder / "cup" / LIVE).mkdir(parents=True)
    for worker in ("1", "2"):
        (folder / "cup" / LIVE / f"{worker}.json").write_bytes(line_of_a_board(BOARD.encode()))
    for name in ("cup/games.lath", "old.lath", "other.lath"):
        (folder / name).write_text(RECORD)
    schedule = a_schedule("swiss")
    for _ in islice(played(schedule), 4):
        pass
    write_outcome(folder / "cup", outcome(schedule, "swiss"))
    return folder


@pytest.fixture(scope="module")
def site(folder: Path, request: pytest.FixtureRequest) -> Iterator[Served]:
    with served(folder, is_public=request.param) as running:
        yield running


def name_of(form: Any) -> str:
    return str(form.evaluate("form => form.id || form.className"))


def address_of(site: Served, path: str) -> str:
    names = {"cup": "cup", "old": "old.lath"}
    return re.sub("(?<=[/=])(cup|old)", lambda at: site.key(names[at[0]]), path)


@pytest.mark.parametrize("site", [False, True], indirect=True, ids=["private", "public"])
def test_every_form_does_something(site: Served, guest: Guest) -> None:
    for path, names in PAGES.items():
        address = address_of(site, path)
        if path.split("?")[0][1:] in DESK_PAGES and site.site.is_public:
            continue
        if not names:
            assert "<form" not in site.ask(address, Accept="text/html", **site.cookie).text, path
            continue
        page = guest(site, address).page
        forms = page.locator("form")
        assert {name_of(form) for form in forms.all()} == names
        for at in range(forms.count()):
            if at:
                page.goto(f"{site.address}{site.site.root}{address}")
            page.wait_for_load_state("networkidle")
            submit(page, forms.nth(at))


def submit(page: Any, form: Any) -> None:
    """Fill a form in and submit it: it leads to an address, or a script of the page heeds it."""
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
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


def test_all_forms_that_there_are_have_been_submitted() -> None:
    texts = [path.read_text(encoding="utf-8") for path in TEMPLATES.iterdir()]
    found = [
        re.search('(?:id|class)="([a-z]+)', form)
        for text in texts
        for form in re.findall("<form[^>]*>", text)
    ]
    assert {one[1] for one in found if one} == set[str]().union(*PAGES.values())
    assert not [text for text in texts if 'make("form"' in text]


WIDTHS: Final = (320, 390, 1280, 1920)

LOOKED_AT: Final = {
    "/": "h1",
    "/t/cup": ".live-board svg.board",
    "/nowhere": "h1",
    "/play?game=manalath": "#card p",
    "/analyse?game=manalath": "#board.mine",
    "/explore?game=yavalath&moves=e5": "#ways",
    "/puzzles?game=mammalath": "#board.mine",
}
"""Pages by address, and what is waited for there."""


@needs("npm")
@pytest.mark.parametrize("path", LOOKED_AT)
@pytest.mark.parametrize("site", [False], indirect=True)
def test_axe_finds_nothing_at_any_width(site: Served, guest: Guest, path: str) -> None:
    axe = axe_core()
    page = (visit := guest(site, address_of(site, path))).page
    page.wait_for_selector(LOOKED_AT[path])
    page.evaluate(axe)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme="light")
        assert violations(page) == [], width
        page.emulate_media(color_scheme="dark")
        assert violations(page, "cat.color") == [], (width, "a scheme changes colours alone")
        assert visit.sideways() == 0, width
    for opener in page.locator(".enlarge:visible").all()[:1]:
        opener.click()
        assert violations(page) == [], "a board is enlarged"
    visit.complaints[:] = [words for words in visit.complaints if "404" not in words]


NEXT: Final = """(pressed) => {
  const found = [...document.querySelectorAll("main button, main summary")].find((one) =>
    one.checkVisibility() && !one.disabled && !one.closest("form[action]")
      && !pressed.includes(one.textContent));
  found?.focus();
  return found?.textContent ?? null;
}"""
"""It goes to a button that has not been pressed, and that leads to no other page."""

COUNTED: Final = """() => {
  const ask = window.fetch;
  window.asked = 0;
  window.fetch = (...of) => {
    window.asked += 1;
    const done = () => setTimeout(() => requestAnimationFrame(() => (window.asked -= 1)));
    return ask(...of).finally(done);
  };
}"""
"""A frame later a browser has seen what is hidden."""


@pytest.mark.parametrize("path", LOOKED_AT)
@pytest.mark.parametrize("site", [False], indirect=True)
def test_no_button_loses_the_focus(site: Served, guest: Guest, path: str) -> None:
    page = (visit := guest(site, address_of(site, path))).page
    page.wait_for_selector(LOOKED_AT[path])
    page.wait_for_load_state("networkidle" if path != "/t/cup" else "load")
    kept = {"text": RECORD, "file": "kept.lath"}  # the folder is of all tests
    page.route("**/api/keep", lambda route: route.fulfill(json=kept))
    page.evaluate(COUNTED)
    pressed: list[str] = []
    while (words := page.evaluate(NEXT, pressed)) is not None:
        pressed.append(words)
        page.keyboard.press("Enter")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        page.wait_for_function("() => window.asked === 0")
        assert page.evaluate("document.activeElement !== document.body"), pressed
    visit.complaints[:] = [words for words in visit.complaints if "status of 4" not in words]


@needs("node", "npm")
@pytest.mark.parametrize("site", [False], indirect=True)
def test_every_page_is_valid_html(site: Served, tmp_path: Path) -> None:
    for number, path in enumerate(LOOKED_AT):
        html = site.ask(address_of(site, path), Accept="text/html", **site.cookie).text
        assert "</html>" in html
        (tmp_path / f"{number}.html").write_text(html, encoding="utf-8")
    assert problems_in(tmp_path) == []
