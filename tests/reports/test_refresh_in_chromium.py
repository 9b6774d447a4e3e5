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
def quick(address_of: Address) -> str:
    """A page that refreshes every second."""
    return address_of(render(few(), refresh_s=1))


@pytest.fixture(scope="module")
def slow(address_of: Address) -> str:
    """A page that refreshes when nobody waits for it any more."""
    return address_of(render(few(), refresh_s=3600))


LONG_MS = 4_000_000
"""More than a slow page waits, put on the window's clock: nothing here depends on the machine's."""

PAUSE = "document.getElementById('refresh-pause').click()"
"""Pauses the refreshing, or goes on with it."""


def next_page(visit: Visit) -> None:
    """Wait until the page has loaded itself again."""
    visit.page.evaluate("window.isOld = true")
    visit.page.clock.fast_forward(LONG_MS)
    visit.page.wait_for_function("() => !window.isOld && document.readyState === 'complete'")


def count_of_pages(visit: Visit) -> int:
    return len([url for url in visit.requests if url.startswith("file:")])


def test_it_says_how_often_it_refreshes_and_does(visit: Visit, quick: str) -> None:
    visit.open(quick)
    says = "() => document.getElementById('refresh-told')?.innerText === 'Refreshing every second'"
    visit.page.wait_for_function(says)
    with visit.page.expect_event("load"):
        pass
    visit.page.wait_for_function(says)
    assert count_of_pages(visit) >= 2


def test_it_comes_back_as_it_was_left(visit: Visit, address_of: Address) -> None:
    # By the machine's own clock: a window's does not tell a page that it was loaded again. So it
    # is paused, by clicks that are nobody's, while it is left and while it is looked at.
    address = address_of(render(few(), refresh_s=5))
    visit.open(f"{address}#game=5&ply=0")
    visit.page.evaluate(PAUSE)
    visit.await_game(5)
    visit.page.evaluate("""() => {
        document.querySelectorAll("details")[1].open = true;
        document.getElementById("filter").value = "ann";
        document.getElementById("filter").dispatchEvent(new Event("input"));
        document.getElementById("lengths").scrollIntoView({ behavior: "instant" });
    }""")
    found, top = visit.page.inner_text("#found"), visit.page.evaluate("scrollY")
    assert top > 500
    # The event costs nothing until it comes; a function would be asked in every frame.
    with visit.page.expect_event("load"):
        visit.page.evaluate(PAUSE)
    visit.page.evaluate(PAUSE)
    visit.await_game(5)
    assert visit.page.url.endswith("#game=5&ply=0")
    visit.page.wait_for_function("top => Math.abs(scrollY - top) < 2", arg=top)
    assert visit.page.input_value("#filter") == "ann"
    assert visit.page.inner_text("#found") == found
    opened = "[...document.querySelectorAll('details')].map(one => one.open).indexOf(true)"
    assert visit.page.evaluate(opened) == 1


def test_a_button_pauses_it_for_as_long_as_the_tab_lives(visit: Visit, slow: str) -> None:
    visit.page.clock.install()
    visit.open(slow)
    visit.page.click("#refresh-pause")
    assert visit.page.inner_text("#refresh-told") == "Refreshing is paused"
    visit.page.evaluate("window.isOld = true")
    visit.page.clock.fast_forward(LONG_MS)
    assert visit.page.evaluate("window.isOld") is True
    visit.page.reload()
    assert visit.page.inner_text("#refresh-told") == "Refreshing is paused"
    assert visit.page.get_attribute("#refresh-pause", "aria-pressed") == "true"
    visit.page.click("#refresh-pause")
    next_page(visit)
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
    visit.page.evaluate("window.isOld = true")
    visit.page.clock.fast_forward(LONG_MS)
    assert visit.page.evaluate("window.isOld") is True
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


def test_nothing_moves_and_nothing_is_announced_again(visit: Visit, slow: str) -> None:
    visit.page.emulate_media(reduced_motion="reduce")
    visit.open(slow)
    moving = "document.getAnimations().length"
    assert visit.page.evaluate(moving) == 0
    assert visit.page.inner_text("#refresh-told") == ("Refreshing every 3600 seconds")


def test_a_page_that_does_not_refresh_has_no_button(
    visit: Visit, address_of: Address, the_page: Callable[[str], Page]
) -> None:
    visit.open(address_of(the_page("played")))
    assert visit.page.locator("#refresh").count() == 0
