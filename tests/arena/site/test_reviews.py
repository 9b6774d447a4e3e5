"""After a game: its review says what `arena analyze` writes, and there is a way on."""

from __future__ import annotations

import json
import random
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import pytest
from commands import arena
from sites import Served, served
from walks import drawn_start, playout

from lath import games, notation
from lath.arena import Engine
from lath.arena.site import thinking
from lath.arena.site.playing import tree_of
from lath.arena.site.thinking import MOST
from lath.reports.counting.accuracy import AccuracyCounter
from lath.reports.counting.facts import entry

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from sites import Guest

pytestmark = pytest.mark.slow

NODES: Final = 40

LOST: Final = "5/6/7/8/1ww1w4/bb1b4/7/6/5 w"
"""A position of Yavalath: white to move wins at once, and otherwise black does."""


SHAPES: Final = """() => [...document.querySelectorAll("#board .marks > g")]
  .filter((one) => !one.matches(".dot"))
  .map((one) => one.querySelector("text")?.textContent
    ?? one.querySelector("path").getAttribute("d"))"""
"""The outlines of the marks on the board, and the letter of those that have one."""


GLIDES: Final = """() => {
  const own = Element.prototype.animate;
  window.glides = 0;
  Element.prototype.animate = function animate(...how) {
    window.glides += 1;
    return own.apply(this, how);
  };
}"""
"""It counts what moves from here on."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("folder")) as running:
        yield running


@pytest.fixture(autouse=True)
def few_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking, "USUAL_NODES", NODES)


def reviewed(site: Served, game: dict[str, Any]) -> Generator[Any]:
    """Return what the site says while it reviews a game."""
    return site.parts("/api/review", game)


def a_game(game_id: str) -> dict[str, Any]:
    """Return a whole game of a type, as a page sends it."""
    game = games.get(game_id)
    moves = playout(drawn_start(game, 3), random.Random(3))
    return {
        "game": game_id,
        "setup": game.draw_setup(3) or "",
        "kind": "game",
        "names": ["ann", "bob"],
        "line": [{"move": move, "comments": ["[%emt 0.500]"]} for move in moves],
    }


@pytest.mark.parametrize("game_id", ["mammalath", "manalath", "surikata", "yavalath"])
def test_a_review_has_the_numbers_of_arena_analyze(
    site: Served, tmp_path: Path, game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert site.site.desk is not None
    solver = site.site.desk.thinkers._specs["solver"]
    monkeypatch.setattr(Engine, "open", lambda _: Engine.of(solver))
    game = a_game(game_id)
    begins, *judged, review = reviewed(site, game)
    assert begins == {"part": "begins"}
    assert [part["done"] for part in judged] == [*range(1, len(game["line"]) + 1)]
    (file := tmp_path / "played.lath").write_text(site.post("/api/keep", game).value["text"])
    record = notation.parse(arena("analyze", file, "--nodes", NODES, "-q").out)
    assert review["tree"] == tree_of(record)
    assert review["marks"] == [ply.glyph for ply in record.plies]
    counter = AccuracyCounter()
    counter.add(entry(1, record, is_playable=True))
    told = [line["accuracy"] for line in counter.accuracies(["ann", "bob"])]
    assert [side["accuracy"] for side in review["sides"]] == told


def test_a_review_that_nobody_awaits_or_that_takes_too_long_ends(
    site: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert site.site.desk is not None
    places = site.site.desk.thinkers._places
    with closing(reviewed(site, a_game("yavalath"))) as parts:
        assert next(parts)["part"] == "begins"
    assert all(places.acquire(timeout=30) for _ in range(MOST))
    for _ in range(MOST):
        places.release()
    monkeypatch.setattr(thinking, "LONGEST_REVIEW_S", -1.0)
    *_, last = reviewed(site, a_game("yavalath"))
    assert (last["part"], "exceeds its time limit" in last["error"]) == ("error", True)


def play(page: Any, *moves: str) -> None:
    for number, move in enumerate(moves, 1):
        page.wait_for_selector("#board.mine")
        page.fill("#typed-move", move)
        page.press("#typed-move", "Enter")
        page.wait_for_selector(f"#plies li:nth-child({number}):has-text('{move}')")


def test_a_game_is_reviewed_in_one_click_and_its_marks_lead_to_the_moves(
    site: Served, guest: Guest
) -> None:
    page = guest(site, f"/play?game=yavalath&position={LOST}").page
    page.select_option("#bot", "")
    page.click("#begin")
    page.wait_for_selector("#board.mine")
    page.evaluate(GLIDES)
    thought = {"part": "answer", "move": "b2", "words": "", "line": []}
    page.route("**/api/think", lambda route: route.fulfill(body=json.dumps(thought) + "\n"))
    page.click("#threats")
    page.click("#hint")
    page.wait_for_selector("#threats-told:has-text('The diamond is the hint: b2')")
    assert len(set(page.evaluate(SHAPES))) == 4
    assert page.locator("#threats-told .sign").all_inner_texts() == ["★", "▲", "!", "◇"]
    play(page, "a1", "d3")
    page.wait_for_selector("#kept:has-text('Saved')")
    held: list[Any] = []
    page.route("**/api/review", lambda route: held.append(route))  # noqa: PLW0108
    page.click("#review")
    page.click("#stop")
    page.wait_for_selector("#reviewing", state="hidden")
    page.unroute("**/api/review")
    page.focus("#review")
    page.keyboard.press("Enter")
    page.wait_for_selector("#reviewed:has-text('1 blunder ??')")
    assert "Turning point" in page.inner_text("#reviewed")
    assert "throws away a proven result" in page.inner_text("#reviewed")
    page.wait_for_selector("#plies [aria-current]:has-text('a1??')")
    assert "threw away a proven result" in page.inner_text("#note")
    page.click("#line button >> nth=0")
    page.wait_for_selector("#board svg title:has-text('to move')", state="attached")
    page.wait_for_selector("#line [aria-current=true]")
    page.click("#plies button:has-text('d3')")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#plies [aria-current]:has-text('a1')")
    page.click("#now")
    assert page.evaluate("window.glides") == 0  # who wants no motion sees none
    page.reload()
    page.wait_for_selector("#reviewed:has-text('1 blunder ??')")
    page.click("#analysed")
    page.wait_for_selector("#tree .variation")
    page.wait_for_selector("#tree [aria-current]:has-text('d3')")


def test_a_rematch_changes_the_sides_and_a_game_is_stepped_through(
    site: Served, guest: Guest
) -> None:
    page = guest(site, "/play?game=surikata&bot=random", reduced_motion="no-preference").page
    page.click("#begin")
    page.wait_for_selector("#seats p:nth-child(2):has-text('random')")
    page.evaluate(GLIDES)
    play(page, "Ma1")
    page.click("#back")
    page.wait_for_selector("#told:has-text('Your move')")
    assert page.is_visible("#now")  # whoever looks back stays there while the bot moves
    page.click("#now")
    page.wait_for_selector("#board.mine")
    page.click("#resign")
    page.click("#resign")
    page.click("#stepped")
    page.wait_for_selector("#note:has-text('The start')")
    page.keyboard.press("Enter")
    page.wait_for_selector("#note:has-text('Ply 1 of 2')")
    assert page.evaluate("window.glides") > 0
    page.click("#review")
    page.wait_for_selector("#reviewed:has-text('1 judged move')")
    assert "Ply 1 of 2" in page.inner_text("#note")  # whoever steps through stays there
    page.click("#rematch")
    page.wait_for_selector("#seats p:nth-child(1):has-text('random')")
    page.wait_for_selector("#told:has-text('Your move')")
    assert page.locator("#plies li").count() == 1
    assert page.is_hidden("#rematch")
    assert page.evaluate("document.activeElement.id") == "board"
