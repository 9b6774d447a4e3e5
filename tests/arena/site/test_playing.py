"""One plays on a page by mouse, keyboard and touch, analyses, and solves puzzles."""

from __future__ import annotations

import json
import random
import re
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import pytest
from families import ALL
from game_files import write_game
from odd_moves import odd_rules
from places import ROOT
from sites import Served, served, until
from walks import some_position

from lath import games, notation
from lath.arena.engine.puzzle_book import all_built_in, built_in, read_puzzles
from lath.arena.site.boards import arranged, position_json
from lath.arena.site.thinking import MOST
from lath.games.cards import variants
from lath.games.core import read_move
from lath.games.drawing.board import piece_words, pieces_of, places
from lath.games.drawing.changes import placement

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from browsing import Visit
    from sites import Guest

    from lath.games.core import Position

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("folder")) as running:
        yield running


def folder_of(site: Served) -> Path:
    assert site.site.desk is not None
    return site.site.desk.folder


@cache
def a_short_game(game_id: str) -> tuple[str, list[str]]:
    """Return the setup and the moves of a short decided game; pieces are taken in Mammalath."""
    found: list[tuple[str, list[str]]] = []
    for seed in range(300):
        chance, game = random.Random(seed), games.get(game_id)
        setup = game.draw_setup(seed % 3) or ""
        position, moves = game.start(setup or None), list[str]()
        while not position.is_over:
            move = chance.choice(position.legal_moves())
            moves.append(move)
            position = position.play(move)
        winner = getattr(position.outcome(), "winner", None)
        if winner is not None and ("x" in "".join(moves) or game_id != "mammalath"):
            found.append((setup, moves))
    return min(found, key=lambda one: len(one[1]))


SEEN: Final = """() => {
  const places = [...document.querySelectorAll("#board .cell")]
    .map((one) => one.getAttribute("transform"));
  const stacks = [...document.querySelectorAll("#board .stacks > g")];
  const isDim = (one) => one !== document.documentElement
    && (getComputedStyle(one).opacity !== "1" || isDim(one.parentElement));
  const veils = [...document.querySelectorAll("#board .marks [opacity]")];
  return {
    ghosts: [...document.querySelectorAll("#board .ghost")]
      .map((one) => [places.indexOf(one.getAttribute("transform")), one.innerHTML]),
    stacks: stacks.map((one) => one.innerHTML),
    dim: stacks.flatMap((one) => [...one.children]).filter(isDim).length
      + veils.filter((one) => !one.closest(".ghost")).length,
  };
}"""
"""What is on each cell, what a click would put there, and how many pieces are dimmed."""

MISNAMED: Final = """() => {
  const middle = (one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2, size: height };
  };
  const cells = [...document.querySelectorAll("#board .cell")]
    .map((one) => ({ ...middle(one), name: one.querySelector("title").textContent.split(":")[0] }));
  return [...document.querySelectorAll("#board svg > g:not(.marks, .below, .stacks, .cell) text")]
    .filter((label) => {
      const { x, y } = middle(label);
      const words = (name) => name.match(/[a-z]+|[0-9]+/gu);
      const own = cells.filter(({ name }) => words(name).includes(label.textContent));
      const isRow = own.every((one) => Math.abs(one.y - y) < one.size / 4);
      return own.length === 0 || !(isRow || own.every((one) => Math.abs(one.x - x) < one.size / 4));
    }).map((label) => label.textContent);
}"""
"""Labels at the rim that are not in a line with the cells that have them in their names."""

BREAKTHROUGH: Final = ROOT / "examples/plugins/breakthrough/lath_breakthrough.py"


class Player:
    """Somebody at the page who knows which move he wants, and where cells are."""

    def __init__(self, page: Any, position: Position, hand: str) -> None:
        self.page = page
        self.position = position
        self.act: Callable[[int], None] = {
            "mouse": self._click,
            "keyboard": self._walk,
            "touch": self._tap,
        }[hand]
        self.is_keyboard = hand == "keyboard"
        self._at: int | None = None
        self._ghosts: list[tuple[int, str]] | None = None
        """What the page showed before the last click or Enter; a finger cannot hover."""
        self.stacks = [self._seen()["stacks"]]

    def play(self, text: str, number: int) -> None:
        """Make a move, and wait until the page has it."""
        move = next(one for one in self.position.legal_moves() if one == text)
        after = self.position.play(move)
        before, now = self.position.contents(), after.contents()
        put = placement(before, now)
        if text == "swap":
            self._press(f"#direct button:has-text('{text}')")
        elif put is None:
            cell = next(
                at for at, (old, new) in enumerate(zip(before, now, strict=True)) if old != new
            )
            self._take("-")
            self.act(cell)
            self._choose(text, number)
        else:
            self._take(put[1])
            self.act(put[0])
        self.page.wait_for_function(
            "count => document.querySelectorAll('#plies li').length === count", arg=number
        )
        if self.is_keyboard and text != "swap":
            assert self.page.evaluate("document.activeElement.id") == "board"
        self.position = after
        self.stacks.append(self._seen()["stacks"])
        if put and self._ghosts is not None:
            assert dict(self._ghosts)[put[0]] == self.stacks[-1][put[0]]

    def _seen(self) -> Any:
        """Return what is on the board; no piece is ever dimmed."""
        seen = self.page.evaluate(SEEN)
        assert seen["dim"] == 0
        return seen

    def look_back(self) -> None:
        """Look at an earlier position, from the other side too, and return to the game."""
        count = len(self.stacks) - 1
        for key, ply in (("back", count - 1), ("to-start", 0), ("flip", 0), ("forward", 1)):
            self._press(f"#{key}")
            told = f"Ply {ply} of {count}: " if ply else "The start"
            self.page.wait_for_selector(f"#note:has-text('{told}')")
            self.page.wait_for_function(
                f"stacks => `${{({SEEN})().stacks}}` === `${{stacks}}`", arg=self.stacks[ply]
            )
            self._seen()
            assert self.page.evaluate(MISNAMED) == []
        self._press("#flip")
        self._press("#now")
        self.page.wait_for_selector("#now", state="hidden")
        assert self._seen()["stacks"] == self.stacks[-1]

    def _press(self, selector: str) -> None:
        if self.is_keyboard:
            self.page.focus(selector)
            self.page.keyboard.press("Enter")
        else:
            self.page.click(selector)

    def _take(self, code: str) -> None:
        """Say what a click means, where there is a choice."""
        radio = f"#palette input[value='{code}']:not(:checked)"
        if self.page.is_visible("#palette") and self.page.locator(radio).count():
            if self.is_keyboard:
                self.page.focus("#palette input:checked")
                for _ in range(self.page.locator("#palette input").count()):
                    if self.page.locator(radio).count():
                        self.page.keyboard.press("ArrowDown")
            else:
                self.page.click(radio)

    def _choose(self, text: str, number: int) -> None:
        """Take one of several moves at a cell; a lone one has been played."""
        choice = self.page.locator("#choices button").filter(has_text=re.compile(f"^{text} "))
        while self.page.locator("#plies li").count() < number:
            if self.page.is_visible("#choices") and choice.count():
                self._seen()
                if self.is_keyboard:
                    choice.first.press("Enter")
                else:
                    choice.first.click()
                return
            self.page.wait_for_timeout(20)

    def _middle(self, cell: int) -> tuple[float, float]:
        place = self.page.locator("#board .cell").nth(cell)
        place.scroll_into_view_if_needed()
        box = place.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def _click(self, cell: int) -> None:
        self.page.mouse.move(*self._middle(cell))
        self._ghosts = self._seen()["ghosts"]
        self.page.mouse.click(*self._middle(cell))

    def _tap(self, cell: int) -> None:
        self.page.touchscreen.tap(*self._middle(cell))

    def _walk(self, cell: int) -> None:
        """Go to a cell by arrow keys, its row first, and press Enter."""
        centres = places(self.position.game)
        self.page.focus("#board")
        if self._at is None:
            self.page.keyboard.press("ArrowRight")
            self._at = len(centres) // 2
        for _ in range(len(centres)):
            if self._at == cell:
                break
            (x, y), (to_x, to_y) = centres[self._at], centres[cell]
            if abs(to_y - y) > 1:
                self.page.keyboard.press("ArrowDown" if to_y > y else "ArrowUp")
            else:
                self.page.keyboard.press("ArrowRight" if to_x > x else "ArrowLeft")
            told = self.page.inner_text("#cell").partition(":")[0]
            self._at = self.position.game.board.names.index(told)
        assert self._at == cell
        self._ghosts = self._seen()["ghosts"]
        self.page.keyboard.press("Enter")


HANDS: Final = (
    ("mammalath-plus", "mouse"),
    ("mammalath", "keyboard"),
    ("manalath", "keyboard"),
    ("surikata", "touch"),
    ("yavalath", "keyboard"),
)


@pytest.mark.parametrize(("game_id", "hand"), HANDS)
def test_two_people_play_a_whole_game_by_each_hand(
    site: Served, guest: Guest, game_id: str, hand: str
) -> None:
    setup, moves = a_short_game(game_id)
    window = {"has_touch": True, "viewport": {"width": 390, "height": 844}}
    page = guest(site, "/play", **(window if hand == "touch" else {})).page
    page.select_option("#game", game_id)
    page.select_option("#bot", "")
    page.click("summary:has-text('Other rules')")
    page.fill("#start-setup", setup)
    page.click("#begin")
    page.wait_for_selector("#sitting:visible")
    page.wait_for_selector("#told:has-text('to move')")
    player = Player(page, games.get(game_id).start(setup or None), hand)
    for number, move in enumerate(moves, 1):
        player.play(move, number)
        if number == len(moves) // 2:
            player.look_back()
            page.wait_for_selector("#board.mine")
    player.look_back()
    for name in ("Rematch", "Review", "Step through", "Analyse"):
        assert page.is_visible(f"#sitting :text-is('{name}')")
    outcome = player.position.outcome()
    assert outcome is not None
    assert outcome.winner is not None
    assert page.inner_text("#told") == f"{outcome.told('person 1', 'person 2')}."
    page.wait_for_selector("#kept:has-text('Saved as played.lath')")
    page.click("#keep")
    assert page.is_visible("#kept a:has-text('Download')")
    record = last_of(site)
    assert (record.game, list(record.moves), record.result) == (game_id, moves, outcome.result)
    assert (record.tag("First"), record.tag("Second")) == ("person 1", "person 2")
    assert not notation.check(record)
    assert all(ply.used_s is not None for ply in record.plies)


def test_a_piece_is_moved_by_a_click_on_it_and_one_on_where_it_goes(
    guest: Guest, tmp_path: Path
) -> None:
    game = games.add(BREAKTHROUGH)
    with served(tmp_path) as site:
        page = guest(site, f"/play?game={game.id}").page
        page.select_option("#bot", "")
        page.click("#begin")
        for number, move in enumerate(("b2-b3", "c7-c6", "b3-b4", "c6-c5", "b4-c5"), 1):
            page.wait_for_selector("#board.mine")
            for cell in move.split("-"):
                page.locator("#board .cell").nth(game.board.names.index(cell)).click()
            page.wait_for_selector(f"#plies li:nth-child({number}):has-text('{move}')")


def test_moves_are_shown_and_typed_without_their_escapes(guest: Guest, tmp_path: Path) -> None:
    game = games.add(write_game(tmp_path, odd_rules()))
    with served(tmp_path) as site:
        page = guest(site, f"/play?game={game.id}").page
        page.select_option("#bot", "")
        page.click("#begin")
        for number, text in enumerate(("0,1", "x from (3, 7)", "%30%2C1"), 1):
            type_move(page, text)
            said = "X From (3, 7)" if number == 2 else "0,1"
            page.wait_for_selector(f"#plies li:nth-child({number}):has-text('{said}')")


def type_move(page: Any, move: str) -> None:
    page.wait_for_selector("#board.mine")
    page.fill("#typed-move", move)
    page.press("#typed-move", "Enter")


def last_of(site: Served, name: str = "played") -> Any:
    return [*notation.read(folder_of(site) / f"{name}.lath")][-1]


def a_move(page: Any) -> str:
    """Type a legal move that loses nothing at once, and wait for the answer of the bot."""
    count = page.locator("#plies li").count()
    type_move(page, "nonsense")
    page.wait_for_selector("#cell:has-text('nonsense is not a legal move.')")
    move = page.inner_text("#cell").partition("Legal moves include ")[2].split(",")[0]
    type_move(page, move.upper())  # capitals do not matter
    page.wait_for_function(
        "count => document.querySelectorAll('#plies li').length > count + 1", arg=count
    )
    page.wait_for_selector("#told:has-text('Your move')")
    return str(move)


def hastened(route: Any) -> None:
    """Let a bot think for a moment only."""
    route.continue_(post_data=json.dumps({**route.request.post_data_json, "seconds": 0.1}))


def test_a_bot_answers_and_one_may_undo_ask_reload_and_resign(site: Served, guest: Guest) -> None:
    page = guest(site, "/play?game=yavalath&bot=mcts").page
    page.wait_for_selector("#level:visible")
    assert page.input_value("#level") == "2"  # an easy one at first
    page.select_option("#level", "1")
    page.select_option("#clock", "60+1")
    page.click("#begin")
    page.wait_for_selector("#told:has-text('Your move: you are white')")
    first = a_move(page)
    assert "level 1" in page.inner_text("#seats")
    assert page.locator("#seats .clock").count() == 2
    page.click("#undo")
    page.wait_for_function("() => document.querySelectorAll('#plies li').length === 0")
    page.wait_for_selector("#told:has-text('Your move')")
    page.route("**/api/think", hastened)
    page.click("#hint")
    page.wait_for_selector("#told:has-text('Hint: ')")
    page.unroute("**/api/think")
    page.click("#threats")
    assert "No move wins or loses immediately" in page.inner_text("#threats-told")
    assert a_move(page) == first
    page.reload()
    page.wait_for_selector("#told:has-text('Your move')")
    assert page.locator("#plies li").count() == 2
    page.click("#resign")
    assert page.inner_text("#resign") == "Resign: sure?"
    page.click("#resign")
    page.wait_for_selector("#kept:has-text('Saved as played.lath')")
    assert page.inner_text("#told") == "You resigned."
    assert "score" not in page.inner_text("#seats")  # of a game that goes on
    page.reload()
    page.wait_for_selector("#level", state="attached")
    page.click("#new")
    page.wait_for_function("() => document.getElementById('level').value === '1'")
    record = last_of(site)
    assert (record.result, record.tag("Termination")) == ("0-1", "resignation")
    assert (record.tag("First"), record.tag("Second")) == ("person", "mcts")
    assert record.tag("TimeControl") == "60+1"
    assert not notation.check(record)
    until(lambda: "played.lath" in {item["name"] for item in site.get("/api/items")})


def two_people_with_clocks(guest: Guest, site: Served) -> Any:
    """Begin a game of a minute each; the page's time is the test's."""
    page = guest(site, "/play?game=surikata").page
    page.clock.install()
    page.select_option("#bot", "")
    page.select_option("#clock", "60+1")
    page.click("#begin")
    page.wait_for_selector("#told:has-text('to move')")
    return page


def test_who_runs_out_of_time_loses(site: Served, guest: Guest) -> None:
    page = two_people_with_clocks(guest, site)
    page.clock.run_for(61_000)
    page.wait_for_selector("#told:has-text('person 1 lost on time')")
    page.wait_for_selector("#kept:has-text('Saved as')")
    record = last_of(site)
    assert (record.result, record.tag("Termination")) == ("0-1", "time")


def test_no_clock_runs_while_the_site_is_asked(site: Served, guest: Guest) -> None:
    page = two_people_with_clocks(guest, site)
    page.clock.run_for(40_000)
    held: list[Any] = []
    page.route("**/api/position", lambda route: held.append(route))  # noqa: PLW0108
    type_move(page, "Ma1")
    while not held:
        page.wait_for_timeout(20)
    page.clock.run_for(30_000)
    held[0].continue_()
    page.wait_for_selector("#plies li")
    assert "to move" in page.inner_text("#told")
    assert page.inner_text(".clock >> nth=0") in ("0:20", "0:21")
    assert page.inner_text(".clock >> nth=1") in ("0:59", "1:00")


def test_what_is_not_the_bots_fault_does_not_lose_it_the_game(site: Served, guest: Guest) -> None:
    page = guest(site, "/play?game=yavalath:size=4").page
    page.select_option("#bot", "random")
    words = {"part": "error", "error": "all are busy", "why": ""}
    page.route("**/api/think", lambda route: route.fulfill(body=json.dumps(words) + "\n"))
    page.wait_for_selector("#told:has-text('You are white and begin')")
    type_move(page, "d4")  # which is a start, too
    page.wait_for_selector("#plies li:has-text('d4')")
    assert page.locator("#board .cell").count() == 37
    page.wait_for_selector("#said:has-text('all are busy')")
    page.unroute("**/api/think")
    page.click("#again")
    page.wait_for_selector("#told:has-text('Your move')")
    assert page.locator("#plies li").count() == 2
    assert page.inner_text("#said") == ""
    assert page.is_hidden("#again")
    page.reload()
    page.wait_for_selector("#told:has-text('Your move')")
    page.click("#new")
    assert page.inner_text("#new") == "New game: sure?"
    page.click("#new")
    page.wait_for_selector("#told:has-text('press Start')")
    assert page.locator("#board .cell").count() == 37
    assert page.input_value("#bot") == "random"
    page.select_option("#side", "1")
    page.wait_for_selector("#told:has-text('random begins')")
    page.wait_for_selector("#board:not(.mine)")
    page.locator("#board .cell").first.click()
    page.wait_for_selector("#told:has-text('Your move')")


def test_of_two_positions_asked_for_the_last_is_shown(site: Served, guest: Guest) -> None:
    page = guest(site, "/play?game=yavalath").page
    page.select_option("#bot", "")
    page.click("#begin")
    page.wait_for_selector("#board.mine")
    held: list[Any] = []
    page.route("**/api/position", lambda route: held.append(route))  # noqa: PLW0108
    type_move(page, "e5")
    page.click("#new")
    page.click("#new")
    while len(held) < 2:
        page.wait_for_timeout(20)
    held[1].continue_()
    page.wait_for_selector("#told:has-text('press Start')")
    held[0].continue_()
    page.wait_for_load_state("networkidle")
    assert page.is_visible("#setup")
    assert page.inner_text("#said") == ""


WHOLE: Final = """\
[Game "yavalath"]
[Event "<img src=x onerror=alert(1)>"]
[Date "2020-01-02"]
[First "</script><b>ann"]
[Second "bob"]
[TimeControl "60+1"]
[self "mine"]
[Termination "resignation"]
[Result "1-0"]

{before <b>all</b>} {and more}
1. e5!? {one [%emt 0.500]} {two} ({instead} 1. a1 {here} 2. b2?? (2. swap)) 2. swap 1-0
"""


def test_a_record_that_is_pasted_and_saved_is_the_same(site: Served, guest: Guest) -> None:
    page = guest(site, "/analyse").page
    page.wait_for_selector("#told:has-text('to move')")
    paste(page, WHOLE)
    page.wait_for_selector("#tree:has-text('before <b>all</b>')")
    assert "instead 1. a1" in " ".join(page.inner_text("#tree").split())
    assert "[%" not in page.inner_text("#tree")
    given = notation.parse(WHOLE)
    assert kept(page, site) == given
    go_to(page, "e5")
    assert page.input_value("#comment") == "one two"
    page.fill("#comment", "three")
    assert "".join(map(str, kept(page, site).plies[0].comments[0])) == "three[%emt 0.500]"
    go_to(page, "a1")
    page.fill("#comment", "not left yet")
    go_to(page, "b2")  # which is there still
    page.click("#promote")
    changed = kept(page, site)
    assert changed.moves == ("a1", "b2")
    assert changed.plies[0].comments == (("instead",), ("not left yet",))
    assert (changed.result, changed.termination) == ("*", "")  # that game was another one
    assert changed.tag("Event") == given.tag("Event")


def test_an_analysis_outlives_a_reload_and_its_address_leads_to_the_move(
    site: Served, guest: Guest
) -> None:
    page = guest(site, "/analyse?game=yavalath").page
    page.wait_for_selector("#told:has-text('white to move')")
    paste(page, WHOLE)
    go_to(page, "b2")
    page.fill("#comment", "mine")
    tree = page.inner_text("#tree")
    for come_back in (page.reload, lambda: page.goto(f"{site.address}{site.site.root}/analyse")):
        come_back()
        page.wait_for_selector("#tree [aria-current]:has-text('b2')")
        assert page.inner_text("#tree") == tree
        assert page.input_value("#comment") == "mine"
    assert kept(page, site).tag("Event") == notation.parse(WHOLE).tag("Event")
    other = guest(site, f"/analyse?{page.url.partition('?')[2]}").page
    other.wait_for_selector("#tree [aria-current]:has-text('b2')")
    assert other.inner_text("#tree").split() == ["1.", "a1", "2.", "b2"]
    for game in map(games.get, ("mammalath", "surikata")):  # in which setups are drawn
        position = game.start()
        move = position.legal_moves()[0]
        other.goto(f"{site.address}{site.site.root}/analyse?game={game.id}&moves={move}")
        other.wait_for_selector(f"#tree [aria-current]:has-text('{move}')")
        assert other.input_value("#text") == position.play(move).text()


TOLD: Final = """async ([board, positions]) => {
  const view = lath.makeBoard(board, { content: lath.parsed(board.drawn) });
  return positions.flatMap(({ stacks, legal }) => {
    const moves = legal.map(([text, cells]) => {
      const after = stacks.slice();
      for (const [cell, stack] of cells) after[cell] = stack;
      return { text, changes: lath.changesOf(stacks, after) };
    });
    const { words } = view.show({ stacks });
    return lath.effectsOf(moves, stacks).all.map((move) => words(move).slice(move.text.length));
  });
}"""


def test_moves_of_all_games_are_told_in_words(site: Served, guest: Guest) -> None:
    page = guest(site, "/play").page
    page.wait_for_selector("#card p")
    for game_id in games.ids():
        game = games.get(game_id)
        position, chance, seen = game.start(game.draw_setup(1)), random.Random(1), list[Any]()
        while not position.is_over:
            seen.append(position_json(position))
            position = position.play(chance.choice(position.legal_moves()))
        told = set(page.evaluate(TOLD, [site.get(f"/api/boards/{game_id}"), seen]))
        names = sorted((piece.name for piece in game.pieces), key=len, reverse=True)
        known = "|".join(map(re.escape, [*names, *game.board.names]))
        for words in told:
            assert not re.search("a [aeiou]", words), words
            rest = re.sub(rf"\b(?:{known}|{WORDS_OF_MOVES})\b", "", words)
            assert not rest.strip(" ,"), words


WORDS_OF_MOVES: Final = "puts|takes|makes|an?|the|there|and|on|it|every|empty"


def paste(page: Any, text: str) -> None:
    page.click("summary:has-text('Game, position or record')")
    page.fill("#record", text)
    page.click("#setup > [type=submit]")


def go_to(page: Any, move: str) -> None:
    page.click(f"#tree button:has-text('{move}')")
    page.wait_for_selector(f"#tree [aria-current]:has-text('{move}')")


def kept(page: Any, site: Served) -> Any:
    """Keep an analysis; return it as it is kept."""
    page.locator("#kept").evaluate("told => told.replaceChildren()")  # of an earlier time
    page.click("#keep")
    page.wait_for_selector("#kept:has-text('Saved as analysed.lath')")
    return last_of(site, "analysed")


def play_typed(page: Any, *moves: str) -> None:
    for move in moves:
        type_move(page, move)
        page.wait_for_selector(f"#tree [aria-current]:has-text('{move}')")


def test_an_analysis_grows_variations_is_thought_about_and_kept(site: Served, guest: Guest) -> None:
    page = (visit := guest(site, "/analyse?game=yavalath")).page
    page.wait_for_selector("#told:has-text('white to move')")
    play_typed(page, "e5", "d4", "e4")
    page.keyboard.press("Escape")
    page.click("#back")
    page.wait_for_selector("#tree [aria-current]:has-text('d4')")
    play_typed(page, "a1", "b2")
    page.select_option("#glyph", "!?")
    page.fill("#comment", "far away")
    page.press("#comment", "Enter")
    page.click("#to-start")
    page.wait_for_selector("#told:has-text('white to move')")
    page.click("#think")
    page.wait_for_selector("#line button")
    assert "node" in page.inner_text("#thought")
    page.click("#line button >> nth=0")
    page.wait_for_selector("#told:has-text('black to move')")
    record = kept(page, site)
    assert list(record.moves) == ["e5", "d4", "e4"]
    ((first, second),) = [one.plies for one in record.plies[2].variations]
    assert (first.move, second.move, second.glyph) == ("a1", "b2", "!?")
    assert second.comments == (("far away",),)
    assert not notation.check(record)
    paste(page, notation.format_record(record))
    page.wait_for_selector("#set-up:not([open])")
    go_to(page, "a1")
    page.click("#promote")
    again = kept(page, site)
    assert list(again.moves) == ["e5", "d4", "a1", "b2"]
    paste(page, '[Game "yavalath"]\n\n1. z9 *')
    page.wait_for_selector("#said:has-text('ply 1: ')")
    visit.complaints.clear()  # of the browser, about the answer


def test_the_pieces_of_a_position_give_its_text_in_every_game() -> None:
    for game in (*ALL, games.add(BREAKTHROUGH)):
        for seed in range(3):
            position = some_position(game, seed, 5 * seed)
            text = arranged(game, position.contents(), position.to_move)
            assert text is not None, game.id
            assert game.position(text) == position


MOUNDS: Final = "a1 b2 c3 d4 e5"

ARRANGED: Final = {
    "yavalath": ("mouse", {"white stone": "c3 e5", "black stone": "d4 e5"}, "white"),
    "surikata": (
        "keyboard",
        {"termite mound": MOUNDS, "orange piece": "a3", "meerkat": "a2 a3"},
        "white",
    ),
    "mammalath": ("touch", {"black token": "b2", "eraser": "b2", "white token": "b2"}, "black"),
    "manalath": ("mouse", {"purple piece": "c3 c3", "orange piece": "e5"}, "purple"),
}
"""For each game the hand, the cells for each piece in order, and the side to move."""


@pytest.mark.parametrize("game_id", ARRANGED)
def test_a_position_is_set_up_piece_by_piece(site: Served, guest: Guest, game_id: str) -> None:
    hand, put, mover = ARRANGED[game_id]
    game = games.get(game_id)
    window = {"has_touch": True, "viewport": {"width": 390, "height": 844}}
    page = guest(site, f"/analyse?game={game_id}", **(window if hand == "touch" else {})).page
    page.wait_for_selector("#told:has-text('to move')")
    before = page.input_value("#text")
    page.click("#set-up summary")
    page.wait_for_selector("#told:has-text('Setting up')")
    if game_id != "mammalath":
        page.click("#clear")
    player = Player(page, game.position(before), hand)
    for name, cells in put.items():
        page.check(f"#pieces label:has-text('{name}') input")
        for cell in cells.split():
            player.act(game.board.names.index(cell))
            page.wait_for_selector(f"#cell:has-text('{cell}: ')")
    page.select_option("#side", mover)
    page.wait_for_selector("#arranged:has-text('can be set up')")
    text = page.input_value("#start-position")
    found = dict(zip(game.board.names, game.position(text).contents(), strict=True))
    for name, cells in list(put.items())[1:]:  # and of the first piece what is left
        on = found[cells.split()[-1]]
        assert (name in piece_words(on, pieces_of(game)).split(" on ")) == (name != "eraser")
    assert "".join(found.values()).count("k") == (game_id == "surikata")
    page.click("#setup .main")
    page.wait_for_selector(f"#told:has-text('{mover} to move')")
    assert page.input_value("#text") == text
    page.reload()
    page.wait_for_selector(f"#told:has-text('{mover} to move')")
    assert page.input_value("#text") == text


def test_what_is_no_position_is_not_set_up_and_nothing_is_lost(site: Served, guest: Guest) -> None:
    page = guest(site, "/analyse?game=yavalath&moves=e5+d4&ply=1").page
    page.wait_for_selector("#tree [aria-current]:has-text('e5')")  # of two moves the first
    assert page.locator("#tree .ply").count() == 2
    page.click("#set-up summary")
    page.wait_for_selector("#arranged:has-text('can be set up')")
    page.locator("#board .cell").first.click()
    page.wait_for_selector("#arranged:has-text('Not a position yet: ')")
    page.click("#setup .main")
    assert page.locator("#set-up[open]").count() == 1
    page.select_option("#game", "surikata")
    page.wait_for_selector("#pieces:has-text('meerkat')")
    page.click("#set-up summary")
    page.wait_for_selector("#told:has-text('black to move')")
    assert page.locator("#board .cell").count() == 61
    assert page.input_value("#game") == "yavalath"
    assert page.locator("#tree .ply").count() == 2


def test_nothing_is_shown_as_equal_that_nobody_has_evaluated(site: Served, guest: Guest) -> None:
    page = guest(site, "/analyse?game=yavalath&moves=e5").page
    is_empty = "() => document.querySelector('#bar.empty[aria-label=\"Not evaluated\"]')"
    page.wait_for_function(is_empty)
    page.select_option("#bot", "random")
    page.click("#think")
    page.wait_for_selector("#thought:has-text('not evaluated')")
    assert page.locator("#bar.empty").count() == 1
    page.select_option("#bot", "solver")  # which has proven nothing yet
    page.wait_for_selector("#thought:has-text('not evaluated · depth')")
    assert page.locator("#bar.empty").count() == 1
    page.select_option("#bot", "mcts")
    page.wait_for_selector("#bar:not(.empty)")
    page.click("#think")
    page.wait_for_function(is_empty)
    assert page.inner_text("#thought") == "Not evaluated."
    for path in ("/play", "/puzzles", "/explore"):
        html = site.ask(path, Accept="text/html", **site.cookie).text
        assert not re.search(r"\b0\.0+\b|50%", html), path


def test_a_puzzle_is_solved_and_remembered(site: Served, guest: Guest) -> None:
    first, second, *_ = [*read_puzzles(built_in("surikata"))]
    page = (visit := guest(site, "/puzzles?game=surikata")).page
    page.wait_for_selector("#told:has-text('Puzzle 1 of 50')")
    assert page.inner_text("#question").lower() == first.question
    page.click("#after")
    page.wait_for_selector("#told:has-text('Puzzle 2 of 50')")
    address = page.url
    page.go_back()
    page.wait_for_selector("#told:has-text('Puzzle 1 of 50')")
    type_move(page, first.answer)
    page.wait_for_selector(f"#told:has-text('The line ends with {first.line[-1]}: ')")
    assert page.inner_text("#told").startswith(f"Correct: {first.answer} ")
    assert page.locator("#line button").count() == len(first.line)
    assert page.locator("#line [aria-current=true]").inner_text().endswith(first.line[-1])
    assert page.locator("#board .marks [stroke-dasharray='22 9']").count() == 1  # deciding cells
    assert page.inner_text("#score") == "1 of 50 solved, 1 at the first attempt"
    page.reload()  # of its address
    page.wait_for_selector("#told:has-text('Puzzle 1 of 50')")
    page.goto(address)
    page.wait_for_selector("#told:has-text('Puzzle 2 of 50')")
    wrong = next(move for move in second.position.legal_moves() if move != second.answer)
    for take_back in ("click", "press"):
        type_move(page, wrong)
        page.wait_for_selector(f"#told:has-text('{wrong} is not the solution. ')")
        page.wait_for_selector("#line [aria-current=true]")
        page.wait_for_function("() => !document.getElementById('board').matches('.mine')")
        page.click("#retry") if take_back == "click" else page.press("#board", "Escape")
        page.wait_for_selector("#told:has-text('Find the only move')")
    type_move(page, second.answer)
    page.wait_for_selector("#question:text-is('Solved at the third attempt')")
    assert page.inner_text("#score") == "2 of 50 solved, 1 at the first attempt"
    page.goto(address)
    page.wait_for_selector("#told:has-text('Puzzle 2 of 50')")
    assert page.evaluate("document.activeElement === document.body")  # no frame on loading
    page.click("#answer")
    page.wait_for_selector(f"#told:has-text('{second.answer} ')")
    assert page.inner_text("#score") == "2 of 50 solved, 1 at the first attempt"
    grades = [one.grade for one in read_puzzles(built_in("surikata"))]
    page.select_option("#grade", str(max(grades)))
    page.wait_for_selector(f"#told:has-text('of {grades.count(max(grades))}, difficulty')")
    page.select_option("#game", "yavalath")
    page.click("#threats")  # of a board that is on its way
    page.wait_for_selector("#card:has-text('Yavalath')")
    assert visit.complaints == []


EACH: Final = 12
"""Wrong tries of a puzzle."""


def test_every_puzzle_has_an_address_and_every_wrong_try_an_answer(
    site: Served, guest: Guest
) -> None:
    page = guest(site, "/puzzles").page
    for file in all_built_in():
        puzzles = [*read_puzzles(file)]
        assert len({puzzle.key for puzzle in puzzles}) == len(puzzles)
        last = puzzles[-1]
        page.goto(f"{site.address}{site.site.root}/puzzles?game={file.stem}&puzzle={last.key}")
        page.wait_for_selector(f"#told:has-text('Puzzle {len(puzzles)} of {len(puzzles)},')")
        easy = min(puzzles, key=lambda one: len(one.position.legal_moves()))
        wrong = [move for move in easy.position.legal_moves() if move != easy.answer]
        for move in wrong[:EACH]:
            asked = {"game": file.stem, "puzzle": easy.key, "move": move}
            found = site.post("/api/refute", asked).value
            assert found["line"][0] == move
            ends = easy.position
            for one in found["line"]:  # which are legal
                ends = ends.play(read_move(ends, one))
            after = easy.position.play(move)
            assert after.is_over or len(found["line"]) > 1
            assert found["words"].endswith(".")
            assert found["words"].split()[0].lower() in easy.position.game.colours


# What is asked without a page


def test_what_is_wrong_is_told_and_nothing_of_this_machine_is_run(
    site: Served, tmp_path: Path
) -> None:
    (tmp_path / "game.py").write_text(f"open({str(tmp_path / 'was_run')!r}, 'w')\n")
    line = {"game": "yavalath", "moves": ["e5", "e5"]}
    for path, value, status, says in (
        ("/api/position", line, 409, "ply 2: illegal move e5"),
        ("/api/position", {"game": "chess"}, 409, "chess"),
        ("/api/position", {"game": "yavalath", "moves": [1]}, 400, "moves.0"),
        ("/api/position", {"game": "yavalath", "more": 1}, 400, "more"),
        ("/api/start", {"game": str(tmp_path / "game.py")}, 409, "game.py"),
        ("/api/start", {"game": "yavalath", "position": "rubbish"}, 409, "rubbish"),
        ("/api/think", {**line, "moves": [], "bot": "/bin/sh"}, 200, "bot '/bin/sh' not found"),
        ("/api/keep", {**line, "kind": "game", "moves": None}, 400, "line"),
        ("/api/keep", {"game": "yavalath", "kind": "game", "line": [{"move": "z9"}]}, 409, "z9"),
        ("/api/keep", {"game": "yavalath", "kind": "../x", "line": []}, 400, "kind"),
        ("/api/read", {"text": "[" * 60_000}, 409, ""),
    ):
        answer = site.post(path, value)
        assert (answer.status, says in answer.text) == (status, True), (path, value, answer.text)
    deep = '{"game": "yavalath", "kind": "game", "line": ' + '[{"move": "e5", "variations": [' * 999
    assert site.ask(
        "/api/keep", "POST", deep, Content_Type="application/json", **site.keys
    ).status == 400  # fmt: skip
    assert not (tmp_path / "was_run").exists()
    assert {file.suffix for file in folder_of(site).iterdir()} <= {".lath"}


def test_every_variant_that_is_offered_can_be_started(site: Served) -> None:
    page = site.ask("/play", **site.keys).text
    for variant in (one for game in games.ids() for one in variants(games.get(game))):
        assert f'<option value="{variant}">– ' in page
        assert site.post("/api/start", {"game": variant}).status == 200, variant


def asked(site: Served, **of: Any) -> Generator[Any]:
    """Return what a bot says of a position."""
    return site.parts("/api/think", {"game": "yavalath", "moves": ["e5"], **of})


def test_a_bot_that_nobody_listens_to_any_more_is_asked_by_the_next(site: Served) -> None:
    assert site.site.desk is not None
    thinkers = site.site.desk.thinkers
    with closing(asked(site, bot="mcts", seconds=500)) as thoughts:
        assert [next(thoughts)["part"], next(thoughts)["part"]] == ["begins", "info"]
    *_, last = asked(site, bot="mcts", seconds=0.5)
    assert last["part"] == "answer"
    assert last["move"] == last["line"][0]
    assert last["seconds"] >= 0.1
    bots = [engine._bot for player, engine in thinkers._idle if player.bot == "mcts"]
    processes = {bot.child.pid for bot in bots}
    *_, last = asked(site, bot="mcts", seconds=0.2)
    assert last["part"] == "answer"
    assert bots[-1].child.pid in processes  # which goes on, with what it has searched
    thinkers.dismiss(60.0)
    assert bots[-1].is_running
    thinkers.dismiss(0.0)
    assert not any(bot.is_running for bot in bots)


def test_a_bot_waits_while_four_others_think(site: Served) -> None:
    assert site.site.desk is not None
    places = site.site.desk.thinkers._places
    for _ in range(MOST):
        assert places.acquire(timeout=30)
    thoughts = asked(site, bot="greedy", seconds=0.01)
    said = [next(thoughts)["part"]]
    for _ in range(MOST):
        places.release()
    said += [thought["part"] for thought in thoughts]
    assert [said[0], said[1], said[-1]] == ["waits", "begins", "answer"]


def test_spectators_find_nothing_to_play_with(tmp_path: Path) -> None:
    with served(tmp_path, is_public=True) as site:
        assert "Play" not in site.ask("/").text
        for path in ("/play", "/analyse", "/puzzles"):
            assert site.ask(path).status == 404
        for path in ("/api/position", "/api/bots/mcts"):
            assert site.post(path, {"game": "yavalath"}).status == 403


def test_what_cannot_be_written_is_given_back(tmp_path: Path) -> None:
    with served(tmp_path) as site:
        (tmp_path / "played.lath").mkdir()
        kept = {"game": "yavalath", "kind": "game", "line": [{"move": "e5"}]}
        answer = site.post("/api/keep", kept).value
        assert answer["file"] == ""
        assert "played.lath" in answer["error"]
        assert "1. e5 *" in answer["text"]


def test_a_page_is_left_without_complaint(site: Served, guest: Guest) -> None:
    visit: Visit = guest(site, "/play?game=manalath")
    visit.page.wait_for_selector("#card p")
    assert "group of five" in visit.page.inner_text("#card")
    visit.page.click("nav >> text=Analyse")
    visit.page.wait_for_selector("#board svg")
