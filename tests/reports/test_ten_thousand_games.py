"""A report of ten thousand games that all differ: all that takes so many is asked of one page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest
from browsing import page_from, page_text
from different_games import different_games

from lath import games
from lath.notation.record import Record
from lath.notation.replay import positions
from lath.reports.page.page import Page, render

if TYPE_CHECKING:
    from browsing import Once, Visit

COUNT: Final = 10_000

REPLAYED: Final = range(500, COUNT, 997)
"""Numbers of the games whose replays are looked at."""

_NUMBERS = "[...document.querySelectorAll('#rows tr')].map(row => Number(row.dataset.number))"

_STACKS = """async numbers => {
  const part = await lath.openPart(0);
  const games = await Promise.all(numbers.map(number => lath.openGame(part, number - 1)));
  return games.map(game => game.stacks);
}"""


@dataclass(frozen=True)
class Long:
    """The page, and what must be in it."""

    page: Page
    rows: dict[int, dict[str, Any]]
    """What the list has of each game, by its number: `plies`, and texts."""
    stacks: list[list[list[str]]]
    """Of each of REPLAYED, what lies on each cell, ply by ply."""

    def data(self) -> str:
        """Return what the page embeds of the records, as JSON."""
        found = re.search(r'id="data">(.*?)</script>', self.page.html, re.DOTALL)
        assert found is not None
        return found[1]


@pytest.fixture(scope="module")
def long(once: Once) -> Long:
    page, rows, stacks = json.loads(once("ten thousand games", _made))
    return Long(page_from(page), dict(enumerate(rows, 1)), stacks)


def _made() -> str:
    records = different_games(COUNT)
    stacks = [
        [position.contents() for position in positions(records[number - 1])] for number in REPLAYED
    ]
    return json.dumps([page_text(render(records)), list(map(_row, records)), stacks])


def _row(record: Record) -> dict[str, Any]:
    texts = {name: record.tag(name) for name in ("First", "Second", "Game", "Round", "Setup")}
    title = games.get(record.game).title
    return {**texts, "Title": title, "Result": record.result, "plies": len(record.plies)}


@pytest.fixture(scope="module")
def address(address_of: Callable[[Page], str], long: Long) -> str:
    return address_of(long.page)


def test_the_page_stays_below_600_kilobytes(long: Long) -> None:
    assert len(long.page.html.encode()) <= 600_000
    assert long.page.shards == {}


def test_the_page_leaves_the_games_the_room_that_their_moves_take(long: Long) -> None:
    # docs/report.md has 153 kB, and 438 kB for the moves.
    assert len(long.page.html.encode()) - len(long.data()) <= 160_000


def test_what_there_is_no_room_for_is_told(long: Long) -> None:
    part = json.loads(long.data())["parts"][0]["part"]
    assert not part["legal"]
    assert "emt" in part["lost"]


def test_games_can_be_replayed(visit: Visit, address: str, long: Long) -> None:
    visit.open(f"{address}#game=9876&ply=4")
    visit.await_game(9876)
    assert visit.page.inner_text("#at") == f"4 / {long.rows[9876]['plies']}"
    assert visit.page.evaluate(_STACKS, list(REPLAYED)) == long.stacks


def numbers(visit: Visit) -> list[int]:
    """Return the numbers of the games on this page of the list."""
    listed: list[int] = visit.page.evaluate(_NUMBERS)
    return listed


def found(visit: Visit) -> int:
    """Return how many games the list says it shows."""
    return int(visit.page.inner_text("#found").split()[0].replace(",", ""))


def test_the_filter_finds_games(visit: Visit, address: str, long: Long) -> None:
    visit.open(address)
    for words in ("surikata bot-3", "bot-3 bot-4", "1-0", "zz"):
        wanted = [number for number, row in long.rows.items() if _has(row, words)]
        visit.page.fill("#filter", words)
        assert (found(visit), numbers(visit)) == (len(wanted), wanted[:25])
    visit.page.fill("#filter", "")
    assert found(visit) == COUNT


def _has(row: dict[str, Any], words: str) -> bool:
    told = [text.lower() for text in row.values() if isinstance(text, str)]
    return all(any(word in text for text in told) for word in words.split())


@pytest.mark.parametrize("words", ["", "surikata bot-3"])
def test_each_heading_sorts_up_and_down(visit: Visit, address: str, long: Long, words: str) -> None:
    visit.open(address)
    visit.page.fill("#filter", words)
    rows = {number: row for number, row in long.rows.items() if _has(row, words)}
    for title, key in (("Plies", "plies"), ("First", "First")):
        for direction in ("ascending", "descending"):
            visit.page.click(f"#columns button >> text={title}")
            heading = visit.page.locator(f"#columns th:has-text('{title}')")
            assert heading.get_attribute("aria-sort") == direction
            assert visit.page.locator("#columns [aria-sort]:not([aria-sort=none])").count() == 1
            order = sorted(rows, key=lambda n: rows[n][key], reverse=direction == "descending")
            assert numbers(visit) == order[:25]
            visit.page.click("#page-after")
            assert numbers(visit) == order[25:50]


def test_the_pager_ends_at_the_last_game(visit: Visit, address: str) -> None:
    visit.open(address)
    assert visit.page.inner_text("#page") == "Page 1 of 400"
    visit.page.click("#page-last")
    assert numbers(visit)[-1] == COUNT
    visit.page.click("#rows tr:last-child a")
    visit.await_game(COUNT)
    assert visit.page.get_attribute("#rows tr:last-child", "aria-current") == "true"
