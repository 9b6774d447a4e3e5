"""A report of a thousand games that all differ: all that takes many is asked of one page.

There are 1,000 of them, and 10,000 in `tests/soak/test_ten_thousand_games_at_length.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from different_games import different_games

from lath import games
from lath.notation.record.record import Record
from lath.notation.rules.replay import positions
from lath.reports.page.page import Page, render

if TYPE_CHECKING:
    from browsing import Visit

pytestmark = pytest.mark.slow

_NUMBERS = "[...document.querySelectorAll('#rows tr')].map(row => Number(row.dataset.number))"

_STACKS = """async numbers => {
  const games = await lath.openGames();
  const opened = [];
  for (const number of numbers) opened.push(await lath.openGame(games, number - 1));
  return JSON.stringify(opened.map(game => game.stacks));
}"""

Rows = dict[int, dict[str, Any]]


@pytest.fixture
def size() -> tuple[int, int]:
    """How many games there are, and how many bytes their page may have."""
    return 1_000, 750_000


def row_of(record: Record) -> dict[str, Any]:
    """Return what the list has of a game: `plies`, and texts."""
    texts = {name: record.tag(name) for name in ("First", "Second", "Game", "Round", "Setup")}
    title = games.get(record.game).title
    return {**texts, "Title": title, "Result": record.result, "plies": len(record.plies)}


def having(rows: Rows, words: str) -> Rows:
    """Return the games that the filter finds by these words."""
    found = {}
    for number, row in rows.items():
        told = [text.lower() for text in row.values() if isinstance(text, str)]
        if all(any(word in text for text in told) for word in words.split()):
            found[number] = row
    return found


def test_a_page_of_very_many_games_is_small_and_finds_sorts_and_replays_them(
    visit: Visit,
    address_of: Callable[[Page], str],
    size: tuple[int, int],
    record_property: Callable[[str, object], None],
) -> None:
    count, most = size
    records = different_games(count)
    rows = dict(enumerate(map(row_of, records), 1))
    page = render(records)
    assert len(page.html.encode()) <= most
    number, tab = count - 124, visit.page
    visit.open(f"{address_of(page)}#game={number}&ply=4")
    # The limit is half a second; a busy machine may take longer, so it is told, not asked for.
    ready_ms = tab.evaluate("lath.readyAt")
    record_property("ready_ms", ready_ms)
    assert ready_ms > 0
    visit.await_game(number)
    assert tab.inner_text("#at") == f"4 / {rows[number]['plies']}"
    looked_at = range(count // 2, count, count // 12)
    assert json.loads(tab.evaluate(_STACKS, list(looked_at))) == [
        [list(position.contents()) for position in positions(records[at - 1])] for at in looked_at
    ]
    assert tab.inner_text("#page") == f"Page 1 of {count // 25}"
    for words in ("bot-3 bot-4", "1-0", "zz", "", "surikata bot-3"):
        wanted = having(rows, words)
        tab.fill("#filter", words)
        found = int(tab.inner_text("#found").split()[0].replace(",", ""))
        assert (found, tab.evaluate(_NUMBERS)) == (len(wanted), [*wanted][:25])
    sorts_by_each_heading(tab, wanted)
    tab.click("#page-first")
    tab.fill("#filter", "")
    sorts_by_each_heading(tab, rows)
    tab.click("#columns button >> text=No.")
    tab.click("#page-last")
    assert tab.evaluate(_NUMBERS)[-1] == count
    tab.click("#rows tr:last-child a")
    visit.await_game(count)
    assert tab.get_attribute("#rows tr:last-child", "aria-current") == "true"


def sorts_by_each_heading(tab: Any, rows: Rows) -> None:
    for title, key in (("Plies", "plies"), ("First", "First")):
        for direction in ("ascending", "descending"):
            tab.click(f"#columns button >> text={title}")
            heading = tab.locator(f"#columns th:has-text('{title}')")
            assert heading.get_attribute("aria-sort") == direction
            assert tab.locator("#columns [aria-sort]:not([aria-sort=none])").count() == 1
            order = sorted(rows, key=lambda n: rows[n][key], reverse=direction == "descending")
            assert tab.evaluate(_NUMBERS) == order[:25]
            tab.click("#page-after")
            assert tab.evaluate(_NUMBERS) == order[25:50]
