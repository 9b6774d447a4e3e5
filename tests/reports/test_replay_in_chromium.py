"""The replay of a report in a real browser, from a file: boards, keys, words, copies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from browsing import Visit, new_window, visiting
from hands import BETTER
from places import SUPPORT
from report_pages import ANALYSED, played
from sample_records import BUILT_IN, bare, cut, random_game, with_tags
from shown_moves import changes
from unpacking import data_in, opened

from lath import games
from lath.games.capabilities import extras_told
from lath.games.cards import card_of
from lath.games.core import Move, Position
from lath.games.drawing import shapes
from lath.games.drawing.board import svg
from lath.games.drawing.changes import effects
from lath.notation.record.record import Ply, comment
from lath.notation.record.tags import opening_name
from lath.notation.rules.reading import entries, read
from lath.notation.rules.replay import positions, start_of
from lath.notation.text.scanner import parse
from lath.reports.page.pack import Packer
from lath.reports.page.page import Page, render

RECORDS = played()

Address = Callable[[Page], str]

_IS_AT = """([number, ply]) => {
  const [at, , plies] = document.getElementById("at").textContent.split(" ");
  return document.getElementById("which").textContent.startsWith(`Game ${number} of`)
    && Number(at) === Math.min(ply, Number(plies));
}"""

_IS_IN_THE_ADDRESS = """() => {
  const [, number] = document.getElementById("which").textContent.split(" ");
  const [at] = document.getElementById("at").textContent.split(" ");
  return ["", `#game=${number}&ply=${at}`].includes(location.hash);
}"""
"""The address follows a little later; until then, going where it is would be going nowhere."""


@pytest.fixture(scope="module")
def report(address_of: Address, the_page: Callable[[str], Page]) -> str:
    return address_of(the_page("played"))


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


def words_of(position: Position) -> list[str]:
    """Return what the cells of a board hold, as the page says it."""
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


def first_of(game_id: str) -> int:
    return next(number for number, record in enumerate(RECORDS, 1) if record.game == game_id)


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
    for number, game in zip(range(4, len(RECORDS) + 1, 7), told, strict=True):
        line = line_of(number)
        assert game["stacks"] == [list(position.contents()) for position in line]
        assert game["movers"] == [int(position.to_move) for position in line]
        some = line[1 % every :: every]
        for position, legal, hints in zip(some, game["legal"], game["hints"], strict=True):
            assert sorted(move["text"] for move in legal) == sorted(position.legal_moves())
            assert hints == ends_of_moves(position)
        for move in game["legal"][0]:
            after = some[0].play(move["text"]).contents()
            assert move["changes"] == changes(some[0].contents(), after)


def test_permalinks_open_the_board_of_a_ply_and_wrong_ones_the_first_game(
    replay: Visit, visit: Visit, report: str, address_of: Address
) -> None:
    for number in (1, 8, 14, 26, 32, len(RECORDS)):
        plies = len(RECORDS[number - 1].plies)
        for ply in (0, plies // 2, plies):
            go_to(replay, report, number, ply)
            assert board(replay) == words_of(line_of(number)[ply])
    few = address_of(render(RECORDS[:2]))
    for address in ("#game=0", "#game=9999", "#game=x&ply=y", "#replay", "#%"):
        visit.page.goto("about:blank")
        visit.open(few + address)
        assert visit.page.inner_text("#which").startswith("Game 1 of"), address


# Keys and buttons


def test_keys_slider_and_buttons_go_through_games_and_the_address_follows(
    replay: Visit, report: str
) -> None:
    page, plies = replay.page, len(RECORDS[0].plies)
    keys = page.keyboard
    go_to(replay, report, 1, 0)
    for key, ply in (
        *(("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("PageDown", 11)),
        *(("PageUp", 1), ("End", plies), ("Home", 0)),
    ):
        keys.press(key)
        assert at(replay) == f"{ply} / {plies}"
        assert board(replay) == words_of(line_of(1)[ply])
        page.wait_for_url(f"**#game=1&ply={ply}")
    for key in ("m", "b"):  # a game without mistakes has no way to them
        keys.press(key)
    assert (at(replay)[:3], page.is_visible("#mistake")) == ("0 /", False)
    for key, number in (("n", 2), ("n", 3), ("p", 2)):
        keys.press(key)
        replay.await_game(number)
    page.focus("#seek")
    keys.press("p")
    replay.await_game(1)
    keys.press("PageDown")
    assert at(replay).startswith("10 /")
    keys.press("ArrowRight")
    assert at(replay).startswith("11 /")
    assert page.get_attribute("#seek", "aria-valuetext").startswith("11. ")
    # In a field they are the field's.
    page.click("#filter")
    for key in ("ArrowRight", "n", " ", "End"):
        keys.press(key)
    assert at(replay).startswith("11 /")
    assert page.inner_text("#which").startswith("Game 1 of")
    page.click("#clear")
    page.focus("#board")
    keys.press("?")
    assert page.is_visible("#keys")
    keys.press("Escape")
    assert not page.is_visible("#keys")
    # A button keeps the focus at the end of the game.
    go_to(replay, report, 1, plies - 1)
    page.click("#forward")
    assert page.get_attribute("#forward", "aria-disabled") == "true"
    keys.press("Home")
    assert at(replay).startswith("0 /")
    page.click("#moves button >> nth=4")
    assert at(replay).startswith("5 /")
    assert page.get_attribute("#moves [aria-current]", "data-ply") == "5"


def test_space_plays_and_pauses(visit: Visit, report: str) -> None:
    visit.page.emulate_media(reduced_motion="no-preference")
    go_to(visit, report, 1, 0)
    visit.page.focus("#board")
    for pressed, live in (("true", "off"), ("false", "polite")):
        visit.page.keyboard.press(" ")
        assert visit.page.get_attribute("#play", "aria-pressed") == pressed
        assert visit.page.get_attribute("#told", "aria-live") == live
        moved = "() => document.getElementById('at').textContent !== '0 / 31'"
        visit.page.wait_for_function(moved, polling=100)


# What is shown


def test_comments_evaluations_and_times_are_shown_and_a_graph_leads_to_a_ply(
    replay: Visit, report: str
) -> None:
    page = replay.page
    go_to(replay, report, 1, 2)
    assert page.inner_text("#note").startswith("A quiet start")
    assert page.locator("#moves .said").count() == 1
    told, ply = page.inner_text("#told"), RECORDS[0].plies[1]
    assert f"{ply.used_s:.3f} s" in told
    assert f"eval {ply.eval:+.2f}".replace("-", "−") in told
    page.focus("#board")
    page.keyboard.press("Home")
    page.wait_for_function("() => document.getElementById('note').innerText === 'Two old rivals.'")
    assert page.locator("#evals .eval-0, #evals .eval-1").count() == 2
    page.locator("#evals").scroll_into_view_if_needed()
    box = page.locator("#evals").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    assert abs(int(at(replay).split(" ")[0]) - len(RECORDS[0].plies) / 2) <= 1
    # The deciding cells are marked at the end only.
    go_to(replay, report, first_of("yavalath"), 999)
    marks = "document.querySelector('#board .marks').childElementCount"
    at_end = page.evaluate(marks)
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(marks) < at_end


def test_board_players_graph_and_moves_are_seen_at_once_on_a_laptop(
    visit: Visit, report: str
) -> None:
    script = """() => {
      document.getElementById("replay").scrollIntoView();
      return ["board", "players", "verdict", "evals", "seek", "moves", "to-end", "share-open"]
        .filter((id) => document.getElementById(id).getBoundingClientRect().bottom > innerHeight);
    }"""
    visit.page.set_viewport_size({"width": 1280, "height": 800})
    for number in map(first_of, dict.fromkeys(record.game for record in RECORDS)):
        go_to(visit, report, number, 5)
        assert visit.page.evaluate(script) == []


def test_legal_moves_and_hints_come_on_demand_and_a_cell_tells_its_moves(
    visit: Visit, report: str
) -> None:
    page = visit.page
    number, ends = next(
        (number, ends_of_moves(line_of(number)[-2]))
        for number, record in enumerate(RECORDS, 1)
        if record.game == "yavalath" and record.termination == "rules" and record.plies
    )
    go_to(visit, report, number, len(line_of(number)) - 2)
    page.click("#hints")
    told = page.inner_text("#others")
    for wins, words in {
        True: "Stars win immediately: ",
        False: "Triangles lose immediately: ",
    }.items():
        found = re.search(f"{words}([^.]*)", told)
        moves = {move for move, win in ends.items() if win == wins}
        assert set(found[1].split(" ") if found else ()) == moves
    dots = page.locator("#board .dot")
    assert dots.count() == 0
    page.click("#hints")
    page.click("#legal")
    assert page.get_attribute("#legal", "aria-pressed") == "true"
    go_to(visit, report, 1, 0)
    assert dots.count() == len(line_of(1)[0].legal_moves())
    number = first_of("mammalath")
    go_to(visit, report, number, 3)
    position, shown = line_of(number)[3], page.locator("#others")
    assert str(len(effects(position).lines)) in shown.inner_text()
    names, before = position.game.board.names, position.contents()
    page.locator("#board .cell").nth(names.index("c3")).click()
    expected = {
        move
        for move in position.legal_moves()
        if "c3" in [names[cell] for cell, _ in changes(before, position.play(move).contents())]
    }
    cell, moves_told = shown.inner_text().removesuffix(".").split(": ")
    assert cell == "c3"
    assert {words.split(" ")[0] for words in moves_told.split(" · ")} == expected
    line = page.locator("#board .line[data-move]").first
    line.dispatch_event("pointermove", {"bubbles": True})
    assert shown.inner_text().startswith(f"{line.get_attribute('data-move')} takes ")
    page.focus("#board")
    page.keyboard.press("Shift+ArrowRight")
    assert shown.inner_text().startswith("d3: ")
    page.keyboard.press("Escape")
    assert shown.inner_text().startswith("Dots: ")


def test_the_state_beside_the_cells_follows_a_replay_and_its_better_line(
    visit: Visit, address_of: Address
) -> None:
    games.add(SUPPORT / "hands.py")
    record = parse(BETTER)
    line = list(positions(record))
    visit.open(address_of(render([record])) + "#game=1&ply=0")
    page = visit.page
    for position in line:
        assert page.text_content("#board .extras") == extras_told(position)
        assert extras_told(position) in page.text_content("#board desc")
        size = page.get_attribute("#board .extras", "font-size")
        assert f' font-size="{shapes.number(float(size))}" font-weight="400"' in svg(position)
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    position = line[1]  # the better line begins there
    for key, move in (("b", "pass"), ("ArrowRight", "c3")):
        page.keyboard.press(key)
        position = position.play(Move(move))
        assert page.text_content("#board .extras") == extras_told(position)


def test_an_analysis_shows_marks_and_a_better_line_to_step_into(
    visit: Visit, address_of: Address
) -> None:
    record = parse(ANALYSED)
    visit.open(address_of(render([record])) + "#game=1&ply=0")
    page = visit.page
    assert page.locator("#evals .eval-analysis").count() == 1
    assert page.locator("#evals .eval-0, #evals .eval-1").count() == 2
    assert page.get_attribute("#moves .glyph.bad", "title") == "threw away a proven result"
    assert "threw away a proven result" in page.text_content("#moves button >> nth=0")
    assert page.inner_text("#moves .said").endswith("a hasty one Better: 1. d3 2. a1")
    page.focus("#board")
    page.keyboard.press("m")
    assert at(visit) == "1 / 2"
    told = page.inner_text("#told")
    assert told.startswith("1. a1?? · threw away a proven result · white · eval +0.25 · analysis")
    assert "analysis −1.000" in told
    position = start_of(record)
    for key, move in (("b", "d3"), ("ArrowRight", "a1")):
        page.keyboard.press(key)
        position = position.play(Move(move))
        assert board(visit) == words_of(position)
        assert page.inner_text("#better [aria-current]").endswith(move)
    assert page.get_attribute("#forward", "aria-disabled") == "true"
    for key in ("ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    assert page.locator("#better [aria-current]").count() == 0
    assert page.inner_text("#told") == told
    page.click("#better button >> nth=0")
    assert page.locator("#better [aria-current]").count() == 1
    page.keyboard.press("End")
    assert (at(visit), page.locator("#better button").count()) == ("2 / 2", 0)


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


def test_what_is_odd_about_a_game_is_told_beside_its_board(
    visit: Visit, address_of: Address
) -> None:
    """All that a bot said, how one broke a game off, what has no replay, what does not count."""
    page = visit.page
    notes = comment("[%emt 0.030] [%eval -0.125] [%clk 9.500] [%depth 12] [%pv e5 d4] So be it.")
    said = 'standard error: File "b.py", line 2, in f g() KeyError: 3'
    story = comment(f"bob (second): exited; {said}")
    address = address_of(
        render(
            [
                bare("ann", "bob", "1-0", game_id="no-such-game"),
                replace(bare("ann", "bob", "*"), plies=(Ply("e5", "!", (notes,)),)),
                replace(bare("ann", "bob", "1-0"), plies=(Ply("e5"),), comments=(story,)),
                with_tags(cut(RECORDS[0], 3, "crash", "1-0"), Ruling="bob disqualified: by hand"),
            ]
        )
    )
    visit.open(address)
    assert page.inner_text("#which").startswith("Game 2 of"), "the first that can be replayed"
    go_to(visit, address, 1, 3)
    assert "unknown game 'no-such-game'" in page.inner_text("#board")
    page.keyboard.press("ArrowRight")
    assert at(visit) == "0 / 0"
    go_to(visit, address, 2, 1)
    more = "clock 9.500 s · depth 12 · line e5 d4"
    assert page.inner_text("#told") == f"1. e5! · white · eval −0.125 · 0.030 s · {more}"
    assert page.inner_text("#note") == "So be it."
    go_to(visit, address, 3, 1)
    lines = ["Ply 2: bob (second): exited", '  File "b.py", line 2, in f', "    g()", "KeyError: 3"]
    assert page.text_content("#note").split("\n") == lines
    page.click("#to-start")
    assert page.inner_text("#note") == ""
    go_to(visit, address, 4, 0)
    assert "bob disqualified" in page.inner_text("#rows tr:last-child")
    loser = RECORDS[0].second
    words = f"{loser} crashed at ply 4 and lost (not counted, bob disqualified"
    assert words in page.inner_text("#replay")
    with page.expect_download() as waiting:
        page.click("#save-games")
    assert ",crash," in Path(waiting.value.path()).read_text("utf-8"), "as the record has it"


def test_a_game_has_the_rules_of_its_type_beside_it(replay: Visit, report: str) -> None:
    for number in (1, len(RECORDS)):
        go_to(replay, report, number, 0)
        rules = replay.page.text_content("#tags dt:text-is('Rules') + dd").replace("\u2060", "")
        assert rules == card_of(games.get(RECORDS[number - 1].game))


def test_the_name_of_an_opening_is_read_as_programs_read_it(replay: Visit, report: str) -> None:
    go_to(replay, report, 1, 0)
    texts = ["", "Corner", "random:2 e5 d4", "a book.lath #3", "book #3: Corner", "Line #4", "a: b"]
    found = replay.page.evaluate("texts => texts.map((text) => lath.openingIn(text))", texts)
    assert found == list(map(opening_name, texts))


# Copies


def test_a_copied_position_is_a_record_that_ends_there(
    replay: Visit, report: str, tmp_path: Path
) -> None:
    path = tmp_path / "position.lath"
    for number, ply in ((1, 6), (26, 9), (len(RECORDS), 0)):
        go_to(replay, report, number, ply)
        replay.page.click("#share-open")
        replay.page.click("#copy-position")
        replay.page.wait_for_function("() => document.getElementById('copied').textContent !== ''")
        path.write_text(replay.page.evaluate("navigator.clipboard.readText()"), encoding="utf-8")
        replay.page.click("#share-close")
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
    visit.page.evaluate("() => Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    for button in ("#share-copy", "#copy-link", "#copy-code"):
        visit.page.evaluate("document.getElementById('copied').textContent = ''")
        visit.page.click(button)
        visit.page.wait_for_selector("#copied:has-text('does not allow access to its clipboard')")


# More games than a page replays


def test_a_page_says_which_games_it_has_no_room_for(
    visit: Visit, address_of: Address, tmp_path: Path
) -> None:
    with pytest.MonkeyPatch.context() as patch:  # twenty of thirty games
        patch.setattr(Packer.__init__, "__kwdefaults__", {"replayed": 20})
        long = render(RECORDS[:30])
    replayed = opened(data_in(long.html)["head"])["replayed"]
    missing = min(set(range(30)) - set(replayed)) + 1
    address, page = address_of(long), visit.page
    visit.open(f"{address}#game={missing}&ply=3")
    visit.await_game(missing)
    assert "this page contains only 20 of 30 games" in page.inner_text("#board")
    assert page.inner_text("#players").startswith(RECORDS[missing - 1].first)
    page.keyboard.press("n")
    visit.await_game(missing + 1)
    page.select_option("#page-size", "100")
    assert page.locator("#rows tr").count() == 30
    assert page.inner_text("#replayed").startswith("This page can replay 20 of 30 games")
    assert "the records of 20 games" in page.inner_text("#downloads-told")
    go_to(visit, address, replayed[10] + 1, 5)
    assert board(visit) == words_of(line_of(replayed[10] + 1)[5])
    saved = {}
    for button in ("#save-records", "#save-games"):
        with page.expect_download() as waiting:
            page.click(button)
        saved[button] = Path(waiting.value.path()).read_text(encoding="utf-8")
    (tmp_path / "games.lath").write_text(saved["#save-records"], encoding="utf-8")
    assert list(read(tmp_path / "games.lath")) == [RECORDS[place] for place in replayed]
    assert len(saved["#save-games"].splitlines()) == 31
