"""The list of games, crosstable, openings and downloads of a report, in a real browser."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from report_pages import MANY_BOTS, many_bots, played
from sample_records import hostile_records, random_game, with_tags

from lath import notation
from lath.notation.record.record import Record
from lath.notation.rules.replay import positions
from lath.reports.counting.standings import compute
from lath.reports.event.export import to_csv, to_json
from lath.reports.page.document import document
from lath.reports.page.page import Page, render

if TYPE_CHECKING:
    from browsing import Visit

Address = Callable[[Page], str]
Pages = Callable[[str], Page]

RECORDS = played()


@pytest.fixture
def report(address_of: Address, the_page: Pages) -> str:
    return address_of(the_page("played"))


def shown_numbers(visit: Visit) -> list[int]:
    script = "[...document.querySelectorAll('#rows tr')].map(row => Number(row.dataset.number))"
    return list(visit.page.evaluate(script))


def found(visit: Visit) -> int:
    """Return how many games the list says it shows."""
    return int(visit.page.inner_text("#found").split()[0].replace(",", ""))


def numbers_of(wanted: Callable[[Record], bool]) -> list[int]:
    return [number for number, record in enumerate(RECORDS, 1) if wanted(record)]


def _told_of(record: Record) -> list[str]:
    """Return in small letters what the list says of a game."""
    *_, last = positions(record)
    outcome = last.outcome()
    told = [record.first, record.second, record.game, last.game.title, record.result]
    told += [outcome.ending if outcome else record.termination]
    told += [record.tag("Setup"), record.tag("Round")]
    return [text.lower() for text in told]


def _has(record: Record, words: str) -> bool:
    told = _told_of(record)
    return all(any(word in text for text in told) for word in words.split())


def saved(visit: Visit, button: str) -> str:
    with visit.page.expect_download() as waiting:
        visit.page.click(button)
    return Path(waiting.value.path()).read_text(encoding="utf-8")


def records_in(text: str, folder: Path) -> list[Record]:
    path = folder / "games.lath"
    path.write_text(text, encoding="utf-8")
    return list(notation.read(path))


def test_the_list_finds_narrows_sorts_and_turns_pages_and_is_kept(
    visit: Visit, report: str, tmp_path: Path
) -> None:
    page = visit.page
    visit.open(report)
    page.select_option("#page-size", "100")
    for words in ("yavalath bob", "1-0", "ann cat", "group of four", "zz", "surikata ann"):
        page.fill("#filter", words)
        wanted = numbers_of(lambda record, words=words: _has(record, words))  # type: ignore[misc]
        assert (found(visit), shown_numbers(visit)) == (len(wanted), wanted), words
    assert page.inner_text("#found") == f"{len(wanted)} of {len(RECORDS)} games"
    # The games that the filter leaves are downloaded.
    assert records_in(saved(visit, "#save-records"), tmp_path) == [RECORDS[n - 1] for n in wanted]
    rows = list(csv.DictReader(io.StringIO(saved(visit, "#save-games"))))
    assert [row["first"] for row in rows] == [RECORDS[n - 1].first for n in wanted]
    page.click("#clear")
    assert page.inner_text("#found") == f"{len(RECORDS)} games"
    for title, key in (
        ("Plies", lambda record: len(record.plies)),
        ("First", lambda record: record.first),
        ("Round", lambda record: int(record.tag("Round"))),
    ):
        heading = page.locator("#columns th", has_text=title)
        for direction, sign in (("ascending", 1), ("descending", -1)):
            heading.locator("button").click()
            assert heading.get_attribute("aria-sort") == direction
            keys = [key(RECORDS[number - 1]) for number in shown_numbers(visit)]
            assert keys == sorted(keys, reverse=sign < 0)
    page.click("#columns button >> text=No.")
    page.select_option("#page-size", "10")
    page.click("#page-after")
    assert shown_numbers(visit) == list(range(11, 21))
    page.click("#rows a >> nth=7")
    visit.await_game(18)
    assert page.inner_text("#at").startswith("0 /")
    assert page.get_attribute("#rows [aria-current]", "data-number") == "18"
    page.click("#page-last")
    assert shown_numbers(visit)[-1] == len(RECORDS)
    assert page.get_attribute("#page-after", "aria-disabled") == "true"
    page.select_option("#only-bot", "bob")
    page.select_option("#only-why", "crash")
    crashed = numbers_of(lambda r: "bob" in (r.first, r.second) and r.termination == "crash")
    assert shown_numbers(visit) == crashed
    page.select_option("#only-why", "")
    page.fill("#filter", "mammalath")
    page.click("#columns button >> text=Plies")
    page.click("#page-after")
    before = shown_numbers(visit)
    page.reload()  # the page is as it was
    visit.await_game(18)
    assert shown_numbers(visit) == before
    kept = [page.input_value(name) for name in ("#filter", "#only-bot", "#page-size")]
    assert kept == ["mammalath", "bob", "10"]


def test_two_bots_are_found_in_both_sides_however_they_are_named(visit: Visit, report: str) -> None:
    visit.open(report)
    for words, names in {
        "ann vs bob": {"ann", "bob"},
        "1-0 Bob VS. ann": {"ann", "bob"},
        "cat against an yavalath": {"ann", "cat"},
    }.items():
        visit.page.fill("#filter", words)
        others = " ".join(word for word in words.split() if word in ("1-0", "yavalath"))
        met = [{r.first, r.second} == names and _has(r, others) for r in RECORDS]
        assert found(visit) == sum(met)
        assert set(visit.page.inner_text("#versus-title").split(" against ")) == names
    visit.page.fill("#filter", "ann vs")
    of_ann = numbers_of(lambda record: "ann" in (record.first, record.second))
    assert found(visit) == len(of_ann), "who types on is not disturbed"
    assert not visit.page.is_visible("#versus")


WORDLESS: Final = """
() => [...document.querySelectorAll("a")].map(one => one.ariaLabel || one.textContent)
  .filter(words => !/[\\p{L}\\p{N}]/u.test(words))
"""


def test_every_link_has_words_even_if_its_setup_has_none(visit: Visit, address_of: Address) -> None:
    empty = with_tags(random_game("manalath", 1), Setup="-")
    visit.open(address_of(render([empty, random_game("yavalath", 1, first="bob", second="ann")])))
    visit.page.fill("#filter", "ann vs bob")
    visit.page.get_by_role("link", name="empty board").wait_for()
    assert visit.page.evaluate(WORDLESS) == []


def test_a_cell_of_a_crosstable_leads_to_its_games_and_back(visit: Visit, report: str) -> None:
    visit.open(report)
    cell = visit.page.locator("#crosstable .crosstable >> nth=0 >> td[class^=h]").first
    score = (cell.inner_text()).split("/")[0]
    cell.focus()
    scrolled = visit.page.evaluate("scrollY")
    cell.press("Enter")
    visit.page.wait_for_selector("#versus table >> nth=1")
    told = document(RECORDS)
    row, other = told["standings"]["overall"]["rows"][:2]
    a, b = row["name"], other["name"]
    assert visit.page.url.endswith(f"#games&a={a}&b={b}")
    met = numbers_of(lambda record: {record.first, record.second} == {a, b})
    assert found(visit) == len(met)
    said = visit.page.inner_text("#versus .told")
    assert f"{a} scored {score} of {len(met)} points" in said
    (ahead,) = (one["ahead"] for one in told["bots"][0]["opponents"] if one["name"] == b)
    assert ahead is not None
    assert ahead["high"] is not None
    assert f"{abs(round(ahead['value']))} ±{round(ahead['high'] - ahead['value'])}" in said
    visit.page.go_back()
    visit.page.wait_for_selector("#versus", state="hidden")
    visit.page.wait_for_function(f"() => Math.abs(scrollY - {scrolled}) < 2")
    assert found(visit) == len(RECORDS)
    visit.page.go_forward()
    visit.page.wait_for_selector("#versus table >> nth=1")


def test_openings_are_looked_at_on_a_board_one_click_deeper(visit: Visit, report: str) -> None:
    visit.open(report)
    trees = {part["game"]: part["lines"] for part in document(RECORDS)["trees"]}
    visit.page.locator("#openings summary", has_text="Yavalath").click()
    tree = visit.page.locator(".explorer[data-game=yavalath] .tree")
    tree.wait_for()
    shown = tree.locator("tbody tr > th").all_inner_texts()
    lines = [line["text"].split() for line in trees["yavalath"]]
    assert shown == [words[0] for words in lines if len(words) == 1]
    move = shown[0]
    tree.locator(f".cell:has(title:text-matches('^{move}:'))").click()
    assert tree.locator(".way strong").inner_text() == f"1. {move}"
    deeper = [words[1] for words in lines if len(words) == 2 and words[0] == move]
    assert tree.locator("tbody tr > th").all_inner_texts() == deeper
    tree.locator(".way button").click()
    assert tree.locator("tbody tr > th").all_inner_texts() == shown
    visit.page.locator("#openings summary", has_text="Mammalath").first.click()
    setups = visit.page.locator(".explorer[data-game=mammalath] .setup svg.board")
    setups.first.wait_for()
    (part,) = (part for part in document(RECORDS)["setups"] if part["game"] == "mammalath")
    assert setups.count() == len(part["lines"])
    assert visit.sideways() <= 0


def test_records_and_standings_are_downloaded_as_they_are_and_run_nothing(
    visit: Visit, report: str, address_of: Address, the_page: Pages, tmp_path: Path
) -> None:
    visit.open(report)
    assert records_in(saved(visit, "#save-records"), tmp_path) == list(RECORDS)
    assert json.loads(saved(visit, "#save-standings-json")) == document(RECORDS)["standings"]
    table = to_csv(to_json(compute(RECORDS)))
    assert saved(visit, "#save-standings-csv").splitlines() == table.splitlines()
    visit.open(address_of(the_page("hostile")))
    text = saved(visit, "#save-records")
    # Lines may be broken elsewhere.
    assert text.split() == "".join(notation.format_records(hostile_records())).split()
    rows = list(csv.DictReader(io.StringIO(saved(visit, "#save-games"), newline="")))
    assert "'=1+1" in {row["first"] for row in rows}
    cells = [cell for row in rows for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    visit.open(address_of(the_page("many bots")))
    assert visit.page.locator(".sheet-of-bot").count() == MANY_BOTS
    told = json.loads(saved(visit, "#save-standings-json"))
    assert told == json.loads(json.dumps(document(many_bots())["standings"]))


def test_what_a_cell_says_is_on_the_screen_also_on_a_phone(visit: Visit, report: str) -> None:
    visit.page.set_viewport_size({"width": 320, "height": 640})
    visit.open(report)
    cells = visit.page.locator("#crosstable .crosstable >> nth=0 >> td[class^='h']")
    for cell in (cells.first, cells.nth(1)):
        cell.hover()
        left, right = cell.evaluate(
            "one => { const { left, right } = one.querySelector('span').getBoundingClientRect();"
            " return [left, right]; }"
        )
        assert 0 <= left < right <= 320
    # A crosstable of one game tells more of each cell.
    visit.page.set_viewport_size({"width": 1280, "height": 900})
    visit.page.locator("#crosstable .more > summary").first.click()
    cell = visit.page.locator("#crosstable details td[class^=h]").first
    cell.hover()
    cell.locator("span").wait_for()
    assert "points: " in (cell.locator("span").text_content() or "")
