"""If a request fails, a page says what to do and keeps its state; it works again afterwards."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pytest
from sites import served

from lath.arena.site.guard import SiteKeys
from lath.arena.site.rendering import TEMPLATES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sites import Guest

pytestmark = pytest.mark.slow

RECORD: Final = '[Game "yavalath"]\n[Result "*"]\n\n1. e5 2. d4 *\n'

FAULTS: Final[dict[str, dict[str, Any] | None]] = {
    "gone": None,
    "refused": {"status": 403, "body": "no"},
    "not there": {"status": 404, "json": {"error": "game not found"}},
    "busy": {"status": 429, "json": {"error": "too many requests; try again in 5 s"}},
    "stopping": {"status": 503, "json": {"error": "the site is stopping"}},
    "broken": {"status": 500, "body": "Internal Server Error", "content_type": "text/plain"},
    "of a proxy": {"status": 502, "body": "<h1>Bad gateway</h1>", "content_type": "text/html"},
    "no JSON": {"status": 200, "body": "<p>Sign in", "content_type": "text/html"},
    "other JSON": {"status": 200, "json": 5},
    "half an error": {"status": 409, "body": '{"err', "content_type": "application/json"},
}
"""What becomes of requests; None if there is no answer."""

RAW: Final = re.compile(
    "Failed to fetch|NetworkError|Load failed|Unexpected|JSON|Error:|undefined|null|Cannot|<h1>"
    "|not a function|not iterable"
)
TO_DO: Final = re.compile(
    "Check that|Open the address|[Tt]ry again|see the start page|connects again by itself"
)

SHOWN: Final = """() => ["said", "lost", "thought"].map((id) => document.getElementById(id))
  .concat(document.querySelector(".away")).map((one) => one?.textContent ?? "")
  .join(" ").replace("Not evaluated.", "").trim()"""

STATE: Final = """() => [
  ...document.querySelectorAll("main input, main select, main textarea, #tree, #moves")
].map((one) => (one.id === "text" ? "" : one.value ?? one.textContent))"""


DRAWN: Final = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"


def answering(answer: dict[str, Any] | None) -> Callable[[Any], None]:
    return lambda route: route.fulfill(**answer) if answer else route.abort()


def typed(page: Any) -> None:
    page.fill("#typed-move", "e5")
    page.press("#typed-move", "Enter")


def submitted(page: Any) -> None:
    page.evaluate("document.getElementById('setup').requestSubmit()")


def seen_again(page: Any) -> None:
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def changed(name: str) -> Callable[[Any], None]:
    return lambda page: page.evaluate(
        "name => document.getElementById(name).dispatchEvent(new Event('change'))", name
    )


def pressed(name: str) -> Callable[[Any], None]:
    return lambda page: page.evaluate("name => document.getElementById(name).click()", name)


ACTS: Final[dict[str, dict[str, Callable[[Any], None]]]] = {
    "/": {"/api/items": seen_again},
    "/play?game=yavalath": {"/api/start": changed("game")},
    "/analyse?game=yavalath": {"/api/keep": pressed("keep"), "/api/start": submitted},
    "/explore?key=KEY&game=yavalath": {"/api/explore": submitted},
    "/puzzles?game=yavalath": {"/api/puzzles": changed("setup")},
}
"""On each page, acts that lead to requests."""


@pytest.mark.parametrize("path", ACTS)
def test_a_page_says_what_to_do_and_works_again(path: str, guest: Guest, tmp_path: Path) -> None:
    (tmp_path / "old.lath").write_text(RECORD)
    with served(tmp_path) as site:
        visit = guest(site, path.replace("KEY", site.key("old.lath")))
        page = visit.page
        page.wait_for_load_state("networkidle")
        for name, act in ACTS[path].items():
            before = page.evaluate(STATE)
            for fault, answer in FAULTS.items():
                page.route(f"**{name}**", answering(answer))
                with page.expect_request(f"**{name}**"):
                    act(page)
                page.evaluate(DRAWN)
                page.wait_for_function(f"() => ({SHOWN})() !== ''")
                words = page.evaluate(SHOWN)
                assert TO_DO.search(words), (name, fault, words)
                assert not RAW.search(page.inner_text("body")), (name, fault, words)
                assert page.evaluate(STATE) == before, (name, fault)
                page.unroute_all()
            act(page)
            page.wait_for_function(f"() => ({SHOWN})() === ''")
        visit.complaints.clear()  # the console of a browser tells of failed requests


def test_all_requests_are_made_in_one_place() -> None:
    for script in TEMPLATES.glob("*.js"):
        code = script.read_text("utf-8")
        if script.name != "common.js":
            assert not re.search(r"\bfetch\(|EventSource|XMLHttpRequest", code), script.name


def test_a_page_connects_again_and_takes_the_keys_of_a_new_start(
    guest: Guest, tmp_path: Path
) -> None:
    with served(tmp_path) as site:
        visit = guest(site, "/analyse?game=yavalath")
        page = visit.page
        page.wait_for_selector("#board.mine")
        typed(page)
        page.wait_for_selector("#tree button")
    page.evaluate("document.getElementById('keep').click()")
    page.wait_for_selector(".away:has-text('does not answer')")
    with served(tmp_path, keys=SiteKeys("another"), port=site.port) as again:
        page.wait_for_selector(".away:has-text('Open the address')")
        other = page.context.new_page()
        other.goto(f"{again.address}/?token=another")
        other.wait_for_selector(".bar")
        page.wait_for_function("() => document.querySelector('.away').textContent === ''")
        assert page.locator("#tree button").count() == 1
        assert page.url.startswith(f"{again.address}{SiteKeys('another').root}/analyse?")
        page.evaluate("document.getElementById('keep').click()")
        page.wait_for_selector("#kept:has-text('Saved')")
        links = page.eval_on_selector_all(".bar a", "all => all.map((one) => one.pathname)")
        assert all(link.startswith(SiteKeys("another").root) for link in links)
        visit.complaints.clear()
