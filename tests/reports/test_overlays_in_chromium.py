"""Boards on the page: the script shows what Python does, for random positions of every game.

In a real browser. Skipped where there is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from browsing import CHROMIUM, FLAGS
from walks import last_of, some_position, walk

from lath import games
from lath.games.core import Game, Position
from lath.games.overlays import Groups, Sight, groups, of, sight
from lath.reports.boards import template
from lath.reports.boards.board import CELL, changes, choices, piece_words, pieces_of, svg

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the PATH")

TEMPLATES = Path(template.__file__).parent.parent / "templates"

every_game = pytest.mark.parametrize("game", games.installed(), ids=lambda game: game.id)


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    """A page with a board of every game, `boards` by id, and `data`."""
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        opened = browser.new_page()
        complaints: list[str] = []
        opened.on("console", lambda message: complaints.append(message.text))
        opened.on("pageerror", lambda error: complaints.append(str(error)))
        opened.set_content(_html())
        yield opened
        browser.close()
        assert complaints == []


def _html() -> str:
    names = ("open", "dom", "geometry", "overlays", "sprites", "board")
    scripts = "".join((TEMPLATES / "js" / f"{name}.js").read_text("utf-8") for name in names)
    data = json.dumps({game.id: template.to_json(game) for game in games.installed()})
    templates = "".join(
        f'<template id="{game.id}">{template.template(game)}</template>'
        for game in games.installed()
    )
    make = """
        const boards = {};
        for (const id of Object.keys(data)) {
          boards[id] = lath.makeBoard(data[id], document.getElementById(id));
          document.body.append(boards[id].element);
        }
    """
    return f"<!DOCTYPE html><body>{templates}<script>{scripts}const data = {data};{make}</script>"


def positions(game: Game, seeds: range) -> list[Position]:
    """Return every third position of a few games, and their ends."""
    found = []
    for seed in seeds:
        played = [position for position, _ in walk(game, seed)]
        found += [*played[::3], played[-1]]
    return found


@every_game
def test_the_script_finds_the_groups_and_the_sight_that_python_finds(page: Any, game: Game) -> None:
    script = """([id, all]) => all.map((stacks) => data[id].overlays.shown.map((shown) =>
        shown.kind === "groups"
          ? lath.overlays.groups(shown, data[id].overlays.neighbours, stacks)
          : lath.overlays.sight(shown, data[id].overlays.rays, stacks)))"""
    found = positions(game, range(8))
    told = page.evaluate(script, [game.id, [list(position.contents()) for position in found]])
    assert told == [expected_overlays(position) for position in found]


def expected_overlays(position: Position) -> list[Any]:
    board, contents = position.game.board, position.contents()
    found: list[Any] = []
    for overlay in of(position.game):
        if isinstance(overlay, Groups):
            found.append([list(group) for group in groups(overlay, board, contents)])
        elif isinstance(overlay, Sight):
            seen = sight(overlay, board, contents).items()
            found.append([[cell, [list(ray) for ray in rays]] for cell, rays in seen])
    return found


@every_game
def test_the_script_puts_dots_where_python_does(page: Any, game: Game) -> None:
    script = "all => all.map((legal) => { const { dots, others } = lath.dotsOf(legal);"
    script += " return [[...dots], others]; })"
    found = positions(game, range(2))
    told = page.evaluate(script, [legal_of(position) for position in found])
    expected = [choices(position) for position in found]
    assert told == [[[list(dot) for dot in one.dots.items()], list(one.others)] for one in expected]


def legal_of(position: Position) -> list[Any]:
    before = position.contents()
    return [
        {
            "text": move,
            "changes": [list(one) for one in changes(before, position.play(move).contents())],
        }
        for move in position.legal_moves()
    ]


@every_game
@pytest.mark.parametrize("ply", [0, 5, 9, 14, -1])
def test_the_page_draws_what_the_svg_file_has(page: Any, game: Game, ply: int) -> None:
    position = last_of(game, 3) if ply < 0 else some_position(game, 3, ply)
    outcome = position.outcome()
    names = game.board.names
    decided = outcome.cells if outcome else ()
    last = Random(ply).sample(names, 2)
    shown = {
        "stacks": list(position.contents()),
        "moved": sorted(map(names.index, last)),
        "deciding": list(map(names.index, decided)),
        "legal": legal_of(position),
        "aids": True,
    }
    markup = page.evaluate(
        "([id, shown]) => { boards[id].show(shown); return boards[id].element.outerHTML; }",
        [game.id, shown],
    )
    file = svg(position, highlight=decided, last=last, legal=True, aids=True)
    assert_alike(drawn(page, markup, "below", "stacks", "marks"), drawn(page, file))


def drawn(page: Any, markup: str, *layers: str) -> list[tuple[str, list[float]]]:
    """Return what an SVG has in layers, or all but the ground, in order.

    Each shape or word as markup without path data, and the length and the extent of its path: the
    two write the same numbers in different ways.
    """
    script = """([markup, layers]) => {
        const parsed = new DOMParser().parseFromString(markup, "text/html").querySelector("svg");
        const root = document.importNode(parsed, true);
        document.body.append(root);
        const parts = layers.length ? layers.map((name) => root.querySelector(`.${name}`)) : [root];
        const leaves = parts.flatMap((part) => [...part.querySelectorAll("path, circle, text")]);
        const found = leaves.map((leaf) => {
            const length = leaf.getTotalLength ? leaf.getTotalLength() : 0;
            const box = leaf.getBBox();
            leaf.removeAttribute("d");
            return [leaf.outerHTML, [length, box.x, box.y, box.width, box.height]];
        });
        root.remove();
        return found;
    }"""
    found = [(str(leaf), size) for leaf, size in page.evaluate(script, [markup, list(layers)])]
    if layers:
        return found
    # The plate, its labels, the cells and the names in them come first.
    cells = next(i for i, (leaf, _) in enumerate(found) if f'fill="{CELL}"' in leaf)
    return list(dropwhile(lambda one: _is_name(one[0]), found[cells + 1 :]))


def _is_name(leaf: str) -> bool:
    return re.search(r">[a-z][0-9]+</text>", leaf) is not None


def assert_alike(
    page_has: Sequence[tuple[str, list[float]]], file_has: Sequence[tuple[str, list[float]]]
) -> None:
    """Compare what two SVG have; sizes may differ by what rounding costs."""
    assert [leaf for leaf, _ in page_has] == [leaf for leaf, _ in file_has]
    for (leaf, one), (_, other) in zip(page_has, file_has, strict=True):
        assert one == pytest.approx(other, rel=0.002, abs=0.5), leaf


@every_game
def test_cells_say_what_lies_on_them(page: Any, game: Game) -> None:
    position = some_position(game, 2, 12)
    script = """([id, stacks]) => { boards[id].show({ stacks });
        const all = boards[id].element.querySelectorAll("svg > .cell > title");
        return [...all].map((title) => title.textContent); }"""
    told = page.evaluate(script, [game.id, list(position.contents())])
    pieces = pieces_of(game)
    cells = zip(game.board.names, position.contents(), strict=True)
    assert told == [f"{name}: {piece_words(content, pieces)}" for name, content in cells]


@every_game
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_styles_of_the_report_leave_boards_as_they_are_drawn(
    page: Any, game: Game, scheme: str
) -> None:
    position = last_of(game, 5)
    shown = {"stacks": list(position.contents()), "moved": [0], "deciding": [1, 2], "aids": True}
    page.emulate_media(color_scheme=scheme)
    page.evaluate("([id, shown]) => { boards[id].show(shown); }", [game.id, shown])
    bare = page.evaluate(LOOKS, [game.id, ""])
    assert page.evaluate(LOOKS, [game.id, report_styles()]) == bare


LOOKS = """([id, css]) => {
    const style = document.createElement("style");
    style.textContent = css;
    document.head.append(style);
    const names = ["fill", "stroke", "strokeWidth", "strokeDasharray", "opacity", "fillRule",
      "fontSize", "fontWeight", "textAnchor", "strokeLinejoin", "strokeLinecap", "display"];
    const parts = [...boards[id].element.querySelectorAll("g, path, circle, text")];
    const looks = parts.map((part) => {
      const computed = getComputedStyle(part);
      return `${part.tagName} ${names.map((name) => computed[name]).join(" ")}`;
    });
    style.remove();
    return looks;
}"""


def report_styles() -> str:
    """Return all styles of the report: which of them the page has is the page's affair."""
    return "".join(path.read_text("utf-8") for path in sorted((TEMPLATES / "css").glob("*.css")))
