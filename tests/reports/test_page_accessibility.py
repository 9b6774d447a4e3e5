"""Everybody can read and use the report: axe-core's rules, keyboard, print, motion and colours.

axe-core comes from npm (`make web`). It is evaluated in the page, whose policy stays as strict as
for everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

import pytest
from axe import axe_core, violations
from report_pages import PAGES

if TYPE_CHECKING:
    from browsing import Visit

    from lath.reports.page.page import Page

VIEWS: Final[dict[str, list[tuple[str, int]]]] = {
    # Each scheme and each width of the page that has most; of the others, each has a view that
    # some other has not.
    "played": [("light", 320), ("dark", 1280)],
    "index": [("light", 1280), ("dark", 320)],
    "league": [("light", 1280), ("dark", 320)],
    "entrant": [("light", 320), ("dark", 1280)],
    "measures": [("light", 320), ("dark", 1280)],
    "measures compared": [("dark", 320), ("light", 1280)],
    "head to head": [("dark", 1280)],
    "many bots": [("light", 320)],
    "outcome": [("dark", 320)],
    "hostile": [("light", 320)],
    "watched": [("light", 1280)],
    "one game": [("dark", 320)],
    "empty": [("light", 1280)],
}
"""Colour schemes and widths in pixels, by kind of page."""

MORE_VIEWS: Final = {"played": [("light", 1280), ("dark", 320)], "watched": [("dark", 1280)]}
"""Those of the long tests."""

A4_WIDTH: Final = 718
"""Pixels of CSS between margins of a centimetre."""

AT_ONCE: Final = 20
"""How often Tab is pressed before it is asked where that led."""

LIST: Final = """
rows => {
  const size = document.getElementById("page-size");
  if (size === null) return;
  size.value = rows;
  size.dispatchEvent(new Event("change", { bubbles: true }));
}
"""

REST_AWAY: Final = """
() => document.querySelectorAll("main > section:not(#games, #openings), .contents, #rows tr + tr")
  .forEach(one => one.remove())
"""
"""What the other tests look at."""

of_games = pytest.mark.parametrize("listed", [10, pytest.param(25, marks=pytest.mark.soak)])
"""How many games the list shows: all its rows are alike, and each takes time."""

WATCH: Final = """
() => {
  const places = new Map([...document.querySelectorAll("*")].map((element, i) => [element, i]));
  window.stops = [];
  const focused = () => {
    const at = document.activeElement;
    if (at === document.body || at === null) return null;
    // The indicator may be drawn on a label or on what is inside.
    const lines = [at, at.parentElement, ...at.querySelectorAll("*")].map(getComputedStyle);
    const marked = style => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    const box = at.getBoundingClientRect();
    const [left, top] = [Math.max(box.left, 0), Math.max(box.top, 0)];
    const [right, bottom] = [Math.min(box.right, innerWidth), Math.min(box.bottom, innerHeight)];
    const points = [[.5, .5], [.1, .1], [.9, .9], [.1, .9], [.9, .1], [.5, .1]];
    const hit = points.some(([x, y]) => {
      const at_x = left + x * (right - left), at_y = top + y * (bottom - top);
      const over = document.elementFromPoint(at_x, at_y);
      const label = at.labels?.[0];
      return over !== null && (at.contains(over) || over.contains(at) || label?.contains(over));
    });
    return {
      place: places.get(at),
      name: at.outerHTML.slice(0, 120),
      marked: lines.some(marked),
      seen: hit,
    };
  };
  // When a key is released, all that its press has done is done.
  document.addEventListener("keyup", () => { window.stops.push(focused()); });
}
"""
"""Notes after each key where the focus is: what has it, or null where it has left the page."""

REACHABLE: Final = """
() => [...document.querySelectorAll("*")].flatMap((element, place) => {
  const native = element.matches("a[href], button:enabled, input:enabled, select:enabled, summary");
  const reachable = element.tabIndex >= 0 && (native || element.hasAttribute("tabindex"));
  const options = { visibilityProperty: true, contentVisibilityAuto: true };
  // Of radio buttons of a name, one can be tabbed to.
  const other = element.type === "radio" && !element.checked;
  return reachable && !other && element.checkVisibility(options) ? [place] : [];
})
"""

MOVING: Final = """
() => [...document.querySelectorAll("*")].filter(element => {
  const style = getComputedStyle(element);
  const durations = `${style.transitionDuration},${style.animationDuration}`.split(",");
  const animated = style.animationName !== "none" || style.transitionProperty !== "none";
  const long = durations.some(duration => parseFloat(duration) > .01);
  return style.scrollBehavior === "smooth" || (animated && long);
}).map(element => element.outerHTML.slice(0, 100))
"""

CUT: Final = """
() => [...document.querySelectorAll("body *")].filter(element => {
  const style = getComputedStyle(element);
  if (!element.checkVisibility() || element.closest("svg")) return false;
  const clipped = axis => style[`overflow${axis}`] !== "visible";
  const wide = clipped("X") && element.scrollWidth > element.clientWidth + 1;
  return wide || (clipped("Y") && element.scrollHeight > element.clientHeight + 1);
}).filter(element => element.clientWidth > 1).map(element => element.outerHTML.slice(0, 100))
"""


@pytest.fixture(scope="module")
def axe() -> str:
    return axe_core()


@pytest.fixture
def open_page(
    visit: Visit, address_of: Callable[[Page], str], the_page: Callable[[str], Page]
) -> Callable[..., Any]:
    """Open a page of a kind in a window of a width and return it."""

    def opened(kind: str, width: int = 1280, **media: str) -> Any:
        visit.page.set_viewport_size({"width": width, "height": 800})
        visit.page.emulate_media(**media)
        visit.open(address_of(the_page(kind)))
        return visit.page

    return opened


def test_axe_sees_every_kind_of_page() -> None:
    assert set(VIEWS) == set(PAGES)


@of_games
@pytest.mark.parametrize(
    ("kind", "views"),
    [
        *(pytest.param(kind, views, id=kind) for kind, views in VIEWS.items()),
        *(
            pytest.param(kind, views, id=f"more of {kind}", marks=pytest.mark.soak)
            for kind, views in MORE_VIEWS.items()
        ),
    ],
)
def test_axe_finds_nothing(
    open_page: Callable[..., Any], axe: str, kind: str, views: list[tuple[str, int]], *, listed: int
) -> None:
    scheme, width = views[0]
    opened = open_page(kind, width, color_scheme=scheme)
    opened.evaluate(LIST, str(listed))
    opened.evaluate(axe)
    for scheme, width in views:
        opened.set_viewport_size({"width": width, "height": 800})
        opened.emulate_media(color_scheme=scheme)
        assert violations(opened) == [], (scheme, width)


def test_axe_finds_nothing_in_openings_and_two_bots_compared(
    open_page: Callable[..., Any], axe: str
) -> None:
    opened = open_page("played", 320, color_scheme="dark")
    opened.evaluate("location.hash = '#games&a=ann&b=bob'")
    opened.wait_for_selector("#versus table >> nth=1")
    for game, part in (("yavalath", ".tree"), ("mammalath", ".setups")):
        opened.evaluate(
            "place => { place.closest('details').open = true; }",
            opened.query_selector(f".explorer[data-game={game}]"),
        )
        opened.wait_for_selector(f".explorer[data-game={game}] {part}")
    opened.evaluate(REST_AWAY)
    opened.evaluate(axe)
    assert violations(opened) == []


def test_axe_would_tell(open_page: Callable[..., Any], axe: str) -> None:
    opened = open_page("empty")
    opened.evaluate("document.body.append(document.createElement('button'))")
    opened.evaluate(axe)
    assert [told.split(":")[0] for told in violations(opened)][:1] == ["button-name"]


@pytest.mark.parametrize(
    "tags", [("cat.color",), pytest.param((), marks=pytest.mark.soak)], ids=["colours", "all"]
)
def test_axe_finds_nothing_in_forced_colours(
    open_page: Callable[..., Any], axe: str, tags: tuple[str, ...]
) -> None:
    """By the rules of colours: the document is the one that all rules have seen."""
    opened = open_page("played", forced_colors="active")
    opened.evaluate(LIST, "10")
    opened.evaluate(axe)
    for scheme in ("light", "dark"):
        opened.emulate_media(color_scheme=scheme)
        assert violations(opened, *tags) == [], scheme


def test_axe_would_tell_of_colours_that_are_not_forced(
    open_page: Callable[..., Any], axe: str
) -> None:
    opened = open_page("empty", forced_colors="active")
    opened.evaluate(axe)
    opened.evaluate("""() => {
      const { style } = document.querySelector("h1");
      [style.forcedColorAdjust, style.color, style.background] = ["none", "#777", "#888"];
    }""")
    assert [told.split(":")[0] for told in violations(opened, "cat.color")] == ["color-contrast"]


@of_games
@pytest.mark.parametrize(
    ("kind", "width"),
    [
        ("played", 1280),
        ("outcome", 320),
        ("hostile", 320),
        *(
            pytest.param(kind, width, marks=pytest.mark.soak)
            for kind, width in (("played", 320), ("outcome", 1280), ("hostile", 1280))
        ),
    ],
)
def test_the_tab_key_reaches_all_in_the_documents_order_and_shows_where_it_is(
    open_page: Callable[..., Any], kind: str, width: int, listed: int
) -> None:
    # Without motion, scrolling to what has the focus is done at once.
    opened = open_page(kind, width, reduced_motion="reduce")
    opened.evaluate(LIST, str(listed))
    reachable = opened.evaluate(REACHABLE)
    visited = list(_tabbed(opened, most=len(reachable) + 20))
    assert [stop["name"] for stop in visited if not stop["marked"]] == []
    assert [stop["name"] for stop in visited if not stop["seen"]] == []
    places = [stop["place"] for stop in visited]
    assert places == sorted(places)
    assert set(reachable) <= set(places)


def _tabbed(opened: Any, most: int) -> Iterator[dict[str, Any]]:
    """Yield where the focus goes until it leaves the page."""
    opened.evaluate(WATCH)
    for _ in range(0, most, AT_ONCE):
        for _ in range(AT_ONCE):
            opened.keyboard.press("Tab")
        stops = opened.evaluate("stops.splice(0)")
        assert len(stops) == AT_ONCE
        inside = list(takewhile(bool, stops))
        yield from inside
        if len(inside) < AT_ONCE:
            return
    pytest.fail(f"the focus is still in the page after {most} times Tab")


@pytest.mark.parametrize("kind", ["played", "many bots"])
def test_a_table_of_many_bots_is_no_trap_for_the_keyboard(
    open_page: Callable[..., Any], kind: str
) -> None:
    """However large a crosstable is, few stops lead past it."""
    opened = open_page(kind)
    stops = opened.evaluate("""
        () => [...document.querySelectorAll("main table")]
          .filter(table => table.querySelector("thead th:nth-child(4)") && !table.closest("#games"))
          .map(table => [...table.querySelectorAll("td")].filter(td => td.tabIndex >= 0).length)
    """)
    assert stops
    assert max(stops) <= 1


def test_nothing_moves_for_who_wants_no_motion(open_page: Callable[..., Any]) -> None:
    opened = open_page("played", reduced_motion="reduce")
    assert opened.evaluate(MOVING) == []


@pytest.mark.parametrize("kind", ["played", "outcome", "one game", "measures compared"])
def test_paper_has_all_of_the_page(open_page: Callable[..., Any], kind: str) -> None:
    opened = open_page(kind, A4_WIDTH, media="print", color_scheme="dark")
    assert opened.evaluate(CUT) == []
    assert opened.evaluate("document.documentElement.scrollWidth") <= A4_WIDTH


def test_paper_is_white(open_page: Callable[..., Any]) -> None:
    opened = open_page("one game", A4_WIDTH, media="print", color_scheme="dark")
    colours = (
        "() => { const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]; }"
    )
    ground, ink = opened.evaluate(colours)
    assert ground in {"rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"}
    assert ink == "rgb(0, 0, 0)"
    assert opened.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.parametrize("kind", ["played", "outcome", "many bots", "empty", "measures"])
def test_without_script_the_page_is_whole_and_offers_nothing_that_needs_one(
    scriptless: Any, address_of: Callable[[Page], str], the_page: Callable[[str], Page], kind: str
) -> None:
    scriptless.goto(address_of(the_page(kind)))
    for width in (320, 1280):
        scriptless.set_viewport_size({"width": width, "height": 800})
        assert scriptless.locator("button:visible, input:visible, select:visible").count() == 0
        headings = scriptless.locator("main h2").count()
        assert scriptless.locator("main h2:visible").count() == headings > 0
        size = scriptless.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert size[0] <= size[1]
        if kind not in ("empty", "measures"):  # of which nothing is missing
            assert scriptless.locator("noscript").first.is_visible()


@pytest.fixture(scope="module")
def scriptless(browser: Any) -> Iterator[Any]:
    """A tab in which no page's script runs."""
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()
