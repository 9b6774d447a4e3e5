"""The replay, the list of games and the downloads in a real browser, from a file."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from browsing import Visit, new_window, visiting
from report_pages import ANALYSED, played
from sample_records import bare, hostile_records, random_game
from shown_moves import changes
from unpacking import data_in, opened

from lath.games.core import Move, Position
from lath.games.drawing.board import effects
from lath.notation.reader import entries, read
from lath.notation.record import Ply, Record, comment
from lath.notation.replay import positions, start_of
from lath.notation.scanner import parse
from lath.notation.writer import format_record
from lath.reports.export import to_csv, to_json
from lath.reports.page.document import document
from lath.reports.page.pack import Packer
from lath.reports.page.page import Page, render
from lath.reports.standings import compute

RECORDS = played()

Address = Callable[[Page], str]

_IS_AT = """([number, ply]) => {
  const [at, , plies] = document.getElementById("at").textContent.split(" ");
  return document.getElementById("which").textContent.startsWith(`Game ${number} of`)
    && Number(at) === Math.min(ply, Number(plies));
}"""


@pytest.fixture(scope="module")
def report(address_of: Address, the_page: Callable[[str], Page]) -> str:
    return address_of(the_page("played"))


@pytest.fixture(scope="module")
def hostile(address_of: Address, the_page: Callable[[str], Page]) -> str:
    return address_of(the_page("hostile"))


_IS_IN_THE_ADDRESS = """() => {
  const [, number] = document.getElementById("which").textContent.split(" ");
  const [at] = document.getElementById("at").textContent.split(" ");
  return ["", `#game=${number}&ply=${at}`].includes(location.hash);
}"""
"""The address follows a little later; until then, going where it is would be going nowhere."""


@pytest.fixture(scope="module")
def tab(browser: Any, report: str) -> Iterator[Any]:
    """A tab in which the report is open."""
    window = new_window(browser, permissions=["clipboard-read", "clipboard-write"])
    opened = window.new_page()
    with visiting(opened) as visitor:
        visitor.open(report)
        visitor.look_away()
        yield opened
    window.close()


@pytest.fixture
def replay(tab: Any) -> Iterator[Visit]:
    """A visitor who finds the report open, at whatever game was looked at last, and goes to one.

    For who leaves it as it was: opening it takes most of the time of a test.
    """
    with visiting(tab) as visitor:
        tab.evaluate("document.activeElement.blur()")
        yield visitor
        tab.wait_for_function(_IS_IN_THE_ADDRESS)
        visitor.look_away()


def at(visit: Visit) -> str:
    return str(visit.page.inner_text("#at"))


def board(visit: Visit) -> list[str]:
    """Return what each cell says it holds."""
    script = "[...document.querySelectorAll('#board .cell > title')].map(t => t.textContent)"
    told: list[str] = visit.page.evaluate(script)
    return told


@cache
def line_of(number: int) -> Sequence[Position]:
    """Return the positions of a game of the records, from its start on."""
    return list(positions(RECORDS[number - 1]))


def words_of(number: int, ply: int) -> list[str]:
    """Return what the cells of a game's board hold after a ply, as the page says it."""
    position = line_of(number)[ply]
    names = {piece.code: piece.name for piece in position.game.pieces}
    told = (" on ".join(names[code] for code in content[::-1]) for content in position.contents())
    return [
        f"{cell}: {words or 'empty'}"
        for cell, words in zip(position.game.board.names, told, strict=True)
    ]


def ends_of_moves(position: Position) -> dict[str, bool]:
    """Return the moves that end the game at once, and whether they win it."""
    outcomes = {move: position.play(move).outcome() for move in position.legal_moves()}
    winners = {move: end.winner for move, end in outcomes.items() if end and end.winner is not None}
    return {move: winner == position.to_move for move, winner in winners.items()}


def go_to(visit: Visit, report: str, number: int, ply: int) -> None:
    """Open a permalink, also within the page that is open."""
    address = f"{report}#game={number}&ply={ply}"
    if visit.page.url.split("#")[0] == report:
        visit.page.goto(address)
    else:
        visit.open(address)
    visit.page.wait_for_function(_IS_AT, arg=[number, ply])


# Positions


@pytest.mark.parametrize("every", [4])
def test_games_unpack_to_what_the_rules_say(every: int, replay: Visit, report: str) -> None:
    script = """async every => {
      const games = await lath.openGames();
      const opened = [];
      for (let i = 3; i < games.count; i += 7) {
        const game = await lath.openGame(games, i);
        const plies = [...game.stacks.keys()].filter(ply => ply % every === 1 % every);
        const legal = plies.map(ply => lath.legalAt(game, ply));
        const hints = plies.map(ply => Object.fromEntries(lath.hintsAt(game, ply)));
        opened.push({ stacks: game.stacks, movers: game.movers, legal, hints });
      }
      return JSON.stringify(opened);
    }"""
    told = json.loads(replay.page.evaluate(script, every))
    numbers = range(4, len(RECORDS) + 1, 7)
    for number, game in zip(numbers, told, strict=True):
        line = line_of(number)
        assert game["stacks"] == [list(position.contents()) for position in line]
        assert game["movers"] == [int(position.to_move) for position in line]
        for position, legal in zip(line[1 % every :: every], game["legal"], strict=True):
            assert sorted(move["text"] for move in legal) == sorted(position.legal_moves())
        for position, hints in zip(line[1 % every :: every], game["hints"], strict=True):
            assert hints == ends_of_moves(position)
        for move in game["legal"][0]:
            before = line[1 % every]
            after = before.play(move["text"]).contents()
            assert move["changes"] == changes(before.contents(), after)


def test_a_permalink_opens_the_board_of_that_ply(replay: Visit, report: str) -> None:
    for number in (1, 8, 14, 26, 32, len(RECORDS)):
        plies = len(RECORDS[number - 1].plies)
        for ply in (0, plies // 2, plies):
            go_to(replay, report, number, ply)
            assert board(replay) == words_of(number, ply)


def test_a_wrong_permalink_opens_the_first_game(visit: Visit, address_of: Address) -> None:
    report = address_of(render(RECORDS[:2]))
    for address in ("#game=0", "#game=9999", "#game=x&ply=y", "#replay", "#%"):
        visit.page.goto("about:blank")
        visit.open(report + address)
        assert visit.page.inner_text("#which").startswith("Game 1 of"), address


# Keys


def test_keys_go_through_the_game(replay: Visit, report: str) -> None:
    go_to(replay, report, 1, 0)
    plies = len(RECORDS[0].plies)
    keys = replay.page.keyboard
    for key, ply in (
        *(("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("PageDown", 11)),
        *(("PageUp", 1), ("End", plies), ("Home", 0)),
    ):
        keys.press(key)
        assert at(replay) == f"{ply} / {plies}"
        assert board(replay) == words_of(1, ply)
        replay.page.wait_for_url(f"**#game=1&ply={ply}")


def test_n_and_p_go_from_game_to_game(replay: Visit, report: str) -> None:
    go_to(replay, report, 1, 3)
    replay.page.keyboard.press("n")
    replay.await_game(2)
    replay.page.keyboard.press("n")
    replay.await_game(3)
    replay.page.keyboard.press("p")
    replay.await_game(2)
    replay.page.focus("#seek")
    replay.page.keyboard.press("p")
    replay.await_game(1)
    replay.page.keyboard.press("PageDown")
    assert at(replay).startswith("10 /")


def test_space_plays_and_pauses(visit: Visit, report: str) -> None:
    visit.page.emulate_media(reduced_motion="no-preference")
    go_to(visit, report, 1, 0)
    visit.page.focus("#board")
    visit.page.keyboard.press(" ")
    assert visit.page.get_attribute("#play", "aria-pressed") == "true"
    assert visit.page.get_attribute("#told", "aria-live") == "off"
    moved = "() => document.getElementById('at').textContent !== '0 / 31'"
    visit.page.wait_for_function(moved, polling=100)
    visit.page.keyboard.press(" ")
    assert visit.page.get_attribute("#play", "aria-pressed") == "false"
    assert visit.page.get_attribute("#told", "aria-live") == "polite"


def test_the_keys_are_told(replay: Visit, report: str) -> None:
    go_to(replay, report, 1, 0)
    replay.page.focus("#board")
    replay.page.keyboard.press("?")
    assert replay.page.is_visible("#keys")
    replay.page.keyboard.press("Escape")
    assert not replay.page.is_visible("#keys")


def test_keys_in_a_field_are_the_fields(replay: Visit, report: str) -> None:
    go_to(replay, report, 1, 2)
    replay.page.click("#filter")
    for key in ("ArrowRight", "n", " ", "End"):
        replay.page.keyboard.press(key)
    assert at(replay).startswith("2 /")
    assert replay.page.inner_text("#which").startswith("Game 1 of")
    replay.page.click("#clear")


def test_the_slider_is_a_way_through_the_game(replay: Visit, report: str) -> None:
    go_to(replay, report, 1, 2)
    replay.page.focus("#seek")
    replay.page.keyboard.press("ArrowRight")
    assert at(replay).startswith("3 /")
    assert replay.page.get_attribute("#seek", "aria-valuetext").startswith("3. ")


def test_buttons_keep_the_focus_at_the_end_of_the_game(replay: Visit, report: str) -> None:
    go_to(replay, report, 1, len(RECORDS[0].plies) - 1)
    replay.page.click("#forward")
    assert replay.page.get_attribute("#forward", "aria-disabled") == "true"
    replay.page.keyboard.press("Home")
    assert at(replay).startswith("0 /")


# What is shown


def test_comments_glyphs_evaluation_and_time_are_shown(replay: Visit, report: str) -> None:
    go_to(replay, report, 1, 2)
    assert replay.page.inner_text("#note").startswith("A quiet start")
    assert replay.page.locator("#moves .said").count() == 1
    told = replay.page.inner_text("#told")
    ply = RECORDS[0].plies[1]
    assert f"{ply.used_s:.3f} s" in told
    assert f"eval {ply.eval:+.2f}".replace("-", "−") in told
    replay.page.focus("#board")
    replay.page.keyboard.press("Home")
    replay.page.wait_for_function(
        "() => document.getElementById('note').innerText === 'Two old rivals.'"
    )


def test_the_graph_has_a_line_for_each_bot_and_is_a_way_to_a_ply(
    replay: Visit, report: str
) -> None:
    go_to(replay, report, 1, 0)
    assert replay.page.locator("#evals .eval-0, #evals .eval-1").count() == 2
    replay.page.locator("#evals").scroll_into_view_if_needed()
    box = replay.page.locator("#evals").bounding_box()
    replay.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    plies = len(RECORDS[0].plies)
    assert abs(int(at(replay).split(" ")[0]) - plies / 2) <= 1


def test_board_players_graph_and_moves_are_seen_at_once_on_a_laptop(
    visit: Visit, report: str
) -> None:
    script = """() => {
      document.getElementById("replay").scrollIntoView();
      return ["board", "players", "verdict", "evals", "seek", "moves", "to-end", "share-open"]
        .filter((id) => document.getElementById(id).getBoundingClientRect().bottom > innerHeight);
    }"""
    visit.page.set_viewport_size({"width": 1280, "height": 800})
    first_of = {record.game: number for number, record in reversed([*enumerate(RECORDS, 1)])}
    for number in (1, *first_of.values()):
        go_to(visit, report, number, 5)
        assert visit.page.evaluate(script) == []


def test_a_move_of_the_list_can_be_clicked(replay: Visit, report: str) -> None:
    go_to(replay, report, 1, 0)
    replay.page.click("#moves button >> nth=4")
    assert at(replay).startswith("5 /")
    assert replay.page.get_attribute("#moves [aria-current]", "data-ply") == "5"


def test_the_deciding_cells_are_marked_at_the_end_only(replay: Visit, report: str) -> None:
    number = next(i for i, record in enumerate(RECORDS, 1) if record.game == "yavalath")
    go_to(replay, report, number, 999)
    marks = "document.querySelector('#board .marks').childElementCount"
    at_end = replay.page.evaluate(marks)
    replay.page.keyboard.press("ArrowLeft")
    assert replay.page.evaluate(marks) < at_end


def test_legal_moves_come_on_demand(visit: Visit, report: str) -> None:
    go_to(visit, report, 1, 0)
    dots = visit.page.locator("#board .dot")
    assert dots.count() == 0
    visit.page.click("#legal")
    assert visit.page.get_attribute("#legal", "aria-pressed") == "true"
    assert dots.count() == len(line_of(1)[0].legal_moves())


def test_hints_mark_what_wins_and_what_loses_at_once(visit: Visit, report: str) -> None:
    number, ends = next(
        (number, ends_of_moves(line_of(number)[-2]))
        for number, record in enumerate(RECORDS, 1)
        if record.game == "yavalath" and record.termination == "rules" and record.plies
    )
    go_to(visit, report, number, len(line_of(number)) - 2)
    visit.page.click("#hints")
    signs = {True: "Stars win at once: ", False: "Triangles lose at once: "}
    told = visit.page.inner_text("#others")
    for wins, words in signs.items():
        moves = {move for move, win in ends.items() if win == wins}
        found = re.search(f"{words}([^.]*)", told)
        assert set(found[1].split(" ") if found else ()) == moves
    assert visit.page.locator("#board .dot").count() == 0


def test_a_cell_tells_its_legal_moves_by_pointer_and_by_keyboard(visit: Visit, report: str) -> None:
    number = next(i for i, record in enumerate(RECORDS, 1) if record.game == "mammalath")
    go_to(visit, report, number, 3)
    position = line_of(number)[3]
    visit.page.click("#legal")
    told = visit.page.locator("#others")
    assert str(len(effects(position).lines)) in told.inner_text()
    names = position.game.board.names
    visit.page.locator("#board .cell").nth(names.index("c3")).click()
    before = position.contents()
    expected = {
        move
        for move in position.legal_moves()
        if "c3" in [names[cell] for cell, _ in changes(before, position.play(move).contents())]
    }
    cell, moves = told.inner_text().removesuffix(".").split(": ")
    assert (cell, {words.split(" ")[0] for words in moves.split(" · ")}) == ("c3", expected)
    line = visit.page.locator("#board .line[data-move]").first
    line.dispatch_event("pointermove", {"bubbles": True})
    assert told.inner_text().startswith(f"{line.get_attribute('data-move')} takes ")
    visit.page.focus("#board")
    visit.page.keyboard.press("Shift+ArrowRight")
    assert told.inner_text().startswith("d3: ")
    visit.page.keyboard.press("Escape")
    assert told.inner_text().startswith("Dots: ")


def test_a_game_without_replay_says_why(visit: Visit, address_of: Address) -> None:
    records = [bare("ann", "bob", "1-0", game_id="no-such-game"), random_game("surikata", 1)]
    address = address_of(render(records))
    visit.open(address)
    assert visit.page.inner_text("#which").startswith("Game 2 of")
    go_to(visit, address, 1, 3)
    assert "unknown game 'no-such-game'" in visit.page.inner_text("#board")
    visit.page.keyboard.press("ArrowRight")
    assert at(visit) == "0 / 0"


def test_an_analysis_shows_marks_and_a_better_line_to_step_into(
    visit: Visit, address_of: Address
) -> None:
    record = parse(ANALYSED)
    visit.open(address_of(render([record])) + "#game=1&ply=0")
    page = visit.page
    assert page.locator("#evals .eval-analysis").count() == 1
    assert page.locator("#evals .eval-0, #evals .eval-1").count() == 2
    assert page.get_attribute("#moves .glyph.bad", "title") == "threw a proven result away"
    assert "threw a proven result away" in page.text_content("#moves button >> nth=0")
    assert page.inner_text("#moves .said").endswith("a hasty one Better: 1. d3 2. a1")
    page.focus("#board")
    page.keyboard.press("m")
    assert at(visit) == "1 / 2"
    told = page.inner_text("#told")
    assert told.startswith("1. a1?? · threw a proven result away · white · eval +0.25 · analysis")
    assert "analysis −1.000" in told
    position = start_of(record)
    names = {piece.code: piece.name for piece in position.game.pieces}
    for key, move in (("b", "d3"), ("ArrowRight", "a1")):
        page.keyboard.press(key)
        position = position.play(Move(move))
        held = [names.get(one, "empty") for one in position.contents()]
        assert [cell.partition(": ")[2] for cell in board(visit)] == held
        assert page.inner_text("#better [aria-current]").endswith(move)
    assert page.get_attribute("#forward", "aria-disabled") == "true"
    for key in ("ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    assert page.locator("#better [aria-current]").count() == 0
    assert page.inner_text("#told") == told
    page.click("#better button >> nth=0")
    assert page.locator("#better [aria-current]").count() == 1
    page.keyboard.press("End")
    assert at(visit) == "2 / 2"
    assert page.locator("#better button").count() == 0


def test_a_game_without_mistakes_has_no_way_to_them(replay: Visit, report: str) -> None:
    go_to(replay, report, 1, 0)
    assert not replay.page.is_visible("#mistake")
    replay.page.keyboard.press("m")
    replay.page.keyboard.press("b")
    assert at(replay).startswith("0 /")


# Copies


def test_a_copied_position_is_a_record_that_ends_there(
    replay: Visit, report: str, tmp_path: Path
) -> None:
    for number, ply in ((1, 6), (26, 9), (len(RECORDS), 0)):
        go_to(replay, report, number, ply)
        replay.page.click("#share-open")
        replay.page.click("#copy-position")
        replay.page.wait_for_function("() => document.getElementById('copied').textContent !== ''")
        text = replay.page.evaluate("navigator.clipboard.readText()")
        replay.page.click("#share-close")
        path = tmp_path / "position.lath"
        path.write_text(text, encoding="utf-8")
        [entry] = entries(path)
        assert entry.problems == ()
        assert entry.record is not None
        *_, reached = positions(entry.record)
        assert reached == line_of(number)[ply]


def test_without_a_clipboard_the_text_is_there_to_copy_by_hand(visit: Visit, report: str) -> None:
    go_to(visit, report, 2, 3)
    refuse = "navigator.clipboard.writeText = () => Promise.reject(new Error('no'))"
    visit.page.evaluate(f"() => {{ {refuse} }}")
    visit.page.click("#share-open")
    visit.page.click("#copy-link")
    visit.page.wait_for_selector("#copy-field", state="visible")
    assert visit.page.input_value("#copy-text").endswith("#game=2&ply=3")


# Downloads


def saved(visit: Visit, button: str) -> str:
    with visit.page.expect_download() as waiting:
        visit.page.click(button)
    return str(Path(waiting.value.path()).read_text(encoding="utf-8"))


def records_in(text: str, folder: Path) -> list[Record]:
    path = folder / "games.lath"
    path.write_text(text, encoding="utf-8")
    return list(read(path))


def rewritten(records: Sequence[Record], folder: Path) -> list[Record]:
    """Return the records as they come back from a file."""
    return records_in("\n".join(map(format_record, records)), folder)


def test_downloaded_records_are_the_records(replay: Visit, report: str, tmp_path: Path) -> None:
    assert records_in(saved(replay, "#save-records"), tmp_path) == list(RECORDS)


def test_hostile_records_come_back_too(visit: Visit, hostile: str, tmp_path: Path) -> None:
    visit.open(hostile)
    readable = hostile_records()[:-1]  # the moves of the last one are no words of movetext
    text = saved(visit, "#save-records").rpartition("\n\n[Game ")[0]
    assert records_in(text, tmp_path) == rewritten(readable, tmp_path)


def test_the_games_that_the_filter_leaves_are_downloaded(
    visit: Visit, report: str, tmp_path: Path
) -> None:
    visit.open(report)
    visit.page.fill("#filter", "surikata ann")
    wanted = [r for r in RECORDS if r.game == "surikata" and "ann" in (r.first, r.second)]
    assert records_in(saved(visit, "#save-records"), tmp_path) == wanted
    rows = list(csv.DictReader(io.StringIO(saved(visit, "#save-games"))))
    assert [row["first"] for row in rows] == [record.first for record in wanted]


def test_the_table_of_games_is_guarded_against_formulas(visit: Visit, hostile: str) -> None:
    visit.open(hostile)
    rows = list(csv.DictReader(io.StringIO(saved(visit, "#save-games"), newline="")))
    assert "'=1+1" in {row["first"] for row in rows}
    cells = [cell for row in rows for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


def test_standings_are_downloaded_in_two_forms(replay: Visit, report: str) -> None:
    standings = json.loads(saved(replay, "#save-standings-json"))
    names = [row["name"] for row in standings["overall"]["rows"]]
    rows = list(csv.DictReader(io.StringIO(saved(replay, "#save-standings-csv"))))
    assert [row["name"] for row in rows if not row["game"]] == names
    table = to_csv(to_json(compute(RECORDS)))
    assert saved(replay, "#save-standings-csv").splitlines() == table.splitlines()
    assert standings == document(RECORDS)["standings"]


# The list


def shown_numbers(visit: Visit) -> list[int]:
    script = "[...document.querySelectorAll('#rows tr')].map(row => Number(row.dataset.number))"
    return list(visit.page.evaluate(script))


def test_the_filter_finds_games(visit: Visit, report: str) -> None:
    visit.open(report)
    visit.page.fill("#filter", "surikata ann")
    wanted = [
        number
        for number, record in enumerate(RECORDS, 1)
        if record.game == "surikata" and "ann" in (record.first, record.second)
    ]
    assert shown_numbers(visit) == wanted
    assert visit.page.inner_text("#found") == f"{len(wanted)} of {len(RECORDS)} games"
    visit.page.click("#clear")
    assert visit.page.inner_text("#found") == f"{len(RECORDS)} games"


def test_the_choices_narrow_the_list(visit: Visit, report: str) -> None:
    visit.open(report)
    visit.page.select_option("#only-bot", "bob")
    visit.page.select_option("#only-why", "crash")
    wanted = [
        number
        for number, record in enumerate(RECORDS, 1)
        if "bob" in (record.first, record.second) and record.termination == "crash"
    ]
    assert shown_numbers(visit) == wanted


def test_every_heading_sorts_both_ways(visit: Visit, report: str) -> None:
    visit.open(report)
    visit.page.select_option("#page-size", "100")
    for title, key in (
        ("Plies", lambda record: len(record.plies)),
        ("First", lambda record: record.first),
        ("Round", lambda record: int(record.tag("Round"))),
    ):
        heading = visit.page.locator("#columns th", has_text=title)
        for direction, sign in (("ascending", 1), ("descending", -1)):
            heading.locator("button").click()
            assert heading.get_attribute("aria-sort") == direction
            keys = [key(RECORDS[number - 1]) for number in shown_numbers(visit)]
            assert keys == sorted(keys, reverse=sign < 0)


def test_a_number_of_the_list_opens_its_game(visit: Visit, report: str) -> None:
    visit.open(report)
    visit.page.click("#rows a >> nth=7")
    visit.await_game(8)
    assert at(visit).startswith("0 /")
    assert visit.page.get_attribute("#rows [aria-current]", "data-number") == "8"


def test_the_pager_turns_pages(visit: Visit, report: str) -> None:
    visit.open(report)
    visit.page.select_option("#page-size", "10")
    visit.page.click("#page-after")
    assert shown_numbers(visit) == list(range(11, 21))
    visit.page.click("#page-last")
    assert shown_numbers(visit)[-1] == len(RECORDS)
    assert visit.page.get_attribute("#page-after", "aria-disabled") == "true"


def test_a_page_that_is_loaded_again_is_as_it_was(visit: Visit, report: str) -> None:
    go_to(visit, report, 5, 1)
    visit.page.fill("#filter", "mammalath")
    visit.page.select_option("#only-bot", "cat")
    visit.page.select_option("#page-size", "10")
    visit.page.click("#columns button >> text=Plies")
    visit.page.click("#page-after")
    before = shown_numbers(visit)
    visit.page.reload()
    visit.await_game(5)
    assert at(visit).startswith("1 /")
    assert shown_numbers(visit) == before
    assert visit.page.input_value("#filter") == "mammalath"
    assert visit.page.input_value("#only-bot") == "cat"


# More games than a page replays


@pytest.fixture(scope="module")
def long() -> Page:
    """A report that replays twenty of thirty games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Packer.__init__, "__kwdefaults__", {"replayed": 20})
        return render(RECORDS[:30])


@pytest.fixture
def crowded(address_of: Address, long: Page) -> str:
    return address_of(long)


def test_all_games_are_listed_and_the_page_says_how_many_it_replays(
    visit: Visit, crowded: str, long: Page
) -> None:
    visit.open(crowded)
    visit.page.select_option("#page-size", "100")
    assert shown_numbers(visit) == list(range(1, 31))
    assert visit.page.inner_text("#replayed").startswith("The page replays 20 of 30 games")
    assert "the records of 20 games" in visit.page.inner_text("#downloads-told")
    replayed = opened(data_in(long.html)["head"])["replayed"]
    number = replayed[10] + 1
    go_to(visit, crowded, number, 5)
    assert board(visit) == words_of(number, 5)


def test_a_game_that_is_not_replayed_says_so(visit: Visit, crowded: str, long: Page) -> None:
    replayed = opened(data_in(long.html)["head"])["replayed"]
    number = min(set(range(30)) - set(replayed)) + 1
    visit.open(f"{crowded}#game={number}&ply=3")
    visit.await_game(number)
    assert "the page has room for 20 of 30 games" in visit.page.inner_text("#board")
    assert visit.page.inner_text("#players").startswith(RECORDS[number - 1].first)
    visit.page.keyboard.press("n")
    visit.await_game(number + 1)


def test_the_records_of_the_games_that_are_replayed_are_downloaded(
    visit: Visit, crowded: str, long: Page, tmp_path: Path
) -> None:
    visit.open(crowded)
    replayed = opened(data_in(long.html)["head"])["replayed"]
    wanted = [RECORDS[place] for place in replayed]
    assert records_in(saved(visit, "#save-records"), tmp_path) == wanted
    assert len(saved(visit, "#save-games").splitlines()) == 31


def test_everything_a_bot_said_of_a_move_is_shown(visit: Visit, address_of: Address) -> None:
    notes = comment("[%emt 0.030] [%eval -0.125] [%clk 9.500] [%depth 12] [%pv e5 d4] So be it.")
    record = replace(bare("ann", "bob", "*"), plies=(Ply("e5", "!", (notes,)),))
    visit.open(address_of(render([record])))
    more = "clock 9.500 s · depth 12 · line e5 d4"
    assert visit.page.inner_text("#told") == f"1. e5! · white · eval −0.125 · 0.030 s · {more}"
    assert visit.page.inner_text("#note") == "So be it."


def test_how_a_bot_broke_a_game_off_is_told_at_the_ply_where_it_did(
    visit: Visit, address_of: Address
) -> None:
    story = comment("bob (second): illegal move x9: no such move at ply 2")
    record = replace(bare("ann", "bob", "1-0"), plies=(Ply("e5"),), comments=(story,))
    visit.open(address_of(render([record])))
    assert visit.page.inner_text("#note") == f"Ply 2: {story[0]}"
    visit.page.click("#to-start")
    assert visit.page.inner_text("#note") == ""
