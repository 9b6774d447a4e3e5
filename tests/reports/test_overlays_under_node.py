"""Overlays of the page: the script finds what Python finds, for random positions of every game.

Under node. Skipped where there is none.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from typing import Any, Final

import pytest
from places import ROOT
from shown_moves import legal_of
from tools import needs
from walks import walk

from lath import games
from lath.games.core import Game, Position
from lath.games.drawing import board
from lath.games.drawing.board import effects
from lath.games.overlays import Groups, Sight, groups, of, sight

pytestmark = needs("node")

SCRIPTS: Final = ROOT / "reports" / "templates" / "js"

every_game = pytest.mark.parametrize("game", games.installed(), ids=lambda game: game.id)


def evaluated(expression: str, value: Any) -> Any:
    """Return what the expression comes to, `value` being there, as JSON."""
    scripts = [(SCRIPTS / f"{name}.js").read_text("utf-8") for name in ("open", "overlays")]
    reading = 'const value = JSON.parse(require("fs").readFileSync(0, "utf-8"));'
    program = f"{''.join(scripts)}{reading}console.log(JSON.stringify({expression}));"
    ran = subprocess.run(
        ["node", "-e", program],
        input=json.dumps(value),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return json.loads(ran.stdout)


def positions(game: Game, seeds: range) -> list[Position]:
    """Return every third position of a few games, and their ends."""
    found = []
    for seed in seeds:
        played = [position for position, _ in walk(game, seed)]
        found += [*played[::3], played[-1]]
    return found


@every_game
def test_the_script_finds_the_groups_and_the_sight_that_python_finds(game: Game) -> None:
    expression = """value.all.map((stacks) => value.overlays.shown.map((shown) =>
        shown.kind === "groups"
          ? lath.overlays.groups(shown, value.overlays.neighbours, stacks)
          : lath.overlays.sight(shown, value.overlays.rays, stacks)))"""
    found = positions(game, range(4))
    overlays = board.to_json(game)["overlays"]
    stacks = [list(position.contents()) for position in found]
    assert evaluated(expression, {"overlays": overlays, "all": stacks}) == [
        expected_overlays(position) for position in found
    ]


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
def test_the_script_finds_what_legal_moves_do_as_python_does(game: Game) -> None:
    expression = """value.map(([legal, stacks]) => lath.effectsOf(legal, stacks)).map((does) =>
        [[...does.dots], [...does.kinds], does.lines, does.turned, does.others])"""
    found = positions(game, range(2))
    told = evaluated(expression, [[legal_of(position), position.contents()] for position in found])
    expected = [effects(position) for position in found]
    assert told == [
        [pairs(does.dots), pairs(does.kinds), does.lines, does.turned, does.others]
        for does in expected
    ]
    assert not any(does.others for does in expected)  # all of our games' moves are drawn


def pairs(mapping: Mapping[Any, Any]) -> list[list[Any]]:
    return [list(pair) for pair in mapping.items()]
