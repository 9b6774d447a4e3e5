"""Every legal move can be played on the pages: by clicks on the board, or by a button."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Final

import pytest
from game_files import forget_games
from places import ROOT
from sites import Served, served

from lath import games
from lath.arena.site.boards import position_json
from lath.games.core import Move, Position, plain_move
from lath.games.drawing.changes import changed_cells, worded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sites import Guest

FILES: Final = sorted((ROOT / "examples/games").glob("*.py"))

BARE_MOVES: Final = '''
"""A game with moves that name no cell, and with two moves at one cell."""
from lath.games.board import rhombus
from lath.games.simple import SimpleGame


class Bare(SimpleGame):
    id, title, credit, colours = "bare-moves", "Bare moves", "a test", ("red", "blue")
    board = rhombus(4)
    words = ("swap", "pass")
    facts = {"passes": 0}

    def legal(self, state):
        cells = state.names(state.empty)
        flips = [f"{cell}-flip" for cell in cells if state.near(cell) & state.theirs]
        swap = ["swap"] if state.mover == 1 and state.full.bit_count() == 1 else []
        return [*cells, *flips, *swap, *["pass"] * (state.fact("passes") < 9)]

    def after(self, state, move):
        if move == "pass":
            return state.add("passes", 1)
        if move == "swap":
            (stone,) = state.names(state.full)
            return state.take(stone).put("abcd"[int(stone[1]) - 1] + str(ord(stone[0]) - 96))
        cell = move.removesuffix("-flip")
        if cell != move:
            for one in state.names(state.near(cell) & state.theirs):
                state = state.take(one).put(one)
        return state.put(cell)

    def ending(self, state):
        return None


GAME = Bare()
'''


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Add the example games and one with moves that name no cell."""
    file = tmp_path_factory.mktemp("rules") / "bare_moves.py"
    file.write_text(BARE_MOVES, encoding="utf-8")
    for path in (*FILES, file):
        games.add(path)
    yield
    forget_games()


@pytest.fixture(scope="module")
def site(added: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("folder")) as running:
        yield running


def walked(game_id: str, seed: int) -> list[Any]:
    """Return the positions of a random game that are not its end."""
    chance, game = random.Random(seed), games.get(game_id)
    found = [game.start(game.draw_setup(seed))]
    while not found[-1].is_over:
        found.append(found[-1].play(chance.choice(found[-1].legal_moves())))
    return found[:-1]


REACHED: Final = """async ([game, positions]) => {
  document.body.replaceWith(document.body.cloneNode(true)); // without the page's own listeners
  const script = [...document.scripts].at(-1).src;
  const { makeTable } = await import(script.replace(/[^/]*$/u, "table.js"));
  let played = "";
  const table = makeTable((text) => { played = text; });
  await table.setGame(game);
  const place = (id) => document.getElementById(id);
  const cells = () => [...document.querySelectorAll("#board .cell")];
  const buttonsIn = (id) => (place(id).hidden ? [] : [...place(id).querySelectorAll("button")]);
  const labels = (id) => buttonsIn(id).map((one) => one.textContent);
  return positions.map((now) => {
    table.show(now, true);
    const buttons = labels("direct");
    const [clicked, choices] = [new Set(), new Set()];
    const takes = place("palette").hidden ? 1 : place("palette").querySelectorAll("input").length;
    for (let take = 0; take < takes; take += 1) {
      cells().forEach((_, cell) => {
        if (!place("board").matches(".mine")) table.show(now, true);
        if (takes > 1) place("palette").querySelectorAll("input")[take].click();
        cells()[cell].dispatchEvent(new MouseEvent("click", { bubbles: true }));
        if (played) clicked.add(played);
        else if (!place("choices").hidden) {
          labels("choices").forEach((one) => choices.add(one));
          place("choices").lastElementChild.click(); // Cancel
        }
        played = "";
      });
    }
    return [buttons, [...clicked], [...choices]];
  });
}"""
"""The buttons of each position, the moves that one click plays, and the choices after one."""

GAMES: Final = (*games.builtin_ids(), *(path.stem.replace("_", "-") for path in FILES))


@pytest.mark.slow
@pytest.mark.parametrize("game_id", [*GAMES, "bare-moves"])
def test_every_legal_move_is_played_by_clicks_or_has_a_button(
    site: Served, guest: Guest, game_id: str
) -> None:
    game = walked(game_id, 1)
    seen: list[Position] = [game[1], game[len(game) // 2], game[-1]]
    page = guest(site, "/play").page
    page.wait_for_selector("#card p")
    found = page.evaluate(REACHED, [game_id, [*map(position_json, seen)]])
    for position, (buttons, clicked, choices) in zip(seen, found, strict=True):
        told = {f"{plain_move(move)} {words}" for move, words in worded(position).items()}
        assert set(buttons) == told
        for move in position.legal_moves():
            is_chosen = any(f"{one} ".startswith(f"{plain_move(move)} ") for one in choices)
            assert move in worded(position) or move in clicked or is_chosen, (move, position)


@pytest.mark.slow
def test_a_click_anywhere_in_a_column_plays_the_move_that_is_named_after_it(
    site: Served, guest: Guest
) -> None:
    names = games.get("connect-four").board.names
    page = guest(site, "/play?game=connect-four").page
    page.select_option("#bot", "")
    page.click("#begin")
    for number, cell in enumerate(("d6", "d1", "c3"), 1):
        page.wait_for_selector("#board.mine")
        page.locator("#board .cell").nth(names.index(cell)).click()
        page.wait_for_selector(f"#plies li:nth-child({number}):has-text('{cell[0]}')")
    discs = page.locator("#board .cell title").all_text_contents()
    lying = [told for told in discs if not told.endswith("empty")]
    assert lying == ["c1: yellow disc", "d1: yellow disc", "d2: red disc"]


def test_what_a_move_without_a_cell_does_is_told_in_words(added: None) -> None:
    game = games.get("bare-moves")
    first = game.start().play(Move("b1"))
    assert worded(first) == {
        "swap": "makes a2 a blue piece, b1 empty",
        "pass": "sets passes 1",
    }
    assert worded(game.start()) == {"pass": "sets passes 1"}
    for one in (position for each in GAMES for position in walked(each, 2)):
        assert all(changed_cells(one, one.play(move)) for move in worded(one))
        assert "swap" not in one.legal_moves() or "swap" in worded(one)
