"""A report of thousands of games that all differ: all that takes so many is asked of one page.

There are 2,500 of them, and 10,000 in `tests/soak/test_ten_thousand_games_at_length.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest
from different_games import different_games

from lath import games
from lath.notation.record import Record
from lath.notation.replay import positions
from lath.reports.page.page import Page, render

if TYPE_CHECKING:
    from browsing import Visit

pytestmark = pytest.mark.slow

MOST_BYTES: Final = 3_000_000
"""Of a page of ten thousand games, and of as much of one as it has of these."""

_NUMBERS = "[...document.querySelectorAll('#rows tr')].map(row => Number(row.dataset.number))"

_STACKS = """async numbers => {
  const games = await lath.openGames();
  const opened = [];
  for (const number of numbers) opened.push(await lath.openGame(games, number - 1));
  return JSON.stringify(opened.map(game => game.stacks));
}"""


@dataclass(frozen=True)
class Long:
    """The page, and what must be in it."""

    page: Page
    rows: dict[int, dict[str, Any]]
    """What the list has of each game, by its number: `plies`, and texts."""

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def looked_at(self) -> range:
        """Numbers of the games whose replays are looked at."""
        return range(500, self.count, self.count // 10 - 3)


@pytest.fixture(scope="module")
def long() -> Long:
    return long_of(2_500)


def long_of(count: int) -> Long:
    records = different_games(count)
    return Long(render(records), dict(enumerate(map(_row, records), 1)))


def _row(record: Record) -> dict[str, Any]:
    texts = {name: record.tag(name) for name in ("First", "Second", "Game", "Round", "Setup")}
    title = games.get(record.game).title
    return {**texts, "Title": title, "Result": record.result, "plies": len(record.plies)}


@pytest.fixture(scope="module")
def address(address_of: Callable[[Page], str], long: Long) -> str:
    return address_of(long.page)


def test_the_page_stays_below_three_megabytes(long: Long) -> None:
    # A quarter of the games leaves a quarter of the room, and what the page itself takes.
    own = 354_000
    room = own + (MOST_BYTES - own) * long.count // 10_000
    assert len(long.page.html.encode()) <= room


def test_games_can_be_replayed(visit: Visit, address: str, long: Long) -> None:
    number = long.count - 124
    visit.open(f"{address}#game={number}&ply=4")
    visit.await_game(number)
    assert visit.page.inner_text("#at") == f"4 / {long.rows[number]['plies']}"
    records = different_games(long.count)
    stacks = [
        [list(position.contents()) for position in positions(records[number - 1])]
        for number in long.looked_at
    ]
    assert json.loads(visit.page.evaluate(_STACKS, list(long.looked_at))) == stacks


def test_how_soon_the_page_answers_is_told(
    visit: Visit, address: str, long: Long, record_property: Callable[[str, object], None]
) -> None:
    """The limit is half a second; a busy machine may take longer, so it is told, not asked for."""
    visit.open(address)
    ready_ms = visit.page.evaluate("lath.readyAt")
    record_property("ready_ms", ready_ms)
    print(f"{long.count} games: ready after {ready_ms:.0f} ms")
    assert ready_ms > 0


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
    assert found(visit) == long.count


def _has(row: dict[str, Any], words: str) -> bool:
    told = [text.lower() for text in row.values() if isinstance(text, str)]
    return all(any(word in text for text in told) for word in words.split())


def test_each_heading_sorts_up_and_down(visit: Visit, address: str, long: Long) -> None:
    visit.open(address)
    sorts_by_each_heading(visit, long.rows)
    words = "surikata bot-3"
    visit.page.click("#page-first")
    visit.page.fill("#filter", words)
    sorts_by_each_heading(visit, {n: row for n, row in long.rows.items() if _has(row, words)})


def sorts_by_each_heading(visit: Visit, rows: dict[int, dict[str, Any]]) -> None:
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


def test_the_pager_ends_at_the_last_game(visit: Visit, address: str, long: Long) -> None:
    visit.open(address)
    assert visit.page.inner_text("#page") == f"Page 1 of {long.count // 25}"
    visit.page.click("#page-last")
    assert numbers(visit)[-1] == long.count
    visit.page.click("#rows tr:last-child a")
    visit.await_game(long.count)
    assert visit.page.get_attribute("#rows tr:last-child", "aria-current") == "true"
