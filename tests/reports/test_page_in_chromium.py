"""The whole report in a real browser, from a file and without network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browsing import write
from report_pages import knockout
from sample_records import HOSTILE_NAMES, hostile_records

from lath.reports.page.page import Page

if TYPE_CHECKING:
    from browsing import Visit

Address = Callable[[Page], str]
Pages = Callable[[str], Page]

_CELLS = "[...document.querySelectorAll('#board svg title')].map(title => title.textContent)"

_INJECTED = """
() => {
  const script = document.createElement("script");
  script.textContent = "window.injected = true";
  document.body.append(script);
  document.body.setAttribute("onclick", "window.injected = true");
  document.body.click();
  const style = document.createElement("style");
  style.textContent = "body { --injected: yes }";
  document.head.append(style);
  return [window.injected, getComputedStyle(document.body).getPropertyValue("--injected")];
}
"""


@pytest.fixture
def report(address_of: Address, the_page: Pages) -> str:
    return address_of(the_page("played"))


def contents(visit: Visit) -> dict[str, str]:
    """Return what each cell of the board says it holds."""
    told = (words.split(": ", 1) for words in visit.page.evaluate(_CELLS) if ": " in words)
    return dict(told)


def test_the_page_works_alone_and_offline(browser: Any, the_page: Pages, tmp_path: Path) -> None:
    context = browser.new_context(offline=True)
    opened = context.new_page()
    opened.goto(write(the_page("played").html, tmp_path))
    opened.wait_for_selector("#board svg")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    context.close()


def test_the_address_follows_the_ply_and_can_be_sent(visit: Visit, report: str) -> None:
    visit.open(f"{report}#game=2&ply=1")
    visit.page.click("#forward")
    visit.page.wait_for_url("**#game=2&ply=2")
    visit.page.click("#game-after")
    visit.await_game(3)
    board = contents(visit)
    address = visit.page.url
    visit.page.goto("about:blank")
    visit.open(address)
    assert contents(visit) == board


def test_a_link_in_another_section_opens_its_game(visit: Visit, report: str) -> None:
    visit.page.emulate_media(reduced_motion="no-preference")
    visit.open(report)
    visit.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    links = visit.page.locator("main section:not(#games) a[href^='#game=']")
    target = links.last.get_attribute("href")
    links.last.click()
    visit.await_game(int(target.removeprefix("#game=").split("&")[0]))


def test_a_page_without_games_is_quiet(visit: Visit, address_of: Address, the_page: Pages) -> None:
    visit.open(address_of(the_page("empty")))
    assert not visit.page.is_visible("#replay-body")


def test_hostile_words_are_inert_in_every_game(
    visit: Visit, address_of: Address, the_page: Pages
) -> None:
    address = address_of(the_page("hostile"))
    visit.open(address)
    before = visit.page.evaluate("document.scripts.length")
    for number in range(1, len(hostile_records()) + 1):
        visit.page.goto(f"{address}#game={number}&ply=1")
        visit.await_game(number)
        visit.page.evaluate("document.getElementById('more').open = true")
    counts = visit.page.evaluate(
        "['script', 'img', 'main b', 'iframe', '[onload]', '[onerror]']"
        ".map(wanted => document.querySelectorAll(wanted).length)"
    )
    assert counts == [before, 0, 0, 0, 0, 0]
    shown = visit.page.evaluate("[...document.querySelectorAll('bdi')].map(n => n.textContent)")
    assert set(HOSTILE_NAMES) <= set(shown)


def test_what_is_injected_all_the_same_is_refused(visit: Visit, report: str) -> None:
    """If ever markup got through, the policy would still stop it."""
    visit.open(report)
    assert visit.page.evaluate(_INJECTED) == [None, ""]
    assert len(visit.complaints) >= 3
    assert all("Content Security Policy" in complaint for complaint in visit.complaints)
    visit.complaints.clear()


@pytest.mark.parametrize("kind", ["played", "hostile"])
def test_no_replay_scrolls_sideways_on_a_small_phone(
    visit: Visit, address_of: Address, the_page: Pages, kind: str
) -> None:
    visit.page.set_viewport_size({"width": 320, "height": 640})
    address = address_of(the_page(kind))
    visit.open(address)
    for number in (1, 2, 7, 8):
        visit.page.goto(f"{address}#game={number}&ply=3")
        visit.await_game(number)
        visit.page.evaluate("document.getElementById('legal').click()")
        assert visit.sideways() == 0


def test_the_result_of_a_knockout_comes_first(
    visit: Visit, address_of: Address, the_page: Pages
) -> None:
    visit.open(address_of(the_page("outcome")))
    sections = visit.page.locator("main > section")
    assert [sections.nth(at).get_attribute("id") for at in (0, 1)] == ["summary", "result"]
    assert visit.page.inner_text("#summary h2").endswith(" by 1 to 1 (level: x).")
    assert knockout().verdict in visit.page.inner_text("#result")
