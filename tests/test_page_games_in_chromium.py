"""The list of games and the downloads of a report, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from report_pages import many_bots, many_games, page
from sample_records import hostile_records

import games
import notation
from games.core import Move, Position
from notation.record import Record
from reports.page.document import document
from reports.page.page import Page, render

if TYPE_CHECKING:
    from browsing import Visit

MANY: Final = 10_000

_NUMBERS = "[...document.querySelectorAll('#rows tr')].map(row => Number(row.dataset.number))"


@pytest.fixture
def report(address_of: Callable[[Page], str]) -> str:
    return address_of(page("played"))


@pytest.fixture(scope="module")
def many(address_of: Callable[[Page], str]) -> str:
    return address_of(render(many_records()))


@cache
def many_records() -> list[Record]:
    return list(many_games(MANY))


def found(visit: Visit) -> int:
    """Return how many games the list says it shows."""
    return int(visit.page.inner_text("#found").split()[0].replace(",", ""))


def numbers(visit: Visit) -> list[int]:
    """Return the numbers of the games on this page of the list."""
    listed: list[int] = visit.page.evaluate(_NUMBERS)
    return listed


@pytest.mark.parametrize("words", ["yavalath bot-3", "1-0", "bot-3 bot-4", "group of four", "zz"])
def test_the_filter_finds_games_among_ten_thousand(visit: Visit, many: str, words: str) -> None:
    visit.open(many)
    visit.page.fill("#filter", words)
    assert found(visit) == sum(_has(record, words) for record in many_records())
    visit.page.fill("#filter", "")
    assert found(visit) == MANY


def _has(record: Record, words: str) -> bool:
    last = _last(record.game, tuple(ply.move for ply in record.plies), record.tag("Setup"))
    outcome = last.outcome()
    assert outcome
    told = [record.first, record.second, record.game, last.game.title, record.result]
    told += [outcome.ending, record.tag("Setup"), record.tag("Round")]
    return all(any(word in text.lower() for text in told) for word in words.split())


@cache
def _last(game_id: str, moves: tuple[str, ...], setup: str) -> Position:
    """Return the last position of a game; the sample has few different ones."""
    position = games.get(game_id).start(setup or None)
    for move in moves:
        position = position.play(Move(move))
    return position


def test_each_heading_sorts_ten_thousand_games_up_and_down(visit: Visit, many: str) -> None:
    visit.open(many)
    plies = {number: len(record.plies) for number, record in enumerate(many_records(), 1)}
    first = {number: record.first for number, record in enumerate(many_records(), 1)}
    keys: list[tuple[str, dict[int, Any]]] = [("Plies", plies), ("First", first)]
    for title, key in keys:
        up = sorted(key, key=key.__getitem__)
        down = sorted(key, key=key.__getitem__, reverse=True)
        for order, direction in ((up, "ascending"), (down, "descending")):
            visit.page.click(f"#columns button >> text={title}")
            assert numbers(visit) == order[:25]
            visit.page.click("#page-after")
            assert numbers(visit) == order[25:50]
            assert visit.page.locator("#columns [aria-sort]:not([aria-sort=none])").count() == 1
            heading = visit.page.locator(f"#columns th:has-text('{title}')")
            assert heading.get_attribute("aria-sort") == direction


def test_the_pager_ends_at_the_last_game(visit: Visit, many: str) -> None:
    visit.open(many)
    assert visit.page.inner_text("#page") == "Page 1 of 400"
    visit.page.click("#page-last")
    assert numbers(visit)[-1] == MANY
    visit.page.click("#rows tr:last-child a")
    visit.await_game(MANY)
    assert visit.page.get_attribute("#rows tr:last-child", "aria-current") == "true"


def downloaded(visit: Visit, button: str) -> Path:
    with visit.page.expect_download() as download:
        visit.page.click(button)
    return Path(download.value.path())


def records_in(path: Path) -> list[Record]:
    """Return the records of a file that has no suffix."""
    return list(notation.read(path.rename(path.with_suffix(".lath"))))


def test_downloaded_records_without_numbers_are_those_of_the_source(
    visit: Visit, address_of: Callable[[Page], str]
) -> None:
    visit.open(address_of(page("hostile")))
    text = downloaded(visit, "#save-records").read_text(encoding="utf-8")
    # Lines may be broken elsewhere.
    assert text.split() == "".join(notation.format_records(hostile_records())).split()


def test_a_page_that_packs_parts_of_itself_puts_them_into_their_places(
    visit: Visit, address_of: Callable[[Page], str]
) -> None:
    visit.open(address_of(page("many bots")))
    assert visit.page.locator("script.packed").count() == 0
    assert visit.page.locator(".sheet-of-bot").count() == 40
    told = json.loads(downloaded(visit, "#save-standings-json").read_text(encoding="utf-8"))
    assert told == json.loads(json.dumps(document(many_bots())["standings"]))


def test_a_crosstable_of_one_game_tells_more_of_each_cell(visit: Visit, report: str) -> None:
    visit.open(report)
    visit.page.locator("#crosstable summary").first.click()
    cell = visit.page.locator("#crosstable details td[class^=h]").first
    cell.hover()
    cell.locator("span").wait_for()
    assert "points: " in (cell.locator("span").text_content() or "")


def test_on_a_phone_what_a_cell_says_is_on_the_screen(visit: Visit, report: str) -> None:
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
