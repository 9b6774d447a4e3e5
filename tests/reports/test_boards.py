"""Boards on the page: the script shows what Python does, for random positions of every game.

In a real browser, and under node.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from itertools import dropwhile
from random import Random
from typing import Any, Final

import pytest
from board_games import Three
from places import ROOT
from shown_moves import legal_of
from tools import needs
from walks import last_of, some_position, walk

from lath import games
from lath.games.core import Game, Position
from lath.games.drawing import board
from lath.games.drawing.board import effects, piece_words, pieces_of, svg
from lath.games.drawing.shapes import CELL, FAINT
from lath.games.overlays import Groups, Sight, groups, of, sight
from lath.games.points import Points

SHOWN: Final[dict[str, Game]] = {
    **{game.id: game for game in games.installed()},
    **{f"three on {name}": Three(name) for name in ("morris", "star", "rhombus")},
}
"""The installed games, and one on other kinds of boards."""

TEMPLATES: Final = ROOT / "reports" / "templates"


def scripts(*names: str) -> str:
    return "".join((TEMPLATES / "js" / f"{name}.js").read_text("utf-8") for name in names)


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Any]:
    """A page with a board of every game, `boards` by id, and `data`."""
    opened = browser.new_page()
    complaints: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    data = json.dumps({name: board.to_json(game) for name, game in SHOWN.items()})
    templates = "".join(
        f'<template id="{name}">{board.template(game)}</template>' for name, game in SHOWN.items()
    )
    make = """
        const boards = {};
        for (const id of Object.keys(data)) {
          boards[id] = lath.makeBoard(data[id], document.getElementById(id));
          document.body.append(boards[id].element);
        }
    """
    script = scripts("open", "dom", "geometry", "overlays", "sprites", "board")
    opened.set_content(
        f"<!DOCTYPE html><body>{templates}<script>{script}const data = {data};{make}</script>"
    )
    yield opened
    opened.close()
    assert complaints == []


def test_the_page_draws_what_the_svg_file_has(page: Any) -> None:
    for name, game in SHOWN.items():
        for ply in (0, 5, 9, 14, -1):
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
                "([id, shown]) => { boards[id].show(shown); return boards[id].element.outerHTML; }",
                [name, shown],
            )
            file = svg(
                position, highlight=decided, is_loss=is_loss, last=last, legal=True, aids=True
            )
            page_has, file_has = drawn(page, markup, "below", "stacks", "marks"), drawn(page, file)
            assert [leaf for leaf, _ in page_has] == [leaf for leaf, _ in file_has], (name, ply)
            # Sizes may differ by what rounding costs.
            for (leaf, one), (_, other) in zip(page_has, file_has, strict=True):
                assert one == other or one == pytest.approx(other, rel=0.002, abs=0.5), leaf


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
    fills = f'<path fill="{CELL}"', f'<path fill="{FAINT}"'
    cells = next(i for i, (leaf, _) in enumerate(found) if leaf.startswith(fills))
    return list(dropwhile(lambda one: is_name(one[0]), found[cells + 1 :]))


def is_name(leaf: str) -> bool:
    return re.search(r">[a-z][0-9]+</text>", leaf) is not None


LOOKS: Final = """([id, css]) => {
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
    const cells = [...boards[id].element.querySelectorAll("svg > .cell")];
    const told = cells.map((cell) => cell.querySelector("title").textContent);
    const hidden = [...cells.keys()].filter((at) => [...cells[at].querySelectorAll("text")].some(
      (name) => getComputedStyle(name).visibility === "hidden"));
    style.remove();
    return [looks.join("\\n"), told, hidden];
}"""


def test_cells_say_what_lies_on_them_and_styles_hide_their_names_below_a_disc_alone(
    page: Any,
) -> None:
    # All styles of the report: which of them the page has is the page's affair.
    css = "".join(path.read_text("utf-8") for path in sorted((TEMPLATES / "css").glob("*.css")))
    hidden = []
    for name, game in SHOWN.items():
        position = last_of(game, 5)
        contents = position.contents()
        shown = {"stacks": list(contents), "moved": [0], "deciding": [1, 2], "aids": True}
        words = [piece_words(content, pieces_of(game)) for content in contents]
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.evaluate("([id, shown]) => { boards[id].show(shown); }", [name, shown])
            bare, told, _ = page.evaluate(LOOKS, [name, ""])
            assert told == [
                f"{cell}: {each}" for cell, each in zip(game.board.names, words, strict=True)
            ]
            styled, _, names_hidden = page.evaluate(LOOKS, [name, css])
            assert (styled, names_hidden) == (bare, []), (name, scheme)
        # How often moves of a tree were played is written on discs, over the names of their cells.
        shares = [[3, 0.5, "#777777", "50"], [4, 0.25, "#777777", "25"]]
        shown = {"stacks": [""] * len(contents), "shares": shares}
        page.evaluate("([id, shown]) => { boards[id].show(shown); }", [name, shown])
        hidden.append(page.evaluate(LOOKS, [name, css])[2])
    assert [3, 4] in hidden
    assert all(cells in ([3, 4], []) for cells in hidden), "a board may have no names in its cells"


def test_the_arrow_keys_lead_to_every_cell_and_along_the_lines_of_points(page: Any) -> None:
    walk = """([id, count]) => Array.from({ length: count }, (_, cell) =>
        [[1, 0], [-1, 0], [0, 1], [0, -1]].map((way) => boards[id].nextTo(cell, way)))"""
    for name, game in SHOWN.items():
        centres, near = game.board.centres, game.board.neighbours
        nexts = page.evaluate(walk, [name, len(centres)])
        met = {len(centres) // 2}
        for _ in centres:
            met |= {to for cell in met for to in nexts[cell]}
        assert len(met) == len(centres), name
        for cell, (right, left, down, up) in enumerate(nexts):
            (x, y), at = centres[cell], [centres[to] for to in (right, left, down, up)]
            assert at[0][0] >= x >= at[1][0]
            assert at[2][1] >= y >= at[3][1]
            if isinstance(game.board, Points):
                straight = [to for to in near(cell) if centres[to][1] == y and centres[to][0] > x]
                assert not straight or right in straight


# Under node: what the script finds where it draws nothing


def evaluated(expression: str, value: Any) -> Any:
    """Return what the expression comes to, `value` being there, as JSON."""
    reading = 'const value = JSON.parse(require("fs").readFileSync(0, "utf-8"));'
    program = f"{scripts('open', 'overlays')}{reading}console.log(JSON.stringify({expression}));"
    ran = subprocess.run(
        ["node", "-e", program],
        input=json.dumps(value),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return json.loads(ran.stdout)


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


def pairs(mapping: Mapping[Any, Any]) -> list[list[Any]]:
    return [list(pair) for pair in mapping.items()]


@needs("node")
@pytest.mark.parametrize("game", games.installed(), ids=lambda game: game.id)
def test_the_script_finds_overlays_and_effects_of_moves_that_python_finds(game: Game) -> None:
    found: list[Position] = []
    for seed in range(4):
        played = [position for position, _ in walk(game, seed)]
        found += [*played[::3], played[-1]]
    told = evaluated(
        """[value.all.map(([legal, stacks]) => value.overlays.shown.map((shown) =>
          shown.kind === "groups"
            ? lath.overlays.groups(shown, value.overlays.neighbours, stacks)
            : lath.overlays.sight(shown, value.overlays.rays, stacks))),
        value.all.map(([legal, stacks]) => lath.effectsOf(legal, stacks)).map((does) =>
          [[...does.dots], [...does.kinds], does.lines, does.turned])]""",
        {
            "overlays": board.to_json(game)["overlays"],
            "all": [[legal_of(position), position.contents()] for position in found],
        },
    )
    assert told[0] == [expected_overlays(position) for position in found]
    expected = [effects(position) for position in found]
    assert told[1] == [
        [pairs(does.dots), pairs(does.kinds), does.lines, does.turned] for does in expected
    ]
