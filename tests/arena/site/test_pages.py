"""Every page of the site in a real browser: its forms do something, and everybody can use it.

At every width, in light and dark; its markup is valid.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import pytest
from axe import axe_core, violations
from markup import problems_in
from markupsafe import escape
from odd_files import either
from planted import pool
from schedules import a_schedule, outcome, played
from sites import Served, served, until
from tools import needs

from lath.arena.site.app import DESK_PAGES
from lath.arena.site.rendering import TEMPLATES
from lath.arena.tournament.outcome.notes import write_outcome
from lath.arena.tournament.run.live import LIVE
from lath.arena.tournament.run.worker import line_of_a_board
from lath.games import get
from lath.games.capabilities import lessons_of

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
    "/rules": set[str](),
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
            text = site.ask(address, Accept="text/html", **site.cookie).text
            assert "<form" not in text or "report-progress" in text, path
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
        form.locator("[type=submit]").last.click()
        page.wait_for_function("window.handled.length === 1")
        assert page.evaluate("window.handled") == [True], name_of(form)


@pytest.mark.parametrize("query", ['"<b>" greedy', "winner = <b>"])
@pytest.mark.parametrize("site", [False], indirect=True)
def test_a_query_with_a_mistake_or_no_match_is_told_beside_its_box(
    site: Served, query: str
) -> None:
    address = f"/report/{site.key('old.lath')}?where={quote(query)}"

    def is_told() -> bool:
        text = site.ask(address, Accept="text/html", **site.cookie).text
        assert f'name="where" value="{escape(query)}"' in text
        return 'role="alert"' in text and "\n  " not in text.partition('role="alert"')[2][:200]

    until(is_told)


def test_all_forms_that_there_are_have_been_submitted() -> None:
    texts = [path.read_text(encoding="utf-8") for path in TEMPLATES.iterdir()]
    found = [
        re.search('(?:id|class)="([a-z]+)', form)
        for text in texts
        for form in re.findall("<form[^>]*>", text)
    ]
    assert {one[1] for one in found if one} == set[str]().union(*PAGES.values())
    assert not [text for text in texts if 'make("form"' in text]


MANY: Final = 150

UPDATED: Final = """async () => {
  let moved = 0;
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (moved += value)))
    .observe({ type: "layout-shift" });
  const image = document.querySelector(".tournament img");
  document.dispatchEvent(new Event("visibilitychange"));
  while (!image.currentSrc.endsWith("=next") || !image.complete) {
    await new Promise((done) => setTimeout(done, 20));
  }
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return moved;
}"""
"""It lets the page ask for the list again, and returns how much the next boards have moved it."""


def test_every_kind_of_tournament_has_a_card_with_board_state_and_date(
    guest: Guest, tmp_path: Path
) -> None:
    pool(tmp_path / "pool")
    (tmp_path / "pool" / LIVE).mkdir()
    (tmp_path / "pool" / LIVE / "1.json").write_bytes(line_of_a_board(BOARD.encode()))
    (tmp_path / "next.toml").write_text('games = ["surikata"]\n[[bot]]\nname = "greedy"\n')
    texts = {
        "records": RECORD,
        "half": f"{RECORD}\n{RECORD[:-9]}",
        "strange": RECORD.replace("yavalath", "unknown-game"),
        **{f"z{number}": RECORD for number in range(MANY)},
    }
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "games.lath").write_text(text)
    pieces = {"pool": 6, "next": 0, "records": 2, "half": 2, "strange": -1}  # which is empty
    with served(tmp_path) as site, either(tmp_path / "pool", is_played=True):
        html = site.ask("/", Accept="text/html", **site.cookie).text
        for name, count in pieces.items():
            card = re.split(f'<li class="tournament" data-key="{site.key(name)}">', html)[1]
            found = re.search(CARD, card.partition("</li>")[0], re.DOTALL)
            assert found, name
            source, told, _ = found.groups()
            drawn = site.ask_outside(source, **site.cookie)
            assert "max-age" in drawn.headers["cache-control"]
            assert drawn.text.count("</title>") - 1 == count, name
            stands = {"next": "Not started: 1 bot", "pool": "The bots are starting"}
            assert f"<span>{stands.get(name, '')}</span>" in card
            assert told == {"next": "Surikata", "pool": "No single leader"}.get(name, told)
        visit = guest(site, "/")
        visit.page.wait_for_load_state("networkidle")
        first = visit.page.locator(".tournament").first  # which is being played
        assert first.get_attribute("data-key") == site.key("pool")
        assert visit.page.locator(".live:visible").count() == 1
        asked = [url for url in visit.requests if "board.svg" in url]
        assert 0 < len(asked) < MANY / 2  # of those near what is seen
        lines = [{**line, "board": "next"} for line in site.get("/api/items")]
        visit.page.route("**/api/items", lambda route: route.fulfill(json=lines))
        assert visit.page.evaluate(UPDATED) == 0


def test_the_start_page_follows_its_folder_and_keeps_what_the_reader_has(
    guest: Guest, tmp_path: Path
) -> None:
    (tmp_path / "old.lath").write_text(RECORD)
    with served(tmp_path) as site:
        page = guest(site, "/").page
        page.wait_for_selector("#first-title")
        page.fill(".where input", "plies > 2")
        page.eval_on_selector_all("li[data-key]", "all => all.forEach((one) => (one.mine = true))")

        def follows(selector: str) -> bool:
            page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
            return bool(page.locator(selector).count())

        bots = "".join(f'[[bot]]\nname = "b{n}"\ncommand = "true"\n' for n in range(20))
        (tmp_path / "cup.toml").write_text(f'games = "all"\n{bots}')
        until(lambda: follows(".tournament:not(:has(.aside))"))
        for width in (*WIDTHS, 768):  # at which a card is narrow
            page.set_viewport_size({"width": width, "height": 800})
            assert page.eval_on_selector_all(".cards > li", CUT) == [], width
        (tmp_path / "cup").mkdir()
        (tmp_path / "cup" / "games.lath").write_text(RECORD)
        (tmp_path / "cup.toml").unlink()
        until(lambda: follows(".tournament .aside"))
        page.wait_for_function("document.querySelector('.tournament img').naturalWidth > 0")
        assert page.input_value(".where input:focus") == "plies > 2"
        kept = page.eval_on_selector_all("li[data-key]", "all => all.map((one) => !!one.mine)")
        assert kept == [True, True, False, True]  # the tiles, the new card, the file
        (tmp_path / "old.lath").unlink()
        until(lambda: follows("#lists:not(:has(.where))"))


CUT: Final = (
    "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)"
)


CARD: Final = (
    'src="([^"]*board.svg[^"]*)".*<p class="told"[^>]*>([A-Z][^<]+)</p>'
    '.*<time datetime="([0-9]{4}-[0-9]{2}-[0-9]{2})">'
)


WIDTHS: Final = (320, 390, 1280, 1920)

LOOKED_AT: Final = {
    "/": "h1",
    "/t/cup": ".live-board svg.board",
    "/nowhere": "h1",
    "/play?game=manalath": "#card p",
    "/analyse?game=manalath": "#board.mine",
    "/explore?game=yavalath&moves=e5": "#ways",
    "/puzzles?game=mammalath": "#board.mine",
    "/rules/surikata": ".lessons svg.board",
}
"""Pages by address, and what is waited for there."""

MOST_MOVED: Final = 0.05

LOADED: Final = """async () => {
  let moved = 0;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) moved += one.hadRecentInput ? 0 : one.value;
  }).observe({ type: "layout-shift", buffered: true });
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const board = document.querySelector("#board svg");
  return [moved, !board || board.getBoundingClientRect().bottom <= innerHeight];
}"""
"""How much has moved since the page began to load; is a board whole in the window?"""


def load(page: Any, path: str, width: int) -> tuple[float, bool]:
    """Load a page again in a window of this width, 800 pixels high; return what LOADED tells."""
    page.set_viewport_size({"width": width, "height": 800})
    page.reload()
    page.wait_for_selector(LOOKED_AT[path])
    page.wait_for_load_state("networkidle" if path != "/t/cup" else "load")
    moved, is_whole = page.evaluate(LOADED)
    return moved, is_whole


@needs("npm")
@pytest.mark.parametrize("path", LOOKED_AT)
@pytest.mark.parametrize("site", [False], indirect=True)
def test_a_page_keeps_its_place_and_axe_finds_nothing_at_any_width(
    site: Served, guest: Guest, path: str
) -> None:
    axe = axe_core()
    page = (visit := guest(site, address_of(site, path))).page
    page.wait_for_selector(LOOKED_AT[path])
    for width in (360, 1280):
        moved, is_whole = load(page, path, width)
        assert moved <= MOST_MOVED, width
    assert is_whole, "the board is in the first screen of a laptop"
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


@pytest.mark.parametrize("site", [True], indirect=True)
def test_lessons_play_once_unless_motion_is_reduced_and_can_be_stepped_through(
    site: Served, guest: Guest
) -> None:
    page = guest(site, "/rules/yavalath").page
    page.clock.install()
    title, at, play = page.locator(".lessons h2"), page.locator("output"), page.get_by_label("Play")
    first, *_, last = (lesson.title for lesson in lessons_of(get("yavalath")))
    for motion in ("no-preference", "reduce"):
        page.emulate_media(reduced_motion=motion)
        page.reload()
        is_calm = motion == "reduce"
        page.wait_for_selector(f".lessons [aria-pressed={'false' if is_calm else 'true'}]")
        assert (title.inner_text(), at.inner_text()) == (first, "3 / 3" if is_calm else "0 / 3")
        page.clock.run_for(60_000)
        assert title.inner_text() == (first if is_calm else last)
        assert play.get_attribute("aria-pressed") == "false"
    page.get_by_label("Previous step").click()
    assert at.inner_text() == "2 / 3"
    page.get_by_role("button", name=last).click()
    assert (title.inner_text(), at.inner_text()) == (last, "2 / 2")
    for _ in range(3):
        page.get_by_label("Previous step").click()
    assert title.inner_text() != last


@pytest.mark.parametrize("site", [False], indirect=True)
def test_the_rules_open_over_a_game_and_close_where_they_were_opened(
    site: Served, guest: Guest
) -> None:
    page = guest(site, "/play?game=surikata").page
    page.get_by_role("button", name="Rules in a minute").press("Enter")
    dialog = page.get_by_role("dialog", name="Surikata: rules in a minute")
    dialog.locator(".lessons svg.board").wait_for()
    page.evaluate(axe_core())
    assert violations(page) == []
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    assert page.evaluate("document.activeElement.textContent") == "Rules in a minute"


@pytest.mark.parametrize("site", [True], indirect=True)
def test_a_chosen_theme_is_that_of_all_pages_before_they_are_drawn(
    site: Served, guest: Guest
) -> None:
    page = guest(site, "/rules").page
    ground = "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="light")
    light = page.evaluate(ground)
    page.select_option("#theme", "dark")
    dark = page.evaluate(ground)
    page.add_init_script(
        "new MutationObserver((_, all) => {"
        " if (!document.body) return;"
        f" window.drawn = {ground};"
        " all.disconnect(); }).observe(document, { childList: true, subtree: true });"
    )
    page.goto(f"{site.address}{site.site.root}/")
    assert [page.evaluate("window.drawn"), page.evaluate(ground)] == [dark, dark] != [light, light]
    page.goto(f"{site.address}{site.site.root}{address_of(site, '/report/old')}")
    assert page.evaluate(ground) == dark
    assert page.input_value("#theme") == "dark"


@needs("node", "npm")
@pytest.mark.parametrize("site", [False], indirect=True)
def test_every_page_is_valid_html(site: Served, tmp_path: Path) -> None:
    for number, path in enumerate(LOOKED_AT):
        html = site.ask(address_of(site, path), Accept="text/html", **site.cookie).text
        assert "</html>" in html
        (tmp_path / f"{number}.html").write_text(html, encoding="utf-8")
    assert problems_in(tmp_path) == []
