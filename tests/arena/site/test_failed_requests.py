"""If a request fails, a page says what to do and keeps its state; it works again afterwards."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from sites import a_long_cup, served, until

from lath.arena.site import thinking
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

EVERY: Final = tuple(FAULTS)

LOST: Final = "5/6/7/8/1ww1w4/bb1b4/7/6/5 w"
"""A position of Yavalath in which a1 and d3 end the game."""

RAW: Final = re.compile(
    "Failed to fetch|NetworkError|Load failed|Unexpected|JSON|Error:|undefined|null|Cannot|<h1>"
    "|not a function|not iterable"
)
TO_DO: Final = re.compile(
    "Check that|Open the address|[Tt]ry again|see the start page|connects again by itself"
)

SHOWN: Final = """() => ["said", "lost", "arranged"].map((id) => document.getElementById(id))
  .concat(document.querySelector(".away")).map((one) => one?.textContent ?? "").join(" ").trim()"""

IS_TOLD: Final = f"() => /{TO_DO.pattern}/.test(({SHOWN})())"

STATE: Final = """() => [
  ...document.querySelectorAll("main input, main select, main textarea, #tree, #moves")
].map((one) => (one.id === "text" ? "" : one.value ?? one.textContent))"""


DRAWN: Final = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"


def answering(answer: dict[str, Any] | None) -> Callable[[Any], None]:
    return lambda route: route.fulfill(**answer) if answer else route.abort()


def typing(move: str) -> Callable[[Any], None]:
    """Return an act that plays a move, or does it again where the page offers that."""

    def typed(page: Any) -> None:
        for button in ("#again:visible", "#retry:visible"):
            if page.locator(button).count():
                page.click(button)
                return
        ready(page)
        page.fill("#typed-move", move)
        page.press("#typed-move", "Enter")

    return typed


def wrong(page: Any) -> None:
    """Play a move that does not solve the puzzle."""
    if page.locator("#retry:visible").count():
        page.click("#retry")
        ready(page)
    for move in ("a1", "a2"):
        if not page.locator("#retry:visible").count():
            typing(move)(page)


def submitted(page: Any) -> None:
    page.evaluate("document.getElementById('setup').requestSubmit()")


def seen_again(page: Any) -> None:
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def opened_anew(page: Any) -> None:
    page.evaluate("sessionStorage.clear()")
    page.reload()


def thinking_on(page: Any) -> None:
    page.evaluate(
        "const one = document.getElementById('think');"
        "if (one.ariaPressed === 'true') one.click(); one.click()"
    )


def changed(name: str) -> Callable[[Any], None]:
    return lambda page: page.evaluate(
        "name => document.getElementById(name).dispatchEvent(new Event('change'))", name
    )


def pressed(name: str) -> Callable[[Any], None]:
    return lambda page: page.evaluate("name => document.getElementById(name).click()", name)


def chosen(name: str, value: str) -> Callable[[Any], None]:
    """Return what sets a field, of which the page hears nothing yet."""
    return lambda page: page.evaluate(
        "([name, value]) => { document.getElementById(name).value = value; }", [name, value]
    )


def two_people(page: Any) -> None:
    chosen("game", "yavalath")(page)
    page.select_option("#bot", "")


def set_up(page: Any) -> None:
    page.click("#set-up > summary")
    page.wait_for_selector("#arranged:has-text('position')")


def ready(page: Any) -> None:
    page.wait_for_selector("#board.mine")


def running(page: Any) -> None:
    page.wait_for_selector("#stop:visible")


def ended(page: Any) -> None:
    typing("d3")(page)
    page.wait_for_selector("#kept:has-text('Saved')")


def settling(page: Any) -> Callable[[], object]:
    """Return what waits until the page asks for nothing, except for news and thoughts."""
    open_ones: set[Any] = set()
    page.on("request", lambda one: open_ones.add(one))  # noqa: PLW0108 - a built-in has no name to keep
    for event in ("requestfinished", "requestfailed"):
        page.on(event, lambda one: open_ones.discard(one))  # noqa: PLW0108

    def rests() -> bool:
        page.evaluate(DRAWN)
        return all(re.search("/events|/think", one.url) for one in open_ones)

    return lambda: until(lambda: rests() and rests())


class Act(NamedTuple):
    """An act on a page that leads to a request of a script."""

    script: str
    request: str
    do: Callable[[Any], None]
    faults: tuple[str, ...] = ("gone", "refused", "no JSON")
    before: Callable[[Any], None] = lambda _: None
    keeps: bool = True
    """Whether the page is still the same after a fault."""


ACTS: Final[dict[str, list[Act]]] = {
    "/": [Act("home", "/api/items", seen_again, EVERY)],
    f"/play?game=yavalath&bot=&position={LOST}": [
        Act("play", "/api/start", changed("game"), EVERY),
        Act("common", "/api/items", seen_again, ("gone", "refused")),
        Act("common", "/api/boards/*", changed("game"), before=chosen("game", "surikata")),
        Act("common", "/api/bots/*", changed("bot"), before=chosen("bot", "solver")),
        Act("play", "/api/start", submitted, before=two_people),
        Act("table", "/api/position", typing("a1"), before=ready),
        Act("play", "/api/think", pressed("hint")),
        Act("play", "/api/keep", pressed("keep")),
        Act("play", "/api/review", pressed("review"), before=ended),
    ],
    "/analyse?game=yavalath": [
        Act("analyse", "/api/keep", pressed("keep"), EVERY),
        Act("analyse", "/api/start", submitted),
        Act("table", "/api/position", typing("e5"), before=ready),
        Act("analyse", "/api/think", thinking_on),
        Act("analyse", "/api/start", pressed("new"), before=set_up),
        Act("analyse", "/api/arrange", pressed("clear")),
        Act("analyse", "/api/read", submitted, before=lambda page: page.fill("#record", RECORD)),
    ],
    "/analyse?record=KEY/1": [Act("analyse", "/api/records/*", opened_anew, keeps=False)],
    "/rules/yavalath": [Act("common", "/api/boards/*", opened_anew)],
    "/explore?key=KEY&game=yavalath": [
        Act("explore", "/api/explore", submitted, EVERY),
        Act("table", "/api/position", submitted),
    ],
    "/puzzles?game=yavalath": [
        Act("puzzles", "/api/puzzles/*", changed("setup")),
        Act("table", "/api/position", typing("a1"), before=ready),
        Act("puzzles", "/api/refute", wrong, before=ready, keeps=False),
    ],
    "/t/CUP": [
        Act("watch", "/t/*/events", seen_again),
        Act("watch", "/t/*/start", pressed("start")),
        Act("watch", "/t/*/stop", pressed("stop"), before=running),
    ],
}
"""On each page, acts that lead to requests."""

EXCUSED: Final = {
    "home /": "a fault has the same words as one of /api/items, which comes first",
    "watch /t/*/game/*": "without it the enlarged board stays live, and the next move asks again",
    "report-progress /report/*/events": "a stream of news as that of watch.js is",
}
"""Requests without an act here, with the reason."""

CALL: Final = re.compile(
    r"(?<!function\* )\b(?:ask|askFor|askText|listen)\(([`\"]/.*?[`\"?]|address\()?"
)


VALUE: Final = re.compile(r"\$\{.*?\}")

MARKS: Final = '`"?'


def requests_of(script: Path) -> list[str]:
    """Return the script's requests; what stands in an address for a value is a star."""
    found = []
    for call in CALL.finditer(script.read_text("utf-8")):
        address = "/report/*/events" if call[1] == "address(" else call[1]
        assert address, f"{script.name}: an address that this test cannot read"
        found.append(f"{script.stem} {VALUE.sub('*', address).strip(MARKS)}")
    return found


def test_each_request_of_the_scripts_is_tried_here() -> None:
    scripts = {one for script in TEMPLATES.glob("*.js") for one in requests_of(script)}
    tried = {f"{act.script} {act.request}" for acts in ACTS.values() for act in acts}
    named = {*tried, *EXCUSED}
    assert [one for one in scripts if not any(fnmatch(name, one) for name in named)] == []
    assert [name for name in named if not any(fnmatch(name, one) for one in scripts)] == []


@pytest.mark.parametrize("path", ACTS)
def test_a_page_says_what_to_do_and_works_again(
    path: str, guest: Guest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinking, "USUAL_NODES", 40)
    folder = a_long_cup(tmp_path)
    (folder / "old.lath").write_text(RECORD)
    with served(folder) as site:
        keyed = path.replace("KEY", site.key("old.lath")).replace("CUP", site.key("long"))
        visit = guest(site, keyed)
        page = visit.page
        page.wait_for_load_state("load" if keyed.startswith("/t/") else "networkidle")
        settled = settling(page)
        for act in ACTS[path]:
            settled()
            act.before(page)
            settled()
            before = page.evaluate(STATE)
            for fault in act.faults:
                page.route(f"**{act.request}*", answering(FAULTS[fault]))
                with page.expect_request(f"**{act.request}*"):
                    act.do(page)
                page.evaluate(DRAWN)
                page.wait_for_function(IS_TOLD)
                words = page.evaluate(SHOWN)
                assert not RAW.search(page.inner_text("body")), (act.request, fault, words)
                assert not act.keeps or page.evaluate(STATE) == before, (act.request, fault)
                page.unroute_all()
            act.do(page)
            page.wait_for_function(f"() => !({IS_TOLD})()")
        visit.complaints.clear()  # the console of a browser tells of failed requests


def test_a_fault_of_the_site_is_a_page_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(tmp_path) as site:
        monkeypatch.setattr(site.site.shelf, "items", None)
        shown = site.ask("/", **site.cookie, Accept="text/html")
        told = site.ask("/api/items", **site.cookie)
    assert (shown.status, told.status) == (500, 500)
    assert "Back to the start page" in shown.text
    assert "content-security-policy" in shown.headers
    assert all("messages of arena serve" in text for text in (shown.text, told.value["error"]))


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
        typing("e5")(page)
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
