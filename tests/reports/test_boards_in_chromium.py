"""Boards on the page: the script shows what Python does, for random positions of every game.

In a real browser. Skipped where there is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile
from random import Random
from typing import Any

import pytest
from places import ROOT
from shown_moves import legal_of
from walks import last_of, some_position

from lath import games
from lath.games.core import Game
from lath.games.drawing import board
from lath.games.drawing.board import piece_words, pieces_of, svg
from lath.games.drawing.shapes import CELL

TEMPLATES = ROOT / "reports" / "templates"

every_game = pytest.mark.parametrize("game", games.installed(), ids=lambda game: game.id)


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Any]:
    """A page with a board of every game, `boards` by id, and `data`."""
    opened = browser.new_page()
    complaints: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.set_content(_html())
    yield opened
    opened.close()
    assert complaints == []


def _html() -> str:
    names = ("open", "dom", "geometry", "overlays", "sprites", "board")
    scripts = "".join((TEMPLATES / "js" / f"{name}.js").read_text("utf-8") for name in names)
    data = json.dumps({game.id: board.to_json(game) for game in games.installed()})
    templates = "".join(
        f'<template id="{game.id}">{board.template(game)}</template>' for game in games.installed()
    )
    make = """
        const boards = {};
        for (const id of Object.keys(data)) {
          boards[id] = lath.makeBoard(data[id], document.getElementById(id));
          document.body.append(boards[id].element);
        }
    """
    return f"<!DOCTYPE html><body>{templates}<script>{scripts}const data = {data};{make}</script>"


@every_game
@pytest.mark.parametrize("ply", [0, 5, 9, 14, -1])
def test_the_page_draws_what_the_svg_file_has(page: Any, game: Game, ply: int) -> None:
    position = last_of(game, 3) if ply < 0 else some_position(game, 3, ply)
    outcome = position.outcome()
    names = game.board.names
    decided, is_loss = (outcome.cells, outcome.is_loss) if outcome else ((), False)
    last = Random(ply).sample(names, 2)
    shown = {
        "stacks": list(position.contents()),
        "moved": sorted(map(names.index, last)),
        "deciding": list(map(names.index, decided)),
        "isLoss": is_loss,
        "legal": legal_of(position),
        "aids": True,
    }
    markup = page.evaluate(
        "([id, shown]) => { boards[id].show(JSON.parse(shown));"
        " return boards[id].element.outerHTML; }",
        [game.id, json.dumps(shown)],
    )
    file = svg(position, highlight=decided, is_loss=is_loss, last=last, legal=True, aids=True)
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
        return JSON.stringify(found);
    }"""
    told = json.loads(page.evaluate(script, [markup, list(layers)]))
    found = [(str(leaf), size) for leaf, size in told]
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
        if one != other:
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
    return looks.join("\\n");
}"""


def report_styles() -> str:
    """Return all styles of the report: which of them the page has is the page's affair."""
    return "".join(path.read_text("utf-8") for path in sorted((TEMPLATES / "css").glob("*.css")))
