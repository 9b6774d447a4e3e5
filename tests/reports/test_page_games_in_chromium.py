"""The list of games and the downloads of a report, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from report_pages import MANY_BOTS, many_bots, played
from sample_records import BUILT_IN, cut, hostile_records, random_game, with_tags

from lath import notation
from lath.notation.record import Record
from lath.notation.replay import positions
from lath.notation.scanner import parse
from lath.reports.page.document import document
from lath.reports.page.page import Page, render

if TYPE_CHECKING:
    from browsing import Visit

Address = Callable[[Page], str]
Pages = Callable[[str], Page]


@pytest.fixture
def report(address_of: Address, the_page: Pages) -> str:
    return address_of(the_page("played"))


def found(visit: Visit) -> int:
    """Return how many games the list says it shows."""
    return int(visit.page.inner_text("#found").split()[0].replace(",", ""))


def test_the_filter_finds_games_by_what_the_list_tells(visit: Visit, report: str) -> None:
    visit.open(report)
    listed = [_told_of(record) for record in played()]
    for words in ("yavalath bob", "1-0", "ann cat", "group of four", "zz"):
        visit.page.fill("#filter", words)
        assert found(visit) == sum(_has(told, words) for told in listed), words


def _told_of(record: Record) -> list[str]:
    """Return in small letters what the list says of a game."""
    *_, last = positions(record)
    outcome = last.outcome()
    told = [record.first, record.second, record.game, last.game.title, record.result]
    told += [outcome.ending if outcome else record.termination]
    told += [record.tag("Setup"), record.tag("Round")]
    return [text.lower() for text in told]


def _has(told: list[str], words: str) -> bool:
    return all(any(word in text for text in told) for word in words.split())


def test_two_bots_are_found_in_both_seats_however_they_are_named(visit: Visit, report: str) -> None:
    visit.open(report)
    pairs = [{record.first, record.second} for record in played()]
    for words, names in {
        "ann vs bob": {"ann", "bob"},
        "1-0 Bob VS. ann": {"ann", "bob"},
        "cat against an yavalath": {"ann", "cat"},
    }.items():
        visit.page.fill("#filter", words)
        others = [word for word in words.split() if word in ("1-0", "yavalath")]
        told = zip(pairs, map(_told_of, played()), strict=True)
        assert found(visit) == sum(
            pair == names and _has(game, " ".join(others)) for pair, game in told
        )
        assert set(visit.page.inner_text("#versus-title").split(" against ")) == names
    visit.page.fill("#filter", "ann vs")
    assert found(visit) == sum("ann" in pair for pair in pairs), "who types on is not disturbed"
    assert not visit.page.is_visible("#versus")


def test_a_cell_of_a_crosstable_leads_to_its_games_and_back(visit: Visit, report: str) -> None:
    visit.open(report)
    cell = visit.page.locator("#crosstable .crosstable >> nth=0 >> td[class^=h]").first
    score = (cell.inner_text()).split("/")[0]
    cell.focus()
    scrolled = visit.page.evaluate("scrollY")
    cell.press("Enter")
    visit.page.wait_for_selector("#versus table >> nth=1")
    row, other = document(played())["standings"]["overall"]["rows"][:2]
    a, b = row["name"], other["name"]
    assert visit.page.url.endswith(f"#games&a={a}&b={b}")
    met = [record for record in played() if {record.first, record.second} == {a, b}]
    assert found(visit) == len(met)
    told = visit.page.inner_text("#versus .told")
    assert f"{a} scored {score} of {len(met)} points" in told
    (ahead,) = (
        one["ahead"] for one in document(played())["bots"][0]["opponents"] if one["name"] == b
    )
    assert ahead is not None
    assert ahead["high"] is not None
    assert f"{abs(round(ahead['value']))} ±{round(ahead['high'] - ahead['value'])}" in told
    visit.page.go_back()
    visit.page.wait_for_selector("#versus", state="hidden")
    visit.page.wait_for_function(f"() => Math.abs(scrollY - {scrolled}) < 2")
    assert found(visit) == len(played())
    visit.page.go_forward()
    visit.page.wait_for_selector("#versus table >> nth=1")
    assert not visit.complaints


def test_openings_are_looked_at_on_a_board_one_click_deeper(visit: Visit, report: str) -> None:
    visit.open(report)
    trees = {part["game"]: part["lines"] for part in document(played())["trees"]}
    visit.page.locator("#openings summary", has_text="Yavalath").click()
    tree = visit.page.locator(".explorer[data-game=yavalath] .tree")
    tree.wait_for()
    shown = tree.locator("tbody tr > th").all_inner_texts()
    lines = trees["yavalath"]
    assert shown == [line["text"] for line in lines if " " not in line["text"]]
    move = shown[0]
    tree.locator(f".cell:has(title:text-matches('^{move}:'))").click()
    assert tree.locator(".way strong").inner_text() == f"1. {move}"
    begun = [line["text"].split() for line in lines]
    deeper = [words[1] for words in begun if len(words) == 2 and words[0] == move]
    assert tree.locator("tbody tr > th").all_inner_texts() == deeper
    tree.locator(".way button").click()
    assert tree.locator("tbody tr > th").all_inner_texts() == shown
    visit.page.locator("#openings summary", has_text="Mammalath").first.click()
    setups = visit.page.locator(".explorer[data-game=mammalath] .setup svg.board")
    setups.first.wait_for()
    (part,) = (part for part in document(played())["setups"] if part["game"] == "mammalath")
    assert setups.count() == len(part["lines"])
    assert visit.sideways() <= 0
    assert not visit.complaints


def downloaded(visit: Visit, button: str) -> Path:
    with visit.page.expect_download() as download:
        visit.page.click(button)
    return Path(download.value.path())


def records_in(path: Path) -> list[Record]:
    """Return the records of a file that has no suffix."""
    return list(notation.read(path.rename(path.with_suffix(".lath"))))


def test_downloaded_records_without_numbers_are_those_of_the_source(
    visit: Visit, address_of: Address, the_page: Pages
) -> None:
    visit.open(address_of(the_page("hostile")))
    text = downloaded(visit, "#save-records").read_text(encoding="utf-8")
    # Lines may be broken elsewhere.
    assert text.split() == "".join(notation.format_records(hostile_records())).split()


def test_the_standings_of_many_bots_are_downloaded_whole(
    visit: Visit, address_of: Address, the_page: Pages
) -> None:
    visit.open(address_of(the_page("many bots")))
    assert visit.page.locator(".sheet-of-bot").count() == MANY_BOTS
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


STUCK = {
    "ppo2p/1p2ppo/po1poo1o/o1o1ppopo/pppo1o2pp/o2po1ooo/po1pp1g1/op1o1po/opoppo p": "1. Of4 0-1",
    "p1ppoo/popg3/poo1popp/o2poo2p/ppoo3poo/op2oo2p/o1poppop/po1po2/opoopp p": "1. Oc2 1-0",
}
"""Manalath's players without a move: a group of four loses, one of five wins."""

_ENDINGS = """async () => {
  const games = await lath.openGames();
  const told = [];
  for (let i = 0; i < games.count; i += 1) {
    const game = await lath.openGame(games, i);
    const said = lath.verdictOf(game).map((part) => part.textContent ?? part).join("");
    const shown = lath.boardOf(game.board);
    shown.show({ stacks: game.stacks[game.plies], deciding: game.deciding, isLoss: game.isLoss });
    told.push([said, shown.element.querySelector(".marks [stroke-dasharray]") !== null]);
  }
  return told;
}"""


def test_words_and_colours_say_who_won_or_lost_by_what_in_every_game(
    visit: Visit, address_of: Address
) -> None:
    """Also of Manalath's players who cannot move, whose shape is not of the last move."""
    endings = [random_game(name, seed) for name in BUILT_IN for seed in range(1, 9)]
    for position, end in STUCK.items():
        tags = f'[Game "manalath"]\n[First "ann"]\n[Second "bob"]\n[Position "{position}"]'
        endings.append(parse(f"{tags}\n\n{end}\n"))
    visit.open(address_of(render(endings)))
    outcomes = [list(positions(record))[-1].outcome() for record in endings]
    said = [one.told("ann", "bob").capitalize() for one in outcomes if one]
    assert {"Ann made three in line and lost", "Ann made a group of five and won"} <= set(said)
    told = visit.page.evaluate(_ENDINGS)
    assert [words.replace("Drawn:", "A draw:").capitalize() for words, _ in told] == said
    red = [bool(one and one.cells and one.is_loss) for one in outcomes]
    assert [is_red for _, is_red in told] == red


def test_a_game_that_counts_for_nothing_says_so_and_how_it_ended(
    visit: Visit, address_of: Address
) -> None:
    ruling = "bob disqualified: played by hand"
    game = with_tags(cut(played()[0], 3, "crash", "1-0"), Ruling=ruling)
    visit.open(address_of(render([game])))
    visit.page.wait_for_selector("#rows tr")
    assert "bob disqualified" in visit.page.inner_text("#rows tr")
    words = f"{game.second} crashed at ply 4 and lost; it counts for nothing: bob disqualified"
    assert words in visit.page.inner_text("#replay")
    table = downloaded(visit, "#save-games").read_text(encoding="utf-8-sig")
    assert ",crash," in table, "as the record has it"
    assert not visit.complaints
