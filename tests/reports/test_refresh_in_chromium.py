"""A page that refreshes itself, in a real browser: it comes back as it was left, and waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from browsing import Visit, new_window, visiting
from report_pages import few

from lath.reports.page.page import Page, render

Address = Callable[[Page], str]


@pytest.fixture
def visit(browser: Any) -> Iterator[Visit]:
    """A visitor in a window of its own: a clock that is put forward is the window's."""
    window = new_window(browser)
    with visiting(window.new_page()) as visitor:
        yield visitor
        visitor.page.close()
    window.close()


@pytest.fixture(scope="module")
def slow(address_of: Address) -> str:
    """A page that refreshes when nobody waits for it any more."""
    return address_of(render(few(), refresh_s=3600))


LONG_MS = 4_000_000
"""More than a slow page waits, put on the window's clock: nothing here depends on the machine's."""

PAUSE = "document.getElementById('refresh-pause').click()"
"""Pauses the refreshing, or goes on with it."""


def count_of_pages(visit: Visit) -> int:
    return len([url for url in visit.requests if url.startswith("file:")])


def stays(visit: Visit) -> None:
    """See that much time passes and the page is not loaded again."""
    visit.page.evaluate("window.isOld = true")
    visit.page.clock.fast_forward(LONG_MS)
    assert visit.page.evaluate("window.isOld") is True


def test_it_says_how_often_it_refreshes_and_does(
    visit: Visit, address_of: Address, the_page: Callable[[str], Page]
) -> None:
    visit.open(address_of(render(few(), refresh_s=1)))
    says = "() => document.getElementById('refresh-told')?.innerText === 'Refreshing every second'"
    visit.page.wait_for_function(says)
    with visit.page.expect_event("load"):
        pass
    visit.page.wait_for_function(says)
    assert count_of_pages(visit) >= 2
    visit.open(address_of(the_page("played")))
    assert visit.page.locator("#refresh").count() == 0, "which does not refresh"


def test_it_comes_back_as_it_was_left(visit: Visit, address_of: Address) -> None:
    # By the machine's own clock: a window's does not tell a page that it was loaded again. So it
    # is paused, by clicks that are nobody's, while it is left and while it is looked at.
    page = visit.page
    visit.open(f"{address_of(render(few(), refresh_s=5))}#game=5&ply=0")
    page.evaluate(PAUSE)
    visit.await_game(5)
    page.evaluate("""() => {
        document.querySelectorAll("details")[1].open = true;
        document.getElementById("filter").value = "ann";
        document.getElementById("filter").dispatchEvent(new Event("input"));
        document.getElementById("lengths").scrollIntoView({ behavior: "instant" });
    }""")
    found, top = page.inner_text("#found"), page.evaluate("scrollY")
    assert top > 500
    # The event costs nothing until it comes; a function would be asked in every frame.
    with page.expect_event("load"):
        page.evaluate(PAUSE)
    page.evaluate(PAUSE)
    visit.await_game(5)
    assert page.url.endswith("#game=5&ply=0")
    page.wait_for_function("top => Math.abs(scrollY - top) < 2", arg=top)
    assert (page.input_value("#filter"), page.inner_text("#found")) == ("ann", found)
    opened = "[...document.querySelectorAll('details')].map(one => one.open).indexOf(true)"
    assert page.evaluate(opened) == 1


def test_a_button_pauses_it_for_as_long_as_the_tab_lives(visit: Visit, slow: str) -> None:
    page = visit.page
    page.clock.install()
    visit.open(slow)
    assert page.inner_text("#refresh-told") == "Refreshing every 3600 seconds"
    assert page.evaluate("document.getAnimations().length") == 0
    page.click("#refresh-pause")
    assert page.inner_text("#refresh-told") == "Refreshing is paused"
    stays(visit)
    page.reload()
    assert page.inner_text("#refresh-told") == "Refreshing is paused"
    assert page.get_attribute("#refresh-pause", "aria-pressed") == "true"
    page.click("#refresh-pause")
    page.evaluate("window.isOld = true")
    page.clock.fast_forward(LONG_MS)
    page.wait_for_function("() => !window.isOld && document.readyState === 'complete'")
    assert count_of_pages(visit) == 3


BUSY: dict[str, Callable[[Any], object]] = {
    "the filter": lambda page: page.fill("#filter", "ann"),
    "a replay": lambda page: page.wait_for_function(
        "() => document.getElementById('seek').getBoundingClientRect().bottom < innerHeight"
    ),
    "a selection": lambda page: page.evaluate("getSelection().selectAllChildren(document.body)"),
}


@pytest.mark.parametrize("what", BUSY)
def test_it_waits_while_somebody_is_busy(visit: Visit, slow: str, what: str) -> None:
    visit.page.clock.install()
    visit.open(f"{slow}#game=1&ply=2" if what == "a replay" else slow)
    visit.await_game(1)
    BUSY[what](visit.page)
    stays(visit)
    assert count_of_pages(visit) == 1


def test_it_waits_ten_seconds_after_a_key(visit: Visit, slow: str) -> None:
    visit.page.clock.install()
    visit.open(slow)
    visit.page.evaluate("window.isOld = true")
    visit.page.clock.fast_forward(3_590_000)
    visit.page.keyboard.press("Shift")
    visit.page.clock.fast_forward(5_000)
    assert visit.page.evaluate("window.isOld") is True
    visit.page.clock.fast_forward(20_000)
    visit.page.wait_for_function("() => !window.isOld")
    assert count_of_pages(visit) == 2
