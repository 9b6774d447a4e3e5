"""Everybody can read and use the report: axe-core's rules, keyboard, print, motion and colours.

axe-core comes from npm (`make web`). It is evaluated in the page, whose policy stays as strict as
for everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

import pytest
from axe import axe_core, violations
from browsing import MEDIA, new_window, visiting
from markup import problems_in
from report_pages import PAGES
from tools import needs

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

LISTED: Final = 10
"""How many games the list shows: all its rows are alike, and each takes time."""

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
    const name = at.outerHTML.slice(0, 120);
    return { place: places.get(at), name, marked: lines.some(marked), seen: hit };
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

FITS: Final = """
() => innerWidth === 320
  && document.documentElement.scrollWidth === document.documentElement.clientWidth
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

STOPS: Final = """
() => [...document.querySelectorAll("main table")]
  .filter(table => table.querySelector("thead th:nth-child(4)") && !table.closest("#games"))
  .map(table => [...table.querySelectorAll("td")].filter(td => td.tabIndex >= 0).length)
"""
"""How many cells of each table can be tabbed to."""

PAPER: Final = """
() => {
  const { backgroundColor, color } = getComputedStyle(document.body);
  return [document.documentElement.scrollWidth, backgroundColor, color];
}
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


@pytest.mark.parametrize("kind", PAGES)
def test_each_kind_of_page_is_read_and_used_by_everybody(
    kind: str,
    axe: str,
    browser: Any,
    address_of: Callable[[Page], str],
    the_page: Callable[[str], Page],
) -> None:
    """Each is opened once: by axe-core, without motion, on paper and on a small phone."""
    window = new_window(browser)
    tab = window.new_page()
    tab.set_viewport_size({"width": 320, "height": 800})
    with visiting(tab) as visitor:
        visitor.open(address_of(the_page(kind)))
        assert tab.is_visible("#theme")
        tab.evaluate(LIST, str(LISTED))
        finds_nothing(tab, axe, VIEWS[kind])
        tab.emulate_media(**MEDIA)
        assert tab.evaluate(MOVING) == []
        if kind in ("played", "many bots"):
            # However large a crosstable is, few stops lead past it.
            stops = tab.evaluate(STOPS)
            assert len(stops) > 0
            assert max(stops) <= 1
        if kind in ("played", "outcome", "one game", "measures compared"):
            tab.set_viewport_size({"width": A4_WIDTH, "height": 800})
            tab.emulate_media(media="print", color_scheme="dark")
            assert tab.evaluate(CUT) == []
            width, ground, ink = tab.evaluate(PAPER)
            assert width <= A4_WIDTH
            assert ground in {"rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"}
            assert ink == "rgb(0, 0, 0)"
            tab.emulate_media(**MEDIA)
        tab.set_viewport_size({"width": 320, "height": 640})
        tab.wait_for_function(FITS)  # tables become cards a moment later
        tab.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert visitor.sideways() == 0
        clipped = "[document.documentElement, document.body, document.querySelector('main')]"
        kinds = tab.evaluate(f"{clipped}.map(one => getComputedStyle(one).overflowX)")
        assert set(kinds) == {"visible"}
        tab.evaluate("scrollTo(0, document.body.scrollHeight)")
        assert len(visitor.documents()) == 1
    window.close()


def finds_nothing(opened: Any, axe: str, views: Sequence[tuple[str, int]]) -> None:
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


def test_axe_finds_nothing_in_forced_colours(open_page: Callable[..., Any], axe: str) -> None:
    """By the rules of colours: the document is the one that all rules have seen."""
    opened = open_page("played", forced_colors="active")
    colours = "all => all.map(one => getComputedStyle(one).backgroundColor)"
    legend = opened.locator(".legend li").evaluate_all(colours)
    assert len(set(legend)) == len(legend)  # a legend is its colours
    finds_nothing_in_forced_colours(opened, axe, "cat.color")


def finds_nothing_in_forced_colours(opened: Any, axe: str, *tags: str) -> None:
    opened.evaluate(LIST, str(LISTED))
    opened.evaluate(axe)
    for scheme in ("light", "dark"):
        opened.emulate_media(color_scheme=scheme)
        assert violations(opened, *tags) == [], scheme


COLOURS: Final = """
() => [...document.querySelectorAll("*")].map(element => {
  const { color, backgroundColor, fill, stroke } = getComputedStyle(element);
  return [color, backgroundColor, fill, stroke].join();
})
"""
"""The colours of all elements, boards and charts included."""

NO_STORAGE: Final = """
Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied"); } });
"""


def test_a_chosen_theme_looks_as_that_of_the_system_and_is_kept(
    open_page: Callable[..., Any],
) -> None:
    page = open_page("played")
    on_paper = []
    for scheme, other in (("light", "dark"), ("dark", "light")):
        page.emulate_media(color_scheme=scheme)
        page.select_option("#theme", "light dark")
        wanted = page.evaluate(COLOURS)
        page.emulate_media(color_scheme=other)
        assert page.evaluate(COLOURS) != wanted
        page.select_option("#theme", scheme)
        assert page.evaluate(COLOURS) == wanted
        page.emulate_media(media="print")
        on_paper.append(page.evaluate(COLOURS))
        page.emulate_media(media="screen")
        ground = page.evaluate(PAPER)[1]
        page.reload()
        assert (page.input_value("#theme"), page.evaluate(PAPER)[1]) == (scheme, ground)
    assert on_paper[0] == on_paper[1], "paper is light"
    page.add_init_script(NO_STORAGE)
    page.reload()
    page.select_option("#theme", "light")
    assert page.evaluate(PAPER)[1] != ground, "the theme changes all the same"


def test_axe_would_tell(open_page: Callable[..., Any], axe: str) -> None:
    opened = open_page("empty", forced_colors="active")
    opened.evaluate(axe)
    opened.evaluate("""() => {
      document.body.append(document.createElement('button'));
      const { style } = document.querySelector("h1");
      [style.forcedColorAdjust, style.color, style.background] = ["none", "#777", "#888"];
    }""")
    for tags, rule in ((["cat.color"], "color-contrast"), (["cat.name-role-value"], "button-name")):
        assert [told.split(":")[0] for told in violations(opened, *tags)] == [rule]


@needs("node", "npm")
@pytest.mark.slow
def test_every_kind_of_page_is_valid_html(the_page: Callable[[str], Page], tmp_path: Any) -> None:
    """By html-validate, from npm; one page there is not, and it says so."""
    for kind in PAGES:
        (tmp_path / f"{kind}.html").write_text(the_page(kind).html, encoding="utf-8")
    wrong = the_page("empty").html.replace("<main", '<p id="x"></div><main id="x"', 1)
    (tmp_path / "wrong.html").write_text(wrong, encoding="utf-8")
    problems = problems_in(tmp_path)
    told = [said for said in problems if said.startswith("wrong.html:")]
    assert {said.split()[1] for said in told} >= {"no-dup-id:", "close-order:"}
    assert [said for said in problems if said not in told] == []


@pytest.mark.parametrize(("which", "width"), [("played", 1280), ("outcome", 320), ("hostile", 320)])
def test_the_tab_key_reaches_all_in_the_documents_order_and_shows_where_it_is(
    open_page: Callable[..., Any], which: str, width: int
) -> None:
    # Without motion, scrolling to what has the focus is done at once.
    tab_reaches_all(open_page(which, width, reduced_motion="reduce"), LISTED)


def tab_reaches_all(opened: Any, listed: int) -> None:
    opened.evaluate(LIST, str(listed))
    reachable = opened.evaluate(REACHABLE)
    visited = list(_tabbed(opened, most=len(reachable) + 20))
    assert [stop["name"] for stop in visited if not (stop["marked"] and stop["seen"])] == []
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


def test_without_script_the_page_is_whole_and_offers_nothing_that_needs_one(
    browser: Any, address_of: Callable[[Page], str], the_page: Callable[[str], Page]
) -> None:
    context = browser.new_context(java_script_enabled=False)
    scriptless = context.new_page()
    for which in ("played", "outcome", "many bots", "empty", "measures"):
        scriptless.goto(address_of(the_page(which)))
        for width in (320, 1280):
            scriptless.set_viewport_size({"width": width, "height": 800})
            offered = scriptless.locator("button:visible, input:visible, select:visible")
            assert offered.count() == 0, which
            headings = scriptless.locator("main h2").count()
            assert scriptless.locator("main h2:visible").count() == headings > 0
            size = scriptless.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert size[0] <= size[1]
            if which not in ("empty", "measures"):  # of which nothing is missing
                assert scriptless.locator("noscript").first.is_visible()
    assert scriptless.pdf(format="A4").startswith(b"%PDF")
    context.close()
