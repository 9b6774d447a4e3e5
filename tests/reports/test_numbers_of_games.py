"""The numbers by which a page calls its games: the tag Number, or the place if need be."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from jsonschema import Draft202012Validator
from sample_records import tournament, with_tags
from unpacking import unpacked

from lath.notation.record.record import Record
from lath.reports.counting.facts import Numbering
from lath.reports.page import document as data_of_page
from lath.reports.page.document import document, gather
from lath.reports.page.pack import Packer
from lath.reports.page.page import Page, page_of, render

if TYPE_CHECKING:
    from browsing import Visit

GAMES: Final = tuple(tournament(("ann", "bob", "cat"), 1, game_ids=("yavalath",)))

TAGS: Final = ("1", "2", "4", "7", "5", "9")
"""A tournament that goes on: some games are not over yet, and two stand the other way round."""


def numbered(tags: Sequence[str]) -> list[Record]:
    return [with_tags(game, Number=tag) for game, tag in zip(GAMES, tags, strict=True)]


def numbering(tags: Sequence[str]) -> list[int]:
    counted = Numbering()
    for record in numbered(tags):
        counted.add(record)
    return [counted.number(place) for place in range(1, len(tags) + 1)]


def test_a_game_is_called_by_its_number_or_by_its_place_where_one_has_none() -> None:
    assert numbering(TAGS) == [1, 2, 4, 7, 5, 9]
    # None, twice, zero, padded, negative, other digits, huge.
    for fourth in ("", "4", "0", "07", "-7", "\u0667", "9" * 10):
        tags = (*TAGS[:3], fourth, *TAGS[4:])
        assert numbering(tags) == [1, 2, 3, 4, 5, 6], fourth
    assert numbering(("", *TAGS[1:])) == [1, 2, 3, 4, 5, 6]
    tags = ("1", "", "007", "x", "4", "4")
    packer = Packer()
    for record in numbered(tags):
        packer.add(record)
    told = [game.tags for game in unpacked(packer.pack())]
    assert told == [[*record.tags] for record in numbered(tags)], "the tag itself comes back"


def test_data_and_links_are_to_numbers_and_not_to_places() -> None:
    told = document(numbered(TAGS))
    Draft202012Validator(data_of_page.schema()).validate(told)
    shown = {
        one["number"]: one["plies"]
        for bot in told["bots"]
        for one in (*bot["best_wins"], *bot["worst_losses"], *bot["shortest_losses"])
    }
    plies = {int(tag): len(game.plies) for tag, game in zip(TAGS, GAMES, strict=True)}
    html = render(numbered(TAGS)).html
    linked = {int(text.split("&")[0].split('"')[0]) for text in html.split('href="#game=')[1:]}
    examples = {line["example"] for table in told["openings"] for line in table["lines"]}
    for numbers in ({*shown}, linked, examples):
        assert numbers <= {*plies}
    assert shown == {number: plies[number] for number in shown}
    assert min(map(len, (linked - {*range(1, 7)}, examples - {*range(1, 7)}))) > 0


# In Chromium

_COLUMN = "[...document.querySelectorAll('#rows tr')].map(row => row.cells[0].textContent)"

_IS_AT = """([number, at]) =>
  document.getElementById("which").textContent.startsWith(`Game ${number} `)
  && document.getElementById("at").textContent.startsWith(`${at} /`)"""

Address = Callable[[Page], str]


def await_ply(visit: Visit, number: int, ply: int) -> None:
    visit.page.wait_for_function(_IS_AT, arg=[number, ply])


def column(visit: Visit) -> list[str]:
    shown: list[str] = visit.page.evaluate(_COLUMN)
    return shown


def go(visit: Visit, address: str) -> None:
    visit.page.goto("about:blank")
    visit.open(address)


def test_links_list_search_and_csv_say_the_same_numbers_and_back_leads_back(
    visit: Visit, address_of: Address
) -> None:
    page = visit.page
    before, late = numbered(TAGS), with_tags(GAMES[0], Number="3")
    going_on = address_of(render(before))
    later = address_of(render([*before[:2], late, *before[2:]]))
    for address, told in ((later, "Game 7 (5 of 7) · "), (going_on, "Game 7 (4 of 6) · ")):
        go(visit, f"{address}#game=7&ply=2")
        await_ply(visit, 7, 2)
        assert page.inner_text("#players .player >> nth=0").startswith(before[3].first)
        assert page.inner_text("#which").startswith(told)
    # The next game is the one that stands next.
    page.click("#game-before")
    await_ply(visit, 4, 0)
    page.click("#game-after")
    await_ply(visit, 7, 0)
    page.wait_for_url("**#game=7&ply=0")
    assert column(visit) == ["1", "2", "4", "5", "7", "9"]
    page.click("#columns button >> text=No.")
    assert column(visit) == ["9", "7", "5", "4", "2", "1"]
    page.fill("#filter", "#3")
    assert column(visit) == []
    page.fill("#filter", "7")
    assert "7" in column(visit)
    page.fill("#filter", "#7")
    assert column(visit) == ["7"]
    with page.expect_download() as saved:
        page.click("#save-games")
    text = Path(saved.value.path()).read_text(encoding="utf-8")
    assert [row["number"] for row in csv.DictReader(io.StringIO(text))] == ["7"]
    page.evaluate("sessionStorage.clear()")
    for number in ("3", "6", "8", "2.5", "1e9"):  # that no game has lead nowhere
        go(visit, f"{going_on}#game={number}")
        assert page.inner_text("#which").startswith("Game 1 of 6")


def test_back_to_the_address_without_a_game_shows_what_the_page_began_with(
    visit: Visit, address_of: Address
) -> None:
    going_on = address_of(render(numbered(TAGS)))
    visit.open(going_on)
    end = len(GAMES[0].plies)
    await_ply(visit, 1, end)
    visit.page.click("#rows a[href='#game=7&ply=0']")
    await_ply(visit, 7, 0)
    visit.page.go_back()
    await_ply(visit, 1, end)
    assert visit.page.url == going_on
    assert visit.page.get_attribute("#rows [aria-current]", "data-number") == "1"
    visit.page.go_forward()
    await_ply(visit, 7, 0)


@pytest.mark.parametrize("tags", [TAGS, ("",) * 6], ids=["by tag", "by place"])
def test_numbers_find_their_game_among_those_that_are_replayed(
    visit: Visit, address_of: Address, tags: Sequence[str]
) -> None:
    packer = Packer(replayed=4)
    records = numbered(tags)
    gathered = gather(records)
    for record in records:
        packer.add(record)
    address = address_of(page_of(gathered._replace(packer=packer)))
    for place, tag in enumerate(tags, 1):
        number = int(tag or place)
        go(visit, f"{address}#game={number}&ply=1")
        visit.page.wait_for_function(
            "number => document.getElementById('which').textContent.startsWith(`Game ${number} `)",
            arg=number,
        )
        assert str(number) in column(visit)
