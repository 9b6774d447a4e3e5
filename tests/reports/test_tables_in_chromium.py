"""The tables of a report in a real browser: nothing is cut, headings stay, colour says evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, cycle
from typing import TYPE_CHECKING, Any, Final

import pytest
from sample_records import bare

from lath.reports.page.page import Page, render

if TYPE_CHECKING:
    from browsing import Visit

    from lath.notation.record import Record

WIDTHS: Final = (320, 390, 1280, 1920)
"""Pixels of windows: two phones, a laptop, a large screen."""

CROWD: Final = tuple(f"bot-{number:02}" for number in range(40))

CUT: Final = """
() => [...document.querySelectorAll("main table")].filter(table => {
  const room = table.closest(".scroll");
  if (!room || !table.checkVisibility()) return false;
  const [inner, outer] = [table, room].map(one => one.getBoundingClientRect());
  const names = [...table.querySelectorAll("bdi")].filter(one => one.clientWidth > 0);
  const heads = table.tHead.rows[0].cells[0].getBoundingClientRect();
  const covers = heads.bottom > table.tBodies[0].getBoundingClientRect().top + 4;
  const isCut = names.some(one => one.scrollWidth > one.clientWidth + 1);
  return inner.right > outer.right + 1 || covers || isCut;
}).map(table => table.className)
"""
"""Tables that are wider than their room, have a name that is cut, or heads over their first row."""

TOP: Final = "one => one.getBoundingClientRect().top"

COLOUR: Final = """
([row, column]) => getComputedStyle(
  document.querySelectorAll("#crosstable tbody tr")[row].cells[column + 1]).backgroundColor
"""


LONG: Final = "a-bot-whose-name-says-it-all"


def crowd(names: Sequence[str] = CROWD) -> Iterator[Record]:
    """Yield four games of every two bots, of which the first ones are the stronger."""
    results = cycle(("1-0", "1-0", "0-1"))
    for first, second in combinations(names, 2):
        for _ in range(2):
            yield bare(first, second, next(results))
            yield bare(second, first, "0-1")


@pytest.fixture(scope="module")
def crowded(address_of: Callable[[Page], str]) -> str:
    return address_of(render(crowd()))


@pytest.fixture
def open_crowd(visit: Visit, crowded: str) -> Callable[..., Any]:
    def opened(width: int, height: int = 800) -> Any:
        visit.page.set_viewport_size({"width": width, "height": height})
        visit.open(crowded)
        return visit.page

    return opened


def test_no_table_of_three_bots_is_cut_at_any_width(
    visit: Visit, address_of: Callable[[Page], str], the_page: Callable[[str], Page]
) -> None:
    visit.open(address_of(the_page("played")))
    for width in WIDTHS:
        visit.page.set_viewport_size({"width": width, "height": 800})
        visit.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        visit.page.wait_for_selector(".explorer table")
        assert (visit.sideways(), visit.page.evaluate(CUT)) == (0, []), width


def test_of_forty_bots_the_crosstable_alone_scrolls_and_shows_name_and_score(
    visit: Visit, open_crowd: Callable[..., Any]
) -> None:
    opened = open_crowd(WIDTHS[0])
    for width in WIDTHS:
        opened.set_viewport_size({"width": width, "height": 800})
        assert visit.sideways() == 0
        scrolls = opened.evaluate(CUT)
        assert all("compact" in name for name in scrolls), width
        assert bool(scrolls) == (width < 1280)
        row = opened.locator("#crosstable tbody tr").first
        for part in ("th", ".number"):
            box = row.locator(part).bounding_box()
            assert 0 <= box["x"] < box["x"] + box["width"] <= width


@pytest.mark.parametrize("size", [6, 9, 12])
def test_a_crosstable_of_few_bots_is_a_table_on_a_laptop_whoever_has_a_long_name(
    visit: Visit, address_of: Callable[[Page], str], size: int
) -> None:
    names = [*(f"bot-{number:02}" for number in range(1, size)), LONG]
    visit.open(address_of(render(crowd(names))))
    for width in (1280, 1920):
        visit.page.set_viewport_size({"width": width, "height": 800})
        table = visit.page.locator("#crosstable table").first
        assert table.evaluate("one => getComputedStyle(one).display") == "table", width
        assert visit.sideways() == 0


def test_on_a_phone_rows_are_cards_whose_values_have_their_headings(
    visit: Visit, address_of: Callable[[Page], str], the_page: Callable[[str], Page]
) -> None:
    visit.page.set_viewport_size({"width": 390, "height": 800})
    visit.open(address_of(the_page("played")))
    for table in ("#standings", "#times"):
        row = visit.page.locator(f"{table} table").first.locator("tbody tr").first
        said = row.evaluate("""row => [...row.querySelectorAll("td:not(.rank, .drawn)")].map(
          cell => getComputedStyle(cell, "::before").content)""")
        heads = visit.page.locator(f"{table} table").first.locator("thead button")
        assert said == [f'"{words.removesuffix(" ±")}"' for words in heads.all_inner_texts()[1:]]
    cells = visit.page.locator("#crosstable table").first.locator(
        "tbody tr >> nth=0 >> td[class^=h]"
    )
    names = cells.evaluate_all("all => all.map(one => one.dataset.label)")
    assert len(names) == 2
    assert set(names) < {"ann", "bob", "cat"}


def test_headings_sort_and_the_caption_says_by_what(
    visit: Visit, address_of: Callable[[Page], str], the_page: Callable[[str], Page]
) -> None:
    visit.open(address_of(the_page("played")))
    table = visit.page.locator("#standings table").first
    assert table.locator(".sorted").inner_text() == "Sorted by Score, the highest first."

    def column(number: int) -> list[str]:
        return list(table.locator(f"tbody tr > :nth-child({number})").all_inner_texts())

    lost = [int(words) for words in column(11)]
    for most, told in ((True, "highest"), (False, "lowest")):
        table.get_by_role("button", name="Lost").click()
        assert [int(words) for words in column(11)] == sorted(lost, reverse=most)
        assert table.locator(".sorted").inner_text() == f"Sorted by Lost, the {told} first."
    table.get_by_role("button", name="Bot").click()
    assert column(2) == ["ann", "bob", "cat"]
    assert table.locator("[aria-sort]").inner_text() == "Bot"


@pytest.mark.parametrize("width", [390, 1280])
def test_headings_stay_in_sight_and_the_section_in_view_is_marked(
    open_crowd: Callable[..., Any], width: int
) -> None:
    opened = open_crowd(width)
    strip = "document.querySelector('.contents').getBoundingClientRect().height"
    least = 0 if width == 1280 else opened.evaluate(strip)
    region = opened.locator("#crosstable .scroll")
    row, head = (opened.locator(f"#crosstable {part}").first for part in ("tbody tr", "thead th"))
    region.evaluate("one => one.scrollIntoView()")
    if width == 1280:  # the table fits: the page scrolls
        opened.evaluate("scrollBy(0, 400)")
    else:
        region.evaluate("one => { one.scrollTop = 600; }")
    assert row.evaluate(TOP) < head.evaluate(TOP) - 200
    assert least <= head.evaluate(TOP) + 1 < least + 40
    marked = opened.locator(".contents [aria-current=location]")
    for section in ("crosstable", "bots", "standings", "method"):
        opened.locator(f"#{section}").evaluate("one => one.scrollIntoView()")
        opened.wait_for_selector(f".contents [aria-current=location][href='#{section}']")
        assert marked.count() == 1


def test_three_of_four_games_are_paler_than_sixty_of_eighty(
    visit: Visit, address_of: Callable[[Page], str]
) -> None:
    def games(one: str, other: str, wins: int, losses: int) -> Iterator[Record]:
        for number in range(wins + losses):
            seats = (one, other) if number % 2 else (other, one)
            is_won = number < wins
            yield bare(*seats, "1-0" if is_won == (seats[0] == one) else "0-1")

    visit.open(address_of(render([*games("ann", "bob", 60, 20), *games("bob", "cat", 3, 1)])))
    ann, bob, cat = 0, 1, 2
    assert visit.page.locator("#crosstable tbody th a").all_inner_texts() == ["ann", "bob", "cat"]
    open_, strong, against = (
        visit.page.evaluate(COLOUR, pair) for pair in ([bob, cat], [ann, bob], [bob, ann])
    )
    legend = visit.page.locator(".legend li").evaluate_all(
        "all => all.map(one => getComputedStyle(one).backgroundColor)"
    )
    assert len(set(legend)) == 9
    assert [legend.index(colour) for colour in (open_, strong, against)] == [4, 8, 0]
    told = visit.page.locator("#crosstable tbody tr >> nth=1 >> td").nth(cat).text_content()
    assert "by these games alone 81.2\N{NO-BREAK SPACE}%" in told


def test_an_event_without_games_has_a_page_that_says_so(
    visit: Visit, address_of: Callable[[Page], str], the_page: Callable[[str], Page]
) -> None:
    visit.page.set_viewport_size({"width": 320, "height": 640})
    visit.open(address_of(the_page("empty")))
    assert visit.page.inner_text("main h2") == "No game has been played yet."
    assert visit.page.locator("main > section, nav").count() == 1
    assert visit.sideways() == 0
