"""The numbers by which a page calls its games: the tag Number, or the place if need be."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from jsonschema import Draft202012Validator
from sample_records import tournament, with_tags
from unpacking import unpacked

from lath.notation.record import Record
from lath.reports.figures import Numbering
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


def replaying(records: Sequence[Record], most: int) -> Page:
    """Return a page that replays so many of the games at most."""
    packer = Packer(replayed=most)
    gathered = gather(records)
    for record in records:
        packer.add(record)
    return page_of(gathered._replace(packer=packer))


def test_a_game_is_called_by_the_number_that_it_has_in_its_tournament() -> None:
    assert numbering(TAGS) == [1, 2, 4, 7, 5, 9]


@pytest.mark.parametrize(
    "tags",
    [
        ("1", "2", "4", "7", "", "9"),
        ("1", "2", "4", "4", "5", "9"),
        ("1", "2", "4", "0", "5", "9"),
        ("1", "2", "4", "07", "5", "9"),
        ("1", "2", "4", "-7", "5", "9"),
        ("1", "2", "4", "\u0667", "5", "9"),
        ("1", "2", "4", "9" * 10, "5", "9"),
        ("", "2", "4", "7", "5", "9"),
    ],
    ids=["none", "twice", "zero", "padded", "negative", "other digits", "huge", "first has none"],
)
def test_where_a_record_has_no_number_of_its_own_places_must_do(tags: Sequence[str]) -> None:
    assert numbering(tags) == [1, 2, 3, 4, 5, 6]


def test_a_late_game_changes_no_number_in_the_data() -> None:
    told = document(numbered(TAGS))
    Draft202012Validator(data_of_page.schema()).validate(told)
    shown = {
        one["number"]: one["plies"]
        for bot in told["bots"]
        for one in (*bot["best_wins"], *bot["worst_losses"], *bot["shortest_losses"])
    }
    plies = {int(tag): len(game.plies) for tag, game in zip(TAGS, GAMES, strict=True)}
    assert shown
    assert shown == {number: plies[number] for number in shown}
    examples = {line["example"] for table in told["openings"] for line in table["lines"]}
    assert examples <= set(plies)
    assert examples - set(range(1, 7)), "a place and its number are told apart"


def test_every_link_of_the_page_is_to_a_number() -> None:
    html = render(numbered(TAGS)).html
    linked = {int(text.split("&")[0].split('"')[0]) for text in html.split('href="#game=')[1:]}
    assert linked
    assert linked <= {int(tag) for tag in TAGS}
    assert linked - set(range(1, 7))


def test_the_tag_itself_comes_back_whatever_it_is() -> None:
    tags = ("1", "", "007", "x", "4", "4")
    packer = Packer()
    records = numbered(tags)
    for record in records:
        packer.add(record)
    assert [game.tags for game in unpacked(packer.pack())] == [[*r.tags] for r in records]


# in Chromium

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


@pytest.fixture(scope="module")
def going_on(address_of: Any) -> str:
    return str(address_of(render(numbered(TAGS))))


def test_a_link_leads_to_the_same_game_before_and_after_a_late_one(
    visit: Visit, address_of: Address
) -> None:
    before = numbered(TAGS)
    late = with_tags(GAMES[0], Number="3")
    for records, place in ((before, 4), ([*before[:2], late, *before[2:]], 5)):
        visit.page.goto("about:blank")
        visit.open(f"{address_of(render(records))}#game=7&ply=2")
        await_ply(visit, 7, 2)
        assert visit.page.inner_text("#players .player >> nth=0").startswith(before[3].first)
        told = f"Game 7 ({place} of {len(records)}) · "
        assert visit.page.inner_text("#which").startswith(told)


def test_list_search_and_csv_say_the_same_numbers(visit: Visit, going_on: str) -> None:
    visit.open(going_on)
    assert column(visit) == ["1", "2", "4", "5", "7", "9"]
    visit.page.click("#columns button >> text=No.")
    assert column(visit) == ["9", "7", "5", "4", "2", "1"]
    for word in ("7", "#7"):
        visit.page.fill("#filter", word)
        assert "7" in column(visit)
    assert column(visit) == ["7"]
    with visit.page.expect_download() as saved:
        visit.page.click("#save-games")
    text = Path(saved.value.path()).read_text(encoding="utf-8")
    assert [row["number"] for row in csv.DictReader(io.StringIO(text))] == ["7"]
    visit.page.fill("#filter", "#3")
    assert column(visit) == []


def test_a_number_that_no_game_has_leads_nowhere(visit: Visit, going_on: str) -> None:
    for number in ("3", "6", "8", "2.5", "1e9"):
        visit.page.goto("about:blank")
        visit.open(f"{going_on}#game={number}")
        assert visit.page.inner_text("#which").startswith("Game 1 of 6")


def test_the_next_game_is_the_one_that_stands_next(visit: Visit, going_on: str) -> None:
    visit.open(f"{going_on}#game=4&ply=0")
    await_ply(visit, 4, 0)
    visit.page.click("#game-after")
    await_ply(visit, 7, 0)
    visit.page.wait_for_url("**#game=7&ply=0")
    visit.page.click("#game-before")
    await_ply(visit, 4, 0)


@pytest.mark.parametrize("tags", [TAGS, ("",) * 6], ids=["by tag", "by place"])
def test_numbers_find_their_game_among_those_that_are_replayed(
    visit: Visit, address_of: Address, tags: Sequence[str]
) -> None:
    address = address_of(replaying(numbered(tags), 4))
    for place, tag in enumerate(tags, 1):
        number = int(tag or place)
        visit.page.goto("about:blank")
        visit.open(f"{address}#game={number}&ply=1")
        visit.page.wait_for_function(
            "number => document.getElementById('which').textContent.startsWith(`Game ${number} `)",
            arg=number,
        )
        assert str(number) in column(visit)


def test_back_to_the_address_without_a_game_shows_what_the_page_began_with(
    visit: Visit, going_on: str
) -> None:
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
