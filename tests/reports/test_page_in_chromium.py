"""The whole report in a real browser, from a file and without network: safe, in any window."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

import pytest
from axe import axe_core, violations
from browsing import new_window, visiting, write
from different_games import different_games
from PIL import Image
from report_pages import knockout, played
from sample_records import HOSTILE_NAMES, bare, hostile_records
from seen_boards import differing_cells
from tools import needs

from lath.notation.rules.replay import positions
from lath.reports.page.page import Page, render

if TYPE_CHECKING:
    from browsing import Visit

    from lath.notation.record.record import Record

Address = Callable[[Page], str]
Pages = Callable[[str], Page]

WIDTHS: Final = (320, 390, 1280, 1920)
"""Pixels of windows: two phones, a laptop, a large screen."""


@pytest.fixture(scope="module")
def report(address_of: Address, the_page: Pages) -> str:
    return address_of(the_page("played"))


def resized(visit: Visit, width: int, height: int = 800) -> Any:
    visit.page.set_viewport_size({"width": width, "height": height})
    return visit.page


# Alone, safe and quiet

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


def test_the_page_works_alone_offline_and_refuses_what_is_injected(
    visit: Visit, browser: Any, the_page: Pages, report: str, tmp_path: Path
) -> None:
    context = browser.new_context(offline=True)
    opened = context.new_page()
    opened.goto(write(the_page("played").html, tmp_path))
    opened.wait_for_selector("#board svg")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    context.close()
    # If ever markup got through, the policy would still stop it.
    visit.open(report)
    assert visit.page.evaluate(_INJECTED) == [None, ""]
    assert len(visit.complaints) >= 3
    assert all("Content Security Policy" in complaint for complaint in visit.complaints)
    visit.complaints.clear()


def test_hostile_words_are_inert_in_every_game_and_fit_a_small_phone(
    visit: Visit, address_of: Address, the_page: Pages, report: str
) -> None:
    address = address_of(the_page("hostile"))
    page = resized(visit, 320, 640)
    visit.open(address)
    before = page.evaluate("document.scripts.length")
    for number in range(1, len(hostile_records()) + 1):
        page.goto(f"{address}#game={number}&ply=1")
        visit.await_game(number)
        page.evaluate("document.getElementById('more').open = true")
        page.evaluate("document.getElementById('legal').click()")
        assert visit.sideways() == 0
    counts = page.evaluate(
        "['script', 'img', 'main b', 'iframe', '[onload]', '[onerror]']"
        ".map(wanted => document.querySelectorAll(wanted).length)"
    )
    assert counts == [before, 0, 0, 0, 0, 0]
    shown = page.evaluate("[...document.querySelectorAll('bdi')].map(n => n.textContent)")
    assert set(HOSTILE_NAMES) <= set(shown)
    visit.open(report)
    for number in (1, 2, 7, 8):
        page.goto(f"{report}#game={number}&ply=3")
        visit.await_game(number)
        assert visit.sideways() == 0
    visit.open(address_of(the_page("empty")))
    assert not page.is_visible("#replay-body")
    assert page.inner_text("main h2") == "No game has been played yet."
    assert page.locator("main > section, nav").count() == 1
    assert visit.sideways() == 0


def test_a_link_opens_its_game_and_an_address_can_be_sent(visit: Visit, report: str) -> None:
    page = visit.page
    page.emulate_media(reduced_motion="no-preference")
    visit.open(report)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    links = page.locator("main section:not(#games) a[href^='#game=']")
    target = links.last.get_attribute("href")
    links.last.click()
    visit.await_game(int(target.removeprefix("#game=").split("&")[0]))
    cells = "[...document.querySelectorAll('#board svg title')].map(title => title.textContent)"
    page.goto(f"{report}#game=2&ply=1")
    visit.await_game(2)
    page.click("#forward")
    page.wait_for_url("**#game=2&ply=2")
    page.click("#game-after")
    visit.await_game(3)
    board, address = page.evaluate(cells), page.url
    page.goto("about:blank")
    visit.open(address)
    assert page.evaluate(cells) == board


def test_a_page_is_opened_at_its_place_and_scrolls_smoothly_for_clicks_alone(
    visit: Visit, report: str
) -> None:
    page = resized(visit, 390)
    page.emulate_media(reduced_motion="no-preference")
    page.add_init_script(
        "window.seen = new Set(); addEventListener('scroll', () => seen.add(scrollY >> 7), true);"
    )
    visit.open(f"{report}#game=3&ply=2")
    page.wait_for_function("lath.readyAt && seen.size > 0")
    page.wait_for_function("Math.abs(document.getElementById('replay').offsetTop - scrollY) < 300")
    assert page.evaluate("seen.size") <= 2
    kind = "getComputedStyle(document.documentElement).scrollBehavior"
    page.locator(".contents a").first.focus()
    assert page.evaluate(kind) == "smooth"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(kind) == "auto"


def test_the_result_of_a_knockout_comes_first(
    visit: Visit, address_of: Address, the_page: Pages
) -> None:
    visit.open(address_of(the_page("outcome")))
    sections = visit.page.locator("main > section")
    assert [sections.nth(at).get_attribute("id") for at in (0, 1)] == ["summary", "result"]
    assert visit.page.inner_text("#summary h2").endswith(" by 1 to 1 (level: x).")
    assert knockout().verdict in visit.page.inner_text("#result")


# Tables: nothing is cut, headings stay, colour says evidence

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

LINES: Final = """
row => new Set([...row.cells].filter(one => one.checkVisibility() && !one.matches(".rank"))
  .map(one => getComputedStyle(one).gridRowStart)).size
"""
"""The lines of a bot in standings on a phone."""

A4_WIDTH: Final = 718
"""The width of a printed page in pixels."""

BROKEN: Final = """
() => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const inside = text.parentElement;
    const isUnseen = inside.closest("svg, script, style, .hidden, .crosstable td > span");
    if (isUnseen || !inside.checkVisibility()) continue;
    const isName = inside.closest("bdi, .moves, .date, a, button");
    const words = isName ? /(?<!\\S)\\S{1,20}(?!\\S)/gu : /(?<!\\S)[\\p{L}\\p{N}]{1,14}(?!\\S)/gu;
    for (const { 0: word, index } of text.data.matchAll(words)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
      if (lines.size > 1) found.push(word);
    }
  }
  return found;
}
"""
"""Words of at most 14 characters in two lines, and names, moves and dates of at most 20."""

TOP: Final = "one => one.getBoundingClientRect().top"

COLOUR: Final = """
([row, column]) => getComputedStyle(
  document.querySelectorAll("#crosstable tbody tr")[row].cells[column + 1]).backgroundColor
"""


def crowd(names: Sequence[str]) -> Iterator[Record]:
    """Yield two games of every two bots, of which the first ones are the stronger."""
    results = cycle(("1-0", "1-0", "0-1"))
    for first, second in combinations(names, 2):
        yield bare(first, second, next(results))
        yield bare(second, first, "0-1")


def bots(count: int) -> list[str]:
    return [f"bot-{number:02}" for number in range(count)]


@pytest.fixture(scope="module")
def crowded(address_of: Address) -> str:
    return address_of(render(crowd(bots(40))))


def test_tables_of_three_bots_fit_any_width_are_cards_on_a_phone_and_sort(
    visit: Visit, report: str
) -> None:
    page = resized(visit, 390)
    visit.open(report)
    for table, of in (("#standings", ["Score", "Elo", "Games"]), ("#times", None)):
        row = page.locator(f"{table} table").first.locator("tbody tr").first
        said = row.evaluate("""row => [...row.querySelectorAll("td:not(.rank, .drawn)")]
          .filter(cell => cell.checkVisibility())
          .map(cell => getComputedStyle(cell, "::before").content.slice(1, -1))""")
        shown = page.locator(f"{table} table").first.locator("thead button:visible")
        heads = [words.removesuffix(" ±") for words in shown.all_inner_texts()]
        assert said == heads[1:] == (of or said)
    # On a phone, standings have two lines per bot; a button leads to all columns.
    table = page.locator("#standings table").first
    assert table.locator("thead th:visible").count() == 4
    assert table.locator("tbody tr").first.evaluate(LINES) == 2
    for display in ("table", "block"):
        page.get_by_role("button", name="All columns").first.click()
        assert table.evaluate("one => getComputedStyle(one).display") == display
    for width in WIDTHS:
        resized(visit, width)
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        page.wait_for_selector(".explorer table")
        cut = [of for of in page.evaluate(CUT) if width < 700 or "standings" not in of]
        cut = [of for of in cut if width >= 360 or "crosstable" not in of]
        assert (visit.sideways(), cut) == (0, []), width
    table = page.locator("#standings table").first
    assert table.locator(".sorted").inner_text() == "Sorted by Score, highest first."

    def column(number: int) -> list[str]:
        return list(table.locator(f"tbody tr > :nth-child({number})").all_inner_texts())

    at = 1 + table.locator("thead th").all_inner_texts().index("Lost")
    lost = [int(words) for words in column(at)]
    for most, told in ((True, "highest"), (False, "lowest")):
        table.get_by_role("button", name="Lost").click()
        assert [int(words) for words in column(at)] == sorted(lost, reverse=most)
        assert table.locator(".sorted").inner_text() == f"Sorted by Lost, {told} first."
    table.get_by_role("button", name="Bot").click()
    assert column(2) == ["ann", "bob", "cat"]
    assert table.locator("[aria-sort]").inner_text() == "Bot"


def test_of_forty_bots_the_crosstable_alone_scrolls_and_of_few_it_is_a_table(
    visit: Visit, crowded: str, address_of: Address
) -> None:
    visit.open(crowded)
    for width in WIDTHS:
        opened = resized(visit, width)
        assert visit.sideways() == 0
        scrolls = opened.evaluate(CUT)
        assert all("compact" in name for name in scrolls), width
        assert bool(scrolls) == (width < 1280)
        row = opened.locator("#crosstable tbody tr").first
        for part in ("th", ".number"):
            box = row.locator(part).bounding_box()
            assert 0 <= box["x"] < box["x"] + box["width"] <= width
    for size in (6, 12):  # whoever has a long name
        visit.open(address_of(render(crowd([*bots(size - 1), "a-bot-whose-name-says-it-all"]))))
        for width in (1280, 1920):
            table = resized(visit, width).locator("#crosstable table").first
            assert table.evaluate("one => getComputedStyle(one).display") == "table", width
            assert visit.sideways() == 0


@pytest.mark.parametrize("width", [320, 700, 1024, 1440])
def test_standings_and_crosstables_are_tables_whatever_names_and_columns_they_have(
    visit: Visit, report: str, address_of: Address, width: int
) -> None:
    long = address_of(render(crowd([*bots(11), "a-bot-whose-name-says-it-all"])))
    page = resized(visit, width)
    for address in (report, long):  # the first has forfeits: the most columns
        visit.open(address)
        assert visit.sideways() == 0
        tables = ".crosstable:visible" if width < 700 else ".standings:visible, .crosstable:visible"
        for table in page.locator(tables).all():
            assert table.evaluate("one => getComputedStyle(one).display") == "table"
            room = table.locator("xpath=..")
            head, name = table.locator("thead th"), table.locator("tbody th[scope=row]").first
            if "standings" in (table.get_attribute("class") or ""):
                shown = room.evaluate("one => one.getBoundingClientRect().right")
                place = head.all_inner_texts().index("Score")
                box = head.nth(max(place, 4)).bounding_box()
                assert box["x"] + box["width"] <= shown + 1
            was = name.bounding_box()
            room.evaluate("one => { one.scrollLeft = 400; }")
            assert name.bounding_box()["x"] == pytest.approx(was["x"], abs=12)
            assert room.evaluate("one => one.scrollLeft === 0 || one.tabIndex === 0")


@pytest.mark.parametrize("kind", ["played", "index", "league", "entrant", "measures compared"])
def test_no_line_ends_inside_a_word_that_has_room(
    visit: Visit, address_of: Address, the_page: Pages, kind: str
) -> None:
    visit.open(address_of(the_page(kind)))
    for width in (320, 768, 1280, A4_WIDTH):
        page = resized(visit, width)
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        page.emulate_media(media="print" if width == A4_WIDTH else "screen")
        assert visit.sideways() == 0, width
        assert page.evaluate(BROKEN) == [], width


HEIGHTS: Final = "all => all.map(one => Math.round(one.getBoundingClientRect().height))"


def test_a_reader_sees_numbers_opens_explanations_and_prints_at_most_six_pages(
    visit: Visit, address_of: Address
) -> None:
    visit.open(address_of(render(map(_renamed, different_games(72)))))
    for width in (1280, 360):
        rows = resized(visit, width).locator(".podium li").evaluate_all(HEIGHTS)
        assert set(rows) == {56}, width
    page = resized(visit, 1280)
    assert page.locator(".why[open]").count() == 0
    page.locator("#standings .why > summary").press("Enter")
    page.get_by_text("The mean (mu) is the estimated strength.").wait_for()
    page.locator("#games").scroll_into_view_if_needed()
    page.wait_for_selector("#rows .thumb svg")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) <= 6
    page = resized(visit, A4_WIDTH)
    page.emulate_media(media="print")
    assert (visit.sideways(), page.evaluate(BROKEN)) == (0, [])


def _renamed(record: Record) -> Record:
    """Return the record with longer names, such as `alphabeta-bot-3`."""
    names = {"First": f"alphabeta-{record.first}", "Second": f"alphabeta-{record.second}"}
    return replace(record, tags=tuple({**dict(record.tags), **names}.items()))


MARKED_AT_THE_END = """
to => {
  scrollTo(0, document.documentElement.scrollHeight);
  return document.querySelector(".contents [aria-current=location]").hash === to;
}
"""


@pytest.mark.parametrize("width", [390, 1280])
def test_headings_stay_in_sight_and_the_section_in_view_is_marked(
    visit: Visit, crowded: str, width: int
) -> None:
    opened = resized(visit, width)
    visit.open(crowded)
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
    # At the end of the page several are in sight: the last is marked, or the one that was asked
    # for.
    links = [link.get_attribute("href") for link in opened.locator(".contents a").all()]
    resized(visit, width, 4000)
    opened.wait_for_function(MARKED_AT_THE_END, arg=links[-1])
    opened.evaluate("to => { location.hash = to; }", links[-2])
    opened.wait_for_function(MARKED_AT_THE_END, arg=links[-2])


def test_three_of_four_games_are_paler_than_sixty_of_eighty(
    visit: Visit, address_of: Address
) -> None:
    def games(one: str, other: str, wins: int, losses: int) -> Iterator[Record]:
        for number in range(wins + losses):
            seats = (one, other) if number % 2 else (other, one)
            is_won = number < wins
            yield bare(*seats, "1-0" if is_won == (seats[0] == one) else "0-1")

    visit.open(address_of(render([*games("ann", "bob", 60, 20), *games("bob", "cat", 3, 1)])))
    ann, bob, cat = 0, 1, 2
    assert visit.page.locator("#crosstable tbody th a").all_inner_texts() == ["ann", "bob", "cat"]
    colours = [visit.page.evaluate(COLOUR, pair) for pair in ([bob, cat], [ann, bob], [bob, ann])]
    legend = visit.page.locator(".legend li").evaluate_all(
        "all => all.map(one => getComputedStyle(one).backgroundColor)"
    )
    assert len(set(legend)) == 9
    assert [legend.index(colour) for colour in colours] == [4, 8, 0]
    told = visit.page.locator("#crosstable tbody tr >> nth=1 >> td").nth(cat).text_content()
    assert "by these games alone 81.2%" in told


# What the page gives away: a replay for another page, pictures of a position and of a game

RECORDS = played()
NUMBER = next(
    number
    for number, record in enumerate(RECORDS, 1)
    if record.game == "yavalath" and len(record.plies) >= 6
)
LINE = list(positions(RECORDS[NUMBER - 1]))

FITS = """() => ["#board svg", "#players", ".controls", "#to-end"].every((wanted) => {
  const box = document.querySelector(wanted).getBoundingClientRect();
  const { width, left, top, right, bottom } = box;
  return width > 20 && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
}) && document.documentElement.scrollHeight <= innerHeight"""

SVG: Final = "http://www.w3.org/2000/svg"

READ_PICTURE = """async () => {
  const [item] = await navigator.clipboard.read();
  const bytes = new Uint8Array(await (await item.getType("image/png")).arrayBuffer());
  return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""));
}"""


@pytest.fixture(scope="module")
def sharing(browser: Any, report: str) -> Iterator[Any]:
    """A tab in which the dialog is open at the third ply of a game."""
    window = new_window(browser, permissions=["clipboard-read", "clipboard-write"])
    with visiting(window.new_page()) as visitor:
        visitor.open(f"{report}#game={NUMBER}&ply=3")
        visitor.await_game(NUMBER)
        visitor.page.click("#share-open")
        yield visitor.page
        visitor.look_away()
    window.close()


def saved(page: Any, button: str) -> tuple[str, bytes]:
    with page.expect_download() as waiting:
        page.click(button)
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


@needs("npm")
def test_an_embedded_replay_is_board_players_and_controls_in_any_room(
    visit: Visit, sharing: Any, report: str, tmp_path: Path
) -> None:
    page = visit.page
    for width, height in ((300, 300), (700, 320)):
        resized(visit, width, height)
        page.goto("about:blank")
        visit.open(f"{report}#embed={NUMBER}&ply=3")
        visit.await_game(NUMBER)
        assert page.evaluate(FITS)
        assert not any(page.is_visible(f"#{one}") for one in ("games", "moves", "legal"))
        page.click("#forward")
        page.wait_for_url(f"**#embed={NUMBER}&ply=4")
        assert page.get_attribute("#whole", "href").endswith(f"#game={NUMBER}")
        page.evaluate(axe_core())
        assert violations(page) == []
    # The code embeds it, and leaves the focus to the other page.
    code = sharing.input_value("#embed-code").replace('loading="lazy"', "")
    host = tmp_path / "host.html"
    host.write_text(f"<!DOCTYPE html><title>A blog</title><p>Look:</p>{code}", encoding="utf-8")
    (tmp_path / report.rsplit("/", 1)[1]).write_bytes(Path(report[7:]).read_bytes())
    page.goto(host.as_uri())
    frame = page.frame_locator("iframe")
    assert frame.locator("#at").inner_text().startswith("3 /")
    assert not frame.locator("#games").is_visible()
    assert page.evaluate("document.activeElement === document.body")


def test_pictures_of_a_position_and_of_a_game_show_them(sharing: Any) -> None:
    name, content = saved(sharing, "#save-png")
    assert name == f"yavalath-{NUMBER}-ply-3.png"
    image: Any = Image.open(io.BytesIO(content))
    assert (image.format, image.width, differing_cells(image, LINE[3])) == ("PNG", 480, [])
    assert differing_cells(image, LINE[2]) != []
    sharing.bring_to_front()  # the clipboard is there for the page with the focus
    sharing.click("#share-copy")
    sharing.wait_for_selector("#copied:has-text('copied')")
    copied = Image.open(io.BytesIO(base64.b64decode(sharing.evaluate(READ_PICTURE))))
    assert (copied.width, differing_cells(copied, LINE[3])) == (480, [])
    name, content = saved(sharing, "#save-svg")
    assert (name[-4:], content[:5]) == (".svg", b"<svg ")
    texts = [text.text for text in ET.fromstring(content).iter(f"{{{SVG}}}text")]
    record = RECORDS[NUMBER - 1]
    told = f"Yavalath · ply 3 of {len(record.plies)} · {record.result}"
    assert texts[-3:] == [record.first, record.second, told]
    sharing.select_option("#share-width", "320")
    name, content = saved(sharing, "#save-gif")
    assert name == f"yavalath-{NUMBER}.gif"
    image = Image.open(io.BytesIO(content))
    assert (image.width, getattr(image, "n_frames", 0), image.info["loop"]) == (320, len(LINE), 0)
    for ply in (0, 1, len(LINE) - 2):
        image.seek(ply)
        assert (image.info["duration"], differing_cells(image, LINE[ply])) == (900, [])
    image.seek(len(LINE) - 1)
    assert image.info["duration"] == 4000
